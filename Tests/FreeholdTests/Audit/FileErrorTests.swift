import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

private class Note: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var text = ""
}

private enum Mistaken {
    class TwoKeys: Object {
        @Persisted(primaryKey: true) var a = 0
        @Persisted(primaryKey: true) var b = 0
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    class Empty: Object {
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// A temporary folder, removed on deinitialisation.
private final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("freehold-\(UUID().uuidString)")

    init() { try! FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }

    var file: URL { url.appendingPathComponent("notes.realm") }
    var names: [String] { try! FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }

    func configuration(_ types: [ObjectBase.Type] = [Note.self], readOnly: Bool = false) -> Realm.Configuration {
        Realm.Configuration(fileURL: file, readOnly: readOnly, objectTypes: types)
    }

    func fill(_ count: Int = 500) throws {
        let realm = try Realm(configuration: configuration())
        try realm.write {
            for i in 0..<count { realm.create(Note.self, value: [i, String(repeating: "text ", count: 20)]) }
        }
    }

    /// The file alone, as a copy would be.
    func removeLocks() throws {
        for name in names where name != file.lastPathComponent {
            try FileManager.default.removeItem(at: url.appendingPathComponent(name))
        }
    }
}

@Suite("Files that can't be opened")
struct FileErrorTests {
    private func error(_ configuration: Realm.Configuration) -> Realm.Error? {
        do {
            _ = try Realm(configuration: configuration)
            return nil
        } catch { return error as? Realm.Error }
    }

    @Test(arguments: [false, true])
    func `an empty file is new for writing, and invalid for reading`(readOnly: Bool) throws {
        let folder = Folder()
        try Data().write(to: folder.file)
        let found = error(folder.configuration(readOnly: readOnly))
        expectEqual(found?.code, (readOnly ? .invalidDatabase : nil))
        if readOnly {
            expect(try Data(contentsOf: folder.file).isEmpty)
            expectEqual(folder.names, ["notes.realm"])
        }
    }

    @Test(arguments: [1, 4_096, 100_000], [false, true])
    func `garbage is refused, and no byte changes`(size: Int, readOnly: Bool) throws {
        let folder = Folder()
        let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
        try bytes.write(to: folder.file)
        let found = error(folder.configuration(readOnly: readOnly))
        expect(found?.code == .invalidDatabase && found?.fileURL?.lastPathComponent == "notes.realm")
        try expectEqual(Data(contentsOf: folder.file), bytes)
        expectEqual(folder.names, ["notes.realm"])
    }

    @Test(arguments: [0.02, 0.5, 0.9], [false, true])
    func `a truncated file is refused, and no byte changes`(part: Double, readOnly: Bool) throws {
        let folder = Folder()
        try folder.fill()
        try folder.removeLocks()
        var bytes = try Data(contentsOf: folder.file)
        let used = bytes.lastIndex { $0 != 0 }! + 1
        bytes = bytes.prefix(Int(Double(used) * part))
        try bytes.write(to: folder.file)
        let found = error(folder.configuration(readOnly: readOnly))
        expectEqual(found?.code, .invalidDatabase)
        try expectEqual(Data(contentsOf: folder.file), bytes)
        expectEqual(folder.names, ["notes.realm"])
    }

    @Test(arguments: [false, true])
    func `a file of a newer format is refused, and no byte changes`(readOnly: Bool) throws {
        let folder = Folder()
        try folder.fill(0)
        try folder.removeLocks()
        var bytes = try Data(contentsOf: folder.file)
        // The format's version follows the magic of the header's block, of which a copy-on-write file may keep several.
        let magic = Data("FREEHOLD".utf8)
        var from = bytes.startIndex, places = 0
        while let range = bytes.range(of: magic, in: from..<bytes.endIndex) {
            bytes[range.upperBound] = 99
            from = range.upperBound
            places += 1
        }
        try require(places > 0)
        try bytes.write(to: folder.file)
        let found = error(folder.configuration(readOnly: readOnly))
        expectEqual(found?.code, .unsupportedFileFormatVersion, "\(String(describing: found))")
        try expectEqual(Data(contentsOf: folder.file), bytes)
    }

    @Test(.enabled(if: geteuid() != 0, "The superuser may write everything."))
    func `a file without write permission can be read`() throws {
        let folder = Folder()
        try folder.fill()
        chmod(folder.file.path, 0o444)
        let before = try Data(contentsOf: folder.file)
        expectEqual(error(folder.configuration())?.code, .filePermissionDenied)
        expect(error(folder.configuration(readOnly: true)) == nil)
        try expectEqual(Data(contentsOf: folder.file), before)
        chmod(folder.file.path, 0)
        expectEqual(error(folder.configuration(readOnly: true))?.code, .filePermissionDenied)
    }

    @Test
    func `a folder, a missing folder and a missing file have different codes`() throws {
        let folder = Folder()
        expectEqual(error(folder.configuration(readOnly: true))?.code, .fileNotFound)
        var configuration = folder.configuration()
        configuration.fileURL = folder.url
        expectEqual(error(configuration)?.code, .invalidDatabase)
        configuration.fileURL = folder.url.appendingPathComponent("none/notes.realm")
        expectEqual(error(configuration)?.code, .fileNotFound)
        configuration.fileURL = URL(string: "https://example.com/notes.realm")
        expectEqual(error(configuration)?.code, .invalidInput)
        expect(folder.names.isEmpty)
    }

    @Test
    func `mistakes in models and configurations create no file, and change none`() throws {
        let folder = Folder()
        let found = error(folder.configuration([Mistaken.TwoKeys.self, Mistaken.Empty.self]))
        expectEqual(found?.code, .invalidSchema)
        expect(found?.message.contains("TwoKeys") == true && found?.message.contains("Empty") == true)
        expect(folder.names.isEmpty)
        try folder.fill()
        let before = try Data(contentsOf: folder.file)
        expectEqual(error(folder.configuration([Mistaken.TwoKeys.self]))?.code, .invalidSchema)
        try expectEqual(Data(contentsOf: folder.file), before)
    }

    @Test
    func `reading doesn't change the file`() throws {
        let folder = Folder()
        try folder.fill()
        let before = try Data(contentsOf: folder.file)
        do {
            let realm = try Realm(configuration: folder.configuration(readOnly: true))
            expectEqual(realm.objects(Note.self).where { $0.id < 10 }.count, 10)
            expectEqual(thrownCode { try realm.write {} }, .readOnly)
            expect(realm.configuration.readOnly)
        }
        try expectEqual(Data(contentsOf: folder.file), before)
        do {
            let realm = try Realm(configuration: folder.configuration())
            expectEqual(realm.objects(Note.self).count, 500)
        }
        try expectEqual(Data(contentsOf: folder.file), before)
    }
}
