import Foundation
import Freehold
import FreeholdEngine
import FreeholdServerStore
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// What anybody sees who opens a stream's file.
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

    @Test func `Documents are objects with links, collections and embedded objects`() throws {
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
        // No property came of nulls, and nothing of the store's own shows.
        let schema = try Database.open(at: driver.store.file.path(of: StreamDriver.stream)).snapshot().schema
        let names = schema.table(named: "Person")?.columns.map(\.name).sorted()
        expectEqual(names, ["_id", "address", "age", "dog", "dogs", "map", "name", "scores", "tags"])
        expectEqual(schema.tables.map(\.name).sorted(), ["Dog", "Person", "Person_address"])
    }

    @Test func `An object that was deleted is no row any more, and links to it show again when it comes back`() throws {
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
