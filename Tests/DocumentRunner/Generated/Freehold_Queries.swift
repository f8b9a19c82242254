// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/Queries.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_Queries_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Queries.md", line: 8)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Queries_1" };
    @Persisted var name = ""
    @Persisted var age = 0
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Queries.md", line: 12)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Queries_1" };
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var city = ""
    @Persisted var dogs: List<Dog>
    @Persisted var bestDog: Dog?
    @Persisted var scores: List<Int>
    @Persisted var phones: Map<String, String>
}
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Queries.md", line: 21)
let realm = try Realm()
let person = Person(value: ["name": "Ada", "age": 36, "scores": [3, 8], "dogs": [["name": "Rex", "age": 7]]])
try realm.write {
    realm.add(person)
    person.bestDog = person.dogs[0]
    realm.create(Person.self, value: ["name": "Bob", "age": 31])
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Queries.md", line: 30)
let people = realm.objects(Person.self)
let found = people
    .where { ($0.age > 30 || $0.name.starts(with: "A")) && $0.dogs.count > 0 }
    .sorted(by: [SortDescriptor(keyPath: "age", ascending: false), "name"])
    .limited(to: 20)
for person in found { print(person.name) }
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Queries.md", line: 39)
check(found.map(\.name) == ["Ada"])
let text = "nmae == 'Ada'"
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Queries.md", line: 57)
people.where { $0.age > 30 && $0.dogs.name == "Rex" }
people.filter("age > %@ AND ANY dogs.name == 'Rex'", 30)
people.filter(NSPredicate(format: "age > %d", 30))
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Queries.md", line: 69)
do {
    print(try people.filter(validating: text).count)
} catch {
    print(error)                        // the message, what was expected, and the place in the text
    print(error.suggestions)            // names that may have been meant
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Queries.md", line: 84)
people.sorted(by: \.age).limited(to: 3)                      // the three youngest
people.limited(to: 3).sorted(by: \.age)                      // the first three, by age
people.limited(to: 3).where { $0.age < 40 }                  // of the first three those under 40
people.sorted(by: \.age, ascending: false).distinct(by: ["name"])   // the oldest of each name
people.sorted(by: \.name).offset(by: 20).limited(to: 10)     // the third page of ten
people.sorted(byKeyPath: "bestDog.age")                      // across a link
people.sorted(byKeyPath: "phones['home']")                   // by an element of a map
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Queries.md", line: 103)
let total: Int = people.sum(of: \.age)
let mean: Double? = people.average(ofProperty: "age")
let oldest = people.max(of: \.age)
let dogAges: Int = people.sum(ofProperty: "bestDog.age")     // along to-one links
let best = person.scores.max()
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Queries.md", line: 111)
check(total == 67 && mean == 33.5 && oldest == 36 && dogAges == 7 && best == 8)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Queries.md", line: 125)
for group in people.grouped(by: \.city) {
    print(group.key, group.count, group.sum(of: \.age), group.max(of: \.age) ?? 0)
    print(group.objects.sorted(by: \.name).first?.name ?? "")
}
for group in people.grouped(by: \.city, \.age) { print(group.key.0, group.key.1, group.count) }
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Queries.md", line: 140)
let sections = people.sectioned(by: { String($0.name.prefix(1)) }, sortDescriptors: ["name"])
for section in sections {
    print(section.key, section.count)
    for person in section { print(person.name) }
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Queries.md", line: 156)
print(people.where { $0.name == "Ada" }.explain())
// index on 'Person.name': about 3 expected, 3 looked at, 3 found
// 3 objects, 3 rows looked at, 0.012 ms
#sourceLocation()
}}}}}}}}}}}
}
