import Foundation
import Freehold
import Testing

/// Tests that each example in the help of each command works, in a folder with the files that the examples use.
struct HelpExampleTests {
    static let commands = [
        "info", "schema", "query", "shell", "watch", "set", "create", "delete", "export", "import", "diff", "verify",
        "compact", "backup", "pins", "migrate", "convert",
    ]

    /// The lines below EXAMPLES.
    static func examples(_ command: String) throws -> [String] {
        let run = try Run.help(command)
        guard let start = run.output.firstRange(of: "EXAMPLES:\n") else { return [] }
        return run.output[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
            .prefix { !$0.isEmpty }.map { String($0.dropFirst(2)) }
    }

    /// Creates the database of the examples in a folder.
    private static func makeDatabase(_ folder: String) throws {
        let country = ObjectSchema("Country", properties: [Property("name", .string, primaryKey: true)])
        let city = ObjectSchema(
            "City",
            properties: [
                Property("id", .int, primaryKey: true), Property("name", .string), Property("population", .int),
                Property("elevation", .double, optional: true),
                Property("country", .object, objectClassName: "Country"), Property("size", .int),
            ]
        )
        let dog = ObjectSchema("Dog", properties: [Property("name", .string)])
        let home = ObjectSchema(
            "Home",
            isEmbedded: true,
            properties: [Property("street", .string), Property("city", .string, optional: true)]
        )
        let person = ObjectSchema(
            "Person",
            properties: [
                Property("id", .int, primaryKey: true), Property("name", .string),
                Property("age", .int, optional: true), Property("born", .date, optional: true),
                Property("best", .object, objectClassName: "Person"),
                Property("home", .object, objectClassName: "Home"),
                Property("dogs", .object, collection: .list, objectClassName: "Dog"),
                Property("tags", .string, collection: .list),
            ]
        )
        let pet = ObjectSchema("Pet", properties: [Property("name", .string)])
        var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: folder + "/app.realm"), schemaVersion: 1)
        configuration.schema = Schema([country, city, dog, home, person, pet])
        let realm = try Realm(configuration: configuration)
        try realm.write {
            let paris: [String: Any] = [
                "id": 1, "name": "Paris", "population": 2_100_000, "elevation": 35.0, "country": ["name": "France"],
            ]
            realm.dynamicCreate("City", value: paris)
            realm.dynamicCreate(
                "Person",
                value: ["id": 1, "name": "Ada", "age": 36, "home": ["street": "S"], "dogs": [["name": "Rex"]]]
                    as [String: Any]
            )
            realm.dynamicCreate("Person", value: ["id": 2, "name": "Bo", "age": 17])
            realm.dynamicCreate("Person", value: ["id": 3, "name": "Eve"])
            realm.dynamicCreate("Pet", value: ["name": "Mia"])
        }
    }

    /// Defines the names that the lines of the examples use.
    ///
    /// A watch ends after it has printed the change that its function commits.
    private static let definitions = """
        fixtures='\(URL(fileURLWithPath: #filePath).deletingLastPathComponent().path)/../../../Tests/RealmFileReaderTests/Fixtures'
        freehold() { if [ "$1" = watch ]; then watched "$@"; else "$F" "$@"; fi; }
        watched() {
            "$F" "$@" > watch.out 2> watch.err & local pid=$!
            for i in $(seq 3000); do
                { grep -q watching watch.err || ! kill -0 $pid; } 2> /dev/null && break; sleep 0.02
            done
            "$F" set app.realm Person 'id == 1' age=99 2> /dev/null
            for i in $(seq 3000); do { [ -s watch.out ] || ! kill -0 $pid; } 2> /dev/null && break; sleep 0.02; done
            kill $pid 2> /dev/null; wait $pid; local code=$?
            cat watch.out; cat watch.err >&2
            [ -s watch.out ] && return $code
        }
        export EDITOR=true XDG_STATE_HOME="$PWD/state"
        # Not every machine has it.
        command -v jq > /dev/null || jq() { cat; }
        """

    /// Creates the files next to the database.
    private static let setup = """
        cp app.realm old.realm; cp app.realm backup.realm
        mkdir -p backups Sources Models App data_sources
        freehold set old.realm Person 'id == 1' age=35 2> /dev/null
        freehold export app.realm City --format csv > cities.csv; freehold export app.realm City --format jsonl > cities.jsonl
        freehold export app.realm City > cities.json; freehold schema app.realm --format json > schema.json
        echo '{"title": "Dog", "bsonType": "object", "properties": {"_id": {"bsonType": "objectId"}}}' > data_sources/schema.json
        echo '{"a1": {"name": "Rome"}, "a2": {"name": "Oslo"}}' > cities-by-id.json
        echo '7,Rome,x,3' > rows.csv; printf 'id,at\\n1,31.12.2023\\n' > days.csv
        printf 'import RealmSwift\\nclass Person: Object { @objc dynamic var name = "" }\\n' | tee Person.swift Models/Person.swift App/P.swift > Sources/P.swift
        printf 'set Person "id == 1" age=1\\nnothing\\n.print end\\n' > edits.txt; touch app.realm.old
        """

    /// The contents of the files of the examples by their paths, without the databases' lock files.
    private static let files = Result { () throws -> [String: Data] in
        try withFolder { folder in
            try makeDatabase(folder)
            let run = try Run.shell("cd '\(folder)'; \(definitions)\n\(setup)")
            try require(run.status == 0, "\(run)")
            var files: [String: Data] = [:]
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
                if path.hasSuffix("-lock") || path.hasSuffix(".writer") { continue }
                var isFolder: ObjCBool = false
                _ = FileManager.default.fileExists(atPath: folder + "/" + path, isDirectory: &isFolder)
                if isFolder.boolValue { continue }
                files[path] = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + path))
            }
            return files
        }
    }

    /// Writes the files of the examples to a folder.
    private static func writeFiles(_ folder: String) throws {
        for name in ["backups", "Sources", "Models", "App", "data_sources"] {
            try FileManager.default.createDirectory(
                atPath: folder + "/" + name,
                withIntermediateDirectories: true
            )
        }
        for (path, content) in try files.get() {
            try content.write(to: URL(fileURLWithPath: folder + "/" + path))
        }
    }

    /// The exit codes with which an example succeeds.
    private static let codes: [String: Set<Int32>] = ["diff": [0, 1], "convert": [0, 2]]

    @Test(arguments: commands + [""])
    func `the examples of a command run`(command: String) throws {
        let examples = try Self.examples(command)
        expect(!examples.isEmpty)
        for example in examples {
            // An example that is also an example of a subcommand runs with those of the subcommand.
            if command.isEmpty, let name = example.split(separator: " ").dropFirst().first.map(String.init),
                Self.commands.contains(name), try Self.examples(name).contains(example)
            {
                continue
            }
            try withFolder { folder in
                try Self.writeFiles(folder)
                var line = example
                if command == "import", line.contains("--from-realm app.realm") {
                    line = "cp \"$fixtures/format24.realm\" app.realm; " + line
                }
                // The examples of the command itself about sync need other files, and that of Studio runs until it is stopped.
                if command.isEmpty, line.contains(" sync ") || line.contains(" studio ") { return }
                if command == "export" { line = "rm cities.csv; " + line }
                if line.contains("--update error") { line = "sed -i.old 's/\"id\":1/\"id\":2/' cities.jsonl; " + line }
                if command == "diff" || line.contains(" diff ") { line = "cp backup.realm new.realm; " + line }
                let run = try Run.shell("set -o pipefail; cd '\(folder)'; \(Self.definitions)\n\(line)")
                var allowed = Self.codes[command] ?? [0]
                if command.isEmpty { allowed.formUnion([1, 2]) }
                // One line of the input is wrong, so that the example can show the option.
                if line.contains("--keep-going") { allowed = [65] }
                expect(allowed.contains(run.status) && !run.wasSignalled, "\(example): \(run)")
                expect(!run.error.contains("command not found") && !run.error.contains("Usage:"), "\(example): \(run)")
            }
        }
    }

    @Test func `every command is here`() throws {
        let help = try Run.help("").output
        let start = try require(help.firstRange(of: "SUBCOMMANDS:\n"))
        let names = help[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false).prefix {
            !$0.isEmpty
        }
        .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
        expectEqual(Set(names), Set(Self.commands + ["sync", "studio"]), "\(names)")
        let completions = try Run.freehold("--generate-completion-script", "bash").output
        for name in Self.commands { expect(completions.contains(name)) }
    }
}
