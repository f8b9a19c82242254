// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/Names.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_Names_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Names.md", line: 12)
class Boat: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Names_1" };
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted(mapTo: "boat_name") var name = ""
    @Persisted(indexed: true, mapTo: "max_knots") var speed: Int?
    override class func mappedName() -> String? { "naval_ship" }
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Names.md", line: 29)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Names_1" };
    @Persisted var firstName = ""        // first_name
    override class func propertyNamingPolicy() -> NamingPolicy? { .snakeCase }
}
#sourceLocation()
@MainActor static func run() async throws {
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Names.md", line: 33)

var configuration = Realm.Configuration()
configuration.classNamingPolicy = .snakeCase
configuration.propertyNamingPolicy = .snakeCase
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Names.md", line: 40)
check(try Schema(classes: [Person.self])["Person"]?["firstName"]?.columnName == "first_name")
check(try Schema(classes: [Boat.self])["naval_ship"]?["name"]?.columnName == "boat_name")
#sourceLocation()
}}}
}

enum Freehold_Names_2 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Names.md", line: 73)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Names_2" };
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var friends: List<Dog>
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Names.md", line: 79)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Names_2" };
    @Persisted(primaryKey: true) var id = 0
    @Persisted var dogs: List<Dog>
}
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Names.md", line: 83)
let realm = try Realm()
try realm.write { realm.create(Person.self, value: ["dogs": [["name": "Max", "age": 11]]]) }
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Names.md", line: 87)
for dog in realm.dynamicObjects("Dog").where({ $0["age", as: Int.self] > 5 }) {
    print(dog.name as! String, (dog.owners as! LinkingObjects<DynamicObject>).count)
}
try realm.write {
    let dog = realm.dynamicCreate("Dog", value: ["name": "Rex", "friends": [["name": "Bo"]]])
    dog.age = 7
    dog.dynamicList("friends").removeAll()
}
#sourceLocation()
}}
}

enum Freehold_Names_3 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Names.md", line: 111)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Names_3" }; @Persisted var name = "" }
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Names.md", line: 112)
var configuration = Realm.Configuration.defaultConfiguration
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Names.md", line: 115)
var schema = try Schema(classes: [Person.self])
schema.objectSchema[0].properties.append(Property("extra", .int, optional: true))
schema.objectSchema.append(
    ObjectSchema("Log", properties: [
        Property("text", .string, indexed: true),
        Property("level", .int, defaultValue: 3),
        Property("person", .object, objectClassName: "Person"),
    ])
)
configuration.schema = schema
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Names.md", line: 128)
let realm = try Realm(configuration: configuration)
try realm.write { realm.create(Person.self, value: ["name": "Ada"])["extra"] = 7 }
check(realm.objects(Person.self)[0]["extra"] as? Int == 7 && realm.schema["Log"] != nil)
#sourceLocation()
}}}
}
