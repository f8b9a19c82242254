import Foundation
import Testing

@testable import Freehold

@Suite("Threading: a store")
struct StoreTests {
    @Test func `reads, writes and changes need no configuration`() async throws {
        try await withServerStore(serverConfiguration(inMemory: false)) { store in
            let id = try await store.write { realm in realm.create(ServerEntry.self, value: ["id": 7]).id }
            // The block's result is an object, which the caller discards.
            try await store.write { realm in realm.create(ServerEntry.self, value: ["id": 8]) }
            try await expectEqual(store.read { $0.object(ofType: ServerEntry.self, forPrimaryKey: id)?.id }, 7)
            var iterator = try await store.changes { $0.objects(ServerEntry.self) }.makeAsyncIterator()
            guard case .initial(let found) = await iterator.next(isolation: nil) else {
                Issue.record("The first element isn't the state.")
                return
            }
            expectEqual(found.count, 2)
            try await store.write { realm in realm.add(ServerEntry(id: 9)) }
            guard case .update(_, _, let insertions, _) = await iterator.next(isolation: nil) else {
                Issue.record("The second element isn't an update.")
                return
            }
            expectEqual(insertions.count, 1)
            let statistics = try await store.statistics()
            expect(statistics.fileBytes > 0 && statistics.usedBytes <= statistics.fileBytes)
            expect(statistics.waitingWriters == 0 && statistics.activeVersions >= 1)
        }
    }

    @Test func `a store holds no version of the file`() async throws {
        try await withServerStore { store in
            for i in 0..<20 { try await store.write { $0.add(ServerEntry(id: i)) } }
            _ = try await store.read { $0.objects(ServerEntry.self).count }
            try await expectEqual(store.statistics().activeVersions, 1)
        }
    }

    @Test func `closing waits for running calls, refuses new ones, and closes the file`() async throws {
        let configuration = serverConfiguration(inMemory: false)
        let store = try await Realm.Store(configuration)
        let begun = Locked(false)
        let goOn = Locked(false)
        let writing = Task {
            try await store.write { realm in
                begun.change { $0 = true }
                while !goOn.value { usleep(500) }
                realm.add(ServerEntry(id: 1))
            }
        }
        while !begun.value { try await Task.sleep(for: .milliseconds(1)) }
        let closed = Locked(0)
        let closing = (0..<3).map { _ in
            Task {
                await store.close()
                closed.change { $0 += 1 }
            }
        }
        while !store.isClosed { try await Task.sleep(for: .milliseconds(1)) }
        let error = await #expect(throws: Realm.Error.self) { try await store.read { $0.isEmpty } }
        expectEqual(error?.code, .databaseClosed)
        expectEqual(closed.value, 0)
        goOn.change { $0 = true }
        try await writing.value
        for task in closing { await task.value }
        await store.close()
        // The file isn't open any more.
        try await expectEqual(Realm.read(configuration) { $0.objects(ServerEntry.self).count }, 1)
        expect(try Realm.deleteFiles(for: configuration))
    }

    @Test func `run ends with its task, or with the store`() async throws {
        let store = try await Realm.Store(serverConfiguration())
        let running = Task { try await store.run() }
        running.cancel()
        try await running.value
        expect(store.isClosed)
        let other = try await Realm.Store(serverConfiguration())
        let waiting = Task { try await other.run() }
        await other.close()
        try await waiting.value
        try await other.run()
    }

    @Test func `a store of a read-only file reads, and refuses to write`() async throws {
        let configuration = serverConfiguration(inMemory: false)
        try await Realm.write(configuration) { $0.add(ServerEntry(id: 1)) }
        var readOnly = configuration
        readOnly.readOnly = true
        let store = try await Realm.Store(readOnly)
        try await expectEqual(store.read { $0.objects(ServerEntry.self).count }, 1)
        let error = await #expect(throws: Realm.Error.self) { try await store.write { $0.add(ServerEntry(id: 2)) } }
        expectEqual(error?.code, .readOnly)
        await store.close()
        _ = try Realm.deleteFiles(for: configuration)
    }

    @Test func `a thousand writers write in the order of their calls`() async throws {
        try await withServerStore { store in
            let holder = try await HeldWriter(store)
            let order = Locked<[Int]>([])
            var tasks: [Task<Int, any Error>] = []
            for i in 0..<1000 {
                tasks.append(
                    Task {
                        try await store.write { realm in
                            order.change { $0.append(i) }
                            let counter = realm.object(ofType: ServerCounter.self, forPrimaryKey: "all")!
                            counter.value += 1
                            return counter.value
                        }
                    }
                )
                while store.waitingWriterCount <= i { await Task.yield() }
            }
            try await holder.release()
            for (i, task) in tasks.enumerated() { try await expectEqual(task.value, i + 1) }
            expectEqual(order.value, Array(0..<1000))
        }
    }
}
