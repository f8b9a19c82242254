// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/ClassProjections.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_ClassProjections_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/ClassProjections.md", line: 11)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_ClassProjections_1" };
    @Persisted(primaryKey: true) var id: Int
    @Persisted var firstName = ""
    @Persisted var lastName = ""
    @Persisted var birthday: Date
    @Persisted var address: Address?
    @Persisted var friends: List<Person>
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/ClassProjections.md", line: 20)
class Address: EmbeddedObject { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_ClassProjections_1" };
    @Persisted var city = ""
    @Persisted var country = ""
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/ClassProjections.md", line: 25)
class PersonProjection: Projection<Person> {
    @Projected(\Person.firstName) var firstName                     // as it is
    @Projected(\Person.lastName) var surname                        // under another name
    @Projected(\Person.address?.city) var homeCity                  // through embedded and linked objects
    @Projected(\Person.friends.projectTo.firstName) var friendsNames: ProjectedCollection<String>
    @Projected(\Person.lastName.localizedUppercase) var title       // made of a property
}
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/ClassProjections.md", line: 19)

#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/ClassProjections.md", line: 24)

#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/ClassProjections.md", line: 43)
let realm = try Realm()
try realm.write {
    let ada = realm.create(
        Person.self,
        value: ["id": 1, "firstName": "Ada", "lastName": "Byron", "address": ["city": "Paris", "country": "FR"]]
    )
    ada.friends.append(Person(value: ["id": 2, "firstName": "Bob"]))
}
let person = realm.objects(Person.self)[0]
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/ClassProjections.md", line: 54)
let people = realm.objects(PersonProjection.self)
let ada = realm.object(ofType: PersonProjection.self, forPrimaryKey: 1)!
let bob = PersonProjection(projecting: Person(value: ["firstName": "Bob"]))     // in memory: for tests, say
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/ClassProjections.md", line: 64)
people.where { $0.homeCity == "Paris" && $0.surname.starts(with: "B") }
people.where { $0.friendsNames == "Ada" }                           // any of the names
people.where { $0.rootObject.birthday < Date() }                    // what isn't projected
people.filter("lastName BEGINSWITH 'B'")                            // strings name the object's properties
people.sorted(by: \.surname).sectioned(by: \.homeCity)
people.grouped(by: \.homeCity)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/ClassProjections.md", line: 78)
try realm.write {
    ada.firstName = "Augusta"
    ada.homeCity = "London"                                         // where there is an address
    ada.friendsNames[0] = "Charles"
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/ClassProjections.md", line: 86)
check(person.firstName == "Augusta" && person.address?.city == "London" && person.friends[0].firstName == "Charles")
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/ClassProjections.md", line: 99)
for name in person.friends.projectTo.firstName { print(name) }
person.friends.projectTo.address.city                               // ProjectedCollection<String?>
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/ClassProjections.md", line: 109)
var token: NotificationToken?
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/ClassProjections.md", line: 112)
token = ada.observe { change in
    if case .change(let ada, let properties) = change { print(properties.map(\.name)) }     // ["surname", "title"]
}
token = people.observe { change in print(change) }                  // modified: what is projected was set
token = ada.friendsNames.observe { change in print(change) }        // modified: a first name was set
#sourceLocation()
}}}}}}}}}
}
