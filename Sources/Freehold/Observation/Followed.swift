import FreeholdEngine

/// What is observed, at one version, and how it changes from version to version.
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

    /// Of a query: its objects.
    var found: FoundObjects? {
        if case .query(let it) = self { FoundObjects(it) } else { nil }
    }

    /// Moves on over a change of the file's schema.
    ///
    /// - Parameter start: follows the same with the columns of the new schema.
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

    /// - Returns: nil where nothing that is watched changed.
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

/// What an observation is told.
enum ObservedChange: Sendable {
    /// With the objects, of a query.
    case initial(FoundObjects?)
    case collection(CollectionChanges, FoundObjects?)
    case dictionary(DictionaryChanges)
    case object(ObservedObject.Change, old: Snapshot)
    case realm(Realm.Notification)
    /// Something that isn't told: see `ObservationKind.hearsSilence`.
    case silence
}

/// The objects of a query, in order, at a version.
struct FoundObjects: Sendable {
    let keys: OrderedKeys
    let version: UInt64

    init(_ query: ObservedQuery) {
        keys = query.keys
        version = query.snapshot.version
    }
}

/// The place in the file of a collection of values, which can be read at any version.
struct StoredCollection: Sendable {
    let column: Column
    let owner: ObjectKey
    /// Of a collection inside of a mixed value: which one, and where it was last seen.
    let nested: (id: UInt64, near: NestedSubscript)?

    /// Whether the object that it belongs to is there.
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

    /// Whether the property that holds it was set.
    func isTouched(by changes: VersionChanges) -> Bool {
        changes.isCompared || changes.tables[column.tableID]?.modified[column.id] != nil
            || changes.tables[column.tableID].map { !$0.deleted.isEmpty } ?? false
    }
}

/// Values that are sorted or the like, or lie inside of a mixed value: read anew where they can have changed.
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
        // What stands in another order has no places that could be set.
        if stages.isEmpty { out.joinReplaced() }
        return out.isEmpty ? nil : out
    }
}

extension CollectionChanges {
    /// Elements of which as many were taken from between two that stay as were put there count as set.
    mutating func joinReplaced() {
        var deleted: [Int] = []
        var inserted: [Int] = []
        var (d, i, new) = (0, 0, 0)
        var old = 0
        while d < deletions.count || i < insertions.count {
            // Those that stay up to the next gap.
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

/// A dictionary inside of a mixed value.
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
