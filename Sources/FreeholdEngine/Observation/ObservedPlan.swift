/// The plan by which the result of a query is updated from version to version.
struct ObservedPlan: Sendable {
    /// The order of the rows before the window.
    enum Order: Sendable {
        /// The ascending order of object keys.
        case table
        case sorted([SortKey])
        /// An order that only a new run of the query determines.
        case run
    }

    let query: RowQuery
    let origin: ObservedQuery.Origin
    let order: Order
    /// The window on the rows, or `nil` for all rows.
    private let lastWindow: Window?
    /// The columns and links that the conditions read.
    let conditions: WatchTree
    /// The columns and links that the sort keys read. For an order of the kind `run`, also those that all other stages read.
    let ordering: WatchTree
    let watch: ModificationWatch
    private let limits: ObservationLimits

    init(
        _ query: RowQuery,
        _ origin: ObservedQuery.Origin,
        watched: WatchedPaths,
        in schema: DatabaseSchema,
        limits: ObservationLimits
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

    /// Returns the rows without the window.
    func run(in view: Snapshot) -> OrderedKeys {
        var query = query
        if origin != .table { query.source = origin.source(in: view) }
        return OrderedKeys(query.keys(in: view))
    }

    // MARK: Windows

    /// Returns the rows inside the window.
    func window(_ rows: OrderedKeys) -> OrderedKeys {
        lastWindow == nil ? rows : rows.slice(range(of: rows.count))
    }

    private func range(of count: Int) -> Range<Int> {
        guard let lastWindow else { return 0..<count }
        let start = min(lastWindow.offset, count)
        return start..<start + lastWindow.count(of: count)
    }

    /// Returns the rows and changes inside the window. A row that leaves the window is deleted, and a row that enters it is inserted.
    /// - Complexity: O(changes · log(rows)).
    func window(
        from old: OrderedKeys,
        to new: OrderedKeys,
        changes: CollectionChanges
    ) -> (OrderedKeys, CollectionChanges) {
        guard lastWindow != nil else { return (new, changes) }
        let before = range(of: old.count)
        let after = range(of: new.count)
        var out = CollectionChanges()
        var gone = Set(changes.deletions.filter { before.contains($0) })
        var come = Set(changes.insertions.filter { after.contains($0) })
        // Rows that remain keep their order, so only runs at the ends leave or enter the window.
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

    /// Returns the rows of the new version and their changes.
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
            let touched = narrowed(touched, from: old, to: new)
            if touched.isEmpty {
                moved = (rows, CollectionChanges())
            } else if let places, let after = self.places(new) {
                moved = RowStep(self, rows, new: new, before: places, after: after).advance(touched)
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

    /// The parts of the changes on which a query's result can depend.
    struct Touched {
        /// The new objects.
        var inserted: [ObjectKey] = []
        var deleted: [ObjectKey] = []
        /// The objects of both versions for which the conditions may have a different result.
        var tested: [ObjectKey] = []
        /// The objects of both versions whose place may have changed.
        var ordered: [ObjectKey] = []
        /// A Boolean value that indicates whether the source itself may have changed.
        var source = false

        var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && tested.isEmpty && ordered.isEmpty && !source }
    }

    /// Returns `nil` if there are too many objects for single steps.
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
        out.tested = survivors(tested, inserted: out.inserted, in: view)
        out.ordered = survivors(ordered, inserted: out.inserted, in: view)
        return out
    }

    /// Returns the touched objects without those that the first conditions exclude, for rows that can be found only by running the query.
    private func narrowed(_ touched: Touched, from old: Snapshot, to new: Snapshot) -> Touched {
        guard case .run = order, !touched.source, !touched.isEmpty else { return touched }
        let condition = Pipeline(query).predicate
        let before = Planner(view: old).node(condition, query.table)
        let after = Planner(view: new).node(condition, query.table)
        var out = touched
        out.inserted.removeAll { !after.test($0) }
        out.deleted.removeAll { !before.test($0) }
        // New objects are added to a collection by its edits.
        out.tested.removeAll { !old.contains(query.table, $0) || before.test($0) == after.test($0) }
        out.ordered.removeAll { !old.contains(query.table, $0) || (!before.test($0) && !after.test($0)) }
        return out
    }

    /// Returns the objects that exist in both versions.
    private func survivors(_ keys: [ObjectKey], inserted: [ObjectKey], in view: Snapshot) -> [ObjectKey] {
        let first = inserted.first
        return keys.filter { key in
            if let first, key >= first { return false }
            return view.contains(query.table, key)
        }
    }

    /// Returns all positions of the objects, which are in ascending order, among the rows of the old state.
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

    /// Returns the search for rows in one state, or `nil` if the rows don't have an order for a search.
    func places(_ view: Snapshot) -> RowPlaces? {
        switch order {
        case .table: RowPlaces(order: nil)
        case .sorted(let sort): RowPlaces(order: RowOrder(sort, in: view))
        case .run: nil
        }
    }
}

/// A search for rows by their order in one state.
final class RowPlaces {
    /// The order, or `nil` for the order of keys.
    private let order: RowOrder?
    private var found: [ObjectKey: Int?] = [:]

    init(order: RowOrder?) { self.order = order }

    func sorted<T>(_ rows: [T], by key: (T) -> ObjectKey) -> [T] {
        guard let order else { return rows.sorted { key($0) < key($1) } }
        let probes = rows.map { RowOrder.Probe(key($0)) }
        return rows.indices.sorted { order.isBefore(probes[$0].key, probes[$1]) }.map { rows[$0] }
    }

    /// Returns the number of rows that precede an object.
    func rank(of key: ObjectKey, in rows: OrderedKeys) -> Int {
        guard let order else { return rows.partition { $0 < key } }
        let probe = RowOrder.Probe(key)
        return rows.partition { order.isBefore($0, probe) }
    }

    /// Returns the position of an object. The rows must be the same in all calls.
    func position(of key: ObjectKey, in rows: OrderedKeys) -> Int? {
        if let known = found[key] { return known }
        let i = rank(of: key, in: rows)
        let position = i < rows.count && rows[i] == key ? i : nil
        found[key] = .some(position)
        return position
    }
}
