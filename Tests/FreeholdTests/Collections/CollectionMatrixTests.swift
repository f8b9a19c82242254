import Foundation
import Testing

@testable import Freehold

/// Sets and maps of every type, through every operation, in memory, in a realm and in a file that is opened again.
@Suite("Sets and maps of every type")
struct CollectionMatrixTests {
    @Test("sets behave like plain sets, unmanaged, managed and reopened", arguments: CollectionType.allCases)
    func sets(_ type: CollectionType) throws { try type.accept(Sets()) }

    @Test("maps behave like dictionaries, unmanaged, managed and reopened", arguments: CollectionType.allCases)
    func maps(_ type: CollectionType) throws { try type.accept(Maps()) }

    @Test(arguments: CollectionType.allCases)
    func `values for sets and maps are converted from plain data, and copied`(_ type: CollectionType) throws {
        try type.accept(Conversion())
    }
}

private struct Sets: CollectionVisitor {
    func visit<E>(
        _ samples: [E],
        _ path: KeyPath<SetMatrix, MutableSet<E>>,
        _: KeyPath<MapMatrix, Map<String, E>>
    ) throws where E: RealmCollectionValue {
        let object = SetMatrix()
        let set = object[keyPath: path]
        edit(set, samples)
        expectEqual(Set(set), Set(samples))
        try withCollectionFile { realm in
            try realm.write {
                realm.add(object)
                // The same instance, which now is the row's.
                expect(object[keyPath: path] === set)
                expect(set.realm == realm && set.count == samples.count)
                edit(set, samples)
            }
            expectEqual(Set(set), Set(samples))
        } _: { realm in
            let set = realm.objects(SetMatrix.self)[0][keyPath: path]
            expect(set.count == samples.count && Set(set) == Set(samples))
            for (i, element) in set.enumerated() { expect(set.index(of: element) == i && set[i] == element) }
            try realm.write {
                edit(set, samples)
                set.removeAll()
                expect(set.isEmpty && set.first == nil && set.last == nil && Array(set).isEmpty)
                set.insert(samples[0])
            }
        } _: { realm in
            let row = realm.objects(SetMatrix.self)[0]
            expectEqual(Array(row[keyPath: path]), [samples[0]])
            try realm.write { realm.delete(row) }
        }
    }

    /// Leaves the samples.
    private func edit<E>(_ set: MutableSet<E>, _ samples: [E]) {
        let all = Set(samples)
        set.removeAll()
        expect(set.insert(samples[0]) && !set.insert(samples[0]) && set.count == 1)
        set.insert(objectsIn: samples + samples)
        expect(set.count == samples.count && samples.allSatisfy(set.contains))
        expect(set.remove(samples[1]) && !set.remove(samples[1]) && !set.contains(samples[1]))
        expect(set.isSubset(of: samples) && !set.isSuperset(of: samples) && set.isStrictSubset(of: all))
        expect(set.union(samples) == all && set.subtracting(samples) == [])
        expectEqual(set.intersection([samples[0], samples[1]]), [samples[0]])
        expectEqual(set.symmetricDifference(samples), [samples[1]])
        expect(set.intersects(samples) && !set.isDisjoint(with: samples) && set.isDisjoint(with: [samples[1]]))
        set.formIntersection([samples[0], samples[1]])
        expectEqual(Array(set), [samples[0]])
        set.formUnion(samples)
        set.subtract([samples[0]])
        expectEqual(Set(set), all.subtracting([samples[0]]))
        set.formSymmetricDifference(samples)
        expectEqual(Array(set), [samples[0]])
        set.formUnion(samples)
    }
}

private struct Maps: CollectionVisitor {
    func visit<E>(
        _ samples: [E],
        _: KeyPath<SetMatrix, MutableSet<E>>,
        _ path: KeyPath<MapMatrix, Map<String, E>>
    ) throws where E: RealmCollectionValue {
        let expected = Dictionary(uniqueKeysWithValues: samples.enumerated().map { ("key \($0)", $1) })
        let object = MapMatrix()
        let map = object[keyPath: path]
        edit(map, samples, expected)
        try withCollectionFile { realm in
            try realm.write {
                realm.add(object)
                expect(object[keyPath: path] === map && map.realm == realm)
                check(map, expected)
                edit(map, samples, expected)
            }
            check(map, expected)
        } _: { realm in
            let map = realm.objects(MapMatrix.self)[0][keyPath: path]
            check(map, expected)
            try realm.write {
                edit(map, samples, expected)
                map.removeAll()
                expect(map.isEmpty && map.keys.isEmpty && map.values.isEmpty && Array(map).isEmpty)
                map["last"] = samples[0]
            }
        } _: { realm in
            let row = realm.objects(MapMatrix.self)[0]
            check(row[keyPath: path], ["last": samples[0]])
            try realm.write { realm.delete(row) }
        }
    }

    private func check<E>(_ map: Map<String, E>, _ expected: [String: E]) {
        let keys = expected.keys.sorted()
        expect(map.count == keys.count && map.keys == keys)
        expectEqual(map.values, keys.map { expected[$0]! })
        expect(map.map { $0.key } == keys && map.map { $0.value } == keys.map { expected[$0]! })
        expectEqual(map.asKeyValueSequence().map { $0.value }, map.values)
        for key in keys { expect(map[key] == expected[key] && map.object(forKey: key) == expected[key]) }
        expect(map["none"] == nil)
    }

    /// Leaves the expected entries.
    private func edit<E>(_ map: Map<String, E>, _ samples: [E], _ expected: [String: E]) {
        map.removeAll()
        for (key, value) in expected { map[key] = value }
        check(map, expected)
        expectEqual(map.updateValue(samples[1], forKey: "key 0"), samples[0])
        expectEqual(map["key 0"], samples[1])
        expect(map["none", default: samples[0]] == samples[0] && map["none"] == nil)
        map["none", default: samples[0]] = samples[1]
        expectEqual(map["none"], samples[1])
        expect(map.contains { key, value in key == "none" && value == samples[1] })
        map["none"] = nil
        expect(map["none"] == nil && !map.contains { key, _ in key == "none" })
        map.removeObject(for: "key 1")
        expectEqual(map.count, expected.count - 1)
        map.merge(expected) { old, _ in old }
        expect(map["key 0"] == samples[1] && map["key 1"] == samples[1])
        map.merge([("key 0", samples[0])]) { _, new in new }
        check(map, expected)
        expectEqual(map.merging(["more": samples[0]]) { $1 }, expected.merging(["more": samples[0]]) { $1 })
        expectEqual(map.removeValue(forKey: "key 1"), samples[1])
        expect(map.removeValue(forKey: "key 1") == nil)
        let other = Map<String, E>()
        other["key 1"] = samples[1]
        map.merge(other) { $1 }
        check(map, expected)
    }
}

private struct Conversion: CollectionVisitor {
    func visit<E>(
        _ samples: [E],
        _ setPath: KeyPath<SetMatrix, MutableSet<E>>,
        _ mapPath: KeyPath<MapMatrix, Map<String, E>>
    ) throws where E: RealmCollectionValue {
        let setName = _name(for: setPath)
        let mapName = _name(for: mapPath)
        let plain = samples.map { E._rlmAny($0) ?? NSNull() }
        let entries = Dictionary(uniqueKeysWithValues: plain.enumerated().map { ("k\($0)", $1) })
        let expected = Dictionary(uniqueKeysWithValues: samples.enumerated().map { ("k\($0)", $1) })
        func pairs(_ map: Map<String, E>) -> [String: E] {
            Dictionary(uniqueKeysWithValues: map.asKeyValueSequence().map { ($0, $1) })
        }
        let realm = try collectionRealm()
        let set = SetMatrix(value: [setName: plain])
        let map = MapMatrix(value: [mapName: entries])
        expectEqual(Set(set[keyPath: setPath]), Set(samples))
        expectEqual(pairs(map[keyPath: mapPath]), expected)
        try realm.write {
            for row in [
                realm.create(SetMatrix.self, value: [setName: plain]), realm.create(SetMatrix.self, value: set),
            ] {
                expectEqual(Set(row[keyPath: setPath]), Set(samples))
                expectEqual(Set(SetMatrix(value: row)[keyPath: setPath]), Set(samples))
                row[setName] = [plain[0]]
                expectEqual(Array(row[keyPath: setPath]), [samples[0]])
                row[setName] = nil
                expect(row[keyPath: setPath].isEmpty)
            }
            for row in [
                realm.create(MapMatrix.self, value: [mapName: entries]), realm.create(MapMatrix.self, value: map),
            ] {
                expectEqual(pairs(row[keyPath: mapPath]), expected)
                expectEqual(pairs(MapMatrix(value: row)[keyPath: mapPath]), expected)
                row[mapName] = ["one": plain[0]]
                expectEqual(pairs(row[keyPath: mapPath]), ["one": samples[0]])
                row[mapName] = nil
                expect(row[keyPath: mapPath].isEmpty)
            }
            // An assignment copies the contents and keeps the collection.
            realm.add([set, map])
            let other = SetMatrix()
            other[keyPath: setPath].insert(samples[1])
            let own = set[keyPath: setPath]
            set[setName] = other[keyPath: setPath]
            expect(own === set[keyPath: setPath] && Array(own) == [samples[1]])
        }
    }
}
