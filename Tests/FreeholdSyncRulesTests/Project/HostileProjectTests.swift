import FreeholdBSON
import FreeholdSyncRules
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Hostile folders, and those without a project, are an error with its place")
struct HostileProjectTests {
    struct Wrong: Sendable, CustomTestStringConvertible {
        let file: String
        let text: String
        let path: [String]
        var testDescription: String { "\(file) \(path.joined(separator: "."))" }

        init(_ file: String, _ text: String, _ path: [String] = []) {
            self.file = file
            self.text = text
            self.path = path
        }
    }

    @Test(arguments: [
        Wrong("root_config.json", "[]"),
        Wrong("root_config.json", #"{"name": 5}"#, ["name"]),
        Wrong("root_config.json", #"{"name": "a", "config_version": 20990101}"#, ["config_version"]),
        Wrong(
            "root_config.json",
            #"{"name": "a", "allowed_request_origins": ["x", 2]}"#,
            ["allowed_request_origins", "1"]
        ),
        Wrong("root_config.json", #"{"name": "a", "name": "b"}"#),
        Wrong(".mdb/meta.json", #"{"config_version": "x"}"#, ["config_version"]),
        Wrong("sync/config.json", #"{"type": "flexible", "state": true}"#, ["state"]),
        Wrong("sync/config.json", #"{"type": "magic", "state": ""}"#, ["type"]),
        Wrong("sync/config.json", #"{"type": "flexible", "service_name": "nowhere"}"#, ["service_name"]),
        Wrong(
            "sync/config.json",
            #"{"type": "flexible", "client_max_offline_days": 1.5}"#,
            ["client_max_offline_days"]
        ),
        Wrong(
            "sync/config.json",
            #"{"state": "", "permissions": {"rules": {"A": 1}, "defaultRoles": [1]}}"#,
            ["permissions", "rules", "A"]
        ),
        Wrong("auth/providers.json", #"{"api-key": []}"#, ["api-key"]),
        Wrong("auth/providers.json", #"{"api-key": {"disabled": "no"}}"#, ["api-key", "disabled"]),
        Wrong("auth/providers.json", #"{"a": {"name": "x"}, "b": {"name": "x"}}"#, ["b"]),
        Wrong("auth/providers.json", #"{"a": {"metadata_fields": [{}]}}"#, ["a", "metadata_fields", "0"]),
        Wrong("auth/custom_user_data.json", #"{"enabled": 1}"#, ["enabled"]),
        Wrong("values/admins.json", #"{"name": "token", "value": 1}"#),
        Wrong("values/token.json", #"{"name": "token", "value": 1, "from_secret": true}"#, ["value"]),
        Wrong("environments/production.json", #"{"values": []}"#, ["values"]),
        Wrong("data_sources/mongodb-atlas/config.json", #"{"name": []}"#, ["name"]),
        Wrong("data_sources/mongodb-atlas/default_rule.json", #"{"roles": {}}"#, ["roles"]),
        Wrong(
            "data_sources/mongodb-atlas/store/orders/rules.json",
            #"{"database": "other", "roles": []}"#,
            ["database"]
        ),
        Wrong("data_sources/mongodb-atlas/store/orders/schema.json", "5"),
    ])
    func `settings of another type or of an unknown kind are errors with their place`(_ wrong: Wrong) throws {
        var texts = ProjectFixtures.shop
        texts[wrong.file] = wrong.text
        let error = try #require(throws: ProjectError.self) { try ProjectFixtures.project(texts) }
        // If two values have one name, the second is reported.
        if !wrong.path.isEmpty { expectEqual(error.file, wrong.file) }
        if !wrong.path.isEmpty { expectEqual(error.path, wrong.path) }
    }

    @Test
    func `text that isn't JSON is an error with its line`() throws {
        var texts = ProjectFixtures.shop
        texts["auth/providers.json"] = "{\n  \"a\": {\n    \"type\": \"api-key\",\n  }\n}"
        let error = try #require(throws: ProjectError.self) { try ProjectFixtures.project(texts) }
        expectEqual(error.file, "auth/providers.json")
        expect(error.reason.contains("line 4"))
    }

    @Test
    func `an empty folder, a file and a missing name are errors, and a nested project is named`() throws {
        try withFolder { folder in
            #expect(throws: ProjectError.self) { try AppServicesProject.read(folder) }
            #expect(throws: ProjectError.self) { try AppServicesProject.read(folder + "/nowhere") }
            #expect(throws: ProjectError.self) { try AppServicesProject.read("a\0b") }
            try write(["backend/root_config.json": #"{"name": "a"}"#], to: folder)
            let error = try #require(throws: ProjectError.self) { try AppServicesProject.read(folder) }
            expect(error.reason.contains("'backend'"))
            #expect(throws: ProjectError.self) { try AppServicesProject.read(folder + "/backend/root_config.json") }
            try expectEqual(AppServicesProject.read(folder + "/backend").name, "a")
        }
    }

    @Test
    func `links that lead out of the folder are refused, and those that stay inside are followed`() throws {
        try withFolder { outer in
            let folder = outer + "/project"
            try write(ProjectFixtures.shop, to: folder)
            try write(["secret.json": #"{"name": "stolen"}"#, "values/stolen.json": "{}"], to: outer)
            let expected = try AppServicesProject.read(folder)

            // Inside.
            try FileManager.default.moveItem(atPath: folder + "/sync", toPath: folder + "/.moved")
            expectEqual(symlink(".moved", folder + "/sync"), 0)
            try expectEqual(AppServicesProject.read(folder), expected)
            // A link to the folder itself.
            expectEqual(symlink("project", outer + "/link"), 0)
            try expectEqual(AppServicesProject.read(outer + "/link"), expected)

            for target in ["../../secret.json", outer + "/secret.json", "/etc/passwd", "../nowhere", "/dev/zero"] {
                expectEqual(symlink(target, folder + "/values/out.json"), 0)
                let error = try #require(throws: ProjectError.self) { try AppServicesProject.read(folder) }
                expectEqual(error.file, "values/out.json", "\(target)")
                try FileManager.default.removeItem(atPath: folder + "/values/out.json")
            }
            // Folders, too, and loops.
            try FileManager.default.removeItem(atPath: folder + "/environments")
            expectEqual(symlink("../values", folder + "/environments"), 0)
            #expect(throws: ProjectError.self) { try AppServicesProject.read(folder) }
            try FileManager.default.removeItem(atPath: folder + "/environments")
            expectEqual(symlink("environments", folder + "/environments"), 0)
            #expect(throws: ProjectError.self) { try AppServicesProject.read(folder) }
            try FileManager.default.removeItem(atPath: folder + "/environments")
            expectEqual(symlink("..", folder + "/functions/up"), 0)
            _ = try? AppServicesProject.read(folder)
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `pipes and folders at the place of files don't block the reading`() throws {
        try withFolder { folder in
            try write(["stitch.json": #"{"name": "a"}"#], to: folder)
            try FileManager.default.createDirectory(atPath: folder + "/values", withIntermediateDirectories: true)
            expectEqual(mkfifo(folder + "/values/pipe.json", 0o600), 0)
            let error = try #require(throws: ProjectError.self) { try AppServicesProject.read(folder) }
            expectEqual(error.file, "values/pipe.json")
            try FileManager.default.removeItem(atPath: folder + "/values/pipe.json")
            try FileManager.default.createDirectory(
                atPath: folder + "/values/folder.json",
                withIntermediateDirectories: true
            )
            let project = try AppServicesProject.read(folder)
            expectEqual(project.unsupported.map(\.file), ["values/folder.json"])
        }
    }

    @Test
    func `sizes, depths and numbers are limited`() throws {
        let name = #"{"name": "a"}"#
        func fails(_ texts: [String: String], _ limits: ProjectLimits) -> String? {
            do {
                _ = try AppServicesProject(files: ProjectFixtures.files(texts), limits: limits)
                return nil
            } catch { return error.file }
        }
        let long = "{\"name\": \"\(String(repeating: "a", count: 2_000))\"}"
        expectEqual(fails(["stitch.json": long], ProjectLimits(fileSize: 1_000)), "stitch.json")
        let deep = String(repeating: "{\"a\":", count: 5_000) + "1" + String(repeating: "}", count: 5_000)
        expectEqual(fails(["stitch.json": name, "values/v.json": deep], ProjectLimits()), "values/v.json")
        var many = ["stitch.json": name]
        for index in 0..<100 { many["values/v\(index).json"] = "{\"value\": \(index)}" }
        expect(fails(many, ProjectLimits()) == nil)
        expect(fails(many, ProjectLimits(files: 50)) != nil)
        expect(fails(many, ProjectLimits(totalSize: 500)) != nil)
        try withFolder { folder in
            try write(many, to: folder)
            #expect(throws: ProjectError.self) {
                try AppServicesProject.read(folder, limits: ProjectLimits(namesInFolder: 20))
            }
            try write(["values/v1.json": String(repeating: " ", count: 3_000)], to: folder)
            let error = try #require(throws: ProjectError.self) {
                try AppServicesProject.read(folder, limits: ProjectLimits(fileSize: 1_000))
            }
            expectEqual(error.file, "values/v1.json")
        }
        // The note on unsupported files lists only a limited number of names.
        for index in 0..<500 { many["triggers/t\(index).json"] = "{" }
        let project = try AppServicesProject(files: ProjectFixtures.files(many))
        let note = try require(project.unsupported.first { $0.file == "triggers" })
        expect(note.reason.hasPrefix("500 (t0.json") && note.reason.utf8.count < 2_000)
    }

    @Test(arguments: ["../a.json", "/a", "a//b", "a/./b", "", "a\0b", "a/"])
    func `paths that lead out of a project in memory are refused`(_ path: String) {
        #expect(throws: ProjectError.self) {
            try ProjectFixtures.project(["stitch.json": #"{"name": "a"}"#, path: "{}"])
        }
    }

    @Test
    func `a path that is both a file and a folder is refused`() {
        #expect(throws: ProjectError.self) {
            try ProjectFixtures.project(["stitch.json": #"{"name": "a"}"#, "values": "", "values/a.json": "{}"])
        }
    }

    @Test
    func `damaged files are read or refused, and nothing else`() {
        var random = SeededRandom(test: "spoilt projects")
        let sources = [
            ProjectFixtures.files(ProjectFixtures.shop),
            ProjectFixtures.files(ProjectFixtures.old("stitch.json", 2018_0301)),
        ]
        var read = 0
        for _ in 0..<(3_000 * soak) {
            var files = random.pick(sources)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let file = random.pick(files.keys.sorted())
                var bytes = files[file]!
                guard !bytes.isEmpty else { continue }
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.removeSubrange(place...)
                case 3: bytes.insert(random.pick(Array("{}[]\",:$%0a".utf8)), at: place)
                case 4: files[file] = nil
                default: bytes.insert(contentsOf: random.pick(files.values.map { $0 }), at: place)
                }
                if files[file] != nil { files[file] = bytes }
            }
            if let project = try? AppServicesProject(files: files) {
                read += 1
                #expect(throws: Never.self) { try project.tables() }
            }
        }
        expect(read > 50)
    }
}
