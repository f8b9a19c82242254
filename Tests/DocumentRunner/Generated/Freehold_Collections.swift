// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/Collections.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_Collections_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Collections.md", line: 10)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Collections_1" };
    @Persisted var toys: List<String>                  // in the order that the program defines
    @Persisted var tags: MutableSet<String>            // each value once
    @Persisted var ages: Map<String, Int>              // values with string keys
    @Persisted var friends: Map<String, Dog?>          // objects in maps are optional
    @Persisted var weights: List<Double?>              // values can be null
}
#sourceLocation()
@MainActor static func run() async throws {
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Collections.md", line: 56)
let realm = try Realm()
let dog = Dog()
try realm.write { realm.add(dog) }
realm.beginWrite()
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Collections.md", line: 62)
dog.ages["human"] = 21
dog.ages["cat", default: 0] += 1            // reads the value, adds 1 and sets the result
dog.ages.increment("cat", by: 1)            // adds 1 if the entry exists
dog.ages["human"] = nil                     // removes the entry
for (key, age) in dog.ages.asKeyValueSequence() { print(key, age) }
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Collections.md", line: 70)
check(dog.ages.count == 1 && dog.ages["cat"] == 2)
try realm.commitWrite()
#sourceLocation()
}}}}
}
