import Foundation
import Freehold
import Testing

// What the documents say of notifications, here and there.

private enum Java {
    class Frog: SeedObject {
        @Persisted(primaryKey: true) var name = ""
        @Persisted var age = 0
        @Persisted var species: String?
        // Ignored: it isn't stored.
        var owner: String?
    }
}

private enum Dart {
    class EventLog: SeedObject {
        @Persisted(primaryKey: true) var id: ObjectId
        @Persisted var details: AnyRealmValue
    }
}

/// A realm in memory of its own.
private func place(_ type: ObjectBase.Type) -> ObservingQueue {
    ObservingQueue(Realm.Configuration(inMemoryIdentifier: "seed-\(UUID().uuidString)", objectTypes: [type]))
}

private func described(_ change: ObjectChange<some ObjectBase>) -> String {
    switch change {
    case .change(_, let properties): properties.map(\.name).sorted().joined(separator: ", ")
    case .deleted: "deleted"
    case .error(let error): "\(error)"
    }
}

@Suite("Seeds 000, 001, 002, 003: observation")
struct SeedObservationTests {
    @Test
    func `C++, Java, Kotlin for Java: listeners of an object and of a query receive the changes`() async throws {
        let place = place(Java.Frog.self)
        try place.run { realm in
            try realm.write { _ = realm.create(Java.Frog.self, value: ["name": "Kermit", "age": 3]) }
            let frog = realm.objects(Java.Frog.self)[0]
            place.tokens.append(frog.observe { place.note("frog: " + described($0)) })
            place.tokens.append(
                realm.objects(Java.Frog.self).where { $0.age > 2 }.observe { change in
                    guard case .update(let frogs, let gone, let new, let changed) = change else { return }
                    place.note("frogs: \(frogs.count) -\(gone) +\(new) ~\(changed)")
                }
            )
            realm.refresh()
        }
        try place.run { realm in
            try realm.write { realm.objects(Java.Frog.self)[0].species = "muppet" }
            realm.refresh()
            try realm.write { realm.delete(realm.objects(Java.Frog.self)) }
            realm.refresh()
        }
        try await place.waitFor(4)
        expectEqual(
            place.told.sorted(),
            [
                "frog: deleted", "frog: species", "frogs: 0 -[0] +[] ~[]", "frogs: 1 -[] +[] ~[0]",
            ]
        )
        place.end()
    }

    @Test
    func `An ignored property triggers no notification`() async throws {
        let place = place(Java.Frog.self)
        try place.run { realm in
            try realm.write { _ = realm.create(Java.Frog.self, value: ["name": "Kermit"]) }
            let frog = realm.objects(Java.Frog.self)[0]
            place.tokens.append(frog.observe { place.note(described($0)) })
            try realm.write { frog.owner = "Jim" }
            realm.refresh()
            try realm.write {
                frog.owner = "Brian"
                frog.age = 68
            }
            realm.refresh()
            expectEqual(frog.owner, "Brian")
        }
        try await place.waitFor(1)
        try await place.settle()
        expectEqual(place.told, ["age"])
        place.end()
    }

    @Test
    func `Collections in a mixed property are observed, as what holds them and by themselves`() async throws {
        let place = place(Dart.EventLog.self)
        try place.run { realm in
            let items: [AnyRealmValue] = [.string("laptop"), .string("mouse")]
            let log = Dart.EventLog()
            log.details = .fromDictionary(["items": .fromArray(items), "total": .int(2)])
            try realm.write { realm.add(log) }
            place.tokens.append(log.observe { place.note("log: " + described($0)) })
            let list = try require(log.details.dictionaryValue?["items"]?.listValue)
            place.tokens.append(
                list.observe { change in
                    guard case .update(let items, let gone, let new, _) = change else { return }
                    place.note("items: \(items.count) -\(gone) +\(new)")
                }
            )
            realm.refresh()
        }
        try place.run { realm in
            let log = realm.objects(Dart.EventLog.self)[0]
            try realm.write { log.details.dictionaryValue?["items"]?.listValue?.append(.string("cable")) }
            realm.refresh()
        }
        try await place.waitFor(2)
        expectEqual(place.told.sorted(), ["items: 3 -[] +[2]", "log: details"])
        place.end()
    }
}
