import Foundation
import Testing

@testable import FreeholdEngine

struct EmbeddedTableTests {
    /// People with embedded addresses; addresses nest.
    struct Fixture {
        let folder = TemporaryFolder()
        let database: Database
        let person: Table
        let address: Table
        let home: Column
        let homes: Column
        let byName: Column
        let inner: Column

        init() throws {
            var options = Database.Options()
            options.mapSize = 1 << 30
            database = try Database.open(at: folder.file(), options: options)
            let transaction = try database.beginWrite()
            try transaction.applySchema([
                TableSpec(
                    "Person",
                    columns: [
                        ColumnSpec("home", .link, target: "Address"),
                        ColumnSpec("homes", .link, collection: .list, target: "Address"),
                        ColumnSpec("byName", .link, collection: .dictionary, target: "Address"),
                    ]
                ),
                TableSpec(
                    "Address",
                    columns: [ColumnSpec("n", .int), ColumnSpec("inner", .link, target: "Address")],
                    isEmbedded: true
                ),
            ])
            let schema = try transaction.commit().schema
            person = schema.table(named: "Person")!
            address = schema.table(named: "Address")!
            (home, homes, byName) = (person.columns[0], person.columns[1], person.columns[2])
            inner = address.columns[1]
        }
    }

    @Test func `a chain of many embedded objects is deleted with its owner`() throws {
        let f = try Fixture()
        let length = TestBudget.cases(25_000, soak: 100_000)
        var transaction = try f.database.beginWrite()
        let owner = try transaction.create(f.person)
        var last = try transaction.create(f.address)
        transaction.setLink(f.home, owner, to: last)
        for _ in 1..<length {
            let next = try transaction.create(f.address)
            transaction.setLink(f.inner, last, to: next)
            last = next
        }
        _ = try transaction.commit()
        transaction = try f.database.beginWrite()
        expectEqual(transaction.count(f.address), length)
        transaction.setLink(f.home, owner, to: nil)
        expectEqual(transaction.count(f.address), 0)
        let snapshot = try transaction.commit()
        expectEqual(snapshot.verify(), [])
        expectEqual(snapshot.changes(ofVersion: snapshot.version)?.changes(of: f.address)?.deleted.count, length)
    }

    @Test func `many embedded objects are deleted with their owners' table`() throws {
        let f = try Fixture()
        var transaction = try f.database.beginWrite()
        for _ in 0..<3000 {
            let owner = try transaction.create(f.person)
            for _ in 0..<2 {
                transaction.listAppend(f.homes, owner, link: try transaction.create(f.address))
            }
            transaction.setLink(f.home, owner, to: try transaction.create(f.address))
        }
        try expectEqual(transaction.commit().verify(), [])
        transaction = try f.database.beginWrite()
        transaction.deleteAll(f.person)
        expectEqual(transaction.count(f.address), 0)
        try expectEqual(transaction.commit().verify(), [])
    }

    @Test func `an embedded object has one owner`() throws {
        let f = try Fixture()
        let transaction = try f.database.beginWrite()
        let (a, b) = (try transaction.create(f.person), try transaction.create(f.person))
        let home = try transaction.create(f.address)
        try transaction.set(f.home, a, to: .link(home))
        for edit in [
            { try transaction.set(f.home, b, to: .link(home)) },
            { try transaction.listAppend(f.homes, a, values: [.link(home)]) },
            { try transaction.listAssign(f.homes, b, values: [.link(home)]) },
            { try transaction.dictionarySet(f.byName, a, forKey: "x", to: .link(home)) },
            { try transaction.set(f.inner, home, to: .link(home)) },
        ] as [() throws -> Void] {
            #expect(throws: EngineError.self) { try edit() }
        }
        try transaction.set(f.home, a, to: .link(home))
        expect(transaction.readLink(f.home, a) == home && transaction.contains(f.address, home))
        expectEqual(transaction.owner(f.address, home)?.key, a)
        let twice = try transaction.create(f.address)
        #expect(throws: EngineError.self) {
            try transaction.listAppend(f.homes, a, values: [.link(twice), .link(twice)])
        }
        // A ring of its own would have no owner.
        let below = try transaction.create(f.address)
        try transaction.set(f.inner, twice, to: .link(below))
        #expect(throws: EngineError.self) { try transaction.set(f.inner, below, to: .link(twice)) }
        try expectEqual(transaction.commit().verify(), [])
        try expectEqual(f.database.snapshot().count(f.address), 1)
    }

    @Test func `moving inside a collection keeps embedded objects`() throws {
        let f = try Fixture()
        let transaction = try f.database.beginWrite()
        let owner = try transaction.create(f.person)
        let rows = try (0..<4).map { _ in try transaction.create(f.address) }
        try transaction.listAppend(f.homes, owner, values: rows.map(Value.link))
        try transaction.listMove(f.homes, owner, from: 0, to: 3)
        try transaction.listSwap(f.homes, owner, at: 0, and: 2)
        try transaction.listAssign(f.homes, owner, values: [3, 1, 2, 0].map { .link(rows[$0]) })
        expectEqual(transaction.count(f.address), 4)
        expectEqual(transaction.listLinks(f.homes, owner), [3, 1, 2, 0].map { rows[$0] })
        try transaction.listSet(f.homes, owner, at: 0, to: .link(try transaction.create(f.address)))
        expect(transaction.count(f.address) == 4 && !transaction.contains(f.address, rows[3]))
        transaction.delete(f.address, rows[1])
        expectEqual(transaction.listCount(f.homes, owner), 3)
        try transaction.dictionarySet(f.byName, owner, forKey: "k", to: .link(try transaction.create(f.address)))
        guard case .link(let named)? = transaction.dictionaryValue(f.byName, owner, forKey: "k") else {
            Issue.record("no value")
            return
        }
        transaction.delete(f.address, named)
        expectEqual(transaction.dictionaryValue(f.byName, owner, forKey: "k"), .null)
        try expectEqual(transaction.commit().verify(), [])
    }

    @Test func `an embedded object without an owner is deleted at the end of the transaction`() throws {
        let f = try Fixture()
        let transaction = try f.database.beginWrite()
        let alone = try transaction.create(f.address)
        transaction.setLink(f.inner, alone, to: try transaction.create(f.address))
        expect(transaction.count(f.address) == 2 && transaction.owner(f.address, alone) == nil)
        let snapshot = try transaction.commit()
        expect(snapshot.count(f.address) == 0 && snapshot.verify() == [])
    }

    @Test func `schemas of embedded tables are checked`() throws {
        let f = try Fixture()
        let transaction = try f.database.beginWrite()
        let key = TableSpec("E", columns: [ColumnSpec("id", .int)], primaryKey: "id", isEmbedded: true)
        #expect(throws: EngineError.self) { try transaction.applySchema([key]) }
        let set = TableSpec("S", columns: [ColumnSpec("s", .link, collection: .set, target: "E")])
        let plain = TableSpec("E", columns: [ColumnSpec("id", .int)], isEmbedded: true)
        #expect(throws: EngineError.self) { try transaction.applySchema([plain, set]) }
        var changed = TableSpec("Address", columns: [ColumnSpec("n", .int)])
        changed.columns.append(ColumnSpec("inner", .link, target: "Address"))
        let error = #expect(throws: EngineError.self) { try transaction.applySchema([changed]) }
        expectEqual(error?.message.contains("'Address' has been changed to top-level"), true)
    }

    @Test func `mixed links of too many tables are refused`() throws {
        let folder = TemporaryFolder()
        var options = Database.Options()
        options.mapSize = 1 << 30
        let database = try Database.open(at: folder.file(), options: options)
        let transaction = try database.beginWrite()
        try transaction.applySchema((0..<4100).map { TableSpec("T\($0)", columns: [ColumnSpec("any", .mixed)]) })
        let tables = transaction.schema.tables
        let target = try transaction.create(tables[0])
        let link = Value.objectLink(ObjectLink(tableID: tables[0].id, key: target))
        for (i, fits) in [(0, true), (4094, true), (4095, false), (4099, false)] {
            let key = try transaction.create(tables[i])
            let any = tables[i].columns[0]
            if fits {
                try transaction.set(any, key, to: link)
                expectEqual(transaction.backlinks(any.asBacklinkColumn(to: tables[0]), target), [key])
            } else {
                let error = #expect(throws: EngineError.self) { try transaction.set(any, key, to: link) }
                expectEqual(error?.code, .limitExceeded)
                try transaction.set(any, key, to: .int(1))
            }
        }
        try expectEqual(transaction.commit().verify(), [])
    }

    @Test func `thousands of mixed links to one object are stored and removed`() throws {
        let folder = TemporaryFolder()
        var options = Database.Options()
        options.mapSize = 1 << 30
        options.memoryBudget = 100_000
        let database = try Database.open(at: folder.file(), options: options)
        var transaction = try database.beginWrite()
        try transaction.applySchema([
            TableSpec("A", columns: [ColumnSpec("any", .mixed), ColumnSpec("anys", .mixed, collection: .list)])
        ])
        let table = transaction.schema.tables[0]
        let (any, anys) = (table.columns[0].asBacklinkColumn(to: table), table.columns[1].asBacklinkColumn(to: table))
        let target = try transaction.create(table)
        let link = Value.objectLink(ObjectLink(tableID: table.id, key: target))
        for _ in 0..<5000 {
            let key = try transaction.create(table)
            try transaction.set(any, key, to: .list(NestedList([link, .int(1)])))
            try transaction.listAppend(anys, key, values: [link, link])
        }
        var snapshot = try transaction.commit()
        expectEqual(snapshot.verify(), [])
        expect(snapshot.backlinkCount(any, target) == 5000 && snapshot.backlinkCount(anys, target) == 10_000)
        expect(snapshot.backlink(any, target, at: 4999).raw == 5000 && snapshot.backlinkCount(table, target) == 15_000)
        transaction = try database.beginWrite()
        transaction.delete(table, target)
        snapshot = try transaction.commit()
        expectEqual(snapshot.verify(), [])
        expectEqual(snapshot.value(any, ObjectKey(7)), .list(NestedList([.null, .int(1)])))
        expectEqual(snapshot.listValues(anys, ObjectKey(7)), [.null, .null])
    }
}
