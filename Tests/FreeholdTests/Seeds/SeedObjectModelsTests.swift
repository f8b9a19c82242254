import Foundation
import Testing

@testable import Freehold

// "Object Models": the classes that its projections are made of, and embedded ones in the default schema.

private enum Projection {
    class Person: SeedObject {
        @Persisted var firstName = ""
        @Persisted var lastName = ""
        @Persisted var address: Address?
        @Persisted var friends = List<Person>()
    }

    class Address: SeedEmbedded {
        @Persisted var city: String = ""
        @Persisted var country = ""
    }
}

@Suite("Seeds 000, 001, 003: object models")
struct SeedObjectModelsTests {
    @Test
    func `Person with an address and friends`() throws {
        typealias Person = Projection.Person
        let file = SeedFile(Person.self, Projection.Address.self)
        try file.open { realm in
            let person = Person()
            (person.firstName, person.lastName) = ("Ada", "Lovelace")
            person.address = Projection.Address(value: ["city": "London", "country": "UK"])
            for name in ["Charles", "Mary"] { person.friends.append(Person(value: ["firstName": name])) }
            try realm.write { realm.add(person) }
        }
        try file.open { realm in
            let people = realm.objects(Person.self)
            let ada = people.where { $0.firstName == "Ada" }[0]
            expect(ada.address?.city == "London" && ada.friends.map(\.firstName) == ["Charles", "Mary"])
            expectEqual(people.where { $0.address.country == "UK" }.count, 1)
            expectEqual(people.where { $0.friends.firstName == "Mary" }.map(\.firstName), ["Ada"])
            try realm.write {
                ada.address?.city = "Paris"
                ada.friends.remove(at: 0)
                ada.friends[0].friends.append(ada)
            }
            expect(ada.address?.city == "Paris" && ada.friends[0].friends[0] == ada && people.count == 3)
        }
        try file.open { realm in
            try realm.write { realm.delete(realm.objects(Person.self).where { $0.firstName == "Ada" }) }
            expect(realm.objects(Person.self).count == 2 && embeddedCount(realm, "Address") == 0)
        }
    }

    @Test
    func `Embedded classes are discovered as others are`() {
        let found = Discovery.modelClasses()
        expect(found.contains { $0 == Projection.Person.self } && found.contains { $0 == Projection.Address.self })
        expect(!Projection.Address.shouldIncludeInDefaultSchema())
    }

    @Test
    func `An embedded object that is copied with init(value:) is detached`() throws {
        let realm = try seedRealm(Projection.Person.self, Projection.Address.self)
        let person = Projection.Person()
        person.address = Projection.Address(value: ["city": "London"])
        try realm.write { realm.add(person) }
        let copy = Projection.Person(value: person)
        let address = Projection.Address(value: person.address!)
        expect(address.realm == nil && address.city == "London")
        address.city = "Rome"
        try realm.write { person.address?.city = "Paris" }
        expect(copy.address?.city != "Rome" && address.city == "Rome" && person.address?.city == "Paris")
    }
}
