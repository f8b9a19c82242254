import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

class JDPerson: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = "nobody"
    @Persisted var age: Int?
    @Persisted var home: JDHome?
    @Persisted var friend: JDPerson?
    @Persisted var tags: List<String>
}

class JDHome: EmbeddedObject {
    @Persisted var city = "Paris"
    @Persisted var street = "Main"
}

/// The values that the journal calls defaults: those of a new object that weren't given.
@Suite("Journal: defaults")
struct JournalDefaultsTests {
    private func realm() throws -> Realm {
        let realm = try Realm(
            configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [JDPerson.self, JDHome.self])
        )
        try realm.write { try realm.core.transaction!.addJournalCursor("reader") }
        return realm
    }

    /// "Class.property" of each default after the write, in order.
    private func defaults(_ realm: Realm, _ body: () throws -> Void) throws -> [String] {
        let position = try require(realm.core.committed.journalCursors.first).position
        try realm.write(body)
        let snapshot = realm.core.committed
        var out: [String] = []
        var next = position
        while let entry = try snapshot.journalEntry(at: next) {
            try entry.forEach { change in
                guard case .defaults(let first, let count) = change else { return }
                let table = snapshot.schema.table(id: first.object.tableID)!
                let name = table.columns.first { $0.id == first.column }!.name
                out += (0..<count).map { _ in "\(table.name).\(name)" }
            }
            next = entry.next
        }
        try realm.write { try realm.core.transaction!.moveJournalCursor("reader", to: next) }
        return out.sorted()
    }

    @Test func `values that create doesn't receive are defaults, also in embedded and linked objects`() throws {
        let realm = try realm()
        try expectEqual(
            defaults(realm) { realm.create(JDPerson.self, value: ["id": 1, "name": "Ann"]) },
            ["JDPerson.age", "JDPerson.friend", "JDPerson.home"]
        )
        try expectEqual(
            defaults(realm) {
                realm.create(
                    JDPerson.self,
                    value: [
                        "id": 2, "age": 3, "home": ["city": "Rome"], "friend": ["id": 3, "name": "Bob"], "tags": ["a"],
                    ] as [String: Any]
                )
            },
            [
                "JDHome.street", "JDPerson.age", "JDPerson.friend", "JDPerson.home", "JDPerson.name",
            ]
        )
    }

    @Test func `values that the same write sets aren't defaults`() throws {
        let realm = try realm()
        try expectEqual(
            defaults(realm) {
                let person = realm.create(JDPerson.self, value: ["id": 1])
                person.name = "Ann"
                person.home = JDHome()
            },
            ["JDPerson.age", "JDPerson.friend"]
        )
    }

    @Test func `the values of an added object and of an update aren't defaults`() throws {
        let realm = try realm()
        try expectEqual(defaults(realm) { realm.add(JDPerson()) }, [])
        try expectEqual(
            defaults(realm) { realm.create(JDPerson.self, value: ["id": 0, "age": 1], update: .modified) },
            []
        )
        try expectEqual(defaults(realm) { realm.create(JDPerson.self, value: ["id": 0], update: .all) }, [])
    }

    @Test func `dynamic and imported objects are like created ones`() throws {
        let realm = try realm()
        try expectEqual(
            defaults(realm) { realm.dynamicCreate("JDPerson", value: ["id": 1, "age": 3]) },
            ["JDPerson.friend", "JDPerson.home", "JDPerson.name"]
        )
        try expectEqual(
            defaults(realm) {
                _ = try realm.importJSON(from: Data(#"[{"id": 5, "name": "A", "age": 1}]"#.utf8), into: JDPerson.self)
            },
            ["JDPerson.friend", "JDPerson.home"]
        )
    }
}
