import Foundation
import TestScript
import Testing

@testable import Freehold

/// The classes and lines of the article on class projections.
private enum Article {
    class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var firstName = ""
        @Persisted var lastName = ""
        @Persisted var birthday: Date
        @Persisted var address: Address?
        @Persisted var friends: List<Person>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Address: EmbeddedObject {
        @Persisted var city = ""
        @Persisted var country = ""

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class PersonProjection: Projection<Person> {
        @Projected(\Person.firstName) var firstName
        @Projected(\Person.lastName) var surname
        @Projected(\Person.address?.city) var homeCity
        @Projected(\Person.friends.projectTo.firstName) var friendsNames: ProjectedCollection<String>
        @Projected(\Person.lastName.localizedUppercase) var title
    }
}

@Suite("Projections: the article's examples")
struct ProjectionDocTests {
    private typealias Person = Article.Person
    private typealias PersonProjection = Article.PersonProjection

    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [Person.self, Article.Address.self]
    )

    private func realm() throws -> Realm {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            let bob = realm.create(
                Person.self,
                value: ["id": 2, "firstName": "Bob", "lastName": "Baker", "address": ["city": "Paris"]]
            )
            let ada: [String: Any] = [
                "id": 1, "firstName": "Ada", "lastName": "Lovelace", "address": ["city": "Ockham"], "friends": [bob],
            ]
            bob.friends.append(realm.create(Person.self, value: ada))
        }
        return realm
    }

    @Test
    func `the examples of getting, finding and writing work`() throws {
        let realm = try realm()
        let people = realm.objects(PersonProjection.self)
        let ada = try require(realm.object(ofType: PersonProjection.self, forPrimaryKey: 1))
        let bob = PersonProjection(projecting: Person(value: ["firstName": "Bob"]))
        expect(ada.title == "LOVELACE" && bob.firstName == "Bob" && bob.rootObject.id == 0)
        expect(realm.object(ofType: PersonProjection.self, forPrimaryKey: 9) == nil)

        expectEqual(people.where { $0.homeCity == "Paris" && $0.surname.starts(with: "B") }.map(\.firstName), ["Bob"])
        expectEqual(people.where { $0.friendsNames == "Ada" }.map(\.firstName), ["Bob"])
        expectEqual(people.where { $0.rootObject.birthday < Date() }.count, 2)
        expectEqual(people.filter("lastName BEGINSWITH 'B'").map(\.firstName), ["Bob"])
        expectEqual(people.sorted(by: \.surname).sectioned(by: \.homeCity).allKeys, ["Ockham", "Paris"])
        expectEqual(people.grouped(by: \.homeCity).map(\.count), [1, 1])

        try realm.write {
            ada.firstName = "Augusta"
            ada.homeCity = "London"
            ada.friendsNames[0] = "Charles"
        }
        let person = ada.rootObject
        expect(person.firstName == "Augusta" && person.address?.city == "London")
        expectEqual(person.friends[0].firstName, "Charles")
        expectEqual(person.friends.projectTo.firstName.map { $0 }, ["Charles"])
        let cities: ProjectedCollection<String?> = person.friends.projectTo.address.city
        expectEqual(Array(cities), ["Paris"])
        try realm.write { person.address = nil }
        #expect { try realm.write { ada.homeCity = "Rome" } } throws: { ($0 as? Realm.Error)?.code == .missingValue }
    }

    @Test
    @MainActor
    func `the example of observing on the main actor works`() async throws {
        let keeper = try self.realm()
        let realm = try await Realm.open(configuration: configuration)
        let ada = try require(realm.object(ofType: PersonProjection.self, forPrimaryKey: 1))
        let people = realm.objects(PersonProjection.self)
        var told: [String] = []
        var begun = 0
        let tokens = [
            ada.observe { change in
                if case .change(_, let properties) = change { told += properties.map(\.name) }
            },
            ada.observe(keyPaths: [\.surname]) { _ in told.append("key path") },
            ada.observe(keyPaths: ["lastName"]) { _ in told.append("name") },
            people.observe { change in
                if case .update(_, _, _, let modifications) = change {
                    told.append("\(modifications)")
                } else {
                    begun += 1
                }
            },
            ada.friendsNames.observe { change in
                if case .update(_, _, _, let modifications) = change {
                    told.append("names \(modifications)")
                } else {
                    begun += 1
                }
            },
        ]
        _ = try await eventually { begun == 2 }
        try realm.write { ada.surname = "King" }
        _ = try await eventually { told.count >= 5 }
        expectEqual(told.sorted(), ["[1]", "key path", "name", "surname", "title"])
        try realm.write { realm.objects(Person.self)[0].firstName = "Robert" }
        _ = try await eventually { told.count >= 8 }
        expectEqual(told[5...].sorted(), ["[0, 1]", "friendsNames", "names [0]"])
        withExtendedLifetime((tokens, keeper)) {}
    }
}
