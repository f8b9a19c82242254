import Foundation
import Testing

@testable import Freehold

// Class projections as the documents show them: the models and the projection are theirs.

private enum Documents {
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

    class PersonProjection: Projection<Person> {
        // Passthrough from original object
        @Projected(\Person.firstName) var firstName
        // Rename and access embedded object property through keypath
        @Projected(\Person.address?.city) var homeCity
        // Collection mapping
        @Projected(\Person.friends.projectTo.firstName) var firstFriendsName: ProjectedCollection<String>
    }

    class AddressProjection: Projection<Address> {
        @Projected(\Address.city) var city
    }

    class Club: SeedObject {
        @Persisted var members: MutableSet<Person>
        @Persisted var addresses: List<Address>
    }

    class ClubProjection: Projection<Club> {
        @Projected(\Club.members.projectTo.lastName) var names: ProjectedCollection<String>
        @Projected(\Club.addresses.projectTo.city) var cities: ProjectedCollection<String>
    }
}

@Suite("Seeds 000, 001, 003: class projections")
struct SeedProjectionTests {
    private typealias Person = Documents.Person
    private typealias PersonProjection = Documents.PersonProjection

    private func file() throws -> SeedFile {
        let file = SeedFile(Person.self, Documents.Address.self, Documents.Club.self)
        try file.open { realm in
            try realm.write {
                let friends = [["firstName": "Charles"], ["firstName": "Mary"]]
                let ada: [String: Any] = [
                    "firstName": "Ada", "lastName": "Lovelace", "address": ["city": "London"], "friends": friends,
                ]
                realm.create(Person.self, value: ada)
                realm.create(
                    Documents.Club.self,
                    value: ["members": realm.objects(Person.self), "addresses": [["city": "Bath"]]]
                )
            }
        }
        return file
    }

    @Test
    func `Passthrough, rename, key path through an embedded object, collection mapping, exclusion`() throws {
        try file().open { realm in
            let ada = realm.objects(PersonProjection.self).where { $0.homeCity == "London" }[0]
            expect(ada.firstName == "Ada" && ada.homeCity == "London")
            expectEqual(Array(ada.firstFriendsName), ["Charles", "Mary"])
            let names = ProjectionSchema.of(PersonProjection.self).properties.map(\.name)
            expectEqual(names, ["firstName", "homeCity", "firstFriendsName"])
            expectEqual(realm.objects(PersonProjection.self).where { $0.homeCity == nil }.count, 2)
        }
    }

    @Test
    func `A projection of an embedded class, of sets, and of lists of embedded objects`() throws {
        try file().open { realm in
            let club = realm.objects(Documents.ClubProjection.self)[0]
            expect(Set(club.names) == ["Lovelace", ""] && Array(club.cities) == ["Bath"])
            let address = Documents.AddressProjection(projecting: realm.objects(Documents.Club.self)[0].addresses[0])
            try realm.write { address.city = "Wells" }
            expectEqual(Array(club.cities), ["Wells"])
        }
    }

    @Test
    func `It is live, and what is assigned in a write transaction is stored`() throws {
        let file = try file()
        try file.open { realm in
            let ada = realm.objects(PersonProjection.self)[0]
            try realm.write {
                ada.firstName = "Augusta"
                ada.homeCity = "Ockham"
                ada.firstFriendsName[1] = "Fanny"
            }
            try realm.write { ada.rootObject.address?.city = "Bath" }
            expectEqual(ada.homeCity, "Bath")
        }
        try file.open { realm in
            let ada = realm.objects(Person.self)[0]
            expect(ada.firstName == "Augusta" && ada.address?.city == "Bath" && ada.friends[1].firstName == "Fanny")
        }
    }

    @Test
    func `It stands in for objects in tests: of unmanaged ones, too`() {
        let person = PersonProjection(
            projecting: Person(value: ["firstName": "Ada", "friends": [["firstName": "Mary"]]])
        )
        person.firstName = "Augusta"
        expect(person.rootObject.firstName == "Augusta" && person.firstFriendsName.first == "Mary")
        expect(person.homeCity == nil)
    }

    @Test
    func `It can be observed; excluded properties make no change`() async throws {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString,
            objectTypes: [Person.self, Documents.Address.self]
        )
        let place = ObservingQueue(configuration)
        try place.run { realm in
            try realm.write { realm.create(Person.self, value: ["firstName": "Ada", "address": ["city": "London"]]) }
            let ada = realm.objects(PersonProjection.self)[0]
            place.tokens.append(
                ada.observe { change in
                    guard case .change(let ada, let properties) = change else { return }
                    place.note("\(ada.firstName): \(properties.map(\.name))")
                }
            )
            try realm.write {
                ada.rootObject.lastName = "excluded"
                ada.rootObject.address?.country = "excluded"
            }
            realm.refresh()
            try realm.write { ada.firstName = "Augusta" }
            realm.refresh()
        }
        try await place.waitFor(1)
        try await place.settle()
        expectEqual(place.told, ["Augusta: [\"firstName\"]"])
        place.end()
    }
}
