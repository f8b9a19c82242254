import Dispatch
import Foundation
import Freehold
import TestScript
import Testing

/// Synchronous writes of a realm that has asynchronous ones under way.
@Suite("Threading: writes that overtake")
struct AsyncTurnTests {
    /// Used on its queue.
    private final class Place: @unchecked Sendable {
        let queue = DispatchQueue(label: "overtaking")
        var realm: Realm?
        var log: [String] = []
        var second: Realm.AsyncTransactionId = 0
    }

    private func person(_ id: Int) -> THPerson { THPerson(id: id, name: "", age: 0) }

    /// - Parameter begun: Whether the asynchronous write already has the lock when the synchronous one begins.
    @Test(arguments: [true, false])
    func `a synchronous write precedes waiting asynchronous ones of its queue`(begun: Bool) async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration, count: 0)
        let place = Place()
        let isHeld = DispatchSemaphore(value: 0)
        let letGo = DispatchSemaphore(value: 0)
        if !begun {
            // Another thread writes in the meantime, so that both writes have to wait.
            Thread {
                let realm = try! Realm(configuration: configuration)
                try! realm.write {
                    isHeld.signal()
                    letGo.wait()
                }
            }.start()
            isHeld.wait()
        }
        try place.queue.sync {
            let realm = try Realm(configuration: configuration, queue: place.queue)
            place.realm = realm
            for i in 0..<3 {
                realm.writeAsync {
                    place.log.append("async \(i)")
                    realm.add(person(i))
                } onComplete: {
                    place.log.append("\(i) \($0 == nil)")
                }
            }
            if begun { usleep(100_000) }
            letGo.signal()
            if !begun { usleep(20_000) }
            try realm.write {
                place.log.append("sync \(realm.objects(THPerson.self).count)")
                realm.add(person(10))
            }
            realm.beginWrite()
            realm.add(person(11))
            realm.cancelWrite()
        }
        expect(try await eventually { place.queue.sync { place.log.count == 7 } })
        place.queue.sync {
            expectEqual(place.log.first, "sync 0")
            expectEqual(place.log.filter { $0.hasPrefix("async") }, ["async 0", "async 1", "async 2"])
            expect(Set(place.log.suffix(6)).isSuperset(of: ["0 true", "1 true", "2 true"]))
            expectEqual(place.realm!.objects(THPerson.self).count, 4)
            expect(!place.realm!.isPerformingAsynchronousWriteOperations)
            place.realm = nil
        }
        withExtendedLifetime(keeper) {}
    }

    private actor Writer {
        private var realm: Realm!

        func open(_ configuration: Realm.Configuration) async throws {
            realm = try await Realm.open(configuration: configuration)
        }

        func writeLater(_ id: Int) async throws {
            try await realm.asyncWrite { realm.add(THPerson(id: id, name: "", age: 0)) }
        }

        func write(_ id: Int) throws { try realm.write { realm.add(THPerson(id: id, name: "", age: 0)) } }

        var count: Int { realm.objects(THPerson.self).count }
    }

    @Test
    func `an actor's tasks write both ways at once`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration, count: 0)
        let writer = Writer()
        try await writer.open(configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for i in 0..<25 {
                        let id = task * 100 + i
                        if task % 2 == 0 { try await writer.writeLater(id) } else { try await writer.write(id) }
                    }
                }
            }
            group.addTask {
                for i in 0..<25 {
                    try await Realm.write(configuration) { $0.add(THPerson(id: 1000 + i, name: "", age: 0)) }
                }
            }
            try await group.waitForAll()
        }
        expect(try await eventually { await writer.count == 125 })
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `a task that is cancelled while it was overtaken stops waiting`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration, count: 0)
        let writer = Writer()
        try await writer.open(configuration)
        try writeElsewhere(configuration) { _ in
            let task = Task { try await writer.writeLater(1) }
            usleep(20_000)
            task.cancel()
        }
        try await writer.write(2)
        expect(try await eventually { await writer.count == 1 })
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `a group's completion is called even if the write after it is cancelled`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration, count: 0)
        let place = Place()
        try place.queue.sync {
            let realm = try Realm(configuration: configuration, queue: place.queue)
            place.realm = realm
            realm.beginAsyncWrite {
                realm.add(person(1))
                realm.commitAsyncWrite(allowGrouping: true) { place.log.append("\($0 == nil)") }
                place.queue.async { try? place.realm!.cancelAsyncWrite(place.second) }
            }
            place.second = realm.beginAsyncWrite { place.log.append("never") }
        }
        expect(try await eventually { place.queue.sync { place.log == ["true"] } })
        place.queue.sync {
            expect(!place.realm!.isPerformingAsynchronousWriteOperations)
            place.realm = nil
        }
        withExtendedLifetime(keeper) {}
    }
}
