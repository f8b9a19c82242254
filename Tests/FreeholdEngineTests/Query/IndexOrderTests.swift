import Testing

@testable import FreeholdEngine

/// A sort that walks an index gives the same order as a sort of the rows.
struct IndexOrderTests {
    static let columns: [(String, ColumnType, Bool)] = [
        ("bool", .bool, true), ("int", .int, false), ("age", .int, true), ("name", .string, true),
        ("date", .timestamp, true), ("oid", .objectId, false), ("mixed", .mixed, true),
    ]

    @Test(arguments: [(seed: 1, span: 4), (2, 100), (3, 1000)] as [(seed: UInt64, span: Int)])
    func `sorts by an index agree with sorts of the rows`(shape: (seed: UInt64, span: Int)) throws {
        var random = SeededRandom(seed: shape.seed &+ 70)
        var options = Database.Options()
        options.mapSize = 1 << 30
        options.clusterSpan = shape.span
        let database = try Database.inMemory(identifier: "order-\(shape.seed)", options: options)
        let setup = try database.beginWrite()
        let spec = TableSpec(
            "P",
            columns: Self.columns.map { ColumnSpec($0.0, $0.1, optional: $0.2, indexed: true) }
                + [ColumnSpec("id", .int), ColumnSpec("plain", .int)],
            primaryKey: "id",
            compounds: [
                CompoundIndexSpec(["name", "int"]), CompoundIndexSpec(["bool", "date", "oid"]),
                CompoundIndexSpec(["plain", "name", "age"]),
            ]
        )
        try setup.applySchema([spec])
        _ = try setup.commit()
        for round in 0..<2 {
            let write = try database.beginWrite()
            let table = write.schema.table(named: "P")!
            for _ in 0..<80 {
                let key = try write.create(table, primaryKey: .int(1000 - write.tableState(table).nextKey))
                for (i, column) in Self.columns.enumerated() {
                    var value = RandomDatabase.value(column.1, optional: column.2, &random)
                    if case .objectLink = value { value = .null }
                    if column.0 == "name", Int.random(in: 0..<4, using: &random) == 0 {
                        value = .string(
                            String(repeating: "x", count: 120) + String(Int.random(in: 0..<4, using: &random))
                        )
                    }
                    try write.set(table.columns[i], key, to: value)
                }
                try write.set(table.columns.last!, key, to: .int(.random(in: 0..<3, using: &random)))
            }
            for key in write.keys(table) where Int.random(in: 0..<8, using: &random) == 0 { write.delete(table, key) }
            check(write, &random, "seed \(shape.seed) round \(round), transaction")
            let snapshot = try write.commit()
            expectEqual(snapshot.verify(), [], "seed \(shape.seed)")
            check(snapshot, &random, "seed \(shape.seed) round \(round), snapshot")
        }
    }

    private func check(_ view: DataView, _ random: inout SeededRandom, _ note: String) {
        let table = view.schema.table(named: "P")!
        func column(_ name: String) -> Column { table.column(named: name)! }
        func predicate() -> Predicate {
            let name = PropertyPath(column("name"))
            let plain = PropertyPath(column("plain"))
            let some: [Predicate] = [
                .constant(true), .comparison(plain, .equal, .int(1)),
                .comparison(PropertyPath(column("int")), .greater, .int(0)), .string(name, .beginsWith, pattern: "a"),
                .comparison(name, .equal, .string(String(repeating: "x", count: 120) + "1")),
                .comparison(PropertyPath(column("bool")), .equal, .bool(true)),
                .comparison(PropertyPath(column("age")), .notEqual, .null), .oneOf(plain, [.int(0), .int(2)]),
            ]
            return .and((0..<Int.random(in: 1...2, using: &random)).map { _ in some.randomElement(using: &random)! })
        }
        let names = Self.columns.map(\.0) + ["id", "plain"]
        let sequences = [
            ["name", "int"], ["date", "oid"], ["name", "age"], ["bool", "date", "oid"], ["plain", "name"],
            ["oid", "name"],
            ["int"],
        ]
        for step in 0..<60 {
            let ascending = Bool.random(using: &random)
            var sort = sequences.randomElement(using: &random)!.map { SortKey(column($0), ascending: ascending) }
            if Bool.random(using: &random) {
                sort = (0..<Int.random(in: 1...2, using: &random)).map { _ in
                    SortKey(column(names.randomElement(using: &random)!), ascending: .random(using: &random))
                }
            }
            var query = RowQuery(table: table, predicate: predicate(), sort: sort)
            let limit = [nil, 1, 5, 50].randomElement(using: &random)!
            if let limit { query.stages.append(.limit(limit)) }
            query.choice = .scan
            let expected = query.keys(in: view)
            for choice in [AccessPlan.Choice.indexes, .cheapest] {
                query.choice = choice
                expectEqual(query.keys(in: view), expected, "\(note) step \(step) \(choice): \(query)")
                expectEqual(query.explain(in: view).matches, expected.count)
            }
            for type in ["int", "age", "date", "id"] {
                var all = RowQuery(table: table)
                let values = [all.min(of: column(type), in: view), all.max(of: column(type), in: view)]
                all.choice = .scan
                expectEqual(
                    values,
                    [all.min(of: column(type), in: view), all.max(of: column(type), in: view)],
                    "\(note)"
                )
            }
        }
    }
}
