import Foundation
import Freehold
import Testing

@Suite("Threading: references across threads")
struct ThreadSafeReferenceTests {
    @Test
    func `objects and collections are resolved in another thread's realm`() throws {
        let configuration = threadingConfiguration()
        let realm = try threadingRealm(configuration)
        let person = realm.object(ofType: THPerson.self, forPrimaryKey: 5)!
        let references = (
            ThreadSafeReference(to: person), ThreadSafeReference(to: person.friends),
            ThreadSafeReference(to: person.scores), ThreadSafeReference(to: person.tags),
            ThreadSafeReference(to: realm.objects(THPerson.self).where { $0.best == person }),
            ThreadSafeReference(to: person.admirers)
        )
        let text = try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            let person = realm.resolve(references.0)!
            try realm.write { person.name = "there" }
            return
                "\(person.name) \(Array(realm.resolve(references.1)!.map(\.id))) \(realm.resolve(references.2)!.keys) \(Array(realm.resolve(references.3)!)) \(Array(realm.resolve(references.4)!.map(\.id))) \(Array(realm.resolve(references.5)!.map(\.id)))"
        }
        expectEqual(text, "there [3, 4] [\"a\"] [\"t2\"] [6] [6, 7]")
        expect(references.0.isInvalidated)
        expectEqual(person.name, "P5")
        realm.refresh()
        expectEqual(person.name, "there")
    }

    @Test
    func `an object that was deleted in the meantime resolves to nil, and an older realm advances`() throws {
        let configuration = threadingConfiguration()
        let realm = try threadingRealm(configuration)
        let reference = try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { _ = realm.create(THPerson.self, value: ["id": 77, "name": "new"]) }
            return ThreadSafeReference(to: realm.object(ofType: THPerson.self, forPrimaryKey: 77)!)
        }
        expectEqual(realm.resolve(reference)?.name, "new")
        let gone = ThreadSafeReference(to: realm.object(ofType: THPerson.self, forPrimaryKey: 3)!)
        try realm.write { realm.delete(realm.object(ofType: THPerson.self, forPrimaryKey: 3)!) }
        expect(realm.resolve(gone) == nil)
    }

    @Test
    func `a ThreadSafe variable is the live object of each thread`() throws {
        let configuration = threadingConfiguration()
        let realm = try threadingRealm(configuration)
        let person = ThreadSafe(wrappedValue: realm.object(ofType: THPerson.self, forPrimaryKey: 5))
        let name = try onAnotherThread {
            let here = person.wrappedValue!
            try here.realm!.write { here.name = "changed" }
            return person.wrappedValue?.name
        }
        expectEqual(name, "changed")
        expectEqual(person.wrappedValue?.name, "changed")
        try realm.write { realm.delete(realm.object(ofType: THPerson.self, forPrimaryKey: 5)!) }
        expect(person.wrappedValue == nil)
        person.wrappedValue = nil
        expect(person.wrappedValue == nil)
    }

    @Test
    func `misuse of references traps`() async {
        await #expect(processExitsWith: .failure) { _ = ThreadSafeReference(to: THPerson()) }
        await #expect(processExitsWith: .failure) {
            let realm = try threadingRealm(threadingConfiguration())
            let reference = ThreadSafeReference(to: realm.objects(THPerson.self).first!)
            _ = realm.resolve(reference)
            _ = realm.resolve(reference)
        }
        await #expect(processExitsWith: .failure) { _ = ThreadSafe(wrappedValue: THPerson()) }
        await #expect(processExitsWith: .failure) {
            let realm = try threadingRealm(threadingConfiguration())
            let person = realm.objects(THPerson.self).first!
            try realm.write { realm.delete(person) }
            _ = ThreadSafeReference(to: person)
        }
    }
}
