/// The comparison of a page of a bootstrap with the old and the new view of the session.
public struct PageWork: SlicedWork {
    private(set) var bootstrap: Bootstrap
    let page: ObjectPage
    /// The versions that the client has of objects with pending work.
    let held: [ObjectName: StreamVersion]
    /// The number of changes of `held` before the work began.
    let heldChanges: Int
    /// The queries whose failures the client has received. `nil` if failures aren't needed.
    private let known: Set<QueryPlace>?
    private let chunk: (bytes: UInt64, objects: Int)

    /// A Boolean value that indicates whether the waiting updates fill a chunk.
    private(set) var isFull = false
    private(set) var failures: [QueryPlace: ConditionError] = [:]
    private var index = 0
    /// A Boolean value that indicates whether the failures of the object at the index are known.
    private var isChecked = false
    /// The membership of the object at the index in the old view, as soon as it is known.
    private var was: View.Membership?

    init(_ bootstrap: Bootstrap, page: ObjectPage, of session: Session, configuration: ServerConfiguration) {
        (self.bootstrap, self.page, held) = (bootstrap, page, session.held)
        chunk = (configuration.chunkBytes, max(configuration.chunkObjects, 1))
        heldChanges = session.heldChanges
        let isAsked = bootstrap.new.canFail && !bootstrap.isComparison
        known = isAsked ? session.knownFailures(of: bootstrap.queries.version) : nil
    }

    /// A Boolean value that indicates whether all objects of the page were compared.
    var isWhole: Bool { index == page.objects.count }

    mutating func run(_ slice: inout WorkSlice) -> ServerWorkResult? {
        while index < page.objects.count {
            let (name, object) = page.objects[index]
            if let known, object.isAlive, !isChecked {
                let all = known.union(failures.keys)
                guard
                    let new = slice.measure({ bootstrap.new.failures(name, object.contents, except: all, budget: &$0) })
                else { return nil }
                failures.merge(new) { first, _ in first }
                isChecked = true
            }
            if was == nil {
                was =
                    bootstrap.old == nil
                    ? .hidden : slice.measure { bootstrap.old!.membership(name, object, budget: &$0) }
            }
            guard let was, let isIn = slice.measure({ bootstrap.new.membership(name, object, budget: &$0) }) else {
                return nil
            }
            index += 1
            (self.was, isChecked) = (nil, false)
            bootstrap.last = name.key
            if case .exceeded(let place) = isIn, !bootstrap.isComparison { failures[place] = .tooExpensive }
            let before = bootstrap.waitingBytes
            bootstrap.add(
                name,
                object,
                (was.isShown, isIn.isShown),
                held: held[name],
                horizon: page.horizon
            )
            slice.charge(Int(clamping: (bootstrap.waitingBytes - before) >> 4))
            isFull = bootstrap.waitingBytes >= chunk.bytes || bootstrap.waiting.count >= chunk.objects
            if isFull { break }
        }
        return .page(self)
    }
}

extension Bootstrap {
    /// Adds an object to the checksums, and to the next chunk if the client doesn't have its present state.
    ///
    /// - Parameter membership: Whether the old view and the new view show the object.
    fileprivate mutating func add(
        _ name: ObjectName,
        _ object: MergedObject,
        _ membership: (was: Bool, isIn: Bool),
        held: StreamVersion?,
        horizon: StreamVersion
    ) {
        let version = new.version(name, object)
        if membership.isIn, let index = sums.firstIndex(where: { $0.className == name.className }) {
            sums[index].add(name.key, version: version)
        }
        if let skips, name <= skips { return }
        guard membership.isIn else {
            if membership.was {
                var update = ObjectUpdate(name.key, .erased)
                if new.showsStates { update.before = object.fields(old?.mask(of: name.className)) }
                wait(for: name, update)
            }
            return
        }
        let origin = WaitingUpdate.Origin(object: object, was: membership.was, held: held, horizon: horizon)
        guard let update = update(name, origin, version: version, held: held) else { return }
        let isDifference = if case .difference = update.content { true } else { false }
        wait(for: name, update, isDifference ? origin : nil)
    }

    private mutating func wait(for name: ObjectName, _ update: ObjectUpdate, _ origin: WaitingUpdate.Origin? = nil) {
        waiting.append(WaitingUpdate(name: name, update: update, origin: origin))
        waitingBytes += update.estimatedSize
        // The object itself is kept in memory, too.
        if let origin { waitingBytes = waitingBytes.addingOrMax(UInt64(origin.object.estimatedBytes)) }
    }

    /// Returns the chunk of the waiting updates. Returns `nil` if the client needs no chunk.
    ///
    /// Its range and its position only name keys that the client has.
    ///
    /// - Parameters:
    ///   - isLast: A Boolean value that indicates whether the chunk ends the class.
    ///   - held: The versions that the client has now.
    mutating func nextChunk(
        of className: SyncString,
        isLast: Bool,
        _ held: [ObjectName: StreamVersion]
    ) -> BootstrapChunk? {
        let updates = waiting.compactMap { entry in
            let current = held[entry.name]
            guard let origin = entry.origin, origin.held != current else { return entry.update }
            // A message in between gave the client another version.
            return update(entry.name, origin, version: new.version(entry.name, origin.object), held: current)
        }
        let skipped = skips?.className == className ? skips?.key : nil
        let (after, through) = (sent ?? skipped, waiting.last?.name.key)
        (waiting, waitingBytes, sent) = ([], 0, isLast ? nil : through)
        if isLast, let skips, skips.className > className { return nil }
        guard !updates.isEmpty || coversRanges else { return nil }
        return BootstrapChunk(
            classes: updates.isEmpty ? [] : [ClassBatch(className: className, objects: updates)],
            covers: coversRanges ? [KeyRange(className: className, after: after, through: isLast ? nil : through)] : [],
            position: BootstrapPosition(
                cursor: cursor,
                queryVersion: queries.version,
                last: ObjectName(className, through ?? after ?? .null)
            )
        )
    }

    /// Returns the update for an object of the new view. Returns `nil` if the client has its present state.
    ///
    /// - Parameters:
    ///   - version: The version of the last visible change in the new view.
    ///   - held: The version that the client has in addition to its view.
    private func update(
        _ name: ObjectName,
        _ origin: WaitingUpdate.Origin,
        version: StreamVersion,
        held: StreamVersion?
    ) -> ObjectUpdate? {
        let (object, was, horizon) = (origin.object, origin.was, origin.horizon)
        let mask = new.mask(of: name.className)
        let isShown = old.map { $0.mask(of: name.className) == mask } ?? isShown
        if was, isShown { return nil }
        if new.showsStates {
            var update = object.update(name.key, object.whole(mask), mask: mask)
            if was { update.before = object.fields(old?.mask(of: name.className)) }
            return update
        }
        if was, let old {
            // The client has the last state that the old view showed.
            let (held, shown) = (old.version(name, object), old.mask(of: name.className) ?? .all)
            guard version >= held else { return object.update(name.key, object.whole(mask), mask: mask) }
            return object.update(name.key, object.difference(since: held, shown: shown, mask), mask: mask)
        }
        if let held, held >= object.born, held >= horizon, version >= held {
            let content =
                isShown
                ? object.difference(since: held, mask) : object.difference(since: held, shown: nil, mask)
            return object.update(name.key, content, mask: mask)
        }
        if coversRanges, isShown, version <= trusted { return ObjectUpdate(name.key, .present(version: version)) }
        return object.update(name.key, object.whole(mask), mask: mask)
    }
}

/// The comparison of single objects with a view, for a client that requests them by name.
public struct FetchWork: SlicedWork {
    let view: View
    private let names: [ObjectName]
    private let found: [ObjectName: MergedObject]
    private var index = 0
    private(set) var updates: [(SyncString, ObjectUpdate)] = []

    init(_ view: View, _ names: [ObjectName], _ found: [ObjectName: MergedObject]) {
        (self.view, self.names, self.found) = (view, names, found)
    }

    mutating func run(_ slice: inout WorkSlice) -> ServerWorkResult? {
        while index < names.count {
            let name = names[index]
            let object = found[name]
            guard let membership = slice.measure({ view.membership(name, object, budget: &$0) }) else { return nil }
            index += 1
            let update = membership.isShown ? object.map { view.whole(name, $0) } : nil
            if let update { slice.charge(Int(clamping: update.estimatedSize >> 4)) }
            updates.append((name.className, update ?? ObjectUpdate(name.key, .erased)))
        }
        return .fetch(self)
    }
}

/// The compilation of query sets to views.
public struct ViewsWork: SlicedWork {
    private let queries: [Queries]
    private let make: @Sendable (Queries) -> View
    private(set) var views: [View] = []

    init(_ queries: [Queries], _ make: @escaping @Sendable (Queries) -> View) {
        (self.queries, self.make) = (queries, make)
    }

    mutating func run(_ slice: inout WorkSlice) -> ServerWorkResult? {
        while views.count < queries.count {
            let next = queries[views.count]
            guard slice.begin(next.steps) else { return nil }
            views.append(make(next))
        }
        return .views(self)
    }
}

extension Queries {
    /// The size of all conditions in bytes.
    var bytes: Int { queries.reduce(0) { $0 + $1.condition.string.utf8.count + $1.className.string.utf8.count } }

    /// The number of steps to compile the conditions.
    var steps: Int { queries.count * 64 + bytes * 4 }
}
