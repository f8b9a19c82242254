import Foundation
import Testing

@testable import Freehold

// "Model Inheritance" and "Swift Structs".

private enum Zoo {
    class Animal: SeedObject {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var name = ""
        func greeting() -> String { "I am \(name)" }
    }

    class Dog: Animal {
        @Persisted(indexed: true) var breed: String?
        override func greeting() -> String { super.greeting() + ", woof" }
    }

    class Puppy: Dog {
        @Persisted var weeks = 0
        // Ignored on this level, as any property without @Persisted.
        var mood = "sleepy"
    }

    class Kennel: SeedObject {
        @Persisted var animals: List<Animal>
        @Persisted var guardian: Animal?
        @Persisted var puppies: List<Puppy>
    }

    static let types: [ObjectBase.Type] = [Animal.self, Dog.self, Puppy.self, Kennel.self]
}

@Suite("Seeds 000, 001, 003: model inheritance")
struct SeedInheritanceTests {
    private func zoo() throws -> Realm {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: "seed-\(UUID().uuidString)",
            objectTypes: Zoo.types
        )
        let realm = try Realm(configuration: configuration)
        try realm.write {
            realm.create(Zoo.Animal.self, value: ["id": 1, "name": "Ant"] as [String: Any])
            realm.create(Zoo.Dog.self, value: ["id": 1, "name": "Rex", "breed": "Boxer"] as [String: Any])
            realm.create(Zoo.Puppy.self, value: ["id": 1, "name": "Pip", "weeks": 3] as [String: Any])
        }
        return realm
    }

    @Test
    func `A subclass has its base's properties and behaviour, and is stored like any class`() throws {
        let file = SeedFile(Zoo.Animal.self, Zoo.Dog.self, Zoo.Puppy.self)
        try file.open { realm in
            let puppy = Zoo.Puppy()
            (puppy.id, puppy.name, puppy.breed, puppy.weeks, puppy.mood) = (7, "Pip", "Boxer", 3, "awake")
            try realm.write { realm.add(puppy) }
            expectEqual(realm.schema["Puppy"]?.properties.map(\.name), ["id", "name", "breed", "weeks"])
            expectEqual(realm.schema["Puppy"]?["breed"]?.isIndexed, true)
        }
        try file.open { realm in
            let puppy = try require(realm.object(ofType: Zoo.Puppy.self, forPrimaryKey: 7))
            expect(puppy.name == "Pip" && puppy.breed == "Boxer" && puppy.weeks == 3 && puppy.mood == "sleepy")
            expectEqual(puppy.greeting(), "I am Pip, woof")
            try realm.write { puppy.weeks += 1 }
            expectEqual(realm.objects(Zoo.Puppy.self).where { $0.breed == "Boxer" && $0.weeks == 4 }.count, 1)
            try realm.write { realm.delete(puppy) }
            expect(realm.isEmpty)
        }
    }

    @Test
    func `A query of a class finds no objects of its subclasses or base, and keys are each class's own`() throws {
        let realm = try zoo()
        expectEqual(realm.objects(Zoo.Animal.self).map(\.name), ["Ant"])
        expectEqual(realm.objects(Zoo.Dog.self).map(\.name), ["Rex"])
        expectEqual(realm.objects(Zoo.Puppy.self).map(\.name), ["Pip"])
        expect(realm.objects(Zoo.Animal.self).where { $0.name == "Rex" }.isEmpty)
        expectEqual(realm.object(ofType: Zoo.Animal.self, forPrimaryKey: 1)?.name, "Ant")
        expectEqual(realm.object(ofType: Zoo.Dog.self, forPrimaryKey: 1)?.name, "Rex")
        try realm.write { realm.delete(realm.objects(Zoo.Animal.self)) }
        expect(realm.objects(Zoo.Dog.self).count == 1 && realm.objects(Zoo.Puppy.self).count == 1)
    }

    @Test
    func `an object that is stored as one class isn't read as its subclass`() throws {
        let realm = try zoo()
        let (animal, dog) = (realm.objects(Zoo.Animal.self)[0], realm.objects(Zoo.Dog.self)[0])
        expect(type(of: animal) == Zoo.Animal.self && type(of: dog) == Zoo.Dog.self)
        expect(!((animal as Any) is Zoo.Dog) && !((dog as Any) is Zoo.Puppy))
        // The base class's view of the instance is Swift's; the row stays one of its own class.
        let upcast: Zoo.Animal = dog
        expect(upcast.name == "Rex" && upcast.objectSchema.className == "Dog" && upcast != animal)
    }

    @Test
    func `A copy under another class is a new object of that class`() throws {
        let realm = try zoo()
        let dog = realm.objects(Zoo.Dog.self)[0]
        try realm.write {
            let puppy = Zoo.Puppy(value: ["id": 2, "name": dog.name, "breed": dog.breed as Any] as [String: Any])
            realm.add(puppy)
        }
        expect(realm.objects(Zoo.Puppy.self).map(\.name) == ["Pip", "Rex"] && realm.objects(Zoo.Dog.self).count == 1)
    }

    @Test(arguments: [0, 1])
    func `A list or link of a base class refuses an object of a subclass`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let realm = try SeedInheritanceTests().zoo()
            let kennel = Zoo.Kennel()
            try realm.write {
                realm.add(kennel)
                if kind == 0 {
                    kennel.animals.append(realm.objects(Zoo.Dog.self)[0])
                } else {
                    kennel.guardian = realm.objects(Zoo.Dog.self)[0]
                }
            }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("Dog") && message.contains("Animal"), "\(message)")
    }

    @Test
    func `Containers hold the objects of their own class`() throws {
        let realm = try zoo()
        let kennel = Zoo.Kennel()
        kennel.animals.append(Zoo.Animal(value: ["id": 5, "name": "Bee"] as [String: Any]))
        try realm.write {
            realm.add(kennel)
            kennel.puppies.append(realm.objects(Zoo.Puppy.self)[0])
            kennel.guardian = realm.objects(Zoo.Animal.self)[0]
        }
        expect(kennel.animals.map(\.name) == ["Bee"] && kennel.puppies.map(\.weeks) == [3])
        expect(kennel.guardian?.name == "Ant" && realm.objects(Zoo.Animal.self).count == 2)
    }

    @Test
    func `A model object copied with init(value:) is detached: unmanaged, with the same values`() throws {
        let realm = try zoo()
        let kennel = Zoo.Kennel()
        try realm.write {
            realm.add(kennel)
            kennel.puppies.append(realm.objects(Zoo.Puppy.self)[0])
        }
        let dog = realm.objects(Zoo.Dog.self)[0]
        let standalone = Zoo.Dog(value: dog)
        expect(standalone.realm == nil && standalone != dog)
        expect(standalone.id == 1 && standalone.name == "Rex" && standalone.breed == "Boxer")
        standalone.name = "changed outside of a write"
        expectEqual(dog.name, "Rex")
        try realm.write { dog.breed = nil }
        expectEqual(standalone.breed, "Boxer")
        try realm.write { realm.delete(dog) }
        expect(standalone.name == "changed outside of a write" && !standalone.isInvalidated)
    }
}
