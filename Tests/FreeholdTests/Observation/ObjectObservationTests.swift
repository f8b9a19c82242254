import Foundation
import Freehold
import TestScript
import Testing

private actor Kennel {
    var log: [String] = []
    var token: NotificationToken?
    var second: NotificationToken?

    func note(_ text: String) { log.append(text) }

    func start(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm.open(configuration: configuration)
        token = await realm.objects(THPerson.self).observe(on: self) { kennel, change in
            kennel.note(described(change))
        }
    }

    func startCast(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm.open(configuration: configuration)
        let object: Object = person(0, realm)
        token = await object.observe(keyPaths: [\THPerson.age], on: self) {
            (kennel: isolated Kennel, change: ObjectChange<THPerson>) in kennel.noteCast(change)
        }
        second = await object.observe(on: self) {
            (kennel: isolated Kennel, change: ObjectChange<THPerson>) in kennel.noteCast(change)
        }
    }

    func noteCast(_ change: ObjectChange<THPerson>) {
        if case .change(let person, let properties) = change {
            note("\(person.id) " + properties.map(\.name).sorted().joined(separator: ","))
        }
    }

    func startObject(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm.open(configuration: configuration)
        token = await person(0, realm).observe(on: self) { kennel, change in
            if case .change(_, let properties) = change { kennel.note(properties.map(\.name).joined(separator: ",")) }
        }
    }

    func waitFor(_ count: Int) async throws {
        if try await !eventually({ log.count >= count }) { throw NeverCame(log) }
    }
}

@Suite("Observation: objects, actors and run loops")
struct ObjectObservationTests {
    private func text(_ change: ObjectChange<THPerson>) -> String {
        switch change {
        case .error(let error): "\(error)"
        case .change(let object, let properties):
            "\(object.id) "
                + properties.map { "\($0.name) \(shown($0.oldValue)) \(shown($0.newValue))" }.joined(separator: "; ")
        case .deleted: "deleted"
        }
    }

    @Test
    func `an object's observer receives the properties that were set, with the old values of other realms' changes`()
        async throws
    {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let place = ObservingQueue(configuration)
        try place.run { realm in
            place.tokens.append(person(3, realm).observe { place.note(text($0)) })
        }
        try writeElsewhere(configuration) {
            person(3, $0).name = "new"
            person(3, $0).notes.append("z")
            person(2, $0).name = "another"
        }
        try await place.waitFor(1)
        try place.run { realm in
            try realm.write { person(3, realm).age = 30 }
            realm.refresh()
        }
        try writeElsewhere(configuration) { $0.delete(person(3, $0)) }
        try await place.waitFor(3)
        expectEqual(place.told, ["3 name P3 new; notes - live", "3 age - 30", "deleted"])
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `key paths of an object lead through links`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let place = ObservingQueue(configuration)
        try place.run { realm in
            place.tokens.append(person(3, realm).observe(keyPaths: [\.best?.name]) { place.note(text($0)) })
            place.tokens.append(person(3, realm).observe(keyPaths: ["age"]) { place.note(text($0)) })
        }
        try writeElsewhere(configuration) {
            person(3, $0).name = "unseen"
            person(2, $0).name = "seen"
        }
        try await place.waitFor(1)
        try await place.settle()
        expect(place.told.count == 1 && place.told[0].hasPrefix("3 best -"))
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `changes between the call and the beginning on another queue are delivered`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let place = ObservingQueue(configuration)
        let text = text
        place.queue.suspend()
        let token = person(3, keeper).observe(on: place.queue) { place.note(text($0)) }
        try keeper.write { person(3, keeper).age = 33 }
        place.queue.resume()
        try await place.waitFor(1)
        expect(place.told == ["3 age - 33"] || place.told == ["3 age 3 33"])
        token.invalidate()
    }

    @Test
    func `an observer of an actor is called in its isolation`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let kennel = Kennel()
        try await kennel.start(configuration)
        try await kennel.waitFor(1)
        try writeElsewhere(configuration) { $0.add(THPerson(id: 20, name: "", age: 1)) }
        try await kennel.waitFor(2)
        await expectEqual(kennel.log, ["initial 10", "11: -[] +[10] ~[] >[]"])
        let other = Kennel()
        try await other.startObject(configuration)
        try writeElsewhere(configuration) { person(0, $0).age = 5 }
        try await other.waitFor(1)
        await expectEqual(other.log, ["age"])
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `an actor observes an object as one of its class`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let kennel = Kennel()
        try await kennel.startCast(configuration)
        try writeElsewhere(configuration) {
            person(0, $0).age = 5
            person(0, $0).name = "new"
        }
        try await kennel.waitFor(2)
        await expectEqual(kennel.log.sorted(), ["0 age,name", "0 age"].sorted())
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `an observer of a thread with a run loop is called on that thread`() throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let told = try onAnotherThread { () -> [String] in
            let notes = LoopNotes()
            let loop = RunLoop.current
            let timer = Timer(timeInterval: 0.002, repeats: true) { _ in
                if notes.token == nil {
                    let realm = try! Realm(configuration: configuration)
                    notes.token = realm.objects(THPerson.self).observe { notes.log.append(described($0)) }
                } else if notes.log.count == 1, !notes.wrote {
                    notes.wrote = true
                    try! writeElsewhere(configuration) { $0.add(THPerson(id: 20, name: "", age: 1)) }
                }
            }
            loop.add(timer, forMode: .default)
            let end = Date(timeIntervalSinceNow: 60)
            while notes.log.count < 2, Date() < end {
                _ = loop.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
            }
            timer.invalidate()
            return notes.log
        }
        expectEqual(told, ["initial 10", "11: -[] +[10] ~[] >[]"])
        withExtendedLifetime(keeper) {}
    }
}

/// The state that the blocks of a run loop share. All of them run on its thread.
private final class LoopNotes: @unchecked Sendable {
    var log: [String] = []
    var token: NotificationToken?
    var wrote = false
}
