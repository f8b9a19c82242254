import Foundation
import Freehold
import FreeholdEngine
import Testing

private final class PHPerson: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var best: PHDog?
    @Persisted var dogs: List<PHDog>
    @Persisted var byName: Map<String, PHDog?>
    @Persisted var pack: MutableSet<PHDog>
    @Persisted var any: AnyRealmValue
    override class func mappedName() -> String? { "Person" }
}

private final class PHDog: Object {
    @Persisted(primaryKey: true) var id: String
    @Persisted var age = 3
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<PHPerson>
    override class func mappedName() -> String? { "Dog" }
}

/// Links that were stored before their objects, as a program with a realm sees them.
@Suite("Placeholders: realms") struct PlaceholderRealmTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("freehold-\(UUID().uuidString)", isDirectory: true)

    private func configuration() throws -> Realm.Configuration {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return Realm.Configuration(
            fileURL: folder.appendingPathComponent("dogs.realm"),
            objectTypes: [PHPerson.self, PHDog.self]
        )
    }

    /// Writes like an applier of remote changes: Ada with links to an existing dog Rex and a missing dog Fido.
    private func bring(_ configuration: Realm.Configuration) throws {
        let database = try Database.open(at: configuration.fileURL!.path)
        let transaction = try database.beginWrite()
        transaction.origin = .applier(1)
        let person = transaction.schema.table(named: "Person")!
        let dog = transaction.schema.table(named: "Dog")!
        let ada =
            try transaction.find(primaryKey: .int(1), in: person) ?? transaction.create(person, primaryKey: .int(1))
        let rex = try transaction.reference(to: dog, primaryKey: .string("Rex"))
        let fido = try transaction.reference(to: dog, primaryKey: .string("Fido"))
        func column(_ name: String) -> Column { person.column(named: name)! }
        try transaction.setStored(column("best"), ada, to: .link(fido))
        try transaction.storedListAssign(column("dogs"), ada, values: [.link(fido), .link(rex), .link(fido)])
        try transaction.storedDictionaryAssign(column("byName"), ada, entries: [("f", .link(fido)), ("r", .link(rex))])
        try transaction.storedSetAssign(column("pack"), ada, values: [.link(fido), .link(rex)])
        try transaction.setStored(column("any"), ada, to: .objectLink(ObjectLink(tableID: dog.id, key: fido)))
        try expectEqual(transaction.commit().verify(), [])
    }

    @MainActor @Test func `a realm shows existing objects, and the other ones after their creation`() throws {
        let configuration = try configuration()
        let realm = try Realm(configuration: configuration)
        try realm.write {
            realm.create(PHPerson.self, value: ["id": 1, "name": "Ada"])
            realm.create(PHDog.self, value: ["id": "Rex"])
        }
        let ada = realm.object(ofType: PHPerson.self, forPrimaryKey: 1)!
        var told: [String] = []
        let token = ada.dogs.observe { change in
            switch change {
            case .initial(let dogs): told.append("\(Array(dogs.map(\.id)))")
            case .update(let dogs, let gone, let new, let set):
                told.append("\(Array(dogs.map(\.id))) \(gone) \(new) \(set)")
            case .error: told.append("error")
            }
        }
        defer { token.invalidate() }
        realm.refresh()
        try bring(configuration)
        realm.refresh()
        expect(ada.best == nil && ada.dogs.map(\.id) == ["Rex"] && ada.byName.keys == ["r"])
        expect(ada.pack.map(\.id) == ["Rex"] && ada.any == .none)
        expect(realm.objects(PHDog.self).count == 1 && realm.object(ofType: PHDog.self, forPrimaryKey: "Fido") == nil)
        expectEqual(realm.objects(PHPerson.self).where { $0.best == nil }.count, 1)
        expectEqual(realm.objects(PHPerson.self).where { $0.dogs.count == 1 && $0.byName.count == 1 }.count, 1)
        expectEqual(realm.objects(PHPerson.self).where { $0.dogs.id == "Fido" }.count, 0)
        expect(realm.dynamicObjects("Person")[0]["best"] == nil)
        var document = Data()
        _ = try realm.exportDocument { document += $0 }
        let text = String(decoding: document, as: UTF8.self)
        expect(!text.contains("Fido") && !text.contains("@"))
        expectEqual(realm.schema.objectSchema.map(\.className).sorted(), ["Dog", "Person"])
        // A user's edits see what is shown; the rest keeps its place.
        try realm.write {
            let bello = realm.create(PHDog.self, value: ["id": "Bello"])
            ada.dogs.append(bello)
            ada.dogs.move(from: 1, to: 0)
            ada.byName["b"] = bello
        }
        expectEqual(ada.dogs.map(\.id), ["Bello", "Rex"])
        try realm.write {
            realm.add(PHDog(value: ["id": "Fido", "age": 7]))
            // In the transaction, too.
            expect(ada.best?.age == 7 && ada.dogs.count == 4)
        }
        expectEqual(ada.dogs.map(\.id), ["Fido", "Bello", "Rex", "Fido"])
        expect(ada.byName.keys.sorted() == ["b", "f", "r"] && ada.pack.count == 2)
        expectEqual(ada.any.object(PHDog.self)?.id, "Fido")
        expectEqual(realm.object(ofType: PHDog.self, forPrimaryKey: "Fido")!.owners.count, 2)
        realm.refresh()
        expectEqual(told.last?.hasPrefix("[\"Fido\", \"Bello\", \"Rex\", \"Fido\"] [] [0, 3]"), true, "\(told)")
    }

    @Test func `placeholders are deleted with everything, and aren't part of empty, copied or migrated files`() throws {
        let configuration = try configuration()
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.create(PHDog.self, value: ["id": "Rex"]) }
        }
        try bring(configuration)
        do {
            let realm = try Realm(configuration: configuration)
            let copy = folder.appendingPathComponent("copy.realm")
            try realm.writeCopy(configuration: Realm.Configuration(fileURL: copy))
            let database = try Database.open(at: copy.path)
            let snapshot = try database.snapshot()
            expect(snapshot.verify() == [] && snapshot.placeholderCount(snapshot.schema.table(named: "Dog")!) == 1)
        }
        do {
            var next = configuration
            next.schemaVersion = 3
            next.migrationBlock = { migration, _ in
                expectEqual(migration.oldSchema.objectSchema.map(\.className).sorted(), ["Dog", "Person"])
                migration.enumerateObjects(ofType: "Dog") { _, new in new!["age"] = 5 }
            }
            let realm = try Realm(configuration: next)
            try realm.write { realm.create(PHDog.self, value: ["id": "Fido"]) }
            expectEqual(realm.objects(PHPerson.self)[0].dogs.map(\.id), ["Fido", "Rex", "Fido"])
            try realm.write { realm.deleteAll() }
            expect(realm.isEmpty)
        }
        try bring(Realm.Configuration(fileURL: configuration.fileURL, objectTypes: configuration.objectTypes))
        var next = configuration
        next.schemaVersion = 3
        let realm = try Realm(configuration: next)
        try realm.write { realm.delete(realm.objects(PHPerson.self)) }
        expect(realm.isEmpty)
    }
}
