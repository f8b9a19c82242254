import Foundation
import Testing

import Freehold

// "Define an Embedded Object": each tab's models.

private enum CPlusPlus {
    // It has no life outside of its top-level object, and so no `_id` of its own.
    class ContactDetails: SeedEmbedded {
        @Persisted var emailAddress = ""
        @Persisted var phoneNumber = ""
    }

    class Business: SeedObject {
        @Persisted var _id: ObjectId
        @Persisted var name = ""
        @Persisted var contactDetails: ContactDetails?
    }
}

private enum CSharp {
    class Address: SeedEmbedded {
        @Persisted(mapTo: "street") var Street = ""
        @Persisted(mapTo: "city") var City = ""
        @Persisted(mapTo: "country") var Country = ""
        @Persisted(mapTo: "postalCode") var PostalCode = ""
    }

    class Contact: SeedObject {
        @Persisted(primaryKey: true, mapTo: "_id") var Id = ObjectId.generate()
        @Persisted(mapTo: "_partition") var Partition = ""
        @Persisted(mapTo: "name") var Name = ""
        // Embeds a single address.
        @Persisted(mapTo: "address") var Address: CSharp.Address?
    }

    class Business: SeedObject {
        @Persisted(primaryKey: true, mapTo: "_id") var Id = ObjectId.generate()
        @Persisted(mapTo: "_partition") var Partition = ""
        @Persisted(mapTo: "name") var Name = ""
        @Persisted(mapTo: "addresses") var Addresses: List<CSharp.Address>
    }
}

private enum Dart {
    class Address: SeedEmbedded {
        @Persisted var street = ""
        @Persisted var city = ""
        @Persisted var state = ""
        @Persisted var country = ""
    }

    class Person: SeedObject {
        @Persisted(primaryKey: true) var id: ObjectId
        @Persisted var name = ""
        // Must be nullable.
        @Persisted var address: Address?
    }
}

private enum Java {
    class Fly: SeedEmbedded {
        @Persisted private var name: String?

        convenience init(_ name: String?) {
            self.init()
            self.name = name
        }
        func getName() -> String? { name }
    }

    class Frog: SeedObject {
        @Persisted private var name: String?
        @Persisted private var age: Int32
        @Persisted private var species: String?
        @Persisted private var owner: String?
        @Persisted private var lastMeal: Fly?

        convenience init(_ name: String, _ age: Int32, _ species: String, _ owner: String, _ lastMeal: Fly) {
            self.init()
            (self.name, self.age, self.species, self.owner) = (name, age, species, owner)
            self.lastMeal = lastMeal
        }
        func getName() -> String? { name }
        func getLastMeal() -> Fly? { lastMeal }
        func setLastMeal(_ lastMeal: Fly?) { self.lastMeal = lastMeal }
    }
}

private enum JavaScript {
    class Address: SeedEmbedded {
        @Persisted var street: String?
        @Persisted var city: String?
        @Persisted var country: String?
        @Persisted var postalCode: String?
    }

    class Contact: SeedObject {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name = ""
        @Persisted var address: Address?
    }

    class Business: SeedObject {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name = ""
        @Persisted var addresses: List<Address>
    }
}

private enum Kotlin {
    class EmbeddedAddress: SeedEmbedded {
        // Can't have a primary key.
        @Persisted var street: String?
        @Persisted var city: String?
        @Persisted var state: String?
        @Persisted var postalCode: String?
        @Persisted var propertyOwner: Contact?
    }

    class Contact: SeedObject {
        @Persisted(primaryKey: true) var _id = ObjectId.generate()
        @Persisted var name = ""
        @Persisted var address: EmbeddedAddress?
    }
}

private enum ObjectiveC {
    class Address: SeedEmbedded {
        @Persisted var street: String?
        @Persisted var city: String?
        @Persisted var country: String?
        @Persisted var postalCode: String?
    }

    class Contact: SeedObject {
        @Persisted var name: String?
        @Persisted var address: Address?
    }

    class Business: SeedObject {
        @Persisted var name: String?
        @Persisted var addresses: List<Address>
    }
}

private enum SwiftTab {
    class Dog: SeedObject {
        @Persisted var name = ""
    }

    class Person: SeedObject {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var name = ""
        // To-many relationship - a person can have many dogs
        @Persisted var dogs: List<Dog>
        // Inverse relationship - a person can be a member of many clubs
        @Persisted(originProperty: "members") var clubs: LinkingObjects<DogClub>
        // Embed a single object.
        // Embedded object properties must be marked optional.
        @Persisted var address: Address?

        convenience init(name: String, address: Address) {
            self.init()
            self.name = name
            self.address = address
        }
    }

    class DogClub: SeedObject {
        @Persisted var name = ""
        @Persisted var members: List<Person>
        // DogClub has an array of regional office addresses.
        // These are embedded objects.
        @Persisted var regionalOfficeAddresses: List<Address>

        convenience init(name: String, addresses: [Address]) {
            self.init()
            self.name = name
            self.regionalOfficeAddresses.append(objectsIn: addresses)
        }
    }

    class Address: SeedEmbedded {
        @Persisted var street: String?
        @Persisted var city: String?
        @Persisted var country: String?
        @Persisted var postalCode: String?
    }
}

private enum TypeScript {
    class Manufacturer: SeedObject {
        @Persisted var _id: ObjectId
        @Persisted var name = ""
        @Persisted var cars: List<CarWithEmbed>
        // Embed an array of objects
        @Persisted var warranties: List<Warranty>
    }

    class CarWithEmbed: SeedObject {
        @Persisted var _id: ObjectId
        @Persisted var model = ""
        @Persisted var miles: Int?
        // Embed one object
        @Persisted var warranty: Warranty?
    }

    class Warranty: SeedEmbedded {
        @Persisted var name = ""
        @Persisted var termLength = 0
        @Persisted var cost = 0
    }
}

@Suite("Seeds 000, 001, 002, 003, 004: embedded objects")
struct SeedEmbeddedTests {
    @Test
    func `C++: Business with contact details`() throws {
        let file = SeedFile(CPlusPlus.Business.self, CPlusPlus.ContactDetails.self)
        try file.open { realm in
            let business = CPlusPlus.Business()
            let details = CPlusPlus.ContactDetails()
            (business.name, details.emailAddress, details.phoneNumber) = ("Shop", "shop@example.com", "112")
            business.contactDetails = details
            try realm.write { realm.add(business) }
            expect(details.realm == realm && realm.schema["ContactDetails"]?.isEmbedded == true)
            expectEqual(realm.schema["Business"]?.isEmbedded, false)
        }
        try file.open { realm in
            let business = realm.objects(CPlusPlus.Business.self)[0]
            expectEqual(business.contactDetails?.emailAddress, "shop@example.com")
            expectEqual(
                realm.objects(CPlusPlus.Business.self).where { $0.contactDetails.phoneNumber == "112" }.count,
                1
            )
            try realm.write { business.contactDetails?.phoneNumber = "911" }
        }
        try file.open { realm in
            let business = realm.objects(CPlusPlus.Business.self)[0]
            let details = try require(business.contactDetails)
            expectEqual(details.phoneNumber, "911")
            try realm.write { realm.delete(business) }
            expect(details.isInvalidated && embeddedCount(realm, "ContactDetails") == 0)
        }
    }

    @Test
    func `C#: Contact with one address, Business with a list of them`() throws {
        let file = SeedFile(CSharp.Contact.self, CSharp.Business.self, CSharp.Address.self)
        try file.open { realm in
            try realm.write {
                _ = realm.create(
                    CSharp.Contact.self,
                    value: ["Name": "Ann", "Address": ["Street": "Main", "city": "Bonn"]] as [String: Any]
                )
                _ = realm.create(
                    CSharp.Business.self,
                    value: ["name": "Shop", "addresses": [["street": "A"], ["street": "B"]]] as [String: Any]
                )
            }
            expectEqual(embeddedCount(realm, "Address"), 3)
        }
        try file.open { realm in
            let contact = realm.objects(CSharp.Contact.self)[0]
            let business = realm.objects(CSharp.Business.self)[0]
            expect(contact.Address?.Street == "Main" && contact.Address?["city"] as? String == "Bonn")
            expectEqual(business.Addresses.map(\.Street), ["A", "B"])
            try realm.write {
                contact.Address = nil
                business.Addresses.remove(at: 0)
            }
            expect(embeddedCount(realm, "Address") == 1 && business.Addresses.map(\.Street) == ["B"])
            try realm.write { realm.delete(business) }
            expectEqual(embeddedCount(realm, "Address"), 0)
        }
    }

    @Test
    func `Dart: Person's address knows its parent`() throws {
        let file = SeedFile(Dart.Person.self, Dart.Address.self)
        try file.open { realm in
            let person = Dart.Person(value: ["name": "Ann", "address": ["city": "Bonn"]] as [String: Any])
            try realm.write { realm.add(person) }
        }
        try file.open { realm in
            let person = realm.objects(Dart.Person.self)[0]
            let address = try require(person.address)
            expect(address.city == "Bonn" && address.parent == person)
        }
    }

    @Test
    func `Java, Kotlin for Java: Frog whose last meal is embedded`() throws {
        let file = SeedFile(Java.Frog.self, Java.Fly.self)
        try file.open { realm in
            try realm.write { realm.add(Java.Frog("Kermit", 2, "bullfrog", "Jim", Java.Fly("Buzz"))) }
        }
        try file.open { realm in
            let frog = realm.objects(Java.Frog.self)[0]
            expect(frog.getName() == "Kermit" && frog.getLastMeal()?.getName() == "Buzz")
            let fly = try require(frog.getLastMeal())
            try realm.write { frog.setLastMeal(Java.Fly("Zip")) }
            expect(fly.isInvalidated && frog.getLastMeal()?.getName() == "Zip" && embeddedCount(realm, "Fly") == 1)
            try realm.write { frog.setLastMeal(nil) }
            expectEqual(embeddedCount(realm, "Fly"), 0)
        }
    }

    @Test
    func `JavaScript, Objective-C: Contact and Business whose addresses may lack anything`() throws {
        func check<C: Object, B: Object>(_ contact: C.Type, _ business: B.Type, _ address: EmbeddedObject.Type) throws {
            let file = SeedFile(contact, business, address)
            try file.open { realm in
                try realm.write {
                    _ = realm.create(contact, value: ["name": "Ann", "address": ["city": "Bonn"]] as [String: Any])
                    _ = realm.create(contact, value: ["name": "Bob"])
                    _ = realm.create(
                        business,
                        value: ["name": "Shop", "addresses": [["city": "Rome"], [String: Any]()]] as [String: Any]
                    )
                }
                expectEqual(embeddedCount(realm, "Address"), 3)
            }
            try file.open { realm in
                let ann = realm.objects(contact)[0]
                let one = try require(ann["address"] as? EmbeddedObject)
                expect(one["city"] as? String == "Bonn" && one["street"] == nil && one.objectSchema.isEmbedded)
                expect(realm.objects(contact)[1]["address"] == nil)
                try realm.write {
                    one["street"] = "Main"
                    realm.delete(realm.objects(business))
                }
                expect(one["street"] as? String == "Main" && embeddedCount(realm, "Address") == 1)
                try realm.write { realm.delete(ann) }
                expect(one.isInvalidated && realm.objects(contact).count == 1)
            }
        }
        try check(JavaScript.Contact.self, JavaScript.Business.self, JavaScript.Address.self)
        try check(ObjectiveC.Contact.self, ObjectiveC.Business.self, ObjectiveC.Address.self)
    }

    @Test
    func `Kotlin: an address that links to another contact; the link is an ordinary one`() throws {
        let file = SeedFile(Kotlin.Contact.self, Kotlin.EmbeddedAddress.self)
        try file.open { realm in
            let (tenant, owner) = (Kotlin.Contact(), Kotlin.Contact())
            (tenant.name, owner.name) = ("Ann", "Bob")
            let address = Kotlin.EmbeddedAddress()
            (address.city, address.propertyOwner) = ("Bonn", owner)
            tenant.address = address
            try realm.write { realm.add(tenant) }
            expectEqual(realm.objects(Kotlin.Contact.self).count, 2)
        }
        try file.open { realm in
            let contacts = realm.objects(Kotlin.Contact.self)
            let tenant = contacts.where { $0.name == "Ann" }[0]
            expectEqual(tenant.address?.propertyOwner?.name, "Bob")
            expectEqual(contacts.where { $0.address.propertyOwner.name == "Bob" }.map(\.name), ["Ann"])
            try realm.write { realm.delete(tenant.address!.propertyOwner!) }
            expect(tenant.address != nil && tenant.address?.propertyOwner == nil)
            try realm.write { tenant.address?.propertyOwner = tenant }
            try realm.write { realm.delete(tenant) }
            expect(realm.isEmpty && embeddedCount(realm, "EmbeddedAddress") == 0)
        }
    }

    @Test
    func `Swift, and the document on sync: Person, DogClub and their addresses`() throws {
        typealias Tab = SwiftTab
        let file = SeedFile(Tab.Person.self, Tab.DogClub.self, Tab.Address.self, Tab.Dog.self)
        try file.open { realm in
            let person = Tab.Person(name: "Ann", address: Tab.Address(value: ["city": "Bonn", "country": "DE"]))
            person.dogs.append(Tab.Dog(value: ["Rex"]))
            let club = Tab.DogClub(
                name: "Club",
                addresses: [Tab.Address(value: ["city": "Rome"]), Tab.Address(value: ["city": "Oslo"])]
            )
            club.members.append(person)
            try realm.write { realm.add(club) }
            expectEqual(embeddedCount(realm, "Address"), 3)
            expectEqual(realm.schema["Person"]?["address"]?.isOptional, true)
        }
        try file.open { realm in
            let club = realm.objects(Tab.DogClub.self)[0]
            let person = club.members[0]
            expect(person.clubs.first == club && person.address?.city == "Bonn" && person.address?.street == nil)
            expectEqual(club.regionalOfficeAddresses.map(\.city), ["Rome", "Oslo"])
            expectEqual(realm.objects(Tab.DogClub.self).where { $0.regionalOfficeAddresses.city == "Oslo" }.count, 1)
            try realm.write {
                club.regionalOfficeAddresses[0].postalCode = "00118"
                club.regionalOfficeAddresses[1] = Tab.Address(value: ["city": "Bergen"])
            }
            expectEqual(club.regionalOfficeAddresses.map(\.city), ["Rome", "Bergen"])
            expectEqual(embeddedCount(realm, "Address"), 3)
        }
        try file.open { realm in
            let club = realm.objects(Tab.DogClub.self)[0]
            expectEqual(club.regionalOfficeAddresses[0].postalCode, "00118")
            try realm.write { realm.delete(club) }
            // The person was a relationship, the offices were part of the club.
            expect(realm.objects(Tab.Person.self).count == 1 && embeddedCount(realm, "Address") == 1)
            expect(realm.objects(Tab.Person.self)[0].clubs.isEmpty)
        }
    }

    @Test
    func `TypeScript: Manufacturer, cars and warranties of both`() throws {
        typealias Tab = TypeScript
        let file = SeedFile(Tab.Manufacturer.self, Tab.CarWithEmbed.self, Tab.Warranty.self)
        try file.open { realm in
            try realm.write {
                _ = realm.create(
                    Tab.Manufacturer.self,
                    value: [
                        "name": "Honda",
                        "cars": [
                            ["model": "Civic", "miles": 9, "warranty": ["name": "full", "termLength": 2]]
                                as [String: Any],
                            ["model": "Accord"],
                        ] as [Any],
                        "warranties": [["name": "a", "cost": 10], ["name": "b", "cost": 20]] as [[String: Any]],
                    ] as [String: Any]
                )
            }
        }
        try file.open { realm in
            let honda = realm.objects(Tab.Manufacturer.self)[0]
            expect(honda.cars.map(\.warranty?.name) == ["full", nil] && honda.cars[0].warranty?.termLength == 2)
            expect(honda.warranties.map(\.cost) == [10, 20] && embeddedCount(realm, "Warranty") == 3)
            try realm.write { honda.warranties.removeAll() }
            expectEqual(embeddedCount(realm, "Warranty"), 1)
            try realm.write { realm.delete(honda) }
            expect(realm.objects(Tab.CarWithEmbed.self).count == 2 && embeddedCount(realm, "Warranty") == 1)
            try realm.write { realm.delete(realm.objects(Tab.CarWithEmbed.self)) }
            expectEqual(embeddedCount(realm, "Warranty"), 0)
        }
    }
}
