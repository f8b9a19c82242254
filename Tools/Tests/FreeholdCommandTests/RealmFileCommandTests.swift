import Foundation
import Freehold
import Testing

/// Tests with files that Realm wrote: see RealmFileReaderTests/Fixtures.
struct RealmFileCommandTests {
    private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Tests/RealmFileReaderTests/Fixtures").standardizedFileURL
    private let plain = fixtures.appendingPathComponent("format24.realm").path
    private let encrypted = fixtures.appendingPathComponent("format24-encrypted.realm").path
    private let key = (0..<64).map { UInt8($0 * 3 + 1) }

    @Test func `import makes a file of one that Realm wrote, and reports`() throws {
        try withFolder { folder in
            let path = folder + "/new.realm"
            let run = try Run.freehold("import", path, "--from-realm", plain)
            expect(run.status == 0 && run.error == "", "\(run)")
            for part in [
                "Realm file of format 24, schema version 7", "Everything: 11 read, 11 stored", "Many: 514 read",
                "Child (embedded)", "Event (asymmetric): 1 read, 0 stored", "note: Event is an asymmetric class",
            ] {
                expect(run.output.contains(part), "\(part) in \(run.output)")
            }
            try expectEqual(Run.freehold("query", path, "Many", "--count").output, "514\n")
            try expectEqual(Run.freehold("query", path, "Everything", "words.rank == 10", "--count").output, "2\n")
            try expectEqual(Run.freehold("verify", path).status, 0)
            expect(try Run.freehold("info", path).output.contains("Schema version  7"))
            // The second time, the file exists.
            try expectEqual(Run.freehold("import", path, "--from-realm", plain).status, 73)
        }
    }

    @Test func `a dry run makes nothing, and the report may be JSON`() throws {
        try withFolder { folder in
            let path = folder + "/new.realm"
            let run = try Run.freehold("import", path, "--from-realm", plain, "--dry-run", "--json")
            expectEqual(run.status, 0, "\(run)")
            struct Report: Decodable {
                struct Class: Decodable { let name: String, kind: String, read: Int, stored: Int }
                let formatVersion: Int, schemaVersion: Int, isDryRun: Bool, classes: [Class]
            }
            let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
            expect(report.formatVersion == 24 && report.schemaVersion == 7 && report.isDryRun)
            expectEqual(report.classes.first { $0.name == "Word" }.map { $0.read == 19 && $0.stored == 0 }, true)
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder), [])
        }
    }

    @Test func `both files may be encrypted, each with its key`() throws {
        try withFolder { folder in
            let (path, oldKey, newKey) = (folder + "/new.realm", folder + "/old.key", folder + "/new.key")
            try Data(key).write(to: URL(fileURLWithPath: oldKey))
            try Data(repeating: 5, count: 64).write(to: URL(fileURLWithPath: newKey))
            let without = try Run.freehold("import", path, "--from-realm", encrypted)
            expect(without.status == 1 && without.error.contains("key") && without.output == "", "\(without)")
            let wrong = try Run.freehold("import", path, "--from-realm", encrypted, "--realm-key-file", newKey)
            expect(wrong.status == 1 && wrong.error.contains("key"), "\(wrong)")
            let run = try Run.freehold(
                "import",
                path,
                "--from-realm",
                encrypted,
                "--realm-key-file",
                oldKey,
                "--encryption-key-file",
                newKey
            )
            expect(run.status == 0 && run.output.contains("format 24, encrypted"), "\(run)")
            try expectEqual(Run.freehold("query", path, "Many", "--count").status, 1)
            let count = try Run.freehold("query", path, "Many", "--count", "--encryption-key-file", newKey)
            expectEqual(count.output, "514\n")
        }
    }

    @Test func `info and schema name and read files that Realm wrote`() throws {
        try withFolder { folder in
            let info = try Run.freehold("info", plain)
            expectEqual(info.status, 0, "\(info)")
            for part in [
                "Written by      Realm, format 24\n", "Schema version  7",
                "Child (embedded)", "Event (asymmetric)", "--from-realm",
            ] {
                expect(info.output.contains(part), "\(part) in \(info.output)")
            }
            struct Info: Decodable {
                struct Class: Decodable { let name: String, objects: Int, primaryKey: String? }
                let format: Int, encrypted: Bool, schemaVersion: Int, classes: [Class]
            }
            let json = try Run.freehold("info", plain, "--format", "json")
            let read = try JSONDecoder().decode(Info.self, from: Data(json.output.utf8))
            expect(read.format == 24 && !read.encrypted && read.classes.contains { $0.primaryKey == "word" })
            let swift = try Run.freehold("schema", plain, "--format", "swift", "--class", "Word")
            expect(
                swift.output.contains("class Word: Object") && swift.output.contains("primaryKey: true"),
                "\(swift)"
            )
            let keyFile = folder + "/old.key"
            try Data(key).write(to: URL(fileURLWithPath: keyFile))
            let sealed = try Run.freehold("info", encrypted, "--encryption-key-file", keyFile)
            expect(sealed.output.contains("Realm, format 24, encrypted"), "\(sealed)")
            try expectEqual(Run.freehold("info", encrypted).status, 1)
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder), ["old.key"])
        }
    }

    @Test func `other commands say how such a file is imported`() throws {
        let run = try Run.freehold("query", plain, "Word")
        expect(run.status == 1 && run.output == "" && run.error.contains("freehold import NEW --from-realm"), "\(run)")
    }

    @Test(arguments: [
        ["--dry-run"], ["--json"], ["--realm-key-file", "k"], ["--from-realm", "a", "--schema", "s"],
        ["--from-realm", "a", "--input", "i"], ["--from-realm", "a", "City"],
    ])
    func `options that don't go together are refused`(_ options: [String]) throws {
        try withFolder { folder in
            let run = try Run.freehold(["import", folder + "/new.realm"] + options)
            expect(run.status == 64 && run.error.contains("--from-realm"), "\(run)")
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder), [])
        }
    }

    @Test func `a Realm file that is missing, or can't be read, is an error`() throws {
        try withFolder { folder in
            let path = folder + "/new.realm"
            try expectEqual(Run.freehold("import", path, "--from-realm", folder + "/none").status, 66)
            try Data("something else, which is long enough".utf8).write(to: URL(fileURLWithPath: folder + "/other"))
            let run = try Run.freehold("import", path, "--from-realm", folder + "/other")
            expect(run.status == 1 && run.error.contains("isn't a Realm file"), "\(run)")
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder), ["other"])
        }
    }
}
