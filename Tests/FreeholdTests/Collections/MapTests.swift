import Foundation
import Testing

@testable import Freehold

@Suite("Maps")
struct MapTests {
    private func withKeeper(managed: Bool, _ body: (CollectionKeeper, Realm) throws -> Void) throws {
        let realm = try collectionRealm()
        let keeper = CollectionKeeper()
        try realm.write {
            if managed { realm.add(keeper) }
            try body(keeper, realm)
        }
    }

    @Test(arguments: [false, true])
    func `an entry with null differs from a missing entry`(managed: Bool) throws {
        try withKeeper(managed: managed) { keeper, _ in
            let maybe = keeper.maybe
            maybe["null"] = .some(nil)
            maybe["one"] = 1
            expect(maybe.count == 2 && maybe["null"] == .some(nil) && maybe["none"] == nil)
            expect(maybe["null"]! == nil && maybe["one"]! == 1)
            maybe["one"] = nil
            expectEqual(maybe.keys, ["null"])
            maybe.updateValue(nil, forKey: "null")
            expect(maybe.count == 1 && maybe.values == [nil])
            maybe["null"] = nil
            expect(maybe.isEmpty)
        }
    }

    @Test("Objects are added to the realm, stay when their entry is removed, and leave null when deleted")
    func objects() throws {
        let realm = try collectionRealm()
        let keeper = CollectionKeeper()
        let dog = CollectionDog(1)
        keeper.byName["a"] = dog
        keeper.byName["again"] = dog
        keeper.byName["none"] = .some(nil)
        try realm.write { realm.add(keeper) }
        expect(dog.realm == realm && realm.objects(CollectionDog.self).count == 1)
        expect(keeper.byName["a"]! == dog && keeper.byName["again"]! == dog && keeper.byName["none"]! == nil)
        expectEqual(dog.namers.count, 2)
        try realm.write {
            keeper.byName["b"] = CollectionDog(2)
            keeper.byName["a"] = nil
            expectEqual(dog.namers.count, 1)
            realm.delete(dog)
            expect(keeper.byName["again"]! == nil && keeper.byName.count == 3)
            expectEqual(keeper.byName.values.map { $0?.id }, [nil, 2, nil])
            keeper.byName.removeAll()
            expectEqual(realm.objects(CollectionDog.self).count, 1)
        }
    }

    @Test(arguments: ["a.b", "$a", "."])
    func `a key with a dot or a leading dollar sign is an error of the write`(_ key: String) throws {
        let realm = try collectionRealm()
        let keeper = CollectionKeeper()
        keeper.counts["fine"] = 1
        try realm.write { realm.add(keeper) }
        func refused(_ body: () throws -> Void) {
            expectEqual(thrownCode { try realm.write(body) }, .invalidValue)
            expect(keeper.counts.keys == ["fine"] && realm.objects(CollectionKeeper.self).count == 1)
        }
        refused { keeper.counts[key] = 2 }
        refused { keeper.counts[key, default: 1] += 2 }
        refused { keeper.counts.updateValue(2, forKey: key) }
        refused { keeper.counts.setValue(2, forKey: key) }
        refused { keeper.counts.merge(["ok": 1, key: 2]) { $1 } }
        refused { keeper["counts"] = [key: 2] }
        refused { realm.create(CollectionKeeper.self, value: ["counts": [key: 2]]) }
        refused {
            let other = CollectionKeeper()
            other.counts[key] = 2
            realm.add(other)
        }
        refused {
            let other = Map<String, Int>()
            other[key] = 2
            keeper.counts = other
        }
        // A look-up of such a key finds nothing.
        expect(keeper.counts[key] == nil)
        try realm.write { keeper.counts[key] = nil }
    }

    @Test(arguments: [false, true])
    func `keys are equal if their bytes are equal`(managed: Bool) throws {
        try withKeeper(managed: managed) { keeper, _ in
            keeper.counts["é"] = 1
            keeper.counts["e\u{301}"] = 2
            keeper.counts[""] = 3
            expect(keeper.counts.count == 3 && keeper.counts["é"] == 1 && keeper.counts["e\u{301}"] == 2)
            expectEqual(keeper.counts.values, [3, 2, 1])
        }
    }

    @Test(arguments: [false, true])
    func `a merge is computed before anything changes`(managed: Bool) throws {
        struct Stop: Error {}
        try withKeeper(managed: managed) { keeper, _ in
            let counts = keeper.counts
            counts.merge([("a", 1), ("a", 2), ("b", 3)]) { $0 + $1 }
            expect(counts["a"] == 3 && counts["b"] == 3)
            #expect(throws: Stop.self) {
                try counts.merge([("c", 1), ("a", 1)]) { _, _ in throw Stop() }
            }
            expect(counts.count == 2 && counts["a"] == 3)
            counts.merge(counts) { $0 + $1 }
            expectEqual(counts["a"], 6)
            counts["d", default: 0] += 5
            counts["d", default: 0] += 5
            expectEqual(counts["d"], 10)
            expect(counts.sum() == 22 && counts.min() == 6 && counts.max() == 10)
            expectEqual(counts.average(), 22.0 / 3)
        }
    }

    @Test
    func `maps of objects are queried, sorted and aggregated by property, without their nulls`() throws {
        let realm = try collectionRealm()
        let keeper = CollectionKeeper()
        for id in [3, 1, 2] { keeper.byName["dog \(id)"] = CollectionDog(id, age: 10 - id) }
        keeper.byName["none"] = .some(nil)
        try realm.write { realm.add(keeper) }
        expectEqual(keeper.byName.where { $0.age > 7 }.count, 2)
        expectEqual(keeper.byName.sorted(by: \.age).map { $0?.id }, [3, 2, 1])
        expectEqual(keeper.byName.sorted(byKeyPath: "age", ascending: false).map { $0?.id }, [1, 2, 3])
        expect(keeper.byName.sum(ofProperty: "age") == 24 && keeper.byName.max(ofProperty: "age") == 9)
        expectEqual(realm.objects(CollectionKeeper.self).where { $0.name == "" }.count, 1)
        try realm.write { realm.delete(keeper.byName.where { $0.age > 8 }) }
        expect(keeper.byName.sorted(by: \.age).count == 2 && keeper.byName.count == 4)
        try realm.write { realm.delete(keeper.byName) }
        expect(keeper.byName.values == [nil, nil, nil, nil] && realm.objects(CollectionDog.self).isEmpty)
    }

    @Test(arguments: [false, true])
    func `an iteration visits the entries that existed when it began`(managed: Bool) throws {
        try withKeeper(managed: managed) { keeper, _ in
            for i in 0..<5 { keeper.counts["k\(i)"] = i }
            var seen: [String] = []
            for entry in keeper.counts {
                seen.append(entry.key)
                keeper.counts[entry.key] = nil
                keeper.counts["new \(entry.value)"] = 1
            }
            expect(seen == ["k0", "k1", "k2", "k3", "k4"] && keeper.counts.count == 5)
            for (key, value) in keeper.counts.asKeyValueSequence() { expectEqual(keeper.counts[key], value) }
        }
    }

    @Test
    func `a rollback restores a map, and an upsert replaces it`() throws {
        let realm = try collectionRealm()
        let dog = CollectionDog(1)
        dog.ages["human"] = 21
        try realm.write { realm.add(dog) }
        realm.beginWrite()
        dog.ages["human"] = 22
        dog.ages["cat"] = 15
        realm.cancelWrite()
        expect(dog.ages.keys == ["human"] && dog.ages["human"] == 21)
        try realm.write {
            realm.create(CollectionDog.self, value: ["id": 1, "ages": ["cat": 15]], update: .modified)
        }
        expectEqual(dog.ages.keys, ["cat"])
        try realm.write { dog.ages = CollectionDog(2).ages }
        expect(dog.ages.isEmpty)
    }

    @Test
    func `maps are accessed by names that are known only at run time`() throws {
        let realm = try collectionRealm()
        let keeper = CollectionKeeper()
        keeper.counts.setValue(5, forKey: "a")
        try realm.write {
            realm.add(keeper)
            keeper.counts.setValue(Int8(7), forKey: "b")
            expect(keeper.counts.value(forKey: "b") as? Int == 7 && keeper.counts.value(forKey: "c") == nil)
            expectEqual(keeper.counts.value(forKeyPath: "@max.self") as? Int, 7)
            expectEqual(keeper.counts.value(forKeyPath: "@count") as? Int, 2)
            keeper.counts.setValue(nil, forKey: "a")
            expectEqual(keeper.counts.keys, ["b"])
            keeper.byName["rex"] = CollectionDog(1, age: 4)
            expectEqual(keeper.byName.value(forKeyPath: "rex.age") as? Int, 4)
            expectEqual(keeper.byName.value(forKeyPath: "@sum.age") as? Int, 4)
        }
        expectEqual(thrownCode { try realm.write { keeper.counts.setValue("x", forKey: "b") } }, .invalidValue)
        expectEqual(keeper.counts["b"], 7)
    }

    @Test
    func `maps are coded as dictionaries`() throws {
        let json = #"{"a": 1, "b": null}"#
        let map = try JSONDecoder().decode(Map<String, Int?>.self, from: Data(json.utf8))
        expect(map.count == 2 && map["a"] == .some(1) && map["b"] == .some(nil))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        expectEqual(String(decoding: try encoder.encode(map), as: UTF8.self), #"{"a":1,"b":null}"#)
        let dates = Map<String, Date>()
        dates["zero"] = Date(timeIntervalSince1970: 0)
        encoder.dateEncodingStrategy = .iso8601
        expectEqual(String(decoding: try encoder.encode(dates), as: UTF8.self), #"{"zero":"1970-01-01T00:00:00Z"}"#)
        let realm = try collectionRealm()
        let keeper = CollectionKeeper()
        keeper.byName["rex"] = CollectionDog(1)
        try realm.write { realm.add(keeper) }
        let text = String(decoding: try encoder.encode(keeper.byName), as: UTF8.self)
        expectEqual(text, #"{"rex":{"age":0,"ages":{},"id":1,"name":"Rex","tags":[]}}"#)
    }

    @Test
    func `a map prints its class, its keys and a hundred entries`() throws {
        let keeper = CollectionKeeper()
        expectEqual(keeper.counts.description, "Map<String, Int> ()")
        keeper.counts["b"] = 2
        keeper.counts["a"] = 1
        expectEqual(keeper.counts.description, "Map<String, Int> (\n\t[a] 1,\n\t[b] 2\n)")
        for i in 0..<200 { keeper.counts["k\(i)"] = i }
        expect(keeper.counts.description.contains("102 elements skipped"))
        keeper.byName["rex"] = CollectionDog(1)
        expect(keeper.description.contains("name = Rex") && keeper.description.contains("[rex] CollectionDog {"))
    }

    @Test
    func `a map has a realm, and is invalidated with its object`() throws {
        let realm = try collectionRealm()
        let keeper = CollectionKeeper()
        expect(keeper.counts.realm == nil && !keeper.counts.isInvalidated)
        try realm.write { realm.add(keeper) }
        let counts = keeper.counts
        let again = realm.objects(CollectionKeeper.self)[0].counts
        expect(counts == again && counts !== again && counts.realm == realm)
        try realm.write { realm.delete(keeper) }
        expect(counts.isInvalidated && counts.realm == nil && counts.description.contains("invalidated"))
    }
}
