import Foundation
import Testing

@testable import FreeholdEngine

/// Single blocks that can't be what was stored there.
struct `Damaged blocks` {
    private func sample(_ path: String) throws -> Database {
        let database = try Database.open(at: path)
        let transaction = try database.beginWrite()
        try transaction.applySchema([
            TableSpec(
                "Person",
                columns: [
                    ColumnSpec("id", .int), ColumnSpec("name", .string), ColumnSpec("best", .link, target: "Person"),
                    ColumnSpec("numbers", .int, collection: .list),
                ],
                primaryKey: "id"
            )
        ])
        let table = transaction.schema.tables[0]
        for i in 0..<100 {
            let key = try transaction.create(table, primaryKey: .int(Int64(i) * 3))
            try transaction.set(table.columns[1], key, to: .string("name \(i)"))
            try transaction.set(table.columns[2], key, to: .link(ObjectKey(0)))
            if i == 4 { try transaction.listAppend(table.columns[3], key, values: (0..<5000).map { .int($0 << 40) }) }
        }
        _ = try transaction.commit()
        return database
    }

    private func change(
        _ database: Database,
        _ segment: UInt32,
        _ number: UInt64,
        _ body: (inout [UInt8]) -> Void
    ) throws {
        let address = BlockAddress(segment: segment, number: number)
        let envelope = database.core.envelope
        try database.core.storage.write(in: envelope) { writer throws(EngineError) in
            var bytes = envelope.bytes(writer.get(address)!, at: address)!
            body(&bytes)
            try writer.put(segment, number, bytes)
        }
    }

    /// Makes every kind of change to every column.
    private func write(_ database: Database) throws {
        let transaction = try database.beginWrite()
        let table = transaction.schema.tables[0]
        for key in transaction.keys(table) {
            _ = transaction.listValues(table.columns[3], key)
            try transaction.set(table.columns[1], key, to: .string("other"))
            try transaction.set(table.columns[2], key, to: .link(key))
            try transaction.listInsert(table.columns[3], key, at: 0, value: .int(1))
        }
        if transaction.find(primaryKey: .int(5000), in: table) == nil {
            _ = try transaction.create(table, primaryKey: .int(5000))
        }
        transaction.delete(table, transaction.keys(table).filter { $0.raw % 7 == 3 })
        _ = try transaction.commit()
    }

    private func code(_ body: () throws -> Void) -> EngineError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? EngineError)?.code
        }
    }

    @Test(arguments: ColumnSegment.leaf.rawValue...ColumnSegment.backlinkLeaf.rawValue, [0, 1, 6])
    func `a damaged block makes a commit throw, and changes nothing`(kind: UInt32, byte: Int) throws {
        let folder = TemporaryFolder()
        let database = try sample(folder.file())
        let schema = try database.snapshot().schema
        for column in schema.tables[0].columns {
            let segment = column.firstSegment + kind
            var numbers: [UInt64] = []
            try database.snapshot().forEachBlock(segment) { number, _ in
                numbers.append(number)
                return true
            }
            for number in numbers {
                let bytes = try require(try database.stored(segment, number))
                try change(database, segment, number) { $0[byte] ^= 0x55 }
                let version = database.lastVersion
                let before = try database.snapshot().verify()
                let thrown = code { try write(database) }
                expectEqual(thrown, .invalidDatabase, "byte \(byte) of block \(number) of \(column.name), \(kind)")
                expect(!before.isEmpty)
                expectEqual(database.lastVersion, version)
                try change(database, segment, number) { $0 = bytes }
                try expectEqual(database.snapshot().verify(), [])
            }
        }
        try write(database)
        try expectEqual(database.snapshot().verify(), [])
    }

    @Test func `a damaged block ends the process in a getter, with a message that names the file`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let folder = TemporaryFolder()
            let suite = `Damaged blocks`()
            let database = try suite.sample(folder.file("precious.realm"))
            let column = try database.snapshot().schema.tables[0].columns[0]
            try suite.change(database, column.segment(.leaf), 0) { $0[4] = 0xFF }
            _ = try database.snapshot().readInt(column, ObjectKey(1))
        }
        let said = String(decoding: try require(result).standardErrorContent, as: UTF8.self)
        expect(said.contains("invalidDatabase: The file is damaged: block 0 of segment"))
        expect(said.contains("precious.realm"))
    }

    @Test func `a block with impossible numbers causes no large allocation`() throws {
        let folder = TemporaryFolder()
        let database = try sample(folder.file())
        let table = try database.snapshot().schema.tables[0]
        var state = try database.snapshot().tableState(table)
        for change: (inout TableState) -> Void in [
            { $0.nextKey = .max }, { $0.nextKey = 1 << 37 }, { $0.count = 1 << 61 }, { $0.nextKey = -1 },
            { $0.columns[0]?.nextIndex = 1 << 61 }, { $0.columns[3]?.nextBlob = .max },
            { $0.columns[0]?.indexRoot = 1 << 40 }, { $0.columns[0]?.indexHeight = 1 << 20 },
        ] {
            let sound = state
            change(&state)
            try self.change(database, table.firstSegment, 0) { $0 = state.encoded() }
            expect(try !database.snapshot().verify().isEmpty)
            expectEqual(code { try write(database) }, .invalidDatabase)
            state = sound
            try self.change(database, table.firstSegment, 0) { $0 = state.encoded() }
        }
        try write(database)
    }
}
