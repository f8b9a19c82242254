// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/MixedValues.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_MixedValues_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MixedValues.md", line: 12)
class Event: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_MixedValues_1" };
    @Persisted var type = ""
    @Persisted var details: AnyRealmValue
    @Persisted(indexed: true) var reference: AnyRealmValue
}
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MixedValues.md", line: 17)

let event = Event()
event.details = ["ip": "192.168.1.1", "items": [["name": "Mouse", "price": 49.99]], "total": 49.99]
event.reference = .int(17)
print(event.details.dictionaryValue?["total"]?.doubleValue)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MixedValues.md", line: 32)
let realm = try Realm()
try realm.write { realm.add(event) }
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MixedValues.md", line: 36)
try realm.write {
    event.details.dictionaryValue?["items"]?.listValue?.append(["name": "Cable", "price": 5])
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MixedValues.md", line: 53)
realm.objects(Event.self).where { $0.reference == 17 }          // also 17.0
realm.objects(Event.self).where { $0.reference.starts(with: "A") }
realm.objects(Event.self).where { $0.details["items"][0]["name"] == "Mouse" }      // null if the place is missing
realm.objects(Event.self).where { $0.details["items"].any["price"] > 20 }          // of any item
realm.objects(Event.self).filter("details['ip'] BEGINSWITH '192.' AND reference.@type == 'int'")
realm.objects(Event.self).sorted(by: \.reference)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MixedValues.md", line: 62)
check(realm.objects(Event.self).where { $0.reference == 17 && $0.details["items"].any["price"] > 20 }.count == 1)
check(event.details.dictionaryValue?["items"]?.listValue?.count == 2)
check(realm.objects(Event.self).filter("details['ip'] BEGINSWITH '192.' AND reference.@type == 'int'").count == 1)
#sourceLocation()
}}}}}
}
