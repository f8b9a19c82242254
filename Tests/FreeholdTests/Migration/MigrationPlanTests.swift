import Foundation
import FreeholdEngine
import Synchronization
import Testing

@testable import Freehold

private let first = person(
    Property("id", .int, primaryKey: true),
    Property("name", .string),
    Property("age", .int),
    Property("gone", .bool)
)
private let second = person(
    Property("id", .int),
    Property("name", .string, indexed: true, primaryKey: true),
    Property("age", .int, optional: true),
    Property("more", .string, defaultValue: "x")
)

private func write(_ base: Realm.Configuration) throws {
    let pet = ObjectSchema("Pet", properties: [Property("n", .int)])
    try writeFile(migrationConfiguration(base, 1, [first, pet])) { realm in
        for i in 0..<3000 { realm.dynamicCreate("Person", value: ["id": i, "name": "n\(i)"] as [String: Any]) }
    }
}

@Suite("Migration plans and modes")
struct MigrationPlanTests {
    @Test(arguments: [false, true])
    func `a plan lists the steps and their cost and changes nothing`(isOpen: Bool) throws {
        try withNewFile { base in
            let configuration = migrationConfiguration(base, 2, [second]) { _, _ in Issue.record("it ran") }
            let new = try Realm.migrationPlan(for: configuration)
            expect(new.action == .create && new.oldVersion == nil && !new.isMigrationNeeded)
            expect(!FileManager.default.fileExists(atPath: base.fileURL!.path))
            try write(base)
            let open = isOpen ? try Realm(configuration: migrationConfiguration(base, 1, [first])) : nil
            let before = try Data(contentsOf: base.fileURL!)
            let plan = try Realm.migrationPlan(for: configuration)
            try expectEqual(Data(contentsOf: base.fileURL!), before)
            expect(plan.action == .migration && plan.oldVersion == 1 && plan.newVersion == 2 && plan.isMigrationNeeded)
            expectEqual(
                plan.description,
                """
                migrate from schema version 1 to 2, 12000 objects in steps:
                - add property 'Person.more' (3000 objects)
                - make 'Person.age' optional (3000 objects)
                - remove property 'Person.gone'
                - change the primary key of 'Person' from id to name (3000 objects)
                - run the migration block (3000 objects)
                - keep class 'Pet', which the schema lacks
                """
            )
            let same = try Realm.migrationPlan(for: migrationConfiguration(base, 1, [first]))
            expect(same.action == .nothing && same.steps.isEmpty)
            let refused = try Realm.migrationPlan(for: migrationConfiguration(base, 1, [second]))
            guard case .refusal(let error) = refused.action else { return expect(Bool(false), "\(refused)") }
            expect(error.code == .schemaMismatch && !refused.steps.isEmpty)
            let log = ObjectSchema("Log", properties: [Property("n", .int)])
            let added = try Realm.migrationPlan(for: migrationConfiguration(base, 1, [first, log]))
            expect(
                added.action == .addition
                    && added.description == "add what is new, at schema version 1:\n- add class 'Log'"
            )
            var reset = configuration
            reset.deleteRealmIfMigrationNeeded = true
            try expectEqual(Realm.migrationPlan(for: reset).action, .reset)
            withExtendedLifetime(open) {}
        }
    }

    @Test func `the plan for a missing file, an empty file or a realm in memory is its creation`() throws {
        try withNewFile { base in
            let configuration = migrationConfiguration(base, 1, [first])
            try Data().write(to: base.fileURL!)
            let empty = try Realm.migrationPlan(for: configuration)
            expect(empty.action == .create && empty.oldVersion == nil)
            expect(try Data(contentsOf: base.fileURL!).isEmpty)
            var readOnly = configuration
            readOnly.readOnly = true
            expectEqual(thrownCode { _ = try Realm.migrationPlan(for: readOnly) }, .invalidDatabase)
            try FileManager.default.removeItem(at: base.fileURL!)
            expectEqual(thrownCode { _ = try Realm.migrationPlan(for: readOnly) }, .fileNotFound)
        }
        var memory = newConfiguration()
        for _ in 0..<2 {
            let new = try Realm.migrationPlan(for: memory)
            expect(new.action == .create && new.oldVersion == nil)
            let realm = try Realm(configuration: memory)
            try expectEqual(Realm.migrationPlan(for: memory).action, .nothing)
            withExtendedLifetime(realm) {}
        }
        memory.schemaMode = .additive
        try expectEqual(Realm.migrationPlan(for: memory).action, .create)
    }

    @Test func `the plan for a file that will be copied from a seed is the plan for the seed`() throws {
        try withNewFile { base in
            var seed = base
            seed.fileURL = base.fileURL!.appendingPathExtension("seed")
            var configuration = migrationConfiguration(base, 2, [second])
            configuration.seedFilePath = seed.fileURL
            expectEqual(thrownCode { _ = try Realm.migrationPlan(for: configuration) }, .fileNotFound)
            try write(seed)
            for name in ["-lock", ".writer"] {
                try FileManager.default.removeItem(atPath: seed.fileURL!.path + name)
            }
            let plan = try Realm.migrationPlan(for: configuration)
            expect(plan.action == .migration && plan.oldVersion == 1 && plan.objects == 9000, "\(plan)")
            let folder = base.fileURL!.deletingLastPathComponent().path
            let name = base.fileURL!.lastPathComponent
            let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(name) }
            expectEqual(left, [name + ".seed"])
            var same = migrationConfiguration(base, 1, [first])
            same.seedFilePath = seed.fileURL
            try expectEqual(Realm.migrationPlan(for: same).action, .nothing)
            let held = try Realm(configuration: migrationConfiguration(seed, 1, [first]))
            try expectEqual(Realm.migrationPlan(for: configuration).description, plan.description)
            withExtendedLifetime(held) {}
            // A seed has no effect once the file exists.
            try writeFile(migrationConfiguration(base, 2, [second])) { _ in }
            try expectEqual(Realm.migrationPlan(for: configuration).action, .nothing)
        }
    }

    @Test
    func `progress is reported for each step, up to the last object`() throws {
        try withNewFile { base in
            try write(base)
            let reports = Mutex<[MigrationProgress]>([])
            var configuration = migrationConfiguration(base, 2, [second]) { migration, _ in
                migration.enumerateObjects(ofType: "Person") { _, _ in }
            }
            configuration.migrationProgress = { report in reports.withLock { $0.append(report) } }
            try readFile(configuration) { _ in }
            let all = reports.withLock { $0 }
            for kind in [MigrationStep.Kind.addProperty, .makeOptional, .runBlock] {
                let done = all.filter { $0.step.kind == kind }
                expect(done.map(\.total).allSatisfy { $0 == 3000 } && done.count >= 3, "\(kind)")
                expectEqual(done.map(\.done), done.map(\.done).sorted())
            }
            expectEqual(all.last { $0.step.kind == .runBlock }?.done, 3000)
        }
    }

    @Test
    func `the additive mode adds properties, classes and indexes, and removes nothing`() throws {
        try withNewFile { base in
            try write(base)
            let more = person(
                Property("id", .int, primaryKey: true),
                Property("name", .string, indexed: true),
                Property("extra", .int, optional: true)
            )
            let log = ObjectSchema("Log", properties: [Property("n", .int)])
            var configuration = migrationConfiguration(base, 0, [more, log])
            configuration.schemaMode = .additive
            for _ in 0..<2 {
                try readFile(configuration) { realm in
                    expectEqual(realm.core.view.userVersion, 1)
                    let table = try require(realm.core.view.schema.table(named: "Person"))
                    expectEqual(table.columns.map(\.name), ["id", "name", "age", "gone", "extra"])
                    expectEqual(realm.core.view.find(.string("n5"), indexed: table.columns[1]).count, 1)
                    try realm.write { realm.dynamicObjects("Person")[5]["extra"] = 5 }
                }
            }
            // The first program can still open the file, and keeps the other program's index.
            var old = migrationConfiguration(base, 1, [first])
            old.schemaMode = .additive
            _ = try readFile(old) { realm in
                try realm.write { realm.dynamicCreate("Person", value: ["id": 5000, "name": "new"] as [String: Any]) }
            }
            try readFile(configuration) { realm in
                let table = try require(realm.core.view.schema.table(named: "Person"))
                expectEqual(realm.core.view.find(.string("new"), indexed: table.columns[1]).count, 1)
                expectEqual(realm.dynamicObjects("Person")[5]["extra"] as? Int, 5)
            }
            var changed = migrationConfiguration(base, 2, [person(Property("id", .string, primaryKey: true))])
            changed.schemaMode = .additive
            let error = try expectRefused(changed, .schemaMismatch)
            expect(error?.message.contains("'Person.id'") == true && error?.message.contains("removed") == false)
        }
    }

    @Test(arguments: [Realm.SchemaMode.readOnly, .immutable])
    func `read-only and immutable files are only checked`(mode: Realm.SchemaMode) throws {
        try withNewFile { base in
            try write(base)
            let less = person(Property("id", .int, primaryKey: true))
            for version in [0, 1, 2] as [UInt64] {
                var configuration = migrationConfiguration(base, version, [less])
                configuration.schemaMode = mode
                if mode == .immutable, version != 1 {
                    try expectRefused(configuration, .schemaMismatch)
                    continue
                }
                try readFile(configuration) { realm in
                    expectEqual(realm.dynamicObjects("Person").count, 3000)
                    expectEqual(thrownCode { try realm.write {} }, .readOnly)
                }
            }
            var configuration = migrationConfiguration(base, 1, [second])
            configuration.schemaMode = mode
            try expectRefused(configuration, .schemaMismatch)
        }
    }

    /// The file and its commit log, as a killed process leaves them.
    @Test(
        "schemaVersionAtURL and migrationPlan play the commit log of a killed process",
        arguments: [nil, EncryptionTests.key]
    )
    func playedLog(key: Data?) throws {
        try withNewFile { base in
            var logged = base
            logged.usesCommitLog = true
            logged.encryptionKey = key
            let left = base.fileURL!.appendingPathExtension("left")
            let log = left.path + ".commitlog"
            do {
                let realm = try Realm(configuration: migrationConfiguration(logged, 7, [first]))
                try realm.write {
                    _ = realm.dynamicCreate("Person", value: ["id": 1, "name": "a"] as [String: Any])
                }
                for suffix in ["", ".commitlog"] {
                    try FileManager.default.copyItem(atPath: base.fileURL!.path + suffix, toPath: left.path + suffix)
                }
            }
            let images = try [left.path, log].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
            func leave() throws {
                for (path, image) in zip([left.path, log], images) { try image.write(to: URL(fileURLWithPath: path)) }
            }
            logged.fileURL = left
            // The plan of a read-only opening lists the necessary changes.
            var readOnly = migrationConfiguration(logged, 7, [first])
            readOnly.readOnly = true
            expectEqual(thrownCode { _ = try Realm.migrationPlan(for: readOnly) }, .invalidDatabase)
            try expectEqual(Data(contentsOf: URL(fileURLWithPath: log)), images[1])
            try expectEqual(schemaVersionAtURL(left, encryptionKey: key), 7)
            expect(!FileManager.default.fileExists(atPath: log))
            try leave()
            try expectEqual(Realm.migrationPlan(for: migrationConfiguration(logged, 7, [first])).action, .nothing)
            expect(!FileManager.default.fileExists(atPath: log))
            try leave()
            try FileManager.default.removeItem(atPath: log)
            let missing = #expect(throws: Realm.Error.self) { try schemaVersionAtURL(left, encryptionKey: key) }
            expect(missing?.code == .invalidDatabase && missing?.localizedDescription.contains("commit log") == true)
            try leave()
            let realm = try Realm(configuration: migrationConfiguration(logged, 7, [first]))
            expectEqual(realm.dynamicObjects("Person").count, 1)
        }
    }

    @Test("schemaVersionAtURL reads closed and open files, and throws for a missing or other file")
    func versionAtURL() throws {
        try withNewFile { base in
            let url = base.fileURL!
            expectEqual(thrownCode { _ = try schemaVersionAtURL(url) }, .invalidDatabase)
            // The call doesn't create a file.
            expect(!FileManager.default.fileExists(atPath: url.path))
            let nowhere = url.appendingPathExtension("folder").appendingPathComponent("a.realm")
            expectEqual(thrownCode { _ = try schemaVersionAtURL(nowhere) }, .fileNotFound)
            var device = base
            device.fileURL = URL(fileURLWithPath: "/dev/null")
            expectEqual(thrownCode { _ = try schemaVersionAtURL(device.fileURL!) }, .fileAccess)
            expectEqual(thrownCode { _ = try Realm(configuration: device) }, .fileAccess)
            try Data().write(to: url)
            expectEqual(thrownCode { _ = try schemaVersionAtURL(url) }, .invalidDatabase)
            try FileManager.default.removeItem(at: url)
            try write(base)
            try expectEqual(schemaVersionAtURL(base.fileURL!), 1)
            let realm = try Realm(configuration: migrationConfiguration(base, 1, [first]))
            try expectEqual(schemaVersionAtURL(base.fileURL!), 1)
            withExtendedLifetime(realm) {}
        }
    }
}
