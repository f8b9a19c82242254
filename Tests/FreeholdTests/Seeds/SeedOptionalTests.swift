import Foundation
import Testing

@testable import Freehold

// "Define an Optional Property".

private enum CPlusPlus {
    class Model: SeedObject {
        @Persisted var optStringName: String?
        @Persisted var stringName: String
    }
}

private enum CSharp {
    class Dog: SeedObject {
        @Persisted var Name = ""
    }

    /// Scalars, bytes and the link; the collections are in the tests of collections.
    class Person: SeedObject {
        @Persisted var NonNullableName = ""
        @Persisted var NullableName: String?
        @Persisted var NonNullableArray = Data()
        @Persisted var NullableArray: Data?
        @Persisted var NonNullableInt: Int32
        @Persisted var NullableInt: Int32?
        @Persisted var NullableDog: Dog?
    }
}

private enum Java {
    /// Objects are nullable, primitives aren't.
    class Boxes: SeedObject {
        @Persisted var string: String?
        @Persisted var date: Date?
        @Persisted var uuid: UUID?
        @Persisted var objectId: ObjectId?
        @Persisted var integer: Int32?
        @Persisted var long: Int64?
        @Persisted var short: Int16?
        @Persisted var byte: Int8?
        @Persisted var bytes: Data?
        @Persisted var boolean: Bool?
        @Persisted var float: Float?
        @Persisted var double: Double?
        @Persisted var decimal: Decimal128?
    }

    class Primitives: SeedObject {
        @Persisted var string: String
        @Persisted var date: Date
        @Persisted var uuid: UUID
        @Persisted var objectId: ObjectId
        @Persisted var integer: Int32
        @Persisted var long: Int64
        @Persisted var short: Int16
        @Persisted var byte: Int8
        @Persisted var bytes: Data
        @Persisted var boolean: Bool
        @Persisted var float: Float
        @Persisted var double: Double
        @Persisted var decimal: Decimal128
    }
}

private enum JavaScript {
    class Car: SeedObject {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var make = ""
        @Persisted var model = ""
        @Persisted var miles: Int?
    }
}

private enum ObjectiveC {
    class Person: SeedObject {
        @Persisted var name: String
        @Persisted var address: String?
        @Persisted var ageYears: Int32
        @Persisted var heightCm: Float?
    }
}

private enum SwiftTab {
    class Person: SeedObject {
        // Required string property
        @Persisted var name = ""
        // Optional string property
        @Persisted var address: String?
        // Required numeric property
        @Persisted var ageYears = 0
        // Optional numeric property
        @Persisted var heightCm: Float?
    }
}

private enum Collections {
    class Item: SeedObject {
        @Persisted var name = ""
    }
    class Lists: SeedObject {
        @Persisted var required: List<Int>
        @Persisted var nullable: List<Int?>
        @Persisted var strings: List<String?>
        @Persisted var objects: List<Item>
    }
    class NullableObjects: SeedObject {
        @Persisted var objects: List<Item?>
    }
}

@Suite("Seeds 000, 001, 003: optional and required properties")
struct SeedOptionalTests {
    @Test
    func `C++, Kotlin: an optional text`() throws {
        let file = SeedFile(CPlusPlus.Model.self)
        try file.open { realm in
            try realm.write {
                _ = realm.create(CPlusPlus.Model.self, value: ["optStringName": "some"])
                _ = realm.create(CPlusPlus.Model.self)
                _ = realm.create(CPlusPlus.Model.self, value: ["optStringName": ""])
            }
        }
        try file.open { realm in
            let all = realm.objects(CPlusPlus.Model.self)
            expect(all.map(\.optStringName) == ["some", nil, ""] && all.map(\.stringName) == ["", "", ""])
            expectEqual(all.where { $0.optStringName == nil }.count, 1)
            try realm.write { all[0].optStringName = nil }
            expectEqual(all.where { $0.optStringName == nil }.count, 2)
        }
    }

    @Test
    func `C#: Person with nullable and required values, bytes and a link`() throws {
        typealias Person = CSharp.Person
        let file = SeedFile(Person.self, CSharp.Dog.self)
        try file.open { realm in
            let schema = try require(realm.schema["Person"])
            for property in schema.properties {
                expectEqual(property.isOptional, property.name.hasPrefix("Nullable"), "\(property.name)")
            }
            let person = Person(
                value: [
                    "NullableName": "N", "NullableArray": Data([1]), "NullableInt": 5, "NullableDog": ["Name": "Rex"],
                ] as [String: Any]
            )
            try realm.write { realm.add([person, Person()]) }
        }
        try file.open { realm in
            let people = realm.objects(Person.self)
            expect(people.map(\.NullableName) == ["N", nil] && people.map(\.NullableArray) == [Data([1]), nil])
            expect(people.map(\.NullableInt) == [5, nil] && people.map(\.NullableDog?.Name) == ["Rex", nil])
            expect(people[1].NonNullableName == "" && people[1].NonNullableInt == 0)
            expectEqual(people[1].NonNullableArray, Data())
            try realm.write {
                let person = people[0]
                (person.NullableName, person.NullableArray, person.NullableInt) = (nil, nil, nil)
                person.NullableDog = nil
            }
            expectEqual(
                people.where { $0.NullableInt == nil && $0.NullableName == nil && $0.NullableDog == nil }.count,
                2
            )
            for name in ["NonNullableName", "NonNullableArray", "NonNullableInt"] {
                expectEqual(thrownCode { try realm.write { people[0][name] = nil } }, .missingValue, "\(name)")
            }
        }
    }

    @Test
    func `Java: boxed types are null unless set, primitives are never null`() throws {
        let file = SeedFile(Java.Boxes.self, Java.Primitives.self)
        let names = Java.Boxes().objectSchema.properties.map(\.name)
        try file.open { realm in
            expect(realm.schema["Boxes"]?.properties.allSatisfy(\.isOptional) == true && names.count == 13)
            expectEqual(realm.schema["Primitives"]?.properties.allSatisfy { !$0.isOptional }, true)
            try realm.write {
                realm.add(Java.Boxes())
                realm.add(Java.Primitives())
                _ = realm.create(Java.Boxes.self, value: Java.Primitives())
            }
        }
        try file.open { realm in
            let (null, full) = (realm.objects(Java.Boxes.self)[0], realm.objects(Java.Boxes.self)[1])
            for name in names {
                expect(null[name] == nil && full[name] != nil && realm.objects(Java.Primitives.self)[0][name] != nil)
                let code = thrownCode { try realm.write { realm.objects(Java.Primitives.self)[0][name] = nil } }
                expectEqual(code, .missingValue, "\(name)")
            }
            try realm.write { for name in names { full[name] = nil } }
            for name in names { expect(full[name] == nil) }
        }
    }

    @Test
    func `JavaScript: Car whose miles may be null`() throws {
        let file = SeedFile(JavaScript.Car.self)
        try file.open { realm in
            try realm.write {
                _ = realm.create(JavaScript.Car.self, value: ["make": "Ford", "miles": 3] as [String: Any])
                _ = realm.create(JavaScript.Car.self, value: ["make": "Fiat"])
            }
        }
        try file.open { realm in
            expectEqual(realm.objects(JavaScript.Car.self).map(\.miles), [3, nil])
            expectEqual(realm.objects(JavaScript.Car.self).where { $0.miles > 0 }.count, 1)
        }
    }

    @Test
    func `Objective-C and Swift: Person with a required name and age, an optional address and height`() throws {
        func check<P: Object>(_ type: P.Type) throws {
            let file = SeedFile(type)
            try file.open { realm in
                let schema = try require(realm.schema["Person"])
                expectEqual(schema.properties.map(\.isOptional), [false, true, false, true])
                try realm.write {
                    _ = realm.create(type, value: ["name": "Ann", "heightCm": Float(170.5)] as [String: Any])
                    _ = realm.create(type, value: ["address": "Main Street"])
                }
            }
            try file.open { realm in
                let people = realm.objects(type)
                expect(people[0]["heightCm"] as? Float == 170.5 && people[0]["address"] == nil)
                expect(people[1]["heightCm"] == nil && people[1]["name"] as? String == "")
                try realm.write {
                    people[0]["heightCm"] = nil
                    people[1]["ageYears"] = 5
                }
                expect(people[0]["heightCm"] == nil && people[1]["ageYears"] as? Int == 5)
                expectEqual(thrownCode { try realm.write { people[0]["ageYears"] = nil } }, .missingValue)
                expectEqual(thrownCode { try realm.write { people[0]["name"] = NSNull() } }, .missingValue)
            }
        }
        try check(ObjectiveC.Person.self)
        try check(SwiftTab.Person.self)
    }

    @Test
    func `lists of values may contain null if their type permits it, and lists of objects never do`() throws {
        typealias Lists = Collections.Lists
        let file = SeedFile(Lists.self, Collections.Item.self)
        try file.open { realm in
            let lists = Lists()
            lists.nullable.append(objectsIn: [1, nil, 3])
            lists.strings.append(objectsIn: [nil, "", "b"])
            try realm.write { realm.add(lists) }
            expectEqual(
                thrownCode { try realm.write { lists["required"] = [1, nil] as [Int?] } },
                .missingValue
            )
            expect(thrownCode { try realm.write { lists["objects"] = [NSNull()] } } != nil)
        }
        try file.open { realm in
            let lists = realm.objects(Lists.self)[0]
            expect(Array(lists.nullable) == [1, nil, 3] && Array(lists.strings) == [nil, "", "b"])
            expect(lists.required.isEmpty && lists.objects.isEmpty)
            try realm.write {
                lists.nullable[0] = nil
                lists.strings.remove(at: 0)
            }
            expect(Array(lists.nullable) == [nil, nil, 3] && Array(lists.strings) == ["", "b"])
        }
        expect(openingError(Collections.NullableObjects.self, Collections.Item.self).contains("aren't optional"))
    }

    @Test
    func `a list exists from the start and is never nil; setting it to nil empties it`() throws {
        typealias Lists = Collections.Lists
        let realm = try seedRealm(Lists.self, Collections.Item.self)
        let lists = Lists(value: ["required": NSNull(), "objects": NSNull()])
        expect(lists.required.isEmpty && lists.objects.isEmpty)
        lists.required.append(1)
        lists["required"] = nil
        expect(lists.required.isEmpty)
        try realm.write {
            realm.add(lists)
            lists.required.append(objectsIn: [1, 2])
            lists.objects.append(Collections.Item())
            lists["required"] = nil
            lists["objects"] = NSNull()
        }
        expect(lists.required.isEmpty && lists.objects.isEmpty && realm.objects(Collections.Item.self).count == 1)
        expect(lists["required"] is List<Int>)
    }
}
