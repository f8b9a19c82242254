// swift-format-ignore-file
// Made of Sources/FreeholdEngine/FreeholdEngine.docc/FreeholdEngine.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold
import FreeholdEngine

enum FreeholdEngine_FreeholdEngine_1 {
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/FreeholdEngine/FreeholdEngine.docc/FreeholdEngine.md", line: 25)
let path = folder.appendingPathComponent("engine").path
#sourceLocation()
do {
#sourceLocation(file: "Sources/FreeholdEngine/FreeholdEngine.docc/FreeholdEngine.md", line: 29)

let database = try Database.open(at: path)

// Tables and columns can be added at any time, while others read.
let transaction = try database.beginWrite()
try transaction.extendSchema([
    TableSpec("person", columns: [ColumnSpec("id", .int), ColumnSpec("age", .int)], primaryKey: "id")
])
let person = transaction.schema.table(named: "person")!
let key = try transaction.create(person, primaryKey: .int(1))
try transaction.set(person.columns[1], key, to: .int(36))
var snapshot = try transaction.commit()

// A query is text over the stored names, or is made of values.
let query = try RowQuery("age >= 18 SORT(age ASC)", of: person, in: snapshot)
for key in query.keys(in: snapshot) { print(snapshot.value(person.columns[0], key)) }

// A followed query says what a version changed in its result.
var adults = ObservedQuery(query, in: snapshot)
let feed = ChangeFeed(database)
let later = try database.beginWrite()
try later.set(person.columns[1], key, to: .int(7))
snapshot = try later.commit()
if let changes = adults.advance(to: snapshot, feed.changes(from: adults.snapshot, to: snapshot)) {
    print(changes.deletions)
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/FreeholdEngine/FreeholdEngine.docc/FreeholdEngine.md", line: 58)
check(adults.keys.isEmpty)
#sourceLocation()
}}}
}
