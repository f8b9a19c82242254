import Foundation
import Testing

@testable import Freehold

@Suite("Results")
struct ResultsTests {
    private func dogs(_ n: Int) throws -> Realm {
        let realm = try newRealm()
        try realm.write {
            for i in 0..<n {
                realm.add(RTDog(id: i, name: "dog \(i % 3)", age: n - i, weight: i % 4 == 0 ? nil : Double(i)))
            }
        }
        return realm
    }

    @Test
    func `results are live, inside and outside of transactions`() throws {
        let realm = try dogs(5)
        let all = realm.objects(RTDog.self), old = all.where { $0.age > 3 }, sorted = all.sorted(by: \.age)
        expect(all.count == 5 && old.map(\.id) == [0, 1] && sorted.first?.id == 4)
        try realm.write {
            all[4].age = 10
            expect(old.map(\.id) == [0, 1, 4] && sorted.last?.id == 4)
            realm.add(RTDog(id: 5, age: 7))
            expect(all.count == 6 && old.count == 4 && old.last?.id == 5)
            realm.delete(all[0])
            expect(old.map(\.id) == [1, 4, 5] && all.first?.id == 1)
        }
        expect(old.map(\.id) == [1, 4, 5] && sorted.map(\.id) == [3, 2, 1, 5, 4])
        realm.beginWrite()
        realm.deleteAll()
        expect(all.isEmpty && old.isEmpty && sorted.first == nil && sorted.last == nil)
        realm.cancelWrite()
        expectEqual(old.map(\.id), [1, 4, 5])
    }

    @Test
    func `an iteration visits the objects that existed when it began`() throws {
        let realm = try dogs(5)
        let dogs = realm.objects(RTDog.self)
        var seen: [Int] = []
        try realm.write {
            for dog in dogs {
                seen.append(dog.id)
                realm.add(RTDog(id: dog.id + 100, age: 1))
            }
            for dog in dogs.where({ $0.age == 1 }) { dog.age = 2 }
        }
        expectEqual(seen, [0, 1, 2, 3, 4])
        expect(dogs.where { $0.age == 2 }.count == 7 && dogs.count == 10)
        try realm.write { for dog in dogs { realm.delete(dog) } }
        expect(dogs.isEmpty)
    }

    @Test
    func `sorts are stable, can be combined, and accept key paths, names and descriptors`() throws {
        let realm = try dogs(6)
        let dogs = realm.objects(RTDog.self)
        expectEqual(dogs.sorted(by: \.name).map(\.id), [0, 3, 1, 4, 2, 5])
        expectEqual(dogs.sorted(byKeyPath: "name", ascending: false).map(\.id), [2, 5, 1, 4, 0, 3])
        expectEqual(dogs.sorted(by: [SortDescriptor(keyPath: \RTDog.name), "age"]).map(\.id), [3, 0, 4, 1, 5, 2])
        expectEqual(dogs.sorted(by: \.age).sorted(by: \.name).map(\.id), [3, 0, 4, 1, 5, 2])
        expectEqual(dogs.sorted(by: \.weight).map(\.id), [0, 4, 1, 2, 3, 5])
        expectEqual(SortDescriptor(keyPath: "a").reversed(), SortDescriptor(keyPath: "a", ascending: false))
        try realm.write {
            for (name, i) in [("x", 2), ("y", 5), ("z", 0)] {
                let person = RTPerson(name: name)
                person.favourite = dogs[i]
                realm.add(person)
            }
        }
        expectEqual(realm.objects(RTPerson.self).sorted(byKeyPath: "favourite.age").map(\.name), ["y", "x", "z"])
    }

    @Test
    func `aggregates read columns`() throws {
        let realm = try dogs(6)
        let dogs = realm.objects(RTDog.self)
        expect(dogs.min(of: \.age) == 1 && dogs.max(of: \.age) == 6)
        expectEqual(dogs.sum(of: \.age), 21)
        expectEqual(dogs.average(ofProperty: "age"), 3.5)
        expect(dogs.sum(of: \.weight) == 11 && dogs.min(of: \.weight) == 1)
        let none = dogs.where { $0.age > 100 }
        expect(none.min(of: \.age) == nil && none.sum(of: \.age) == 0)
        let mean: Double? = none.average(ofProperty: "age")
        expect(mean == nil)
        expectEqual(dogs.where { $0.age >= 5 }.sum(ofProperty: "age"), 11)
    }

    @Test
    func `lists and linking objects are queried, sorted and aggregated in their own order`() throws {
        let realm = try dogs(6)
        let dogs = realm.objects(RTDog.self)
        let person = RTPerson(name: "p")
        try realm.write {
            realm.add(person)
            person.dogs.append(objectsIn: [dogs[3], dogs[1], dogs[5], dogs[1]])
        }
        expectEqual(person.dogs.where { $0.age < 6 }.map(\.id), [3, 1, 5, 1])
        expectEqual(person.dogs.where { $0.name == "dog 1" }.map(\.id), [1, 1])
        expectEqual(person.dogs.sorted(by: \.id).map(\.id), [1, 1, 3, 5])
        expectEqual(person.dogs.sum(of: \.id), 10)
        expectEqual(dogs[1].owners.where { $0.name == "p" }.count, 2)
        expectEqual(dogs[1].owners.sorted(by: \.name).first, person)
        let tail = person.dogs.where { $0.id > 2 }
        expectEqual(tail.map(\.id), [3, 5])
        try realm.write { realm.delete(person) }
        expect(tail.isInvalidated && tail.isEmpty)
    }

    @Test
    func `results have positions, equality and a description`() throws {
        let realm = try dogs(4)
        let dogs = realm.objects(RTDog.self)
        let old = dogs.where { $0.age > 2 }
        expect(dogs.index(of: dogs[2]) == 2 && old.index(of: dogs[2]) == nil && old.index(of: dogs[1]) == 1)
        expect(dogs.index(of: RTDog(id: 0)) == nil)
        expectEqual(dogs.index(matching: { $0.age == 3 }), 1)
        expect(dogs == dogs && dogs != realm.objects(RTDog.self))
        expectEqual(dogs.objects(at: [0, 3]).map(\.id), [0, 3])
        expect(dogs.description.hasPrefix("Results<RTDog> (\n\t[0] RTDog {"))
        expect(dogs[1...2].map(\.id) == [1, 2] && dogs.reversed().map(\.id) == [3, 2, 1, 0])
        expect(dogs.first { $0.age == 2 }?.id == 2 && dogs.contains(dogs[0]))
        expect(dogs.realm == realm && !dogs.isInvalidated)
    }

    @Test
    func `any kind of collection can be erased to AnyRealmCollection`() throws {
        let realm = try dogs(3)
        let person = RTPerson(name: "p")
        try realm.write {
            realm.add(person)
            person.dogs.append(objectsIn: realm.objects(RTDog.self))
        }
        let results = realm.objects(RTDog.self)
        let kinds = [AnyRealmCollection(results), AnyRealmCollection(person.dogs)]
        for kind in kinds {
            expect(kind.map(\.id) == [0, 1, 2] && kind.count == 3 && kind[1] == results[1])
            expect(kind.where { $0.id > 0 }.count == 2 && kind.max(of: \.id) == 2 && kind.index(of: results[2]) == 2)
        }
        expect(kinds[0] == AnyRealmCollection(results) && kinds[0] != kinds[1])
    }

    @Test
    func `a realm follows indexes that another process adds and drops`() throws {
        let realm = try dogs(6)
        let found = realm.objects(RTDog.self).where { $0.age == 3 && $0.name == "dog 0" }
        expectEqual(found.map(\.id), [3])
        for indexed in [false, true] {
            // Another version of the program, whose classes differ in their indexes.
            let transaction = try realm.core.database.beginWrite()
            var specs = realm.schema.tableSpecs
            for t in specs.indices {
                for c in specs[t].columns.indices where ["age", "name"].contains(specs[t].columns[c].name) {
                    specs[t].columns[c].isIndexed = indexed
                }
            }
            try transaction.applySchema(specs)
            _ = try transaction.commit()
            try realm.write { realm.objects(RTDog.self)[3].age += 1 }
            expect(found.isEmpty)
            try realm.write { realm.objects(RTDog.self)[3].age -= 1 }
            expectEqual(found.map(\.id), [3])
        }
    }
}
