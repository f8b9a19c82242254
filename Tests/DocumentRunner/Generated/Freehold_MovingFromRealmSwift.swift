// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/MovingFromRealmSwift.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold
import RealmSwift

enum Freehold_MovingFromRealmSwift_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MovingFromRealmSwift.md", line: 93)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_MovingFromRealmSwift_1" };
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var dogs: List<Dog>
    @Persisted var name = ""
    @Persisted var born: Date?
    @Persisted var photo: Data?
    @Persisted var balance: Decimal128
    @Persisted var home: Home?
    @Persisted var friends: List<Person>
    @Persisted var scores: Map<String, Int>
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MovingFromRealmSwift.md", line: 104)
class Home: EmbeddedObject { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_MovingFromRealmSwift_1" }; @Persisted var city = "" }
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MovingFromRealmSwift.md", line: 107)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_MovingFromRealmSwift_1" };
    @Persisted(primaryKey: true) var id = UUID().uuidString
    @Persisted(indexed: true) var name = ""
    @Persisted var mood = Mood.calm
    @Persisted var age: Int?
    @Persisted var tags: List<String>
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
    var tmp = 0
    var title: String { "\(name), \(age ?? 0)" }
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MovingFromRealmSwift.md", line: 117)
enum Mood: Int, PersistableEnum { case calm, wild }
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MovingFromRealmSwift.md", line: 154)
struct PersonRecord: Codable {
    struct Home: Codable { var city: String }

    var _id: ObjectId
    var name: String
    var born: Date?
    var photo: Data?
    var balance: Decimal128
    var home: Home?
    var friends: [ObjectId]             // links by primary key
    var scores: [String: Int]

    init(_ person: Person) {
        _id = person._id
        name = person.name
        born = person.born
        photo = person.photo
        balance = person.balance
        home = person.home.map { Home(city: $0.city) }
        friends = person.friends.map { $0._id }
        scores = Dictionary(uniqueKeysWithValues: person.scores.map { ($0.key, $0.value) })
    }
}
#sourceLocation()
@MainActor static func run() async throws {
do {
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MovingFromRealmSwift.md", line: 153)

#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MovingFromRealmSwift.md", line: 177)

func exportPeople(_ realm: Realm, to url: URL) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    var lines = Data()
    for person in realm.objects(Person.self) {
        lines += try encoder.encode(PersonRecord(person)) + Data("\n".utf8)
    }
    try lines.write(to: url)
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MovingFromRealmSwift.md", line: 192)
let url = folder.appendingPathComponent("people.json")
try Realm().write { try Realm().create(Person.self, value: ["name": "Ada", "home": ["city": "London"], "scores": ["a": 1]]) }
try exportPeople(Realm(), to: url)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MovingFromRealmSwift.md", line: 197)
let realm = try Realm()
try realm.importJSON(from: url, into: Person.self)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MovingFromRealmSwift.md", line: 202)
check(realm.objects(Person.self).count == 1 && realm.objects(Person.self)[0].home?.city == "London")
#sourceLocation()
}}}}}}
}
