// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/GettingStarted.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_GettingStarted_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 47)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_GettingStarted_1" };
    @Persisted(primaryKey: true) var id: UUID
    @Persisted(indexed: true) var name = ""
    @Persisted var age = 0
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 54)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_GettingStarted_1" };
    @Persisted(primaryKey: true) var name = ""
    @Persisted var dogs: List<Dog>
}
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 46)

#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 53)

#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 82)
let realm = try Realm()

let rex = Dog()
rex.name = "Rex"
rex.age = 7
let ada = Person()
ada.name = "Ada"
ada.dogs.append(rex)

try realm.write {
    realm.add(ada, update: .modified)       // and Rex with her
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 102)
try realm.write {
    rex.age += 1
    realm.create(Dog.self, value: ["name": "Bo", "age": 2])
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 109)
check(ada.realm == realm && realm.objects(Dog.self).count == 2)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 117)
let dogs = realm.objects(Dog.self)
let grown = dogs.where { $0.age > 5 && $0.owners.name == "Ada" }.sorted(by: \.name)
for dog in grown {
    print(dog.name, dog.age, dog.owners.first?.name ?? "nobody")
}
print("\(dogs.count) dogs, \(dogs.average(of: \.age) ?? 0) years on average")
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 126)
check(grown.map(\.name) == ["Rex"] && grown[0].age == 8 && dogs.average(of: \.age) == 5)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 142)
let token = dogs.observe { change in
    if case .update(let dogs, let deletions, let insertions, _) = change {
        print("\(deletions.count) dogs have gone")
        for i in insertions { print("\(dogs[i].name) is new") }
    }
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 154)
try await Realm.write { realm in
    realm.delete(realm.objects(Dog.self).where { $0.age < 3 })
    realm.create(Dog.self, value: ["name": "Max", "age": 4])
}
try await Task.sleep(for: .milliseconds(200))      // the observer is called meanwhile
token.invalidate()
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 163)
try await eventually { dogs.map(\.name).sorted() == ["Max", "Rex"] }
#sourceLocation()
}}}}}}}}}
}

enum Freehold_GettingStarted_2 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 199)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_GettingStarted_2" };
    @Persisted(primaryKey: true) var id: UUID
    @Persisted(indexed: true) var name = ""
    @Persisted var born = 0
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 208)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_GettingStarted_2" };
    @Persisted(primaryKey: true) var name = ""
    @Persisted var dogs: List<Dog>
}
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 183)
func makeOldFile() throws {
    var old = Realm.Configuration.defaultConfiguration
    old.schema = Schema([
        ObjectSchema("Dog", properties: [
            Property("id", .UUID, primaryKey: true), Property("name", .string, indexed: true), Property("age", .int),
        ])
    ])
    let realm = try Realm(configuration: old)
    try realm.write { realm.dynamicCreate("Dog", value: ["id": UUID(), "name": "Rex", "age": 8]) }
}
try makeOldFile()
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 198)

#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 212)
do {
    _ = try Realm(configuration: Realm.Configuration(fileURL: Realm.Configuration.defaultConfiguration.fileURL))
    check(false)
} catch Realm.Error.schemaMismatch {}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 223)
var configuration = Realm.Configuration.defaultConfiguration
configuration.schemaVersion = 1
configuration.migrationBlock = { migration, oldVersion in
    if oldVersion < 1 {
        migration.enumerateObjects(ofType: "Dog") { old, new in
            new!["born"] = 2026 - (old!["age"] as! Int)
        }
    }
}
let realm = try Realm(configuration: configuration)
for dog in realm.objects(Dog.self) { print(dog.name, dog.born) }
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/GettingStarted.md", line: 237)
check(realm.objects(Dog.self)[0].born == 2018)
#sourceLocation()
}}}}}
}
