import Foundation
import FreeholdEngine
import Synchronization
import Testing

@testable import Freehold

class UpsertTag: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var weight: Int
}

class UpsertPart: EmbeddedObject {
    @Persisted var label: String
    @Persisted var size: Int
    @Persisted var inner: UpsertPart?
}

class UpsertItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String
    @Persisted var note: String?
    @Persisted var score: Double
    @Persisted var main: UpsertTag?
    @Persisted var tags: List<UpsertTag>
    @Persisted var numbers: List<Int>
    @Persisted var part: UpsertPart?
    @Persisted var parts: List<UpsertPart>
}

/// The input of an upsert, and its changes. The values are plain data.
struct Change: @unchecked Sendable {
    let value: [String: Any]
    let expected: [String]
    init(_ value: [String: Any], _ expected: [String]) {
        self.value = value
        self.expected = expected
    }
}

@Suite("Upserts")
struct UpsertTests {
    /// "Class.column" of every modification of a write, and "+Class", "-Class" for each created or deleted object.
    private final class Watcher: Sendable {
        let seen = Mutex<[String]>([])
    }

    private func changes(_ realm: Realm, _ body: () throws -> Void) throws -> [String] {
        let watcher = Watcher()
        let commits = ChangeFeed(realm.core.database).observeCommits { snapshot, record in
            var out: [String] = []
            for changes in record.tables {
                guard let table = snapshot.schema.table(id: changes.table) else { continue }
                out += changes.inserted.map { _ in "+\(table.name)" } + changes.deleted.map { _ in "-\(table.name)" }
                for (id, keys) in changes.modified where !keys.isEmpty {
                    out.append("\(table.name).\(table.columns.first { $0.id == id }!.name)")
                }
            }
            watcher.seen.withLock { $0 += out.sorted() }
        }
        defer { commits.cancel() }
        try realm.write { try body() }
        return watcher.seen.withLock { $0 }
    }

    private func item() -> UpsertItem {
        UpsertItem(value: values)
    }

    private var values: [String: Any] {
        [
            "id": 1, "title": "a", "note": "n", "score": 1.5, "main": ["name": "x", "weight": 1],
            "tags": [["name": "x", "weight": 1], ["name": "y", "weight": 2]], "numbers": [1, 2, 3],
            "part": ["label": "p", "size": 1, "inner": ["label": "q"]],
            "parts": [["label": "r", "size": 1], ["label": "s", "size": 2]],
        ]
    }

    private func realm() throws -> Realm {
        let realm = try Realm(
            configuration: .init(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [UpsertItem.self, UpsertTag.self, UpsertPart.self]
            )
        )
        try realm.write { realm.create(UpsertItem.self, value: values, update: .modified) }
        return realm
    }

    @Test("`.modified` with equal data changes nothing, as values and as an object")
    func equalData() throws {
        let realm = try realm()
        try expectEqual(changes(realm) { realm.create(UpsertItem.self, value: values, update: .modified) }, [])
        try expectEqual(changes(realm) { realm.add(item(), update: .modified) }, [])
        expect(realm.objects(UpsertItem.self).count == 1 && realm.objects(UpsertTag.self).count == 2)
    }

    @Test(
        "`.modified` writes what differs, and nothing else",
        arguments: [
            Change(["title": "b"], ["UpsertItem.title"]), Change(["note": NSNull()], ["UpsertItem.note"]),
            Change(["main": ["name": "x", "weight": 9]], ["UpsertTag.weight"]),
            Change(["main": ["name": "y", "weight": 2]], ["UpsertItem.main"]),
            Change(["main": NSNull()], ["UpsertItem.main"]),
            Change(["tags": [["name": "x", "weight": 1], ["name": "y", "weight": 3]]], ["UpsertTag.weight"]),
            Change(["tags": [["name": "x"]]], ["UpsertItem.tags"]),
            Change(["numbers": [1, 2, 3, 4]], ["UpsertItem.numbers"]),
            Change(["part": ["label": "p2", "size": 1]], ["UpsertPart.label"]),
            Change(["part": ["inner": ["size": 5]]], ["UpsertPart.size"]),
            Change(["part": NSNull()], ["-UpsertPart", "-UpsertPart", "UpsertItem.part"]),
            Change(["parts": [["label": "r"], ["size": 7]]], ["UpsertPart.size"]),
            Change(["parts": [["label": "r"]]], ["-UpsertPart", "UpsertItem.parts"]),
            Change(
                ["parts": [["label": "r"], ["label": "s"], ["label": "t"]]],
                ["+UpsertPart", "UpsertItem.parts"]
            ),
        ]
    )
    func differences(_ change: Change) throws {
        let realm = try realm()
        var value = change.value
        value["id"] = 1
        try expectEqual(
            changes(realm) { realm.create(UpsertItem.self, value: value, update: .modified) },
            change.expected
        )
    }

    @Test("`.all` writes every property that is given; what isn't mentioned stays")
    func all() throws {
        let realm = try realm()
        let made = try changes(realm) {
            realm.create(UpsertItem.self, value: ["id": 1, "title": "a", "score": 1.5], update: .all)
        }
        expectEqual(made, ["UpsertItem.score", "UpsertItem.title"])
        let item = realm.objects(UpsertItem.self)[0]
        expect(item.note == "n" && item.part?.inner?.label == "q" && item.parts.count == 2)
        let part = try require(item.part)
        try realm.write {
            realm.create(UpsertItem.self, value: ["id": 1, "part": ["label": "new"]], update: .all)
        }
        // Updated in place: the accessor stays valid, and what isn't mentioned stays too.
        expect(item.part == part && part.label == "new" && part.size == 1)
    }

    @Test
    func `an added object that replaces another one becomes its accessor, embedded objects included`() throws {
        let realm = try realm()
        let new = item()
        new.title = "new"
        new.part?.label = "new part"
        try realm.write { realm.add(new, update: .modified) }
        let item = realm.objects(UpsertItem.self)[0]
        expect(item == new && item.title == "new" && item.part == new.part && item.part?.label == "new part")
        try realm.write { new.part?.size = 8 }
        expectEqual(item.part?.size, 8)
    }

    @Test
    func `bad data in a nested value changes nothing`() throws {
        let realm = try realm()
        let bad: [[String: Any]] = [
            ["id": 1, "title": "z", "part": ["size": "large"]], ["id": 1, "title": "z", "parts": [["label": 5]]],
            ["id": 1, "title": "z", "tags": [["name": NSNull()]]], ["id": 1, "title": "z", "parts": [NSNull()]],
        ]
        for value in bad {
            #expect(throws: Realm.Error.self) {
                try realm.write { realm.create(UpsertItem.self, value: value, update: .modified) }
            }
            expectEqual(realm.objects(UpsertItem.self)[0].title, "a")
        }
    }
}
