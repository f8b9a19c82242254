import Foundation
import Freehold
import Testing

struct FileCommandTests {
    @Test func `info prints sizes, versions, classes and indexes`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            let run = try Run.freehold("info", path)
            expect(run.status == 0 && run.error == "")
            for part in [
                "File            \(path)", "Schema version  3", "Readers         0", "Classes         3",
                "TMHome (embedded)        1", "name, note (full text), name + age",
            ] {
                expect(run.output.contains(part), "\(part) in \(run.output)")
            }
            struct Info: Decodable {
                struct Class: Decodable {
                    let name: String, objects: Int, primaryKey: String?, indexes: [String], embedded: Bool
                }
                let bytes: Int, usedBytes: Int, schemaVersion: Int, classes: [Class], version: Int
            }
            let json = try Run.freehold("info", path, "--format", "json")
            let info = try JSONDecoder().decode(Info.self, from: Data(json.output.utf8))
            expect(info.bytes == (try ToolFile.bytes(path).count) && info.usedBytes <= info.bytes)
            expect(info.schemaVersion == 3 && info.classes.first { $0.name == "TMPerson" }?.objects == 3)
            expectEqual(info.classes.first { $0.name == "TMPerson" }?.primaryKey, "id")
        }
    }

    @Test func `missing files, and files of other formats, are left alone`() throws {
        let commands = [
            ["info"], ["schema"], ["query", "TMPerson"], ["export"], ["verify"], ["compact"], ["backup", "x.realm"],
            ["pins"], ["import", "TMPerson"],
        ]
        try withFolder { folder in
            try Data("no database at all, but long enough to be looked at".utf8)
                .write(to: URL(fileURLWithPath: folder + "/text.realm"))
            for command in commands {
                let arguments = command[1...].map { $0.hasSuffix(".realm") ? folder + "/" + $0 : $0 }
                let missing = try Run.freehold([command[0], folder + "/none.realm"] + arguments)
                expect(missing.status == 66 && missing.output == "", "\(command): \(missing)")
                expect(missing.error.split(separator: "\n").count == 1 && missing.error.hasPrefix("freehold: "))
                try expectEqual(Run.freehold([command[0], folder] + arguments).status, 66)
                let other = try Run.freehold([command[0], folder + "/text.realm"] + arguments)
                expect(other.status == 1 && other.output == "", "\(command): \(other)")
            }
            expect(!FileManager.default.fileExists(atPath: folder + "/none.realm"))
            try expectEqual(ToolFile.bytes(folder + "/text.realm").count, 51)
        }
    }

    @Test func `verify counts sound contents, and reports damage`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path, people: 3000)
            let sound = try Run.freehold("verify", path)
            expect(sound.status == 0 && sound.output.contains("sound. 3 classes, 3,000 objects"), "\(sound)")
            try expectEqual(Run.freehold("verify", "--quiet", path).output, "")
            // Names in a leaf are overwritten with other names. The index still contains the old names.
            var bytes = try ToolFile.bytes(path)
            let name = Data("Person 1234".utf8)
            while let range = bytes.range(of: name) { bytes.replaceSubrange(range, with: Data("Person 9999".utf8)) }
            try bytes.write(to: URL(fileURLWithPath: path))
            let damaged = try Run.freehold("verify", path)
            expect(damaged.status == 1 && damaged.output.contains("name"), "\(damaged)")
            expect(damaged.error.contains("wrong"))
        }
    }

    @Test func `compact gives free space back, unless another process has the file open`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path, people: 20_000)
            try ToolFile.write(path) { realm in realm.delete(realm.objects(TMPerson.self).where { $0.id >= 10 }) }
            let before = try ToolFile.bytes(path).count
            do {
                let realm = try Realm(configuration: ToolFile.configuration(path))
                let busy = try Run.freehold("compact", path)
                expect(busy.status == 75 && realm.objects(TMPerson.self).count == 10, "\(busy)")
            }
            let run = try Run.freehold("compact", path)
            expect(run.status == 0 && run.output.contains("before"), "\(run)")
            expect(try ToolFile.bytes(path).count < before / 4)
            try expectEqual(Run.freehold("query", path, "TMPerson", "--count").output, "10\n")
        }
    }

    @Test func `a backup of a file in use is one version, and never replaces a file`() throws {
        try withFolder { folder in
            let (path, copy) = (folder + "/a.realm", folder + "/b.realm")
            try ToolFile.make(path)
            let realm = try Realm(configuration: ToolFile.configuration(path))
            realm.beginWrite()
            realm.delete(realm.objects(TMPerson.self))
            let run = try Run.freehold("backup", path, copy)
            expect(run.output.contains("version \(realm.version), "), "\(run)")
            try realm.commitWrite()
            expect(run.status == 0 && run.output.hasPrefix(copy), "\(run)")
            try expectEqual(Run.freehold("query", copy, "TMPerson", "--count").output, "3\n")
            try expectEqual(Run.freehold("backup", path, copy).status, 73)
            try expectEqual(Run.freehold("backup", path, folder + "/none/b.realm").status, 73)
        }
    }

    @Test func `pins names the processes that hold old versions, and waits for them`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            expect(try Run.freehold("pins", path).output.hasPrefix("no process holds a version"))
            do {
                let held = try Realm(configuration: ToolFile.configuration(path)).freeze()
                for i in 10..<15 {
                    try ToolFile.write(path) { realm in realm.create(TMPerson.self, value: ["id": i]) }
                }
                let run = try Run.freehold("pins", path)
                let process = ProcessInfo.processInfo.processIdentifier
                expect(run.output.contains("  5  ") && run.output.contains("\(process)"), "\(run.output)")
                struct Pin: Decodable { let version: Int, process: Int32, name: String?, thread: UInt64 }
                let json = try Run.freehold("pins", path, "--format", "json")
                let pins = try JSONDecoder().decode([Pin].self, from: Data(json.output.utf8))
                expect(pins.contains { $0.version == Int(held.version) && $0.process == process })
                let info = try Run.freehold("info", path)
                expect(info.output.contains("the oldest 5 versions behind"), "\(info.output)")
                let waited = try Run.freehold("pins", path, "--wait", "--timeout", "0.3")
                expect(waited.status == 75 && waited.error.contains("\(process)"), "\(waited)")
            }
            try expectEqual(Run.freehold("pins", path, "--wait", "--timeout", "30").status, 0)
            for wrong in ["inf", "nan", "1e30", "-1", "1e9"] {
                let run = try Run.freehold("pins", path, "--wait", "--timeout=\(wrong)")
                expect(run.status == 64 && !run.wasSignalled, "\(wrong): \(run)")
            }
        }
    }

    @Test(.enabled(if: ToolFile.canEncrypt, "the library is built without its trait Encryption"))
    func `an encrypted file needs its key, from a file or the environment`() throws {
        try withFolder { folder in
            let (path, keyFile) = (folder + "/a.realm", folder + "/key")
            let key = Data((0..<64).map { UInt8($0 * 3) })
            let digits = key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            do {
                var configuration = ToolFile.configuration(path)
                configuration.encryptionKey = key
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.create(TMPerson.self, value: ["id": 1, "name": "secret"]) }
            }
            let without = try Run.freehold("query", path, "TMPerson")
            expect(without.status == 1 && without.output == "", "\(without)")
            for content in [key, Data((digits + "\n").utf8)] {
                try content.write(to: URL(fileURLWithPath: keyFile))
                let run = try Run.freehold("query", path, "TMPerson", "--count", "--encryption-key-file", keyFile)
                expectEqual(run.output, "1\n", "\(run)")
            }
            let line =
                "FREEHOLD_ENCRYPTION_KEY=\(digits) \"$F\" export '\(path)'"
                + " | FREEHOLD_ENCRYPTION_KEY=\(digits) \"$F\" import '\(folder)/b.realm'"
            expect(try Run.shell(line).error.contains("1 object imported"))
            expect(try ToolFile.bytes(folder + "/b.realm").range(of: Data("secret".utf8)) == nil)
            let copied = try Run.freehold("verify", folder + "/b.realm", "--encryption-key-file", keyFile)
            expectEqual(copied.status, 0, "\(copied)")
            let compacted = try Run.freehold("compact", path, "--encryption-key-file", keyFile)
            expectEqual(compacted.status, 0, "\(compacted)")
            try Data("short".utf8).write(to: URL(fileURLWithPath: keyFile))
            try expectEqual(Run.freehold("info", path, "--encryption-key-file", keyFile).status, 65)
            try expectEqual(Run.freehold("info", path, "--encryption-key-file", folder + "/none").status, 66)
        }
    }

    @Test func `help has examples, the version is a number, and completions exist`() throws {
        for command in [
            "info", "schema", "query", "export", "import", "verify", "compact", "backup", "pins", "migrate",
        ] {
            let run = try Run.freehold(command, "--help")
            expect(run.status == 0 && run.output.contains("EXAMPLES:") && run.error == "", "\(command)")
        }
        expect(try Run.help("").output.contains("EXIT CODES"))
        try expectEqual(Run.freehold("--version").output.split(separator: ".").count, 3)
        expect(try Run.freehold("--generate-completion-script", "bash").output.contains("freehold"))
        let wrong = try Run.freehold("inffo")
        expect(wrong.status == 64 && wrong.output == "")
    }
}
