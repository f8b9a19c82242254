import Dispatch
import Foundation
import FreeholdEngine
import Synchronization
import TestHerd
import TestScript
import Testing

@testable import Freehold

/// Places that have requested a write and don't take it, because they are busy.
@Suite("Threading: busy places")
struct BusyPlaceTests {
    static let ways = ["writeAsync", "beginAsyncWrite", "asyncWrite"]

    /// Makes a mistake an error instead of a test without an end.
    private func limited(_ configuration: Realm.Configuration) -> Realm.Configuration {
        var configuration = configuration
        configuration.busyTimeout = .seconds(30)
        return configuration
    }

    @Test(arguments: ways)
    func `a busy place of another process delays no other writer`(way: String) throws {
        let folder = try ChildFolder()
        let path = folder.file("busy.realm")
        let configuration = limited(Herd.configuration(path))
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            try Herd.make(realm)
            realm.beginWrite()
            let child = try ChildProcess(["busy-writer", path, way])
            expectEqual(child.readLine(), "asked")
            try realm.commitWrite()
            // The child gets the lock now, and its place doesn't take it.
            for i in 0..<3 { try realm.write { realm.create(Cow.self, value: ["id": 2000 + i]) } }
            child.send("go")
            expectEqual(child.readLine(), "wrote")
            expectEqual(child.wait(), 0)
            realm.refresh()
            expect(realm.object(ofType: Cow.self, forPrimaryKey: 1000) != nil)
        }
    }

    @Test(arguments: ways.dropLast())
    func `a queue waits for the write of another queue after requesting one`(way: String) async throws {
        let configuration = limited(threadingConfiguration())
        let keeper = try threadingRealm(configuration, count: 0)
        let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
        let counts = Mutex<[Int]>([])
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            first.async {
                done.resume(
                    with: Result {
                        let realm = try Realm(configuration: configuration, queue: first)
                        for i in 0..<3 {
                            func write() {
                                realm.add(THPerson(id: i, name: "", age: 0))
                                counts.withLock { $0.append(realm.objects(THPerson.self).count) }
                            }
                            if way == "writeAsync" {
                                realm.writeAsync { write() }
                            } else {
                                realm.beginAsyncWrite {
                                    write()
                                    realm.commitAsyncWrite()
                                }
                            }
                        }
                        // This write has to wait for the lock, which is offered to the first queue.
                        try second.sync {
                            let realm = try Realm(configuration: configuration, queue: second)
                            try realm.write { realm.add(THPerson(id: 10, name: "", age: 0)) }
                        }
                    }
                )
            }
        }
        expect(try await eventually { counts.withLock { $0.count } == 3 })
        expectEqual(counts.withLock { $0 }, [2, 3, 4])
        withExtendedLifetime(keeper) {}
    }

    private actor Kennel {
        private var realm: Realm!
        private(set) var order: [Int] = []

        func open(_ configuration: Realm.Configuration) async throws {
            realm = try await Realm.open(configuration: configuration)
        }

        func write(_ id: Int) async throws {
            try await realm.asyncWrite {
                realm.add(THPerson(id: id, name: "", age: 0))
                order.append(id)
            }
        }

        /// Keeps the actor busy until a write of another thread is committed.
        func wait(for other: @Sendable () throws -> Void) throws {
            expect(realm.isPerformingAsynchronousWriteOperations)
            try other()
        }
    }

    @Test
    func `an actor waits for the write of a thread after many of its tasks have requested one`() async throws {
        let configuration = limited(threadingConfiguration())
        let keeper = try threadingRealm(configuration, count: 0)
        let kennel = Kennel()
        try await kennel.open(configuration)
        let isHeld = DispatchSemaphore(value: 0)
        let letGo = DispatchSemaphore(value: 0)
        let holder = Thread {
            try! Realm(configuration: configuration).write {
                isHeld.signal()
                letGo.wait()
            }
        }
        holder.start()
        try onAnotherThread { isHeld.wait() }
        let tasks = (0..<20).map { id in Task { try await kennel.write(id) } }
        let database = try await Realm.read(configuration) { $0.core.database }
        expect(try await eventually { database.waitingWriterCount == tasks.count })
        try await kennel.wait {
            letGo.signal()
            try writeElsewhere(configuration) { realm in
                expectEqual(realm.objects(THPerson.self).count, 0)
                realm.add(THPerson(id: 100, name: "", age: 0))
            }
        }
        for task in tasks { try await task.value }
        expectEqual(await kennel.order.sorted(), Array(0..<20))
        withExtendedLifetime(keeper) {}
    }
}
