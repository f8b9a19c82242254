import Foundation
import Synchronization
import Testing

@testable import Freehold

// "Map a Model or Property to a Different Name": where the stored names are the ones that count.

private enum Before {
    class Person: SeedObject {
        @Persisted(mapTo: "moniker") var name = ""
        override class func mappedName() -> String? { "Human" }
    }
}

private enum After {
    class Person: SeedObject {
        @Persisted(mapTo: "moniker") var name = ""
        @Persisted(mapTo: "loud_moniker") var loudName = ""
        override class func mappedName() -> String? { "Human" }
    }
}

private enum Kotlin {
    class Frog: SeedObject {
        @Persisted(primaryKey: true) var _id = 0
        @Persisted(mapTo: "latin_name") var species: String?
        @Persisted var pond: Pond?
        override class func mappedName() -> String? { "Frog_Entity" }
    }
    class Pond: SeedObject {
        @Persisted var depth = 0
        @Persisted(originProperty: "pond") var frogs: LinkingObjects<Frog>
    }
}

@Suite("Seeds 003: uses of stored names")
struct SeedStoredNameTests {
    @Test
    func `Migrations use the stored names of classes and properties`() throws {
        let file = SeedFile(Before.Person.self)
        try file.open { realm in
            try realm.write { _ = realm.create(Before.Person.self, value: ["name": "Caleb"]) }
        }
        let runs = Mutex(0)
        var configuration = file.configuration
        configuration.objectTypes = [After.Person.self]
        configuration.schemaVersion = 1
        configuration.migrationBlock = { migration, _ in
            expectEqual(migration.oldSchema["Human"]?.properties.map(\.columnName), ["moniker"])
            migration.enumerateObjects(ofType: "Human") { old, new in
                runs.withLock { $0 += 1 }
                new?["loud_moniker"] = (old?["moniker"] as? String ?? "").uppercased()
            }
        }
        try file.open(configuration) { realm in
            let person = realm.objects(After.Person.self)[0]
            expect(person.name == "Caleb" && person.loudName == "CALEB")
        }
        expectEqual(runs.withLock { $0 }, 1)
    }

    @Test("Kotlin: queries by inverse relationships have the class's stored name, and either name of a property")
    func inverseQueries() throws {
        let realm = try seedRealm(Kotlin.Frog.self, Kotlin.Pond.self)
        try realm.write {
            let pond = realm.create(Kotlin.Pond.self, value: ["depth": 1])
            realm.create(Kotlin.Pond.self, value: ["depth": 2])
            realm.create(Kotlin.Frog.self, value: ["_id": 1, "species": "rana", "pond": pond] as [String: Any])
        }
        let ponds = realm.objects(Kotlin.Pond.self)
        for text in ["@links.Frog_Entity.pond.latin_name == 'rana'", "ANY frogs.species == 'rana'"] {
            try expectEqual(ponds.filter(validating: text).map(\.depth), [1], "\(text)")
        }
    }
}
