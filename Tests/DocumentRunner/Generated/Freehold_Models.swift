// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/Models.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_Models_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Models.md", line: 8)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Models_1" }; @Persisted var name = "" }
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Models.md", line: 11)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Models_1" };
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted(indexed: true) var name = ""
    @Persisted var born: Date?
    @Persisted var dogs: List<Dog>
    @Persisted var bestDog: Dog?
    var greeting: String { "Hello, \(name)" }      // not stored
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Models.md", line: 43)
class Note: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Models_1" };
    @Persisted var text: String
    @Persisted var made = Date()

    init(text: String) {
        self.text = text
        super.init()
    }

    override init() { super.init() }
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Models.md", line: 74)
enum Size: String, PersistableEnum { case small, large }
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Models.md", line: 76)
struct Celsius: CustomPersistable {
    typealias PersistedType = Double
    var degrees: Double
    init(persistedValue: Double) { degrees = persistedValue }
    var persistableValue: Double { degrees }
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Models.md", line: 83)
class Room: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Models_1" };
    @Persisted var size = Size.small
    @Persisted var target: Celsius?
    @Persisted var measured: List<Celsius>
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Models.md", line: 99)
class Page: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Models_1" };
    @Persisted var visits = 0
    @Persisted var likes: List<Int>
    @Persisted var reactions: Map<String, Int>
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Models.md", line: 104)
class Player: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Models_1" }; @Persisted var lives = 3 }
#sourceLocation()
@MainActor static func run() async throws {
do {
do {
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Models.md", line: 75)

#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Models.md", line: 82)

#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Models.md", line: 105)
let realm = try Realm()
let (page, player) = (Page(), Player())
try realm.write {
    realm.add([page, player])
    page.likes.append(objectsIn: [0, 0, 0, 0])
    page.reactions["heart"] = 1
    realm.add(Note(text: "a"))
    realm.create(Room.self, value: ["size": "large", "target": 20.5])
}
let dynamic = realm.dynamicObjects("Page")[0]
check(realm.objects(Room.self)[0].target?.degrees == 20.5 && realm.objects(Note.self)[0].text == "a")
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Models.md", line: 118)
try realm.write {
    page.increment(\.visits)                    // by 1
    player.increment(\.lives, by: -1)
    page.likes.increment(at: 3, by: 2)          // an element of a list
    page.reactions.increment("heart", by: 1)    // the value of a map's key
    dynamic.increment("visits", by: 1)          // by name: dynamic objects too
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Models.md", line: 128)
check(page.visits == 2 && player.lives == 2 && page.likes[3] == 2 && page.reactions["heart"] == 2)
#sourceLocation()
}}}}}}}
}
