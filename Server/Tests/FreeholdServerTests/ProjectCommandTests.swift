import Foundation
import Testing

/// The commands `project import` and `project export` in a shell.
@Suite(.timeLimit(.minutes(20)), .enabled(if: ServerProcess.isBuilt, "freehold-server isn't built"))
struct ProjectCommandTests {
    private let folder: TestFolder
    private var project: String { folder.path + "/backend" }

    init() throws {
        folder = try ServerProcess.folder()
        try ProjectFolder.write(to: folder.path + "/backend")
    }

    @discardableResult
    private func run(_ arguments: String...) throws -> (status: Int32, output: String) {
        try ServerProcess.run(arguments.map { $0 == "F" ? folder.path : $0 })
    }

    private func text(_ file: String) throws -> String {
        try String(contentsOfFile: folder.path + "/" + file, encoding: .utf8)
    }

    /// Returns the lines of a report by the titles of its sections.
    private func sections(_ output: String) -> [String: [String]] {
        var (sections, title): ([String: [String]], String) = ([:], "")
        for line in output.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("  ") {
                sections[title, default: []].append(String(line.dropFirst(2)))
            } else if line.hasSuffix(":") {
                title = String(line.dropLast())
            }
        }
        return sections
    }

    @Test func `a dry run says all and writes nothing`() throws {
        let dry = try run("project", "import", "F", project, "--app", "pharmacy", "--dry-run")
        #expect(dry.status == 0)
        #expect(dry.output.hasPrefix("Project 'deliveries', for the app pharmacy, which is new.\n"))
        #expect(dry.output.hasSuffix("Nothing was written.\n"))
        let report = sections(dry.output)
        let taken = try #require(report["Taken over"])
        for line in [
            "class Delivery", "class FridgeLog, asymmetric", "class Patient", "development mode: on",
            "rules of Delivery: 'dispatcher', 'driver'", "environment 'production'", "log-in: API keys",
            "log-in: email and password, confirmed by mail", "values that rules can ask for: dispatchers",
        ] { #expect(taken.contains(line), "\(line)") }
        #expect(!taken.contains { $0.contains("anonymous") })
        func has(_ title: String, _ parts: String...) {
            #expect(report[title]?.contains { line in parts.allSatisfy { line.contains($0) } } == true, "\(parts)")
        }
        has("To do", "auth/providers.json: custom-token", "'tokens.secretFile'")
        has("To do", "auth/providers.json: oauth2-google", "'provider set'")
        has("Taken over", "id tokens of oauth2-google", "1234.apps.example")
        has("To do", "runResetFunction", "'hook set … reset'", "by mail")
        has("To do", "values/smsKey.json", "secret 'smsSecret'")
        has("To do", "functions: 2 (knows.js, makeStaff.js)", "HTTP API")
        has("To do", "secrets.json", "aren't read")
        has("To do", "custom_user_data.json", "'staff'", "user set-data")
        has("Left out", "patients/rules.json", "'known'", "gives no right")
        has("Differs", "deliveries/schema.json", "'maxLength'")
        has("Has no counterpart", "triggers: 1 (onDelivery.json)", "change stream")
        for name in ["http_endpoints", "hosting", "graphql", "log_forwarders"] { has("Has no counterpart", name) }
        // The contents of secrets are never shown.
        #expect(!dry.output.contains("hunter2") && !dry.output.contains("swordfish"))
        #expect(try run("app", "list", "F").output.isEmpty)
    }

    @Test func `an import makes an app that serves what the project says, and an export gives the project back`() throws
    {
        let secrets = folder.path + "/known.json"
        try #"{"smsSecret": "swordfish"}"#.write(toFile: secrets, atomically: true, encoding: .utf8)
        let made = try run("project", "import", "F", project, "--app", "pharmacy", "--secrets", secrets)
        #expect(made.status == 0)
        #expect(!made.output.contains("swordfish") && !made.output.contains("values/smsKey.json"))
        #expect(
            try run("app", "list", "F").output == "pharmacy\temail-password=mail\tanonymous=no\taccess=nobody\n"
        )
        #expect(try run("schema", "pull", "F", "pharmacy").output.contains(#""asymmetric": true"#))
        let driver = try run("rules", "check", "F", "pharmacy", "--user", "5f0000000000000000000000").output
        #expect(driver.contains("driver"))
        #expect(try run("sink", "list", "F", "pharmacy").output == "FridgeLog\ttable\n")

        #expect(try run("project", "export", "F", "pharmacy", folder.path + "/again").status == 0)
        #expect(try run("project", "export", "F", "pharmacy", folder.path + "/again").status != 0)
        let settings = try text("again/root_config.json")
        #expect(settings.contains(#""provider_region": "aws-eu-central-1""#))
        #expect(try text("again/.mdb/meta.json").contains("deliveries-qwert"))
        let sync = try text("again/sync/config.json")
        #expect(sync.contains(#""development_mode_enabled": true"#) && sync.contains("fridge_logs"))
        #expect(
            try text("again/data_sources/mongodb-atlas/pharmacy/deliveries/relationships.json").contains(
                "#/relationship/mongodb-atlas/pharmacy/patients"
            )
        )
        // A value from a secret is exported as the secret's name, even though the server knows the contents.
        let value = try text("again/values/smsKey.json")
        #expect(value.contains("smsSecret") && value.contains(#""from_secret": true"#))
        #expect(!value.contains("swordfish"))

        // The export is complete: after an import under another name, a second export gives the same files.
        #expect(try run("project", "import", "F", folder.path + "/again", "--app", "second").status == 0)
        #expect(try run("project", "export", "F", "second", folder.path + "/third").status == 0)
        let (one, two) = (try files("again"), try files("third"))
        #expect(one.keys.sorted() == two.keys.sorted())
        for (name, bytes) in one { #expect(two[name] == bytes, "\(name)") }
        for command in ["schema", "rules"] {
            #expect(
                try run(command, "pull", "F", "pharmacy").output == run(command, "pull", "F", "second").output
            )
        }
    }

    private func files(_ name: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        let root = folder.path + "/" + name
        for path in try FileManager.default.subpathsOfDirectory(atPath: root) {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: root + "/" + path, isDirectory: &isFolder)
            if !isFolder.boolValue { files[path] = FileManager.default.contents(atPath: root + "/" + path) }
        }
        return files
    }

    @Test func `what changes at the server is in its export`() throws {
        #expect(try run("project", "import", "F", project, "--app", "pharmacy").status == 0)
        #expect(
            try run(
                "app",
                "set",
                "F",
                "pharmacy",
                "--anonymous",
                "on",
                "--email-password",
                "closed",
                "--adopt-schemas",
                "off"
            )
            .status == 0
        )
        #expect(try run("schema", "remove", "F", "pharmacy", "FridgeLog").status == 0)
        #expect(try run("project", "export", "F", "pharmacy", folder.path + "/again").status == 0)
        #expect(try text("again/sync/config.json").contains(#""development_mode_enabled": false"#))
        #expect(!(try files("again").keys.contains { $0.contains("fridge_logs/schema") }))
        let again = try run("project", "import", "F", folder.path + "/again", "--app", "second", "--dry-run")
        let taken = try #require(sections(again.output)["Taken over"])
        #expect(taken.contains("log-in: anonymous") && !taken.contains { $0.contains("email") })
        // An app that wasn't imported from a project.
        #expect(try run("app", "create", "F", "plain", "--access", "everyone").status == 0)
        let notes = try run("project", "export", "F", "plain", folder.path + "/plain").output
        #expect(notes.contains("The access 'everyone' is a default role."))
        #expect(try text("plain/data_sources/mongodb-atlas/default_rule.json").contains("everyone"))
        #expect(try text("plain/auth/providers.json").contains("api-key"))
    }

    @Test func `an existing app keeps its other classes, and changes that break its clients need an option`() throws {
        let own = folder.path + "/own.json"
        let schemas = """
            [{"title": "Van", "bsonType": "object", "required": ["_id"], "properties": {"_id": {"bsonType": "objectId"}}},
             {"title": "Patient", "bsonType": "object", "required": ["_id", "name"], "properties": {
               "_id": {"bsonType": "objectId"}, "name": {"bsonType": "long"}}}]
            """
        try schemas.write(toFile: own, atomically: true, encoding: .utf8)
        #expect(try run("app", "create", "F", "pharmacy", "--anonymous").status == 0)
        #expect(try run("schema", "push", "F", "pharmacy", own).status == 0)
        let refused = try run("project", "import", "F", project, "--app", "pharmacy")
        #expect(refused.status != 0)
        #expect(
            sections(refused.output)["Changes of the schema that break clients"]?.first?.contains("Patient.name")
                == true
        )
        #expect(try run("app", "list", "F").output.contains("anonymous=yes"))
        #expect(try run("project", "import", "F", project, "--app", "pharmacy", "--breaking").status == 0)
        #expect(try run("schema", "pull", "F", "pharmacy").output.contains(#""title": "Van""#))
        #expect(try run("app", "list", "F").output.contains("anonymous=no"))
    }

    @Test func `a folder that isn't a project is refused, and changes nothing`() throws {
        for bad in [folder.path + "/nothing", folder.path] {
            #expect(try run("project", "import", "F", bad, "--app", "pharmacy").status != 0)
        }
        try "{".write(toFile: project + "/sync/config.json", atomically: true, encoding: .utf8)
        #expect(try run("project", "import", "F", project, "--app", "pharmacy").status != 0)
        #expect(try run("project", "import", folder.path + "/nothing", project, "--app", "pharmacy").status != 0)
        #expect(try run("project", "export", "F", "pharmacy", folder.path + "/x").status != 0)
        #expect(try run("app", "list", "F").output.isEmpty)
    }
}
