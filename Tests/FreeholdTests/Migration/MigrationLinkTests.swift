import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

private class FirstDog: Object {
    @Persisted(primaryKey: true) var tag = 0
    @Persisted var name = ""
    override class func mappedName() -> String? { "Dog" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class FirstPerson: Object {
    @Persisted var dog: FirstDog?
    @Persisted var dogs: List<FirstDog>
    @Persisted var years: Int?
    @Persisted(indexed: true) var mail = ""
    override class func mappedName() -> String? { "Person" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class SecondDog: Object {
    @Persisted(primaryKey: true) var _id = UUID()
    @Persisted(mapTo: "dog_name") var name = "nameless"
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<SecondPerson>
    override class func mappedName() -> String? { "Dog" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class SecondPerson: Object {
    @Persisted var dogs: MutableSet<SecondDog>
    @Persisted var best: SecondDog?
    @Persisted var any: AnyRealmValue
    @Persisted var age = 0
    @Persisted var mails: List<String>
    @Persisted var kind = Kind.other
    override class func mappedName() -> String? { "Person" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    enum Kind: String, PersistableEnum { case owner, other }
}

@Suite("Migrations of Swift classes")
struct MigrationLinkTests {
    @Test
    func `a migration converts classes of one version to the next, with links, keys and enums`() throws {
        try withNewFile { base in
            var first = base
            first.objectTypes = [FirstDog.self, FirstPerson.self]
            try writeFile(first) { realm in
                let dogs = (0..<10).map { FirstDog(value: ["tag": $0, "name": "dog \($0)"] as [String: Any]) }
                realm.add(dogs)
                for i in 0..<8 {
                    let person = FirstPerson()
                    person.dog = dogs[i]
                    person.dogs.append(objectsIn: [dogs[i], dogs[i + 1], dogs[i]])
                    person.years = i % 2 == 0 ? i : nil
                    person.mail = "m\(i)"
                    realm.add(person)
                }
            }
            var second = base
            second.objectTypes = [SecondDog.self, SecondPerson.self]
            second.schemaVersion = 1
            second.migrationBlock = { migration, _ in
                migration.renameProperty(onType: "SecondDog", from: "name", to: "name")
                migration.enumerateObjects(ofType: "SecondPerson") { old, new in
                    new!["dogs"] = old!["dogs"]
                    new!["best"] = old!["dog"]
                    new!["any"] = old!["dog"]
                    new!["age"] = old!["years"] ?? -1
                    new!["mails"] = [old!["mail"] as! String]
                    new!["kind"] = "owner"
                }
            }
            try readFile(second) { realm in
                expectEqual(realm.objects(SecondDog.self).map(\.name), (0..<10).map { "dog \($0)" })
                expectEqual(Set(realm.objects(SecondDog.self).map(\._id)).count, 10)
                for (i, person) in realm.objects(SecondPerson.self).enumerated() {
                    expectEqual(Set(person.dogs.map(\.name)), ["dog \(i)", "dog \(i + 1)"])
                    expect(person.best?.name == "dog \(i)" && person.any.object(SecondDog.self)?.name == "dog \(i)")
                    expect(
                        person.age == (i % 2 == 0 ? i : -1) && Array(person.mails) == ["m\(i)"] && person.kind == .owner
                    )
                }
                expectEqual(realm.objects(SecondDog.self)[3].owners.count, 2)
            }
        }
    }

    @Test
    func `a link to an old object that the block has deleted is nil`() throws {
        try withNewFile { base in
            var first = base
            first.objectTypes = [FirstDog.self, FirstPerson.self]
            try writeFile(first) { realm in
                realm.create(FirstPerson.self, value: ["dog": ["tag": 1]])
            }
            var second = base
            second.objectTypes = [SecondDog.self, SecondPerson.self]
            second.schemaVersion = 1
            second.migrationBlock = { migration, _ in
                migration.deleteData(forType: "Dog")
                migration.enumerateObjects(ofType: "Person") { $1!["best"] = $0!["dog"] }
            }
            try readFile(second) { realm in
                expect(realm.objects(SecondPerson.self)[0].best == nil && realm.objects(SecondDog.self).isEmpty)
            }
        }
    }

    /// Migrates the file like another process.
    private func migrateBehind(_ base: Realm.Configuration) throws {
        let database = try Database.open(at: base.fileURL!.path)
        let transaction = try database.beginWrite()
        let specs = [
            TableSpec("Dog", columns: [ColumnSpec("tag", .string), ColumnSpec("name", .string)]),
            TableSpec("Person", columns: [ColumnSpec("dog", .link, target: "Dog")]),
        ]
        try transaction.extendSchema(to: specs, suspendsPrimaryKeys: false)
        try transaction.finishSchema(specs, userVersion: 1)
        _ = try transaction.commit()
    }

    @Test("a realm whose file was migrated elsewhere can't write, and its old classes can't open the file")
    func migratedElsewhere() throws {
        try withNewFile { base in
            var first = base
            first.objectTypes = [FirstDog.self, FirstPerson.self]
            let realm = try Realm(configuration: first)
            try realm.write { realm.add(FirstDog(value: ["tag": 5])) }
            try migrateBehind(base)
            // The shown values don't change.
            expectEqual(realm.objects(FirstDog.self)[0].tag, 5)
            expectEqual(thrownCode { try realm.write { realm.add(FirstDog()) } }, .schemaMismatch)
            expect(realm.objects(FirstDog.self).count == 1 && !realm.isInWriteTransaction)
        }
    }

    @Test
    func `such a realm keeps its version at a refresh, and reports the reason`() throws {
        try withNewFile { base in
            var first = base
            first.objectTypes = [FirstDog.self, FirstPerson.self]
            let realm = try Realm(configuration: first)
            try realm.write { realm.add(FirstDog(value: ["tag": 5])) }
            try migrateBehind(base)
            let isMoved = realm.refresh()
            expect(!isMoved)
            expectEqual(realm.refreshError?.code, .schemaMismatch)
            expectEqual(realm.refreshError?.message.contains("was migrated while it was open"), true)
            expectEqual(realm.objects(FirstDog.self)[0].tag, 5)
        }
    }
}

@Suite("Traps of migrations")
struct MigrationTrapTests {
    @Test(arguments: 0..<5)
    func `unknown classes, changes of old objects, and creation of embedded objects are errors`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            try withNewFile { base in
                let part = ObjectSchema("Part", isEmbedded: true, properties: [Property("n", .int)])
                let old = person(Property("a", .int), Property("part", .object, objectClassName: "Part"))
                try writeFile(migrationConfiguration(base, 1, [old, part])) { $0.dynamicCreate("Person") }
                let configuration = migrationConfiguration(base, 2, [old, part]) { migration, _ in
                    migration.enumerateObjects(ofType: "Person") { old, new in
                        switch kind {
                        case 0: migration.create("Nobody")
                        case 1: old!["a"] = 5
                        case 2: migration.delete(old!)
                        case 3: migration.create("Part")
                        default: _ = new!["nothing"]
                        }
                    }
                }
                _ = try Realm(configuration: configuration)
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let expected = [
            "has no class 'Nobody'", "outside a write", "old object", "embedded", "no property \"nothing\"",
        ]
        expect(text.contains(expected[kind]), "\(text)")
    }
}
