import Foundation
import Freehold
import FreeholdImport
import Synchronization
import TestRealmFiles
import Testing

struct ImportOptionTests {
    private func failure(_ body: () throws -> Void) -> Realm.Error? {
        do {
            try body()
            return nil
        } catch { return error as? Realm.Error }
    }

    @Test(arguments: [RealmFixture.format24, .encrypted])
    func `the new file can be encrypted, independent of the old one`(_ fixture: RealmFixture) throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("new.realm")
            let key = Data((0..<64).map { UInt8(200 - $0) })
            var configuration = Realm.Configuration(fileURL: url, encryptionKey: key)
            try Realm.importRealmFile(at: fixture.url, to: configuration, key: fixture.keyData)
            expect(try Data(contentsOf: url).range(of: Data("some words to find".utf8)) == nil)
            configuration.objectTypes = ImportedModels.all
            configuration.schemaVersion = 7
            let realm = try Realm(configuration: configuration)
            expectEqual(realm.objects(Everything.self).count, FixtureTable.rows.count)
            configuration.encryptionKey = nil
            expect(failure { _ = try Realm(configuration: configuration) } != nil)
        }
    }

    @Test func `an encrypted file needs its key`() throws {
        try withFolder { folder in
            let target = Realm.Configuration(fileURL: folder.appendingPathComponent("new.realm"))
            let keys = [nil, Data(repeating: 7, count: 64), Data(repeating: 7, count: 32)]
            for key in keys {
                let error = failure {
                    try Realm.importRealmFile(at: RealmFixture.encrypted.url, to: target, key: key)
                }
                expect(error?.code == .invalidDatabase && error?.message.contains("key") == true)
            }
            expectEqual(names(in: folder), [])
        }
    }

    @Test func `a key of another length for the new file is refused`() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("new.realm")
            let target = Realm.Configuration(fileURL: url, encryptionKey: Data(repeating: 1, count: 16))
            let error = failure { try Realm.importRealmFile(at: RealmFixture.format24.url, to: target) }
            expectEqual(error?.code, .invalidInput)
            expectEqual(names(in: folder), [])
        }
    }

    @Test func `an existing file isn't changed`() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("new.realm")
            try Data("mine".utf8).write(to: url)
            let error = failure { try RealmFixture.format24.imported(to: folder) }
            expect(error?.code == .fileExists && error?.fileURL == url)
            try expectEqual(Data(contentsOf: url), Data("mine".utf8))
            expectEqual(names(in: folder), ["new.realm"])
        }
    }

    @Test func `an import needs the path of a new file`() throws {
        let target = Realm.Configuration(inMemoryIdentifier: "import")
        let error = failure { try Realm.importRealmFile(at: RealmFixture.format24.url, to: target) }
        expectEqual(error?.code, .invalidInput)
    }

    @Test func `the new file has only the usual files of a realm next to it`() throws {
        try withFolder { folder in
            try RealmFixture.format24.imported(to: folder)
            expectEqual(names(in: folder), ["new.realm"])
        }
    }

    @Test func `a folder that is missing or can't be written is an error`() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("none/new.realm")
            let error = failure {
                try Realm.importRealmFile(at: RealmFixture.format24.url, to: Realm.Configuration(fileURL: url))
            }
            expect(error != nil)
            expectEqual(names(in: folder), [])
        }
    }

    @Test func `the Realm file is only read, and may be read-only`() throws {
        try withFolder { folder in
            let source = folder.appendingPathComponent("old.realm")
            try FileManager.default.copyItem(at: RealmFixture.format24.url, to: source)
            try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: source.path)
            let before = try FileManager.default.attributesOfItem(atPath: source.path)[.modificationDate] as? Date
            // Another program has the file open.
            let other = try FileHandle(forReadingFrom: source)
            defer { try? other.close() }
            let url = folder.appendingPathComponent("new.realm")
            try Realm.importRealmFile(at: source, to: Realm.Configuration(fileURL: url))
            expectEqual(names(in: folder), ["new.realm", "old.realm"])
            let after = try FileManager.default.attributesOfItem(atPath: source.path)[.modificationDate] as? Date
            expectEqual(before, after)
            try expectEqual(Data(contentsOf: source), Data(RealmFixture.format24.bytes()))
        }
    }

    @Test(arguments: [RealmFixture.format24, .encrypted])
    func `a Realm file that is written during the import is an error, and leaves nothing`(_ fixture: RealmFixture)
        throws
    {
        try withFolder { folder in
            let source = folder.appendingPathComponent("old.realm")
            try FileManager.default.copyItem(at: fixture.url, to: source)
            let target = Realm.Configuration(fileURL: folder.appendingPathComponent("new.realm"))
            var isWritten = false
            let error = failure {
                try Realm.importRealmFile(at: source, to: target, key: fixture.keyData) { _ in
                    if isWritten { return }
                    isWritten = true
                    // Changes the file like a commit: the other top reference of a plain file, otherwise the code of
                    // the first page.
                    let file = try? FileHandle(forUpdating: source)
                    try? file?.seek(toOffset: 8)
                    try? file?.write(contentsOf: Data([0x20, 1, 0, 0, 0, 0, 0, 0]))
                    try? file?.close()
                }
            }
            expect(isWritten && error?.code == .alreadyOpen)
            expectEqual(names(in: folder), ["old.realm"])
        }
    }

    @Test func `progress rises to its total`() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("new.realm")
            var steps: [RealmImportProgress] = []
            try Realm.importRealmFile(at: RealmFixture.format24.url, to: Realm.Configuration(fileURL: url)) {
                steps.append($0)
            }
            expect(zip(steps, steps.dropFirst()).allSatisfy { $0.objects <= $1.objects && $0.total == $1.total })
            expectEqual(steps.last.map { $0.objects == $0.total }, true)
            expect(Set(steps.map(\.className)).isSuperset(of: ["Everything", "Word", "Many"]))
        }
    }

    @Test func `a cancelled task ends the import, and leaves nothing`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "freehold-import-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let task = Task { () throws -> Void in
            withUnsafeCurrentTask { $0?.cancel() }
            try RealmFixture.format24.imported(to: folder)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        expectEqual(names(in: folder), [])
    }

    @Test func `full-text indexes split words by the rules of the configuration`() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("new.realm")
            var configuration = Realm.Configuration(fileURL: url)
            configuration.textMatching = .latin1
            try Realm.importRealmFile(at: RealmFixture.format24.url, to: configuration)
            configuration.objectTypes = ImportedModels.all
            configuration.schemaVersion = 7
            let realm = try Realm(configuration: configuration)
            expectEqual(
                realm.objects(Everything.self).where { $0.passage.matches("find") }.count,
                FixtureTable.rows.count
            )
        }
    }
}
