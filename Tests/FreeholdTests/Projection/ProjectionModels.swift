import Foundation
import Freehold

enum PJMood: String, PersistableEnum { case calm, merry, angry }

class PJDog: Object {
    @Persisted var name = ""
    @Persisted var age: Int?
    @Persisted var home: PJAddress?
    @Persisted var mood = PJMood.calm

    convenience init(_ name: String, age: Int? = nil) {
        self.init()
        self.name = name
        self.age = age
    }
}

class PJAddress: EmbeddedObject {
    @Persisted var city: String = ""
    @Persisted var country: String?

    convenience init(_ city: String) {
        self.init()
        self.city = city
    }
}

class PJPerson: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var firstName = ""
    @Persisted var lastName = ""
    @Persisted(indexed: true) var age = 0
    @Persisted var birthday = Date(timeIntervalSince1970: 0)
    @Persisted var mood = PJMood.calm
    @Persisted var address: PJAddress?
    @Persisted var dog: PJDog?
    @Persisted var friends: List<PJPerson>
    @Persisted var pets: MutableSet<PJDog>
    @Persisted var homes: List<PJAddress>
    @Persisted var tags: List<String>
    @Persisted var scores: Map<String, Int>
    @Persisted var anything: AnyRealmValue
    @Persisted(originProperty: "friends") var admirers: LinkingObjects<PJPerson>

    var fullName: String { "\(firstName) \(lastName)" }
    var adult: Bool { age >= 18 }

    convenience init(_ id: Int, _ firstName: String, _ lastName: String, age: Int = 0) {
        self.init()
        self.id = id
        self.firstName = firstName
        self.lastName = lastName
        self.age = age
    }
}

class PJPersonProjection: Projection<PJPerson>, ObjectKeyIdentifiable {
    @Projected(\PJPerson.firstName) var firstName
    @Projected(\PJPerson.lastName) var surname
    @Projected(\PJPerson.lastName.localizedUppercase) var surnameCaps
    @Projected(\PJPerson.birthday.timeIntervalSince1970) var birthdayAsEpoch
    @Projected(\PJPerson.age) var age
    @Projected(\PJPerson.mood) var mood
    @Projected(\PJPerson.address?.city) var homeCity
    @Projected(\PJPerson.dog) var dog
    @Projected(\PJPerson.dog?.age) var dogAge
    @Projected(\PJPerson.dog?.mood) var dogMood
    @Projected(\PJPerson.dog?.home?.city) var dogCity
    @Projected(\PJPerson.friends.projectTo.firstName) var friendsNames: ProjectedCollection<String>
    @Projected(\PJPerson.friends.projectTo.address.city) var friendsCities
    @Projected(\PJPerson.pets.projectTo.name) var petNames
    @Projected(\PJPerson.homes.projectTo.city) var cities
    @Projected(\PJPerson.admirers.projectTo.firstName) var admirersNames
    @Projected(\PJPerson.tags) var tags
    @Projected(\PJPerson.scores) var scores

    var greeting: String { "Hello \(firstName)" }
}

/// Adds to another projection.
final class PJMoreProjection: PJPersonProjection {
    @Projected(\PJPerson.adult) var isGrownUp
    @Projected(\PJPerson.admirers) var admirers
    var isSelected = false
}

/// The properties of a person that a list shows, without the age.
final class PJNameProjection: Projection<PJPerson> {
    @Projected(\PJPerson.firstName) var name
    @Projected(\PJPerson.address?.city) var city

    required init(projecting object: PJPerson) {
        super.init(projecting: object)
        // A property that an initialiser reads isn't projected.
        _ = object.age
        _ = name
    }
}

final class PJAddressProjection: Projection<PJAddress> {
    @Projected(\PJAddress.city) var town
    @Projected(\PJAddress.country) var country
}

func projectionConfiguration() -> Realm.Configuration {
    Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [PJPerson.self, PJDog.self, PJAddress.self]
    )
}

/// Ada (1, London, with the dog Rex), Bob (2, Paris) and Cid (3, without an address), each a friend of the other two.
/// Ada's pets are Rex and Fay.
func projectionRealm(_ configuration: Realm.Configuration = projectionConfiguration()) throws -> Realm {
    let realm = try Realm(configuration: configuration)
    try realm.write {
        let people = [
            PJPerson(1, "Ada", "Lovelace", age: 36), PJPerson(2, "Bob", "Baker", age: 17),
            PJPerson(3, "Cid", "Castle", age: 50),
        ]
        realm.add(people)
        people[0].address = PJAddress("London")
        people[1].address = PJAddress("Paris")
        people[0].dog = PJDog("Rex", age: 7)
        people[0].dog!.home = PJAddress("Kennel")
        people[0].pets.insert(objectsIn: [people[0].dog!, PJDog("Fay")])
        people[0].homes.append(objectsIn: [PJAddress("Ockham"), PJAddress("Bath")])
        people[0].tags.append(objectsIn: ["x", "y"])
        people[0].scores["a"] = 1
        for person in people { person.friends.append(objectsIn: people.filter { $0 !== person }) }
    }
    return realm
}

extension Realm {
    func pjPerson(_ id: Int) -> PJPerson { object(ofType: PJPerson.self, forPrimaryKey: id)! }
    func pjProjection(_ id: Int) -> PJPersonProjection { PJPersonProjection(projecting: pjPerson(id)) }
}
