// swift-format-ignore-file
// Made of docs/bson.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold
import FreeholdBSON

enum docs_bson_1 {
#sourceLocation(file: "docs/bson.md", line: 6)
struct Person: Codable { var name: String }
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "docs/bson.md", line: 7)
let birthday = Date(timeIntervalSince1970: -4_876_156_800)
#sourceLocation()
do {
#sourceLocation(file: "docs/bson.md", line: 11)

let person: BSONDocument = ["_id": .objectId(.generate()), "name": "Ada", "born": .date(birthday)]
let bytes = try person.bytes()
let same = try BSONDocument(bytes: bytes)
let text = try person.extendedJSON()                        // relaxed; .canonical keeps every type
let read = try BSONDocument(extendedJSON: text)
let record = try BSONDecoder().decode(Person.self, from: same)
#sourceLocation()
do {
#sourceLocation(file: "docs/bson.md", line: 21)
check(same == person && read["name"] == "Ada" && record.name == "Ada")
#sourceLocation()
}}}
}
