import Foundation
import Testing

@testable import Freehold

@Suite("Realm: async reads and writes")
struct AsyncTests {
    @Test
    func `values are passed in and returned`() async throws {
        let configuration = newConfiguration()
        let keeper = try await Keeper(configuration)
        let id = try await Realm.write(configuration) { realm -> Int in
            realm.add(RTDog(id: 3, age: 4))
            return 3
        }
        let age = try await Realm.read(configuration) { $0.object(ofType: RTDog.self, forPrimaryKey: id)?.age }
        expectEqual(age, 4)
        keeper.release()
    }

    @Test
    func `errors of the data and of the block are thrown and roll back`() async throws {
        let configuration = newConfiguration()
        let keeper = try await Keeper(configuration)
        struct Stop: Error {}
        await #expect(throws: Stop.self) {
            try await Realm.write(configuration) { realm in
                realm.add(RTDog(id: 1))
                throw Stop()
            }
        }
        let error = await #expect(throws: Realm.Error.self) {
            try await Realm.write(configuration) { realm in
                realm.add([RTDog(id: 1), RTDog(id: 1)])
            }
        }
        expectEqual(error?.code, .duplicatePrimaryKey)
        let isEmpty = try await Realm.read(configuration) { $0.isEmpty }
        expect(isEmpty)
        keeper.release()
    }

    @Test
    func `many tasks write one after the other, and reads see whole transactions`() async throws {
        let configuration = newConfiguration(inMemory: false)
        try await Realm.write(configuration) { realm in
            for i in 0..<2 { realm.add(RTDog(id: i)) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for i in 0..<40 {
                group.addTask {
                    try await Realm.write(configuration) { realm in
                        for dog in realm.objects(RTDog.self) { dog.age += 1 }
                    }
                }
                if i % 4 == 0 {
                    group.addTask {
                        let ages = try await Realm.read(configuration) { $0.objects(RTDog.self).map(\.age) as [Int] }
                        expectEqual(ages[0], ages[1])
                    }
                }
            }
            try await group.waitForAll()
        }
        let age = try await Realm.read(configuration) { $0.objects(RTDog.self)[0].age }
        expectEqual(age, 40)
        try? FileManager.default.removeItem(at: configuration.fileURL!)
    }
}

/// Holds an in-memory realm open from a thread of its own.
private final class Keeper: Sendable {
    private let done = DispatchSemaphore(value: 0)

    init(_ configuration: Realm.Configuration) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let done = done
            Thread {
                do {
                    let realm = try Realm(configuration: configuration)
                    continuation.resume()
                    done.wait()
                    withExtendedLifetime(realm) {}
                } catch {
                    continuation.resume(throwing: error)
                }
            }.start()
        }
    }

    func release() { done.signal() }
}
