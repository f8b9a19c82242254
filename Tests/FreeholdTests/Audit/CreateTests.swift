import Foundation
import Testing

@testable import Freehold

@Suite("create, add and delete: shapes of data")
struct CreateShapeTests {
    @Test
    func `JSON objects create and update objects one by one, and a repeated primary key is refused`() throws {
        let text = """
            {"name": "Ann", "tags": ["a", "b"], "scores": [1, 2, 3], "favourite": {"id": 1, "age": 4, "weight": 2.5},
             "dogs": [{"id": 1, "name": "One"}, {"id": 2, "name": "Two", "weight": null}, [3, "Three"]],
             "friend": {"name": "Bob", "friends": [{"name": "Cleo", "dogs": []}]}, "unknown": {"x": 1}}
            """
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let realm = try newRealm()
        let code = thrownCode { _ = try realm.write { realm.create(RTPerson.self, value: value) } }
        expect(code == .duplicatePrimaryKey && realm.isEmpty)
        try realm.write {
            realm.create(RTDog.self, value: ["id": 1, "age": 7])
            let person = RTPerson()
            realm.add(person)
            person["favourite"] = realm.objects(RTDog.self)[0]
        }
        let dogs = try require((value as? [String: Any])?["dogs"] as? [Any])
        try realm.write {
            for dog in dogs { realm.create(RTDog.self, value: dog, update: .modified) }
        }
        let one = realm.objects(RTDog.self)[0]
        expectEqual(realm.objects(RTDog.self).map(\.id), [1, 2, 3])
        expect(one.age == 7 && one.name == "One")
        expect(realm.objects(RTDog.self)[1].weight == nil && realm.objects(RTDog.self)[2].name == "Three")
    }

    @Test
    func `nested objects become separate objects`() throws {
        let realm = try newRealm()
        let ann = try realm.write {
            realm.create(
                RTPerson.self,
                value: [
                    "name": "Ann", "tags": ["a", "b"], "scores": [1, 2, 3] as NSArray,
                    "favourite": ["id": 1, "age": 4],
                    "friend": ["name": "Bob", "friends": [["name": "Cleo", "dogs": [Int]()] as [String: Any]]]
                        as NSDictionary,
                    "unknown": ["x": 1],
                ] as [String: Any]
            )
        }
        expect(ann.favourite?.age == 4 && ann.favourite?.name == "Rex" && ann.favourite?.admirers.first == ann)
        expect(Array(ann.scores) == [1, 2, 3] && ann.friend?.friends.first?.name == "Cleo")
        expect(ann.friend?.friend == nil && realm.objects(RTPerson.self).count == 3)
    }

    @Test(arguments: [0, 1, 2])
    func `an update keeps properties that aren't given, and an error policy refuses them`(kind: Int) throws {
        let policy: Realm.UpdatePolicy = [.error, .modified, .all][kind]
        let text = """
            {"id": 1, "name": "One", "age": 4, "weight": 2.5}
            """
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let realm = try newRealm()
        try realm.write {
            realm.create(RTDog.self, value: value)
            realm.create(RTDog.self, value: [2, "Two", 5])
        }
        let one = realm.object(ofType: RTDog.self, forPrimaryKey: 1)!
        func change(_ value: Any) -> Realm.Error.Code? {
            thrownCode { _ = try realm.write { realm.create(RTDog.self, value: value, update: policy) } }
        }
        guard policy != .error else {
            expectEqual(change(["id": 1]), .duplicatePrimaryKey)
            return
        }
        expect(change(["id": 1, "age": 5]) == nil)
        expect(one.name == "One" && one.age == 5 && one.weight == 2.5)
        expect(change(["id": 1, "weight": NSNull()] as [String: Any]) == nil)
        expect(one.weight == nil && one.name == "One")
        expect(change([1, "Uno"] as [Any]) == nil)
        expect(one.name == "Uno" && one.age == 5)
        expect(change(RTDog(id: 1, name: "Object")) == nil)
        expect(one.name == "Object" && one.age == 0)
        expectEqual(change(["id": 1, "name": NSNull()] as [String: Any]), .missingValue)
        expect(change(["id": 3]) == nil)
        expectEqual(realm.object(ofType: RTDog.self, forPrimaryKey: 3)?.name, "Rex")
        expectEqual(realm.objects(RTDog.self).count, 3)
    }

    @Test
    func `objects of other classes and realms are copied by property names, with their links`() throws {
        let realm = try newRealm(), elsewhere = try newRealm()
        let foreign = RTPerson(name: "Foreign")
        foreign.dogs.append(objectsIn: [RTDog(id: 1), RTDog(id: 2)])
        foreign.favourite = foreign.dogs[1]
        foreign.friend = foreign
        try elsewhere.write { elsewhere.add(foreign) }
        let copy = try realm.write { realm.create(RTPerson.self, value: foreign) }
        expect(copy.realm == realm && copy.name == "Foreign" && copy.dogs.map(\.id) == [1, 2])
        expect(copy.favourite == copy.dogs[1] && copy.friend == copy && copy != foreign)
        expect(realm.objects(RTDog.self).count == 2 && realm.objects(RTPerson.self).count == 1)
        expectEqual(elsewhere.objects(RTDog.self).count, 2)
        let unmanaged = RTPerson(value: foreign)
        expect(unmanaged.realm == nil && unmanaged.name == "Foreign")
    }

    @Test("an object without any property of the link's class is refused")
    func strangers() throws {
        let realm = try newRealm()
        let stranger = RTEverything(value: ["key": "x"])
        for value in [["favourite": stranger], ["dogs": [stranger]]] as [[String: Any]] {
            expectEqual(thrownCode { _ = try realm.write { realm.create(RTPerson.self, value: value) } }, .invalidValue)
        }
        expect(realm.isEmpty)
    }

    @Test
    func `a list accepts any sequence of values: lists, results, sets, slices`() throws {
        let realm = try newRealm()
        try realm.write {
            for i in 1...4 { realm.add(RTDog(id: i)) }
            let dogs = realm.objects(RTDog.self)
            let person = realm.create(RTPerson.self, value: ["dogs": dogs, "tags": Set(["x"])] as [String: Any])
            expect(person.dogs.map(\.id) == [1, 2, 3, 4] && Array(person.tags) == ["x"])
            person["dogs"] = dogs.where { $0.id > 2 }
            person["scores"] = [1, 2, 3].dropFirst()
            expect(person.dogs.map(\.id) == [3, 4] && Array(person.scores) == [2, 3])
            person["dogs"] = person.dogs
            expectEqual(person.dogs.map(\.id), [3, 4])
            person["friends"] = person.dogs[0].owners
            expectEqual(person.friends.first, person)
            person["dogs"] = Array(dogs)
            expectEqual(person.dogs.count, 4)
        }
        expectEqual(RTPerson(value: ["tags": Set(["x"])]).tags.first, "x")
    }

    @Test
    func `a call with bad data adds nothing, and its arguments don't change`() throws {
        let realm = try newRealm()
        let person = RTPerson(name: "Ann")
        try realm.write {
            realm.add(person)
            realm.add(RTDog(id: 1))
        }
        let (good, bad) = (RTDog(id: 5), RTDog(id: 1))
        let calls: [() -> Void] = [
            { person.dogs.append(objectsIn: [good, bad]) }, { person.dogs.insert(contentsOf: [good, bad], at: 0) },
            { person.dogs.replaceSubrange(0..<0, with: [good, bad]) }, { person["dogs"] = [good, bad] },
            {
                let list = List<RTDog>()
                list.append(objectsIn: [good, bad])
                person.dogs = list
            },
            {
                let friend = RTPerson(name: "Bob")
                friend.dogs.append(objectsIn: [good, bad])
                person.friend = friend
                expect(friend.realm == nil)
            },
        ]
        for call in calls {
            let code = thrownCode {
                try realm.write {
                    call()
                    expect(good.realm == nil && bad.realm == nil && person.dogs.isEmpty && person.friend == nil)
                    expect(realm.objects(RTDog.self).count == 1 && realm.objects(RTPerson.self).count == 1)
                }
            }
            expectEqual(code, .duplicatePrimaryKey)
            expect(good.realm == nil && !good.isInvalidated && good.id == 5)
        }
        try realm.write { person.dogs.append(objectsIn: [good, RTDog(id: 6)]) }
        expectEqual(person.dogs.map(\.id), [5, 6])
    }

    @Test
    func `delete accepts arrays, results, lists, linking objects and lazy sequences`() throws {
        let realm = try newRealm()
        let person = RTPerson(name: "Ann")
        try realm.write {
            realm.add(person)
            person.dogs.append(objectsIn: (1...10).map { RTDog(id: $0, age: $0) })
            person.favourite = person.dogs[4]
            realm.delete([person.dogs[0], person.dogs[0], person.dogs[1]])
            expectEqual(person.dogs.map(\.id), Array(3...10))
            realm.delete(realm.objects(RTDog.self).where { $0.age > 8 })
            expectEqual(person.dogs.map(\.id), Array(3...8))
            realm.delete(person.dogs.filter { $0.age % 2 == 0 })
            expectEqual(person.dogs.map(\.id), [3, 5, 7])
            realm.delete(person.dogs.where { $0.id == 3 })
            realm.delete(person.favourite!)
            expect(person.favourite == nil && person.dogs.map(\.id) == [7])
            realm.delete(AnyRealmCollection(realm.objects(RTDog.self)))
            expect(person.dogs.isEmpty)
            person.dogs.append(objectsIn: [RTDog(id: 1), RTDog(id: 2)])
            realm.delete(person.dogs[0].owners)
            expect(person.isInvalidated && realm.objects(RTDog.self).count == 2)
            realm.add(person.isInvalidated ? RTPerson(name: "Bob") : person)
            let bob = realm.objects(RTPerson.self)[0]
            bob.dogs.append(objectsIn: realm.objects(RTDog.self))
            realm.delete(bob.dogs)
            expect(bob.dogs.isEmpty && realm.objects(RTDog.self).isEmpty)
            realm.delete([RTDog]())
            realm.deleteAll()
        }
        expect(realm.isEmpty)
    }
}
