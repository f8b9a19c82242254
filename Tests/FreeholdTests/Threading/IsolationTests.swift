import Foundation
import Freehold
import Testing

/// Written like the code of a user of Swift 6.
private actor Kennel {
    private var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    func add(_ id: Int) async throws {
        try await realm.asyncWrite { realm.add(THPerson(id: id, name: "A\(id)", age: id)) }
    }
    var count: Int { realm.objects(THPerson.self).count }
    func refreshed() async -> Int {
        await realm.asyncRefresh()
        return count
    }
    func sum() -> Int { realm.objects(THPerson.self).sum(of: \.age) }
    func isSame(_ configuration: Realm.Configuration) async throws -> Bool {
        try await Realm.open(configuration: configuration) == realm
    }
    func thawed() -> Bool { realm.freeze().thaw() == realm }
    private var order: [Int] = []
    func writeAsync() async throws -> [Int] {
        for i in 0..<5 {
            realm.writeAsync {
                self.order.append(i)
                self.realm.create(THPerson.self, value: ["id": 100 + i])
            } onComplete: { error in
                if error == nil { self.order.append(10 + i) }
            }
        }
        while order.count < 10 { try await Task.sleep(for: .milliseconds(2)) }
        return order
    }
    func fails() async -> String {
        do {
            try await realm.asyncWrite { realm.add(THPerson(id: 1, name: "", age: 0)) }
            return "no error"
        } catch let error as Realm.Error { return "\(error.code)" } catch { return "\(error)" }
    }
}

@Suite("Threading: realms of queues and actors")
struct IsolationTests {
    @Test
    func `an actor's realm is usable on every thread on which the actor runs`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try Realm(configuration: configuration)
        _ = keeper
        let kennel = try await Kennel(configuration)
        for i in 0..<20 {
            try await kennel.add(i)
            await Task.yield()
        }
        await expectEqual(kennel.count, 20)
        await expectEqual(kennel.sum(), 190)
        expect(try await kennel.isSame(configuration))
        expect(await kennel.thawed())
        await expectEqual(kennel.fails(), "duplicatePrimaryKey")
        try await Realm.write(configuration) { $0.add(THPerson(id: 50, name: "", age: 0)) }
        await expectEqual(kennel.refreshed(), 21)
        let order = try await kennel.writeAsync()
        expect(order.filter { $0 < 10 } == [0, 1, 2, 3, 4] && order.filter { $0 >= 10 } == [10, 11, 12, 13, 14])
        await expectEqual(kennel.count, 26)
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `actors write one after another`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try Realm(configuration: configuration)
        let kennels = [
            try await Kennel(configuration), try await Kennel(configuration), try await Kennel(configuration),
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (n, kennel) in kennels.enumerated() {
                group.addTask { for i in 0..<20 { try await kennel.add(n * 1000 + i) } }
            }
            try await group.waitForAll()
        }
        try await expectEqual(Realm.read(configuration) { $0.objects(THPerson.self).count }, 60)
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `a queue's realm is used in its blocks, and refreshes itself`() throws {
        let configuration = threadingConfiguration()
        let queue = DispatchQueue(label: "kennel")
        final class Box: @unchecked Sendable {
            var realm: Realm?
            var results: Results<THPerson>?
        }
        let box = Box()
        try queue.sync {
            box.realm = try Realm(configuration: configuration, queue: queue)
            box.results = box.realm!.objects(THPerson.self)
            try expectEqual(Realm(configuration: configuration, queue: queue), box.realm)
            expectEqual(box.results!.count, 0)
        }
        #expect(throws: Realm.Error.self) { try Realm(configuration: configuration, queue: queue) }
        _ = try threadingRealm(configuration)
        // The notification of the commit is in the queue before this block.
        queue.sync { expectEqual(box.results!.count, 10) }
        queue.sync { box.realm!.autorefresh = false }
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.delete(realm.objects(THPerson.self)) }
        }
        queue.sync {
            expectEqual(box.results!.count, 10)
            box.realm!.refresh()
            expect(box.results!.isEmpty)
            box.results = nil
            box.realm = nil
        }
    }

    @Test
    func `asynchronous writes of a queue run in order, and can be cancelled`() async throws {
        let configuration = threadingConfiguration()
        let queue = DispatchQueue(label: "writer")
        final class Box: @unchecked Sendable {
            var realm: Realm?
            var log: [String] = []
        }
        let box = Box()
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            queue.async {
                do {
                    let realm = try Realm(configuration: configuration, queue: queue)
                    box.realm = realm
                    realm.writeAsync {
                        realm.add(THPerson(id: 1, name: "a", age: 1))
                    } onComplete: {
                        box.log.append("1 \($0 == nil)")
                    }
                    let second = realm.writeAsync {
                        box.log.append("never")
                    } onComplete: { _ in
                        box.log.append("never")
                    }
                    realm.writeAsync {
                        realm.add(THPerson(id: 1, name: "b", age: 1))
                    } onComplete: {
                        box.log.append("3 \(($0 as? Realm.Error)?.code == .duplicatePrimaryKey)")
                    }
                    realm.beginAsyncWrite {
                        realm.add(THPerson(id: 4, name: "c", age: 1))
                        realm.commitAsyncWrite { error in
                            box.log.append("4 \(error == nil) \(realm.objects(THPerson.self).count)")
                        }
                    }
                    realm.beginAsyncWrite { realm.add(THPerson(id: 5, name: "rolled back", age: 1)) }
                    realm.writeAsync({}) { _ in
                        box.log.append("6 \(realm.objects(THPerson.self).count)")
                        done.resume()
                    }
                    expect(realm.isPerformingAsynchronousWriteOperations)
                    try realm.cancelAsyncWrite(second)
                } catch {
                    done.resume(throwing: error)
                }
            }
        }
        queue.sync {
            expectEqual(box.log, ["1 true", "3 true", "4 true 2", "6 2"])
            box.realm = nil
        }
    }

    @Test
    func `asyncOpen returns the realm on its queue, or the error`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let queue = DispatchQueue(label: "opened")
        let count: Int = try await withCheckedThrowingContinuation { continuation in
            Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
                continuation.resume(with: result.map { $0.objects(THPerson.self).count })
            }
        }
        expectEqual(count, 10)
        var bad = configuration
        bad.inMemoryIdentifier = nil
        bad.fileURL = URL(fileURLWithPath: "/nowhere/at/all.realm")
        let configured = bad
        await #expect(throws: Realm.Error.self) {
            let _: Int = try await withCheckedThrowingContinuation { continuation in
                Realm.asyncOpen(configuration: configured, callbackQueue: queue) { result in
                    continuation.resume(with: result.map { _ in 1 })
                }
            }
        }
        withExtendedLifetime(keeper) {}
    }

    @Test @MainActor
    func `the main actor's realm is the main thread's`() async throws {
        let configuration = threadingConfiguration()
        let realm = try await Realm(configuration: configuration, actor: MainActor.shared)
        try await realm.asyncWrite { realm.add(THPerson(id: 1, name: "m", age: 1)) }
        expectEqual(realm.objects(THPerson.self).count, 1)
        try await expectEqual(Realm.open(configuration: configuration), realm)
        try expectEqual(Realm(configuration: configuration), realm)
        await Task.yield()
        expectEqual(realm.objects(THPerson.self).first?.name, "m")
    }

    @Test
    func `use at the wrong place traps with the owner's name`() async {
        let wrong = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Box: @unchecked Sendable { var realm: Realm? }
            let box = Box()
            let queue = DispatchQueue(label: "the owner")
            let configuration = threadingConfiguration()
            try queue.sync { box.realm = try Realm(configuration: configuration, queue: queue) }
            _ = box.realm!.objects(THPerson.self).count
        }
        expectEqual(wrong.map { String(decoding: $0.standardErrorContent, as: UTF8.self).contains("the owner") }, true)
        await #expect(processExitsWith: .failure) {
            actor Owner {
                var realm: Realm?
                func open(_ configuration: Realm.Configuration) async throws {
                    realm = try await Realm.open(configuration: configuration)
                }
                func put(_ box: Box) { box.realm = realm }
            }
            final class Box: @unchecked Sendable { var realm: Realm? }
            let owner = Owner()
            try await owner.open(threadingConfiguration())
            let box = Box()
            await owner.put(box)
            try onAnotherThread { _ = box.realm!.objects(THPerson.self).count }
        }
        await #expect(processExitsWith: .failure) {
            let realm = try Realm(configuration: threadingConfiguration())
            realm.writeAsync {}
        }
        let outside = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try await Realm.open(configuration: threadingConfiguration())
        }
        expectEqual(
            outside.map { String(decoding: $0.standardErrorContent, as: UTF8.self).contains("Realm.read") },
            true
        )
    }
}
