// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/Transactions.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_Transactions_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Transactions.md", line: 8)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Transactions_1" }; @Persisted var name = "" }
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Transactions.md", line: 9)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Transactions_1" };
    @Persisted(primaryKey: true) var id = Int.random(in: 1 ... .max)
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var dogs: List<Dog>
}
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Transactions.md", line: 15)
var configuration = Realm.Configuration.defaultConfiguration
let realm = try Realm()
let (person, rex) = (Person(), Dog())
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Transactions.md", line: 20)
try realm.write {
    realm.add(person)
    person.dogs.append(rex)
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Transactions.md", line: 43)
let adults = try await Realm.read { realm in realm.objects(Person.self).where { $0.age >= 18 }.count }
try await Realm.write { realm in realm.create(Person.self, value: ["name": "Ada"]) }
let id = try await Realm.write { realm in realm.create(Person.self, value: ["name": "Bob"]).id }
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Transactions.md", line: 49)
realm.refresh()
check(adults == 0 && realm.objects(Person.self).count == 3 && realm.object(ofType: Person.self, forPrimaryKey: id) != nil)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Transactions.md", line: 60)
configuration.busyTimeout = .seconds(2)
do {
    try realm.write { realm.add(person) }
} catch Realm.Error.busy {
    // Another write is still in progress.
}
#sourceLocation()
}}}}}
}
