import Foundation
import Testing

@testable import Freehold

@Suite("Realm: transactions")
struct TransactionTests {
    @Test
    func `write returns what its block returns`() throws {
        let realm = try newRealm()
        let id = try realm.write { () -> Int in
            realm.add(RTDog(id: 7))
            return 7
        }
        expect(realm.object(ofType: RTDog.self, forPrimaryKey: id) != nil)
    }

    @Test
    func `an error of the block rolls everything back`() throws {
        struct Stop: Error {}
        let realm = try newRealm()
        let dog = RTDog(id: 1, name: "kept")
        try realm.write { realm.add(dog) }
        let added = RTDog(id: 2)
        #expect(throws: Stop.self) {
            try realm.write {
                dog.name = "changed"
                realm.add(added)
                throw Stop()
            }
        }
        expect(dog.name == "kept" && realm.objects(RTDog.self).count == 1)
        expect(added.isInvalidated)
    }

    @Test
    func `objects of a cancelled transaction stay invalid when their keys are used again`() throws {
        let realm = try newRealm()
        realm.beginWrite()
        let lost = RTDog(id: 1, name: "lost")
        realm.add(lost)
        realm.cancelWrite()
        try realm.write { realm.add(RTDog(id: 2, name: "other")) }
        expect(lost.isInvalidated)
        expectEqual(realm.objects(RTDog.self)[0].name, "other")
    }

    @Test
    func `a block may commit or cancel itself`() throws {
        let realm = try newRealm()
        try realm.write {
            realm.add(RTDog(id: 1))
            try realm.commitWrite()
        }
        try realm.write {
            realm.add(RTDog(id: 2))
            realm.cancelWrite()
        }
        expectEqual(realm.objects(RTDog.self).map(\.id), [1])
    }

    @Test
    func `a write inside a write throws and leaves the outer one open`() throws {
        let realm = try newRealm()
        try realm.write {
            expectEqual(thrownCode { try realm.write {} }, .invalidTransactionState)
            expect(realm.isInWriteTransaction)
            realm.add(RTDog(id: 1))
        }
        expectEqual(realm.objects(RTDog.self).count, 1)
        expectEqual(thrownCode { try realm.commitWrite() }, .invalidTransactionState)
    }

    @Test("commits of other threads are visible after refresh")
    func refresh() throws {
        try withNewFile { configuration in
            let realm = try Realm(configuration: configuration)
            let dogs = realm.objects(RTDog.self)
            expectEqual(dogs.count, 0)
            onOtherThread {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.add(RTDog(id: 1)) }
            }
            expectEqual(dogs.count, 0)
            expect(realm.refresh())
            expectEqual(dogs.count, 1)
            expect(!realm.refresh())
        }
    }

    @Test
    func `a write first moves to the newest version`() throws {
        let configuration = newConfiguration()
        let realm = try Realm(configuration: configuration)
        onOtherThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(RTDog(id: 1, age: 1)) }
        }
        try realm.write {
            let dog = try require(realm.object(ofType: RTDog.self, forPrimaryKey: 1))
            dog.age += 1
        }
        expectEqual(realm.objects(RTDog.self)[0].age, 2)
    }

    @Test("invalidate ends the present version, and later reads start at a new one")
    func invalidate() throws {
        let realm = try newRealm()
        let dog = RTDog(id: 1)
        try realm.write { realm.add(dog) }
        let old = realm.objects(RTDog.self)
        realm.invalidate()
        expect(dog.isInvalidated && old.isEmpty && old.isInvalidated)
        expectEqual(realm.objects(RTDog.self).count, 1)
        realm.beginWrite()
        realm.add(RTDog(id: 2))
        realm.invalidate()
        expect(!realm.isInWriteTransaction && realm.objects(RTDog.self).count == 1)
    }

    @Test
    func `a realm that is released inside a transaction rolls it back`() throws {
        let configuration = newConfiguration()
        let keeper = try Realm(configuration: configuration)
        onOtherThread {
            let realm = try Realm(configuration: configuration)
            realm.beginWrite()
            realm.add(RTDog(id: 1))
        }
        try keeper.write { keeper.add(RTDog(id: 2)) }
        expectEqual(keeper.objects(RTDog.self).map(\.id), [2])
    }
}
