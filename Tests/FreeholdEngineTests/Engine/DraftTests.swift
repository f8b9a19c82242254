import Foundation
import TestRandom
import Testing

@testable import FreeholdEngine

/// Files that can't be opened before they are complete.
struct DraftTests {
    private static let count = 20_000
    private static let budget = 1 << 18

    private struct Filled {
        let database: Database
        let snapshot: Snapshot
        /// The bytes of LMDB's transaction before each commit.
        var held: [Int] = []
    }

    /// Objects with random keys, an index and links in both directions, created in one transaction and changed by
    /// another one.
    private func fill(_ path: String, isDraft: Bool, seed: UInt64, count: Int = count) throws -> Filled {
        var random = SeededRandom(seed: seed)
        var options = Database.Options()
        options.mapSize = 1 << 30
        options.memoryBudget = Self.budget
        options.isDraft = isDraft
        let database = try Database.open(at: path, options: options)
        var transaction = try database.beginWrite()
        try transaction.applySchema([
            TableSpec(
                "Item",
                columns: [
                    ColumnSpec("id", .string), ColumnSpec("text", .string, index: .values),
                    ColumnSpec("next", .link, optional: true, target: "Item"),
                    ColumnSpec("others", .link, collection: .list, target: "Item"),
                    ColumnSpec("any", .mixed, optional: true),
                ],
                primaryKey: "id"
            )
        ])
        let table = try require(transaction.schema.table(named: "Item"))
        let column = { table.column(named: $0)! }
        let keys = try (0..<count).shuffled(using: &random).map {
            try transaction.create(table, primaryKey: .string("item \($0)"))
        }
        var held: [Int] = []
        for round in 0..<2 {
            for key in keys {
                let text = "\(round) \(UInt64.random(in: 0 ... .max, using: &random))"
                try transaction.set(column("text"), key, to: .string(text))
                try transaction.set(column("next"), key, to: .link(keys.randomElement(using: &random)!))
                let link = ObjectLink(tableID: table.id, key: keys.randomElement(using: &random)!)
                try transaction.set(column("any"), key, to: .objectLink(link))
                let others = (0..<2).map { _ in Value.link(keys.randomElement(using: &random)!) }
                try transaction.listAppend(column("others"), key, values: others)
            }
            transaction.spill()
            held.append(transaction.storageWriter?.bytesStored ?? 0)
            let snapshot = try transaction.commit()
            if round == 1 { return Filled(database: database, snapshot: snapshot, held: held) }
            transaction = try database.beginWrite()
        }
        fatalError("there are two rounds")
    }

    @Test func `a draft holds what any file would, and LMDB's transaction little of it`() throws {
        let seed =
            ProcessInfo.processInfo.environment["FREEHOLD_SEED"].flatMap { UInt64($0) }
            ?? TestSeed.random(in: 0 ... .max)
        print("FREEHOLD_SEED=\(seed)")
        let folder = TemporaryFolder()
        let usual = try fill(folder.file("usual"), isDraft: false, seed: seed)
        let draft = try fill(folder.file("draft"), isDraft: true, seed: seed)
        expect(usual.held.allSatisfy { $0 > 4 * Self.budget }, "\(usual.held)")
        expect(draft.held.allSatisfy { $0 <= 2 * Self.budget }, "\(draft.held)")
        // Each of LMDB's commits is a version.
        expect(draft.snapshot.version > usual.snapshot.version + 8)
        expectEqual(draft.snapshot.verify(), [])
        let table = try require(draft.snapshot.schema.table(named: "Item"))
        expectEqual(draft.snapshot.count(table), Self.count)
        expectEqual(usual.snapshot.keys(table), draft.snapshot.keys(table))
        for column in table.columns {
            let areEqual = usual.snapshot.keys(table).allSatisfy { key in
                guard column.collection == .list else {
                    return usual.snapshot.value(column, key) == draft.snapshot.value(column, key)
                }
                return usual.snapshot.listValues(column, key) == draft.snapshot.listValues(column, key)
            }
            expect(areEqual, "\(column.name)")
        }
    }

    @Test func `a draft that was opened again is like any other file`() throws {
        let folder = TemporaryFolder()
        let path = folder.file("draft")
        // Enough for several of LMDB's commits.
        let count = TestBudget.cases(8_000, soak: Self.count)
        let version = try fill(path, isDraft: true, seed: 1, count: count).snapshot.version
        expect(version > 3)
        let database = try Database.open(at: path)
        let snapshot = try database.snapshot()
        expect(snapshot.version == version && snapshot.verify() == [])
        let table = try require(snapshot.schema.table(named: "Item"))
        let transaction = try database.beginWrite()
        _ = try transaction.create(table, primaryKey: .string("one more"))
        let next = try transaction.commit()
        expect(next.version == version + 1 && next.count(table) == count + 1 && next.verify() == [])
        expectEqual(next.changes(ofVersion: version + 1)?.changes(of: table)?.inserted.count, 1)
    }
}
