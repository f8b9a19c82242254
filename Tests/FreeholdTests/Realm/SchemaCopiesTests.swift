import Foundation
import Testing

@testable import Freehold
@testable import FreeholdEngine

/// Realms of one file on several threads read through copies of its schema.
@Suite("Realms' own copies of the schema") struct SchemaCopiesTests {
    @Test
    func `a copy equals the schema, and has one user at a time`() throws {
        let realm = try newRealm()
        let origin = realm.core.database.lastVersion > 0 ? realm.core.view.schema.origin : realm.core.view.schema
        let copies = SchemaCopies()
        let first = copies.take(origin)
        let second = copies.take(origin)
        let third = copies.take(second)
        expect(first === origin)
        expect(second !== origin && second.origin === origin && third !== second && third.origin === origin)
        expectEqual(second.encoded(), origin.encoded())
        copies.give(second)
        expect(copies.take(origin) === second)
    }

    @Test
    func `realms of two threads share no table, and frozen ones have the schema's own`() throws {
        try withNewFile { configuration in
            let realm = try Realm(configuration: configuration)
            let mine = Set(realm.core.tables.map { ObjectIdentifier($0.table) })
            nonisolated(unsafe) let core = realm.core
            onOtherThread {
                let other = try Realm(configuration: configuration)
                expect(mine.isDisjoint(with: other.core.tables.map { ObjectIdentifier($0.table) }))
                expect(other.core.view.schema !== core.view.schema)
                // It keeps its own over versions.
                let schema = other.core.view.schema
                try other.write { other.add(RTPerson(name: "Ada")) }
                other.refresh()
                expect(other.core.view.schema === schema)
                expect(other.freeze().core.view.schema === schema.origin)
            }
            realm.refresh()
            expectEqual(realm.objects(RTPerson.self).count, 1)
        }
    }

    @Test
    func `a realm with a copy writes, queries, groups and observes like any other`() throws {
        try withNewFile { configuration in
            let first = try Realm(configuration: configuration)
            try first.write { for i in 0..<50 { first.add(RTDog(id: i, name: "dog \(i % 5)", age: i % 7)) } }
            onOtherThread {
                let realm = try Realm(configuration: configuration)
                try realm.write {
                    let ada = RTPerson(name: "Ada")
                    realm.add(ada)
                    ada.dogs.append(objectsIn: realm.objects(RTDog.self).where { $0.age > 3 })
                    ada.favourite = ada.dogs[0]
                    ada.scores.append(objectsIn: 0..<3000)
                    ada.scores.removeFirst(5)
                    realm.delete(realm.object(ofType: RTDog.self, forPrimaryKey: 5)!)
                }
                let ada = realm.objects(RTPerson.self).first!
                expectEqual(Array(ada.scores), Array(5..<3000))
                expect(ada.scores[0] == 5 && ada.scores[2994] == 2999)
                expectEqual(ada.dogs.count, realm.objects(RTDog.self).where { $0.age > 3 }.count)
                expectEqual(realm.objects(RTDog.self).where { $0.name == "dog 1" }.count, 10)
                expectEqual(realm.objects(RTPerson.self).where { $0.dogs.age > 5 }.count, 1)
                expectEqual(ada.favourite?.admirers.first, ada)
                expectEqual(realm.objects(RTDog.self).sorted(by: \.name).first?.name, "dog 0")
                realm.beginWrite()
                ada.name = "Grace"
                ada.scores.append(1)
                realm.cancelWrite()
                expect(ada.name == "Ada" && ada.scores.count == 2995)
            }
            first.refresh()
            expectEqual(
                first.objects(RTPerson.self).first?.dogs.count,
                first.objects(RTDog.self).where { $0.age > 3 }.count
            )
        }
    }
}

/// Lists whose elements are created without calls of their type.
@Suite("Typed elements of lists") struct TypedListTests {
    @Test(arguments: [0, 1, 3, 40, 130, 2500])
    func `copies are equal in iteration, by position and as stored, for every length`(_ count: Int) throws {
        let realm = try newRealm()
        let ints = (0..<count).map { $0 % 2 == 0 ? $0 : -$0 << 20 }
        let texts = (0..<count).map { $0 % 50 == 7 ? String(repeating: "é", count: 1500) : "text \($0)" }
        try realm.write {
            let person = RTPerson(name: "Ada")
            realm.add(person)
            for value in ints { person.scores.append(value) }
            for text in texts { person.tags.append(text) }
            expectEqual(Array(person.scores), ints)
            expectEqual(Array(person.tags), texts)
        }
        let person = realm.objects(RTPerson.self).first!
        expectEqual(Array(person.scores), ints)
        expectEqual(person.scores.indices.map { person.scores[$0] }, ints)
        expectEqual(Array(person.tags), texts)
        expectEqual(person.tags.indices.map { person.tags[$0] }, texts)
        expectEqual(Array(person.freeze().scores), ints)
        try realm.write {
            while person.scores.count > 2 {
                person.scores.removeFirst()
                person.scores.removeLast()
            }
        }
        let middle = count < 3 ? ints : Array(ints[((count - 1) / 2)...].prefix(count % 2 == 0 ? 2 : 1))
        expectEqual(Array(person.scores), middle)
    }
}
