import Foundation
import Testing

@testable import Freehold

// "Designate a Primary Key".

private enum CPlusPlus {
    class Dog: SeedObject {
        @Persisted var name = ""
    }
    class Person: SeedObject {
        @Persisted(primaryKey: true) var _id: Int64
        @Persisted var name = ""
        @Persisted var age: Int64
        @Persisted var dog: Dog?
    }
}

private enum CSharp {
    class Dog: SeedObject {
        @Persisted(primaryKey: true) var Name = ""
        @Persisted var Age: Int32
        @Persisted var Owner: Person?
    }
    class Person: SeedObject {
        @Persisted var Name = ""
    }
}

private enum Dart {
    class Vehicle: SeedObject {
        @Persisted(primaryKey: true) var id: ObjectId
        @Persisted var maybeDescription: String?
        @Persisted var milesTravelled = 0.0
        var notInRealmModel = ""
        @Persisted(indexed: true) var make = ""
        @Persisted var numberOfWheels = 0
        override class func propertiesMapping() -> [String: String] { ["numberOfWheels": "wheels"] }
    }
}

private enum Java {
    class Frog: SeedObject {
        @Persisted(primaryKey: true) var name: String?
        @Persisted var age: Int32
        @Persisted var species: String?
        @Persisted var owner: String?
    }
}

private enum JavaScript {
    class Car: SeedObject {
        @Persisted(primaryKey: true) var _id = ObjectId.generate()
        @Persisted var make = ""
        @Persisted var model = ""
        @Persisted var miles: Int?
    }
}

private enum ObjectiveC {
    class Project: SeedObject {
        @Persisted var id = 0
        @Persisted var name: String?
        override class func primaryKey() -> String? { "id" }
    }
}

private enum SwiftTab {
    class Project: SeedObject {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var name = ""
    }
}

private enum Wrong {
    class TwoKeys: SeedObject {
        @Persisted(primaryKey: true) var a = 0
        @Persisted(primaryKey: true) var b = ""
    }
    class TwoWays: SeedObject {
        @Persisted(primaryKey: true) var a = 0
        @Persisted var b = ""
        override class func primaryKey() -> String? { "b" }
    }
    class DateKey: SeedObject {
        @Persisted var code: Date
        override class func primaryKey() -> String? { "code" }
    }
    class BytesKey: SeedObject {
        @Persisted var code: Data
        override class func primaryKey() -> String? { "code" }
    }
    class DoubleKey: SeedObject {
        @Persisted var code: Double
        override class func primaryKey() -> String? { "code" }
    }
    class BoolKey: SeedObject {
        @Persisted(primaryKey: true) var code: Bool
    }
}

@Suite("Seeds 003: primary keys")
struct SeedKeyTests {
    @Test
    func `C++: Person by its 64-bit number`() throws {
        typealias Person = CPlusPlus.Person
        let file = SeedFile(Person.self, CPlusPlus.Dog.self)
        try file.open { realm in
            try realm.write {
                for id in [Int64.min, 0, .max] { realm.create(Person.self, value: [id, "\(id)"] as [Any]) }
            }
        }
        try file.open { realm in
            for id in [Int64.min, 0, .max] {
                let person = try require(realm.object(ofType: Person.self, forPrimaryKey: id))
                expectEqual(person.name, "\(id)")
                try realm.write { person.dog = CPlusPlus.Dog(value: ["name": "of \(id)"]) }
            }
            try realm.write { realm.delete(realm.object(ofType: Person.self, forPrimaryKey: 0)!) }
        }
        try file.open { realm in
            expectEqual(realm.objects(Person.self).map(\.dog?.name), ["of \(Int64.min)", "of \(Int64.max)"])
            expect(realm.object(ofType: Person.self, forPrimaryKey: 0) == nil)
        }
    }

    @Test
    func `C#: Dog by its name`() throws {
        typealias Dog = CSharp.Dog
        let file = SeedFile(Dog.self, CSharp.Person.self)
        try file.open { realm in
            try realm.write {
                realm.create(
                    Dog.self,
                    value: ["Name": "Rex", "Age": 4, "Owner": ["Name": "Ann"]] as [String: Any]
                )
            }
        }
        try file.open { realm in
            let dog = try require(realm.object(ofType: Dog.self, forPrimaryKey: "Rex"))
            expect(dog.Age == 4 && dog.Owner?.Name == "Ann")
            try realm.write {
                realm.create(Dog.self, value: ["Name": "Rex", "Age": 5] as [String: Any], update: .modified)
            }
            expect(dog.Age == 5 && dog.Owner?.Name == "Ann" && realm.objects(Dog.self).count == 1)
            try realm.write { realm.delete(dog) }
        }
        try file.open { expect($0.object(ofType: Dog.self, forPrimaryKey: "Rex") == nil) }
    }

    @Test
    func `Dart: Vehicle by its object id`() throws {
        typealias Vehicle = Dart.Vehicle
        let file = SeedFile(Vehicle.self)
        let id = ObjectId.generate()
        try file.open { realm in
            try realm.write {
                realm.create(Vehicle.self, value: ["id": id, "make": "Honda", "numberOfWheels": 4] as [String: Any])
            }
        }
        try file.open { realm in
            let vehicle = try require(realm.object(ofType: Vehicle.self, forPrimaryKey: id))
            expect(vehicle.make == "Honda" && vehicle.numberOfWheels == 4 && vehicle.milesTravelled == 0)
            expect(vehicle.maybeDescription == nil && vehicle.notInRealmModel == "")
            try realm.write {
                vehicle.maybeDescription = "red"
                vehicle.milesTravelled = 12.5
                vehicle.notInRealmModel = "kept by this instance alone"
            }
        }
        try file.open { realm in
            let vehicle = realm.objects(Vehicle.self)[0]
            expect(
                vehicle.maybeDescription == "red" && vehicle.milesTravelled == 12.5 && vehicle.notInRealmModel == ""
            )
            try realm.write { realm.delete(vehicle) }
            expect(realm.isEmpty)
        }
    }

    @Test
    func `Java, Kotlin for Java: Frog by its name, of which one may be null`() throws {
        typealias Frog = Java.Frog
        let file = SeedFile(Frog.self)
        try file.open { realm in
            try realm.write {
                realm.create(Frog.self, value: ["name": "Kermit", "age": 2] as [String: Any])
                realm.create(Frog.self, value: ["age": 3])
            }
            expectEqual(
                thrownCode { try realm.write { _ = realm.create(Frog.self, value: ["age": 4]) } },
                .duplicatePrimaryKey
            )
        }
        try file.open { realm in
            expectEqual(realm.object(ofType: Frog.self, forPrimaryKey: "Kermit")?.age, 2)
            expectEqual(realm.object(ofType: Frog.self, forPrimaryKey: nil as String?)?.age, 3)
            try realm.write { realm.create(Frog.self, value: ["owner": "nobody"], update: .modified) }
            expectEqual(realm.objects(Frog.self).count, 2)
            expectEqual(realm.object(ofType: Frog.self, forPrimaryKey: nil as String?)?.owner, "nobody")
            try realm.write { realm.delete(realm.object(ofType: Frog.self, forPrimaryKey: nil as String?)!) }
        }
        try file.open { expectEqual($0.objects(Frog.self).map(\.name), ["Kermit"]) }
    }

    @Test
    func `JavaScript, Kotlin: a key that each new object makes for itself`() throws {
        typealias Car = JavaScript.Car
        let file = SeedFile(Car.self)
        let ids = try file.open { realm in
            try realm.write {
                (0..<3).map { realm.create(Car.self, value: ["make": "Ford", "miles": $0] as [String: Any])._id }
            }
        }
        expectEqual(Set(ids).count, 3)
        try file.open { realm in
            for (i, id) in ids.enumerated() {
                expectEqual(realm.object(ofType: Car.self, forPrimaryKey: id)?.miles, i)
            }
            try realm.write { realm.object(ofType: Car.self, forPrimaryKey: ids[1])!.miles = nil }
            expectEqual(realm.objects(Car.self).map(\.miles), [0, nil, 2])
        }
    }

    @Test
    func `Objective-C: the override of primaryKey(); Swift: primaryKey: true`() throws {
        func check<P: Object>(_ type: P.Type) throws {
            let file = SeedFile(type)
            try file.open { realm in
                expectEqual(realm.schema["Project"]?.primaryKeyProperty?.name, "id")
                try realm.write { realm.create(type, value: ["id": 4, "name": "four"] as [String: Any]) }
            }
            try file.open { realm in
                let project = try require(realm.object(ofType: type, forPrimaryKey: 4))
                expectEqual(project["name"] as? String, "four")
                expectEqual(
                    thrownCode { try realm.write { _ = realm.create(type, value: ["id": 4]) } },
                    .duplicatePrimaryKey
                )
                try realm.write { realm.create(type, value: ["id": 4, "name": "vier"] as [String: Any], update: .all) }
                expectEqual(project["name"] as? String, "vier")
            }
        }
        try check(ObjectiveC.Project.self)
        try check(SwiftTab.Project.self)
    }

    @Test
    func `A duplicate key is an error, and nothing of the write stays`() throws {
        typealias Project = SwiftTab.Project
        let realm = try seedRealm(Project.self)
        try realm.write { realm.create(Project.self, value: [1, "one"] as [Any]) }
        let code = thrownCode {
            try realm.write {
                realm.create(Project.self, value: [2, "two"] as [Any])
                realm.add(Project(value: [1, "another"] as [Any]))
            }
        }
        expect(code == .duplicatePrimaryKey && realm.objects(Project.self).map(\.name) == ["one"])
    }

    @Test
    func `A key can't be changed once its object is managed; deleting and inserting does it`() throws {
        typealias Project = SwiftTab.Project
        let realm = try seedRealm(Project.self)
        let project = Project()
        project.id = 1
        project.id = 2
        project.name = "movable"
        try realm.write { realm.add(project) }
        expectEqual(thrownCode { try realm.write { project.id = 3 } }, .primaryKeyChanged)
        expectEqual(thrownCode { try realm.write { project["id"] = 3 } }, .primaryKeyChanged)
        expectEqual(thrownCode { try realm.write { project.setValue(3, forKey: "id") } }, .primaryKeyChanged)
        expectEqual(project.id, 2)
        try realm.write { project.id = 2 }
        try realm.write {
            let copy = Project(value: project)
            realm.delete(project)
            copy.id = 3
            realm.add(copy)
        }
        expectEqual(realm.objects(Project.self).map(\.id), [3])
        expectEqual(realm.object(ofType: Project.self, forPrimaryKey: 3)?.name, "movable")
    }

    @Test
    func `Keys find, update and upsert; a key is indexed by itself`() throws {
        typealias Project = SwiftTab.Project
        let realm = try seedRealm(Project.self)
        try realm.write { for i in 0..<2_500 { realm.create(Project.self, value: [i, "p\(i)"] as [Any]) } }
        expectEqual(realm.schema["Project"]?["id"]?.isIndexed, true)
        expectEqual(realm.objects(Project.self).where { $0.id == 1_234 }.map(\.name), ["p1234"])
        expectEqual(realm.object(ofType: Project.self, forPrimaryKey: 2_499)?.name, "p2499")
        try realm.write {
            realm.create(Project.self, value: [7, "seven"] as [Any], update: .modified)
            realm.create(Project.self, value: [9_000, "new"] as [Any], update: .modified)
            realm.object(ofType: Project.self, forPrimaryKey: 8)!.name = "eight"
        }
        expectEqual(realm.objects(Project.self).count, 2_501)
        expectEqual(realm.object(ofType: Project.self, forPrimaryKey: 7)?.name, "seven")
        expectEqual(realm.object(ofType: Project.self, forPrimaryKey: 8)?.name, "eight")
        expectEqual(realm.object(ofType: Project.self, forPrimaryKey: 9_000)?.name, "new")
    }

    @Test
    func `A class has one key at most, of a type that can be one`() {
        expect(openingError(Wrong.TwoKeys.self).contains("more than one primary key: a, b"))
        expect(openingError(Wrong.TwoWays.self).contains("more than one primary key: a, b"))
        for message in [
            openingError(Wrong.DateKey.self), openingError(Wrong.BytesKey.self), openingError(Wrong.DoubleKey.self),
            openingError(Wrong.BoolKey.self),
        ] { expect(message.contains("can't be a primary key"), "\(message)") }
    }
}
