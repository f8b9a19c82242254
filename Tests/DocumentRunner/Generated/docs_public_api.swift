// swift-format-ignore-file
// Made of docs/public-api.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold
import FreeholdEngine

enum docs_public_api_1 {
@MainActor static func run() async throws {
#sourceLocation(file: "docs/public-api.md", line: 21)
let path = folder.appendingPathComponent("people.db").path
#sourceLocation()
do {
#sourceLocation(file: "docs/public-api.md", line: 25)

let database = try Database.open(at: path)
let transaction = try database.beginWrite()
try transaction.extendSchema([
    TableSpec("person", columns: [ColumnSpec("id", .int), ColumnSpec("age", .int)], primaryKey: "id")
])
let person = transaction.schema.table(named: "person")!
let key = try transaction.create(person, primaryKey: .int(1))
try transaction.set(person.columns[1], key, to: .int(36))
var snapshot = try transaction.commit()

var adults = ObservedQuery(try RowQuery("age >= 18 SORT(age ASC)", of: person, in: snapshot), in: snapshot)
print(Array(adults.keys))

let feed = ChangeFeed(database)
let later = try database.beginWrite()
try later.set(person.columns[1], key, to: .int(7))
snapshot = try later.commit()
if let changes = adults.advance(to: snapshot, feed.changes(from: adults.snapshot, to: snapshot)) { print(changes.deletions) }
#sourceLocation()
}}
}
