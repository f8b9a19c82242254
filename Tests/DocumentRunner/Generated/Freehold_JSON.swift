// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/JSON.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_JSON_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/JSON.md", line: 13)
class Dog: Object, Codable { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_JSON_1" };
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var born: Date?
    @Persisted var puppies: List<Dog>
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/JSON.md", line: 34)
class City: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_JSON_1" };
    @Persisted(primaryKey: true) var name = ""
    @Persisted var population = 0
}
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/JSON.md", line: 19)

let realm = try Realm()
let json = try JSONEncoder().encode(realm.objects(Dog.self))
let dogs = try JSONDecoder().decode([Dog].self, from: json)     // unmanaged
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/JSON.md", line: 38)
let url = folder.appendingPathComponent("cities.json")
try Data(#"[{"name": "Paris", "population": 2102650}]"#.utf8).write(to: url)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/JSON.md", line: 42)
let count = try realm.importJSON(from: url, into: City.self)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/JSON.md", line: 76)
check(count == 1 && realm.objects(City.self)[0].population == 2_102_650)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/JSON.md", line: 79)
try realm.exportJSON(City.self, to: url)
let lines = try realm.objects(City.self).jsonData(options: JSONExportOptions(format: .lines))
let one = try realm.jsonData(of: realm.objects(City.self)[0])
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/JSON.md", line: 94)
check(String(decoding: lines, as: UTF8.self).contains(#""name":"Paris""#), String(decoding: lines, as: UTF8.self))
let newURL = folder.appendingPathComponent("new.realm")
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/JSON.md", line: 98)
try realm.exportDocument(to: url)
try Realm.importDocument(from: url, to: Realm.Configuration(fileURL: newURL))
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/JSON.md", line: 103)
check(try Realm(fileURL: newURL).objects(City.self).count == 1)
#sourceLocation()
}}}}}}}}
}
