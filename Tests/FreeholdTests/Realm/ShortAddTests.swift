import Foundation
import Testing

@testable import Freehold

class DirectPart: EmbeddedObject {
    @Persisted var label: String
    @Persisted var inner: DirectPart?
}

class DirectItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var part: DirectPart?
    @Persisted var other: DirectPart?
    @Persisted var tags: MutableSet<String>
    @Persisted var counts: Map<String, Int>
    @Persisted var any: AnyRealmValue
    @Persisted var suit: Suit?
    @Persisted var numbers: List<Int>
}

@Suite("The short path of adding")
struct ShortAddTests {
    private func realm() throws -> Realm {
        try Realm(
            configuration: .init(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [DirectItem.self, DirectPart.self]
            )
        )
    }

    @Test("an object with one level of embedded objects and plain mixed values takes the short path")
    func taken() throws {
        let realm = try realm()
        let item = DirectItem()
        item.id = 1
        item.part = DirectPart(value: ["label": "a"])
        item.any = .string("x")
        item.suit = .spades
        item.numbers.append(1)
        item.tags.insert("t")
        item.counts["c"] = 3
        let part = try require(item.part)
        try realm.write {
            expect(realm.core.addDirectly(item, realm.core.requireWrite()))
            expect(part.parent === item || part.parent == item)
            expect(item.part === part || item.part == part)
        }
        let stored = try require(realm.objects(DirectItem.self).first)
        expect(
            stored.part?.label == "a" && stored.any == .string("x") && stored.suit == .spades && stored.other == nil
        )
        expect(stored.part == part && part.realm == realm)
        expect(Array(stored.numbers) == [1] && Array(stored.tags) == ["t"] && stored.counts["c"] == 3)
        try expectEqual(realm.core.database.snapshot().verify(), [])
    }

    @Test
    func `an embedded object in two properties is copied for the second`() throws {
        let realm = try realm()
        let item = DirectItem()
        item.part = DirectPart(value: ["label": "a"])
        item.other = item.part
        try realm.write { realm.add(item) }
        expect(item.part != item.other && item.other?.label == "a")
        try expectEqual(realm.core.database.snapshot().verify(), [])
    }

    @Test
    func `an object that the short path can't store is planned`() throws {
        let realm = try realm()
        let deep = DirectItem()
        deep.part = DirectPart(value: ["label": "a", "inner": ["label": "b"]])
        let list = DirectItem()
        list.id = 1
        list.any = .fromArray([.int(1)])
        try realm.write {
            for item in [deep, list] {
                expect(!realm.core.addDirectly(item, realm.core.requireWrite()))
                realm.add(item)
            }
        }
        expect(deep.part?.inner?.label == "b" && list.any.listValue?.count == 1)
        try expectEqual(realm.core.database.snapshot().verify(), [])
    }
}
