import Foundation
import Testing

@testable import Freehold

// "Set a Default Value for a Property" and "Define Custom Setters".

private enum CSharp {
    class PhoneNumber: SeedObject {
        @Persisted var digits = ""
    }
    class Person: SeedObject {
        @Persisted var Name = "foo"
        @Persisted var PhoneNumbers: List<PhoneNumber>
    }

    class Account: SeedObject {
        struct InvalidAddress: Error {}

        // Stored, and private.
        @Persisted private var email = ""
        // Not stored: the public property with a check.
        var Email: String { email }
        func setEmail(_ value: String) throws {
            guard value.contains("@") else { throw InvalidAddress() }
            email = value
        }
    }

    /// Like `Account`, with a setter. A setter can't throw in Swift, so it ignores invalid values.
    class Checked: SeedObject {
        @Persisted private var email = "nobody@example.com"
        var Email: String {
            get { email }
            set { if newValue.contains("@") { email = newValue } }
        }
    }
}

private enum Dart {
    class Vehicle: SeedObject {
        @Persisted(primaryKey: true) var id: ObjectId
        @Persisted var maybeDescription: String?
        @Persisted var milesTravelled = 0.0
        @Persisted(indexed: true) var make = ""
    }
}

private enum Java {
    class Frog: SeedObject {
        @Persisted var name: String? = "Kitty"
        @Persisted var age: Int32
        @Persisted var species: String?
        @Persisted var owner: String?

        convenience init(name: String?, age: Int32, species: String?, owner: String?) {
            self.init()
            (self.name, self.age, self.species, self.owner) = (name, age, species, owner)
        }
    }
}

private enum KotlinForJava {
    class Frog: SeedObject {
        @Persisted var name = "Kitty"
        @Persisted var age = 0
        @Persisted var species: String?
        @Persisted var owner: String?
    }
}

private enum JavaScript {
    class Car: SeedObject {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var make = ""
        @Persisted(mapTo: "model_name") var modelName = ""
        @Persisted var miles = 0
    }
}

private enum SwiftTab {
    nonisolated(unsafe) static var made = 0
    static func next() -> Int {
        made += 1
        return made
    }

    class EveryKind: SeedObject {
        @Persisted var literal = 5
        @Persisted var expression = 60 * 60
        @Persisted var call = SwiftTab.next()
        @Persisted var optional: String? = "some"
        @Persisted var none: Int? = nil
        @Persisted(wrappedValue: 7, indexed: true) var indexed: Int
        @Persisted var list = List<Int>()
        @Persisted var date = Date(timeIntervalSince1970: 1)
        @Persisted var plainDate: Date
        @Persisted var byInit: String

        override init() {
            super.init()
            byInit = "set by init()"
        }
    }
}

@Suite("Seeds 003: default values and custom setters")
struct SeedDefaultTests {
    @Test
    func `C#: a new Person is called foo, and its list exists at the first access`() throws {
        typealias Person = CSharp.Person
        let file = SeedFile(Person.self, CSharp.PhoneNumber.self)
        try file.open { realm in
            let person = Person()
            expect(person.Name == "foo" && person.PhoneNumbers.isEmpty)
            try realm.write {
                realm.add(person)
                let null = realm.create(Person.self, value: ["PhoneNumbers": NSNull()])
                expect(null.PhoneNumbers.isEmpty)
                null.PhoneNumbers.append(CSharp.PhoneNumber(value: ["112"]))
            }
        }
        try file.open { realm in
            let people = realm.objects(Person.self)
            expect(people.map(\.Name) == ["foo", "foo"] && people.map(\.PhoneNumbers.count) == [0, 1])
            // Emptied, never nil.
            try realm.write { people[1]["PhoneNumbers"] = nil }
            expect(people[1].PhoneNumbers.isEmpty && people[1]["PhoneNumbers"] is List<CSharp.PhoneNumber>)
        }
    }

    @Test
    func `Dart, JavaScript: numbers that start at 0`() throws {
        let realm = try seedRealm(Dart.Vehicle.self, JavaScript.Car.self)
        try realm.write {
            let vehicle = realm.create(Dart.Vehicle.self, value: ["make": "Ford"])
            let car = realm.create(JavaScript.Car.self, value: ["make": "Ford"])
            expect(vehicle.milesTravelled == 0 && vehicle.maybeDescription == nil && car.miles == 0)
            vehicle.milesTravelled = 1.5
            car.miles = 2
        }
        expectEqual(realm.objects(Dart.Vehicle.self).map(\.milesTravelled), [1.5])
        expectEqual(realm.objects(JavaScript.Car.self).map(\.miles), [2])
    }

    @Test
    func `Java, Kotlin for Java: Frog called Kitty; a default doesn't make a property required`() throws {
        let file = SeedFile(Java.Frog.self)
        try file.open { realm in
            expectEqual(realm.schema["Frog"]?["name"]?.isOptional, true)
            try realm.write {
                realm.add(Java.Frog())
                realm.add(Java.Frog(name: nil, age: 1, species: nil, owner: nil))
                _ = realm.create(Java.Frog.self, value: ["name": NSNull()])
                _ = realm.create(Java.Frog.self, value: ["age": 3])
            }
        }
        try file.open { realm in
            expectEqual(realm.objects(Java.Frog.self).map(\.name), ["Kitty", nil, nil, "Kitty"])
            try realm.write { realm.objects(Java.Frog.self)[0].name = nil }
            expect(realm.objects(Java.Frog.self)[0].name == nil)
        }
        let realm = try seedRealm(KotlinForJava.Frog.self)
        expectEqual(realm.schema["Frog"]?["name"]?.isOptional, false)
        try realm.write { realm.add(KotlinForJava.Frog()) }
        expectEqual(realm.objects(KotlinForJava.Frog.self)[0].name, "Kitty")
        let code = thrownCode {
            try realm.write { _ = realm.create(KotlinForJava.Frog.self, value: ["name": NSNull()]) }
        }
        expectEqual(code, .missingValue)
    }

    @Test
    func `Swift: defaults by literals, expressions, calls, arguments and init()`() throws {
        typealias EveryKind = SwiftTab.EveryKind
        let realm = try seedRealm(EveryKind.self)
        let before = Date()
        let (first, second) = (EveryKind(), EveryKind())
        expect(first.call != second.call && first.plainDate >= before)
        try realm.write {
            realm.add(first)
            realm.create(EveryKind.self, value: ["literal": 6])
        }
        for (object, literal) in zip(realm.objects(EveryKind.self), [5, 6]) {
            expect(object.literal == literal && object.expression == 3_600 && object.call > 0)
            expect(object.optional == "some" && object.none == nil && object.indexed == 7 && object.list.isEmpty)
            expect(object.date == Date(timeIntervalSince1970: 1) && object.byInit == "set by init()")
        }
        expect(first.call != realm.objects(EveryKind.self)[1].call)
        // A default is for new objects: a stored value isn't touched when its object is read.
        try realm.write { first.literal = 50 }
        expectEqual(realm.objects(EveryKind.self)[0].literal, 50)
    }

    @Test
    func `A private stored property behind a checked public one`() throws {
        let file = SeedFile(CSharp.Account.self, CSharp.Checked.self)
        try file.open { realm in
            let (account, checked) = (CSharp.Account(), CSharp.Checked())
            try account.setEmail("ada@example.com")
            #expect(throws: CSharp.Account.InvalidAddress.self) { try account.setEmail("nowhere") }
            checked.Email = "nowhere"
            try realm.write { realm.add([account, checked] as [Object]) }
            for name in ["Account", "Checked"] {
                expectEqual(realm.schema[name]?.properties.map(\.name), ["email"])
            }
        }
        try file.open { realm in
            let account = realm.objects(CSharp.Account.self)[0]
            let checked = realm.objects(CSharp.Checked.self)[0]
            expect(account.Email == "ada@example.com" && account["email"] as? String == "ada@example.com")
            expectEqual(checked.Email, "nobody@example.com")
            try realm.write {
                checked.Email = "ada@example.com"
                checked.Email = "nowhere"
            }
            expectEqual(checked.Email, "ada@example.com")
            // An error of the setter undoes the write.
            #expect(throws: CSharp.Account.InvalidAddress.self) {
                try realm.write {
                    try account.setEmail("bob@example.com")
                    try account.setEmail("nowhere")
                }
            }
            expectEqual(account.Email, "ada@example.com")
        }
    }
}
