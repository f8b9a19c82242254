import Testing

@testable import FreeholdEngine

/// Queries on a real database: in a write transaction, on its snapshot, with and without indexes.
struct QueryDatabaseTests {
    @Test(arguments: [(seed: 1, span: 4), (seed: 2, span: 16), (seed: 3, span: 100)])
    func `indexed and plain columns find the same objects, in transactions and snapshots`(
        shape: (seed: UInt64, span: Int)
    ) throws {
        var random = SeededRandom(seed: shape.seed)
        var options = Database.Options()
        options.mapSize = 1 << 30
        options.clusterSpan = shape.span
        let database = try Database.inMemory(identifier: "query-\(shape.seed)-\(shape.span)", options: options)
        let setup = try database.beginWrite()
        try setup.applySchema(
            [
                TableSpec(
                    "P",
                    columns: [
                        ColumnSpec("a", .int), ColumnSpec("ai", .int, indexed: true),
                        ColumnSpec("s", .string, optional: true),
                        ColumnSpec("si", .string, optional: true, indexed: true),
                        ColumnSpec("l", .link, optional: true, target: "P"),
                        ColumnSpec("ls", .link, collection: .list, target: "P"),
                        ColumnSpec("m", .mixed), ColumnSpec("mi", .mixed, indexed: true),
                    ]
                )
            ],
            userVersion: 1
        )
        _ = try setup.commit()
        for round in 0..<4 {
            let write = try database.beginWrite()
            let table = write.schema.table(named: "P")!
            let c = table.columns
            for _ in 0..<40 {
                let key = try write.create(table)
                let number = Int64.random(in: 0..<6, using: &random)
                var text = RandomDatabase.value(.string, optional: true, &random)
                if Int.random(in: 0..<10, using: &random) == 0 {
                    text = .string(String(repeating: "long abc ", count: 400))
                }
                for i in [0, 1] { try write.set(c[i], key, to: .int(number)) }
                for i in [2, 3] { try write.set(c[i], key, to: text) }
                let all = write.keys(table)
                let mixed = Self.mixed(all, table, &random)
                for i in [6, 7] { try write.set(c[i], key, to: mixed) }
                if Bool.random(using: &random) {
                    let other = all.randomElement(using: &random)!
                    let mixed = Self.mixed(all, table, &random)
                    for i in [6, 7] { try write.set(c[i], other, to: mixed) }
                }
                if Bool.random(using: &random) {
                    try write.set(c[4], key, to: .link(all.randomElement(using: &random)!))
                }
                try write.listAppend(
                    c[5],
                    key,
                    values: (0..<Int.random(in: 0..<3, using: &random)).map { _ in
                        .link(all.randomElement(using: &random)!)
                    }
                )
            }
            for key in write.keys(table) where Int.random(in: 0..<6, using: &random) == 0 { write.delete(table, key) }
            try check(write, &random, "seed \(shape.seed) round \(round), transaction")
            let snapshot = try write.commit()
            try check(snapshot, &random, "seed \(shape.seed) round \(round), snapshot")
        }
    }

    private static func mixed(_ keys: [ObjectKey], _ table: Table, _ random: inout SeededRandom) -> Value {
        let value = RandomDatabase.value(.mixed, optional: true, &random)
        guard value.hasObjectLinks else { return value }
        return .objectLink(ObjectLink(tableID: table.id, key: keys.randomElement(using: &random)!))
    }

    private func check(_ view: DataView, _ random: inout SeededRandom, _ note: String) throws {
        let table = view.schema.table(named: "P")!
        let c = table.columns
        let naive = NaiveEvaluator(view: view)
        for _ in TestBudget.range("QueryDatabaseTests", usual: 6, soak: 25) {
            let number = Value.int(Int64.random(in: 0..<6, using: &random))
            let text = RandomDatabase.value(.string, optional: true, &random)
            let texts = (0..<3).map { _ in RandomDatabase.value(.string, optional: true, &random) }
            let other = FreeholdEngine.Predicate.comparison(PropertyPath(c[0]), .lessOrEqual, number)
            let ops = Comparison.allCases
            let predicates: [FreeholdEngine.Predicate] = [
                .comparison(PropertyPath(c[1]), .equal, number),
                .comparison(PropertyPath(c[3]), .equal, text),
                .oneOf(PropertyPath(c[3]), texts),
                .and([other, .comparison(PropertyPath(c[3]), .equal, text)]),
                .and([.comparison(PropertyPath(c[1]), .equal, number), .oneOf(PropertyPath(c[3]), texts), other]),
                .string(PropertyPath(c[2]), .contains, pattern: "abc long", ignoringCase: .random(using: &random)),
                .comparison(PropertyPath(columns: [c[4], c[0]]), ops.randomElement(using: &random)!, number),
                .comparison(PropertyPath([.link(c[5])], c[0]), ops.randomElement(using: &random)!, number),
                .comparison(PropertyPath([.backlink(c[5])], c[2]), ops.randomElement(using: &random)!, text),
                .operand(.count(PropertyPath([.backlink(c[4])], nil)), .greater, value: .int(1)),
                .operand(.count(PropertyPath(c[5])), .equal, value: .int(0)),
            ]
            let mixed = (0..<6).map { _ in Self.mixed(view.keys(table), table, &random) }
            let comparison = ops.randomElement(using: &random)!
            for value in mixed {
                let plain = naive.keys(table, .comparison(PropertyPath(c[6]), comparison, value))
                for i in [6, 7] {
                    let predicate = FreeholdEngine.Predicate.comparison(PropertyPath(c[i]), comparison, value)
                    expectEqual(
                        RowQuery(table: table, predicate: predicate).keys(in: view),
                        plain,
                        "\(note) \(predicate)"
                    )
                }
                let found = RowQuery(table: table, predicate: .comparison(PropertyPath(c[7]), .equal, value)).keys(
                    in: view
                )
                expectEqual(
                    found,
                    naive.keys(table, .comparison(PropertyPath(c[6]), .equal, value)),
                    "\(note) \(value)"
                )
            }
            let among = RowQuery(table: table, predicate: .oneOf(PropertyPath(c[7]), mixed)).keys(in: view)
            expectEqual(among, naive.keys(table, .oneOf(PropertyPath(c[6]), mixed)), "\(note) \(mixed)")
            for predicate in predicates {
                let found = RowQuery(table: table, predicate: predicate).keys(in: view)
                expectEqual(found, naive.keys(table, predicate), "\(note) \(predicate)")
            }
            let sorted = RowQuery(table: table, sort: [SortKey(c[2]), SortKey(c[0], ascending: false)]).keys(in: view)
            for (a, b) in zip(sorted, sorted.dropFirst()) {
                let first = Value.compare(view.value(c[2], a), with: view.value(c[2], b))
                let second = Value.compare(view.value(c[0], b), with: view.value(c[0], a))
                expect(first < 0 || (first == 0 && (second < 0 || (second == 0 && a < b))), "\(note)")
            }
            expectEqual(sorted.count, view.count(table))
        }
    }
}
