import Foundation
import Testing

@testable import Freehold

@Suite("Sets")
struct MutableSetTests {
    @Test("a set of objects contains each row once, and adds unmanaged objects to the realm")
    func objects() throws {
        let realm = try collectionRealm()
        let keeper = CollectionKeeper()
        let first = CollectionDog(1)
        keeper.dogs.insert(objectsIn: [first, CollectionDog(2), first])
        expectEqual(keeper.dogs.count, 2)
        try realm.write {
            realm.add(keeper)
            expect(first.realm == realm && keeper.dogs.contains(first))
            expect(!keeper.dogs.insert(realm.object(ofType: CollectionDog.self, forPrimaryKey: 1)!))
            keeper.dogs.insert(objectsIn: [CollectionDog(3), first])
        }
        expectEqual(keeper.dogs.map(\.id), [1, 2, 3])
        expectEqual(realm.objects(CollectionDog.self).count, 3)
        expectEqual(Array(first.keepers), [keeper])
        expect(!keeper.dogs.contains(CollectionDog(1)))
        expect(keeper.dogs.index(of: first) == 0 && keeper.dogs[2].id == 3)
        try realm.write {
            realm.delete(first)
            expectEqual(keeper.dogs.map(\.id), [2, 3])
            expect(keeper.dogs.remove(keeper.dogs[0]))
            expectEqual(realm.objects(CollectionDog.self).count, 2)
            realm.delete(keeper.dogs)
            expect(keeper.dogs.isEmpty && realm.objects(CollectionDog.self).count == 1)
        }
        expect(realm.objects(CollectionDog.self)[0].keepers.isEmpty)
    }

    @Test(arguments: [0, 1, 2])
    func `managed, unmanaged and plain sets can be combined`(_ kind: Int) throws {
        let realm = try collectionRealm()
        let keeper = CollectionKeeper()
        let other = CollectionKeeper()
        try realm.write {
            realm.add(keeper)
            if kind == 0 { realm.add(other) }
            let dogs = (0..<6).map { CollectionDog($0) }
            realm.add(dogs)
            keeper.dogs.insert(objectsIn: dogs[0..<4])
            other.dogs.insert(objectsIn: dogs[2...])
            let plain = Set(dogs[2...])
            func ids(_ dogs: some Sequence<CollectionDog>) -> [Int] { dogs.map(\.id).sorted() }
            let union = kind == 2 ? keeper.dogs.union(plain) : keeper.dogs.union(other.dogs)
            let common = kind == 2 ? keeper.dogs.intersection(plain) : keeper.dogs.intersection(other.dogs)
            let rest = kind == 2 ? keeper.dogs.subtracting(plain) : keeper.dogs.subtracting(other.dogs)
            expect(ids(union) == [0, 1, 2, 3, 4, 5] && ids(common) == [2, 3] && ids(rest) == [0, 1])
            expect(kind == 2 ? keeper.dogs.intersects(plain) : keeper.dogs.intersects(other.dogs))
            expect(!(kind == 2 ? keeper.dogs.isSubset(of: plain) : keeper.dogs.isSubset(of: other.dogs)))
            expectEqual(ids(other.dogs.symmetricDifference(keeper.dogs)), [0, 1, 4, 5])
            if kind == 2 { keeper.dogs.formIntersection(plain) } else { keeper.dogs.formIntersection(other.dogs) }
            expect(ids(keeper.dogs) == [2, 3] && keeper.dogs.isStrictSubset(of: other.dogs))
            expect(other.dogs.isSuperset(of: keeper.dogs) && other.dogs.isStrictSuperset(of: keeper.dogs))
            if kind == 2 { keeper.dogs.subtract([dogs[2]]) } else { keeper.dogs.subtract(other.dogs) }
            expectEqual(ids(keeper.dogs), (kind == 2 ? [3] : []))
            if kind == 2 { keeper.dogs.formUnion(plain) } else { keeper.dogs.formUnion(other.dogs) }
            expectEqual(ids(keeper.dogs), [2, 3, 4, 5])
            keeper.dogs.formUnion(keeper.dogs)
            expectEqual(keeper.dogs.count, 4)
            keeper.dogs.subtract(keeper.dogs)
            expect(keeper.dogs.isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `strings are equal if their bytes are equal, and NaN equals itself`(managed: Bool) throws {
        let realm = try collectionRealm()
        let keeper = CollectionKeeper()
        try realm.write {
            if managed { realm.add(keeper) }
            keeper.tags.insert(objectsIn: ["é", "e\u{301}", "é"])
            expect(keeper.tags.count == 2 && keeper.tags.contains("e\u{301}"))
            keeper.tags.remove("é")
            expect(keeper.tags.count == 1 && !keeper.tags.contains("é"))
            keeper.doubles.insert(objectsIn: [.nan, -.nan, 0, -0.0, nil, nil])
            expect(keeper.doubles.count == 3 && keeper.doubles.contains(.nan) && keeper.doubles.contains(nil))
        }
    }

    @Test(arguments: [false, true])
    func `aggregates omit null and NaN`(managed: Bool) throws {
        let realm = try collectionRealm()
        let keeper = CollectionKeeper()
        try realm.write {
            if managed { realm.add(keeper) }
            expect(keeper.numbers.min() == nil && keeper.numbers.max() == nil && keeper.numbers.sum() == 0)
            expect(keeper.numbers.average() as Double? == nil)
            keeper.numbers.insert(objectsIn: [5, 2, 9, 2])
            expect(keeper.numbers.min() == 2 && keeper.numbers.max() == 9 && keeper.numbers.sum() == 16)
            expectEqual(keeper.numbers.average(), 16.0 / 3)
            keeper.doubles.insert(objectsIn: [1.5, nil, .nan, 2.5])
            expect(keeper.doubles.min() == 1.5 && keeper.doubles.max() == 2.5)
            expectEqual(keeper.numbers.sorted(), [2, 5, 9])
        }
    }

    @Test
    func `sets of objects are queried, sorted and aggregated by property`() throws {
        let realm = try collectionRealm()
        let keeper = CollectionKeeper()
        keeper.dogs.insert(objectsIn: [3, 1, 2].map { CollectionDog($0, age: 10 - $0) })
        try realm.write { realm.add([keeper, CollectionDog(9, age: 99)]) }
        expectEqual(keeper.dogs.where { $0.age > 7 }.map(\.id).sorted(), [1, 2])
        expectEqual(keeper.dogs.sorted(by: \.age).map(\.age), [7, 8, 9])
        expect(keeper.dogs.max(of: \.age) == 9 && keeper.dogs.sum(ofProperty: "age") == 24)
        expectEqual(realm.objects(CollectionKeeper.self).where { $0.dogs.age > 8 }.count, 1)
        expectEqual(realm.objects(CollectionKeeper.self).where { $0.dogs.age > 9 }.count, 0)
        expectEqual(realm.objects(CollectionKeeper.self).where { $0.dogs.count == 3 }.count, 1)
        try realm.write { keeper.tags.insert(objectsIn: ["a", "b"]) }
        expectEqual(realm.objects(CollectionKeeper.self).where { $0.tags.contains("b") }.count, 1)
        expectEqual(realm.objects(CollectionKeeper.self).where { $0.tags.contains("c") }.count, 0)
    }

    @Test
    func `an iteration visits the elements that existed when it began`() throws {
        let realm = try collectionRealm()
        let keeper = CollectionKeeper()
        keeper.numbers.insert(objectsIn: 0..<5)
        for number in keeper.numbers { keeper.numbers.insert(number + 10) }
        expectEqual(keeper.numbers.count, 10)
        try realm.write {
            realm.add(keeper)
            for number in keeper.numbers { keeper.numbers.remove(number) }
            expect(keeper.numbers.isEmpty)
            keeper.dogs.insert(objectsIn: (0..<5).map { CollectionDog($0) })
            var seen: [Int] = []
            for dog in keeper.dogs {
                seen.append(dog.id)
                keeper.dogs.remove(dog)
            }
            expect(seen == [0, 1, 2, 3, 4] && keeper.dogs.isEmpty)
        }
    }

    @Test
    func `a rollback restores a set, and an upsert writes only the differences`() throws {
        let realm = try collectionRealm()
        let dog = CollectionDog(1)
        dog.tags.insert(objectsIn: ["a", "b"])
        try realm.write { realm.add(dog) }
        realm.beginWrite()
        dog.tags.removeAll()
        dog.tags.insert("c")
        realm.cancelWrite()
        expectEqual(Array(dog.tags), ["a", "b"])
        try realm.write {
            let update = CollectionDog(1)
            update.tags.insert(objectsIn: ["b", "d"])
            realm.add(update, update: .modified)
        }
        expectEqual(Array(dog.tags), ["b", "d"])
        try realm.write {
            realm.create(CollectionDog.self, value: ["id": 1, "tags": Set(["x"])], update: .all)
        }
        expectEqual(Array(dog.tags), ["x"])
    }

    @Test
    func `sets are coded as arrays`() throws {
        let json = #"{"id": 1, "name": "Ada", "age": 3, "tags": ["b", "a", "b"], "ages": {"a.b": 1, "human": 21}}"#
        let dog = try JSONDecoder().decode(CollectionDog.self, from: Data(json.utf8))
        expect(Set(dog.tags) == ["a", "b"] && dog.ages["human"] == 21)
        dog.ages["a.b"] = nil
        let realm = try collectionRealm()
        try realm.write { realm.add(dog) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.keyEncodingStrategy = .convertToSnakeCase
        try realm.write { dog.ages["longKey"] = 2 }
        let text = String(decoding: try encoder.encode(dog), as: UTF8.self)
        expectEqual(text, #"{"age":3,"ages":{"human":21,"longKey":2},"id":1,"name":"Ada","tags":["a","b"]}"#)
        let numbers = try JSONDecoder().decode(MutableSet<Int?>.self, from: Data("[1, null, 1]".utf8))
        expect(numbers.count == 2 && numbers.contains(nil))
    }

    @Test
    func `a set prints its class and a hundred elements`() throws {
        let keeper = CollectionKeeper()
        expectEqual(keeper.numbers.description, "MutableSet<Int> ()")
        keeper.numbers.insert(objectsIn: 0..<150)
        let text = keeper.numbers.description
        expect(text.hasPrefix("MutableSet<Int> (\n\t[0] 0,\n\t[1] 1,"))
        expect(text.contains("[99] 99") && !text.contains("[100]") && text.contains("50 elements skipped"))
    }

    @Test
    func `a set has a realm, and is invalidated with its object`() throws {
        let realm = try collectionRealm()
        let keeper = CollectionKeeper()
        expect(keeper.tags.realm == nil && !keeper.tags.isInvalidated)
        try realm.write { realm.add(keeper) }
        let tags = keeper.tags
        let again = realm.objects(CollectionKeeper.self)[0].tags
        expect(tags == again && tags !== again && tags != CollectionKeeper().tags && tags.realm == realm)
        try realm.write { realm.delete(keeper) }
        expect(tags.isInvalidated && tags.realm == nil && tags.description.contains("invalidated"))
    }

    @Test(
        "Sets of optional or of embedded objects, and maps of objects that aren't optional, are refused by the schema"
    )
    func schema() throws {
        let error = #expect(throws: Realm.Error.self) {
            try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: UUID().uuidString,
                    objectTypes: [BadCollections.self, CollectionPart.self, CollectionDog.self, CollectionKeeper.self]
                )
            )
        }
        let message = try require(error?.description)
        expectEqual(error?.code, .invalidSchema)
        expect(message.contains("BadCollections.optional must be a set of objects that aren't optional"))
        expect(message.contains("BadCollections.embedded is a set of embedded objects"))
        expect(message.contains("BadCollections.required must be a map of optional objects"))
    }

    @Test("A value of another type, and null in a set of required values, are errors of the write and change nothing")
    func badValues() throws {
        let realm = try collectionRealm()
        let dog = CollectionDog(1)
        dog.tags.insert("a")
        try realm.write { realm.add(dog) }
        for bad: Any in [["a", 5], ["a", NSNull()], "text", ["a": "b"]] {
            expect(thrownCode { try realm.write { dog["tags"] = bad } } != nil, "\(bad)")
            expectEqual(Array(dog.tags), ["a"])
            let code = thrownCode {
                try realm.write { _ = realm.create(CollectionDog.self, value: ["id": 2, "tags": bad]) }
            }
            expect(code == .invalidValue || code == .missingValue, "\(bad)")
        }
        let long = String(repeating: "x", count: 16_777_200)
        expectEqual(thrownCode { try realm.write { _ = dog.tags.insert(long) } }, .limitExceeded)
        expect(Array(dog.tags) == ["a"] && realm.objects(CollectionDog.self).count == 1)
    }
}

class BadCollections: Object {
    @Persisted var optional: MutableSet<CollectionDog?>
    @Persisted var embedded: MutableSet<CollectionPart>
    @Persisted var required: Map<String, CollectionDog>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
