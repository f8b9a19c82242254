import Foundation
import Testing

@testable import Freehold

@Suite("Projections: reading and writing")
struct ProjectionTests {
    private func check(_ ada: PJPersonProjection) {
        expect(ada.firstName == "Ada" && ada.surname == "Lovelace" && ada.surnameCaps == "LOVELACE" && ada.age == 36)
        expect(ada.birthdayAsEpoch == 0 && ada.mood == .calm && ada.homeCity == "London")
        expect(ada.dog?.name == "Rex" && ada.dogAge == 7 && ada.dogMood == .calm && ada.dogCity == "Kennel")
        expect(Array(ada.friendsNames) == ["Bob", "Cid"] && Array(ada.friendsCities) == ["Paris", nil])
        expect(Set(ada.petNames) == ["Rex", "Fay"] && Array(ada.cities) == ["Ockham", "Bath"])
        expect(Set(ada.admirersNames) == ["Bob", "Cid"] && Array(ada.tags) == ["x", "y"] && ada.scores["a"] == 1)
        expectEqual(ada.greeting, "Hello Ada")
    }

    @Test
    func `a projection shows its object under its own names and in its own types`() throws {
        let realm = try projectionRealm()
        check(realm.pjProjection(1))
        let cid = realm.pjProjection(3)
        expect(cid.homeCity == nil && cid.dog == nil && cid.dogAge == nil && cid.dogCity == nil)
        expect(cid.petNames.isEmpty && cid.cities.first == nil && cid.friendsNames.last == "Bob")
    }

    @Test
    func `an unmanaged object is projected, and still is after it was added`() throws {
        let realm = try projectionRealm()
        let dan = PJPerson(4, "Dan", "Dare", age: 20)
        let projection = PJPersonProjection(projecting: dan)
        projection.surname = "Daring"
        projection.homeCity = "Rome"
        expect(dan.lastName == "Daring" && projection.homeCity == nil && dan._unmanagedError?.code == .missingValue)
        dan._unmanagedError = nil
        dan.address = PJAddress("Oslo")
        projection.homeCity = "Rome"
        dan.friends.append(PJPerson(5, "Eve", ""))
        expect(dan.address?.city == "Rome" && projection.friendsNames[0] == "Eve" && projection.admirersNames.isEmpty)
        projection.friendsNames[0] = "Eva"
        expect(projection.realm == nil && !projection.isInvalidated && !projection.isFrozen)
        try realm.write { realm.add(dan) }
        expect(projection.realm != nil && projection.homeCity == "Rome" && realm.pjPerson(5).firstName == "Eva")
        expectEqual(realm.objects(PJPersonProjection.self).where { $0.rootObject.id == 4 }.last, projection)
    }

    @Test
    func `a projection is live`() throws {
        let realm = try projectionRealm()
        let ada = realm.pjProjection(1)
        let (names, cities) = (ada.friendsNames, ada.cities)
        try realm.write {
            let person = realm.pjPerson(1)
            person.firstName = "Augusta"
            person.address = nil
            person.friends.remove(at: 0)
            person.homes[0].city = "East Horsley"
            realm.delete(person.dog!)
        }
        expect(ada.firstName == "Augusta" && ada.homeCity == nil && ada.dog == nil && ada.dogAge == nil)
        expect(Array(names) == ["Cid"] && Array(cities) == ["East Horsley", "Bath"] && Array(ada.petNames) == ["Fay"])
        try realm.write { realm.delete(realm.pjPerson(1)) }
        expect(ada.isInvalidated && ada.realm == nil && names.isInvalidated && "\(ada)" == "[invalid object]")
    }

    @Test
    func `a projection writes its object, also through optional links, and is rolled back with the transaction`() throws
    {
        let realm = try projectionRealm()
        let ada = realm.pjProjection(1)
        func change() {
            ada.firstName = "A"
            ada.surname = "L"
            ada.age += 1
            ada.mood = .merry
            ada.homeCity = "Paris"
            ada.dogAge = nil
            ada.dogMood = .angry
            ada.dogCity = "Basket"
            ada.friendsNames[1] = "C"
            ada.friendsCities[0] = "Nice"
            ada.cities[0] = "O"
            ada.tags.append("z")
            ada.scores["b"] = 2
        }
        realm.beginWrite()
        change()
        expect(ada.firstName == "A" && ada.homeCity == "Paris" && ada.friendsNames[1] == "C")
        realm.cancelWrite()
        check(ada)
        try realm.write { change() }
        let person = realm.pjPerson(1)
        expect(person.firstName == "A" && person.lastName == "L" && person.age == 37 && person.mood == .merry)
        expect(person.address?.city == "Paris" && person.dog?.age == nil && person.dog?.home?.city == "Basket")
        expect(person.dog?.mood == .angry && realm.pjPerson(3).firstName == "C")
        expect(
            realm.pjPerson(2).address?.city == "Nice" && person.homes[0].city == "O" && Array(person.tags).last == "z"
        )
        expectEqual(person.scores["b"], 2)
        try realm.write {
            ada.dog = nil
            ada.tags = List()
            for i in ada.petNames.indices { ada.petNames[i] = "Pet" }
        }
        expect(person.dog == nil && person.tags.isEmpty && Array(ada.petNames) == ["Pet", "Pet"])
    }

    @Test
    func `a write throws for a missing or null target of an assignment`() throws {
        let realm = try projectionRealm()
        let (ada, cid) = (realm.pjProjection(1), realm.pjProjection(3))
        func error(_ body: () -> Void) -> Realm.Error? {
            do { try realm.write { body() } } catch { return error as? Realm.Error }
            return nil
        }
        let missing = error { cid.homeCity = "Rome" }
        expect(missing?.code == .missingValue && missing?.className == "PJPerson" && missing?.property == "address")
        expectEqual(missing?.message.contains("address is nil"), true)
        expectEqual(error { cid.dogCity = "Rome" }?.message.contains("dog is nil"), true)
        expect(error { ada.homeCity = nil }?.code == .missingValue && ada.homeCity == "London")
        expect(error { cid.homeCity = nil } == nil && cid.homeCity == nil)
    }

    @Test
    func `projections of one object are equal, and those of different objects aren't`() throws {
        let realm = try projectionRealm()
        let (ada, bob) = (realm.pjProjection(1), realm.pjProjection(2))
        expect(ada == realm.pjProjection(1) && ada != bob && Set([ada, realm.pjProjection(1), bob]).count == 2)
        expect(ada.id == realm.pjPerson(1).id_ && ada.id != bob.id)
        expectEqual(PJPersonProjection.className(), "PJPerson")
    }

    @Test
    func `a projection can extend another one, and have properties of its own`() throws {
        let realm = try projectionRealm()
        let bob = PJMoreProjection(projecting: realm.pjPerson(2))
        bob.isSelected = true
        expect(!bob.isGrownUp && bob.admirers.count == 2 && bob.firstName == "Bob" && bob.isSelected)
        try realm.write { bob.age = 18 }
        expect(bob.isGrownUp)
        let grown = realm.objects(PJMoreProjection.self).where { $0.age >= 18 && $0.firstName != "Ada" }
        expectEqual(grown.map(\.surnameCaps), ["BAKER", "CASTLE"])
        let schema = ProjectionSchema.of(PJMoreProjection.self)
        expectEqual(schema.properties.map(\.name).suffix(3), ["scores", "isGrownUp", "admirers"])
        expectEqual(schema.property(named: "isGrownUp")?.path, "age")
    }

    @Test
    func `projected properties are found once, with their origins`() throws {
        let schema = ProjectionSchema.of(PJPersonProjection.self)
        expectEqual(
            schema.properties.map { "\($0.name)=\($0.path)\($0.isStored ? "" : "…")" },
            [
                "firstName=firstName", "surname=lastName", "surnameCaps=lastName…", "birthdayAsEpoch=birthday…",
                "age=age",
                "mood=mood", "homeCity=address.city", "dog=dog", "dogAge=dog.age", "dogMood=dog.mood",
                "dogCity=dog.home.city", "friendsNames=friends.firstName", "friendsCities=friends.address.city",
                "petNames=pets.name", "cities=homes.city", "admirersNames=admirers.firstName", "tags=tags",
                "scores=scores",
            ]
        )
        expectEqual(ProjectionSchema.of(PJNameProjection.self).properties.map(\.path), ["firstName", "address.city"])
    }

    @Test
    func `an embedded object can be projected`() throws {
        let realm = try projectionRealm()
        let address = PJAddressProjection(projecting: realm.pjPerson(1).address!)
        try realm.write {
            address.town = "York"
            address.country = "UK"
        }
        expect(realm.pjProjection(1).homeCity == "York" && address.freeze().country == "UK")
        try realm.write { realm.pjPerson(1).address = nil }
        expect(address.isInvalidated)
    }

    @Test
    func `the description contains each property, its path and its value`() throws {
        let realm = try projectionRealm()
        let name = PJNameProjection(projecting: realm.pjPerson(1))
        expectEqual(
            "\(name)",
            """
            PJNameProjection<PJPerson> {
            \tname(\\.firstName) = Ada;
            \tcity(\\.address.city) = London;
            }
            """
        )
        let text = realm.pjProjection(1).description
        expect(text.contains("surnameCaps(\\.lastName) = LOVELACE;") && text.contains("dogAge(\\.dog.age) = 7;"))
        expect(text.contains("friendsNames(\\.friends.firstName) = ProjectedCollection<String> ("))
        expect(realm.pjProjection(3).description.contains("homeCity(\\.address.city) = (null);"))
    }

    @Test
    func `projections aren't classes of the schema, and can't be stored`() throws {
        let realm = try projectionRealm()
        expectEqual(realm.schema.objectSchema.map(\.className).sorted(), ["PJAddress", "PJDog", "PJPerson"])
        expect(
            !Discovery.modelClasses().contains { "\($0)".contains("Projection<") || "\($0)" == "PJPersonProjection" }
        )
        let wrong = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString,
            objectTypes: [PJHolder.self, PJPerson.self]
        )
        #expect {
            _ = try Realm(configuration: wrong)
        } throws: {
            ($0 as? Realm.Error)?.code == .invalidSchema && "\($0)".contains("PJHolder.people holds projections")
        }
    }
}

class PJHolder: Object {
    @Persisted var people: List<PJNameProjection>
    @Persisted var dogs: List<PJDog>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension PJPerson {
    /// Its identity, next to the key with the same name.
    fileprivate var id_: UInt64 { UInt64(truncatingIfNeeded: _identityHash) }
}
