import Foundation
import Testing

@testable import Freehold

@Suite("Realm: adding graphs")
struct GraphTests {
    @Test
    func `everything reachable is added once, through cycles and lists`() throws {
        let realm = try newRealm()
        let a = RTPerson(name: "a"), b = RTPerson(name: "b"), c = RTPerson(name: "c")
        let dog = RTDog(id: 1)
        a.friend = b
        b.friend = a
        a.friends.append(objectsIn: [b, c, a])
        c.favourite = dog
        c.dogs.append(dog)
        let list = a.friends
        try realm.write { realm.add(a) }
        expect([a, b, c].allSatisfy { $0.realm == realm } && dog.realm == realm)
        expectEqual(realm.objects(RTPerson.self).map(\.name), ["a", "b", "c"])
        expect(a.friends === list && list.map(\.name) == ["b", "c", "a"])
        expect(b.friend == a && a.friend == b)
        expectEqual(dog.owners.map(\.name), ["c"])
    }

    @Test
    func `a long chain of links needs no deep stack`() throws {
        let realm = try newRealm()
        let first = RTPerson(name: "0")
        var last = first
        for i in 1..<3_000 {
            let next = RTPerson(name: "\(i)")
            last.friend = next
            last = next
        }
        try realm.write { realm.add(first) }
        let people = realm.objects(RTPerson.self)
        expectEqual(people.count, 3_000)
        expect(people[2_999].name == "2999" && people[2_998].friend == people[2_999])
        // Taken apart link by link, so that freeing them needs no deep stack either.
        try realm.write { realm.create(RTPerson.self, value: people[2_998]) }
        expectEqual(people.count, 3_001)
    }

    @Test
    func `adding an object again does nothing`() throws {
        let realm = try newRealm()
        let dog = RTDog(id: 1, name: "A")
        try realm.write {
            realm.add(dog)
            realm.add(dog)
            dog.name = "B"
            realm.add(dog, update: .all)
        }
        expect(realm.objects(RTDog.self).count == 1 && dog.name == "B")
    }

    @Test
    func `assigning an unmanaged object to a link or list adds it`() throws {
        let realm = try newRealm()
        let person = RTPerson(name: "p")
        try realm.write {
            realm.add(person)
            person.favourite = RTDog(id: 1)
            person.dogs.append(objectsIn: [RTDog(id: 2), RTDog(id: 3)])
            let chain = RTPerson(name: "q")
            chain.friend = person
            person.friend = chain
        }
        expectEqual(realm.objects(RTDog.self).map(\.id), [1, 2, 3])
        expectEqual(person.friend?.friend, person)
    }

    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func `the policy applies to the whole graph`(policy: Realm.UpdatePolicy) throws {
        let realm = try newRealm()
        try realm.write { realm.add(RTDog(id: 1, name: "old", age: 1)) }
        let person = RTPerson(name: "p")
        let first = RTDog(id: 1, name: "new", age: 1), second = RTDog(id: 1, name: "newer", age: 2)
        person.dogs.append(objectsIn: [first, second, RTDog(id: 2)])
        try realm.write {
            realm.create(RTPerson.self, value: ["dogs": [["id": 1, "age": 9]]], update: .error)
        } catch: {
            expectEqual($0, .duplicatePrimaryKey)
        }
        expect(realm.objects(RTPerson.self).isEmpty)
        let owner = RTEverything()
        owner.key = "unused"
        try realm.write {
            // A class without a primary key can only be added; its graph can be updated by way of a keyed one.
            realm.create(RTPerson.self, value: ["name": "q"])
            for dog in [first, second] { realm.add(dog, update: policy) }
            realm.add(person)
        }
        expect(first == second && first.name == "newer" && first.age == 2)
        expectEqual(realm.objects(RTDog.self).map(\.id), [1, 2])
        expectEqual(person.dogs.map(\.id), [1, 1, 2])
    }

    @Test
    func `two objects of one graph with one primary key are an error`() throws {
        let realm = try newRealm()
        let person = RTPerson(name: "p")
        person.dogs.append(objectsIn: [RTDog(id: 1), RTDog(id: 1)])
        expectEqual(thrownCode { try realm.write { realm.add(person) } }, .duplicatePrimaryKey)
        expect(realm.isEmpty && person.realm == nil && person.dogs.count == 2)
    }
}

extension Realm {
    fileprivate func write(_ block: () throws -> Void, catch check: (Realm.Error.Code?) -> Void) throws {
        check(thrownCode { try write(block) })
    }
}
