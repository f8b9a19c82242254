import Testing

@testable import FreeholdEngine

/// Each column exists twice with the same values, with and without index. Every condition must find the same objects on
/// both, on any path of the planner.
struct IndexAccessTests {
    static let types: [(ColumnType, Bool)] = [
        (.bool, false), (.bool, true), (.int, false), (.int, true), (.string, false), (.string, true),
        (.timestamp, true), (.objectId, true), (.uuid, false), (.mixed, true),
    ]

    @Test(arguments: [(seed: 1, span: 3), (2, 16), (3, 100), (4, 1000)] as [(seed: UInt64, span: Int)])
    func `every condition finds the same objects with and without an index`(shape: (seed: UInt64, span: Int)) throws {
        var random = SeededRandom(seed: shape.seed)
        var options = Database.Options()
        options.mapSize = 1 << 30
        options.clusterSpan = shape.span
        let database = try Database.inMemory(identifier: "access-\(shape.seed)", options: options)
        let setup = try database.beginWrite()
        try setup.applySchema([Self.spec])
        _ = try setup.commit()
        for round in 0..<3 {
            let write = try database.beginWrite()
            try change(write, &random, rows: 60)
            try check(write, &random, "seed \(shape.seed) round \(round), transaction")
            let snapshot = try write.commit()
            expect(snapshot.verify().isEmpty, "seed \(shape.seed)")
            try check(snapshot, &random, "seed \(shape.seed) round \(round), snapshot")
        }
    }

    private static let spec = TableSpec(
        "P",
        columns: [ColumnSpec("id", .int)]
            + types.enumerated().flatMap { i, type in
                [
                    ColumnSpec("p\(i)", type.0, optional: type.1),
                    ColumnSpec("x\(i)", type.0, optional: type.1, indexed: true),
                ]
            } + [
                ColumnSpec("link", .link, optional: true, target: "P"),
                ColumnSpec("links", .link, collection: .list, target: "P"),
            ],
        primaryKey: "id"
    )

    private func value(_ type: (ColumnType, Bool), _ all: [ObjectKey], _ table: Table, _ random: inout SeededRandom)
        -> Value
    {
        let value = RandomDatabase.value(type.0, optional: type.1, &random)
        if case .objectLink = value {
            return .objectLink(ObjectLink(tableID: table.id, key: all.randomElement(using: &random) ?? ObjectKey(0)))
        }
        return value
    }

    private func change(_ write: WriteTransaction, _ random: inout SeededRandom, rows: Int) throws {
        let table = write.schema.table(named: "P")!
        let columns = table.columns
        for _ in 0..<rows {
            _ = try write.create(table, primaryKey: .int(Int64(write.tableState(table).nextKey) * 3))
        }
        let all = write.keys(table)
        for key in all where Bool.random(using: &random) {
            for (i, type) in Self.types.enumerated() {
                let value = value(type, all, table, &random)
                try write.set(columns[1 + 2 * i], key, to: value)
                try write.set(columns[2 + 2 * i], key, to: value)
            }
            let link = columns[columns.count - 2]
            if Bool.random(using: &random) { try write.set(link, key, to: .link(all.randomElement(using: &random)!)) }
            let some = (0..<Int.random(in: 0..<3, using: &random)).map { _ in
                Value.link(all.randomElement(using: &random)!)
            }
            try write.listAppend(columns.last!, key, values: some)
            // Halfway, so that some changes are pending and some are merged.
            if Int.random(in: 0..<20, using: &random) == 0 { _ = write.searchTree(columns[2]) }
        }
        for key in all where Int.random(in: 0..<8, using: &random) == 0 { write.delete(table, key) }
    }

    // MARK: Conditions

    /// The condition on the plain column and on the indexed one.
    private func condition(_ view: DataView, _ table: Table, _ random: inout SeededRandom) -> (Predicate, Predicate) {
        let columns = table.columns
        let i = Int.random(in: 0..<Self.types.count, using: &random)
        var type = Self.types[i]
        type.1 = true
        let all = view.keys(table)
        func constant() -> Value {
            // Now and then of another type.
            let any: (ColumnType, Bool) = (.mixed, true)
            return value(Int.random(in: 0..<8, using: &random) == 0 ? any : type, all, table, &random)
        }
        let (link, links) = (columns[columns.count - 2], columns[columns.count - 1])
        let steps: [PathStep] = [[], [], [], [.link(link)], [.link(links)], [.link(link), .link(links)]].randomElement(
            using: &random
        )!
        let plain = PropertyPath(steps, columns[1 + 2 * i])
        let indexed = PropertyPath(steps, columns[2 + 2 * i])
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1:
            let (op, value) = (Comparison.allCases.randomElement(using: &random)!, constant())
            return (.comparison(plain, op, value), .comparison(indexed, op, value))
        case 2:
            let value = constant()
            return (.comparison(plain, .equal, value), .comparison(indexed, .equal, value))
        case 3:
            let (a, b, isClosed) = (constant(), constant(), Bool.random(using: &random))
            return (
                .between(plain, lower: a, upper: b, isClosed: isClosed),
                .between(indexed, lower: a, upper: b, isClosed: isClosed)
            )
        case 4, 5:
            let values = (0..<Int.random(in: 0..<30, using: &random)).map { _ in constant() }
            return (.oneOf(plain, values), .oneOf(indexed, values))
        case 6:
            let op = StringOperator.withoutMatches.randomElement(using: &random)!
            var text = RandomDatabase.texts.randomElement(using: &random)!
            if op == .like {
                text = ["a*", "ab?*", "*b", "long*c ", "x", "?b*", text + "*"].randomElement(using: &random)!
            }
            let pattern: Value = Int.random(in: 0..<10, using: &random) == 0 ? .null : .string(text)
            let options: TextOptions = Int.random(in: 0..<4, using: &random) == 0 ? .ignoringCase : []
            return (.text(plain, op, pattern, options), .text(indexed, op, pattern, options))
        default:
            let path = [PropertyPath(link), PropertyPath(links), PropertyPath([.link(link)], nil)].randomElement(
                using: &random
            )!
            let target = Value.link(all.randomElement(using: &random)!)
            let same: Predicate =
                Bool.random(using: &random)
                ? .comparison(path, .equal, Int.random(in: 0..<5, using: &random) == 0 ? .null : target)
                : .oneOf(path, [target, .link(all.randomElement(using: &random)!), .null].shuffled(using: &random))
            return (same, same)
        }
    }

    private func pair(_ view: DataView, _ table: Table, _ random: inout SeededRandom, depth: Int) -> (
        Predicate, Predicate
    ) {
        guard depth > 0, Int.random(in: 0..<3, using: &random) > 0 else { return condition(view, table, &random) }
        let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            pair(view, table, &random, depth: depth - 1)
        }
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1: return (.and(parts.map(\.0)), .and(parts.map(\.1)))
        case 2, 3: return (.or(parts.map(\.0)), .or(parts.map(\.1)))
        default: return (.not(parts[0].0), .not(parts[0].1))
        }
    }

    private func check(_ view: DataView, _ random: inout SeededRandom, _ note: String) throws {
        let table = view.schema.table(named: "P")!
        for step in TestBudget.range("IndexAccessTests", usual: 16, soak: 50) {
            let (plain, indexed) = pair(view, table, &random, depth: 2)
            var query = RowQuery(table: table, predicate: plain)
            query.choice = .scan
            let expected = query.keys(in: view)
            query.stages = [.filter(indexed)]
            for choice in [AccessPlan.Choice.indexes, .cheapest, .scan] {
                query.choice = choice
                query.stages = [.filter(indexed)]
                expectEqual(query.keys(in: view), expected, "\(note) step \(step) \(choice): \(indexed)")
                expectEqual(query.count(in: view), expected.count, "\(note) step \(step) \(choice): \(indexed)")
                expectEqual(query.first(in: view), expected.first, "\(note) step \(step) \(choice): \(indexed)")
                query.stages.append(.limit(3))
                expectEqual(query.keys(in: view), Array(expected.prefix(3)), "\(note) step \(step) \(choice)")
            }
        }
    }
}
