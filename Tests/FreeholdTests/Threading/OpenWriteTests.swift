import Dispatch
import Foundation
import Freehold
import Testing

/// Write transactions that are begun and ended by different handles.
@Suite("Threading: open writes")
struct OpenWriteTests {
    private func configuration() -> (Realm.Configuration, keeper: RealmFileKeeper) {
        let configuration = threadingConfiguration()
        return (configuration, RealmFileKeeper(configuration))
    }

    /// Keeps a file in memory open on a thread of its own, so that no realm of the test's thread does.
    private final class RealmFileKeeper: Sendable {
        private let done = DispatchSemaphore(value: 0)

        init(_ configuration: Realm.Configuration) {
            let isOpen = DispatchSemaphore(value: 0)
            let done = done
            Thread {
                let realm = try? Realm(configuration: configuration)
                isOpen.signal()
                done.wait()
                withExtendedLifetime(realm) {}
            }.start()
            isOpen.wait()
        }

        deinit { done.signal() }
    }

    @Test
    func `a write stays open until it ends, even if no realm object is retained`() throws {
        let (configuration, keeper) = configuration()
        try onAnotherThread {
            try Realm(configuration: configuration).beginWrite()
            try Realm(configuration: configuration).create(THPerson.self, value: ["id": 1])
            expect(try Realm(configuration: configuration).isInWriteTransaction)
            try Realm(configuration: configuration).commitWrite()
            expect(try !Realm(configuration: configuration).isInWriteTransaction)
            try Realm(configuration: configuration).beginWrite()
            try Realm(configuration: configuration).deleteAll()
            try Realm(configuration: configuration).cancelWrite()
            try expectEqual(Realm(configuration: configuration).objects(THPerson.self).count, 1)
        }
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `a write stays open on queues and actors, too`() async throws {
        let (configuration, keeper) = configuration()
        let queue = DispatchQueue(label: "open")
        try queue.sync { try Realm(configuration: configuration, queue: queue).beginWrite() }
        try queue.sync {
            try Realm(configuration: configuration, queue: queue).create(THPerson.self, value: ["id": 1])
            try Realm(configuration: configuration, queue: queue).commitWrite()
        }
        let place = PlainPlace()
        try await place.open(configuration)
        await place.run { $0.realm!.beginWrite() }
        await place.close()
        try await place.open(configuration)
        try await place.run {
            $0.realm!.create(THPerson.self, value: ["id": 2])
            try $0.realm!.commitWrite()
        }
        try await expectEqual(Realm.read(configuration) { $0.objects(THPerson.self).count }, 2)
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `a thread that ends rolls back its open write`() throws {
        let (configuration, keeper) = configuration()
        for i in 0..<3 {
            try onAnotherThread {
                try Realm(configuration: configuration).beginWrite()
                try Realm(configuration: configuration).create(THPerson.self, value: ["id": i])
            }
        }
        // An open write would make this wait forever.
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.create(THPerson.self, value: ["id": 9]) }
            expectEqual(Array(realm.objects(THPerson.self).map(\.id)), [9])
        }
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `a realm whose write has ended is released`() throws {
        let (configuration, keeper) = configuration()
        try onAnotherThread {
            try Realm(configuration: configuration).beginWrite()
            try Realm(configuration: configuration).commitWrite()
            // Another schema is refused while a realm of the thread is alive.
            var other = configuration
            other.observationTracking = true
            _ = try Realm(configuration: other)
        }
        withExtendedLifetime(keeper) {}
    }
}
