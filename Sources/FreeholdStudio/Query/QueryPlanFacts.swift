import FreeholdEngine

/// The plan of a query in messages, with the indexes that would have helped.
enum QueryPlanFacts {
    static func json(_ plan: QueryPlan, for query: RowQuery, in view: DataView) -> StudioJSON {
        [
            "steps": .array(
                plan.steps.map { step in
                    [
                        "operation": .string(step.operation.rawValue), "subject": .string(step.subject),
                        "expected": .int(step.estimate), "examined": .int(step.examined), "found": .int(step.matches),
                        "depth": .int(step.depth), "ms": .milliseconds(step.duration),
                    ]
                }
            ),
            "matches": .int(plan.matches), "examined": .int(plan.examined), "ms": .milliseconds(plan.duration),
            "hints": .array(hints(plan, query, view)),
        ]
    }

    /// The minimum number of scanned objects for which the page shows a hint.
    private static let manyObjects = 1_000

    private static func hints(_ plan: QueryPlan, _ query: RowQuery, _ view: DataView) -> [StudioJSON] {
        let isScan = plan.steps.contains {
            $0.operation == .scan && $0.examined >= manyObjects && $0.matches * 10 <= $0.examined
        }
        guard isScan else { return [] }
        var names: [String] = []
        for case .filter(let predicate) in query.stages {
            predicate.forEachIndexable { column in
                if column.tableID == query.table.id, !names.contains(column.name) { names.append(column.name) }
            }
        }
        return names.map { name in
            [
                "class": .string(query.table.name), "properties": [.string(name)],
                "text": .string(
                    "An index on '\(query.table.name).\(name)' would find these objects without reading the others."
                ),
            ]
        }
    }
}

extension Predicate {
    /// Calls the body with the columns of the conjunction whose conditions an index of values could answer.
    fileprivate func forEachIndexable(_ body: (Column) -> Void) {
        switch self {
        case .comparison(let path, let op, _):
            if op != .notEqual { path.indexable.map(body) }
        case .between(let path, _, _, _), .oneOf(let path, _): path.indexable.map(body)
        case .text(let path, let op, _, let options):
            if op == .equal || op == .beginsWith, options.isEmpty { path.indexable.map(body) }
        case .and(let all): for predicate in all { predicate.forEachIndexable(body) }
        default: break
        }
    }
}

extension PropertyPath {
    /// The column at the end of the path, if it can have an index of values and has none.
    fileprivate var indexable: Column? {
        guard steps.isEmpty, let column, column.collection == .none, !column.isPrimaryKey, column.indexKind == .none
        else {
            return nil
        }
        switch column.type {
        case .bool, .int, .string, .timestamp, .objectId, .uuid, .mixed: return column
        case .float, .double, .decimal128, .data, .link: return nil
        }
    }
}
