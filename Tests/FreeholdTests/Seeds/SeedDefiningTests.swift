import Foundation
import Testing

@testable import Freehold

// "Define a Realm Object" of the big document: each tab's models.

private enum CPlusPlus {
    class Dog: SeedObject {
        @Persisted var name = ""
        @Persisted var age: Int64 = 0
    }

    class Person: SeedObject {
        @Persisted(primaryKey: true) var _id: Int64 = 0
        @Persisted var name = ""
        @Persisted var age: Int64 = 0
        // A pointer to another class is a relationship.
        @Persisted var dog: Dog?
    }
}

private enum CSharp {
    class Dog: SeedObject {
        @Persisted(primaryKey: true) var Id: ObjectId
        @Persisted var Name = ""
        @Persisted var Age: Int32 = 0
        @Persisted var Breed: String?
        @Persisted var Owners: List<Person>
        override class func propertiesMapping() -> [String: String] { ["Id": "_id"] }
    }

    class Person: SeedObject {
        @Persisted(primaryKey: true) var Id: ObjectId
        @Persisted var Name = ""
        override class func propertiesMapping() -> [String: String] { ["Id": "_id"] }
    }
}

private enum Dart {
    class Car: SeedObject {
        @Persisted(primaryKey: true) var id: ObjectId
        @Persisted var make = ""
        @Persisted var model: String?
        @Persisted var miles: Int?

        convenience init(_ id: ObjectId, _ make: String, model: String? = nil, miles: Int? = nil) {
            self.init()
            self.id = id
            self.make = make
            self.model = model
            self.miles = miles
        }
    }
}

private enum JavaExtending {
    /// Java's fields are private, nullable where they are objects, and reached through accessors.
    class Frog: SeedObject {
        @Persisted private var name: String?
        @Persisted private var age: Int32
        @Persisted private var species: String?
        @Persisted private var owner: String?

        convenience init(_ name: String, _ age: Int32, _ species: String, _ owner: String) {
            self.init()
            self.name = name
            self.age = age
            self.species = species
            self.owner = owner
        }

        func getName() -> String? { name }
        func setName(_ name: String?) { self.name = name }
        func getAge() -> Int32 { age }
        func setAge(_ age: Int32) { self.age = age }
        func getSpecies() -> String? { species }
        func setSpecies(_ species: String?) { self.species = species }
        func getOwner() -> String? { owner }
        func setOwner(_ owner: String?) { self.owner = owner }
    }
}

private enum JavaScript {
    class Book: SeedObject {
        @Persisted(indexed: true) var name = ""
        @Persisted var price: Int?
    }
}

private enum Kotlin {
    class Frog: SeedObject {
        @Persisted(primaryKey: true) var _id = ObjectId.generate()
        @Persisted var name = ""
        @Persisted var age = 0
        @Persisted var species: String?
        @Persisted var owner: String?
    }

    /// The constructor with values, next to the empty one that a database needs.
    class Person: SeedObject {
        @Persisted var name: String
        @Persisted var age: Int

        init(name: String, age: Int) {
            super.init()
            self.name = name
            self.age = age
        }

        required override init() { super.init() }
    }
}

private enum KotlinForJava {
    /// Extends the base class, with a default for each of the constructor's parameters.
    class Frog: SeedObject {
        @Persisted var name: String?
        @Persisted var age = 0
        @Persisted var species: String?
        @Persisted var owner: String?

        convenience init(name: String? = nil, age: Int = 0, species: String? = nil, owner: String?) {
            self.init()
            self.name = name
            self.age = age
            self.species = species
            self.owner = owner
        }
    }
}

private enum ObjectiveC {
    class Dog: SeedObject {
        @Persisted var _id: ObjectId
        @Persisted var name: String
        @Persisted var breed: String?
        @Persisted var dateOfBirth: Date
        override class func primaryKey() -> String? { "_id" }
    }
}

private enum SwiftTab {
    class Dog: SeedObject {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name = ""
        @Persisted var breed: String?
        @Persisted var dateOfBirth = Date()
    }
}

@Suite("Seeds 003: defining models")
struct SeedDefiningTests {
    @Test
    func `C++: Dog and Person with a pointer to it`() throws {
        let file = SeedFile(CPlusPlus.Dog.self, CPlusPlus.Person.self)
        try file.open { realm in
            let person = CPlusPlus.Person()
            (person._id, person.name, person.age) = (1, "Caleb", 40)
            person.dog = CPlusPlus.Dog(value: ["name": "Rex", "age": 3] as [String: Any])
            try realm.write { realm.add(person) }
        }
        try file.open { realm in
            let person = try require(realm.object(ofType: CPlusPlus.Person.self, forPrimaryKey: 1))
            expect(person.name == "Caleb" && person.age == 40 && person.dog?.name == "Rex" && person.dog?.age == 3)
            try realm.write {
                person.dog?.age += 1
                person.name = "Cal"
            }
        }
        try file.open { realm in
            let person = realm.objects(CPlusPlus.Person.self)[0]
            expect(person.dog?.age == 4 && person.name == "Cal")
            expectEqual(realm.objects(CPlusPlus.Person.self).where { $0.dog.age > 3 }.count, 1)
            try realm.write { realm.delete(person.dog!) }
            expect(person.dog == nil)
            try realm.write { realm.delete(person) }
        }
        try file.open { expect($0.isEmpty) }
    }

    @Test
    func `C#: Dog with owners, Person, identifiers stored as _id`() throws {
        let file = SeedFile(CSharp.Dog.self, CSharp.Person.self)
        let id = ObjectId.generate()
        try file.open { realm in
            try realm.write {
                let dog = CSharp.Dog()
                let caleb = CSharp.Person(value: ["Name": "Caleb"])
                (dog.Id, dog.Name) = (id, "Rex")
                dog.Owners.append(caleb)
                realm.add(dog)
            }
            expectEqual(realm.schema["Dog"]?["Id"]?.columnName, "_id")
            expectEqual(realm.schema["Dog"]?.primaryKeyProperty?.name, "Id")
        }
        try file.open { realm in
            let dog = try require(realm.object(ofType: CSharp.Dog.self, forPrimaryKey: id))
            expect(dog.Name == "Rex" && dog.Breed == nil && dog.Age == 0 && dog.Owners.map(\.Name) == ["Caleb"])
            try realm.write {
                dog.Age = 7
                dog.Breed = "Spaniel"
                dog.Owners.append(CSharp.Person(value: ["Name": "Ann"]))
                dog.Owners.remove(at: 0)
            }
            expectEqual(realm.objects(CSharp.Person.self).count, 2)
        }
        try file.open { realm in
            let dog = realm.objects(CSharp.Dog.self)[0]
            expect(dog.Age == 7 && dog.Breed == "Spaniel" && dog.Owners.map(\.Name) == ["Ann"])
            try realm.write { realm.deleteAll() }
        }
        try file.open { expect($0.isEmpty) }
    }

    @Test
    func `Dart: Car made by its initialiser`() throws {
        let file = SeedFile(Dart.Car.self)
        let id = ObjectId.generate()
        try file.open { realm in
            let hondaCivic = Dart.Car(id, "Honda", model: "Civic", miles: 99)
            try realm.write { realm.add([hondaCivic, Dart.Car(.generate(), "Ford")]) }
        }
        try file.open { realm in
            let car = try require(realm.object(ofType: Dart.Car.self, forPrimaryKey: id))
            expect(car.make == "Honda" && car.model == "Civic" && car.miles == 99)
            let ford = realm.objects(Dart.Car.self).where { $0.model == nil && $0.miles == nil }
            expectEqual(ford.map(\.make), ["Ford"])
            try realm.write {
                car.miles = nil
                realm.delete(ford)
            }
            expect(realm.objects(Dart.Car.self).count == 1 && car.miles == nil)
        }
    }

    @Test
    func `Java: Frog with private fields and accessors`() throws {
        typealias Frog = JavaExtending.Frog
        let file = SeedFile(Frog.self)
        try file.open { realm in
            try realm.write { realm.add(Frog("Kermit", 2, "bullfrog", "Jim")) }
            expectEqual(realm.schema["Frog"]?.properties.map(\.name), ["name", "age", "species", "owner"])
        }
        try file.open { realm in
            let frog = realm.objects(Frog.self)[0]
            expect(frog.getName() == "Kermit" && frog.getAge() == 2)
            expect(frog.getSpecies() == "bullfrog" && frog.getOwner() == "Jim")
            try realm.write {
                frog.setName("Kermit the Frog")
                frog.setAge(3)
                frog.setSpecies("tree frog")
                frog.setOwner(nil)
            }
        }
        try file.open { realm in
            let frog = realm.objects(Frog.self)[0]
            expect(frog.getName() == "Kermit the Frog" && frog.getAge() == 3)
            expect(frog.getSpecies() == "tree frog" && frog.getOwner() == nil)
            try realm.write { realm.delete(frog) }
            expect(frog.isInvalidated)
        }
    }

    @Test
    func `JavaScript and TypeScript: Book, made from a literal`() throws {
        typealias Book = JavaScript.Book
        let file = SeedFile(Book.self)
        try file.open { realm in
            try realm.write {
                realm.create(Book.self, value: ["name": "Ulysses", "price": 12] as [String: Any])
                realm.create(Book.self, value: ["name": "Emma"])
            }
        }
        try file.open { realm in
            expectEqual(realm.schema["Book"]?["name"]?.isIndexed, true)
            let emma = realm.objects(Book.self).where { $0.name == "Emma" }[0]
            expect(emma.price == nil)
            expectEqual(realm.objects(Book.self).where { $0.price == 12 }.map(\.name), ["Ulysses"])
            try realm.write {
                emma.price = 5
                realm.delete(realm.objects(Book.self).where { $0.name == "Ulysses" })
            }
        }
        try file.open { expectEqual($0.objects(Book.self).map(\.price), [5]) }
    }

    @Test
    func `Kotlin: Frog, and Person with a constructor of its own`() throws {
        let file = SeedFile(Kotlin.Frog.self, Kotlin.Person.self)
        let id = try file.open { realm in
            let frog = Kotlin.Frog()
            frog.name = "Kermit"
            try realm.write {
                realm.add(frog)
                realm.add(Kotlin.Person(name: "Jim", age: 30))
            }
            return frog._id
        }
        try file.open { realm in
            let frog = try require(realm.object(ofType: Kotlin.Frog.self, forPrimaryKey: id))
            expect(frog.name == "Kermit" && frog.age == 0 && frog.species == nil && frog.owner == nil)
            let jim = realm.objects(Kotlin.Person.self)[0]
            expect(jim.name == "Jim" && jim.age == 30)
            try realm.write {
                frog.age = 9
                jim.name = "James"
            }
        }
        try file.open { realm in
            expectEqual(realm.objects(Kotlin.Frog.self)[0].age, 9)
            expectEqual(realm.objects(Kotlin.Person.self)[0].name, "James")
            try realm.write { realm.deleteAll() }
        }
    }

    @Test
    func `Kotlin for Java: Frog whose constructor's parameters have defaults`() throws {
        typealias Frog = KotlinForJava.Frog
        let file = SeedFile(Frog.self)
        try file.open { realm in
            try realm.write { realm.add([Frog(name: "Kermit", age: 2, species: "bullfrog", owner: "Jim"), Frog()]) }
        }
        try file.open { realm in
            let frogs = realm.objects(Frog.self)
            expect(frogs.map(\.name) == ["Kermit", nil] && frogs.map(\.age) == [2, 0])
            try realm.write { frogs[1].owner = "Jane" }
            expectEqual(frogs.map(\.owner), ["Jim", "Jane"])
            try realm.write { realm.delete(frogs[0]) }
            expectEqual(frogs.count, 1)
        }
    }

    @Test
    func `Objective-C: Dog with the primary key and the required properties named by overrides`() throws {
        typealias Dog = ObjectiveC.Dog
        let file = SeedFile(Dog.self)
        let birth = Date(timeIntervalSince1970: 1_400_000_000.5)
        let id = try file.open { realm in
            let dog = Dog()
            (dog.name, dog.dateOfBirth) = ("Rex", birth)
            try realm.write { realm.add(dog) }
            let schema = try require(realm.schema["Dog"])
            expectEqual(schema.primaryKeyProperty?.name, "_id")
            expectEqual(schema.properties.filter { !$0.isOptional }.map(\.name), ["_id", "name", "dateOfBirth"])
            return dog._id
        }
        try file.open { realm in
            let dog = try require(realm.object(ofType: Dog.self, forPrimaryKey: id))
            expect(dog.name == "Rex" && dog.breed == nil && dog.dateOfBirth == birth)
            for name in ["_id", "name", "dateOfBirth"] {
                expectEqual(
                    thrownCode {
                        _ = try realm.write { realm.create(Dog.self, value: [name: NSNull()]) }
                    },
                    .missingValue
                )
            }
            try realm.write { dog.breed = "Spaniel" }
        }
        try file.open { expectEqual($0.objects(Dog.self)[0].breed, "Spaniel") }
    }

    @Test
    func `Swift: Dog`() throws {
        typealias Dog = SwiftTab.Dog
        let file = SeedFile(Dog.self)
        let before = Date()
        let id = try file.open { realm in
            let dog = Dog(value: ["name": "Rex", "breed": "Spaniel"])
            try realm.write { realm.add(dog) }
            return dog._id
        }
        try file.open { realm in
            let dog = try require(realm.object(ofType: Dog.self, forPrimaryKey: id))
            expect(dog.name == "Rex" && dog.breed == "Spaniel")
            expect(dog.dateOfBirth >= before.addingTimeInterval(-1e-6) && dog.dateOfBirth <= Date())
            try realm.write {
                dog.breed = nil
                dog.name = "Max"
            }
        }
        try file.open { realm in
            let dog = realm.objects(Dog.self)[0]
            expect(dog.breed == nil && dog.name == "Max" && dog._id == id)
            try realm.write { realm.delete(dog) }
            expect(realm.object(ofType: Dog.self, forPrimaryKey: id) == nil)
        }
    }

    @Test
    func `Objects made by an initialiser are unmanaged until they are added`() throws {
        let realm = try seedRealm(Dart.Car.self)
        let car = Dart.Car(.generate(), "Honda")
        expect(car.realm == nil && !car.isInvalidated)
        car.make = "Ford"
        expect(realm.isEmpty)
        try realm.write { realm.add(car) }
        expect(car.realm == realm && car.make == "Ford" && !car.isInvalidated)
    }

    @Test
    func `An object holds no data: two accessors of one row see each other's writes`() throws {
        let realm = try seedRealm(KotlinForJava.Frog.self)
        let frog = KotlinForJava.Frog(name: "Kermit", owner: nil)
        try realm.write { realm.add(frog) }
        let again = realm.objects(KotlinForJava.Frog.self)[0]
        expect(again !== frog && again == frog)
        try realm.write { again.age = 5 }
        expectEqual(frog.age, 5)
    }

    @Test
    func `The hash of a live object stays the same while it changes`() throws {
        let realm = try seedRealm(KotlinForJava.Frog.self, SwiftTab.Dog.self)
        let (frog, dog) = (KotlinForJava.Frog(), SwiftTab.Dog())
        try realm.write { realm.add([frog, dog] as [Object]) }
        let set: Set<Object> = [frog, dog]
        try realm.write {
            frog.name = "changed"
            dog.name = "changed"
        }
        expect(set.contains(frog) && set.contains(dog))
        expect(
            set.contains(realm.objects(KotlinForJava.Frog.self)[0]) && set.contains(realm.objects(SwiftTab.Dog.self)[0])
        )
    }

    @Test
    func `Creating an object in the realm is for write transactions only`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try seedRealm(JavaScript.Book.self).create(JavaScript.Book.self, value: ["name": "Emma"])
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("outside a write transaction"))
    }
}
