import Foundation
import Freehold
import Testing

/// The lifetimes of objects and iterations.
@Suite("Iterations and sets of objects that are deleted")
struct LifetimeTests {
    private func fill(_ realm: Realm) throws {
        try realm.write {
            for i in 0..<10 { realm.add(RTDog(id: i, age: i)) }
            let person = RTPerson(name: "Ada")
            realm.add(person)
            person.dogs.append(objectsIn: realm.objects(RTDog.self))
        }
    }

    @Test
    func `an object that was deleted before the iteration reaches it is invalid`() throws {
        let realm = try newRealm()
        for inOneTransaction in [true, false] {
            for collection in 0..<3 {
                try realm.write { realm.deleteAll() }
                try fill(realm)
                let dogs = realm.objects(RTDog.self)
                let person = realm.objects(RTPerson.self).first!
                let walked =
                    switch collection {
                    case 0: AnyRealmCollection(dogs)
                    case 1: AnyRealmCollection(dogs.where { $0.age >= 0 }.sorted(by: \.age))
                    default: AnyRealmCollection(person.dogs)
                    }
                var invalid = 0
                if inOneTransaction { realm.beginWrite() }
                for dog in walked {
                    if dog.isInvalidated {
                        invalid += 1
                    } else if dog.age == 0 {
                        if !inOneTransaction { realm.beginWrite() }
                        realm.delete(dogs.where { $0.age > 4 })
                        if !inOneTransaction { try realm.commitWrite() }
                    }
                }
                if inOneTransaction { try realm.commitWrite() }
                expectEqual(invalid, 5)
            }
        }
    }

    @Test
    func `an iteration keeps its realm alive`() throws {
        try withNewFile { configuration in
            try fill(Realm(configuration: configuration))
            func dogs() throws -> Results<RTDog> { try Realm(configuration: configuration).objects(RTDog.self) }
            func list() throws -> List<RTDog> {
                try Realm(configuration: configuration).objects(RTPerson.self).first!.dogs
            }
            var ages: [Int] = []
            for dog in try dogs() { ages.append(dog.age) }
            for dog in try dogs().where({ $0.age > 4 }) { ages.append(dog.age) }
            for dog in try list() { ages.append(dog.age) }
            expectEqual(ages, Array(0..<10) + Array(5..<10) + Array(0..<10))
        }
    }

    @Test
    func `objects that an iteration returned stay the same`() throws {
        let realm = try newRealm()
        try fill(realm)
        var kept: [RTDog] = []
        var owners: [LinkingObjects<RTPerson>] = []
        var byDog: [RTDog: Int] = [:]
        var previous: RTDog?
        for dog in realm.objects(RTDog.self) {
            if let previous { expectEqual(previous.age, dog.age - 1) }
            if dog.age.isMultiple(of: 3) { kept.append(dog) }
            owners.append(dog.owners)
            byDog[dog] = dog.age
            previous = dog
        }
        expectEqual(kept.map(\.age), [0, 3, 6, 9])
        expect(owners.allSatisfy { $0.count == 1 })
        expect(byDog.allSatisfy { $0.key.age == $0.value } && byDog.count == 10)
        var lists: [List<RTDog>] = []
        try realm.write { for i in 0..<3 { realm.add(RTPerson(name: "\(i)")) } }
        for person in realm.objects(RTPerson.self) { lists.append(person.dogs) }
        expectEqual(lists.map(\.count), [10, 0, 0, 0])
    }

    @Test
    func `a deleted object can be in a set and be compared`() throws {
        let realm = try newRealm()
        try fill(realm)
        var dogs = Set(realm.objects(RTDog.self))
        let one = realm.object(ofType: RTDog.self, forPrimaryKey: 3)!
        expect(dogs.contains(one))
        try realm.write { realm.delete(realm.objects(RTDog.self)) }
        _ = one.hash
        _ = dogs.contains(one)
        expectEqual(Set(Array(dogs)).count, 10)
        for dog in Array(dogs) { dogs.remove(dog) }
        expect(one == one && one.isInvalidated)
    }
}
