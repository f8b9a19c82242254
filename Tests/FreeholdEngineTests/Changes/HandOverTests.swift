import Foundation
import Testing

@testable import FreeholdEngine

/// Objects of asymmetric tables: in the journal, and in no version.
struct HandOverTests {
    private let folder = TemporaryFolder()

    private static func specs(_ isAsymmetric: Bool = true) -> [TableSpec] {
        [
            TableSpec(
                "Part",
                columns: [ColumnSpec("name", .string), ColumnSpec("next", .link, target: "Part")],
                isEmbedded: true
            ),
            TableSpec("Thing", columns: [ColumnSpec("_id", .int)], primaryKey: "_id"),
            TableSpec(
                "Event",
                columns: [
                    ColumnSpec("_id", .int), ColumnSpec("text", .string), ColumnSpec("any", .mixed, optional: true),
                    ColumnSpec("numbers", .int, collection: .list), ColumnSpec("part", .link, target: "Part"),
                    ColumnSpec("parts", .link, collection: .list, target: "Part"),
                    ColumnSpec("map", .string, collection: .dictionary), ColumnSpec("thing", .link, target: "Thing"),
                ],
                primaryKey: "_id",
                isAsymmetric: isAsymmetric
            ),
        ]
    }

    private func open(_ name: String = "a.realm", journal: Bool = true) throws -> Database {
        let database = try Database.open(at: folder.file(name))
        try database.write(verifies: false) { transaction in
            try transaction.applySchema(Self.specs())
            if journal {
                try transaction.keepImages(ofTablesKeyed: "_id")
                try transaction.addJournalCursor("reader")
            }
        }
        return database
    }

    private func make(_ id: Int64, _ text: String, _ thing: ObjectKey?, _ write: WriteTransaction) throws -> ObjectKey {
        let (part, event) = (write.schema.table(named: "Part")!, write.schema.table(named: "Event")!)
        let columns = event.columns
        let key = try write.create(event, primaryKey: .int(id))
        try write.set(columns[1], key, to: .string(text))
        try write.set(columns[2], key, to: .double(1.5))
        try write.listInsert(columns[3], key, at: 0, values: [.int(1), .int(id)])
        var inner: ObjectKey?
        for depth in 0..<3 {
            let made = try write.create(part)
            try write.set(part.columns[0], made, to: .string("\(text) \(depth)"))
            if let inner { try write.set(part.columns[1], made, to: .link(inner)) }
            inner = made
        }
        try write.set(columns[4], key, to: .link(inner!))
        try write.listInsert(
            columns[5],
            key,
            at: 0,
            values: [.link(try write.create(part)), .link(try write.create(part))]
        )
        try write.dictionarySet(columns[6], key, forKey: "k", to: .string(text))
        if let thing { try write.set(columns[7], key, to: .link(thing)) }
        return key
    }

    @Test func `the journal has their content and that of owned objects, and no version has it`() throws {
        let database = try open()
        let (event, part) = (
            try database.snapshot().schema.table(named: "Event")!, try database.snapshot().schema.table(named: "Part")!
        )
        let write = try database.beginWrite()
        let thing = try write.create(write.schema.table(named: "Thing")!, primaryKey: .int(9))
        var keys: [ObjectKey] = []
        for id in 0..<2_000 as Range<Int64> {
            let key = try make(id % 1_500, "text \(id)", thing, write)
            try write.handOver(event, [key])
            keys.append(key)
            if id % 500 == 0 { expect(write.count(event) == 0 && write.count(part) == 0) }
        }
        let snapshot = try write.commit()
        expectEqual(snapshot.verify(), [])
        expect(snapshot.count(event) == 0 && snapshot.count(part) == 0)
        expect(snapshot.find(primaryKey: .int(3), in: event) == nil)

        let cursor = try require(snapshot.journalCursors.first)
        let entry = try require(try snapshot.journalEntry(at: cursor.position))
        var rows: [JournalObject: [Int: JournalContent]] = [:]
        var named: Set<JournalObject> = []
        try entry.forEach { change in
            switch change {
            case .row(let property, let content): rows[property.object, default: [:]][property.column] = content
            case .named(let object, _): named.insert(object)
            default: break
            }
        }
        for (id, key) in keys.enumerated() {
            let row = try require(rows[JournalObject(tableID: event.id, key: key)])
            expectEqual(row[event.columns[0].id], .value(.int(Int64(id % 1_500))))
            expectEqual(row[event.columns[1].id], .value(.string("text \(id)")))
            expectEqual(row[event.columns[3].id], .values([.int(1), .int(Int64(id % 1_500))]))
            guard case .value(.link(let owned))? = row[event.columns[4].id] else {
                Issue.record("\(id) has no part")
                continue
            }
            let inner = try require(rows[JournalObject(tableID: part.id, key: owned)])
            expectEqual(inner[part.columns[0].id], .value(.string("text \(id) 2")))
        }
    }

    @Test func `objects can't be handed over in a file without a journal`() throws {
        let database = try open("b.realm", journal: false)
        let write = try database.beginWrite()
        let event = write.schema.table(named: "Event")!
        let key = try make(1, "x", nil, write)
        #expect { try write.handOver(event, [key]) } throws: { ($0 as? EngineError)?.code == .invalidArgument }
        write.cancel()
        try expectEqual(database.snapshot().count(event), 0)
    }

    @Test func `the journal has none after a rollback`() throws {
        let database = try open()
        let write = try database.beginWrite()
        try write.handOver(write.schema.table(named: "Event")!, [try make(1, "x", nil, write)])
        write.cancel()
        let snapshot = try database.snapshot()
        let cursor = try require(snapshot.journalCursors.first)
        expect(try snapshot.journalEntry(at: cursor.position) == nil)
    }

    @Test func `a migration can make a class asymmetric, or the reverse, while it has no objects`() throws {
        let database = try open()
        let write = try database.beginWrite()
        #expect { try write.applySchema(Self.specs(false)) } throws: { ($0 as? EngineError)?.code == .schemaMismatch }
        try write.extendSchema(to: Self.specs(false), suspendsPrimaryKeys: false)
        try write.finishSchema(Self.specs(false), userVersion: 2)
        let event = write.schema.table(named: "Event")!
        expect(!event.isAsymmetric)
        _ = try write.create(event, primaryKey: .int(1))
        _ = try write.commit()
        let again = try database.beginWrite()
        #expect { try again.extendSchema(to: Self.specs(), suspendsPrimaryKeys: false) } throws: {
            ($0 as? EngineError)?.code == .schemaMismatch
        }
        again.deleteAll(again.schema.table(named: "Event")!)
        try again.extendSchema(to: Self.specs(), suspendsPrimaryKeys: false)
        try again.finishSchema(Self.specs(), userVersion: 3)
        let snapshot = try again.commit()
        expectEqual(snapshot.schema.table(named: "Event")?.isAsymmetric, true)
        expectEqual(snapshot.verify(), [])
    }

    @Test func `links to an asymmetric table, and an asymmetric table without a key, are refused`() throws {
        let database = try Database.open(at: folder.file("c.realm"))
        let write = try database.beginWrite()
        let link = TableSpec("Other", columns: [ColumnSpec("event", .link, target: "Event")])
        for specs in [
            Self.specs() + [link],
            [TableSpec("Event", columns: [ColumnSpec("a", .int)], isAsymmetric: true)],
        ] {
            #expect { try write.applySchema(specs) } throws: { ($0 as? EngineError)?.code == .invalidArgument }
        }
        write.cancel()
    }
}
