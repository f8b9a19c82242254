import Foundation
import Freehold
import Testing

struct SchemaCommandTests {
    /// A file with names that aren't valid in Swift.
    private func makeOddFile(_ path: String) throws {
        var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: path), schemaVersion: 2)
        configuration.schema = Schema([
            ObjectSchema(
                "List",
                properties: [
                    Property("first-name", .string), Property("class", .int), Property("description", .string),
                    Property("$-1st", .bool), Property("first name", .string, optional: true, indexed: true),
                    Property("naïve", .double, optional: true, collection: .list), Property("$", .date),
                    Property("link", .object, objectClassName: "order line"),
                    Property("links", .object, collection: .list, objectClassName: "order line"),
                    Property("map", .object, collection: .map, objectClassName: "List"),
                    Property("decimals", .decimal128, optional: true, collection: .map),
                    Property("any", .any, collection: .set), Property("key", .objectId, primaryKey: true),
                ],
                compoundIndexes: [.unique("first-name", "class")]
            ),
            ObjectSchema(
                "order line",
                properties: [
                    Property("uuid", .UUID), Property("data", .data, optional: true),
                    Property("goes-with", .object, objectClassName: "List", deleteRule: .deny),
                    Property(
                        "items",
                        .linkingObjects,
                        objectClassName: "List",
                        originProperty: "link",
                        deleteRule: .cascade
                    ),
                ]
            ),
            ObjectSchema("OrderLine", isEmbedded: true, properties: [Property("self", .float)]),
        ])
        _ = try Realm(configuration: configuration)
    }

    /// Tests that the command prints the classes in `Generated/OddModels.swift`, which are compiled with these tests.
    @Test func `the Swift classes of a file of odd names are those that compile here`() throws {
        try withFolder { folder in
            try makeOddFile(folder + "/a.realm")
            let printed = try Run.freehold("schema", folder + "/a.realm", "--format", "swift").output
            let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("Generated/OddModels.swift")
            let committed = try String(contentsOf: source, encoding: .utf8)
            expectEqual(printed, committed, "write the output to \(source.lastPathComponent)")

            // The file can be opened with these classes at its schema version, without a migration.
            let configuration = Realm.Configuration(
                fileURL: URL(fileURLWithPath: folder + "/a.realm"),
                schemaVersion: 2,
                objectTypes: [ListObject.self, OrderLine2.self, OrderLine.self]
            )
            let plan = try Realm.migrationPlan(for: configuration)
            expectEqual(plan.action, .nothing, "\(plan)")
        }
    }

    @Test func `JSON is read back, and text contains types`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            let json = try Run.freehold("schema", path, "--format", "json")
            let read = try Schema.read(json: Data(json.output.utf8))
            let stored = try ToolFile.read(path) { $0.storedSchema }
            expect(read.schema == stored && read.schemaVersion == 3)
            let text = try Run.freehold("schema", path, "--class", "TMPerson").output
            for part in [
                "id         int, primary key", "name       string, indexed", "age        int?", "home       TMHome",
                "pets       list of TMPet", "tags       set of string", "scores     map of int",
                "note       string, full text",
                "index (name, age)",
            ] {
                expect(text.contains(part), "\(part) in \(text)")
            }
            expect(!text.contains("friend"))
            try expectEqual(Run.freehold("schema", path, "--class", "No").status, 65)
        }
    }

    @Test func `migrate prints a plan, and migrates only with an option`() throws {
        try withFolder { folder in
            let (path, schema) = (folder + "/a.realm", folder + "/schema.json")
            try ToolFile.make(path)
            var wanted = try ToolFile.read(path) { $0.storedSchema }
            let person = wanted.objectSchema.firstIndex { $0.className == "TMPerson" }!
            wanted.objectSchema[person].properties.append(Property("extra", .int))
            wanted.objectSchema[person].properties.removeAll { $0.name == "money" }
            try wanted.jsonData().write(to: URL(fileURLWithPath: schema))
            let before = try ToolFile.bytes(path)
            let plan = try Run.freehold("migrate", path, "--to", schema, "--dry-run")
            expect(plan.status == 0 && plan.output.contains("from schema version 3 to 4"), "\(plan)")
            expect(plan.output.contains("TMPerson.extra") && plan.output.contains("TMPerson.money"))
            try expectEqual(ToolFile.bytes(path), before)
            let done = try Run.freehold("migrate", path, "--to", schema, "--apply")
            expect(done.status == 0 && done.output.hasSuffix("done\n"), "\(done)")
            try expectEqual(Run.freehold("query", path, "TMPerson", "extra == 0", "--count").output, "3\n")
            expect(try Run.freehold("info", path).output.contains("Schema version  4"))
            let again = try Run.freehold("migrate", path, "--to", schema)
            expect(again.status == 0 && again.output.hasPrefix("nothing to do"), "\(again)")
            try expectEqual(Run.freehold("migrate", path, "--to", schema, "--schema-version", "2").status, 65)
            try Data("{\"classes\": [{\"name\": 5}]}".utf8).write(to: URL(fileURLWithPath: schema))
            let wrong = try Run.freehold("migrate", path, "--to", schema)
            expect(wrong.status == 65 && wrong.error.contains("line 1"), "\(wrong)")
            try expectEqual(Run.freehold("migrate", path, "--to", folder + "/none.json").status, 66)
        }
    }
}
