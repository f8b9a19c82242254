import Foundation
import FreeholdSync
import FreeholdSyncCore
import Testing

/// The commands `schema`, `rules`, `app set` and `user set-data` in a shell.
@Suite(.timeLimit(.minutes(20)), .enabled(if: ServerProcess.isBuilt, "freehold-server isn't built"))
struct SchemaCommandTests {
    private let folder: TestFolder

    init() throws {
        folder = try ServerProcess.folder()
        #expect(try run("app", "create", "F", "notes").status == 0)
    }

    /// Runs a command. The argument `F` stands for the server's folder.
    private func run(_ arguments: String..., input: String = "") throws -> (status: Int32, output: String) {
        try ServerProcess.run(arguments.map { $0 == "F" ? folder.path : $0 }, input: input)
    }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = "\(folder.path)/\(name)"
        let parent = URL(filePath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private static func dog(_ more: String = "") -> String {
        """
        {"title": "Dog", "bsonType": "object", "required": ["_id", "name"], "properties": {
          "_id": {"bsonType": "objectId"}, "name": {"bsonType": "string"}, "owner": {"bsonType": "string"}\(more)}}
        """
    }

    @Test func `documents are imported once, and misfits are reported`() throws {
        let lines = """
            {"_id": {"$oid": "000000000000000000000001"}, "name": "Rex", "color": "red"}
            {"_id": {"$oid": "000000000000000000000002"}, "name": "Fifi"}
            {"_id": {"$oid": "000000000000000000000003"}, "name": 5}
            """
        let path = try file("dogs.jsonl", lines)
        #expect(try run("import", "F", "notes", path, "--class", "Dog").status != 0)
        #expect(try run("schema", "push", "F", "notes", try file("a/Dog.json", Self.dog())).status == 0)
        let dry = try run("import", "F", "notes", path, "--class", "Dog", "--dry-run").output
        #expect(dry.contains("3 documents: 2 would be created"))
        #expect(try run("export", "F", "notes", "--class", "Dog").output.isEmpty)
        let first = try run("import", "F", "notes", "-", "--class", "Dog", input: lines).output
        #expect(first.contains("3 documents: 2 created, 0 changed, 0 as they were, 1 left out."))
        #expect(first.contains("field 'color' isn't in the class: left out 1 times"))
        let stored = try run("export", "F", "notes", "--class", "Dog").output
        #expect(stored.split(separator: "\n").count == 2 && stored.contains("Rex"))
        let second = try run("import", "F", "notes", path, "--class", "Dog").output
        #expect(second.contains("0 created, 0 changed, 2 as they were"))
        #expect(try run("import", "F", "notes", path, "--class", "Dog", "--strict").status != 0)
    }

    @Test func `a schema is pushed, compared, pulled and removed`() throws {
        let dog = try file("a/Dog.json", Self.dog())
        #expect(try run("schema", "push", "F", "notes", dog, "--dry-run").output.contains("Dog is new"))
        #expect(try run("schema", "pull", "F", "notes").output.isEmpty)
        #expect(try run("schema", "push", "F", "notes", dog).status == 0)
        #expect(try run("schema", "diff", "F", "notes", dog).status == 0)
        #expect(try run("schema", "pull", "F", "notes").output.contains(#""title": "Dog""#))

        let more = try file("b/Dog.json", Self.dog(#", "age": {"bsonType": "long"}"#))
        let difference = try run("schema", "diff", "F", "notes", more)
        #expect(difference.status == 1)
        #expect(difference.output.contains("Dog.age is new ('age: long?'): additive"))
        #expect(try run("schema", "push", "F", "notes", more).status == 0)

        // A change that breaks clients needs the flag `--breaking`.
        let other = try file("c/Dog.json", Self.dog(#", "age": {"bsonType": "string"}"#))
        #expect(try run("schema", "push", "F", "notes", other).status != 0)
        #expect(try run("schema", "diff", "F", "notes", more).status == 0)
        #expect(try run("schema", "push", "F", "notes", other, "--breaking").status == 0)

        let code = try run("schema", "models", "F", "notes", "--language", "kotlin")
        #expect(code.status == 0)
        #expect(code.output.contains("class Dog : RealmObject"))
        #expect(try run("schema", "models", "F", "notes", "--language", "swift").output.contains("class Dog: Object"))
        #expect(try run("schema", "models", "F", "notes", "--language", "cobol").status != 0)

        let target = folder.path + "/pulled"
        #expect(try run("schema", "pull", "F", "notes", "--output", target).status == 0)
        #expect(try run("schema", "diff", "F", "notes", target).status == 0)
        #expect(try run("schema", "remove", "F", "notes", "Dog").status == 0)
        #expect(try run("schema", "remove", "F", "notes", "Dog").status != 0)
        #expect(try run("schema", "pull", "F", "notes").output.isEmpty)
    }

    @Test func `folders of App Services' are read, with relationships`() throws {
        _ = try file(
            "db/Person/schema.json",
            """
            {"title": "Person", "bsonType": "object", "required": ["_id"], "properties": {
              "_id": {"bsonType": "objectId"}, "dogs": {"bsonType": "array", "items": {"bsonType": "objectId"}}}}
            """
        )
        _ = try file(
            "db/Person/relationships.json",
            ##"{"dogs": {"ref": "#/relationship/mongodb-atlas/app/Dog", "foreign_key": "_id", "is_list": true}}"##
        )
        _ = try file("db/Dog/schema.json", Self.dog())
        #expect(try run("schema", "push", "F", "notes", folder.path + "/db").status == 0)
        #expect(try run("schema", "pull", "F", "notes").output.contains("#/relationship/mongodb-atlas/app/Dog"))
    }

    @Test(
        arguments: [
            "", "{", "[]", "1", "{}", #"{"title": "Dog"}"#,
            #"{"title": "Dog", "bsonType": "object", "properties": {"_id": {"bsonType": "nonsense"}}}"#,
            #"{"title": "Dog", "bsonType": "object", "properties": {"name": {"bsonType": "string"}}}"#,
        ]
    ) func `files that hold no schema change nothing`(_ text: String) throws {
        let path = try file("bad.json", text)
        #expect(try run("schema", "push", "F", "notes", path).status != 0)
        #expect(try run("schema", "pull", "F", "notes").output.isEmpty)
    }

    @Test func `rules are checked against the schema, pushed, tried and taken away`() throws {
        #expect(try run("schema", "push", "F", "notes", try file("Dog.json", Self.dog())).status == 0)
        let wrong = try file("wrong.json", Self.rules("master"))
        let refused = try run("rules", "push", "F", "notes", wrong)
        #expect(refused.status != 0)
        #expect(refused.output.contains("master"))
        #expect(try run("rules", "pull", "F", "notes").status != 0)
        let rules = try file("rules.json", Self.rules("owner"))
        #expect(try run("rules", "push", "F", "notes", rules, "--dry-run").status == 0)
        #expect(try run("rules", "pull", "F", "notes").status != 0)
        #expect(try run("rules", "push", "F", "notes", rules).status == 0)
        #expect(try run("rules", "pull", "F", "notes").output.contains("%%user.id"))

        let made = try run("user", "create", "F", "notes", "ann@example.org", input: "a long password\n")
        let id = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let report = try run("rules", "check", "F", "notes", "--user", id).output
        #expect(report.contains("role 'team': %%user.custom_data.team"))
        #expect(report.contains("role 'owner': applies"))
        #expect(report.contains("owner == \"\(id)\""))
        #expect(try run("user", "set-data", "F", id, #"{"team": "red"}"#).status == 0)
        #expect(try run("rules", "check", "F", "notes", "--user", id).output.contains("role 'team': applies"))
        #expect(try run("user", "set-data", "F", id, "[1]").status != 0)

        #expect(try run("rules", "remove", "F", "notes").status == 0)
        #expect(try run("rules", "check", "F", "notes", "--user", id).status != 0)
    }

    private static func rules(_ field: String) -> String {
        """
        {"classes": {"Dog": {"roles": [
          {"name": "team", "apply_when": {"%%user.custom_data.team": "red"},
           "document_filters": {"read": true, "write": true}, "read": true, "write": true, "insert": true, "delete": true},
          {"name": "owner", "apply_when": {},
           "document_filters": {"read": {"\(field)": "%%user.id"}, "write": {"\(field)": "%%user.id"}},
           "read": true, "write": true, "insert": true, "delete": true}]}}}
        """
    }

    @Test func `an app is changed without being made anew`() throws {
        #expect(try run("app", "set", "F", "notes", "--access", "everyone", "--adopt-schemas", "on").status == 0)
        #expect(try run("app", "list", "F").output.contains("access=everyone"))
        #expect(try run("app", "set", "F", "notes", "--anonymous", "on").status == 0)
        #expect(try run("app", "list", "F").output.contains("anonymous=yes\taccess=everyone"))
        #expect(try run("app", "set", "F", "notes", "--anonymous", "perhaps").status != 0)
        #expect(try run("app", "set", "F", "nothing", "--anonymous", "on").status != 0)
    }

    @Test func `a schema is found in documents, and can be taken over`() async throws {
        let server = try ServerProcess(folder.path)
        let a = try await TestClient(port: server.port)
        try await a.subscribe()
        try a.create(.int(1), ["name": .string("one"), "size": .int(5)])
        try a.create(.int(2), ["name": .string("two")])
        try await a.session.waitForUpload()
        await a.close()
        await server.end(SIGTERM)
        let text = try run("schema", "infer", "F", "test").output
        #expect(text.contains(#""title": "Thing""#))
        #expect(text.contains(#""required": ["_id", "name"]"#) || text.contains("\"name\""))
        #expect(try run("schema", "infer", "F", "notes").status != 0)
    }
}
