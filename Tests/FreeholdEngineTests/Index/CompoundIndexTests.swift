import Testing

@testable import FreeholdEngine

/// Compound indexes: creation on existing data, updates, use, removal, and unique ones.
struct CompoundIndexTests {
    static let types: [(String, ColumnType, Bool)] = [
        ("a", .string, true), ("b", .int, true), ("c", .string, false), ("d", .bool, true), ("e", .mixed, true),
        ("f", .timestamp, true), ("g", .int, true), ("h", .uuid, true), ("i", .objectId, true),
    ]
    static let compounds = [
        ["a", "b"], ["c", "a"], ["b", "c", "d"], ["e", "a"], ["d", "f", "g", "h"], ["i", "e"], ["g", "c", "a"],
    ]

    private func spec(_ compounds: [CompoundIndexSpec]) -> TableSpec {
        TableSpec("P", columns: Self.types.map { ColumnSpec($0.0, $0.1, optional: $0.2) }, compounds: compounds)
    }

    private func open(_ name: String, span: Int = 16) throws -> Database {
        var options = Database.Options()
        options.mapSize = 1 << 30
        options.clusterSpan = span
        return try Database.inMemory(identifier: "compound-\(name)", options: options)
    }

    private func value(_ i: Int, _ random: inout SeededRandom) -> Value {
        let value = RandomDatabase.value(Self.types[i].1, optional: Self.types[i].2, &random)
        if case .objectLink = value { return .bool(true) }
        if case .string = value, Int.random(in: 0..<6, using: &random) == 0 {
            return .string(String(repeating: "\0y", count: 70) + String(Int.random(in: 0..<3, using: &random)))
        }
        return value
    }

    @Test(arguments: [(seed: 1, span: 3), (2, 16), (3, 1000)] as [(seed: UInt64, span: Int)])
    func `random edits keep compound indexes up to date, and queries by them right`(
        shape: (seed: UInt64, span: Int)
    ) throws {
        var random = SeededRandom(seed: shape.seed &+ 900)
        let database = try open("edits-\(shape.seed)", span: shape.span)
        var spec = spec(Self.compounds.prefix(3).map { CompoundIndexSpec($0) })
        var write = try database.beginWrite()
        try write.applySchema([spec])
        _ = try write.commit()
        for round in 0..<6 {
            write = try database.beginWrite()
            if round == 3 {
                // Adds other indexes, which are built from existing rows.
                spec.compounds = Self.compounds.dropFirst(2).map { CompoundIndexSpec($0) }
                expect(try write.applySchema([spec]))
            }
            let table = write.schema.table(named: "P")!
            for _ in 0..<30 {
                switch Int.random(in: 0..<8, using: &random) {
                case 0...2:
                    let key = try write.create(table)
                    for i in Self.types.indices { try write.set(table.columns[i], key, to: value(i, &random)) }
                case 3...5:
                    guard let key = write.keys(table).randomElement(using: &random) else { continue }
                    for _ in 0..<3 {
                        let i = Int.random(in: 0..<Self.types.count, using: &random)
                        try write.set(table.columns[i], key, to: value(i, &random))
                    }
                case 6:
                    let gone = write.keys(table).filter { _ in Int.random(in: 0..<20, using: &random) == 0 }
                    write.delete(table, gone)
                default: check(write, &random, "seed \(shape.seed) round \(round), inside", steps: 3)
                }
            }
            if round == 4 { write.deleteAll(table) }
            if round == 1 {
                write.cancel()
                check(try database.snapshot(), &random, "seed \(shape.seed), cancelled", steps: 10)
                continue
            }
            let snapshot = try write.commit()
            expectEqual(snapshot.verify(), [], "seed \(shape.seed) round \(round)")
            check(snapshot, &random, "seed \(shape.seed) round \(round)", steps: 40)
        }
        write = try database.beginWrite()
        spec.compounds = []
        try write.applySchema([spec])
        let snapshot = try write.commit()
        expect(snapshot.schema.tables[0].compounds.isEmpty)
        expectEqual(snapshot.verify(), [])
    }

    private func check(_ view: DataView, _ random: inout SeededRandom, _ note: String, steps: Int) {
        let table = view.schema.table(named: "P")!
        for step in 0..<steps {
            let compound = table.compounds.randomElement(using: &random)!
            var parts: [Predicate] = []
            for column in compound.columns.prefix(Int.random(in: 1...compound.columns.count, using: &random)) {
                let path = PropertyPath(column)
                let i = column.index
                // Existing values are preferred.
                func some() -> Value {
                    guard let key = view.keys(table).randomElement(using: &random),
                        Int.random(in: 0..<4, using: &random) > 0
                    else { return value(i, &random) }
                    return view.value(column, key)
                }
                switch Int.random(in: 0..<7, using: &random) {
                case 0...2: parts.append(.comparison(path, .equal, some()))
                case 3: parts.append(.oneOf(path, [some(), some(), some()]))
                case 4: parts.append(.comparison(path, Comparison.allCases.randomElement(using: &random)!, some()))
                case 5:
                    parts.append(.between(path, lower: some(), upper: some(), isClosed: .random(using: &random)))
                default:
                    parts.append(
                        .string(path, .beginsWith, pattern: ["", "a", "\0y", "ab"].randomElement(using: &random)!)
                    )
                }
            }
            var query = RowQuery(table: table, predicate: .and(parts.shuffled(using: &random)))
            query.choice = .scan
            let expected = query.keys(in: view)
            for choice in [AccessPlan.Choice.indexes, .cheapest] {
                query.choice = choice
                expectEqual(query.keys(in: view), expected, "\(note) step \(step) \(choice): \(query)")
                expectEqual(query.count(in: view), expected.count, "\(note) step \(step) \(choice): \(query)")
            }
        }
    }

    // MARK: Unique

    private func unique(_ name: String) throws -> (Database, Table) {
        let database = try open(name)
        let write = try database.beginWrite()
        try write.applySchema([spec([CompoundIndexSpec(["a", "b"], unique: true)])])
        let snapshot = try write.commit()
        return (database, snapshot.schema.table(named: "P")!)
    }

    private func add(_ write: WriteTransaction, _ table: Table, _ a: String?, _ b: Int64?) throws -> ObjectKey {
        let key = try write.create(table)
        try write.set(table.columns[0], key, to: a.map { .string($0) } ?? .null)
        try write.set(table.columns[1], key, to: b.map { .int($0) } ?? .null)
        return key
    }

    private func refusal(_ write: WriteTransaction) -> EngineError? {
        do {
            _ = try write.commit()
            return nil
        } catch {
            return error
        }
    }

    @Test func `two objects with the same values are refused at commit, and the transaction is undone`() throws {
        let (database, table) = try unique("refused")
        var write = try database.beginWrite()
        _ = try add(write, table, "x", 1)
        _ = try add(write, table, "x", 2)
        _ = try write.commit()
        write = try database.beginWrite()
        _ = try add(write, table, "y", 1)
        _ = try add(write, table, "x", 2)
        let error = refusal(write)
        expectEqual(error?.code, .uniqueConstraint)
        expectEqual(
            error?.message,
            "Two objects of 'P' have the same values of (a, b), which are unique: a = 'x', b = 2 in object 1 and "
                + "in object 3."
        )
        let snapshot = try database.snapshot()
        expectEqual(snapshot.count(table), 2)
        expectEqual(snapshot.verify(), [])
        // Both in one transaction.
        write = try database.beginWrite()
        _ = try add(write, table, "z", 1)
        _ = try add(write, table, "z", 1)
        expectEqual(refusal(write)?.code, .uniqueConstraint)
    }

    @Test func `long values that are cut in the index are distinguished by their rows`() throws {
        let (database, table) = try unique("long")
        let long = String(repeating: "long ", count: 60)
        var write = try database.beginWrite()
        for i in 0..<20 { _ = try add(write, table, long + "\(i)", 1) }
        expect(refusal(write) == nil)
        write = try database.beginWrite()
        _ = try add(write, table, long + "7", 1)
        expectEqual(refusal(write)?.code, .uniqueConstraint)
    }

    @Test func `nulls don't collide, and values may be exchanged`() throws {
        let (database, table) = try unique("swap")
        var write = try database.beginWrite()
        let first = try add(write, table, "x", 1)
        let second = try add(write, table, "y", 1)
        for _ in 0..<3 {
            _ = try add(write, table, nil, 1)
            _ = try add(write, table, "x", nil)
        }
        _ = try write.commit()
        write = try database.beginWrite()
        try write.set(table.columns[0], first, to: .string("y"))
        // In between both have the same, and a query settles the index.
        expectEqual(
            RowQuery(table: table, predicate: .string(PropertyPath(table.columns[0]), .equal, pattern: "y")).count(
                in: write
            ),
            2
        )
        _ = write.searchTree(table.compounds[0])
        try write.set(table.columns[0], second, to: .string("x"))
        let snapshot = try write.commit()
        expectEqual(snapshot.value(table.columns[0], first), .string("y"))
        expectEqual(snapshot.verify(), [])
        // An object whose duplicate is deleted in the same transaction.
        write = try database.beginWrite()
        write.delete(table, first)
        _ = try add(write, table, "y", 1)
        expect(refusal(write) == nil)
    }

    @Test func `the later of two writers is refused`() throws {
        let (database, table) = try unique("writers")
        var write = try database.beginWrite()
        _ = try add(write, table, "x", 1)
        _ = try write.commit()
        write = try database.beginWrite()
        _ = try add(write, table, "x", 1)
        expectEqual(refusal(write)?.code, .uniqueConstraint)
        write = try database.beginWrite()
        _ = try add(write, table, "x", 2)
        expect(refusal(write) == nil)
    }

    @Test func `a unique index over duplicate data is refused, and the file isn't changed`() throws {
        let database = try open("existing")
        var write = try database.beginWrite()
        try write.applySchema([spec([])])
        let table = write.schema.table(named: "P")!
        for i in 0..<50 { _ = try add(write, table, "n\(i % 49)", 1) }
        _ = try write.commit()
        write = try database.beginWrite()
        #expect {
            try write.applySchema([spec([CompoundIndexSpec(["a", "b"], unique: true)])])
        } throws: { error in
            (error as? EngineError)?.code == .uniqueConstraint
                && (error as? EngineError)?.message.contains("a = 'n0', b = 1 in object 0 and in object 49") == true
        }
        expect(write.schema.table(named: "P")!.compounds.isEmpty)
        write.delete(table, ObjectKey(49))
        expect(try write.applySchema([spec([CompoundIndexSpec(["a", "b"], unique: true)])]))
        let snapshot = try write.commit()
        expectEqual(snapshot.verify(), [])
        expect(snapshot.schema.table(named: "P")!.compounds[0].isUnique)
    }

    @Test(arguments: [["a"], ["a", "a"], ["a", "nothing"], ["a", "list"], ["a", "x"]])
    func `meaningless indexes are refused`(columns: [String]) throws {
        let database = try open("refused-\(columns.joined())")
        let write = try database.beginWrite()
        var spec = spec([CompoundIndexSpec(columns)])
        spec.columns += [ColumnSpec("list", .string, collection: .list), ColumnSpec("x", .double)]
        #expect(throws: EngineError.self) { try write.applySchema([spec]) }
    }
}
