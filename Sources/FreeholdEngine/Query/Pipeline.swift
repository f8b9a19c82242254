/// The stages of a query in an equivalent form that costs less: conditions are moved forward, and sorts and windows are merged.
struct Pipeline {
    enum Step {
        case filter(Predicate)
        /// A sort. The first key is the primary one.
        case sort([SortKey])
        case distinct([PropertyPath])
        case window(Window)
    }

    let table: Table
    let source: RowQuery.Source
    private let choice: AccessPlan.Choice
    private let uses: IndexUses?
    /// The condition on the objects of the source. Only matching objects enter the steps.
    private(set) var predicate = Predicate.constant(true)
    private(set) var steps: [Step] = []

    init(_ query: RowQuery) {
        table = query.table
        source = query.source
        choice = query.choice
        uses = query.uses
        var rest = query.stages[...]
        while let stage = rest.popFirst() {
            guard case .sort(var keys) = stage, case .sort? = rest.first else {
                add(stage)
                continue
            }
            // Successive sorts are merged at once, so that a long run of them takes linear time.
            var run = [keys]
            while case .sort(let next)? = rest.first {
                run.append(next)
                rest.removeFirst()
            }
            keys = run.reversed().flatMap { $0 }
            add(.sort(keys))
        }
    }

    private mutating func add(_ stage: Stage) {
        switch stage {
        case .filter(let condition): add(condition)
        case .sort(let keys):
            if keys.isEmpty { return }
            // Sorts are stable, so the keys of a later sort precede those of an earlier one.
            if case .sort(let earlier)? = steps.last {
                steps[steps.count - 1] = .sort(keys + earlier)
            } else {
                steps.append(.sort(keys))
            }
        case .distinct(let paths): if !paths.isEmpty { steps.append(.distinct(paths)) }
        case .limit(let n): add(Window(limit: n))
        case .offset(let n): add(Window(offset: n))
        }
    }

    /// Adds a condition. It may move before a sort, because it doesn't change the order, but not before a step that counts or compares objects.
    private mutating func add(_ condition: Predicate) {
        if case .constant(true) = condition { return }
        var at = steps.count
        if case .sort? = steps.last { at -= 1 }
        if at == 0 {
            predicate = predicate.and(condition)
        } else if case .filter(let earlier) = steps[at - 1] {
            steps[at - 1] = .filter(earlier.and(condition))
        } else {
            steps.insert(.filter(condition), at: at)
        }
    }

    private mutating func add(_ window: Window) {
        if case .window(let earlier)? = steps.last {
            steps[steps.count - 1] = .window(earlier.then(window))
        } else {
            steps.append(.window(window))
        }
    }

    // MARK: Running

    /// - Parameter isCount: whether only the number of rows is needed.
    func rows(in view: DataView, isCount: Bool = false, recorder: PlanRecorder? = nil) -> RowSource {
        var rows = origin(in: view, isCount: isCount && steps.isEmpty, recorder)
        for (i, step) in steps.enumerated() {
            switch step {
            case .filter(let condition): rows = .keys(filtered(rows.keys(), condition, in: view))
            case .sort(let keys): rows = .keys(sorted(rows, keys, limit: end(after: i), in: view, recorder: recorder))
            case .distinct(let paths):
                var distinct = DistinctRows(paths, in: view)
                rows = .keys(distinct.first(of: rows, limit: end(after: i)))
            case .window(let window): rows = .keys(rows.keys(in: window))
            }
            if let recorder, case .keys(let keys) = rows { recorder.add(step, found: keys.count) }
        }
        return rows
    }

    private func origin(in view: DataView, isCount: Bool, _ recorder: PlanRecorder?) -> RowSource {
        switch source {
        case .table:
            .scan(
                QuerySource(
                    view,
                    table,
                    predicate: predicate,
                    wanted: end(after: -1),
                    isCount: isCount,
                    choice: choice,
                    recorder: recorder,
                    uses: uses
                )
            )
        case .keys(let keys): .keys(filtered(keys, predicate, in: view))
        }
    }

    private func sorted(
        _ rows: RowSource,
        _ sort: [SortKey],
        limit: Int?,
        in view: DataView,
        recorder: PlanRecorder?
    ) -> [ObjectKey] {
        if limit != 0, case .scan(let source) = rows, let keys = source.ordered(by: sort, limit: limit) { return keys }
        let sorted = RowSorter(view: view, sort: sort).sorted(rows, limit: limit)
        recorder?.addSort(sort, found: sorted.count)
        return sorted
    }

    /// Returns the number of objects of the i-th step that the next step reads, or `nil` for all objects.
    private func end(after i: Int) -> Int? {
        if i + 1 < steps.count, case .window(let window) = steps[i + 1] { window.end } else { nil }
    }

    /// Returns the objects that meet the condition, in their order.
    private func filtered(_ keys: [ObjectKey], _ condition: Predicate, in view: DataView) -> [ObjectKey] {
        if case .constant(true) = condition { return keys }
        // The check of a single row costs several times as much as a row in the scan of a cluster.
        guard keys.count > view.count(table) / 8 else {
            let node = Planner(view: view).node(condition, table)
            return keys.filterWithinLimit { node.test($0) }
        }
        let set = KeySet(table, in: view)
        QuerySource(view, table, predicate: condition, uses: uses).forEach { set.insert($0) }
        return keys.filter { set.contains($0) }
    }

    func count(in view: DataView) -> Int {
        var plan = self
        var windows: [Window] = []
        loop: while let last = plan.steps.last {
            switch last {
            case .sort: break
            case .window(let window): windows.append(window)
            case .distinct:
                // The result doesn't depend on which of the equal objects is kept.
                if plan.steps.count > 1, case .sort = plan.steps[plan.steps.count - 2] {
                    plan.steps.remove(at: plan.steps.count - 2)
                }
                break loop
            case .filter: break loop
            }
            plan.steps.removeLast()
        }
        return windows.reversed().reduce(plan.rows(in: view, isCount: true).count()) { $1.count(of: $0) }
    }

    func first(in view: DataView) -> ObjectKey? {
        var plan = self
        plan.add(Window(limit: 1))
        return plan.rows(in: view).keys().first
    }

    func aggregate(_ aggregate: Aggregate, _ path: PropertyPath, in view: DataView) -> Value {
        let rows = unsorted.rows(in: view)
        if case .scan(let source) = rows, let extreme = source.extreme(aggregate, path) { return extreme }
        var fold = ColumnFold(aggregate, path.column!, in: view)
        rows.fold(path, into: &fold, view)
        return fold.result
    }

    /// The pipeline without a sort at its end.
    var unsorted: Pipeline {
        var plan = self
        if case .sort? = plan.steps.last { plan.steps.removeLast() }
        return plan
    }
}

/// A range of positions: at most `limit` positions from `offset` on.
struct Window {
    var offset = 0
    var limit: Int?

    init(offset: Int = 0, limit: Int? = nil) {
        self.offset = max(0, offset)
        self.limit = limit.map { max(0, $0) }
    }

    /// The end of the range, or `nil` if it is unlimited.
    var end: Int? {
        guard let limit else { return nil }
        let (end, overflow) = offset.addingReportingOverflow(limit)
        return overflow ? nil : end
    }

    /// Returns the window that results from applying another window to this one's result.
    func then(_ next: Window) -> Window {
        let (start, overflow) = offset.addingReportingOverflow(next.offset)
        guard let limit else { return Window(offset: overflow ? .max : start, limit: next.limit) }
        let rest = max(0, limit - next.offset)
        return Window(offset: overflow ? .max : start, limit: min(rest, next.limit ?? rest))
    }

    func count(of total: Int) -> Int {
        let rest = max(0, total - offset)
        return min(rest, limit ?? rest)
    }

    func slice<T>(_ all: [T]) -> [T] {
        if offset == 0, (limit ?? .max) >= all.count { return all }
        return Array(all.dropFirst(offset).prefix(limit ?? .max))
    }
}

extension Predicate {
    func and(_ other: Predicate) -> Predicate {
        switch (self, other) {
        case (.constant(true), _): other
        case (.and(let a), .and(let b)): .and(a + b)
        case (.and(let a), _): .and(a + [other])
        default: .and([self, other])
        }
    }
}
