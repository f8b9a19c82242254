import Testing

@testable import FreeholdEngine

/// Random predicates over collections of all kinds in a real database, small and large ones.
struct CollectionQueryTests {
    static let columns: [ColumnSpec] = [
        ColumnSpec("i", .int), ColumnSpec("d", .double, optional: true), ColumnSpec("s", .string, optional: true),
        ColumnSpec("m", .mixed), ColumnSpec("one", .link, optional: true, target: "Q"),
        ColumnSpec("ints", .int, collection: .list), ColumnSpec("texts", .string, optional: true, collection: .list),
        ColumnSpec("mixeds", .mixed, collection: .list), ColumnSpec("links", .link, collection: .list, target: "Q"),
        ColumnSpec("intSet", .int, collection: .set), ColumnSpec("linkSet", .link, collection: .set, target: "P"),
        ColumnSpec("doubles", .double, optional: true, collection: .list),
        ColumnSpec("map", .string, optional: true, collection: .dictionary),
        ColumnSpec("mixedMap", .mixed, collection: .dictionary),
        ColumnSpec("linkMap", .link, optional: true, collection: .dictionary, target: "Q"),
    ]

    @Test(arguments: [(seed: 1, span: 4), (seed: 2, span: 16), (seed: 3, span: 1000), (seed: 4, span: 5)])
    func `random predicates agree with a plain evaluator, in transactions and snapshots`(
        shape: (seed: UInt64, span: Int)
    ) throws {
        var random = SeededRandom(seed: shape.seed)
        var options = Database.Options()
        options.mapSize = 1 << 30
        options.clusterSpan = shape.span
        let database = try Database.inMemory(identifier: "collections-\(shape.seed)-\(shape.span)", options: options)
        let setup = try database.beginWrite()
        try setup.applySchema(
            [TableSpec("P", columns: Self.columns), TableSpec("Q", columns: Self.columns)],
            userVersion: 1
        )
        _ = try setup.commit()
        for round in 0..<3 {
            let write = try database.beginWrite()
            let tables = ["P", "Q"].map { write.schema.table(named: $0)! }
            for table in tables { for _ in 0..<12 { _ = try write.create(table) } }
            for table in tables {
                for key in write.keys(table) where round == 0 || Bool.random(using: &random) {
                    for column in table.columns where Bool.random(using: &random) {
                        try fill(column, key, write, &random)
                    }
                }
            }
            // With edits still pending, and with some leaves already decoded.
            check(write, &random, "seed \(shape.seed) round \(round), transaction")
            for table in tables {
                for key in write.keys(table) where Int.random(in: 0..<8, using: &random) == 0 {
                    write.delete(table, key)
                }
            }
            check(write, &random, "seed \(shape.seed) round \(round), after deletions")
            let snapshot = try write.commit()
            check(snapshot, &random, "seed \(shape.seed) round \(round), snapshot")
        }
    }

    private func fill(
        _ column: Column,
        _ key: ObjectKey,
        _ write: WriteTransaction,
        _ random: inout SeededRandom
    ) throws {
        func link() -> Value {
            guard Int.random(in: 0..<4, using: &random) > 0 || column.collection == .list || column.collection == .set,
                let key = write.keys(write.schema.table(id: column.targetTableID!)!).randomElement(using: &random)
            else { return .null }
            return .link(key)
        }
        func value() -> Value {
            if column.type == .link { return link() }
            let value = RandomDatabase.value(column.type, optional: column.isOptional, &random)
            guard value.hasObjectLinks else { return value }
            let table = write.schema.tables.randomElement(using: &random)!
            return .objectLink(
                ObjectLink(tableID: table.id, key: write.keys(table).randomElement(using: &random)!)
            )
        }
        let isLarge = Int.random(in: 0..<60, using: &random) == 0 && column.type != .link
        let values = (0..<(isLarge ? 400 : Int.random(in: 0..<4, using: &random))).map { _ in value() }
        switch column.collection {
        case .none: try write.set(column, key, to: value())
        case .list: try write.listAssign(column, key, values: values)
        case .set: try write.setAssign(column, key, values: values)
        case .dictionary:
            for (i, value) in values.enumerated() {
                _ = try write.dictionarySet(
                    column,
                    key,
                    forKey: i < RandomDatabase.keys.count ? RandomDatabase.keys[i] : "key \(i)",
                    to: value
                )
            }
        }
    }

    private func check(_ view: DataView, _ random: inout SeededRandom, _ note: String) {
        let naive = NaiveEvaluator(view: view)
        var predicates = RandomPredicates(schema: view.schema, random: random)
        for step in 0..<25 {
            let table = view.schema.tables[step % 2]
            let predicate = predicates.predicate(table, depth: 1)
            let query = RowQuery(table: table, predicate: predicate)
            let expected = naive.keys(table, predicate)
            expectEqual(query.keys(in: view), expected, "\(note) step \(step): \(predicate)")
            expectEqual(query.count(in: view), expected.count, "\(note) step \(step): \(predicate)")
            for key in view.keys(table).suffix(3) {
                expectEqual(query.matches(key, in: view), expected.contains(key), "\(note) step \(step): \(predicate)")
            }
        }
        random = predicates.random
    }
}
