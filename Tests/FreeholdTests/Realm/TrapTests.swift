import Foundation
import Testing

@testable import Freehold

/// Each runs in a process of its own, which must end with a message that names the rule.
@Suite("Realm: misuse traps")
struct TrapTests {
    private func expectTrap(_ result: ExitTest.Result?, _ words: String...) {
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for word in words { expect(message.contains(word), "\(message)") }
    }

    @Test
    func `setting a property outside of a write transaction traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try newRealm()
            let dog = RTDog(id: 1)
            try realm.write { realm.add(dog) }
            dog.age = 5
        }
        expectTrap(result, "outside a write transaction", "realm.write")
    }

    @Test
    func `adding an object outside of a write transaction traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try newRealm().add(RTDog(id: 1))
        }
        expectTrap(result, "outside a write transaction")
    }

    @Test
    func `reading a deleted object traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try newRealm()
            let dog = RTDog(id: 1)
            try realm.write {
                realm.add(dog)
                realm.delete(realm.objects(RTDog.self))
                _ = dog.age
            }
        }
        expectTrap(result, "RTDog", "deleted", "isInvalidated")
    }

    @Test(arguments: [0, 1, 2])
    func `use of an object, results and a realm on another thread traps`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let realm = try newRealm()
            let dog = RTDog(id: 1)
            try realm.write { realm.add(dog) }
            nonisolated(unsafe) let shared = (realm, dog, realm.objects(RTDog.self))
            onOtherThread {
                switch kind {
                case 0: _ = shared.1.age
                case 1: _ = shared.2.count
                default: _ = shared.0.objects(RTDog.self)
                }
            }
        }
        expectTrap(result, "another thread")
    }

    @Test
    func `an index out of bounds traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try newRealm()
            try realm.write { realm.add(RTDog(id: 1)) }
            _ = realm.objects(RTDog.self)[1]
        }
        expectTrap(result, "Index 1", "1 elements")
    }

    @Test
    func `beginWrite inside of a write transaction traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try newRealm()
            realm.beginWrite()
            realm.beginWrite()
        }
        expectTrap(result, "in a write transaction already")
    }

    @Test
    func `an object of another realm traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try newRealm(), other = try newRealm()
            let dog = RTDog(id: 1)
            try other.write { other.add(dog) }
            try realm.write { realm.add(dog) }
        }
        expectTrap(result, "another realm", "RTDog")
    }

    @Test(arguments: [0, 1])
    func `an update of a class without primary key, and a class outside of the schema, trap`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let configuration = Realm.Configuration(inMemoryIdentifier: "x", objectTypes: [RTPerson.self, RTDog.self])
            let realm = try Realm(configuration: configuration)
            try realm.write {
                if kind == 0 { realm.add(RTPerson(name: ""), update: .all) } else { realm.add(RTEverything()) }
            }
        }
        expectTrap(result, kind == 0 ? "no primary key" : "isn't in the schema")
    }

    @Test
    func `a query or sort by a missing property traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try newRealm().objects(RTDog.self).sorted(byKeyPath: "nothing")
        }
        expectTrap(result, "RTDog", "nothing")
    }
}
