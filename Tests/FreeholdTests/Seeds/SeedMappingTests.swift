import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

// "Map a Model or Property to a Different Name".

private enum CSharp {
    class Person: SeedObject {
        @Persisted var Name = ""
        override class func mappedName() -> String? { "Human" }
    }

    enum Property {
        class Person: SeedObject {
            @Persisted(mapTo: "moniker") var Name = ""
        }
    }
}

private enum Dart {
    class Boat: SeedObject {
        @Persisted(primaryKey: true) var id: ObjectId
        @Persisted var name = ""
        @Persisted var maxKnots: Int?
        @Persisted var nauticalMiles: Int?
        override class func mappedName() -> String? { "naval_ship" }
    }

    class Vehicle: SeedObject {
        @Persisted(primaryKey: true) var id: ObjectId
        @Persisted var maybeDescription: String?
        @Persisted var milesTravelled = 0.0
        var notInRealmModel = ""
        @Persisted(indexed: true) var make = ""
        @Persisted(mapTo: "wheels") var numberOfWheels = 0
    }
}

private enum Java {
    class Frog: SeedObject {
        @Persisted var name: String?
        @Persisted var age: Int32
        @Persisted var species: String?
        @Persisted var owner: String?
        override class func propertyNamingPolicy() -> NamingPolicy? { .pascalCase }
    }

    enum Field {
        class Frog: SeedObject {
            @Persisted var name: String?
            @Persisted var age: Int32
            @Persisted(mapTo: "latinName") var species: String?
            @Persisted var owner: String?
        }
    }

    /// The classes of the module whose names are written in lower case with underscores.
    enum MyModule {
        class GreenFrog: SeedObject {
            @Persisted var latinName: String?
            @Persisted var favouritePond: FrogPond?
        }
        class FrogPond: SeedObject {
            @Persisted var waterDepth = 0.0
            @Persisted(originProperty: "favouritePond") var itsFrogs: LinkingObjects<GreenFrog>
        }
    }
}

private enum JavaScript {
    class Task: SeedObject {
        @Persisted(primaryKey: true) var _id = 0
        @Persisted var name = ""
        @Persisted var owner_id: String?
        override class func mappedName() -> String? { "Todo_Item" }
    }

    class Car: SeedObject {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var make = ""
        @Persisted(mapTo: "model_name") var modelName = ""
        @Persisted var miles = 0
    }
}

private enum Kotlin {
    class Frog: SeedObject {
        @Persisted(primaryKey: true) var _id = ObjectId.generate()
        @Persisted var name = ""
        @Persisted var age = 0
        @Persisted(mapTo: "latin_name") var species: String?
        @Persisted var owner: String?
        @Persisted var pond: Pond?
        override class func mappedName() -> String? { "Frog_Entity" }
    }

    class Pond: SeedObject {
        @Persisted var depth = 0
        @Persisted(originProperty: "pond") var frogs: LinkingObjects<Frog>
    }
}

private enum SwiftTab {
    class Person: SeedObject {
        @Persisted var firstName = ""
        @Persisted var lastName = ""
        override class func propertiesMapping() -> [String: String] {
            ["firstName": "first_name", "lastName": "last_name"]
        }
    }
}

private enum Reasons {
    enum Billing {
        class Account: SeedObject {
            @Persisted var balance = 0
            override class func mappedName() -> String? { "billing_account" }
        }
    }
    enum Login {
        class Account: SeedObject {
            @Persisted var password = ""
        }
    }
    class AClassWhoseNameIsFarLongerThanTheFiftySevenBytesThatAFileTakes: SeedObject {
        @Persisted var x = 0
        override class func mappedName() -> String? { "short" }
    }
    class Before: SeedObject {
        @Persisted var label = ""
    }
    class After: SeedObject {
        @Persisted(mapTo: "label") var title = ""
        override class func mappedName() -> String? { "Before" }
    }
    class Clash: SeedObject {
        @Persisted(mapTo: "b") var a = 0
        @Persisted var b = 0
    }
}

private func stored(_ realm: Realm, _ table: String) -> [String]? {
    realm.core.view.schema.table(named: table)?.columns.map(\.name)
}

@Suite("Seeds 000, 001, 003: mapped names")
struct SeedMappingTests {
    @Test
    func `C#: Person stored as Human, and its name as moniker`() throws {
        let file = SeedFile(CSharp.Person.self)
        try file.open { realm in
            try realm.write { _ = realm.create(CSharp.Person.self, value: ["Name": "Caleb"]) }
            expect(stored(realm, "Human") == ["Name"] && stored(realm, "Person") == nil)
        }
        try file.open { realm in
            let person = realm.objects(CSharp.Person.self)[0]
            try realm.write { person.Name += "!" }
            expect(realm.schema["Human"] == realm.schema["Person"] && person.Name == "Caleb!")
            try realm.write { realm.delete(person) }
        }
        typealias Person = CSharp.Property.Person
        let other = SeedFile(Person.self)
        try other.open { realm in
            try realm.write {
                _ = realm.create(Person.self, value: ["Name": "Caleb"])
                _ = realm.create(Person.self, value: ["moniker": "Ann"])
            }
            expectEqual(stored(realm, "Person"), ["moniker"])
        }
        try other.open { realm in
            expectEqual(realm.objects(Person.self).sorted(byKeyPath: "moniker").map(\.Name), ["Ann", "Caleb"])
            expectEqual(realm.objects(Person.self).where { $0.Name == "Ann" }[0]["moniker"] as? String, "Ann")
        }
    }

    @Test
    func `Dart: Boat stored as naval_ship, numberOfWheels as wheels`() throws {
        let file = SeedFile(Dart.Boat.self, Dart.Vehicle.self)
        let id = ObjectId.generate()
        try file.open { realm in
            try realm.write {
                realm.create(Dart.Boat.self, value: ["id": id, "name": "Beagle", "maxKnots": 9] as [String: Any])
                realm.create(Dart.Vehicle.self, value: ["id": id, "make": "Ford", "wheels": 4] as [String: Any])
            }
            expectEqual(stored(realm, "naval_ship"), ["id", "name", "maxKnots", "nauticalMiles"])
            expectEqual(stored(realm, "Vehicle"), ["id", "maybeDescription", "milesTravelled", "make", "wheels"])
        }
        try file.open { realm in
            let boat = try require(realm.object(ofType: Dart.Boat.self, forPrimaryKey: id))
            let vehicle = try require(realm.object(ofType: Dart.Vehicle.self, forPrimaryKey: id))
            expect(boat.name == "Beagle" && boat.maxKnots == 9 && boat.nauticalMiles == nil)
            expectEqual(vehicle.numberOfWheels, 4)
            try realm.write {
                vehicle.numberOfWheels = 3
                boat.nauticalMiles = 100
            }
            expectEqual(vehicle["wheels"] as? Int, 3)
            try realm.write { realm.delete(boat) }
        }
        try file.open { expectEqual($0.objects(Dart.Vehicle.self).where { $0.numberOfWheels == 3 }.count, 1) }
    }

    @Test
    func `Java, Kotlin for Java: fields in PascalCase, one field's name, and the policy of a module`() throws {
        let file = SeedFile(Java.Frog.self)
        try file.open { realm in
            try realm.write { _ = realm.create(Java.Frog.self, value: ["name": "Kermit", "Age": 2] as [String: Any]) }
            expectEqual(stored(realm, "Frog"), ["Name", "Age", "Species", "Owner"])
        }
        try file.open { realm in
            let frog = realm.objects(Java.Frog.self).where { $0.name == "Kermit" }[0]
            expect(frog.age == 2 && frog["Name"] as? String == "Kermit")
        }
        typealias Frog = Java.Field.Frog
        let field = SeedFile(Frog.self)
        try field.open { realm in
            try realm.write { _ = realm.create(Frog.self, value: ["species": "rana"]) }
            expectEqual(stored(realm, "Frog"), ["name", "age", "latinName", "owner"])
        }
        try field.open { expectEqual($0.objects(Frog.self).where { $0.species == "rana" }.count, 1) }

        typealias Module = Java.MyModule
        let module = SeedFile(Module.GreenFrog.self, Module.FrogPond.self)
        var configuration = module.configuration
        configuration.classNamingPolicy = .snakeCase
        configuration.propertyNamingPolicy = .snakeCase
        try module.open(configuration) { realm in
            try realm.write {
                _ = realm.create(
                    Module.GreenFrog.self,
                    value: ["latinName": "rana", "favouritePond": ["waterDepth": 1.5]] as [String: Any]
                )
            }
            expectEqual(stored(realm, "green_frog"), ["latin_name", "favourite_pond"])
            expectEqual(stored(realm, "frog_pond"), ["water_depth"])
        }
        try module.open(configuration) { realm in
            let frog = realm.objects(Module.GreenFrog.self).where { $0.favouritePond.waterDepth == 1.5 }[0]
            expect(frog.latinName == "rana" && frog.favouritePond?.itsFrogs.first == frog)
            try realm.write { realm.delete(frog.favouritePond!) }
            expect(frog.favouritePond == nil)
        }
    }

    @Test
    func `JavaScript, TypeScript: Task stored as Todo_Item, modelName as model_name`() throws {
        let file = SeedFile(JavaScript.Task.self, JavaScript.Car.self)
        try file.open { realm in
            try realm.write {
                realm.create(
                    JavaScript.Task.self,
                    value: ["_id": 12_342_245, "owner_id": "anonymous", "name": "Test the name"] as [String: Any]
                )
                realm.create(JavaScript.Car.self, value: ["make": "Honda", "modelName": "Civic"])
            }
            expect(stored(realm, "Todo_Item") == ["_id", "name", "owner_id"] && stored(realm, "Task") == nil)
            expectEqual(stored(realm, "Car"), ["_id", "make", "model_name", "miles"])
        }
        try file.open { realm in
            let task = try require(realm.object(ofType: JavaScript.Task.self, forPrimaryKey: 12_342_245))
            let car = realm.objects(JavaScript.Car.self).where { $0.modelName == "Civic" }[0]
            expect(task.owner_id == "anonymous" && car["model_name"] as? String == "Civic" && car.miles == 0)
            try realm.write {
                task.owner_id = nil
                car.modelName = "Accord"
            }
            expectEqual(realm.schema["Todo_Item"], task.objectSchema)
            try realm.write { realm.delete(task) }
        }
        try file.open { expectEqual($0.objects(JavaScript.Car.self).map(\.modelName), ["Accord"]) }
    }

    @Test
    func `Kotlin: Frog stored as Frog_Entity, species as latin_name, queried by both and across the inverse`() throws {
        let file = SeedFile(Kotlin.Frog.self, Kotlin.Pond.self)
        try file.open { realm in
            try realm.write {
                for (name, species) in [("Kermit", "rana"), ("Jeremiah", "bufo")] {
                    realm.create(
                        Kotlin.Frog.self,
                        value: ["name": name, "species": species, "pond": ["depth": 3]] as [String: Any]
                    )
                }
            }
            expectEqual(stored(realm, "Frog_Entity"), ["_id", "name", "age", "latin_name", "owner", "pond"])
        }
        try file.open { realm in
            let frogs = realm.objects(Kotlin.Frog.self)
            expectEqual(frogs.where { $0.species == "bufo" }.map(\.name), ["Jeremiah"])
            expectEqual(frogs.sorted(byKeyPath: "latin_name").map(\.name), ["Jeremiah", "Kermit"])
            expectEqual(frogs.sorted(byKeyPath: "species").map(\.name), ["Jeremiah", "Kermit"])
            let ponds = realm.objects(Kotlin.Pond.self).where { $0.frogs.species == "rana" }
            expect(ponds.count == 1 && ponds[0].frogs.map(\.name) == ["Kermit"])
            expectEqual(realm.schema["Pond"]?["frogs"]?.objectClassName, "Frog_Entity")
            try realm.write { frogs[0].species = nil }
            expect(ponds.isEmpty)
        }
    }

    @Test
    func `Swift: Person by propertiesMapping()`() throws {
        typealias Person = SwiftTab.Person
        let file = SeedFile(Person.self)
        try file.open { realm in
            let person = Person()
            (person.firstName, person.lastName) = ("Ada", "Lovelace")
            try realm.write { realm.add(person) }
            expectEqual(stored(realm, "Person"), ["first_name", "last_name"])
        }
        try file.open { realm in
            let ada = realm.objects(Person.self).where { $0.firstName == "Ada" }[0]
            expect(ada.lastName == "Lovelace" && ada["last_name"] as? String == "Lovelace")
            try realm.write { ada.lastName = "King" }
            expectEqual(realm.objects(Person.self).sorted(byKeyPath: "first_name")[0].lastName, "King")
            try realm.write { realm.delete(ada) }
        }
    }

    @Test
    func `Two classes of one name, and a name over the limit, live in one file under mapped names`() throws {
        typealias Long = Reasons.AClassWhoseNameIsFarLongerThanTheFiftySevenBytesThatAFileTakes
        expect(Long.className().utf8.count > 57)
        let file = SeedFile(Reasons.Billing.Account.self, Reasons.Login.Account.self, Long.self)
        try file.open { realm in
            try realm.write {
                _ = realm.create(Reasons.Billing.Account.self, value: [100])
                _ = realm.create(Reasons.Login.Account.self, value: ["secret"])
                _ = realm.create(Long.self, value: [5])
            }
        }
        try file.open { realm in
            expectEqual(realm.objects(Reasons.Billing.Account.self).map(\.balance), [100])
            expectEqual(realm.objects(Reasons.Login.Account.self).map(\.password), ["secret"])
            expect(realm.objects(Long.self).map(\.x) == [5] && stored(realm, "short") == ["x"])
        }
    }

    @Test
    func `A class and its property are renamed in code without a migration`() throws {
        let file = SeedFile(Reasons.Before.self)
        try file.open { realm in try realm.write { _ = realm.create(Reasons.Before.self, value: ["kept"]) } }
        var configuration = file.configuration
        configuration.objectTypes = [Reasons.After.self]
        try file.open(configuration) { expectEqual($0.objects(Reasons.After.self).map(\.title), ["kept"]) }
        try file.open { expectEqual($0.objects(Reasons.Before.self).map(\.label), ["kept"]) }
    }

    @Test
    func `Errors of a schema that doesn't fit show stored names; clashes are found at open`() throws {
        class Other: SeedObject {
            @Persisted(mapTo: "first_name") var number = 0
            @Persisted(mapTo: "last_name") var lastName = ""
            override class func mappedName() -> String? { "Person" }
        }
        let file = SeedFile(SwiftTab.Person.self)
        try file.open { _ in }
        var configuration = file.configuration
        configuration.objectTypes = [Other.self]
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        expect(error?.code == .schemaMismatch && error?.message.contains("'Person.first_name'") == true)
        expect(openingError(Reasons.Clash.self).contains("\"b\""))
    }
}
