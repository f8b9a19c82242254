// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/Indexes.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_Indexes_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Indexes.md", line: 8)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Indexes_1" };
    @Persisted(primaryKey: true) var id: Int                     // has an index
    @Persisted(indexed: true) var email = ""                     // by value
    @Persisted(fullText: true) var notes = ""                    // by words
    @Persisted var country = ""
    @Persisted var city = ""
    @Persisted var passport: String?
    @Persisted var home: Place?

    override class func compoundIndexes() -> [CompoundIndex] {
        [CompoundIndex("country", "city"), .unique("country", "passport")]
    }
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Indexes.md", line: 21)
class Place: EmbeddedObject { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Indexes_1" };
    @Persisted var type = "Point"
    @Persisted(geoIndexed: true) var coordinates: List<Double>   // by place
}
#sourceLocation()
@MainActor static func run() async throws {
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Indexes.md", line: 70)
let realm = try Realm()
try realm.write {
    for id in 0..<2000 { realm.create(Person.self, value: ["id": id, "country": "FR", "city": id < 40 ? "Paris" : "Nice"]) }
}
let people = realm.objects(Person.self)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Indexes.md", line: 77)
print(people.where { $0.country == "FR" && $0.city == "Paris" && $0.notes.contains("a") }.explain())
// index on 'Person.(country, city)': about 40 expected, 40 looked at, 40 found
// conditions on the rows found: about 40 expected, 40 looked at, 7 found
// 7 objects, 80 rows looked at, 0.061 ms
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Indexes.md", line: 84)
let plan = people.where { $0.country == "FR" && $0.city == "Paris" }.explain()
check(plan.steps.first?.operation != .scan)
#sourceLocation()
}}}}
}
