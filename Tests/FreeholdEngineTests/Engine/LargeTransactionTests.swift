import Foundation
import Synchronization
import Testing

@testable import FreeholdEngine

/// Transactions larger than the memory budget.
struct LargeTransactionTests {
    static let budget = 200_000

    private func database(_ folder: TemporaryFolder) throws -> Database {
        var options = Database.Options()
        options.memoryBudget = Self.budget
        options.clusterSpan = 100
        options.mapSize = 1 << 30
        options.faults = FaultInjector { _ in 0 }
        let database = try Database.open(at: folder.file(), options: options)
        let t = try database.beginWrite()
        try t.applySchema([
            TableSpec(
                "Item",
                columns: [
                    ColumnSpec("id", .int), ColumnSpec("text", .string), ColumnSpec("group", .int, indexed: true),
                    ColumnSpec("next", .link, target: "Item"), ColumnSpec("numbers", .int, collection: .list),
                ],
                primaryKey: "id"
            )
        ])
        _ = try t.commit()
        return database
    }

    private func fill(_ t: WriteTransaction, _ n: Int) throws -> Int {
        let item = t.schema.table(named: "Item")!
        var largest = 0
        for i in 0..<n {
            let key = try t.create(item, primaryKey: .int(Int64(i)))
            t.setString(item.columns[1], key, to: "text \(i) " + String(repeating: "z", count: 300))
            t.setInt(item.columns[2], key, to: Int64(i % 10))
            t.setLink(item.columns[3], key, to: ObjectKey(key.raw / 2))
            if i % 50 == 0 { try t.listAppend(item.columns[4], key, values: (0..<40).map { .int(Int64($0 * i)) }) }
            largest = max(largest, t.memoryInUse)
        }
        return largest
    }

    @Test func `a transaction beyond the budget reads, edits, deletes and commits`() throws {
        let folder = TemporaryFolder()
        let database = try database(folder)
        let t = try database.beginWrite()
        var largest = try fill(t, 6000)
        expect(t.storageWriter != nil, "nothing was spilled")
        let item = t.schema.table(named: "Item")!
        for i in stride(from: 0, to: 6000, by: 7) {
            let key = ObjectKey(Int64(i * 5 % 6000))
            expectEqual(t.readInt(item.columns[0], key), key.raw)
            expectEqual(t.readString(item.columns[1], key)?.hasPrefix("text \(key.raw) "), true)
            expectEqual(t.find(primaryKey: .int(key.raw), in: item), key)
            largest = max(largest, t.memoryInUse)
            t.setString(item.columns[1], key, to: "text \(key.raw) edited" + String(repeating: "y", count: 400))
            largest = max(largest, t.memoryInUse)
        }
        expect(largest < 2 * Self.budget, "\(largest) bytes in memory")
        largest = 0
        expectEqual(t.find(.int(3), indexed: item.columns[2]).count, 600)
        expectEqual(t.backlinkCount(item.columns[3], ObjectKey(100)), 2)
        for i in stride(from: 0, to: 6000, by: 3) {
            t.delete(item, ObjectKey(Int64(i)))
            largest = max(largest, t.memoryInUse)
        }
        let snapshot = try t.commit()
        expectEqual(snapshot.count(item), 4000)
        expectEqual(snapshot.verify(), [])
        expect(snapshot.readLink(item.columns[3], ObjectKey(7)) == nil)
        expect(largest < 4 * Self.budget, "\(largest) bytes in memory")
    }

    @Test func `many edits of one large list stay within the budget`() throws {
        let folder = TemporaryFolder()
        let database = try database(folder)
        let t = try database.beginWrite()
        let item = t.schema.table(named: "Item")!
        let key = try t.create(item, primaryKey: .int(1))
        var model: [Int64] = []
        var largest = 0
        for i in 0..<4000 {
            let at = i * 31 % (model.count + 1)
            try t.listInsert(item.columns[4], key, at: at, value: .int(Int64(i)))
            model.insert(Int64(i), at: at)
            largest = max(largest, t.memoryInUse)
        }
        expect(largest < 2 * Self.budget, "\(largest) bytes in memory")
        let snapshot = try t.commit()
        expectEqual(snapshot.listValues(item.columns[4], key), model.map(Value.int))
        expectEqual(snapshot.verify(), [])
    }

    @Test func `cancelling a spilled transaction doesn't change the file`() throws {
        let folder = TemporaryFolder()
        let database = try database(folder)
        let before = try database.snapshot()
        let t = try database.beginWrite()
        _ = try fill(t, 3000)
        t.cancel()
        expectEqual(database.lastVersion, before.version)
        let u = try database.beginWrite()
        _ = try fill(u, 10)
        let after = try u.commit()
        expectEqual(after.version, before.version + 1)
        expectEqual(after.count(after.schema.tables[0]), 10)
        expectEqual(after.verify(), [])
    }

    @Test func `growing strings of one object keep their bytes`() throws {
        let folder = TemporaryFolder()
        let database = try database(folder)
        let t = try database.beginWrite()
        let item = t.schema.table(named: "Item")!
        let key = try t.create(item, primaryKey: .int(1))
        for n in 0..<1500 {
            t.setString(item.columns[1], key, to: String(repeating: "g", count: n))
            expectEqual(t.readString(item.columns[1], key)?.utf8.count, n)
        }
        try expectEqual(t.commit().verify(), [])
    }

    @Test(arguments: [0, 1, 7, 40, 100, 150, 200, 260, 320])
    func `a full disk amid a large transaction fails its commit and loses nothing`(_ puts: Int) throws {
        let folder = TemporaryFolder()
        let database = try database(folder)
        let t0 = try database.beginWrite()
        _ = try fill(t0, 300)
        let before = try t0.commit()
        let left = Counter(puts)
        database.core.storage.options.faults?.set { operation in
            guard operation == .put else { return 0 }
            return left.value.subtract(1, ordering: .relaxed).newValue < 0 ? ENOSPC : 0
        }
        let t = try database.beginWrite()
        let item = t.schema.table(named: "Item")!
        var keys: [ObjectKey] = []
        do throws(EngineError) {
            for i in 300..<2500 {
                let key = try t.create(item, primaryKey: .int(Int64(i)))
                keys.append(key)
                t.setString(item.columns[1], key, to: String(repeating: "z", count: 400))
                t.setInt(item.columns[2], key, to: Int64(i % 10))
                t.setLink(item.columns[3], key, to: ObjectKey(Int64(i % 300)))
                if i % 20 == 0 { try t.listAppend(item.columns[4], key, values: (0..<400).map { .int(Int64($0 * i)) }) }
                if i % 30 == 0 { t.delete(item, ObjectKey(Int64(i / 30))) }
                if i % 400 == 0 { _ = t.find(.int(3), indexed: item.columns[2]) }
            }
        } catch {
            expectEqual(error.code, .outOfDiskSpace)
        }
        t.delete(item, ObjectKey(120))
        expect(t.backlinkCount(item.columns[3], ObjectKey(130)) >= 0)
        let error = #expect(throws: EngineError.self) { try t.commit() }
        expectEqual(error?.code, .outOfDiskSpace)
        database.core.storage.options.faults?.set { _ in 0 }
        let after = try database.snapshot()
        expectEqual(after.version, before.version)
        expectEqual(after.count(item), 300)
        expectEqual(after.verify(), [])
        let next = try database.beginWrite()
        next.delete(item, ObjectKey(3))
        try expectEqual(next.commit().verify(), [])
    }
}

private final class Counter: Sendable {
    let value: Atomic<Int>
    init(_ n: Int) { value = Atomic(n) }
}
