// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/Relationships.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_Relationships_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Relationships.md", line: 8)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Relationships_1" };
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name = ""
    @Persisted var bestFriend: Person?                  // to one
    @Persisted var dogs: List<Dog>                      // to many, in order
    @Persisted var home: Address?                       // owned
    @Persisted var formerHomes: List<Address>           // owned
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Relationships.md", line: 16)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Relationships_1" };
    @Persisted var name = ""
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Relationships.md", line: 20)
class Address: EmbeddedObject { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Relationships_1" };
    @Persisted var street = ""
    @Persisted var city = ""
    @Persisted(originProperty: "home") var residents: LinkingObjects<Person>
}
#sourceLocation()
@MainActor static func run() async throws {
}
}

enum Freehold_Relationships_2 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Relationships.md", line: 47)
class Note: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Relationships_2" }; @Persisted var text = "" }
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Relationships.md", line: 48)
class OrderLine: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Relationships_2" }; @Persisted var article = "" }
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Relationships.md", line: 51)
class Customer: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Relationships_2" };
    @Persisted var name = ""
    @Persisted(deleteRule: .cascade) var notes: List<Note>                     // deleted with the customer
    @Persisted(originProperty: "customer", deleteRule: .deny) var orders: LinkingObjects<Order>
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Relationships.md", line: 56)
class Order: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Relationships_2" };
    @Persisted var customer: Customer?
    @Persisted(deleteRule: .cascade) var lines: List<OrderLine>
}
#sourceLocation()
@MainActor static func run() async throws {
do {
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Relationships.md", line: 63)
let realm = try Realm()
try realm.write {
    let customer = realm.create(Customer.self, value: ["name": "Ada", "notes": [["text": "a"]]])
    realm.create(Order.self, value: ["customer": customer, "lines": [["article": "pen"]]])
}
do {
    try realm.write { realm.delete(realm.objects(Customer.self)) }
    check(false)
} catch Realm.Error.deletionDenied {}
try realm.write { realm.delete(realm.objects(Order.self)) }
try realm.write { realm.delete(realm.objects(Customer.self)) }
check(realm.isEmpty)
#sourceLocation()
}}}
}

enum Freehold_Relationships_3 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Relationships.md", line: 101)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Relationships_3" };
    @Persisted var home: Address?
    @Persisted var formerHomes: List<Address>
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Relationships.md", line: 105)
class Address: EmbeddedObject { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Relationships_3" }; @Persisted var city = "" }
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Relationships.md", line: 106)
let realm = try Realm()
let (person, other) = (Person(), Person())
try realm.write { realm.add([person, other]) }
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Relationships.md", line: 111)
try realm.write {
    person.home = Address(value: ["city": "Rome"])     // becomes managed in place; the old one is deleted
    other.home = person.home                           // a copy, with all that it owns
    person.formerHomes.append(person.home!)            // another copy
    person.home = nil                                  // deleted
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Relationships.md", line: 120)
check(person.home == nil && other.home?.city == "Rome" && person.formerHomes[0].city == "Rome")
#sourceLocation()
}}}
}
