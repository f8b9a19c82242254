// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/Migrations.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_Migrations_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Migrations.md", line: 18)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Migrations_1" };
    @Persisted var age = 0
    @Persisted var fullName = ""
}
#sourceLocation()
@MainActor static func run() async throws {
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Migrations.md", line: 24)
let configuration = Realm.Configuration(schemaVersion: 2)
let realm = try Realm(configuration: configuration)
#sourceLocation()
}}
}

enum Freehold_Migrations_2 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Migrations.md", line: 48)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Migrations_2" };
    @Persisted var age = 0
    @Persisted var fullName = ""
}
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Migrations.md", line: 52)
func makeOldFile() throws {
    var old = Realm.Configuration.defaultConfiguration
    old.schemaVersion = 1
    old.schema = Schema([
        ObjectSchema("Person", properties: [
            Property("years", .int), Property("firstName", .string), Property("lastName", .string),
        ])
    ])
    let realm = try Realm(configuration: old)
    try realm.write { realm.dynamicCreate("Person", value: ["years": 36, "firstName": "Ada", "lastName": "Lovelace"]) }
}
try makeOldFile()
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Migrations.md", line: 66)
let configuration = Realm.Configuration(
    schemaVersion: 3,
    migrationBlock: { migration, oldVersion in
        if oldVersion < 2 {
            migration.renameProperty(onType: "Person", from: "years", to: "age")
        }
        if oldVersion < 3 {
            migration.enumerateObjects(ofType: "Person") { old, new in
                new!["fullName"] = "\(old!["firstName"] as! String) \(old!["lastName"] as! String)"
            }
        }
    }
)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Migrations.md", line: 111)
// The file is the default one's.
let old = configuration
var configuration = Realm.Configuration.defaultConfiguration
configuration.schemaVersion = old.schemaVersion
configuration.migrationBlock = old.migrationBlock
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Migrations.md", line: 118)
print(try Realm.migrationPlan(for: configuration))
// migrate from schema version 1 to 2, 12000 objects in steps:
// - add property 'Person.more' (3000 objects)
// - make 'Person.age' optional (3000 objects)
// - remove property 'Person.gone'
// - change the primary key of 'Person' from id to name (3000 objects)
// - run the migration block (3000 objects)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Migrations.md", line: 128)
let person = try Realm(configuration: configuration).objects(Person.self)[0]
check(person.age == 36 && person.fullName == "Ada Lovelace")
#sourceLocation()
}}}}}
}
