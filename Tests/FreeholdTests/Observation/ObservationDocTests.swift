import Dispatch
import Foundation
import Freehold
import Observation
import Synchronization
import TestScript
import Testing

private final class Dog: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var mother: Dog?
    @Persisted(originProperty: "mother") var puppies: LinkingObjects<Dog>
    override class func mappedName() -> String? { "ObservedDog" }
}

private func made() throws -> Realm.Configuration {
    let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [Dog.self])
    return configuration
}

private func fill(_ realm: Realm) throws {
    try realm.write {
        for (name, age) in [("Ace", 3), ("Bo", 6), ("Cleo", 6), ("Dot", 9)] {
            realm.create(Dog.self, value: ["name": name, "age": age])
        }
    }
}

private actor Kennel {
    private(set) var names: [String] = []
    private var token: NotificationToken?

    func watch(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm.open(configuration: configuration)
        for await change in realm.objects(Dog.self).changes {
            guard case .update(let dogs, _, let insertions, _) = change else { continue }
            for i in insertions { names.append(dogs[i].name) }
        }
    }

    func note(_ name: String) { names.append(name) }
    func keep(_ token: NotificationToken) { self.token = token }
}

/// The snippets of the article on observation, on a queue.
@Suite("Observation: the article's examples")
struct ObservationDocTests {
    private final class Place: @unchecked Sendable {
        // Used on the queue.
        let queue = DispatchQueue(label: "article")
        let configuration: Realm.Configuration
        var token: NotificationToken?
        var rows: [String] = []
        var table: [[String]] = []
        var log: [String] = []

        init() throws { configuration = try made() }

        func run<R>(_ body: (Realm) throws -> R) throws -> R {
            try queue.sync { try body(try Realm(configuration: configuration, queue: queue)) }
        }

        func waitFor(_ condition: () -> Bool) async throws {
            if try await !eventually({ queue.sync(execute: condition) }) {
                Issue.record("\(queue.sync { (rows, table, log) })")
            }
        }
    }

    @Test
    func `the examples of collections, sections, objects and realms work`() async throws {
        let place = try Place()
        let keeper = try Realm(configuration: place.configuration)
        try fill(keeper)
        try place.run { realm in
            place.token = realm.objects(Dog.self).where { $0.age > 5 }.observe { change in
                switch change {
                case .initial(let dogs):
                    place.rows = dogs.map(\.name)
                case .update(let dogs, let deletions, let insertions, _):
                    for i in deletions.reversed() { place.rows.remove(at: i) }
                    for i in insertions { place.rows.insert(dogs[i].name, at: i) }
                    for i in change.newModifications { place.rows[i] = dogs[i].name }
                case .error:
                    break
                }
            }
        }
        try await place.waitFor { place.rows == ["Bo", "Cleo", "Dot"] }
        try writeElsewhere(place.configuration) { realm in
            let dogs = realm.objects(Dog.self)
            dogs[0].age = 7
            dogs[2].name = "Coco"
            realm.delete(dogs[3])
        }
        try await place.waitFor { place.rows == ["Ace", "Bo", "Coco"] }

        try place.run { realm in
            place.token = realm.objects(Dog.self).sectioned(by: \.age).observe { change in
                switch change {
                case .initial(let sections):
                    place.table = sections.map { $0.map(\.name) }
                case .update(let sections, let deletions, let insertions, _, let newSections, let oldSections):
                    for path in deletions.reversed() { place.table[path.section].remove(at: path.item) }
                    for i in oldSections.reversed() { place.table.remove(at: i) }
                    for i in newSections { place.table.insert([], at: i) }
                    for path in insertions { place.table[path.section].insert(sections[path].name, at: path.item) }
                    for path in change.newModifications { place.table[path.section][path.item] = sections[path].name }
                }
            }
        }
        try await place.waitFor { place.table == [["Bo", "Coco"], ["Ace"]] }
        try writeElsewhere(place.configuration) { realm in
            realm.objects(Dog.self)[0].age = 1
            realm.objects(Dog.self)[1].name = "Bob"
        }
        try await place.waitFor { place.table == [["Ace"], ["Bob", "Coco"]] }

        try place.run { realm in
            let dog = realm.objects(Dog.self).first!
            place.token = dog.observe { change in
                switch change {
                case .change(let dog, let properties):
                    for property in properties {
                        place.log.append("\(dog.name): \(property.name) was \(property.oldValue ?? "nil")")
                    }
                case .deleted:
                    place.log.append("gone")
                case .error:
                    break
                }
            }
        }
        try writeElsewhere(place.configuration) { $0.objects(Dog.self)[0].age = 2 }
        try await place.waitFor { place.log == ["Ace: age was 1"] }
        try writeElsewhere(place.configuration) { $0.delete($0.objects(Dog.self)[0]) }
        try await place.waitFor { place.log.last == "gone" }

        try place.run { realm in
            place.log = []
            place.token = realm.observe { notification, realm in place.log.append("\(notification)") }
        }
        try writeElsewhere(place.configuration) { $0.objects(Dog.self)[0].age = 2 }
        try await place.waitFor { place.log == ["didChange"] }
        place.queue.sync { place.token = nil }
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `the examples of key paths, queues, actors and skipped observers work`() async throws {
        let place = try Place()
        let keeper = try Realm(configuration: place.configuration)
        try fill(keeper)
        try keeper.write { keeper.objects(Dog.self)[1].mother = keeper.objects(Dog.self)[0] }
        let kennel = Kennel()
        let first = keeper.objects(Dog.self).observe(keyPaths: ["puppies.name"], on: place.queue) { change in
            place.log.append("puppies " + described(change))
        }
        let onActor = Task { [configuration = place.configuration] in
            let dogs = try await Realm.read(configuration) { Frozen($0.objects(Dog.self)) }
            return dogs.value.count
        }
        try place.run { realm in
            let dogs = realm.objects(Dog.self)
            place.token = dogs.observe(keyPaths: [\.name, \.mother?.name]) {
                place.log.append("names " + described($0))
            }
        }
        try await place.waitFor { place.log.count == 2 }
        try place.run { realm in
            place.log = []
            let dogs = realm.objects(Dog.self)
            try realm.write(withoutNotifying: [place.token!]) { dogs[3].name = "Rex" }
            try realm.write { dogs[1].name = "Rob" }
        }
        try await place.waitFor { place.log.count == 2 }
        expectEqual(
            Set(place.queue.sync { place.log }),
            ["puppies 4: -[] +[] ~[0] >[0]", "names 4: -[] +[] ~[1] >[1]"]
        )
        let token = await MainActor.run { Token() }
        try await token.observe(place.configuration, kennel)
        try writeElsewhere(place.configuration) { realm in realm.create(Dog.self, value: ["name": "Zoe"]) }
        _ = try await eventually { await !kennel.names.isEmpty }
        await expectEqual(kennel.names, ["Zoe"])
        try await expectEqual(onActor.value, 4)
        first.invalidate()
        place.queue.sync { place.token = nil }
        withExtendedLifetime(keeper) {}
    }

    @MainActor private final class Token {
        func observe(_ configuration: Realm.Configuration, _ kennel: Kennel) async throws {
            let realm = try await Realm.open(configuration: configuration)
            let dogs = realm.objects(Dog.self)
            let token = await dogs.observe(on: kennel) { kennel, change in
                guard case .update(let dogs, _, let insertions, _) = change else { return }
                for i in insertions { kennel.note(dogs[i].name) }
            }
            await kennel.keep(token)
        }
    }

    @Test
    func `the examples of sequences on an actor and in a server work`() async throws {
        let configuration = try made()
        let keeper = try Realm(configuration: configuration)
        try fill(keeper)
        let kennel = Kennel()
        let watching = Task { try await kennel.watch(configuration) }
        let sent = Mutex<[String]>([])
        @Sendable func send(_ names: [String]) { sent.withLock { $0 += names } }
        let serving = Task.detached {
            for await change in try await Realm.changes(
                configuration,
                of: { $0.objects(Dog.self).where { $0.age > 5 } }
            ) {
                guard case .update(let dogs, _, let insertions, _) = change else { continue }
                send(insertions.map { dogs[$0].name })
            }
        }
        for i in 0..<1000 {
            if await !kennel.names.isEmpty, sent.withLock({ !$0.isEmpty }) { break }
            try await Realm.write(configuration) { _ = $0.create(Dog.self, value: ["name": "N\(i)", "age": 7]) }
            try await Task.sleep(for: .milliseconds(5))
        }
        await expectEqual(kennel.names.first?.hasPrefix("N"), true)
        expectEqual(sent.withLock { $0 }.first?.hasPrefix("N"), true)
        watching.cancel()
        serving.cancel()
        try await watching.value
        try await serving.value
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `the examples of the framework's tracking work`() throws {
        var configuration = try made()
        configuration.observationTracking = true
        let realm = try Realm(configuration: configuration)
        try fill(realm)
        let dog = realm.objects(Dog.self).first!
        let isInvalid = Atomic(false)
        var shown = ""
        withObservationTracking {
            shown = dog.name
        } onChange: {
            isInvalid.store(true, ordering: .relaxed)
        }
        try realm.write { dog.name = "Rex" }
        expect(shown == "Ace" && isInvalid.load(ordering: .relaxed))
    }
}
