import Foundation
import Testing

@testable import Freehold

// "Define a Realm Object Schema": the models it speaks of, and what it says of relationships.

private enum Model {
    class Person: SeedObject {
        @Persisted(primaryKey: true) var id = 0
        @Persisted(indexed: true) var name = ""
        @Persisted var nickname: String?
        // One companion dog at most.
        @Persisted var companion: Dog?
        // Any number of companion dogs.
        @Persisted var dogs: List<Dog>
        var mood = "fine"
        var greeting: String { "Hello, \(nickname ?? name)" }

        convenience init(_ id: Int, _ name: String) {
            self.init()
            (self.id, self.name) = (id, name)
        }
    }

    class Dog: SeedObject {
        @Persisted var name = ""
        @Persisted(originProperty: "companion") var owners: LinkingObjects<Person>
        @Persisted(originProperty: "dogs") var packs: LinkingObjects<Person>

        convenience init(_ name: String) {
            self.init()
            self.name = name
        }
    }
}

private enum Wrong {
    class Dog: SeedObject {
        @Persisted var name = ""
    }
    class RequiredLink: SeedObject {
        @Persisted var dog: Dog
    }
    class NoOrigin: SeedObject {
        @Persisted var name = ""
        @Persisted var people: LinkingObjects<Lister>
    }
    class Lister: SeedObject {
        @Persisted var list: List<NoOrigin>
    }
    class OriginOfNothing: SeedObject {
        @Persisted var name = ""
        @Persisted(originProperty: "elsewhere") var people: LinkingObjects<Dog>
    }
}

@Suite("Seeds 002: object schema")
struct SeedObjectSchemaTests {
    private typealias Person = Model.Person
    private typealias Dog = Model.Dog

    @Test
    func `A type with every kind of declaration is stored, read, updated and deleted`() throws {
        let file = SeedFile(Person.self, Dog.self)
        try file.open { realm in
            let person = Person(1, "Ann")
            person.companion = Dog("Rex")
            person.dogs.append(objectsIn: [Dog("Max"), person.companion!])
            person.mood = "great"
            try realm.write { realm.add(person) }
            let schema = try require(realm.schema["Person"])
            expectEqual(schema.properties.map(\.name), ["id", "name", "nickname", "companion", "dogs"])
            expect(schema["nickname"]?.isOptional == true && schema["name"]?.isOptional == false)
            expect(schema["companion"]?.isOptional == true && schema["dogs"]?.isArray == true)
        }
        try file.open { realm in
            let person = try require(realm.object(ofType: Person.self, forPrimaryKey: 1))
            expect(person.companion?.name == "Rex" && person.dogs.map(\.name) == ["Max", "Rex"])
            expect(person.mood == "fine" && person.greeting == "Hello, Ann")
            try realm.write {
                person.nickname = "Annie"
                person.companion = nil
                person.dogs.removeLast()
            }
            expect(person.greeting == "Hello, Annie" && realm.objects(Dog.self).count == 2)
        }
        try file.open { realm in
            let person = realm.objects(Person.self)[0]
            expect(person.companion == nil && person.dogs.map(\.name) == ["Max"])
            try realm.write { realm.delete(person) }
            // Deleting a person keeps the dogs.
            expectEqual(realm.objects(Dog.self).count, 2)
        }
    }

    @Test
    func `A to-one relationship must be optional: opening says so`() {
        let message = openingError(Wrong.RequiredLink.self, Wrong.Dog.self)
        expect(message.contains("RequiredLink.dog must be optional") && message.contains("var dog: Dog?"))
    }

    @Test
    func `an inverse relationship names an existing link`() {
        expect(openingError(Wrong.NoOrigin.self, Wrong.Lister.self).contains("originProperty"))
        expect(openingError(Wrong.OriginOfNothing.self, Wrong.Dog.self).contains("\"elsewhere\""))
    }

    @Test
    func `To-one: several may share a target, an object may link to itself's kind, deletion leaves null`() throws {
        let realm = try seedRealm(Person.self, Dog.self)
        let (ann, bob, rex) = (Person(1, "Ann"), Person(2, "Bob"), Dog("Rex"))
        try realm.write {
            realm.add([ann, bob])
            ann.companion = rex
            bob.companion = rex
        }
        expect(rex.realm == realm && realm.objects(Dog.self).count == 1)
        expectEqual(Set(rex.owners.map(\.name)), ["Ann", "Bob"])
        try realm.write { bob.companion = Dog("Max") }
        expect(rex.owners.map(\.name) == ["Ann"] && realm.objects(Dog.self).count == 2)
        try realm.write { realm.delete(rex) }
        expect(ann.companion == nil && bob.companion?.name == "Max")
    }

    @Test
    func `To-many: none, one or many; order and repetition kept; deletion takes an element out`() throws {
        let realm = try seedRealm(Person.self, Dog.self)
        let person = Person(1, "Ann")
        try realm.write { realm.add(person) }
        expect(person.dogs.isEmpty)
        let dogs = (0..<5).map { Dog("d\($0)") }
        try realm.write {
            person.dogs.append(objectsIn: dogs)
            person.dogs.insert(dogs[4], at: 0)
            person.dogs.swapAt(1, 2)
        }
        expectEqual(person.dogs.map(\.name), ["d4", "d1", "d0", "d2", "d3", "d4"])
        expectEqual(dogs[4].packs.count, 2)
        try realm.write { realm.delete(dogs[4]) }
        expectEqual(person.dogs.map(\.name), ["d1", "d0", "d2", "d3"])
        expectEqual(person.dogs.where { $0.name.in(["d1", "d3"]) }.count, 2)
    }

    @Test
    func `An inverse follows every change of its links, and a cancelled write`() throws {
        let realm = try seedRealm(Person.self, Dog.self)
        let (ann, bob, rex) = (Person(1, "Ann"), Person(2, "Bob"), Dog("Rex"))
        expect(rex.owners.isEmpty && rex.packs.isEmpty)
        try realm.write {
            realm.add([ann, bob])
            ann.dogs.append(rex)
            expectEqual(rex.packs.map(\.name), ["Ann"])
            bob.dogs.append(rex)
            ann.dogs.remove(at: 0)
            expectEqual(rex.packs.map(\.name), ["Bob"])
        }
        realm.beginWrite()
        bob.dogs.removeAll()
        bob.companion = rex
        expect(rex.packs.isEmpty && rex.owners.map(\.name) == ["Bob"])
        realm.cancelWrite()
        expect(rex.packs.map(\.name) == ["Bob"] && rex.owners.isEmpty)
        try realm.write { realm.delete(bob) }
        expect(rex.packs.isEmpty && !rex.isInvalidated)
    }

    @Test
    func `An inverse relationship can't be set by hand`() throws {
        let realm = try seedRealm(Person.self, Dog.self)
        let (ann, rex) = (Person(1, "Ann"), Dog("Rex"))
        try realm.write { realm.add([ann, rex] as [Object]) }
        expectEqual(thrownCode { try realm.write { rex["owners"] = [ann] } }, .invalidValue)
        expectEqual(thrownCode { try realm.write { rex.setValue([ann], forKey: "packs") } }, .invalidValue)
        expect(rex.owners.isEmpty && rex.packs.isEmpty)
        // `create` with values for all properties ignores the value for an inverse relationship.
        try realm.write { _ = realm.create(Dog.self, value: ["name": "Max", "owners": [ann]] as [String: Any]) }
        expect(ann.companion == nil && realm.objects(Dog.self)[1].owners.isEmpty)
    }

    @Test
    func `Assigning to an inverse relationship traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try seedRealm(Person.self, Dog.self)
            let (rex, max) = (Dog("Rex"), Dog("Max"))
            try realm.write {
                realm.add([rex, max])
                rex.owners = max.owners
            }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("can't be assigned: change Person.companion instead"), "\(message)")
    }
}
