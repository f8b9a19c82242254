import Foundation
import Freehold
import FreeholdBSON
import FreeholdEngine
import FreeholdServerStore
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The content that any program sees in a stream's file.
struct ReadableRowsTests {
    private func driver() throws -> StreamDriver {
        var driver = StreamDriver(try TwinStore())
        let address = EmbeddedValue(
            number: 1,
            fields: [NewField("city", .value("Basel")), NewField("zip", .value(4_051))]
        )
        let rex = ObjectName("Dog", 7)
        let person = ObjectName("Person", "anna")
        let commit = Commit(
            number: 1,
            clock: Clock(milliseconds: 5),
            base: 0,
            seen: [:],
            changes: [
                .create(
                    person,
                    [
                        NewField("name", .value("Anna")), NewField("age", .value(30)),
                        NewField("dog", .value(.link(rex))), NewField("address", .value(.embedded(address))),
                        NewField("tags", .set(["a", "b"])), NewField("scores", .list(first: 2, [3, 1, 2])),
                        NewField("map", .dictionary(SyncDictionary([("k", 1)]))), NewField("later", .value(.null)),
                        NewField("dogs", .list(first: 10, [.link(rex), .link(ObjectName("Dog", 8))])),
                    ]
                ), .create(rex, [NewField("name", .value("Rex"))]),
            ]
        )
        expect(driver.commit([(FileIdent(rawValue: 1), commit, now: 10)]).isDone)
        return driver
    }

    private func open(_ driver: StreamDriver) throws -> Realm {
        var configuration = Realm.Configuration()
        configuration.objectTypes = []
        configuration.fileURL = URL(fileURLWithPath: driver.store.file.path(of: StreamDriver.stream))
        return try Realm(configuration: configuration)
    }

    @Test func `documents are objects with links, collections and embedded objects`() throws {
        let driver = try driver()
        defer { driver.store.remove() }
        let realm = try open(driver)
        let person = try require(realm.dynamicObject(ofType: "Person", forPrimaryKey: "anna"))
        expectEqual(person["name"] as? String, "Anna")
        expectEqual(person["age"] as? Int, 30)
        let dog = try require(person["dog"] as? DynamicObject)
        expectEqual(dog["name"] as? String, "Rex")
        let address = try require(person["address"] as? DynamicObject)
        expectEqual(address["city"] as? String, "Basel")
        expectEqual(realm.dynamicObjects("Person").filter("ANY dogs.name == 'Rex' AND address.zip == 4051").count, 1)
        expectEqual(realm.dynamicObjects("Person").filter("scores.@sum == 6 AND dogs.@count == 1").count, 1)
        // Nulls created no property, and nothing of the store's own data is visible.
        let schema = try Database.open(at: driver.store.file.path(of: StreamDriver.stream)).snapshot().schema
        let names = schema.table(named: "Person")?.columns.map(\.name).sorted()
        expectEqual(names, ["_id", "address", "age", "dog", "dogs", "map", "name", "scores", "tags"])
        expectEqual(schema.tables.map(\.name).sorted(), ["Dog", "Person", "Person_address"])
    }

    @Test func `documents have the nearest millisecond of dates, and metadata with dates rounded down is read`() throws
    {
        let dates = [5_999_953, 5_000_047].map { SyncValue.date(Timestamp(seconds: 10, nanoseconds: $0)) }
        var driver = StreamDriver(try TwinStore())
        defer { driver.store.remove() }
        let thing = ObjectName("Thing", 1)
        func commit(_ number: UInt64, _ changes: [Change]) -> ServerStoreAnswer {
            let commit = Commit(
                number: number,
                clock: Clock(milliseconds: Int64(number)),
                base: number - 1,
                seen: number > 1 ? [thing: number - 1] : [:],
                changes: changes
            )
            return driver.commit([(FileIdent(rawValue: 1), commit, now: 10)])
        }
        let fields = [
            NewField("early", .value(dates[1])), NewField("late", .value(dates[0])), NewField("n", .value(0)),
            NewField("list", .list(first: 1, dates)), NewField("map", .dictionary(SyncDictionary([("a", dates[0])]))),
        ]
        expect(commit(1, [.create(thing, fields)]).isDone)
        // An edit, so that the object has meta data.
        expect(commit(2, [.set(Place(thing, "n"), 1, .real)]).isDone)
        var documents: [BSONDocument] = []
        func read() throws { try driver.store.file.forEachDocument(of: StreamDriver.stream) { documents.append($1) } }
        try read()
        let shown = [10_006, 10_005].map { BSONValue.datetime(BSONDateTime(milliseconds: $0)) }
        expectEqual(documents[0]["late"], shown[0])
        expectEqual(documents[0]["early"], shown[1])
        expectEqual(documents[0]["list"], .array(shown))
        expectEqual(documents[0]["map"], .document(["a": shown[0]]))

        // Earlier versions stored the nanoseconds after the previous millisecond: 47 becomes 999,953 here, in the row
        // and in its metadata.
        let database = try Database.open(at: driver.store.file.path(of: StreamDriver.stream))
        let write = try database.beginWrite()
        let table = try require(write.schema.table(named: "Thing"))
        let row = try require(write.find(primaryKey: .int(1), in: table))
        let meta = try require(table.hiddenColumn(named: "meta"))
        var bytes = Array(try require(write.readData(meta, row)))
        let place = try require(bytes.firstIndex(of: 47))
        var rest: [UInt8] = []
        rest.appendVarint(999_953)
        bytes.replaceSubrange(place...place, with: rest)
        try write.set(meta, row, to: .data(Data(bytes)))
        try write.set(
            try require(table.column(named: "early")),
            row,
            to: .timestamp(Timestamp(seconds: 10, nanoseconds: 5_999_953))
        )
        _ = try write.commit()
        documents = []
        try read()
        expectEqual(documents[0]["early"], shown[0])
        var query = RowQuery()
        query.objects = [thing]
        let answer = driver.store.file.perform(ServerStoreRequest(StreamDriver.stream, .read(query)))
        guard case .rows(let rows) = answer, case let object?? = rows.objects[thing] else {
            Issue.record("no object")
            return
        }
        expectEqual(object.contents["early"], .value(dates[0]))
        expectEqual(object.contents["late"], .value(dates[0]))
    }

    @Test func `a deleted object has no row, and links to it are shown again after its return`() throws {
        var driver = try driver()
        defer { driver.store.remove() }
        let rex = ObjectName("Dog", 7)
        let deletion = Commit(
            number: 2,
            clock: Clock(milliseconds: 6),
            base: 1,
            seen: [rex: 1],
            changes: [.delete(rex, .edit)]
        )
        driver.commit([(FileIdent(rawValue: 1), deletion, now: 20)])
        let realm = try open(driver)
        expectEqual(realm.dynamicObjects("Dog").count, 0)
        expectEqual(realm.dynamicObjects("Person").filter("dog == nil AND dogs.@count == 0").count, 1)
        let create = Commit(
            number: 3,
            clock: Clock(milliseconds: 7),
            base: 2,
            seen: [:],
            changes: [.create(rex, [NewField("name", .value("Rex II"))])]
        )
        driver.commit([(FileIdent(rawValue: 1), create, now: 30)])
        realm.refresh()
        expectEqual(realm.dynamicObjects("Person").filter("dog.name == 'Rex II' AND dogs.@count == 1").count, 1)
        expectEqual(driver.store.problems, [])
    }
}

extension ServerStoreAnswer {
    var isDone: Bool { if case .done = self { true } else { false } }
}
