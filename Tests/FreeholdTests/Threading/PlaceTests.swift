import Dispatch
import Foundation
import Freehold
import TestScript
import Testing

/// The place to which thawed objects belong, if several places have realms of one file.
@Suite("Threading: places of realms")
struct PlaceTests {
    @Test
    func `an actor thaws objects into its own realm, while other actors have realms of the file`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let others = (0..<8).map { _ in PlainPlace() }
        for other in others { try await other.open(configuration) }
        for other in others { expect(await other.thaws()) }
        let frozen = await others[0].frozen()
        for other in others { expect(await other.takes(frozen)) }
        withExtendedLifetime((keeper, others)) {}
    }

    @Test
    func `threads, queues, the main actor and tasks thaw while an actor has a realm of the file`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let actor = PlainPlace()
        try await actor.open(configuration)
        let frozen = await actor.frozen()
        try expectEqual(onAnotherThread { frozen.value.thaw()?.id }, 0)
        try await expectEqual(Realm.read(configuration) { $0.objects(THPerson.self).first!.freeze().thaw()?.id }, 0)
        await expectEqual(Task.detached { frozen.value.thaw()?.id }.value, 0)
        let isMain = try await MainActor.run {
            let realm = try Realm(configuration: configuration)
            return frozen.value.thaw()?.realm == realm
        }
        expect(isMain)
        let queue = DispatchQueue(label: "place")
        expect(
            try queue.sync {
                let realm = try Realm(configuration: configuration, queue: queue)
                return frozen.value.thaw()?.realm == realm
            }
        )
        withExtendedLifetime((keeper, actor)) {}
    }

    @Test
    func `an actor's executor is its place, even if several actors share it`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let executor = LoopExecutor()
        let pair = [LoopPlace(executor), LoopPlace(executor)]
        let other = LoopPlace(LoopExecutor())
        for place in pair + [other] { try await place.open(configuration) }
        for place in pair + [other] { expect(await place.thaws()) }
        expect(await pair[0].takes(await other.frozen()))
        // Closes one of the two places. The realm of both stays.
        await pair[0].close()
        expect(await pair[1].thaws())
        withExtendedLifetime((keeper, pair, other)) {}
    }

    @Test
    func `actors that share an executor and open at once have one realm`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        for round in 0..<50 {
            let executor = LoopExecutor()
            let places = (0..<4).map { _ in LoopPlace(executor) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for place in places { group.addTask { try await place.open(configuration) } }
                try await group.waitForAll()
            }
            for place in places { expect(await place.thaws(), "round \(round)") }
            withExtendedLifetime(places) {}
        }
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `executors that declare themselves as one place are one`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let queue = DispatchQueue(label: "loop")
        let places = (0..<3).map { _ in LoopPlace(LoopExecutor(queue, isOneOfSeveral: true)) }
        for place in places { try await place.open(configuration) }
        for place in places { expect(await place.thaws()) }
        withExtendedLifetime((keeper, places)) {}
    }

    @Test
    func `an actor of the main actor's executor has the main actor's realm`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let place = MainPlace()
        try await place.open(configuration)
        expect(await place.thaws())
        let frozen = await place.frozen()
        expect(try await MainActor.run { try frozen.value.thaw()?.realm == Realm(configuration: configuration) })
        withExtendedLifetime((keeper, place)) {}
    }

    @Test
    func `a queue's block inside of an actor's code has the queue's realm`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let queue = DispatchQueue(label: "inner")
        final class Box: @unchecked Sendable { var realm: Realm? }
        let box = Box()
        let place = PlainPlace()
        try await place.open(configuration)
        try queue.sync { box.realm = try Realm(configuration: configuration, queue: queue) }
        let isQueues = await place.run { _ in
            queue.sync { box.realm!.objects(THPerson.self).first!.freeze().thaw()!.realm == box.realm }
        }
        expect(isQueues)
        expect(await place.thaws())
        queue.sync { box.realm = nil }
        withExtendedLifetime((keeper, place)) {}
    }

    @Test
    func `an actor that retains its realm is released with its last reference`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        weak var gone: PlainPlace?
        do {
            let place = PlainPlace()
            gone = place
            try await place.open(configuration)
            expect(await place.thaws())
        }
        expect(try await eventually { gone == nil })
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `asynchronous writes run even if their actor isn't retained`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration, count: 0)
        do {
            let place = PlainPlace()
            try await place.open(configuration)
            await place.run { place in
                let realm = place.realm!
                for i in 0..<3 { realm.writeAsync { realm.create(THPerson.self, value: ["id": i]) } }
            }
        }
        expect(try await eventually { try await Realm.read(configuration) { $0.objects(THPerson.self).count } == 3 })
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `an object thaws in a realm that was at an older version`() throws {
        let configuration = threadingConfiguration()
        let realm = try threadingRealm(configuration)
        expectEqual(realm.objects(THPerson.self).count, 10)
        let frozen = try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            let person = try realm.write { realm.create(THPerson.self, value: ["id": 50]) }
            return Frozen(person)
        }
        expectEqual(frozen.value.thaw()?.id, 50)
    }

    @Test
    func `an object's realm is available anywhere`() throws {
        let configuration = threadingConfiguration()
        let realm = try threadingRealm(configuration)
        final class Box: @unchecked Sendable { var person: THPerson? }
        let box = Box()
        box.person = realm.objects(THPerson.self).first
        let text = try onAnotherThread {
            let person = box.person!
            return "\(person.realm!.configuration.inMemoryIdentifier!) \(person.realm == person.realm)"
        }
        expectEqual(text, "\(configuration.inMemoryIdentifier!) true")
        expectEqual(box.person?.friends.realm, realm)
    }
}

extension Place {
    func run<R: Sendable>(_ body: @Sendable (isolated Self) throws -> R) rethrows -> R { try body(self) }
}
