import Foundation
import Testing

@testable import Freehold

// "Database Schema", "Object Model" and "Object Schema": which classes a realm has, and what is checked at open.

private enum CSharp {
    class ClassA: SeedObject {
        @Persisted(primaryKey: true) var Id: UUID
        @Persisted(indexed: true) var LastName: String?
    }

    class ClassB: SeedObject {
        @Persisted var x = 0
    }

    class NotChosen: SeedObject {
        @Persisted var x = 0
    }
}

private enum Versions {
    enum First {
        class Dog: SeedObject {
            @Persisted var name = ""
            @Persisted var age: Int?
        }
        class Cat: SeedObject {
            @Persisted var name = ""
        }
    }

    enum Second {
        class Dog: SeedObject {
            @Persisted var name = ""
            @Persisted var age = ""
        }
    }
}

private enum Names {
    class A23456789_123456789_123456789_123456789_123456789_1234567: SeedObject {
        @Persisted var x = 0
    }
    class A23456789_123456789_123456789_123456789_123456789_12345678: SeedObject {
        @Persisted var x = 0
    }
    // 29 characters, 58 bytes.
    class Äääääääääääääääääääääääääääää: SeedObject {
        @Persisted var x = 0
    }
    class LongestProperty: SeedObject {
        @Persisted var a23456789_123456789_123456789_123456789_123456789_123456789_123 = 0
    }
    class TooLongProperty: SeedObject {
        @Persisted var a23456789_123456789_123456789_123456789_123456789_123456789_1234 = 0
    }
    // 32 characters, 64 bytes.
    class TooManyBytes: SeedObject {
        @Persisted var ääääääääääääääääääääääääääääääää = 0
    }
}

@Suite("Seeds 003: schemas")
struct SeedSchemaTests {
    @Test
    func `A realm has the classes it is given, and no other`() throws {
        let realm = try seedRealm(CSharp.ClassA.self, CSharp.ClassB.self)
        expectEqual(Set(realm.schema.objectSchema.map(\.className)), ["ClassA", "ClassB"])
        expect(realm.schema["NotChosen"] == nil)
        let a = try require(realm.schema["ClassA"])
        expect(a.primaryKeyProperty?.name == "Id" && a["LastName"]?.isIndexed == true)
        expect(a["LastName"]?.isOptional == true && a["Id"]?.type == .UUID && a["LastName"]?.type == .string)
    }

    @Test
    func `An object of a class outside the schema can't be added`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try seedRealm(CSharp.ClassA.self)
            try realm.write { realm.add(CSharp.NotChosen()) }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("NotChosen"), "\(message)")
    }

    @Test
    func `A file with data is opened only by classes that fit it, and keeps what it has`() throws {
        let file = SeedFile(Versions.First.Dog.self, Versions.First.Cat.self)
        try file.open { realm in
            try realm.write {
                realm.create(Versions.First.Dog.self, value: ["name": "Rex", "age": 3] as [String: Any])
                realm.create(Versions.First.Cat.self, value: ["name": "Tom"])
            }
        }
        var changed = file.configuration
        changed.objectTypes = [Versions.Second.Dog.self]
        do {
            _ = try Realm(configuration: changed)
            Issue.record("opened")
        } catch let error as Realm.Error {
            expectEqual(error.code, .schemaMismatch)
            expect(error.message.contains("Dog") && error.message.contains("age"))
        }
        var fewer = file.configuration
        fewer.objectTypes = [Versions.First.Cat.self]
        try file.open(fewer) { realm in
            expect(realm.schema["Dog"] == nil && realm.objects(Versions.First.Cat.self).map(\.name) == ["Tom"])
        }
        try file.open { expectEqual($0.objects(Versions.First.Dog.self).map(\.age), [3]) }
    }

    @Test
    func `Every model of the program is found by itself; a class can leave itself out`() {
        let found = Discovery.modelClasses()
        expect(found.contains { $0 == CSharp.ClassA.self } && found.contains { $0 == RTDog.self })
        expect(RTDog.shouldIncludeInDefaultSchema() && !CSharp.ClassA.shouldIncludeInDefaultSchema())
    }

    @Test
    func `The schema is made by reflection: names, types and options of each property`() throws {
        let realm = try seedRealm(Versions.First.Dog.self)
        let schema = Versions.First.Dog().objectSchema
        expect(schema.className == "Dog" && schema.objectClass == Versions.First.Dog.self && !schema.isEmbedded)
        expectEqual(schema.properties.map(\.name), ["name", "age"])
        expectEqual(schema.properties.map(\.type), [.string, .int])
        expectEqual(schema.properties.map(\.isOptional), [false, true])
        expectEqual(realm.schema["Dog"], schema)
    }

    @Test
    func `Objects of one class share one schema`() throws {
        let realm = try seedRealm(Versions.First.Dog.self, Versions.First.Cat.self)
        try realm.write { realm.add([Versions.First.Dog(), Versions.First.Dog()]) }
        let dogs = realm.objects(Versions.First.Dog.self)
        expect(
            dogs[0].objectSchema == dogs[1].objectSchema && dogs[0].objectSchema == Versions.First.Dog().objectSchema
        )
        expect(dogs[0].objectSchema != Versions.First.Cat().objectSchema)
    }

    @Test
    func `A class name has at most 57 bytes of UTF-8`() throws {
        let longest = Names.A23456789_123456789_123456789_123456789_123456789_1234567.self
        expectEqual(longest.className().utf8.count, 57)
        let realm = try seedRealm(longest)
        try realm.write { realm.create(longest, value: [5]) }
        expectEqual(realm.objects(longest).map(\.x), [5])
        let longer = Names.A23456789_123456789_123456789_123456789_123456789_12345678.self
        expectEqual(longer.className().utf8.count, 58)
        expect(openingError(longer).contains("57 bytes"))
        expectEqual(Names.Äääääääääääääääääääääääääääää.className().utf8.count, 58)
        expect(openingError(Names.Äääääääääääääääääääääääääääää.self).contains("57 bytes"))
    }

    @Test
    func `A property name has at most 63 bytes of UTF-8`() throws {
        let realm = try seedRealm(Names.LongestProperty.self)
        let name = try require(realm.schema["LongestProperty"]?.properties[0].name)
        expectEqual(name.utf8.count, 63)
        try realm.write { realm.create(Names.LongestProperty.self, value: [name: 4]) }
        expectEqual(realm.objects(Names.LongestProperty.self)[0][name] as? Int, 4)
        expect(openingError(Names.TooLongProperty.self).contains("63 bytes"))
        expect(openingError(Names.TooManyBytes.self).contains("63 bytes"))
    }

    @Test
    func `Objects are validated when they are created and changed`() throws {
        let realm = try seedRealm(Versions.First.Dog.self)
        typealias Dog = Versions.First.Dog
        let created = thrownCode {
            try realm.write { _ = realm.create(Dog.self, value: ["age": "three"]) }
        }
        expect(created == .invalidValue && realm.isEmpty)
        try realm.write { realm.add(Dog()) }
        let changed = thrownCode { try realm.write { realm.objects(Dog.self)[0]["age"] = "three" } }
        expect(changed == .invalidValue && realm.objects(Dog.self)[0].age == nil)
        let emptied = thrownCode { try realm.write { realm.objects(Dog.self)[0]["name"] = NSNull() } }
        expectEqual(emptied, .missingValue)
    }
}
