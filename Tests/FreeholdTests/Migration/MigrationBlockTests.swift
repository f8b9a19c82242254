import Foundation
import FreeholdEngine
import Synchronization
import Testing

@testable import Freehold

private let nameAndAge = person(Property("name", .string), Property("age", .int))

private func writePeople(_ base: Realm.Configuration, _ count: Int = 5) throws {
    try writeFile(migrationConfiguration(base, 1, [nameAndAge])) { realm in
        for i in 0..<count { realm.dynamicCreate("Person", value: ["name": "n\(i)", "age": i] as [String: Any]) }
    }
}

@Suite("Migration blocks")
struct MigrationBlockTests {
    @Test
    func `the block runs once, with the old version, and sees old and new objects`() throws {
        try withNewFile { base in
            try writePeople(base)
            let runs = Mutex<[UInt64]>([])
            let new = person(Property("name", .string), Property("text", .string))
            let configuration = migrationConfiguration(base, 3, [new]) { migration, oldVersion in
                runs.withLock { $0.append(oldVersion) }
                expectEqual(migration.oldSchema["Person"]?.properties.map(\.name), ["name", "age"])
                expectEqual(migration.newSchema["Person"]?.properties.map(\.name), ["name", "text"])
                migration.enumerateObjects(ofType: "Person") { old, new in
                    expectEqual(new!["name"] as? String, old!["name"] as? String)
                    expectEqual(new!["text"] as? String, "")
                    new!["text"] = "\(old!["name"] as! String) \(old!["age"] as! Int)"
                }
            }
            for _ in 0..<2 {
                try readFile(configuration) { realm in
                    let texts = realm.dynamicObjects("Person").map { $0["text"] as! String }
                    expectEqual(Array(texts), (0..<5).map { "n\($0) \($0)" })
                    expectEqual(realm.core.view.userVersion, 3)
                    expectEqual(realm.core.view.schema.table(named: "Person")?.columns.map(\.name), ["name", "text"])
                }
            }
            expectEqual(runs.withLock { $0 }, [1])
            try expectEqual(schemaVersionAtURL(base.fileURL!), 3)
        }
    }

    @Test
    func `a new file and an unchanged version run no block`() throws {
        try withNewFile { base in
            let configuration = migrationConfiguration(base, 4, [nameAndAge]) { _, _ in Issue.record("it ran") }
            try readFile(configuration) { _ in }
            try readFile(configuration) { _ in }
        }
    }

    @Test
    func `objects that the block creates or deletes are not visited`() throws {
        try withNewFile { base in
            try writePeople(base)
            let visited = Mutex<[String]>([])
            let configuration = migrationConfiguration(base, 2, [nameAndAge]) { migration, _ in
                migration.enumerateObjects(ofType: "Person") { old, new in
                    let name = old!["name"] as! String
                    visited.withLock { $0.append(name) }
                    migration.create("Person", value: ["name": "copy of \(name)", "age": 1] as [String: Any])
                    if name != "n0" { return migration.delete(new!) }
                    // Deletes the object after the next one.
                    let third = migration.new.dynamicTable(named: "Person")!
                    migration.delete(third.object(ObjectKey(2)) as! MigrationObject)
                }
            }
            let names = try readFile(configuration) { $0.dynamicObjects("Person").map { $0["name"] as! String } }
            expectEqual(visited.withLock { $0 }, ["n0", "n1", "n3", "n4"])
            expectEqual(Array(names), ["n0", "copy of n0", "copy of n1", "copy of n3", "copy of n4"])
        }
    }

    @Test
    func `new classes have no old objects, removed classes no new ones, and unknown classes neither`() throws {
        try withNewFile { base in
            try writePeople(base, 3)
            let log = ObjectSchema("Log", properties: [Property("text", .string)])
            let configuration = migrationConfiguration(base, 2, [log]) { migration, _ in
                migration.enumerateObjects(ofType: "Nobody") { _, _ in Issue.record("there are none") }
                migration.enumerateObjects(ofType: "Log") { _, _ in Issue.record("there are none") }
                migration.enumerateObjects(ofType: "Person") { old, new in
                    expect(new == nil)
                    migration.create("Log", value: ["text": old!["name"] as! String])
                }
                let count = Mutex(0)
                migration.enumerateObjects(ofType: "Log") { old, new in
                    expect(old == nil && new!["text"] is String)
                    count.withLock { $0 += 1 }
                }
                expectEqual(count.withLock { $0 }, 3)
            }
            try readFile(configuration) { realm in
                expectEqual(Array(realm.dynamicObjects("Log").map { $0["text"] as! String }), ["n0", "n1", "n2"])
                // A class that left the schema keeps its objects, and can be read by name.
                expectEqual(realm.dynamicObjects("Person").count, 3)
                expectEqual(realm.dynamicObjects("Person")[1]["age"] as? Int, 1)
            }
        }
    }

    @Test("deleteData clears a class, or removes it if it left the schema")
    func deleteData() throws {
        try withNewFile { base in
            let pet = ObjectSchema("Pet", properties: [Property("owner", .object, objectClassName: "Person")])
            try writeFile(migrationConfiguration(base, 1, [nameAndAge, pet])) { realm in
                let owner = realm.dynamicCreate("Person", value: ["name": "Ada", "age": 36] as [String: Any])
                realm.dynamicCreate("Pet", value: ["owner": owner])
            }
            let stays = migrationConfiguration(base, 2, [nameAndAge, pet]) { migration, _ in
                expect(migration.deleteData(forType: "Person"))
                expect(!migration.deleteData(forType: "Nobody"))
                expectEqual(migration.old.view.count(migration.old.view.schema.table(named: "Person")!), 1)
            }
            try readFile(stays) { realm in
                expect(realm.dynamicObjects("Person").isEmpty)
                expect(realm.dynamicObjects("Pet").count == 1 && realm.dynamicObjects("Pet")[0]["owner"] == nil)
            }
            let goes = migrationConfiguration(base, 3, [nameAndAge]) { migration, _ in
                expect(migration.deleteData(forType: "Pet"))
            }
            try readFile(goes) { expectEqual($0.storedSchema.objectSchema.map(\.className), ["Person"]) }
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `one block can contain the steps of several versions`(from: UInt64) throws {
        let classes: [[ObjectSchema]] = [
            [nameAndAge],
            [person(Property("name", .string), Property("years", .int))],
            [person(Property("name", .string), Property("years", .double, optional: true))],
            [person(Property("name", .string), Property("years", .string))],
        ]
        let block: MigrationBlock = { migration, oldVersion in
            if oldVersion < 2 { migration.renameProperty(onType: "Person", from: "age", to: "years") }
            migration.enumerateObjects(ofType: "Person") { old, new in
                new!["years"] = "\(old![oldVersion < 2 ? "age" : "years"] ?? "none")"
            }
        }
        // The renamed property has another type, so only a copy keeps its values.
        let last: MigrationBlock = { migration, oldVersion in
            migration.enumerateObjects(ofType: "Person") { old, new in
                new!["years"] = "\(old![oldVersion < 2 ? "age" : "years"] ?? "none")"
            }
        }
        try withNewFile { base in
            let name = from == 1 ? "age" : "years"
            try writeFile(migrationConfiguration(base, from, classes[Int(from) - 1])) { realm in
                realm.dynamicCreate("Person", value: ["name": "Ada", name: 36] as [String: Any])
            }
            if from == 1 {
                try expectRefused(migrationConfiguration(base, 4, classes[3], block), .schemaMismatch)
            }
            try readFile(migrationConfiguration(base, 4, classes[3], last)) { realm in
                expectEqual(realm.dynamicObjects("Person")[0]["years"] as? String, (from == 3 ? "36.0" : "36"))
            }
        }
    }

    @Test
    func `opening throws bad data and errors of the block, and changes nothing`() throws {
        struct Mine: Error {}
        try withNewFile { base in
            try writePeople(base)
            let blocks: [(Realm.Error.Code, MigrationBlock)] = [
                (.invalidValue, { m, _ in m.enumerateObjects(ofType: "Person") { $1!["age"] = "no number" } }),
                (.missingValue, { m, _ in m.enumerateObjects(ofType: "Person") { $1!["name"] = nil } }),
                (.invalidValue, { m, _ in m.create("Person", value: ["name": 5]) }),
                (.fail, { m, _ in m.fail(Mine()) }),
                (.invalidInput, { m, _ in m.fail(Realm.Error(.invalidInput, "mine")) }),
            ]
            let more = person(Property("name", .string), Property("age", .int), Property("more", .string))
            for (code, block) in blocks {
                let error = try expectRefused(migrationConfiguration(base, 2, [more], block), code)
                if code == .fail { expect(error?.cause is Mine) }
            }
            // The file still opens with the old version.
            try expectEqual(
                readFile(migrationConfiguration(base, 1, [nameAndAge])) { $0.dynamicObjects("Person").count },
                5
            )
        }
    }

    @Test
    func `objects that were kept from a block are invalid afterwards`() throws {
        try withNewFile { base in
            try writePeople(base)
            // The block runs on this thread.
            nonisolated(unsafe) var kept: [ObjectBase] = []
            let configuration = migrationConfiguration(base, 2, [nameAndAge]) { migration, _ in
                migration.enumerateObjects(ofType: "Person") { old, new in
                    kept += [old!, new!]
                }
            }
            try readFile(configuration) { _ in }
            expect(kept.count == 10 && kept.allSatisfy(\.isInvalidated))
        }
    }

    @Test
    func `a lower version than the file's, the reserved one, and an open file are errors`() throws {
        try withNewFile { base in
            try writePeople(base)
            try expectRefused(migrationConfiguration(base, 0, [nameAndAge]), .schemaVersionTooLow)
            let reserved = #expect(throws: Realm.Error.self) {
                try Realm(configuration: migrationConfiguration(base, .max, [nameAndAge]))
            }
            expectEqual(reserved?.code, .invalidInput)
            let realm = try Realm(configuration: migrationConfiguration(base, 1, [nameAndAge]))
            let configuration = migrationConfiguration(base, 2, [nameAndAge])
            let here = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
            expectEqual(here?.code, .alreadyOpen)
            let closed = #expect(throws: Realm.Error.self) { try Realm.performMigration(for: configuration) }
            expectEqual(closed?.code, .alreadyOpen)
            withExtendedLifetime(realm) {}
        }
    }

    @Test
    func `performMigration migrates and closes the file`() throws {
        try withNewFile { base in
            try writePeople(base)
            let configuration = migrationConfiguration(base, 2, [person(Property("name", .string))])
            try Realm.performMigration(for: configuration)
            try expectEqual(schemaVersionAtURL(base.fileURL!), 2)
            expect(!Database.isOpen(at: base.fileURL!.path))
            try readFile(configuration) { expectEqual($0.dynamicObjects("Person").count, 5) }
        }
    }

    @Test(arguments: [1, 2, 0] as [UInt64])
    func `deleteRealmIfMigrationNeeded empties the file instead`(version: UInt64) throws {
        try withNewFile { base in
            try writePeople(base)
            var same = migrationConfiguration(base, 1, [nameAndAge])
            same.deleteRealmIfMigrationNeeded = true
            try expectEqual(readFile(same) { $0.dynamicObjects("Person").count }, 5)
            var configuration = migrationConfiguration(base, version, [person(Property("name", .int))]) { _, _ in
                Issue.record("it ran")
            }
            configuration.deleteRealmIfMigrationNeeded = true
            try readFile(configuration) { realm in
                expect(realm.dynamicObjects("Person").isEmpty && realm.core.view.userVersion == version)
                try realm.write { realm.dynamicCreate("Person", value: ["name": 5]) }
            }
            try expectEqual(readFile(configuration) { $0.dynamicObjects("Person").count }, 1)
            configuration.readOnly = true
            let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
            expectEqual(error?.code, .invalidInput)
        }
    }
}
