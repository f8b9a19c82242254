import Foundation
import Freehold
import FreeholdImport
import RealmFileReader
import TestRealmFiles
import Testing

struct ImportErrorTests {
    /// Returns the error of an import of these bytes, which leaves no file.
    private func error(_ bytes: [UInt8]) throws -> Realm.Error? {
        try withFolder { folder in
            let source = folder.appendingPathComponent("old.realm")
            try Data(bytes).write(to: source)
            let target = Realm.Configuration(fileURL: folder.appendingPathComponent("new.realm"))
            var found: Realm.Error?
            do { try Realm.importRealmFile(at: source, to: target) } catch {
                found = try require(error as? Realm.Error)
                expectEqual(names(in: folder), ["old.realm"])
            }
            return found
        }
    }

    @Test(arguments: [2, 6, 9, 25])
    func `an unreadable format is named, with the remedy`(_ format: Int) throws {
        var bytes = try RealmFixture.format24.bytes()
        (bytes[20], bytes[21]) = (UInt8(format), UInt8(format))
        let error = try error(bytes)
        expectEqual(error?.code, .unsupportedFileFormatVersion)
        expectEqual(error?.message.contains("format \(format)"), true)
    }

    @Test func `a truncated file is damaged, and the error has the place`() throws {
        let error = try error(try RealmFixture.format24.bytes().dropLast(8192))
        expectEqual(error?.code, .invalidDatabase)
        expect((error?.cause as? RealmFileError)?.offset != nil)
    }

    @Test func `a missing file and a file of another kind are errors`() throws {
        try expectEqual(error(Array("not a database at all, but long enough".utf8))?.code, .invalidDatabase)
        try withFolder { folder in
            let target = Realm.Configuration(fileURL: folder.appendingPathComponent("new.realm"))
            let error = #expect(throws: Realm.Error.self) {
                try Realm.importRealmFile(at: folder.appendingPathComponent("none.realm"), to: target)
            }
            expectEqual(error?.code, .fileNotFound)
            expectEqual(names(in: folder), [])
        }
    }

    @Test func `opening a Realm file as a realm is an error that explains the import`() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("old.realm")
            try FileManager.default.copyItem(at: RealmFixture.format24.url, to: url)
            for readOnly in [false, true] {
                var configuration = Realm.Configuration(fileURL: url, objectTypes: ImportedModels.all)
                configuration.readOnly = readOnly
                let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
                expectEqual(error?.code, .invalidDatabase)
                expectEqual(error?.message.contains("Realm.importRealmFile"), true)
                expectEqual(error?.message.contains("freehold import"), true)
            }
            try expectEqual(Data(contentsOf: url), Data(RealmFixture.format24.bytes()))
        }
    }

    @Test func `an empty Realm file becomes one without classes`() throws {
        try withFolder { folder in
            var bytes = [UInt8](repeating: 0, count: 4096)
            bytes.replaceSubrange(16..<20, with: Array("T-DB".utf8))
            let source = folder.appendingPathComponent("old.realm")
            try Data(bytes).write(to: source)
            let target = Realm.Configuration(fileURL: folder.appendingPathComponent("new.realm"))
            let report = try Realm.importRealmFile(at: source, to: target)
            expect(report.classes == [] && report.objectCount == 0)
            expect(Realm.fileExists(for: target))
        }
    }
}
