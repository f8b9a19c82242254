import Foundation
import Testing

@testable import FreeholdEngine

@Suite("Increments of the engine")
struct IncrementTests {
    private func database(_ folder: TemporaryFolder) throws -> Database {
        var options = Database.Options()
        options.mapSize = 1 << 28
        let database = try Database.open(at: folder.file(), options: options)
        let t = try database.beginWrite()
        var table = TableSpec(
            "A",
            columns: [
                ColumnSpec("id", .int), ColumnSpec("n", .int), ColumnSpec("o", .int, optional: true, indexed: true),
                ColumnSpec("ns", .int, collection: .list), ColumnSpec("os", .int, optional: true, collection: .list),
                ColumnSpec("nd", .int, collection: .dictionary),
                ColumnSpec("od", .int, optional: true, collection: .dictionary), ColumnSpec("m", .mixed),
                ColumnSpec("s", .string), ColumnSpec("set", .int, collection: .set),
            ]
        )
        table.primaryKey = "id"
        try t.applySchema([table])
        _ = try t.commit()
        return database
    }

    @Test func `sums wrap around, null stays null, and a missing key stays missing`() throws {
        let folder = TemporaryFolder()
        let database = try database(folder)
        let table = try require(try database.snapshot().schema.table(named: "A"))
        func column(_ name: String) -> Column { table.column(named: name)! }
        let t = try database.beginWrite()
        let key = try t.create(table, primaryKey: .int(1))
        try expectEqual(t.increment(column("n"), key, by: .max), .max)
        expect(try t.increment(column("n"), key, by: 1) == .min && t.value(column("n"), key) == .int(.min))
        expect(try t.increment(column("o"), key, by: 1) == nil && t.value(column("o"), key) == .null)
        try t.set(column("o"), key, to: .int(5))
        try expectEqual(t.increment(column("o"), key, by: -6), -1)
        try t.listAppend(column("ns"), key, values: [.int(.max), .int(2)])
        try t.listAppend(column("os"), key, values: [.null, .int(2)])
        try expectEqual(t.listIncrement(column("ns"), key, at: 0, by: 1), .min)
        expect(try t.listIncrement(column("os"), key, at: 0, by: 1) == nil)
        try expectEqual(t.listIncrement(column("os"), key, at: 1, by: 40), 42)
        try t.dictionarySet(column("nd"), key, forKey: "a", to: .int(1))
        try t.dictionarySet(column("od"), key, forKey: "a", to: .null)
        try expectEqual(t.dictionaryIncrement(column("nd"), key, forKey: "a", by: 41), 42)
        expect(try t.dictionaryIncrement(column("nd"), key, forKey: "b", by: 41) == nil)
        expect(try t.dictionaryIncrement(column("od"), key, forKey: "a", by: 41) == nil)
        let snapshot = try t.commit()
        expectEqual(snapshot.value(column("o"), key), .int(-1))
        expectEqual(snapshot.listValues(column("ns"), key), [.int(.min), .int(2)])
        expectEqual(snapshot.listValues(column("os"), key), [.null, .int(42)])
        expectEqual(snapshot.dictionaryEntries(column("nd"), key).map(\.key), ["a"])
        expectEqual(snapshot.dictionaryValue(column("nd"), key, forKey: "a"), .int(42))
        expectEqual(snapshot.dictionaryValue(column("od"), key, forKey: "a"), .null)
        expectEqual(snapshot.verify(), [])
    }

    @Test func `an increment without a number to add to is refused, and changes nothing`() throws {
        let folder = TemporaryFolder()
        let database = try database(folder)
        let table = try require(try database.snapshot().schema.table(named: "A"))
        func column(_ name: String) -> Column { table.column(named: name)! }
        let t = try database.beginWrite()
        let key = try t.create(table, primaryKey: .int(1))
        try t.set(column("m"), key, to: .int(1))
        try t.listAppend(column("ns"), key, values: [.int(1)])
        for name in ["id", "m", "s", "ns", "nd", "set"] {
            let error = #expect(throws: EngineError.self) { try t.increment(column(name), key, by: 1) }
            expect(error?.code == .invalidArgument && error?.message.contains("'\(name)'") == true)
        }
        for name in ["n", "nd", "set", "s"] {
            #expect(throws: EngineError.self) { try t.listIncrement(column(name), key, at: 0, by: 1) }
        }
        for name in ["n", "ns", "set", "s"] {
            #expect(throws: EngineError.self) { try t.dictionaryIncrement(column(name), key, forKey: "a", by: 1) }
        }
        for i in [-1, 1] {
            let error = #expect(throws: EngineError.self) { try t.listIncrement(column("ns"), key, at: i, by: 1) }
            expectEqual(error?.message.contains("out of bounds"), true)
        }
        let gone = ObjectKey(7)
        #expect(throws: EngineError.self) { try t.increment(column("n"), gone, by: 1) }
        #expect(throws: EngineError.self) { try t.listIncrement(column("ns"), gone, at: 0, by: 1) }
        #expect(throws: EngineError.self) { try t.dictionaryIncrement(column("nd"), gone, forKey: "a", by: 1) }
        expect(t.value(column("id"), key) == .int(1) && t.value(column("m"), key) == .int(1))
        expectEqual(t.listValues(column("ns"), key), [.int(1)])
        try expectEqual(t.commit().verify(), [])
    }

    @Test func `an increment by a number is a change, and one by zero isn't`() throws {
        let folder = TemporaryFolder()
        let database = try database(folder)
        let table = try require(try database.snapshot().schema.table(named: "A"))
        func column(_ name: String) -> Column { table.column(named: name)! }
        let first = try database.beginWrite()
        let key = try first.create(table, primaryKey: .int(1))
        try first.listAppend(column("ns"), key, values: [.int(1)])
        try first.dictionarySet(column("nd"), key, forKey: "a", to: .int(1))
        let before = try first.commit()
        let none = try database.beginWrite()
        try none.increment(column("n"), key, by: 0)
        try none.listIncrement(column("ns"), key, at: 0, by: 0)
        try none.dictionaryIncrement(column("nd"), key, forKey: "a", by: 0)
        try none.increment(column("o"), key, by: 3)
        try expectEqual(none.commit().version, before.version)
        let some = try database.beginWrite()
        try some.increment(column("n"), key, by: 1)
        try some.listIncrement(column("ns"), key, at: 0, by: 1)
        try some.dictionaryIncrement(column("nd"), key, forKey: "a", by: 1)
        let after = try some.commit()
        let record = try require(after.changes(ofVersion: after.version))
        let changes = try require(record.changes(of: table))
        expectEqual(changes.listEdits.map(\.operation), [.set(at: 0), .set(at: 0)])
        expectEqual(changes.modified[column("n").id], [key])
        expectEqual(after.value(column("n"), key), .int(1))
    }
}
