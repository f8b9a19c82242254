import Foundation
import Synchronization
import TestScript
import Testing

@testable import FreeholdEngine

struct EngineConcurrencyTests {
    private func database(_ folder: TemporaryFolder) throws -> Database {
        var options = Database.Options()
        options.mapSize = 1 << 28
        options.clusterSpan = 50
        let database = try Database.open(at: folder.file(), options: options)
        let t = try database.beginWrite()
        try t.applySchema([
            TableSpec(
                "Item",
                columns: [
                    ColumnSpec("value", .int, indexed: true), ColumnSpec("name", .string),
                    ColumnSpec("all", .int, collection: .list),
                ]
            )
        ])
        let item = t.schema.tables[0]
        for i in 0..<500 {
            let key = try t.create(item)
            t.setInt(item.columns[0], key, to: 0)
            t.setString(item.columns[1], key, to: "name \(i)")
            try t.listAppend(item.columns[2], key, values: [.int(0), .int(Int64(i))])
        }
        _ = try t.commit()
        return database
    }

    /// Returns whether every object's value, list and index have the same number in one version.
    private static func isRight(_ snapshot: Snapshot, _ expected: Int64) -> Bool {
        let item = snapshot.schema.tables[0]
        for key in snapshot.keys(item) {
            guard snapshot.readInt(item.columns[0], key) == expected,
                snapshot.listValue(item.columns[2], key, at: 0) == .int(expected),
                snapshot.readString(item.columns[1], key) == "name \(key.raw)"
            else { return false }
        }
        return snapshot.find(.int(expected), indexed: item.columns[0]).count == snapshot.count(item)
    }

    @Test func `readers see their version while a writer commits`() throws {
        let folder = TemporaryFolder()
        let database = try database(folder)
        let first = try database.snapshot()
        let isDone = Atomic(false)
        let failures = Atomic(0)
        let group = DispatchGroup()
        for _ in 0..<4 {
            Thread {
                // One snapshot is shared by all readers, and one is the newest.
                repeat {
                    guard let newest = try? database.snapshot() else {
                        failures.add(1, ordering: .relaxed)
                        continue
                    }
                    let item = newest.schema.tables[0]
                    let value = newest.readInt(item.columns[0], ObjectKey(0))!
                    if !Self.isRight(newest, value) || !Self.isRight(first, 0) { failures.add(1, ordering: .relaxed) }
                } while !isDone.load(ordering: .acquiring)
                group.leave()
            }.startIn(group)
        }
        let other = try Database.open(at: folder.file())
        var kept: [(Snapshot, Int64)] = []
        for round in 1...12 {
            let t = try (round % 2 == 0 ? other : database).beginWrite()
            let item = t.schema.tables[0]
            for key in t.keys(item) {
                t.setInt(item.columns[0], key, to: Int64(round))
                try t.listSet(item.columns[2], key, at: 0, to: .int(Int64(round)))
            }
            kept.append((try t.commit(), Int64(round)))
        }
        isDone.store(true, ordering: .releasing)
        group.wait()
        expectEqual(failures.load(ordering: .relaxed), 0)
        for (snapshot, value) in kept { expect(Self.isRight(snapshot, value)) }
        expectEqual(kept.last!.0.verify(), [])
    }

    @Test func `writers of many tasks and threads take turns`() async throws {
        let folder = TemporaryFolder()
        let database = try database(folder)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for _ in 0..<5 {
                        let t = try await database.beginWriteAsync()
                        let item = t.schema.tables[0]
                        let key = ObjectKey(Int64(task))
                        t.setInt(item.columns[0], key, to: t.readInt(item.columns[0], key)! + 1)
                        let total = ObjectKey(100)
                        t.setInt(item.columns[0], total, to: t.readInt(item.columns[0], total)! + 1)
                        _ = try t.commit()
                    }
                }
            }
            try await group.waitForAll()
        }
        let snapshot = try database.snapshot()
        let item = snapshot.schema.tables[0]
        expectEqual(snapshot.readInt(item.columns[0], ObjectKey(100)), 40)
        for task in 0..<8 { expectEqual(snapshot.readInt(item.columns[0], ObjectKey(Int64(task))), 5) }
        expectEqual(snapshot.verify(), [])
    }

    @Test func `writers write in the order of their requests`() async throws {
        let folder = TemporaryFolder()
        let database = try database(folder)
        let held = try database.beginWrite()
        let order = Order()
        var tasks: [Task<Void, any Error>] = []
        for i in 0..<5 {
            tasks.append(
                Task { @Sendable in
                    let t = try await database.beginWriteAsync()
                    order.numbers.withLock { $0.append(i) }
                    t.cancel()
                }
            )
            expect(try await eventually { database.core.writerLock.waitingCount > i })
        }
        held.cancel()
        for task in tasks { try await task.value }
        expectEqual(order.numbers.withLock { $0 }, [0, 1, 2, 3, 4])
    }
}

extension Thread {
    fileprivate func startIn(_ group: DispatchGroup) {
        group.enter()
        start()
    }
}

private final class Order: Sendable {
    let numbers = Mutex<[Int]>([])
}
