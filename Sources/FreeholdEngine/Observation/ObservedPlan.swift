/// How a query is followed from version to version.
struct ObservedPlan: Sendable {
    /// How the rows before the window come to their order.
    enum Order: Sendable {
        /// By key.
        case table
        case sorted([SortKey])
        /// As running the query gives them.
        case run
    }

    let query: RowQuery
    let origin: ObservedQuery.Origin
    let order: Order
    /// What is looked at of the rows; nil: all.
    private let lastWindow: Window?
    /// What the conditions read.
    let conditions: WatchTree
    /// What the order, and stages that aren't followed step by step, read besides.
    let ordering: WatchTree
    let watch: ModificationWatch
    private let limits: ObservationLimits

    init(
        _ query: RowQuery,
        _ origin: ObservedQuery.Origin,
        _ watched: WatchedPaths,
        _ schema: DatabaseSchema,
        _ limits: ObservationLimits
    ) {
        let pipeline = Pipeline(query)
        var conditions = WatchTree(query.table)
        var ordering = conditions
        conditions.add(pipeline.predicate)
        var steps = pipeline.steps[...]
        var order = Order.table
        if case .sort(let sort)? = steps.first {
            order = .sorted(sort)
            for key in sort { ordering.add(key) }
            steps = steps.dropFirst()
        }
        var lastWindow: Window?
        if case .window(let window)? = steps.first {
            lastWindow = window
            steps = steps.dropFirst()
        }
        if !steps.isEmpty || origin != .table {
            order = .run
            lastWindow = nil
            ordering = WatchTree(query.table)
            for step in pipeline.steps {
                switch step {
                case .filter(let condition): ordering.add(condition)
                case .sort(let sort): for key in sort { ordering.add(key) }
                case .distinct(let paths): for path in paths { ordering.add(path) }
                case .window: break
                }
            }
        }
        var rows = query
        if lastWindow != nil {
            rows.stages = [.filter(pipeline.predicate)]
            if case .sorted(let sort) = order { rows.stages.append(.sort(sort)) }
        }
        self.query = rows
        self.origin = origin
        self.order = order
        self.lastWindow = lastWindow
        self.conditions = conditions
        self.ordering = ordering
        self.limits = limits
        watch = ModificationWatch(watched, query.table, in: schema, limits: limits)
    }

    /// Returns the rows before the window.
    func run(in view: Snapshot) -> OrderedKeys {
        var query = query
        if origin != .table { query.source = origin.source(in: view) }
        return OrderedKeys(query.keys(in: view))
    }

    // MARK: Windows

    /// Returns the part of the rows that is looked at.
    func window(_ rows: OrderedKeys) -> OrderedKeys {
        lastWindow == nil ? rows : rows.slice(range(of: rows.count))
    }

    private func range(of count: Int) -> Range<Int> {
        guard let lastWindow else { return 0..<count }
        let start = min(lastWindow.offset, count)
        return start..<start + lastWindow.count(of: count)
    }

    /// The same of changes: what is pushed out is deleted, what moves up is inserted. - Complexity: O(changes · log).
    func window(
        _ old: OrderedKeys,
        _ new: OrderedKeys,
        _ changes: CollectionChanges
    ) -> (OrderedKeys, CollectionChanges) {
        guard lastWindow != nil else { return (new, changes) }
        let before = range(of: old.count)
        let after = range(of: new.count)
        var out = CollectionChanges()
        var gone = Set(changes.deletions.filter { before.contains($0) })
        var come = Set(changes.insertions.filter { after.contains($0) })
        // What stayed keeps its order, so that only runs at the ends leave or come.
        func leaves(_ i: Int) -> Bool { gone.contains(i) || !after.contains(changes.newIndex(ofOld: i)) }
        func comes(_ i: Int) -> Bool { come.contains(i) || !before.contains(changes.oldIndex(ofNew: i)) }
        for i in before {
            guard leaves(i) else { break }
            gone.insert(i)
        }
        for i in before.reversed() {
            guard leaves(i) else { break }
            gone.insert(i)
        }
        for i in after {
            guard comes(i) else { break }
            come.insert(i)
        }
        for i in after.reversed() {
            guard comes(i) else { break }
            come.insert(i)
        }
        out.deletions = gone.map { $0 - before.lowerBound }.sorted()
        out.insertions = come.map { $0 - after.lowerBound }.sorted()
        for (i, j) in zip(changes.modifications, changes.modificationsNew)
        where before.contains(i) && after.contains(j) {
            out.modifications.append(i - before.lowerBound)
            out.modificationsNew.append(j - after.lowerBound)
        }
        return (new.slice(after), out)
    }

    // MARK: From version to version

    /// Returns the rows at the new version, and how they changed.
    func advance(
        _ rows: OrderedKeys,
        from old: Snapshot,
        to new: Snapshot,
        _ changes: VersionChanges
    ) -> (OrderedKeys, CollectionChanges) {
        let limit = limits.rerun(rows.count)
        let places = places(old)
        let moved: (OrderedKeys, CollectionChanges)
        if let touched = touched(by: changes, in: new, limit: limit) {
            let touched = narrowed(touched, old, new)
            if touched.isEmpty {
                moved = (rows, CollectionChanges())
            } else if let places, let after = self.places(new) {
                moved = RowStep(self, rows, new, before: places, after: after).advance(touched)
            } else {
                moved = rerun(rows, new)
            }
        } else {
            moved = rerun(rows, new)
        }
        var out = moved.1
        let modified = watch.affected(by: changes, in: new, elements: rows.count) { rows.array }
        if !modified.isEmpty { out.setModifications(positions(of: modified, in: rows, places, old)) }
        return (moved.0, out)
    }

    private func rerun(_ rows: OrderedKeys, _ new: Snapshot) -> (OrderedKeys, CollectionChanges) {
        let next = run(in: new)
        if case .table = order { return (next, SequenceDifference.changes(rising: rows, next)) }
        return (next, SequenceDifference.changes(from: rows, to: next))
    }

    /// What a query's result can depend on of some changes.
    struct Touched {
        /// Objects that are new.
        var inserted: [ObjectKey] = []
        var deleted: [ObjectKey] = []
        /// Objects of both versions that may have come under the conditions, or no longer be.
        var tested: [ObjectKey] = []
        /// Objects of both versions whose place may be another.
        var ordered: [ObjectKey] = []
        /// A Boolean value that indicates whether the source itself may be another.
        var source = false

        var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && tested.isEmpty && ordered.isEmpty && !source }
    }

    /// Nil where it is too much to go through one by one.
    private func touched(by changes: VersionChanges, in view: Snapshot, limit: Int) -> Touched? {
        var out = Touched()
        if origin == .table, let delta = changes.tables[query.table.id] {
            out.inserted = delta.inserted
            out.deleted = delta.deleted
        }
        out.source = origin.isAffected(by: changes)
        guard out.inserted.count + out.deleted.count <= limit,
            let tested = conditions.affected(by: changes, in: view, limit: limit),
            let ordered = ordering.affected(by: changes, in: view, limit: limit)
        else { return nil }
        out.tested = survivors(tested, out.inserted, view)
        out.ordered = survivors(ordered, out.inserted, view)
        return out
    }

    /// For rows that can only be found by running the query: without objects that the first conditions keep out.
    private func narrowed(_ touched: Touched, _ old: Snapshot, _ new: Snapshot) -> Touched {
        guard case .run = order, !touched.source, !touched.isEmpty else { return touched }
        let condition = Pipeline(query).predicate
        let before = Planner(view: old).node(condition, query.table)
        let after = Planner(view: new).node(condition, query.table)
        var out = touched
        out.inserted.removeAll { !after.test($0) }
        out.deleted.removeAll { !before.test($0) }
        // New objects come into a collection by edits of it.
        out.tested.removeAll { !old.contains(query.table, $0) || before.test($0) == after.test($0) }
        out.ordered.removeAll { !old.contains(query.table, $0) || (!before.test($0) && !after.test($0)) }
        return out
    }

    /// Those of both versions.
    private func survivors(_ keys: [ObjectKey], _ inserted: [ObjectKey], _ view: Snapshot) -> [ObjectKey] {
        let first = inserted.first
        return keys.filter { key in
            if let first, key >= first { return false }
            return view.contains(query.table, key)
        }
    }

    /// Where these objects, which rise, are among the rows of the old state; all places of each.
    private func positions(
        of keys: [ObjectKey],
        in rows: OrderedKeys,
        _ places: RowPlaces?,
        _ old: Snapshot
    ) -> [Int] {
        if keys.count < max(16, rows.count / 16), let places {
            return keys.compactMap { old.contains(query.table, $0) ? places.position(of: $0, in: rows) : nil }
        }
        let wanted = KeySet(query.table, in: old)
        for key in keys { wanted.insert(key) }
        var out: [Int] = []
        rows.forEachPosition { i, key in if wanted.contains(key) { out.append(i) } }
        return out
    }

    /// How rows are found in one state, or `nil` if there is no order to find them by.
    func places(_ view: Snapshot) -> RowPlaces? {
        switch order {
        case .table: RowPlaces(order: nil)
        case .sorted(let sort): RowPlaces(order: RowOrder(sort, in: view))
        case .run: nil
        }
    }
}

/// Finds rows by their order in one state.
final class RowPlaces {
    /// Nil for the order of keys.
    private let order: RowOrder?
    private var found: [ObjectKey: Int?] = [:]

    init(order: RowOrder?) { self.order = order }

    func sorted<T>(_ rows: [T], by key: (T) -> ObjectKey) -> [T] {
        guard let order else { return rows.sorted { key($0) < key($1) } }
        let probes = rows.map { RowOrder.Probe(key($0)) }
        return rows.indices.sorted { order.isBefore(probes[$0].key, probes[$1]) }.map { rows[$0] }
    }

    /// How many rows come before an object.
    func rank(of key: ObjectKey, in rows: OrderedKeys) -> Int {
        guard let order else { return rows.partition { $0 < key } }
        let probe = RowOrder.Probe(key)
        return rows.partition { order.isBefore($0, probe) }
    }

    /// Returns the place of an object, always among the same rows.
    func position(of key: ObjectKey, in rows: OrderedKeys) -> Int? {
        if let known = found[key] { return known }
        let i = rank(of: key, in: rows)
        let position = i < rows.count && rows[i] == key ? i : nil
        found[key] = .some(position)
        return position
    }
}
