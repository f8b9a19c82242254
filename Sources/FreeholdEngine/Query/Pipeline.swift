/// A query's stages in an equivalent form that costs less: conditions as early as can be, sorts and windows merged.
struct Pipeline {
    enum Step {
        case filter(Predicate)
        /// The first key matters most.
        case sort([SortKey])
        case distinct([PropertyPath])
        case window(Window)
    }

    let table: Table
    let source: RowQuery.Source
    private let choice: AccessPlan.Choice
    /// What holds for every object of the source that goes on.
    private(set) var predicate = Predicate.constant(true)
    private(set) var steps: [Step] = []

    init(_ query: RowQuery) {
        table = query.table
        source = query.source
        choice = query.choice
        var rest = query.stages[...]
        while let stage = rest.popFirst() {
            guard case .sort(var keys) = stage, case .sort? = rest.first else {
                add(stage)
                continue
            }
            // A run of sorts is put together at once, however long it is.
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
            // Sorts are stable, so that the later one is the primary one of both.
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

    /// A condition leaves the order of the others alone, so that it can come before a sort, but not before what counts
    /// or compares objects.
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

    /// - Parameter isCount: only the number of rows is asked for.
    func rows(in view: DataView, isCount: Bool = false, recorder: PlanRecorder? = nil) -> RowSource {
        var rows = origin(in: view, isCount: isCount && steps.isEmpty, recorder)
        for (i, step) in steps.enumerated() {
            switch step {
            case .filter(let condition): rows = .keys(filtered(rows.keys(), condition, view))
            case .sort(let keys): rows = .keys(sorted(rows, keys, limit: end(after: i), view, recorder))
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
                    predicate,
                    wanted: end(after: -1),
                    isCount: isCount,
                    choice: choice,
                    recorder: recorder
                )
            )
        case .keys(let keys): .keys(filtered(keys, predicate, view))
        }
    }

    private func sorted(
        _ rows: RowSource,
        _ sort: [SortKey],
        limit: Int?,
        _ view: DataView,
        _ recorder: PlanRecorder?
    ) -> [ObjectKey] {
        if limit != 0, case .scan(let source) = rows, let keys = source.ordered(by: sort, limit: limit) { return keys }
        let sorted = RowSorter(view: view, sort: sort).sorted(rows, limit: limit)
        recorder?.addSort(sort, found: sorted.count)
        return sorted
    }

    /// How many of the i-th step's objects the next one looks at; nil: all.
    private func end(after i: Int) -> Int? {
        if i + 1 < steps.count, case .window(let window) = steps[i + 1] { window.end } else { nil }
    }

    /// Those that meet the condition, in their order.
    private func filtered(_ keys: [ObjectKey], _ condition: Predicate, _ view: DataView) -> [ObjectKey] {
        if case .constant(true) = condition { return keys }
        // Row by row a condition costs several times what it does cluster by cluster.
        guard keys.count > view.count(table) / 8 else {
            let node = Planner(view: view).node(condition, table)
            return keys.filterWithinLimit { node.test($0) }
        }
        let set = KeySet(table, in: view)
        QuerySource(view, table, condition).forEach { set.insert($0) }
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
                // Which of equal objects is kept doesn't matter.
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
        var fold = ColumnFold(aggregate, path.column!, view)
        rows.fold(path, into: &fold, view)
        return fold.result
    }

    /// Without a sort at the end.
    var unsorted: Pipeline {
        var plan = self
        if case .sort? = plan.steps.last { plan.steps.removeLast() }
        return plan
    }
}

/// A run of positions: of what is there from `offset` on, at most `limit`.
struct Window {
    var offset = 0
    var limit: Int?

    init(offset: Int = 0, limit: Int? = nil) {
        self.offset = max(0, offset)
        self.limit = limit.map { max(0, $0) }
    }

    /// The first position that isn't looked at; nil: there is none.
    var end: Int? {
        guard let limit else { return nil }
        let (end, overflow) = offset.addingReportingOverflow(limit)
        return overflow ? nil : end
    }

    /// Of what this gives, another window.
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
