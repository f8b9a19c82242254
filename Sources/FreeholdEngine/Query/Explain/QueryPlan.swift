/// What a query did to find its objects: from `RowQuery.explain(in:)`.
///
/// ```swift
/// print(query.explain(in: snapshot))
/// // index on 'Person.age': about 120 expected, 118 looked at, 118 found
/// // conditions on the rows found: about 118 expected, 118 looked at, 7 found
/// // 7 objects, 236 rows looked at, 0.041 ms
/// ```
public struct QueryPlan: Sendable, CustomStringConvertible {
    /// What a step did.
    public enum Operation: String, Sendable, CaseIterable {
        /// Every object of the table was looked at, a cluster at a time.
        case scan
        /// An index of one or several properties gave the objects, or a primary key's.
        case index
        /// The objects that link to those found in another table, or to given ones.
        case backlinks
        case fullText
        case places
        /// The objects were given.
        case objects
        /// What all of the steps below it have in common.
        case intersection
        /// What any of the steps below it has.
        case union
        /// The conditions that no index answered, on the objects found so far.
        case check
        /// An index was walked in its order, so that nothing was sorted.
        case indexOrder
        case sort
        case distinct
        case limit
        case offset
        case filter
    }

    public struct Step: Sendable {
        public let operation: Operation
        /// The table or the properties, such as `Person` or `Person.age`.
        public let subject: String
        /// How many objects the planner expected it to give.
        public let estimate: Int
        /// Objects or index entries looked at.
        public let examined: Int
        /// Objects that came out.
        public let matches: Int
        /// 1 for a part of an intersection or union, and so on; else 0.
        public let depth: Int
    }

    public internal(set) var steps: [Step] = []
    /// How many objects came out in the end.
    public internal(set) var matches = 0
    /// How long it took, indexes and conditions, sorts and limits.
    public internal(set) var duration: Duration = .zero

    /// Of nothing.
    public init() {}

    /// Objects and index entries looked at, all steps together.
    public var examined: Int { steps.reduce(0) { $0 + $1.examined } }

    public var description: String {
        let lines = steps.map { step in
            let indent = String(repeating: "  ", count: step.depth)
            return "\(indent)\(step.title): about \(step.estimate) expected, \(step.examined) looked at, "
                + "\(step.matches) found"
        }
        let microseconds = duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
        let digits = String(1000 + microseconds % 1000).dropFirst()
        let last = "\(matches) objects, \(examined) rows looked at, \(microseconds / 1000).\(digits) ms"
        return (lines + [last]).joined(separator: "\n")
    }
}

extension QueryPlan.Step {
    fileprivate var title: String {
        switch operation {
        case .scan: "scan of '\(subject)'"
        case .index: "index on '\(subject)'"
        case .backlinks: "links of '\(subject)' followed back"
        case .fullText: "full-text index on '\(subject)'"
        case .places: "index of places on '\(subject)'"
        case .objects: "given objects"
        case .intersection: "intersection"
        case .union: "union"
        case .check: "conditions on the rows found"
        case .indexOrder: "order of the index on '\(subject)'"
        case .sort: "sort by '\(subject)'"
        case .distinct: "distinct '\(subject)'"
        case .limit: "limit"
        case .offset: "offset"
        case .filter: "filter"
        }
    }
}

/// Takes down what is done while a query is explained.
final class PlanRecorder {
    private(set) var steps: [QueryPlan.Step] = []
    /// Rows that plan nodes have looked at since it was last asked.
    var rows = 0

    func takeRows() -> Int {
        defer { rows = 0 }
        return rows
    }

    func add(
        _ operation: QueryPlan.Operation,
        _ subject: String = "",
        estimate: Int,
        examined: Int,
        matches: Int,
        depth: Int = 0
    ) {
        steps.append(
            QueryPlan.Step(
                operation: operation,
                subject: subject,
                estimate: estimate,
                examined: examined,
                matches: matches,
                depth: depth
            )
        )
    }

    /// Returns the node with a count of what it is asked.
    func counting(_ node: PlanNode, _ table: Table) -> PlanNode {
        node.constant == nil ? CountingNode(node, table, self) : node
    }
}

/// Only there while a query is explained.
private final class CountingNode: PlanNode {
    private let node: PlanNode
    private let table: Table
    private let recorder: PlanRecorder

    init(_ node: PlanNode, _ table: Table, _ recorder: PlanRecorder) {
        self.node = node
        self.table = table
        self.recorder = recorder
        super.init(view: node.view)
    }

    override var cost: Int { node.cost }

    override func fill(_ cluster: Int, _ mask: Mask, _ n: Int) {
        recorder.rows += view.liveCount(table, cluster: cluster)
        node.fill(cluster, mask, n)
    }

    override func test(_ key: ObjectKey) -> Bool {
        recorder.rows += 1
        return node.test(key)
    }
}
