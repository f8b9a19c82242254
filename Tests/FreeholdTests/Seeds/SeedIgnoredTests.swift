import Foundation
import Testing

@testable import Freehold

// "Ignore a Property".

private enum CPlusPlus {
    class Employee: SeedObject {
        @Persisted(primaryKey: true) var _id: Int64
        @Persisted var firstName = ""
        @Persisted var lastName = ""
        // Usable like any other member, and not stored.
        var jobTitle_notPersisted = ""
    }
}

private enum CSharp {
    struct Image: Equatable {
        var pixels: [UInt8] = []
    }

    class Picture: SeedObject {
        // The path is stored, the image itself is for when the program runs.
        @Persisted var ThumbnailPath = ""
        var Thumbnail: Image?
    }
}

private enum Java {
    class Frog: SeedObject {
        @Persisted var name: String?
        @Persisted var age: Int32
        @Persisted var species: String?
        // Can one ever own a frog persistently?
        var owner: String?
        nonisolated(unsafe) static var population = 0
        lazy var song = "ribbit, " + (name ?? "nobody")
    }
}

private enum Kotlin {
    class Frog: SeedObject {
        @Persisted var name = ""
        var age = 0
    }
}

private enum ObjectiveC {
    class Person: SeedObject {
        @Persisted var tmpId = 0
        @Persisted var firstName: String?
        @Persisted var lastName: String?
        var name: String { "\(firstName ?? "") \(lastName ?? "")" }
        override class func ignoredProperties() -> [String] { ["tmpId"] }
    }
}

private enum SwiftTab {
    class Person: SeedObject {
        var tmpId = 0
        @Persisted var firstName = ""
        @Persisted var lastName = ""
        var name: String { "\(firstName) \(lastName)" }
        // `@objc dynamic` in the document, which can't compile on Linux: ignored all the same.
        dynamic var email = ""
    }
}

private enum Observed {
    class Person: SeedObject {
        nonisolated(unsafe) static var log: [String] = []
        @Persisted var name = "" {
            willSet { Self.log.append("will \(name) → \(newValue)") }
            didSet { Self.log.append("did \(oldValue) → \(name)") }
        }
        var nickname = "" {
            didSet { Self.log.append("nickname \(nickname)") }
        }
    }
}

@Suite("Seeds 000, 001, 002, 003: ignored properties")
struct SeedIgnoredTests {
    @Test
    func `C++: Employee without its job title`() throws {
        typealias Employee = CPlusPlus.Employee
        let file = SeedFile(Employee.self)
        try file.open { realm in
            let employee = Employee(value: [1, "Ada", "Lovelace"] as [Any])
            employee.jobTitle_notPersisted = "countess"
            try realm.write { realm.add(employee) }
            expectEqual(employee.jobTitle_notPersisted, "countess")
            expectEqual(realm.schema["Employee"]?.properties.map(\.name), ["_id", "firstName", "lastName"])
        }
        try file.open { realm in
            let employee = try require(realm.object(ofType: Employee.self, forPrimaryKey: 1))
            expect(employee.firstName == "Ada" && employee.lastName == "Lovelace")
            expectEqual(employee.jobTitle_notPersisted, "")
            try realm.write { employee.lastName = "King" }
            try realm.write { realm.delete(employee) }
            expect(realm.isEmpty)
        }
    }

    @Test
    func `C#: the path of a thumbnail is stored, the image isn't`() throws {
        typealias Picture = CSharp.Picture
        let file = SeedFile(Picture.self)
        try file.open { realm in
            let picture = Picture(value: ["ThumbnailPath": "a.png"])
            picture.Thumbnail = CSharp.Image(pixels: [1, 2])
            try realm.write { realm.add(picture) }
            expect(picture.Thumbnail?.pixels == [1, 2] && realm.objects(Picture.self)[0].Thumbnail == nil)
        }
        try file.open { realm in
            let picture = realm.objects(Picture.self)[0]
            expect(picture.ThumbnailPath == "a.png" && picture.Thumbnail == nil)
        }
    }

    @Test
    func `Java, Kotlin for Java: Frog without its owner; static and lazy members are never stored`() throws {
        typealias Frog = Java.Frog
        let file = SeedFile(Frog.self)
        try file.open { realm in
            let frog = Frog(value: ["name": "Kermit", "age": 2] as [String: Any])
            frog.owner = "Jim"
            Frog.population += 1
            try realm.write { realm.add(frog) }
            expect(frog.owner == "Jim" && frog.song == "ribbit, Kermit")
            expectEqual(realm.schema["Frog"]?.properties.map(\.name), ["name", "age", "species"])
        }
        try file.open { realm in
            let frog = realm.objects(Frog.self)[0]
            expect(frog.name == "Kermit" && frog.owner == nil && frog.song == "ribbit, Kermit")
            try realm.write { frog.name = "Kermie" }
            expect(frog.song == "ribbit, Kermit" && realm.objects(Frog.self)[0].song == "ribbit, Kermie")
        }
    }

    @Test
    func `Kotlin: an ignored number with a default`() throws {
        let realm = try seedRealm(Kotlin.Frog.self)
        let frog = Kotlin.Frog()
        (frog.name, frog.age) = ("Kermit", 5)
        try realm.write { realm.add(frog) }
        expect(frog.age == 5 && realm.objects(Kotlin.Frog.self)[0].age == 0)
        frog.age = 6
        expect(frog.age == 6 && realm.schema["Frog"]?["age"] == nil)
    }

    @Test
    func `Objective-C: Person with ignoredProperties() and a read-only name`() throws {
        typealias Person = ObjectiveC.Person
        let file = SeedFile(Person.self)
        try file.open { realm in
            let person = Person()
            (person.tmpId, person.firstName, person.lastName) = (7, "Ada", "Lovelace")
            try realm.write { realm.add(person) }
            expectEqual(realm.schema["Person"]?.properties.map(\.name), ["firstName", "lastName"])
            person.tmpId = 8
            expect(person.tmpId == 8 && person.name == "Ada Lovelace")
        }
        try file.open { realm in
            let person = realm.objects(Person.self)[0]
            expect(person.tmpId == 0 && person.name == "Ada Lovelace")
            try realm.write { person.lastName = nil }
            expectEqual(person.name, "Ada ")
        }
    }

    @Test
    func `Swift: Person with an ignored number, a read-only name and an unmarked dynamic property`() throws {
        typealias Person = SwiftTab.Person
        let file = SeedFile(Person.self)
        try file.open { realm in
            let person = Person()
            (person.tmpId, person.email) = (7, "ada@example.com")
            (person.firstName, person.lastName) = ("Ada", "Lovelace")
            try realm.write { realm.add(person) }
            expectEqual(realm.schema["Person"]?.properties.map(\.name), ["firstName", "lastName"])
            expect(person.name == "Ada Lovelace" && person.tmpId == 7 && person.email == "ada@example.com")
        }
        try file.open { realm in
            let person = realm.objects(Person.self)[0]
            expect(person.name == "Ada Lovelace" && person.tmpId == 0 && person.email == "")
            // No write transaction is needed for what isn't stored.
            person.tmpId = 8
            try realm.write { person.lastName = "King" }
            expect(person.name == "Ada King" && person.tmpId == 8)
            try realm.write { realm.delete(person) }
        }
    }

    @Test(arguments: [0, 1, 2])
    func `An ignored property can't be used in a query or sort`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let realm = try seedRealm(SwiftTab.Person.self)
            let people = realm.objects(SwiftTab.Person.self)
            switch kind {
            case 0: _ = people.where { $0.tmpId == 0 }.count
            case 1: _ = people.sorted(byKeyPath: "tmpId").count
            default: _ = people.where { $0.name == "" }.count
            }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains(kind == 1 ? "'tmpId'" : "@Persisted properties only"), "\(message)")
    }

    @Test
    func `create and the subscript don't accept the name of an ignored property`() async throws {
        let realm = try seedRealm(SwiftTab.Person.self)
        try realm.write {
            realm.create(SwiftTab.Person.self, value: ["firstName": "Ada", "tmpId": 7] as [String: Any])
        }
        expectEqual(realm.objects(SwiftTab.Person.self)[0].firstName, "Ada")
        expectEqual(realm.objects(SwiftTab.Person.self)[0].tmpId, 0)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = SwiftTab.Person()["tmpId"]
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("\"tmpId\""), "\(message)")
    }

    @Test
    func `Observers of a property are called on managed objects as on others`() throws {
        let realm = try seedRealm(Observed.Person.self)
        Observed.Person.log = []
        let person = Observed.Person()
        person.name = "a"
        try realm.write {
            realm.add(person)
            person.name = "b"
        }
        person.nickname = "n"
        expectEqual(
            Observed.Person.log,
            ["will  → a", "did  → a", "will a → b", "did a → b", "nickname n"]
        )
    }
}
