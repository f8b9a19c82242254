extension RowQuery {
    /// Runs the query and returns its plan: the indexes that were used, the number of objects that were examined, and the duration.
    ///
    /// - Complexity: like `keys`, and slightly slower because rows are counted.
    public func explain(in view: DataView) -> QueryPlan {
        let recorder = PlanRecorder()
        var plan = QueryPlan()
        plan.duration = ContinuousClock().measure {
            plan.matches = Pipeline(self).rows(in: view, recorder: recorder).keys().count
        }
        plan.steps = recorder.steps
        return plan
    }
}

extension PlanRecorder {
    /// The number of objects in the result of the previous step.
    private var last: Int { steps.last { $0.depth == 0 }?.matches ?? 0 }

    func addSort(_ sort: [SortKey], found: Int) {
        let names = sort.map { key in
            (key.distance == nil ? key.path.written : "distance of \(key.path.written)")
                + (key.ascending ? "" : " descending")
        }
        let rows = last
        add(.sort, names.joined(separator: ", "), estimate: rows, examined: rows, matches: found)
    }

    /// Adds a step of a pipeline. Sorts add their steps themselves.
    func add(_ step: Pipeline.Step, found: Int) {
        let rows = last
        switch step {
        case .sort: break
        case .filter: add(.filter, estimate: rows, examined: rows, matches: found)
        case .distinct(let paths):
            let names = paths.map(\.written).joined(separator: ", ")
            add(.distinct, names, estimate: rows, examined: rows, matches: found)
        case .window(let window):
            let operation: QueryPlan.Operation = window.limit == nil ? .offset : .limit
            add(operation, estimate: found, examined: 0, matches: found)
        }
    }
}

extension PropertyPath {
    /// The path as text, such as `dog.name`.
    fileprivate var written: String {
        let names = steps.map { step in
            switch step {
            case .link(let column), .element(let column, _): column.name
            case .backlink(let column): "@links.\(column.name)"
            }
        }
        return (names + [column?.name ?? "self"]).joined(separator: ".")
    }
}
