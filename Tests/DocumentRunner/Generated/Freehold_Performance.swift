// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/Performance.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_Performance_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Performance.md", line: 26)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Performance_1" };
    @Persisted(primaryKey: true) var id = 0
    @Persisted(indexed: true) var name = ""
    @Persisted var age = 0
    @Persisted var city = ""
    @Persisted var dogs: List<Dog>
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Performance.md", line: 33)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Performance_1" };
    @Persisted var name = ""
    @Persisted var age = 0
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Performance.md", line: 37)
struct PersonInfo: Codable, Sendable {
    var name: String
    var age: Int
}
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Performance.md", line: 41)
let realm = try Realm()
let rows = (0..<100).map { (id: $0, name: "Ada \($0)") }
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Performance.md", line: 45)
try realm.write {
    for row in rows {
        realm.create(Person.self, value: ["id": row.id, "name": row.name])
    }
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Performance.md", line: 76)
let people = realm.objects(Person.self)
let adults = people.where { $0.age >= 18 }.count                     // not: people.filter { $0.age >= 18 }.count
let total: Int = people.sum(of: \.age)                               // not: a loop with +=
for city in people.grouped(by: \.city) { print(city.key, city.count) }
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Performance.md", line: 100)
let infos = try people.where { $0.age >= 18 }.snapshot(as: PersonInfo.self)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Performance.md", line: 126)
let plan = people.where { $0.name == "Ada 7" }.explain()
print(plan)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Performance.md", line: 131)
check(plan.steps.first?.operation != .scan && infos.isEmpty && adults == 0 && total == 0)
#sourceLocation()
}}}}}}
}
