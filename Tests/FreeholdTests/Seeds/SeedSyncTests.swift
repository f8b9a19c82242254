import Foundation
import Testing

@testable import Freehold

// The document on models for device sync: each step of its example. What a server has of them is later work.

private func named(_ name: String) -> [String: Any] { ["_id": ObjectId.generate(), "name": name] }

private enum Plain {
    class Dog: SeedObject {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        @Persisted var age = 0
    }
    class Person: SeedObject {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
    }
}

private enum ToOne {
    class Dog: SeedObject {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        @Persisted var age = 0
    }
    class Person: SeedObject {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        // To-one relationship
        @Persisted var dog: Dog?
    }
}

private enum ToMany {
    class Dog: SeedObject {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        @Persisted var age = 0
    }
    class Person: SeedObject {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        // To-many relationship - a person can have many dogs
        @Persisted var dogs: List<Dog>
    }
}

private enum Inverse {
    class Dog: SeedObject {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        @Persisted var age = 0
        // The backlink to the `Person` with this `Dog`.
        @Persisted(originProperty: "dogs") var person: LinkingObjects<Person>
    }
    class Person: SeedObject {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        // To-many relationship - a person can have many dogs
        @Persisted var dogs: List<Dog>
    }
}

@Suite("Seeds 004: models for device sync")
struct SeedSyncTests {
    @Test
    func `Dog and Person, each a table of its own`() throws {
        let file = SeedFile(Plain.Dog.self, Plain.Person.self)
        let (dogID, personID) = try file.open { realm in
            let (dog, person) = (Plain.Dog(), Plain.Person())
            // `ObjectId()` is twelve zeros, as RealmSwift has it; without a default a new one is made.
            expect(dog._id == Plain.Dog()._id && dog._id.stringValue == String(repeating: "0", count: 24))
            (dog._id, person._id) = (.generate(), .generate())
            (dog.name, dog.age, person.name) = ("Rex", 3, "Ann")
            try realm.write { realm.add([dog, person] as [Object]) }
            return (dog._id, person._id)
        }
        try file.open { realm in
            let dog = try require(realm.object(ofType: Plain.Dog.self, forPrimaryKey: dogID))
            expect(dog.name == "Rex" && dog.age == 3)
            expectEqual(realm.object(ofType: Plain.Person.self, forPrimaryKey: personID)?.name, "Ann")
            expect(realm.object(ofType: Plain.Person.self, forPrimaryKey: dogID) == nil)
            try realm.write { realm.delete(dog) }
            expectEqual(realm.objects(Plain.Person.self).count, 1)
        }
    }

    @Test
    func `A person's one dog: optional, one way`() throws {
        typealias Person = ToOne.Person
        let file = SeedFile(ToOne.Dog.self, Person.self)
        try file.open { realm in
            let (ann, bob) = (Person(value: named("Ann")), Person(value: named("Bob")))
            ann.dog = ToOne.Dog(value: named("Rex"))
            bob.dog = ann.dog
            try realm.write { realm.add([ann, bob, Person(value: named("Cid"))]) }
            expectEqual(realm.objects(ToOne.Dog.self).count, 1)
            let property = try require(realm.schema["Person"]?["dog"])
            expect(property.isOptional && property.type == .object && property.objectClassName == "Dog")
            expectEqual(realm.schema["Dog"]?.properties.map(\.name), ["_id", "name", "age"])
        }
        try file.open { realm in
            let people = realm.objects(Person.self)
            expect(people.map(\.dog?.name) == ["Rex", "Rex", nil] && people[0].dog == people[1].dog)
            expectEqual(people.where { $0.dog == nil }.map(\.name), ["Cid"])
            expectEqual(people.where { $0.dog.name == "Rex" }.count, 2)
            try realm.write { people[1].dog = nil }
            expect(people.map(\.dog?.name) == ["Rex", nil, nil] && realm.objects(ToOne.Dog.self).count == 1)
            try realm.write { realm.delete(people[0]) }
            // A dog lives on without its person.
            expectEqual(realm.objects(ToOne.Dog.self).count, 1)
        }
    }

    @Test
    func `A person's many dogs: an empty list at first, to which dogs are appended`() throws {
        typealias Person = ToMany.Person
        let file = SeedFile(ToMany.Dog.self, Person.self)
        try file.open { realm in
            let person = Person(value: named("Ann"))
            try realm.write { realm.add(person) }
            expect(person.dogs.isEmpty)
            try realm.write { for name in ["Rex", "Max"] { person.dogs.append(ToMany.Dog(value: named(name))) } }
            expectEqual(realm.objects(ToMany.Dog.self).count, 2)
        }
        try file.open { realm in
            let person = realm.objects(Person.self)[0]
            expectEqual(person.dogs.map(\.name), ["Rex", "Max"])
            try realm.write {
                person.dogs.append(person.dogs[0])
                person.dogs.move(from: 1, to: 0)
            }
            expectEqual(person.dogs.map(\.name), ["Max", "Rex", "Rex"])
            try realm.write { realm.delete(person.dogs[1]) }
            expectEqual(person.dogs.map(\.name), ["Max"])
            try realm.write { realm.delete(person) }
            expectEqual(realm.objects(ToMany.Dog.self).map(\.name), ["Max"])
        }
    }

    @Test
    func `A dog's person follows from the lists, and isn't stored`() throws {
        typealias Person = Inverse.Person
        let file = SeedFile(Inverse.Dog.self, Person.self)
        try file.open { realm in
            let (ann, dog) = (Person(value: named("Ann")), Inverse.Dog(value: named("Rex")))
            ann.dogs.append(dog)
            expect(dog.person.isEmpty)
            try realm.write { realm.add([ann, Person(value: named("Bob"))]) }
            expectEqual(dog.person.map(\.name), ["Ann"])
            expectEqual(realm.core.view.schema.table(named: "Dog")?.columns.map(\.name), ["_id", "name", "age"])
        }
        try file.open { realm in
            let (dog, bob) = (realm.objects(Inverse.Dog.self)[0], realm.objects(Person.self)[1])
            try realm.write {
                bob.dogs.append(dog)
                expectEqual(Set(dog.person.map(\.name)), ["Ann", "Bob"])
                realm.delete(realm.objects(Person.self)[0])
                expectEqual(dog.person.map(\.name), ["Bob"])
            }
            expectEqual(realm.objects(Inverse.Dog.self).where { $0.person.name == "Bob" }.count, 1)
        }
        try file.open { realm in
            let dog = realm.objects(Inverse.Dog.self)[0]
            realm.beginWrite()
            realm.objects(Person.self)[0].dogs.removeAll()
            expect(dog.person.isEmpty)
            realm.cancelWrite()
            expectEqual(dog.person.map(\.name), ["Bob"])
        }
    }
}
