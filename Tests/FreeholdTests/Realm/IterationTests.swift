import Foundation
import Testing

@testable import Freehold

class ITMarked: Object {
    @Persisted var number: Int
    /// Not stored. Each accessor has its own value.
    var mark = 0
}

/// An iteration reuses an accessor for the next object if the program hasn't kept it. The program can't observe the
/// reuse.
@Suite("Iterations reuse accessors")
struct IterationTests {
    private func dogs(_ n: Int) throws -> Realm {
        let realm = try newRealm()
        try realm.write { for i in 0..<n { realm.add(RTDog(id: i, name: "dog \(i)", age: i)) } }
        return realm
    }

    private struct Weak {
        let id: Int
        weak var dog: RTDog?
    }

    @Test
    func `each kind of reference is visible in an object's header`() { expect(ReferenceWord.sole != nil) }

    @Test
    func `an accessor that isn't retained is used again`() throws {
        let realm = try dogs(100)
        var identities: Set<ObjectIdentifier> = []
        var sum = 0
        var iterator = realm.objects(RTDog.self).makeIterator()
        func step() -> Bool {
            guard let dog = iterator.next() else { return false }
            identities.insert(ObjectIdentifier(dog))
            sum += dog.age
            return true
        }
        while step() {}
        expectEqual(sum, 4950)
        expect(identities.count <= 2)
    }

    @Test(arguments: [1, 2, 3, 7])
    func `retained objects stay the same`(every: Int) throws {
        let realm = try dogs(50)
        var kept: [RTDog] = []
        for dog in realm.objects(RTDog.self) where dog.id % every == 0 { kept.append(dog) }
        expectEqual(kept.map(\.id), Array(stride(from: 0, to: 50, by: every)))
        expectEqual(Set(kept.map { ObjectIdentifier($0) }).count, kept.count)
        expectEqual(Array(realm.objects(RTDog.self)).map(\.name), (0..<50).map { "dog \($0)" })
        // A closure keeps what it names.
        let closures = realm.objects(RTDog.self).map { dog in { dog.id } } as [() -> Int]
        expectEqual(closures.map { $0() }, Array(0..<50))
    }

    @Test
    func `a weak reference never refers to another object`() throws {
        let realm = try dogs(50)
        var all: [Weak] = []
        for dog in realm.objects(RTDog.self) {
            for weak in all { expect(weak.dog == nil || weak.dog?.id == weak.id) }
            if dog.id % 2 == 0 { all.append(Weak(id: dog.id, dog: dog)) }
        }
        for weak in all { expect(weak.dog == nil || weak.dog?.id == weak.id) }
    }

    @Test
    func `an unowned reference never refers to another object`() throws {
        let realm = try dogs(20)
        struct Unowned { unowned let dog: RTDog }
        var references: [Unowned] = []
        var objects: [RTDog] = []
        for dog in realm.objects(RTDog.self) {
            references.append(Unowned(dog: dog))
            if dog.id % 2 == 0 { objects.append(dog) }
        }
        expectEqual(stride(from: 0, to: 20, by: 2).map { references[$0].dog.id }, objects.map(\.id))
    }

    @Test
    func `retained lists stay those of their objects`() throws {
        let realm = try newRealm()
        try realm.write {
            for i in 0..<20 {
                let person = RTPerson(name: "\(i)")
                person.scores.append(i)
                person.dogs.append(RTDog(id: i))
                realm.add(person)
            }
        }
        var scores: [List<Int>] = []
        var dogs: [List<RTDog>] = []
        for person in realm.objects(RTPerson.self) {
            expect(person.scores[0] == Int(person.name) && person.dogs[0].id == Int(person.name))
            scores.append(person.scores)
            dogs.append(person.dogs)
        }
        expectEqual(scores.map { $0[0] }, Array(0..<20))
        expectEqual(dogs.map { $0[0].id }, Array(0..<20))
        expectEqual(dogs.flatMap { $0.map(\.id) }, Array(0..<20))
    }

    @Test
    func `retained linking objects stay those of their objects`() throws {
        let realm = try newRealm()
        try realm.write {
            for i in 0..<10 {
                let person = RTPerson(name: "\(i)")
                person.dogs.append(RTDog(id: i))
                realm.add(person)
            }
        }
        var owners: [LinkingObjects<RTPerson>] = []
        for dog in realm.objects(RTDog.self) { owners.append(dog.owners) }
        expectEqual(owners.map { $0[0].name }, (0..<10).map { "\($0)" })
    }

    @Test
    func `copies of an iterator advance independently`() throws {
        let realm = try dogs(6)
        var first = realm.objects(RTDog.self).makeIterator()
        _ = first.next()
        var second = first
        var ids: [Int] = []
        while let a = first.next() {
            ids.append(a.id)
            if a.id % 2 == 0, let b = second.next() { ids.append(b.id) }
        }
        expectEqual(ids, [1, 2, 1, 3, 4, 2, 5])
    }

    @Test
    func `the own content of an accessor is reset for each object`() throws {
        let realm = try Realm(
            configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [ITMarked.self])
        )
        try realm.write { for i in 0..<5 { realm.add(ITMarked(value: ["number": i])) } }
        for object in realm.objects(ITMarked.self) {
            expectEqual(object.mark, 0)
            object.mark = 7
        }
    }

    @Test
    func `objects that are deleted during the iteration are returned as invalidated ones`() throws {
        let realm = try dogs(10)
        try realm.write {
            var seen: [Int] = []
            for dog in realm.objects(RTDog.self) {
                if dog.isInvalidated {
                    seen.append(-1)
                    continue
                }
                seen.append(dog.id)
                if dog.id % 3 == 0, let next = realm.object(ofType: RTDog.self, forPrimaryKey: dog.id + 1) {
                    realm.delete(next)
                }
            }
            expectEqual(seen, [0, -1, 2, 3, -1, 5, 6, -1, 8, 9])
        }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `iterations and positions agree after any deletion`(seed: UInt64) throws {
        let realm = try dogs(2500)
        var random = SeededRandom(seed: seed)
        var expected = Set(0..<2500)
        try realm.write {
            for _ in 0..<(seed == 3 ? 2400 : 300) { expected.remove(random.below(2500)) }
            if seed == 2 { for i in 1000..<2000 { expected.remove(i) } }
            realm.delete(realm.objects(RTDog.self).filter { !expected.contains($0.id) })
        }
        let all = realm.objects(RTDog.self)
        let walked = all.map(\.id) as [Int]
        expectEqual(walked, expected.sorted(), "seed \(seed)")
        for i in stride(from: 0, to: all.count, by: 97) { expectEqual(all[i].id, walked[i], "seed \(seed)") }
    }
}

@Suite("Adding objects in place")
struct DirectAddTests {
    @Test
    func `a link to an older row, and one to a row of the transaction, are read`() throws {
        let realm = try newRealm()
        try realm.write { realm.add(RTDog(id: 1)) }
        let old = realm.objects(RTDog.self)[0]
        try realm.write {
            let new = RTDog(id: 2)
            realm.add(new)
            for dog in [old, new] {
                let person = RTPerson(name: "a")
                person.favourite = dog
                realm.add(person)
                expect(person.favourite == dog && person.realm != nil && person.dogs.isEmpty)
            }
        }
        expectEqual(realm.objects(RTPerson.self).map { $0.favourite!.id } as [Int], [1, 2])
        expectEqual(old.admirers.count, 1)
    }

    @Test
    func `an object that can't be stored leaves nothing and stays unmanaged`() throws {
        let realm = try newRealm()
        let long = String(repeating: "x", count: 16_777_200)
        let tooLong = RTDog(id: 7, name: long)
        #expect(throws: Realm.Error.self) { try realm.write { realm.add(tooLong) } }
        expect(tooLong.realm == nil && tooLong.name.utf8.count == long.utf8.count)
        try realm.write { realm.add(RTDog(id: 7)) }
        let twin = RTDog(id: 7, name: "twin")
        #expect(throws: Realm.Error.self) {
            try realm.write {
                realm.add(twin)
                expect(twin.realm == nil && realm.objects(RTDog.self).count == 1)
            }
        }
        expectEqual(twin.name, "twin")
    }

    @Test(arguments: [0, 1, 3, 300, 1200])
    func `every list of objects reads appended objects, small and large`(n: Int) throws {
        let realm = try newRealm()
        try realm.write {
            for i in 0..<1300 { realm.add(RTDog(id: i)) }
            realm.add(RTPerson(name: "p"))
        }
        let dogs = Array(realm.objects(RTDog.self))
        let person = realm.objects(RTPerson.self)[0]
        try realm.write { for i in 0..<n { person.dogs.append(dogs[(i * 7) % 1300]) } }
        let expected = (0..<n).map { ($0 * 7) % 1300 }
        expectEqual(person.dogs.map(\.id) as [Int], expected)
        expectEqual((0..<n).map { person.dogs[$0].id }, expected)
        expectEqual(dogs[0].owners.count, expected.filter { $0 == 0 }.count)
    }
}
