import Foundation
import Freehold
import Testing

@Suite("Threading: limits of time")
struct DeadlineTests {
    private func code(_ body: () async throws -> Void) async -> Realm.Error.Code? {
        do { try await body() } catch { return (error as? Realm.Error)?.code }
        return nil
    }

    @Test func `a write that waits too long throws, and the other writes continue`() async throws {
        try await withServerStore { store in
            var hasty = store.configuration
            hasty.busyTimeout = .milliseconds(20)
            let impatient = hasty
            let holder = try await HeldWriter(store)
            await expectEqual(code { try await store.write(timeout: .milliseconds(20)) { _ in } }, .timedOut)
            await expectEqual(code { try await Realm.write(impatient) { _ in } }, .busy)
            // The error is that of the nearer limit.
            await expectEqual(code { try await Realm.write(impatient, timeout: .seconds(600)) { _ in } }, .busy)
            do {
                let synchronous = try await Realm.read(impatient) { realm in
                    #expect(throws: Realm.Error.self) { try realm.write {} }
                    do { try realm.write {} } catch { return (error as? Realm.Error)?.code }
                    return nil
                }
                expectEqual(synchronous, .busy)
            }
            try await expectEqual(store.statistics().waitingWriters, 0)
            try await holder.release()
            try await Realm.write(impatient) { $0.add(ServerEntry(id: 1)) }
            try await expectEqual(store.read { $0.objects(ServerEntry.self).count }, 1)
        }
    }

    @Test func `asyncWrite of an actor throws, too`() async throws {
        actor Place {
            func write(_ configuration: Realm.Configuration) async throws {
                let realm = try await Realm(configuration: configuration, actor: self)
                try await realm.asyncWrite { realm.add(ServerEntry(id: 1)) }
            }
        }
        try await withServerStore { store in
            var hasty = store.configuration
            hasty.busyTimeout = .milliseconds(20)
            let impatient = hasty
            let holder = try await HeldWriter(store)
            await expectEqual(code { try await Place().write(impatient) }, .busy)
            try await holder.release()
            try await Place().write(impatient)
        }
    }

    @Test func `an opening that has to change the schema waits no longer than the limit`() async throws {
        try await withServerStore { store in
            var larger = store.configuration
            larger.objectTypes = [ServerCounter.self, ServerEntry.self, THPerson.self]
            larger.busyTimeout = .milliseconds(20)
            let configuration = larger
            let holder = try await HeldWriter(store)
            await expectEqual(code { _ = try await Realm.read(configuration) { $0.isEmpty } }, .busy)
            try await holder.release()
            try await expectEqual(Realm.read(configuration) { $0.objects(THPerson.self).count }, 0)
        }
    }

    @Test func `a block that takes too long changes nothing and returns nothing`() async throws {
        try await withServerStore { store in
            let late = await code {
                try await store.write(timeout: .milliseconds(5)) { realm in
                    realm.add(ServerEntry(id: 1))
                    usleep(20_000)
                }
            }
            expectEqual(late, .timedOut)
            let lateRead = await code {
                _ = try await store.read(timeout: .milliseconds(5)) { realm in
                    usleep(20_000)
                    return realm.objects(ServerEntry.self).count
                }
            }
            expectEqual(lateRead, .timedOut)
            let endless = await code {
                try await store.write(timeout: .milliseconds(20)) { realm in
                    realm.add((0...).lazy.map { ServerEntry(id: $0) })
                }
            }
            expectEqual(endless, .timedOut)
            let count = try await store.read { $0.objects(ServerEntry.self).count }
            expectEqual(count, 0)
        }
    }

    @Test func `a limit that isn't reached changes nothing`() async throws {
        try await withServerStore { store in
            let sum = try await store.write(timeout: .seconds(3600)) { realm in
                realm.add((0..<3000).map { ServerEntry(id: $0) })
                return realm.objects(ServerEntry.self).count
            }
            expectEqual(sum, 3000)
            try await expectEqual(store.read(timeout: .seconds(3600)) { $0.objects(ServerEntry.self).count }, 3000)
        }
    }
}
