import Foundation
import FreeholdSync
import FreeholdSyncCore
import Testing

/// The command `schema push --as-version` and related commands in a shell.
@Suite(.timeLimit(.minutes(20)), .enabled(if: ServerProcess.isBuilt, "freehold-server isn't built"))
struct SchemaVersionCommandTests {
    private let folder: TestFolder

    init() throws {
        folder = try ServerProcess.folder()
        #expect(try run("app", "create", "F", "notes").status == 0)
    }

    /// Runs a command. The argument `F` stands for the server's folder.
    private func run(_ arguments: String...) throws -> (status: Int32, output: String) {
        try ServerProcess.run(arguments.map { $0 == "F" ? folder.path : $0 })
    }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = "\(folder.path)/\(name)"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private static func schema(_ title: String, _ properties: String, required: String = "") -> String {
        """
        {"title": "\(title)", "bsonType": "object", "required": ["_id"\(required)],
         "properties": {"_id": {"bsonType": "long"}, \(properties)}}
        """
    }

    private static let dog = schema(
        "Dog",
        #""name": {"bsonType": "string"}, "age": {"bsonType": "long"}, "notes": {"bsonType": "string"}"#,
        required: #", "name", "age""#
    )
    private static let memo = schema("Memo", #""text": {"bsonType": "string"}"#)
    private static let hound = schema(
        "Hound",
        #""title": {"bsonType": "string"}, "age": {"bsonType": "double"}, "chip": {"bsonType": "string"}"#,
        required: #", "title", "age", "chip""#
    )
    private static let renames = """
        {"classes": {"Dog": "Hound"}, "properties": {"Hound": {"name": "title"}}, "fills": {"Hound": {"chip": "none"}}}
        """

    private func pushBoth() throws {
        let first = try file("first.json", "[\(Self.dog), \(Self.memo)]")
        #expect(try run("schema", "push", "F", "notes", first).status == 0)
        let (second, renames) = (try file("second.json", Self.hound), try file("renames.json", Self.renames))
        let push = try run("schema", "push", "F", "notes", second, "--as-version", "2", "--renames", renames)
        #expect(push.status == 0)
    }

    @Test func `a new version is tried, pushed, listed and pulled`() throws {
        let first = try file("first.json", "[\(Self.dog), \(Self.memo)]")
        #expect(try run("schema", "push", "F", "notes", first).status == 0)
        #expect(
            try run("schema", "list", "F", "notes").output.contains("version 0\tserves schemaVersion 0 and later\t2")
        )
        let (second, renames) = (try file("second.json", Self.hound), try file("renames.json", Self.renames))
        let dry = try run(
            "schema",
            "push",
            "F",
            "notes",
            second,
            "--as-version",
            "2",
            "--renames",
            renames,
            "--dry-run"
        )
        #expect(dry.status == 0)
        for place in ["Hound ", "Hound.title", "Hound.age", "Hound.chip", "notes", "Memo"] {
            #expect(dry.output.contains(place), "\(dry.output)")
        }
        #expect(try run("schema", "list", "F", "notes").output.split(separator: "\n").count == 1)

        let push = try run("schema", "push", "F", "notes", second, "--as-version", "2", "--renames", renames)
        #expect(push.status == 0)
        #expect(push.output.contains("Version 2 has 1 classes."))
        let list = try run("schema", "list", "F", "notes").output
        #expect(list.contains("version 0\tserves schemaVersion 0 to 1\t2 classes"))
        #expect(list.contains("version 2\tserves schemaVersion 2 and later\t1 classes"))
        #expect(try run("schema", "pull", "F", "notes").output.contains(#""title": "Hound""#))
        let old = try run("schema", "pull", "F", "notes", "--version", "1").output
        #expect(old.contains(#""title": "Dog""#) && old.contains(#""title": "Memo""#) && !old.contains("Hound"))
        #expect(try run("schema", "models", "F", "notes", "--language", "swift").output.contains("class Hound: Object"))
        // The newest version of several can be extended in the same way as a single version.
        let toy = try file("toy.json", Self.schema("Toy", #""label": {"bsonType": "string"}"#))
        #expect(try run("schema", "push", "F", "notes", toy).status == 0)
        #expect(try run("schema", "diff", "F", "notes", toy).status == 0)
        #expect(try run("schema", "list", "F", "notes").output.contains("later\t2 classes"))
        #expect(try run("schema", "remove", "F", "notes", "Toy").status == 0)
        #expect(try run("schema", "list", "F", "notes").output.contains("later\t1 classes"))
        #expect(try run("schema", "pull", "F", "notes", "--version", "0").output == old)
    }

    @Test func `what old and new apps can't share is refused, all of it, with what to do`() throws {
        try pushBoth()
        let before = try run("schema", "list", "F", "notes").output
        let bad = try file(
            "bad.json",
            Self.schema("Hound", #""title": {"bsonType": "long"}, "age": {"bsonType": "string"}"#)
        )
        let (status, output) = try errors("schema", "push", "F", "notes", bad, "--as-version", "3")
        #expect(status != 0)
        #expect(output.contains("Hound.title ('title: string' became 'title: long?')"), "\(output)")
        #expect(output.contains("Hound.age ('age: double' became 'age: string?')"), "\(output)")
        #expect(output.contains("Add a property of another name"), "\(output)")
        let lower = try errors("schema", "push", "F", "notes", bad, "--as-version", "1")
        #expect(lower.status != 0)
        #expect(lower.output.contains("There is a version 2 already"), "\(lower.output)")
        let growth = try errors("schema", "push", "F", "notes", bad)
        #expect(growth.status != 0)
        #expect(growth.output.contains("--as-version 3"), "\(growth.output)")
        let wrong = try file("wrong.json", #"{"classes": {"Cat": "Hound"}}"#)
        let hound = try file("hound.json", Self.hound)
        let renamed = try errors("schema", "push", "F", "notes", hound, "--as-version", "3", "--renames", wrong)
        #expect(renamed.status != 0)
        #expect(renamed.output.contains("There is no class 'Cat'"), "\(renamed.output)")
        for text in ["", "[]", #"{"clases": {}}"#, #"{"classes": 5}"#] {
            let path = try file("worse.json", text)
            #expect(try run("schema", "push", "F", "notes", hound, "--as-version", "3", "--renames", path).status != 0)
        }
        #expect(try run("schema", "list", "F", "notes").output == before)
    }

    /// Runs a command and returns its standard output and standard error together.
    private func errors(_ arguments: String...) throws -> (status: Int32, output: String) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = ServerProcess.program
        process.arguments = arguments.map { $0 == "F" ? folder.path : $0 }
        (process.standardOutput, process.standardError) = (output, output)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    private static let rules = """
        {"classes": {"Dog": {"roles": [{"name": "old", "apply_when": {},
          "document_filters": {"read": {"notes": "x"}, "write": false}, "read": true, "write": false}]}}}
        """

    @Test func `rules that a push leaves without what they ask for stop it`() throws {
        #expect(try run("schema", "push", "F", "notes", try file("first.json", Self.dog)).status == 0)
        let rules = try file("rules.json", Self.rules)
        #expect(try run("rules", "push", "F", "notes", rules).status == 0)
        let less = try file("less.json", Self.schema("Dog", #""name": {"bsonType": "string"}"#))
        let stopped = try errors("schema", "push", "F", "notes", less, "--breaking")
        #expect(stopped.status != 0)
        #expect(stopped.output.contains("Rules: Dog, role 'old'"), "\(stopped.output)")
        #expect(stopped.output.contains("--force"))
        #expect(try run("schema", "pull", "F", "notes").output.contains("notes"))
        #expect(try run("schema", "push", "F", "notes", less, "--breaking", "--force").status == 0)
        #expect(try run("schema", "pull", "F", "notes").output.contains("notes") == false)
    }

    @Test func `rules go on to find what only an older version has`() throws {
        #expect(try run("schema", "push", "F", "notes", try file("first.json", Self.dog)).status == 0)
        let rules = try file("rules.json", Self.rules)
        #expect(try run("rules", "push", "F", "notes", rules).status == 0)
        let (second, renames) = (try file("second.json", Self.hound), try file("renames.json", Self.renames))
        let push = try errors("schema", "push", "F", "notes", second, "--as-version", "2", "--renames", renames)
        #expect(push.status == 0 && !push.output.contains("Rules:"), "\(push.output)")
        #expect(try run("rules", "push", "F", "notes", rules, "--dry-run").output.isEmpty)
        let report = try run("rules", "check", "F", "notes", "--user", "ann", "--class", "Hound").output
        #expect(report.contains("notes == \"x\""), "\(report)")
        let unknown = try file(
            "unknown.json",
            #"{"classes": {"Cat": {"roles": [{"name": "cat", "apply_when": {}, "read": true}]}}}"#
        )
        #expect(try run("rules", "push", "F", "notes", unknown).status != 0)
    }

    @Test func `imports and exports have the newest version's names`() throws {
        let first = try file("first.json", "[\(Self.dog), \(Self.memo)]")
        #expect(try run("schema", "push", "F", "notes", first).status == 0)
        let dogs = try file("dogs.jsonl", #"{"_id": 1, "name": "Rex", "age": 3, "notes": "bites"}"#)
        #expect(try run("import", "F", "notes", dogs, "--class", "Dog").status == 0)
        let (second, renames) = (try file("second.json", Self.hound), try file("renames.json", Self.renames))
        #expect(
            try run("schema", "push", "F", "notes", second, "--as-version", "2", "--renames", renames).status == 0
        )
        let shown = try run("export", "F", "notes", "--class", "Hound").output
        #expect(shown == "{\"_id\":1,\"age\":3.0,\"title\":\"Rex\",\"chip\":\"none\"}\n")
        #expect(try run("import", "F", "notes", dogs, "--class", "Dog").status != 0)
        let hounds = try file("hounds.jsonl", shown + "{\"_id\":2,\"title\":\"Max\",\"age\":1.5,\"chip\":\"c\"}\n")
        let again = try run("import", "F", "notes", hounds, "--class", "Hound").output
        #expect(again.contains("1 created"), "\(again)")
        #expect(try run("export", "F", "notes", "--class", "Hound").output.split(separator: "\n").count == 2)
        // The store keeps the values of removed properties.
        let stored = try run("export", "F", "notes", "--class", "Dog", "--stored").output
        #expect(stored.contains("\"notes\":\"bites\"") && stored.contains("\"name\":\"Rex\""), "\(stored)")
    }
}
