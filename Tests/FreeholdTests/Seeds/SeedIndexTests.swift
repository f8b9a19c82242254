import Foundation
import Testing

@testable import Freehold

// "Index a Property" and "Enable Full-Text Search on a Property".

private enum CSharp {
    class Person: SeedObject {
        @Persisted(indexed: true) var Name = ""
        @Persisted(fullText: true) var Biography = ""
    }
}

private enum Dart {
    class Rug: SeedObject {
        @Persisted(primaryKey: true) var id: ObjectId
        @Persisted(fullText: true) var pattern = ""
        @Persisted(fullText: true) var material = ""
        @Persisted var softness = 0
    }
}

private enum Java {
    class Frog: SeedObject {
        @Persisted var name: String?
        @Persisted var age: Int32
        @Persisted(indexed: true) var species: String?
        @Persisted var owner: String?
    }
}

private enum JavaScript {
    class Car: SeedObject {
        // Indexed in addition to being the key, like in the document.
        @Persisted var _id: ObjectId
        @Persisted var make = ""
        @Persisted var modelName = ""
        @Persisted var miles = 0
        override class func primaryKey() -> String? { "_id" }
        override class func indexedProperties() -> [String] { ["_id"] }
        override class func propertiesMapping() -> [String: String] { ["modelName": "model_name"] }
    }
}

private enum Kotlin {
    class Frog: SeedObject {
        @Persisted(indexed: true) var name = ""
        @Persisted(fullText: true) var physicalDescription: String?
    }
}

private enum ObjectiveC {
    class Book: SeedObject {
        @Persisted var priceCents: Int32
        @Persisted var title: String?
        override class func indexedProperties() -> [String] { ["title"] }
    }
}

private enum SwiftTab {
    class Book: SeedObject {
        @Persisted var priceCents = 0
        @Persisted(indexed: true) var title = ""
    }
}

private enum Types {
    class Indexed: SeedObject {
        @Persisted(indexed: true) var bool: Bool
        @Persisted(indexed: true) var byte: Int8
        @Persisted(indexed: true) var short: Int16
        @Persisted(indexed: true) var int: Int32
        @Persisted(indexed: true) var long: Int64
        @Persisted(indexed: true) var number: Int
        @Persisted(indexed: true) var string: String
        @Persisted(indexed: true) var date: Date
        @Persisted(indexed: true) var objectId: ObjectId
        @Persisted(indexed: true) var uuid: UUID
    }

    class Nullable: SeedObject {
        @Persisted(indexed: true) var bool: Bool?
        @Persisted(indexed: true) var byte: Int8?
        @Persisted(indexed: true) var short: Int16?
        @Persisted(indexed: true) var int: Int32?
        @Persisted(indexed: true) var long: Int64?
        @Persisted(indexed: true) var number: Int?
        @Persisted(indexed: true) var string: String?
        @Persisted(indexed: true) var date: Date?
        @Persisted(indexed: true) var objectId: ObjectId?
        @Persisted(indexed: true) var uuid: UUID?
    }

    class NoIndex: SeedObject {
        @Persisted var double: Double
        @Persisted var data: Data
        @Persisted var list: List<Int>
        override class func indexedProperties() -> [String] { ["double", "data", "list"] }
    }
}

@Suite("Seeds 003: indexes")
struct SeedIndexTests {
    @Test
    func `C#: Person, indexed by name`() throws {
        typealias Person = CSharp.Person
        let file = SeedFile(Person.self)
        try file.open { realm in
            try realm.write {
                for name in ["Ann", "Bob", "Ann"] {
                    realm.create(Person.self, value: [name, "The life of \(name)"])
                }
            }
        }
        try file.open { realm in
            expectEqual(realm.schema["Person"]?["Name"]?.isIndexed, true)
            expectEqual(realm.schema["Person"]?["Biography"]?.isIndexed, false)
            let anns = realm.objects(Person.self).where { $0.Name == "Ann" }
            expect(anns.count == 2 && anns[1].Biography == "The life of Ann")
            expectEqual(realm.objects(Person.self).where { $0.Biography.matches("\"life of\" -bob") }.count, 2)
            try realm.write { anns[0].Name = "Anna" }
            expectEqual(anns.count, 1)
            try realm.write { realm.delete(anns) }
            expectEqual(realm.objects(Person.self).where { $0.Name.in(["Anna", "Bob"]) }.count, 2)
        }
    }

    @Test
    func `Dart: Rug, and Kotlin: Frog, whose texts are full-text indexed`() throws {
        let file = SeedFile(Dart.Rug.self, Kotlin.Frog.self)
        try file.open { realm in
            try realm.write {
                realm.create(
                    Dart.Rug.self,
                    value: ["pattern": "stripes", "material": "wool", "softness": 3] as [String: Any]
                )
                realm.create(Kotlin.Frog.self, value: ["name": "Kermit", "physicalDescription": "green"])
            }
        }
        try file.open { realm in
            let rug = realm.objects(Dart.Rug.self).where { $0.pattern.contains("strip") }[0]
            let frog = realm.objects(Kotlin.Frog.self).where { $0.name == "Kermit" }[0]
            expectEqual(realm.objects(Dart.Rug.self).where { $0.material.matches("wool") }.first, rug)
            expectEqual(realm.objects(Kotlin.Frog.self).where { $0.physicalDescription.matches("gre*") }.first, frog)
            expect(rug.material == "wool" && rug.softness == 3 && frog.physicalDescription == "green")
            try realm.write {
                rug.softness = 4
                frog.physicalDescription = nil
            }
        }
        try file.open { realm in
            expectEqual(realm.objects(Dart.Rug.self).map(\.softness), [4])
            expectEqual(realm.objects(Kotlin.Frog.self).map(\.physicalDescription), [nil])
            try realm.write { realm.deleteAll() }
        }
    }

    @Test
    func `Java, Kotlin for Java: Frog, indexed by a species that may be null`() throws {
        typealias Frog = Java.Frog
        let file = SeedFile(Frog.self)
        try file.open { realm in
            try realm.write {
                for species: String? in ["tree", nil, "bull", nil] {
                    realm.create(Frog.self, value: ["species": species])
                }
            }
        }
        try file.open { realm in
            expectEqual(realm.objects(Frog.self).where { $0.species == nil }.count, 2)
            expectEqual(realm.objects(Frog.self).where { $0.species == "tree" }.count, 1)
            try realm.write { realm.objects(Frog.self).where { $0.species == nil }[0].species = "tree" }
            expectEqual(realm.objects(Frog.self).where { $0.species == nil }.count, 1)
            expectEqual(realm.objects(Frog.self).where { $0.species == "tree" }.count, 2)
        }
    }

    @Test
    func `JavaScript: Car, whose key is named as indexed too`() throws {
        typealias Car = JavaScript.Car
        let file = SeedFile(Car.self)
        let id = ObjectId.generate()
        try file.open { realm in
            let car = Car(value: ["_id": id, "make": "Honda", "modelName": "Civic"] as [String: Any])
            try realm.write { realm.add(car) }
            expect(realm.schema["Car"]?["_id"]?.isIndexed == true && car.miles == 0)
        }
        try file.open { realm in
            let car = realm.objects(Car.self).where { $0._id == id }[0]
            expect(car.modelName == "Civic" && car == realm.object(ofType: Car.self, forPrimaryKey: id))
            try realm.write { realm.delete(car) }
        }
    }

    @Test
    func `Objective-C: the override of indexedProperties(); Swift: indexed: true`() throws {
        func check<B: Object>(_ type: B.Type) throws {
            let file = SeedFile(type)
            try file.open { realm in
                expectEqual(realm.schema["Book"]?.properties.filter(\.isIndexed).map(\.name), ["title"])
                try realm.write {
                    for i in 0..<30 {
                        realm.create(type, value: ["priceCents": i, "title": "t\(i % 3)"] as [String: Any])
                    }
                }
            }
            try file.open { realm in
                try realm.write { realm.objects(type)[0]["title"] = "t1" }
                expectEqual(realm.objects(type).filter { $0["title"] as? String == "t1" }.count, 11)
                try realm.write { realm.delete(realm.objects(type)[1]) }
                expectEqual(realm.objects(type).count, 29)
            }
        }
        try check(ObjectiveC.Book.self)
        try check(SwiftTab.Book.self)
        let realm = try seedRealm(SwiftTab.Book.self)
        try realm.write { for i in 0..<30 { realm.create(SwiftTab.Book.self, value: [i, "t\(i % 3)"] as [Any]) } }
        let books = realm.objects(SwiftTab.Book.self)
        expect(
            books.where { $0.title == "t1" }.count == 10 && books.where { $0.title.in(["t0", "t2", "t9"]) }.count == 20
        )
        expectEqual(books.where { $0.title == "t1" && $0.priceCents > 20 }.map(\.priceCents), [22, 25, 28])
    }

    @Test
    func `Every indexable type is indexed, and found by equality and IN, null too`() throws {
        let file = SeedFile(Types.Indexed.self, Types.Nullable.self)
        let (date, id, uuid) = (Date(timeIntervalSince1970: 5), ObjectId.generate(), UUID())
        try file.open { realm in
            for name in ["Indexed", "Nullable"] {
                let schema = try require(realm.schema[name])
                expect(schema.properties.count == 10 && schema.properties.allSatisfy(\.isIndexed))
            }
            try realm.write {
                let values: [Any] = [true, -1, -2, -3, -4, -5, "s", date, id, uuid]
                for _ in 0..<3 { realm.create(Types.Indexed.self, value: values) }
                realm.add([Types.Indexed(), Types.Indexed()])
                for _ in 0..<2 { realm.create(Types.Nullable.self, value: values) }
                realm.add(Types.Nullable())
            }
        }
        try file.open { realm in
            let all = realm.objects(Types.Indexed.self)
            expect(all.where { $0.bool == true }.count == 3 && all.where { $0.byte == -1 }.count == 3)
            expect(all.where { $0.short == -2 }.count == 3 && all.where { $0.int == -3 }.count == 3)
            expect(all.where { $0.long == -4 }.count == 3 && all.where { $0.number == -5 }.count == 3)
            expect(all.where { $0.string == "s" }.count == 3 && all.where { $0.date == date }.count == 3)
            expect(all.where { $0.objectId == id }.count == 3 && all.where { $0.uuid == uuid }.count == 3)
            expect(all.where { $0.long.in([-4, 0, 77]) }.count == 5 && all.where { $0.uuid.in([UUID()]) }.isEmpty)
            let some = realm.objects(Types.Nullable.self)
            expect(some.where { $0.bool == nil }.count == 1 && some.where { $0.byte == nil }.count == 1)
            expect(some.where { $0.short == nil }.count == 1 && some.where { $0.int == nil }.count == 1)
            expect(some.where { $0.long == nil }.count == 1 && some.where { $0.number == nil }.count == 1)
            expect(some.where { $0.string == nil }.count == 1 && some.where { $0.date == nil }.count == 1)
            expect(some.where { $0.objectId == nil }.count == 1 && some.where { $0.uuid == nil }.count == 1)
            expect(some.where { $0.number.in([-5, nil]) }.count == 3 && some.where { $0.date == date }.count == 2)
        }
    }

    @Test
    func `Ranges over an indexed property find what a scan would`() throws {
        let realm = try seedRealm(Types.Indexed.self)
        try realm.write {
            for i in 0..<100 { realm.create(Types.Indexed.self, value: ["number": i * 37 % 100]) }
        }
        let all = realm.objects(Types.Indexed.self)
        expect(all.where { $0.number >= 90 }.count == 10 && all.where { $0.number.contains(20..<30) }.count == 10)
        expect(all.where { $0.number < 0 }.isEmpty)
    }

    @Test
    func `Other types can't be indexed`() {
        let message = openingError(Types.NoIndex.self)
        for name in ["double", "data", "list"] { expect(message.contains("NoIndex.\(name) can't be indexed")) }
    }

    @Test
    func `An index that is added or dropped later changes no answer`() throws {
        let file = SeedFile(Late.With.self)
        var without = file.configuration
        without.objectTypes = [Late.Without.self]
        try file.open(without) { realm in
            try realm.write { for i in 0..<50 { realm.create(Late.Without.self, value: ["n\(i % 5)"]) } }
        }
        try file.open { realm in
            expectEqual(realm.objects(Late.With.self).where { $0.name == "n3" }.count, 10)
            try realm.write { realm.create(Late.With.self, value: ["n3"]) }
        }
        try file.open(without) { expectEqual($0.objects(Late.Without.self).where { $0.name == "n3" }.count, 11) }
    }
}

private enum Late {
    class With: SeedObject {
        @Persisted(indexed: true) var name = ""
        override class func _realmObjectName() -> String? { "Late" }
    }
    class Without: SeedObject {
        @Persisted var name = ""
        override class func _realmObjectName() -> String? { "Late" }
    }
}
