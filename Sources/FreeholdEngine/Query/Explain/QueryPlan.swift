/// The steps by which a query found its objects, returned by `RowQuery.explain(in:)`.
///
/// ```swift
/// print(query.explain(in: snapshot))
/// // index on 'Person.age': about 120 expected, 118 looked at, 118 found
/// // conditions on the rows found: about 118 expected, 118 looked at, 7 found
/// // 7 objects, 236 rows looked at, 0.041 ms
/// ```
public struct QueryPlan: Sendable, CustomStringConvertible {
    /// The operation of a step.
    public enum Operation: String, Sendable, CaseIterable {
        /// Every object of the table was checked, cluster by cluster.
        case scan
        /// An index of one or several properties, or the index of a primary key, found the objects.
        case index
        /// The backlinks of given objects, or of objects found in another table, were followed.
        case backlinks
        case fullText
        case places
        /// The objects were given by the query.
        case objects
        /// The objects that all steps below it have in common.
        case intersection
        /// The objects of any of the steps below it.
        case union
        /// The remaining conditions, which no index answered, were checked for the objects found so far.
        case check
        /// An index was walked in its order, so sorting wasn't necessary.
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
        /// The number of objects that the planner expected.
        public let estimate: Int
        /// The number of objects or index entries that were examined.
        public let examined: Int
        /// The number of objects in the result of the step.
        public let matches: Int
        /// The nesting of the step: 1 for a part of an intersection or union, 2 for a part of such a part, and 0 for all other steps.
        public let depth: Int
        /// The time from the end of the previous step to the end of this one. A part of an intersection or union was run again to be measured.
        public let duration: Duration
    }

    public internal(set) var steps: [Step] = []
    /// The number of objects in the result of the query.
    public internal(set) var matches = 0
    /// The duration of the whole query, with index look-ups, conditions, sorts and limits.
    public internal(set) var duration: Duration = .zero

    /// Creates an empty plan.
    public init() {}

    /// The number of objects and index entries that all steps examined.
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

/// A recorder of the steps of a query that is explained.
final class PlanRecorder {
    private(set) var steps: [QueryPlan.Step] = []
    /// The number of rows that plan nodes have examined since the last step was recorded.
    var rows = 0
    private let clock = ContinuousClock()
    /// The time at which the last step was recorded.
    private var lastTime = ContinuousClock.now

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
        let now = clock.now
        defer { lastTime = now }
        steps.append(
            QueryPlan.Step(
                operation: operation,
                subject: subject,
                estimate: estimate,
                examined: examined,
                matches: matches,
                depth: depth,
                duration: now - lastTime
            )
        )
    }

    /// Returns a node that also counts the rows it examines.
    func counting(_ node: PlanNode, _ table: Table) -> PlanNode {
        node.constant == nil ? CountingNode(node, table, recorder: self) : node
    }
}

/// A node that counts rows. It is used only while a query is explained.
private final class CountingNode: PlanNode {
    private let node: PlanNode
    private let table: Table
    private let recorder: PlanRecorder

    init(_ node: PlanNode, _ table: Table, recorder: PlanRecorder) {
        self.node = node
        self.table = table
        self.recorder = recorder
        super.init(view: node.view)
    }

    override var cost: Int { node.cost }

    override func fill(_ cluster: Int, _ mask: Mask, count n: Int) {
        recorder.rows += view.liveCount(table, cluster: cluster)
        node.fill(cluster, mask, count: n)
    }

    override func test(_ key: ObjectKey) -> Bool {
        recorder.rows += 1
        return node.test(key)
    }
}
