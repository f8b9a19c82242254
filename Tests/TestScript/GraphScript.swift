public import FreeholdEngine
import TestRandom

/// A sequence of transactions, like `Script`, on objects that link to existing and missing objects, in a file whose
/// schema grows while other processes read it.
///
/// Object 0 holds the transaction's number.
public struct GraphScript: Sendable {
    public let seed: UInt64

    public init(seed: UInt64) { self.seed = seed }

    public static let tableName = "Node"
    static let ids: Int64 = 40
    /// The number of transactions after which the file gets a column and a table.
    static let growth: Int64 = 7

    public enum Step: Equatable, Sendable {
        case create(Int64)
        case delete(Int64)
        /// Links to it stay.
        case hide(Int64)
        case link(Int64, to: Int64)
        case append(Int64, [Int64])
        case removeFirst(Int64)
    }

    /// The expected content of the file. Links are primary keys, also those of missing objects.
    public struct Graph: Equatable, Sendable {
        public struct Node: Equatable, Sendable {
            public var next: Int64?
            public var many: [Int64] = []
        }

        public var number: Int64 = 0
        public var nodes: [Int64: Node] = [:]

        public init() {}

        /// Returns the graph without links to missing objects.
        public var shown: Graph {
            var out = self
            for (id, node) in nodes {
                if let next = node.next, nodes[next] == nil { out.nodes[id]!.next = nil }
                out.nodes[id]!.many = node.many.filter { nodes[$0] != nil }
            }
            return out
        }

        public mutating func apply(_ steps: [Step]) {
            number += 1
            for step in steps {
                switch step {
                case .create(let id): nodes[id] = Node()
                case .hide(let id): nodes[id] = nil
                case .delete(let id):
                    nodes[id] = nil
                    for (other, node) in nodes {
                        if node.next == id { nodes[other]!.next = nil }
                        nodes[other]!.many = node.many.filter { $0 != id }
                    }
                case .link(let id, let target): nodes[id]!.next = target
                case .append(let id, let targets): nodes[id]!.many += targets
                case .removeFirst(let id):
                    let many = nodes[id]!.many
                    if let index = many.firstIndex(where: { nodes[$0] != nil }) { nodes[id]!.many.remove(at: index) }
                }
            }
        }

        /// Reads the shown content of the file.
        public init(_ view: DataView) {
            guard let table = view.schema.table(named: GraphScript.tableName) else { return }
            let columns = GraphColumns(table)
            func id(_ key: ObjectKey) -> Int64 { view.readInt(columns.id, key) ?? .min }
            for key in view.keys(table) {
                if id(key) == 0 { number = view.readInt(columns.number, key) ?? .min }
                var node = Node()
                node.next = view.readLink(columns.next, key).map(id)
                node.many = view.listValues(columns.many, key).map {
                    if case .link(let key) = $0 { id(key) } else { .min }
                }
                nodes[id(key)] = node
            }
        }
    }

    /// Returns the steps of the next transaction.
    public func steps(on graph: Graph) -> [Step] {
        var random = SeededRandom(seed: seed &+ UInt64(graph.number + 1) &* 0x9E37_79B9)
        var after = graph
        var steps: [Step] = graph.nodes[0] == nil ? [.create(0)] : []
        after.apply(steps)
        func any() -> Int64 { 1 + Int64(random.below(Int(Self.ids))) }
        for _ in 0..<2 + random.below(10) {
            let there = after.nodes.keys.sorted()
            let one = there[random.below(there.count)]
            let step: Step
            switch random.below(10) {
            case 0, 1, 2:
                let id = any()
                if after.nodes[id] != nil { continue }
                step = .create(id)
            case 3:
                if one == 0 { continue }
                step = .delete(one)
            case 4:
                if one == 0 { continue }
                step = .hide(one)
            case 5, 6: step = .link(one, to: any())
            case 7, 8: step = .append(one, (0..<1 + random.below(5)).map { _ in any() })
            default: step = .removeFirst(one)
            }
            after.apply([step])
            steps.append(step)
        }
        return steps
    }

    /// Runs the next transaction's steps, and extends the schema at the right number.
    public func run(_ steps: [Step], _ number: Int64, in transaction: WriteTransaction) throws(EngineError) {
        var columns = [
            ColumnSpec("id", .int), ColumnSpec("number", .int),
            ColumnSpec("next", .link, optional: true, target: Self.tableName),
            ColumnSpec("many", .link, collection: .list, target: Self.tableName),
        ]
        if number % Self.growth == 0 { columns.append(ColumnSpec("more \(number)", .string)) }
        var specs = [TableSpec(Self.tableName, columns: columns, primaryKey: "id")]
        if number % Self.growth == 0 { specs.append(TableSpec("More \(number)", columns: [ColumnSpec("x", .int)])) }
        if transaction.schema.table(named: Self.tableName) == nil || number % Self.growth == 0 {
            try transaction.extendSchema(specs)
        }
        let table = transaction.schema.table(named: Self.tableName)!
        let names = GraphColumns(table)
        func key(_ id: Int64) -> ObjectKey { transaction.find(primaryKey: .int(id), in: table)! }
        for step in steps {
            switch step {
            case .create(let id): _ = try transaction.create(table, primaryKey: .int(id))
            case .delete(let id): transaction.delete(table, key(id))
            case .hide(let id): try transaction.deleteLeavingPlaceholder(table, key(id))
            case .link(let id, let target):
                let link = try transaction.reference(to: table, primaryKey: .int(target))
                try transaction.setStored(names.next, key(id), to: .link(link))
            case .append(let id, let targets):
                var links: [Value] = []
                for target in targets {
                    links.append(.link(try transaction.reference(to: table, primaryKey: .int(target))))
                }
                let count = transaction.storedCount(names.many, key(id))
                try transaction.storedListInsert(names.many, key(id), at: count, values: links)
            case .removeFirst(let id):
                transaction.resolvePlaceholders()
                if transaction.listCount(names.many, key(id)) > 0 {
                    try transaction.listRemove(names.many, key(id), at: 0)
                }
            }
        }
        try transaction.set(names.number, key(0), to: .int(number))
    }

    /// Commits the next transaction of a file with the graph.
    public func commit(to database: Database, _ graph: inout Graph) throws(EngineError) {
        let steps = steps(on: graph)
        let transaction = try database.beginWrite()
        try run(steps, graph.number + 1, in: transaction)
        _ = try transaction.commit()
        graph.apply(steps)
    }
}

private struct GraphColumns {
    let id, number, next, many: Column

    init(_ table: Table) {
        id = table.column(named: "id")!
        number = table.column(named: "number")!
        next = table.column(named: "next")!
        many = table.column(named: "many")!
    }
}
