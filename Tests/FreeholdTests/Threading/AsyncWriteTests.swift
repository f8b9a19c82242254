import Dispatch
import Foundation
import Freehold
import TestScript
import Testing

@Suite("Threading: asynchronous writes of tasks")
struct AsyncWriteTests {
    @Test
    func `a write of a cancelled task doesn't run`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration, count: 0)
        let place = PlainPlace()
        try await place.open(configuration)
        let isCancelled = DispatchSemaphore(value: 0)
        let task = Task {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    isCancelled.wait()
                    continuation.resume()
                }
            }
            return try await place.write(1)
        }
        task.cancel()
        isCancelled.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        expect(await place.run { !$0.realm!.isInWriteTransaction && $0.realm!.isEmpty })
        expect(try await place.write(2))
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `a write that waits for another writer stops waiting when it is cancelled`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration, count: 0)
        let place = PlainPlace()
        try await place.open(configuration)
        let letGo = DispatchSemaphore(value: 0)
        let isHeld = DispatchSemaphore(value: 0)
        let isOver = DispatchSemaphore(value: 0)
        Thread {
            let realm = try! Realm(configuration: configuration)
            realm.beginWrite()
            isHeld.signal()
            letGo.wait()
            realm.cancelWrite()
            isOver.signal()
        }.start()
        try onAnotherThread { isHeld.wait() }
        let task = Task { try await place.write(1) }
        expect(try await eventually { await place.run { $0.realm!.isPerformingAsynchronousWriteOperations } })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try onAnotherThread {
            letGo.signal()
            isOver.wait()
        }
        expect(await place.run { !$0.realm!.isPerformingAsynchronousWriteOperations && $0.realm!.isEmpty })
        expect(try await place.write(2))
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `inside of the block, the realm performs an asynchronous write`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration, count: 0)
        let place = PlainPlace()
        try await place.open(configuration)
        expect(try await place.write(1))
        expect(await place.run { !$0.realm!.isPerformingAsynchronousWriteOperations })
        final class Box: @unchecked Sendable { var seen: [Bool] = [] }
        let box = Box()
        let queue = DispatchQueue(label: "performing")
        let realm = try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            realm.writeAsync { box.seen.append(realm.isPerformingAsynchronousWriteOperations) }
            realm.beginAsyncWrite {
                box.seen.append(realm.isPerformingAsynchronousWriteOperations)
                realm.commitAsyncWrite()
            }
            return Handle(realm)
        }
        expect(try await eventually { queue.sync { box.seen.count == 2 } })
        queue.sync {
            expectEqual(box.seen, [true, true])
            expect(!realm.realm!.isPerformingAsynchronousWriteOperations)
            realm.realm = nil
        }
        withExtendedLifetime(keeper) {}
    }

    private final class Handle: @unchecked Sendable {
        var realm: Realm?
        init(_ realm: Realm) { self.realm = realm }
    }
}

extension PlainPlace {
    /// Returns whether it ran as an asynchronous write.
    fileprivate func write(_ id: Int) async throws -> Bool {
        let realm = realm!
        return try await realm.asyncWrite {
            realm.create(THPerson.self, value: ["id": id])
            return realm.isPerformingAsynchronousWriteOperations && realm.isInWriteTransaction
        }
    }
}
