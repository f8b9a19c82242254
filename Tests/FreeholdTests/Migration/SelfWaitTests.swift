import Dispatch
import Foundation
import FreeholdEngine
import Synchronization
import TestScript
import Testing

@testable import Freehold

/// Calls that wait for a transaction which can't end before the call returns. They throw an error instead of waiting
/// forever.
@Suite("Realm: calls that would wait for themselves")
struct SelfWaitTests {
    @Test func `a migration block that opens its own file gets an error, and continues`() throws {
        try withNewFile { base in
            let old = person(Property("name", .string))
            let new = person(Property("name", .string), Property("age", .int))
            try writeFile(migrationConfiguration(base, 1, [old])) {
                _ = $0.dynamicCreate("Person", value: ["name": "Ada"] as [String: Any])
            }
            let codes = Mutex<[Realm.Error.Code?]>([])
            let configuration = migrationConfiguration(base, 2, [new]) { migration, _ in
                let same = migrationConfiguration(base, 2, [new])
                let found = [
                    thrownCode { _ = try Realm(configuration: same) },
                    thrownCode { try Realm.performMigration(for: same) },
                    thrownCode { _ = try Realm.compact(for: same) },
                ]
                codes.withLock { $0 = found }
                migration.enumerateObjects(ofType: "Person") { _, new in new!["age"] = 36 }
            }
            try readFile(configuration) { realm in
                expectEqual(realm.dynamicObjects("Person").map { $0["age"] as! Int }, [36])
            }
            expectEqual(codes.withLock { $0 }, [.invalidTransactionState, .invalidTransactionState, .alreadyOpen])
        }
    }

    @Test func `a second realm can't write at the place of an open transaction`() throws {
        try withNewFile { configuration in
            let queue = DispatchQueue(label: "place")
            try queue.sync {
                let ofQueue = try Realm(configuration: configuration, queue: queue)
                let ofThread = try Realm(configuration: configuration)
                expect(ofQueue != ofThread)
                for (one, other) in [(ofQueue, ofThread), (ofThread, ofQueue)] {
                    try one.write {
                        one.add(RTDog(id: one.objects(RTDog.self).count))
                        expectEqual(thrownCode { try other.write {} }, .invalidTransactionState)
                    }
                    one.beginWrite()
                    expectEqual(thrownCode { try other.write {} }, .invalidTransactionState)
                    one.cancelWrite()
                    try other.write { other.add(RTDog(id: other.objects(RTDog.self).count)) }
                }
                ofThread.refresh()
                expectEqual(ofThread.objects(RTDog.self).count, 4)
            }
        }
    }

    @Test func `a realm of a thread can write while a realm of a queue waits for an asynchronous write`() async throws {
        let configuration = newConfiguration(inMemory: false)
        let queue = DispatchQueue(label: "place")
        let done = Mutex(0)
        for round in 0..<20 {
            try queue.sync {
                let ofQueue = try Realm(configuration: configuration, queue: queue)
                let ofThread = try Realm(configuration: configuration)
                ofQueue.writeAsync {
                    ofQueue.add(RTDog(id: 2 * round))
                } onComplete: { error in
                    expect(error == nil)
                    done.withLock { $0 += 1 }
                    withExtendedLifetime(ofQueue) {}
                }
                // Sometimes it has the lock by then.
                if round % 2 == 0 { usleep(2000) }
                try ofThread.write { ofThread.add(RTDog(id: 2 * round + 1)) }
            }
        }
        expect(try await eventually { done.withLock { $0 } == 20 })
        let count = try queue.sync { try Realm(configuration: configuration, queue: queue).objects(RTDog.self).count }
        expectEqual(count, 40)
        _ = try await eventually { (try? Realm.deleteFiles(for: configuration)) != nil }
    }

    @Test func `other writers wait for a transaction that a queue leaves open`() throws {
        try withNewFile { configuration in
            let queue = DispatchQueue(label: "place")
            nonisolated(unsafe) var kept: Realm?
            try queue.sync {
                let realm = try Realm(configuration: configuration, queue: queue)
                realm.beginWrite()
                realm.add(RTDog(id: 1))
                kept = realm
            }
            let other = DispatchGroup()
            let count = Mutex(0)
            for id in 2..<5 {
                other.enter()
                Thread {
                    #expect(throws: Never.self) {
                        let realm = try Realm(configuration: configuration)
                        try realm.write { realm.add(RTDog(id: id)) }
                        count.withLock { $0 += 1 }
                    }
                    other.leave()
                }.start()
            }
            expectEqual(count.withLock { $0 }, 0)
            try queue.sync {
                try kept!.commitWrite()
                kept = nil
            }
            other.wait()
            try expectEqual(Realm(configuration: configuration).objects(RTDog.self).count, 4)
        }
    }

    @Test func `the closure that decides about compaction can't open its own file, and the file is opened`() throws {
        try withNewFile { configuration in
            try writeFile(configuration) { $0.add(RTDog(id: 1)) }
            let code = Mutex<Realm.Error.Code?>(nil)
            var compacting = configuration
            compacting.shouldCompactOnLaunch = { _, _ in
                let found = thrownCode { _ = try Realm(configuration: configuration) }
                code.withLock { $0 = found }
                return true
            }
            try expectEqual(Realm(configuration: compacting).objects(RTDog.self).count, 1)
            expectEqual(code.withLock { $0 }, .alreadyOpen)
        }
    }

    @Test func `a beginWrite that could never begin traps with the reason`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let configuration = newConfiguration()
            let queue = DispatchQueue(label: "place")
            try queue.sync {
                let ofQueue = try Realm(configuration: configuration, queue: queue)
                let ofThread = try Realm(configuration: configuration)
                try ofQueue.write { ofThread.beginWrite() }
            }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("would never end"), "\(message)")
    }
}
