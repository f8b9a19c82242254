import FreeholdEngine

/// The observed data at one version, and the computation of its changes from one version to the next.
enum Followed: Sendable {
    case query(ObservedQuery)
    case collection(ObservedCollection)
    case dictionary(ObservedDictionary)
    case object(ObservedObject)
    case values(FollowedValues)
    case entries(FollowedEntries)

    var snapshot: Snapshot {
        switch self {
        case .query(let it): it.snapshot
        case .collection(let it): it.snapshot
        case .dictionary(let it): it.snapshot
        case .object(let it): it.snapshot
        case .values(let it): it.snapshot
        case .entries(let it): it.snapshot
        }
    }

    /// The objects of a query, or nil for other data.
    var found: FoundObjects? {
        if case .query(let it) = self { FoundObjects(it) } else { nil }
    }

    /// Advances to a version with another schema.
    ///
    /// - Parameter start: A closure that begins to follow the same data at a version, with the columns of the new
    ///   schema.
    mutating func advance(
        to next: Snapshot,
        _ changes: VersionChanges,
        restarting start: (Snapshot) -> Followed
    ) -> ObservedChange? {
        if case .query(let old) = self {
            self = start(next)
            guard case .query(let new) = self else { return nil }
            return new.changes(since: old, changes).map { .collection($0, FoundObjects(new)) }
        }
        self = start(snapshot)
        return advance(to: next, changes)
    }

    /// - Returns: The change, or nil if no observed data has changed.
    mutating func advance(to next: Snapshot, _ changes: VersionChanges) -> ObservedChange? {
        switch self {
        case .query(var it):
            let change = it.advance(to: next, changes)
            self = .query(it)
            return change.map { .collection($0, FoundObjects(it)) }
        case .collection(var it):
            let change = it.advance(to: next, changes)
            self = .collection(it)
            return change.map { .collection($0, nil) }
        case .dictionary(var it):
            let change = it.advance(to: next, changes)
            self = .dictionary(it)
            return change.map { .dictionary($0) }
        case .object(var it):
            let old = it.snapshot
            let change = it.advance(to: next, changes)
            self = .object(it)
            return change.map { .object($0, old: old) }
        case .values(var it):
            let change = it.advance(to: next, changes)
            self = .values(it)
            return change.map { .collection($0, nil) }
        case .entries(var it):
            let change = it.advance(to: next, changes)
            self = .entries(it)
            return change.map { .dictionary($0) }
        }
    }
}

/// A change that an observation receives.
enum ObservedChange: Sendable {
    /// The initial state, with the objects if it is a query.
    case initial(FoundObjects?)
    case collection(CollectionChanges, FoundObjects?)
    case dictionary(DictionaryChanges)
    case object(ObservedObject.Change, old: Snapshot)
    case realm(Realm.Notification)
    /// A commit that isn't reported to the block. See `ObservationKind.hearsSilence`.
    case silence
}

/// The objects of a query at a version, in order.
struct FoundObjects: Sendable {
    let keys: OrderedKeys
    let version: UInt64

    init(_ query: ObservedQuery) {
        keys = query.keys
        version = query.snapshot.version
    }
}

/// The place of a collection of values in the file. It can be read at any version.
struct StoredCollection: Sendable {
    let column: Column
    let owner: ObjectKey
    /// For a collection inside a mixed value: its id, and the place at which it was last found.
    let nested: (id: UInt64, near: NestedSubscript)?

    /// Returns a Boolean value that indicates whether the object that owns the collection exists.
    func exists(in view: Snapshot) -> Bool {
        view.schema.table(id: column.tableID).map { view.contains($0, owner) } ?? false
    }

    func values(in view: Snapshot) -> [Value] {
        guard exists(in: view) else { return [] }
        if nested != nil {
            let value = nestedValue(in: view)
            if case .dictionary(let dictionary)? = value { return dictionary.entries.map(\.value) }
            return value?.listElements ?? []
        }
        if column.collection == .dictionary { return view.dictionaryEntries(column, owner).map(\.value) }
        return view.listValues(column, owner)
    }

    func entries(in view: Snapshot) -> [String: Value] {
        guard exists(in: view), case .dictionary(let dictionary)? = nestedValue(in: view) else { return [:] }
        return Dictionary(uniqueKeysWithValues: dictionary.entries.map { ($0.key, $0.value) })
    }

    private func nestedValue(in view: Snapshot) -> Value? {
        guard let nested else { return nil }
        var place = nested.near
        return view.nested(column, owner, id: nested.id, near: &place)
    }

    /// Returns a Boolean value that indicates whether the property that holds the collection was set.
    func isTouched(by changes: VersionChanges) -> Bool {
        changes.isCompared || changes.tables[column.tableID]?.modified[column.id] != nil
            || changes.tables[column.tableID].map { !$0.deleted.isEmpty } ?? false
    }
}

/// Values that are sorted or otherwise processed, or that are inside a mixed value. They are read again if they may
/// have changed.
struct FollowedValues: Sendable {
    let stored: StoredCollection
    let stages: [ValueStage]
    private(set) var snapshot: Snapshot
    private var values: [Value]

    init(_ stored: StoredCollection, _ stages: [ValueStage], in snapshot: Snapshot) {
        self.stored = stored
        self.stages = stages
        self.snapshot = snapshot
        values = []
        values = read()
    }

    private func read() -> [Value] {
        let all = stored.values(in: snapshot)
        return ValueStage.positions(of: all, stages).map { all[$0] }
    }

    mutating func advance(to next: Snapshot, _ changes: VersionChanges) -> CollectionChanges? {
        snapshot = next
        guard stored.isTouched(by: changes) else { return nil }
        let old = values
        values = read()
        var out = CollectionChanges()
        for change in values.difference(from: old, by: { $0 == $1 }) {
            switch change {
            case .remove(let i, _, _): out.deletions.append(i)
            case .insert(let i, _, _): out.insertions.append(i)
            }
        }
        out.deletions.sort()
        out.insertions.sort()
        // An element of a sorted or filtered collection can't be replaced by its position. A deletion and an insertion
        // are therefore reported as such, and not as a modification.
        if stages.isEmpty { out.joinReplaced() }
        return out.isEmpty ? nil : out
    }
}

extension CollectionChanges {
    /// Converts the deletions and insertions between two unchanged elements to modifications, if there are as many
    /// deletions as insertions.
    mutating func joinReplaced() {
        var deleted: [Int] = []
        var inserted: [Int] = []
        var (d, i, new) = (0, 0, 0)
        var old = 0
        while d < deletions.count || i < insertions.count {
            // The number of unchanged elements before the next deletion or insertion.
            let kept = min(
                d < deletions.count ? deletions[d] - old : .max,
                i < insertions.count ? insertions[i] - new : .max
            )
            old += kept
            new += kept
            var gone: [Int] = []
            var come: [Int] = []
            while d < deletions.count, deletions[d] == old {
                gone.append(old)
                (d, old) = (d + 1, old + 1)
            }
            while i < insertions.count, insertions[i] == new {
                come.append(new)
                (i, new) = (i + 1, new + 1)
            }
            if gone.count == come.count {
                modifications += gone
            } else {
                deleted += gone
                inserted += come
            }
        }
        deletions = deleted
        insertions = inserted
    }
}

/// A dictionary inside a mixed value.
struct FollowedEntries: Sendable {
    let stored: StoredCollection
    private(set) var snapshot: Snapshot
    private var entries: [String: Value]

    init(_ stored: StoredCollection, in snapshot: Snapshot) {
        self.stored = stored
        self.snapshot = snapshot
        entries = stored.entries(in: snapshot)
    }

    mutating func advance(to next: Snapshot, _ changes: VersionChanges) -> DictionaryChanges? {
        snapshot = next
        guard stored.isTouched(by: changes) else { return nil }
        let old = entries
        entries = stored.entries(in: next)
        var out = DictionaryChanges()
        out.deletions = old.keys.filter { entries[$0] == nil }.sorted()
        out.insertions = entries.keys.filter { old[$0] == nil }.sorted()
        out.modifications = old.filter { entry in entries[entry.key].map { $0 != entry.value } ?? false }.keys.sorted()
        return out.isEmpty ? nil : out
    }
}
