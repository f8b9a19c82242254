import Foundation
import FreeholdEngine
import TestRealmFiles
import Testing

@testable import FreeholdStudio

/// Files of all kinds, and the list of files.
struct FileTests {
    private static let key = EncryptionKey((0..<64).map { UInt8($0) })!
    private static let hex = (0..<64).map { String(format: "%02x", $0) }.joined()

    @Test func `An encrypted file needs its key`() async throws {
        let world = try StudioWorld(key: Self.key)
        let page = TestPage(world.program)
        // The library shares an open file within the process. Another key is refused all the same.
        expectEqual(await page.refusal("openFile", ["file": "f1"]), "key")
        for wrong: StudioJSON in [
            ["hex": "00"], ["base64": "AAAA"], ["hex": .string(String(repeating: "0", count: 128))],
        ] {
            expectEqual(await page.refusal("openFile", ["file": "f1", "key": wrong]), "key")
        }
        let facts = try await page.ask("openFile", ["file": "f1", "key": ["hex": .string(Self.hex)]])
        expectEqual(facts["flags"]?["encrypted"]?.flag, true)
        let text = Data((0..<64).map { UInt8($0) }).base64EncodedString()
        try await page.ask("openFile", ["file": "f1", "key": ["base64": .string(text)]])
    }

    @Test(arguments: [nil, key, EncryptionKey((0..<64).map { UInt8($0 + 1) })!])
    func `A closed file is refused by a typed error without its key`(_ given: EncryptionKey?) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("studio-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for own in [nil, Self.key] {
            let path = folder.appendingPathComponent(own == nil ? "plain.realm" : "sealed.realm").path
            do {
                var options = Database.Options()
                options.encryptionKey = own
                let write = try Database.open(at: path, options: options).beginWrite()
                try write.applySchema([TableSpec("A", columns: [ColumnSpec("x", .int)])])
                _ = try write.commit()
            }
            var options = Database.Options()
            options.readOnly = true
            options.encryptionKey = given
            var detail: EngineError.Detail?
            do { _ = try Database.open(at: path, options: options) } catch { detail = error.detail }
            let expected: EngineError.Detail? =
                own == given ? nil : own == nil ? .keyIsUnneeded : given == nil ? .keyIsMissing : .keyIsWrong
            expectEqual(detail, expected, "\(path)")
        }
    }

    @Test func `A session without --write reads a file that this process writes`() async throws {
        let world = try StudioWorld()
        // The file is open for writing in the world itself.
        let facts = try await world.page().ask("file")
        expectEqual(facts["flags"]?["write"]?.flag, false)
        var options = Database.Options()
        options.readOnly = true
        var detail: EngineError.Detail?
        do { _ = try Database.open(at: world.path, options: options) } catch { detail = error.detail }
        expectEqual(detail, .otherSettings)
    }

    @Test(arguments: [RealmFixture.format24, .format11, .encrypted])
    func `A Realm file is shown, not upgraded and not followed`(_ fixture: RealmFixture) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("studio-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("old.realm").path
        try FileManager.default.copyItem(atPath: fixture.path, toPath: path)
        let before = FileManager.default.contents(atPath: path)
        var options = StudioOptions(temporaryFolder: folder.path)
        options.files = [path]
        options.isWritable = true
        let page = TestPage(StudioProgram(options))
        let key: StudioJSON? = fixture.key.map { ["base64": .string(Data($0).base64EncodedString())] }
        let facts = try await page.ask("openFile", .members(["file": "f1", "key": key]))
        expectEqual(facts["kind"]?.text, "realm")
        expectEqual(facts["flags"]?["live"]?.flag, false)
        expect((facts["conversion"]?.text ?? "").isEmpty == false)
        expectEqual(facts["flags"]?["write"]?.flag, false)
        let classes = try await page.ask("classes")["classes"]?.elements ?? []
        expect(classes.contains { $0["class"]?.text == "Everything" && ($0["count"]?.int ?? 0) > 0 })
        expectEqual(await page.refusal("stage", ["edits": []]), "readOnly")
        expectEqual(FileManager.default.contents(atPath: path), before)
    }

    @Test func `A file that isn't a database, a missing one and a damaged one are errors`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("studio-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = folder.appendingPathComponent("text.realm").path
        try Data("This is a text and not a database, although it has the name of one.".utf8).write(
            to: URL(fileURLWithPath: text)
        )
        var options = StudioOptions(temporaryFolder: folder.path)
        options.files = [text, folder.appendingPathComponent("none.realm").path]
        let page = TestPage(StudioProgram(options))
        expectEqual(await page.refusal("openFile", ["file": "f1"]), "format")
        expectEqual(await page.refusal("openFile", ["file": "f2"]), "notFound")
        expectEqual(await page.refusal("classes"), "noFile")
        expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("none.realm").path))
    }

    @Test func `The list of files and its state are private, and can be turned off`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("studio-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let state = folder.appendingPathComponent("state/studio.json").path
        let world = try StudioWorld(configure: { $0.statePath = state })
        let page = try await world.page()
        try await page.ask("remember", ["state": ["widths": ["name": 120], "titles": ["Person": "city"]]])
        expectEqual(try await page.ask("object", ["class": "Person", "key": 1])["title"]?.text, "Paris")
        expectEqual(await page.refusal("remember", ["state": .string("x")]), "invalid")
        let mode = (try FileManager.default.attributesOfItem(atPath: state)[.posixPermissions] as? NSNumber)?.intValue
        expectEqual(mode, 0o600)
        var options = StudioOptions(temporaryFolder: folder.path)
        options.statePath = state
        let later = TestPage(StudioProgram(options))
        let recent = try await later.ask("files")["recent"]?.elements ?? []
        expectEqual(recent.first?["name"]?.text, "app.realm")
        try await later.ask("openFile", ["file": recent[0]["file"]!])
        expectEqual(try await later.ask("recall")["state"]?["widths"]?["name"]?.int, 120)
        try await later.ask("forget", ["file": recent[0]["file"]!])
        expectEqual(try await later.ask("files")["recent"]?.elements?.count, 0)
        let silent = try StudioWorld()
        expectEqual(silent.program.welcome["welcome"]?["history"]?.flag, false)
    }
}
