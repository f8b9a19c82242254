import Foundation
import Testing

@testable import Freehold

class IndexedPart: EmbeddedObject {
    @Persisted var size: Int
}

class IndexedKid: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var parts: List<IndexedPart>
    @Persisted(originProperty: "kids") var parents: LinkingObjects<IndexedParent>
}

class IndexedParent: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var kids: List<IndexedKid>
    @Persisted var numbers: List<Int>
    @Persisted var friends: MutableSet<IndexedKid>
    @Persisted var named: Map<String, IndexedKid?>
    @Persisted var counts: Map<String, Int>
}

@Suite("Key paths through an element of a collection")
struct IndexedKeyPathTests {
    let realm: Realm

    init() throws {
        var configuration = newConfiguration()
        configuration.objectTypes = [IndexedParent.self, IndexedKid.self, IndexedPart.self]
        realm = try Realm(configuration: configuration)
        try realm.write {
            for id in 0..<4 {
                let kid = realm.create(IndexedKid.self, value: ["id": id, "name": "kid \(3 - id)"])
                kid.parts.append(IndexedPart(value: [id]))
                let parent = realm.create(IndexedParent.self, value: ["id": id, "name": "parent"])
                parent.kids.append(kid)
                parent.named["it's"] = kid
                parent.numbers.append(-id)
                parent.counts["k"] = 10 - id
            }
        }
    }

    @Test
    func `the name is that of the property, for any index`() {
        expectEqual(_name(for: \IndexedParent.kids[0].name), "kids.name")
        expectEqual(_name(for: \IndexedParent.kids[17].parts[3].size), "kids.parts.size")
        expectEqual(_name(for: \IndexedParent.numbers[2]), "numbers")
        expectEqual(_name(for: \IndexedParent.friends[1].name), "friends.name")
        expectEqual(_name(for: \IndexedParent.named["k"]??.name), "named.name")
        expectEqual(_name(for: \IndexedParent.counts["k"]), "counts")
        expectEqual(_name(for: \IndexedKid.parents[0].name), "parents.name")
        expectEqual(placedName(for: \IndexedParent.kids[0].name), "kids[0].name")
        expectEqual(placedName(for: \IndexedParent.named["it's"]??.name), "named[\"it's\"].name")
        expectEqual(placedName(for: \IndexedParent.name), "name")
    }

    @Test
    func `the observation concerns the elements' property`() async throws {
        let place = ObservingQueue(realm.configuration)
        try place.run { realm in
            let parents = realm.objects(IndexedParent.self)
            place.tokens.append(
                parents.observe(keyPaths: [\IndexedParent.kids[0].name, \IndexedParent.named["k"]??.name]) { change in
                    if case .update(_, _, _, let modified) = change {
                        place.note("\(modified)")
                    } else {
                        place.note("initial")
                    }
                }
            )
        }
        try await place.waitFor(1)
        try place.run { realm in
            try realm.write { realm.objects(IndexedParent.self)[1].name = "else" }
            try realm.write { realm.object(ofType: IndexedKid.self, forPrimaryKey: 2)!.name = "else" }
            realm.refresh()
        }
        try await place.waitFor(2)
        expectEqual(place.told, ["initial", "[2]"])
        place.end()
    }

    @Test
    func `sorts, distinct and aggregates use that element`() {
        let parents = realm.objects(IndexedParent.self)
        expectEqual(parents.sorted(by: \.kids[0].name).map(\.id), [3, 2, 1, 0])
        expectEqual(parents.sorted(by: \.numbers[0]).map(\.id), [3, 2, 1, 0])
        expectEqual(
            parents.sorted(by: [SortDescriptor(keyPath: \IndexedParent.counts["k"], ascending: false)]).map(\.id),
            [
                0, 1, 2, 3,
            ]
        )
        expectEqual(parents.sorted(by: \.named["it's"]??.name).map(\.id), [3, 2, 1, 0])
        expectEqual(parents.distinct(by: [\IndexedParent.kids[0].name]).count, 4)
        expectEqual(parents.sorted(by: \.kids[5].name).count, 4)
    }

    @Test
    func `a list that is really empty traps`() async {
        await #expect(processExitsWith: .failure) { _ = IndexedParent().kids[0] }
    }
}
