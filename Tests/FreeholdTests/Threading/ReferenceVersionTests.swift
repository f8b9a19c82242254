import Foundation
import Freehold
import TestRandom
import Testing

/// The versions at which references are created and resolved.
@Suite("Threading: versions of references")
struct ReferenceVersionTests {
    @Test
    func `a realm without reads shows the version of the reference`() throws {
        let configuration = threadingConfiguration()
        let realm = try threadingRealm(configuration)
        let person = realm.object(ofType: THPerson.self, forPrimaryKey: 3)!
        let references = (ThreadSafeReference(to: person), ThreadSafeReference(to: person))
        let results = ThreadSafeReference(to: realm.objects(THPerson.self).where { $0.age > 4 })
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.delete(realm.objects(THPerson.self)) }
        }
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            let person = realm.resolve(references.0)
            expectEqual(person?.name, "P3")
            expectEqual(realm.objects(THPerson.self).count, 10)
            realm.refresh()
            expectEqual(person?.isInvalidated, true)
            expect(realm.resolve(references.1) == nil)
        }
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            let found = realm.resolve(results)!
            expectEqual(found.count, 5)
            realm.refresh()
            expect(found.isEmpty)
        }
        expectEqual(person.name, "P3")
    }

    @Test
    func `a realm with reads doesn't go back`() throws {
        let configuration = threadingConfiguration()
        let realm = try threadingRealm(configuration)
        let reference = ThreadSafeReference(to: realm.object(ofType: THPerson.self, forPrimaryKey: 3)!)
        try realm.write { realm.delete(realm.objects(THPerson.self)) }
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            expect(realm.objects(THPerson.self).isEmpty)
            expect(realm.resolve(reference) == nil)
        }
    }

    @Test
    func `a reference that is created inside a write leads to the objects of the write`() throws {
        let configuration = threadingConfiguration()
        let realm = try threadingRealm(configuration)
        realm.beginWrite()
        let person = realm.create(THPerson.self, value: ["id": 60, "name": "new", "friends": [["id": 61]]])
        person.scores["x"] = 1
        person.any = AnyRealmValue.fromArray([.int(1), .string("two")])
        let references = (
            ThreadSafeReference(to: person), ThreadSafeReference(to: person.friends),
            ThreadSafeReference(to: person.scores), ThreadSafeReference(to: person.tags),
            ThreadSafeReference(to: person.friends.where { $0.id > 60 }),
            ThreadSafeReference(to: person.friends[0].admirers),
            ThreadSafeReference(to: person.any.listValue!)
        )
        let early = (ThreadSafeReference(to: person), ThreadSafeReference(to: person.friends))
        let variable = ThreadSafe(wrappedValue: person)
        expect(variable.wrappedValue === person || variable.wrappedValue == person)
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            expect(realm.resolve(early.0) == nil)
            expect(realm.resolve(early.1) == nil)
            expect(variable.wrappedValue == nil)
        }
        try realm.commitWrite()
        let text = try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            let person = realm.resolve(references.0)!
            let friends = realm.resolve(references.1)!
            return
                "\(person.name) \(friends[0].id) \(realm.resolve(references.2)!["x"]!) \(realm.resolve(references.3)!.count) "
                + "\(realm.resolve(references.4)!.count) \(realm.resolve(references.5)![0].id) "
                + "\(realm.resolve(references.6)!.count) \(variable.wrappedValue!.name)"
        }
        expectEqual(text, "new 61 1 0 1 60 2 new")
    }

    @Test
    func `objects of a cancelled write aren't found`() throws {
        let configuration = threadingConfiguration()
        let realm = try threadingRealm(configuration)
        realm.beginWrite()
        let reference = ThreadSafeReference(to: realm.create(THPerson.self, value: ["id": 60]))
        realm.cancelWrite()
        let isFound = try onAnotherThread { try Realm(configuration: configuration).resolve(reference) != nil }
        expect(!isFound)
    }

    @Test
    func `a ThreadSafe variable is read, changed and assigned inside writes`() throws {
        let configuration = threadingConfiguration()
        let realm = try threadingRealm(configuration)
        let variable = ThreadSafe<THPerson>(wrappedValue: nil)
        let map = ThreadSafe<Map<String, Int>>(wrappedValue: nil)
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                variable.wrappedValue = realm.create(THPerson.self, value: ["id": 70, "name": "a"])
                map.wrappedValue = variable.wrappedValue?.scores
                variable.wrappedValue?.name = "b"
                map.wrappedValue?["k"] = 4
            }
        }
        expectEqual(variable.wrappedValue?.name, "b")
        expectEqual(map.wrappedValue?["k"], 4)
        try realm.write { realm.delete(variable.wrappedValue!) }
        expect(variable.wrappedValue == nil)
        expect(map.wrappedValue == nil)
    }

    @Test
    func `a reference doesn't resolve in a realm of another file`() throws {
        let realm = try threadingRealm(threadingConfiguration())
        let other = try threadingRealm(threadingConfiguration())
        let reference = ThreadSafeReference(to: realm.objects(THPerson.self).first!)
        expect(other.resolve(reference) == nil)
        expect(reference.isInvalidated)
    }

    /// Compares references with a model of versions: one realm advances, and the references resolve in realms with and
    /// without earlier reads.
    @Test
    func `random references resolve to what their versions and realms say`() throws {
        let seed =
            ProcessInfo.processInfo.environment["FREEHOLD_SEED"].flatMap { UInt64($0) }
            ?? TestSeed.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let configuration = threadingConfiguration()
        let realm = try threadingRealm(configuration, count: 0)
        /// The names by key, of each version.
        var versions: [[Int: String]] = [[:]]
        var references: [(version: Int, id: Int, ThreadSafeReference<THPerson>)] = []
        for step in 0..<120 {
            var now = versions.last!
            try realm.write {
                let id = Int.random(in: 0..<6, using: &random)
                if now[id] != nil, Bool.random(using: &random) {
                    realm.delete(person(id, realm))
                    now[id] = nil
                } else {
                    realm.create(THPerson.self, value: ["id": id, "name": "v\(step)"], update: .modified)
                    now[id] = "v\(step)"
                }
            }
            versions.append(now)
            if let id = now.keys.min() {
                references.append((versions.count - 1, id, ThreadSafeReference(to: person(id, realm))))
            }
            guard !references.isEmpty, Bool.random(using: &random) else { continue }
            let (version, id, reference) = references.remove(at: Int.random(in: 0..<references.count, using: &random))
            let newest = versions.count - 1
            let hasRead = Bool.random(using: &random)
            // Keys are used again: a later object with the same primary key isn't the same object.
            let isSame = versions[version...newest].allSatisfy { $0[id] != nil }
            let expected = hasRead ? (isSame ? versions[newest][id] : nil) : versions[version][id]
            let found = try onAnotherThread {
                let realm = try Realm(configuration: configuration)
                if hasRead { _ = realm.objects(THPerson.self).count }
                return realm.resolve(reference)?.name
            }
            expectEqual(found, expected, "seed \(seed), step \(step)")
        }
    }
}
