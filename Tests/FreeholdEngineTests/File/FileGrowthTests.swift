import Foundation
import Testing

@testable import FreeholdEngine

/// That files of many small transactions stay small. `FREEHOLD_LONG=1` for a hundred thousand of them.
struct FileGrowthTests {
    let folder = TemporaryFolder()
    private static let isLong = ProcessInfo.processInfo.environment["FREEHOLD_LONG"] != nil
    private static let transactions = isLong ? 100_000 : 1_500

    private func open() throws -> (Database, Table, ObjectKey) {
        // Without flushes, unless a long run is allowed. The pages are the same.
        let database =
            try Self.isLong
            ? Database.open(at: folder.file()) : Database.inMemory(identifier: UUID().uuidString)
        let transaction = try database.beginWrite()
        try transaction.applySchema([
            TableSpec("Counter", columns: [ColumnSpec("number", .int), ColumnSpec("text", .string)])
        ])
        let table = transaction.schema.table(named: "Counter")!
        let key = try transaction.create(table)
        _ = try transaction.commit()
        return (database, table, key)
    }

    private func write(_ count: Int, _ database: Database, _ table: Table, _ key: ObjectKey) throws {
        for i in 0..<count {
            let transaction = try database.beginWrite()
            try transaction.set(table.columns[0], key, to: .int(Int64(i)))
            try transaction.set(table.columns[1], key, to: .string("the number \(i)"))
            // One more object, and the deletion of an older one.
            let other = try transaction.create(table)
            try transaction.set(table.columns[0], other, to: .int(Int64(i)))
            if other.raw > 20 { transaction.delete(table, [ObjectKey(other.raw - 20)]) }
            _ = try transaction.commit()
        }
    }

    private func size(_ database: Database) throws -> Int { Int(try database.fileUse().total) }

    @Test func `a file doesn't grow with small transactions if no reader holds an old version`() throws {
        let (database, table, key) = try open()
        try write(500, database, table, key)
        let use = try database.fileUse()
        try write(Self.transactions, database, table, key)
        expect(try size(database) <= Int(use.total) + 2 << 20)
        expect(try size(database) < 5 << 20)
        expect(try database.fileUse().used < 1 << 20)
        try expectEqual(database.snapshot().verify(), [])
    }

    @Test func `a held version makes the file grow by the written bytes, and no more after its release`() throws {
        let (database, table, key) = try open()
        try write(200, database, table, key)
        let before = try size(database)
        var held: Snapshot? = try database.snapshot()
        let count = min(Self.transactions, 10_000) / 2
        try write(count, database, table, key)
        let pinned = try size(database)
        // A small transaction writes some 15 pages.
        expect(pinned < before + count * 25 * 4096 + 2 << 20)
        expect(held?.version ?? 0 > 0)
        expectEqual(database.activeVersionCount, UInt64(count) + 1)
        // The history is limited, although the version behind it is held.
        var newest: Snapshot? = try database.snapshot()
        let version = database.lastVersion
        expect(newest?.changes(ofVersion: version - 100) != nil)
        if count > 1_200 { expect(newest?.changes(ofVersion: version - 1_150) == nil) }
        newest = nil
        held = nil
        try write(count, database, table, key)
        expect(try size(database) <= pinned + 2 << 20)
    }
}
