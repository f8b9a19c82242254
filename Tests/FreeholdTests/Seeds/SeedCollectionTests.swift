import Foundation
import Testing

@testable import Freehold

// Collections: the C# tab's Person, and the rules on what in them may be null.

private enum CSharp {
    class Dog: SeedObject {
        @Persisted var Name = ""
        @Persisted var Person: CSharp.Person?
    }

    class Person: SeedObject {
        @Persisted var Name = ""
        @Persisted var IntListWithNonNullableValues: List<Int32>
        @Persisted var IntListWithNullableValues: List<Int32?>
        @Persisted var ListOfNonNullableObjects: List<Dog>
        @Persisted var SetOfNonNullableObjects: MutableSet<Dog>
        @Persisted var DictionaryOfNullableObjects: Map<String, Dog?>
        @Persisted(originProperty: "Person") var MyDogs: LinkingObjects<Dog>
    }
}

private enum Rules {
    class Item: SeedObject {
        @Persisted var name = ""
        @Persisted(originProperty: "list") var listers: LinkingObjects<Holder>
        @Persisted(originProperty: "set") var setters: LinkingObjects<Holder>
        @Persisted(originProperty: "map") var mappers: LinkingObjects<Holder>
    }
    class Holder: SeedObject {
        @Persisted var list: List<Item>
        @Persisted var set: MutableSet<Item>
        @Persisted var map: Map<String, Item?>
        @Persisted var ints: MutableSet<Int>
        @Persisted var nullableInts: MutableSet<Int?>
        @Persisted var strings: Map<String, String>
        @Persisted var nullableStrings: Map<String, String?>
    }

    class NullableInSet: SeedObject {
        @Persisted var items: MutableSet<Item?>
    }
    class RequiredInMap: SeedObject {
        @Persisted var items: Map<String, Item>
    }
}

@Suite("Seeds 003: collections")
struct SeedCollectionTests {
    private typealias Holder = Rules.Holder
    private typealias Item = Rules.Item

    private func newRealm() throws -> Realm { try seedRealm(Holder.self, Item.self) }

    @Test
    func `C#: Person with lists, a set, a dictionary and an inverse`() throws {
        let file = SeedFile(CSharp.Person.self, CSharp.Dog.self)
        try file.open { realm in
            let person = CSharp.Person()
            let (rex, max) = (CSharp.Dog(value: ["Name": "Rex"]), CSharp.Dog(value: ["Name": "Max"]))
            person.IntListWithNonNullableValues.append(objectsIn: [1, 2])
            person.IntListWithNullableValues.append(objectsIn: [1, nil])
            person.ListOfNonNullableObjects.append(objectsIn: [rex, max, rex])
            person.SetOfNonNullableObjects.insert(objectsIn: [rex, max, rex])
            person.DictionaryOfNullableObjects["rex"] = rex
            person.DictionaryOfNullableObjects["nobody"] = .some(nil)
            rex.Person = person
            try realm.write { realm.add(person) }
            let schema = try require(realm.schema["Person"])
            expect(
                schema["ListOfNonNullableObjects"]?.isArray == true && schema["SetOfNonNullableObjects"]?.isSet == true
            )
            expectEqual(schema["DictionaryOfNullableObjects"]?.isMap, true)
        }
        try file.open { realm in
            let person = realm.objects(CSharp.Person.self)[0]
            expectEqual(Array(person.IntListWithNonNullableValues), [1, 2])
            expectEqual(Array(person.IntListWithNullableValues), [1, nil])
            expectEqual(person.ListOfNonNullableObjects.map(\.Name), ["Rex", "Max", "Rex"])
            expectEqual(Set(person.SetOfNonNullableObjects.map(\.Name)), ["Rex", "Max"])
            expectEqual(person.SetOfNonNullableObjects.count, 2)
            expectEqual(person.DictionaryOfNullableObjects["rex"]??.Name, "Rex")
            expectEqual(person.DictionaryOfNullableObjects["nobody"], .some(nil))
            expect(person.DictionaryOfNullableObjects["somebody"] == nil)
            expectEqual(person.MyDogs.map(\.Name), ["Rex"])
            try realm.write { realm.delete(person.MyDogs[0]) }
            expectEqual(person.ListOfNonNullableObjects.map(\.Name), ["Max"])
            expect(person.SetOfNonNullableObjects.count == 1 && person.MyDogs.isEmpty)
            expect(
                person.DictionaryOfNullableObjects["rex"] == .some(nil) && person.DictionaryOfNullableObjects.count == 2
            )
        }
        try file.open { realm in
            let person = realm.objects(CSharp.Person.self)[0]
            try realm.write { realm.delete(person) }
            expectEqual(realm.objects(CSharp.Dog.self).map(\.Name), ["Max"])
        }
    }

    @Test
    func `Collections are never nil: null in place of one empties it`() throws {
        let realm = try newRealm()
        let names = ["list", "set", "map", "ints", "nullableInts", "strings", "nullableStrings"]
        let holder = Holder(value: Dictionary(uniqueKeysWithValues: names.map { ($0, NSNull() as Any) }))
        expect(holder.list.isEmpty && holder.set.isEmpty && holder.map.count == 0 && holder.ints.isEmpty)
        try realm.write {
            realm.add(holder)
            holder.ints.insert(objectsIn: [1, 2])
            holder.strings["a"] = "b"
            holder.list.append(Item())
            holder.set.insert(Item())
            holder.map["i"] = Item()
            for name in names { holder[name] = nil }
        }
        expect(holder.list.isEmpty && holder.set.isEmpty && holder.map.count == 0 && holder.ints.isEmpty)
        expect(holder.strings.count == 0 && holder.nullableStrings.count == 0 && holder.nullableInts.isEmpty)
        expect(holder["set"] is MutableSet<Item> && holder["map"] is Map<String, Item?>)
    }

    @Test
    func `Values in sets and maps are nullable where their type says so`() throws {
        let realm = try newRealm()
        let holder = Holder()
        holder.nullableInts.insert(objectsIn: [1, nil, nil])
        holder.nullableStrings["a"] = .some(nil)
        try realm.write { realm.add(holder) }
        expect(holder.nullableInts.count == 2 && holder.nullableInts.contains(nil))
        expect(holder.nullableStrings["a"] == .some(nil) && holder.nullableStrings.count == 1)
        expectEqual(thrownCode { try realm.write { holder["ints"] = [1, nil] as [Int?] } }, .missingValue)
        expectEqual(
            thrownCode { try realm.write { holder["strings"] = ["a": NSNull()] as [String: Any] } },
            .missingValue
        )
        expect(openingError(Rules.NullableInSet.self, Item.self, Holder.self).contains("NullableInSet.items"))
        expect(openingError(Rules.RequiredInMap.self, Item.self, Holder.self).contains("RequiredInMap.items"))
    }

    @Test
    func `Sets hold a value once, objects by identity`() throws {
        let realm = try newRealm()
        let holder = Holder()
        let items = (0..<3).map { Item(value: ["name": "\($0)"]) }
        holder.set.insert(objectsIn: items + items)
        try realm.write { realm.add(holder) }
        expectEqual(holder.set.count, 3)
        try realm.write {
            holder.ints.insert(objectsIn: [3, 1, 3, 2])
            expect(holder.set.contains(items[1]))
            holder.set.remove(items[1])
            holder.set.insert(items[0])
        }
        expect(holder.ints.count == 3 && Set(holder.ints) == [1, 2, 3] && holder.set.count == 2)
        expect(items[1].setters.isEmpty && items[0].setters.count == 1)
    }

    @Test(arguments: ["a.b", "$a", "."])
    func `Keys of maps have no dot and no leading dollar sign`(_ key: String) throws {
        let realm = try newRealm()
        let holder = Holder()
        try realm.write {
            realm.add(holder)
            holder.strings["a$"] = "fine"
            holder.strings[""] = "empty"
        }
        expect(thrownCode { try realm.write { holder.strings[key] = "x" } } != nil)
        expectEqual(Set(holder.strings.keys), ["a$", ""])
    }

    @Test
    func `Inverse relationships follow lists, sets and maps`() throws {
        let realm = try newRealm()
        let (holder, item) = (Holder(), Item())
        try realm.write {
            realm.add(holder)
            holder.list.append(item)
            holder.set.insert(item)
            holder.map["k"] = item
        }
        expect(item.listers.count == 1 && item.setters.count == 1 && item.mappers.count == 1)
        try realm.write {
            holder.map["k"] = .some(nil)
            holder.set.removeAll()
            holder.list.removeAll()
        }
        expect(item.listers.isEmpty && item.setters.isEmpty && item.mappers.isEmpty)
    }
}
