import Foundation
import Synchronization
import Testing

@testable import Freehold

/// `encryptionKey`, as users of realms meet it.
struct EncryptionTests {
    static let key = Data((0..<64).map { UInt8($0 * 3 + 5) })
    static let other = Data(repeating: 9, count: 64)

    private func beside(_ configuration: Realm.Configuration, _ name: String) -> URL {
        configuration.fileURL!.appendingPathExtension(name)
    }

    private func withEncryptedFile<R>(_ body: (Realm.Configuration) throws -> R) throws -> R {
        try withNewFile { configuration in
            var configuration = configuration
            configuration.encryptionKey = Self.key
            return try body(configuration)
        }
    }

    private func fill(_ configuration: Realm.Configuration, _ count: Int = 50) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for id in 0..<count { realm.add(RTDog(id: id, name: "Dog \(id)", age: id % 20)) }
        }
    }

    private func dogs(_ configuration: Realm.Configuration, at url: URL? = nil, _ key: Data?) throws -> [Int] {
        var configuration = configuration
        if let url { configuration.fileURL = url }
        configuration.encryptionKey = key
        return try Realm(configuration: configuration).objects(RTDog.self).sorted(byKeyPath: "id").map(\.id)
    }

    private func isPlain(_ url: URL) throws -> Bool {
        try Data(contentsOf: url).range(of: Data("RTDog".utf8)) != nil
    }

    @Test func `a realm is written and read with its key`() throws {
        try withEncryptedFile { configuration in
            try fill(configuration)
            let realm = try Realm(configuration: configuration)
            expectEqual(realm.objects(RTDog.self).where { $0.age == 7 }.count, 3)
            expectEqual(realm.object(ofType: RTDog.self, forPrimaryKey: 31)?.name, "Dog 31")
            let frozen = realm.freeze()
            try realm.write { realm.object(ofType: RTDog.self, forPrimaryKey: 31)?.name = "Rex" }
            expectEqual(frozen.object(ofType: RTDog.self, forPrimaryKey: 31)?.name, "Dog 31")
            onOtherThread {
                let other = try Realm(configuration: configuration)
                expectEqual(other.object(ofType: RTDog.self, forPrimaryKey: 31)?.name, "Rex")
                try other.write { other.delete(other.objects(RTDog.self).where { $0.id > 10 }) }
            }
            realm.refresh()
            expectEqual(realm.objects(RTDog.self).count, 11)
            expectEqual(realm.verify(), [])
            expect(try !isPlain(configuration.fileURL!))
        }
    }

    @Test func `keys of another length are refused`() throws {
        try withNewFile { configuration in
            for count in [0, 32, 63, 65] {
                var wrong = configuration
                wrong.encryptionKey = Data(repeating: 1, count: count)
                expectEqual(thrownCode { _ = try Realm(configuration: wrong) }, .invalidInput)
                expectEqual(thrownCode { try Realm.performMigration(for: wrong) }, .invalidInput)
                expect(!Realm.fileExists(for: wrong))
                let realm = try Realm(configuration: newConfiguration())
                let copied = thrownCode {
                    try realm.writeCopy(toFile: configuration.fileURL!, encryptionKey: wrong.encryptionKey)
                }
                expectEqual(copied, .invalidInput)
            }
        }
    }

    @Test func `a wrong key, a missing one and an unneeded one are an invalid database, and the file isn't changed`()
        throws
    {
        try withEncryptedFile { configuration in
            try fill(configuration)
            let url = configuration.fileURL!
            let before = try Data(contentsOf: url)
            for key in [Self.other, nil] {
                var wrong = configuration
                wrong.encryptionKey = key
                expectEqual(thrownCode { _ = try Realm(configuration: wrong) }, .invalidDatabase)
                expectEqual(thrownCode { try Realm.performMigration(for: wrong) }, .invalidDatabase)
                expectEqual(thrownCode { try Realm.compact(for: wrong) }, .invalidDatabase)
                expectEqual(thrownCode { _ = try schemaVersionAtURL(url, encryptionKey: key) }, .invalidDatabase)
                wrong.readOnly = true
                expectEqual(thrownCode { _ = try Realm(configuration: wrong) }, .invalidDatabase)
                wrong.readOnly = false
                wrong.deleteRealmIfMigrationNeeded = true
                wrong.schemaVersion = 8
                expectEqual(thrownCode { _ = try Realm(configuration: wrong) }, .invalidDatabase)
            }
            try expectEqual(Data(contentsOf: url), before)
            try expectEqual(dogs(configuration, Self.key), Array(0..<50))
        }
        try withNewFile { configuration in
            try fill(configuration)
            let before = try Data(contentsOf: configuration.fileURL!)
            var keyed = configuration
            keyed.encryptionKey = Self.key
            expectEqual(thrownCode { _ = try Realm(configuration: keyed) }, .invalidDatabase)
            try expectEqual(Data(contentsOf: configuration.fileURL!), before)
        }
    }

    @Test func `an open file can't be opened with another key`() async throws {
        let configuration = {
            var made = newConfiguration(inMemory: false)
            made.encryptionKey = Self.key
            return made
        }()
        defer { _ = try? Realm.deleteFiles(for: configuration) }
        try fill(configuration)
        do {
            let realm = try Realm(configuration: configuration)
            for key in [Self.other, nil] {
                var wrong = configuration
                wrong.encryptionKey = key
                let refused = wrong
                expectEqual(thrownCode { _ = try Realm(configuration: refused) }, .alreadyOpen)
                onOtherThread { expectEqual(thrownCode { _ = try Realm(configuration: refused) }, .alreadyOpen) }
            }
            expectEqual(realm.objects(RTDog.self).count, 50)
        }
        let count = try await Realm.read(configuration) { $0.objects(RTDog.self).count }
        expectEqual(count, 50)
    }

    @Test func `an encrypted realm in memory is refused`() {
        let memory = Realm.Configuration(inMemoryIdentifier: "x", encryptionKey: Self.key)
        expectEqual(thrownCode { _ = try Realm(configuration: memory) }, .invalidInput)
    }

    @Test func `configurations compare keys and don't print them`() {
        let configuration = Realm.Configuration(encryptionKey: Self.key)
        expect(configuration != Realm.Configuration())
        expect(configuration != Realm.Configuration(encryptionKey: Self.other))
        expectEqual(configuration, Realm.Configuration(encryptionKey: Self.key))
        expect("\(configuration)".contains("encryptionKey: set"))
        expect(!"\(Realm.Configuration())".contains("encryptionKey"))
    }

    private final class Sizes: Sendable {
        let all = Mutex<[Int]>([])
    }

    // MARK: Copies

    @Test func `copies have the given key, and backups the realm's key`() throws {
        try withEncryptedFile { configuration in
            try fill(configuration, 20)
            let urls = Dictionary(
                uniqueKeysWithValues: ["same", "other", "plain", "open", "as", "backup", "back"].map {
                    ($0, beside(configuration, $0))
                }
            )
            do {
                let realm = try Realm(configuration: configuration)
                try realm.writeCopy(toFile: urls["same"]!, encryptionKey: Self.key)
                try realm.writeCopy(toFile: urls["other"]!, encryptionKey: Self.other)
                try realm.writeCopy(toFile: urls["plain"]!)
                try realm.writeCopy(
                    configuration: Realm.Configuration(fileURL: urls["as"]!, encryptionKey: Self.other)
                )
                try realm.backup(to: urls["backup"]!)
                realm.beginWrite()
                realm.add(RTDog(id: 100))
                try realm.writeCopy(toFile: urls["open"]!, encryptionKey: Self.other)
                realm.cancelWrite()
            }
            let all = Array(0..<20)
            try expectEqual(dogs(configuration, at: urls["same"]!, Self.key), all)
            try expectEqual(dogs(configuration, at: urls["other"]!, Self.other), all)
            try expectEqual(dogs(configuration, at: urls["plain"]!, nil), all)
            try expectEqual(dogs(configuration, at: urls["as"]!, Self.other), all)
            try expectEqual(dogs(configuration, at: urls["backup"]!, Self.key), all)
            try expectEqual(dogs(configuration, at: urls["open"]!, Self.other), all + [100])
            for (name, url) in urls where name != "back" { try expectEqual(isPlain(url), (name == "plain"), "\(name)") }
            // A plain file becomes an encrypted one.
            var plain = configuration
            plain.fileURL = urls["plain"]
            plain.encryptionKey = nil
            try Realm(configuration: plain).writeCopy(toFile: urls["back"]!, encryptionKey: Self.key)
            try expectEqual(dogs(configuration, at: urls["back"]!, Self.key), all)
            expect(try !isPlain(urls["back"]!))
        }
    }

    @Test func `an encrypted file is compacted on request and at launch`() throws {
        try withEncryptedFile { configuration in
            try fill(configuration, 5000)
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.delete(realm.objects(RTDog.self).where { $0.id >= 10 }) }
            }
            let asked = Sizes()
            var launching = configuration
            launching.shouldCompactOnLaunch = { total, used in
                asked.all.withLock { $0 += [total, used] }
                return true
            }
            var wrong = launching
            wrong.encryptionKey = Self.other
            let refused = wrong
            expectEqual(thrownCode { _ = try Realm(configuration: refused) }, .invalidDatabase)
            expectEqual(asked.all.withLock { $0 }, [])
            try expectEqual(Realm(configuration: launching).objects(RTDog.self).count, 10)
            let sizes = asked.all.withLock { $0 }
            expect(sizes.count == 2 && sizes[1] < sizes[0] / 2)
            let compaction = try Realm.compact(for: configuration)
            expect(compaction.sizeBefore < sizes[0] / 2 && compaction.sizeAfter <= compaction.sizeBefore)
            try expectEqual(dogs(configuration, Self.key), Array(0..<10))
            expect(try !isPlain(configuration.fileURL!))
        }
    }

    @Test func `a seed has the same key or no key`() throws {
        for seedKey in [Self.key, nil] {
            try withEncryptedFile { configuration in
                var seed = configuration
                seed.fileURL = beside(configuration, "seed")
                seed.encryptionKey = seedKey
                try fill(seed, 5)
                var seeded = configuration
                seeded.seedFilePath = seed.fileURL
                seeded.encryptionKey = Self.other
                let refused = seeded
                if seedKey != nil {
                    expectEqual(thrownCode { _ = try Realm(configuration: refused) }, .invalidDatabase)
                    expectEqual(thrownCode { _ = try Realm.migrationPlan(for: refused) }, .invalidDatabase)
                }
                seeded.encryptionKey = Self.key
                try expectEqual(Realm.migrationPlan(for: seeded).action, .nothing)
                try expectEqual(Realm(configuration: seeded).objects(RTDog.self).count, 5)
                expect(try !isPlain(configuration.fileURL!))
                try expectEqual(dogs(configuration, Self.key), Array(0..<5))
            }
        }
        // One that is open here, plain and encrypted.
        for seedKey in [Self.key, nil] {
            try withEncryptedFile { configuration in
                var seed = configuration
                seed.fileURL = beside(configuration, "seed")
                seed.encryptionKey = seedKey
                try fill(seed, 4)
                let held = try Realm(configuration: seed)
                var seeded = configuration
                seeded.seedFilePath = seed.fileURL
                try expectEqual(Realm.migrationPlan(for: seeded).action, .nothing)
                try expectEqual(Realm(configuration: seeded).objects(RTDog.self).count, 4)
                expectEqual(held.objects(RTDog.self).count, 4)
                expect(try !isPlain(configuration.fileURL!))
            }
        }
    }

    @Test func `verify reports tampering, and copies refuse it`() throws {
        try withEncryptedFile { configuration in
            try fill(configuration, 3000)
            let url = configuration.fileURL!
            let sound = try Data(contentsOf: url)
            var reported = 0
            // Changes one byte in each block with own pages. These pages begin with LMDB's header of an overflow page,
            // which has its number and a flag. Their bytes may be free.
            for page in stride(from: 2 * 4096, to: sound.count, by: 4096) {
                let number = sound[page..<page + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                guard number == UInt64(page / 4096), sound[page + 10] == 4 else { continue }
                let offset = page + 16 + 100
                var damaged = configuration
                damaged.fileURL = beside(configuration, "damaged\(offset)")
                let copied = beside(configuration, "copied\(offset)")
                var bytes = sound
                bytes[offset] ^= 1
                try bytes.write(to: damaged.fileURL!)
                do {
                    let realm = try Realm(configuration: damaged)
                    let problems = realm.verify()
                    if problems.isEmpty {
                        expectEqual(realm.objects(RTDog.self).sum(of: \.id), 2999 * 1500)
                        try realm.backup(to: copied)
                        continue
                    }
                    reported += 1
                    _ = thrownCode { try realm.backup(to: copied) }
                } catch let error as Realm.Error {
                    reported += 1
                    expectEqual(error.code, .invalidDatabase)
                }
            }
            expect(reported > 3)
        }
    }

    // MARK: Migration and opening

    @Test func `encrypted files can be migrated and emptied, and their version can be read`() throws {
        try withEncryptedFile { configuration in
            try fill(configuration, 12)
            let url = configuration.fileURL!
            try expectEqual(schemaVersionAtURL(url, encryptionKey: Self.key), 0)
            var next = configuration
            next.schemaVersion = 3
            next.migrationBlock = { migration, old in
                expectEqual(old, 0)
                migration.enumerateObjects(ofType: RTDog.className()) { _, new in
                    if let name = new?["name"] as? String { new?["name"] = name + "!" }
                }
            }
            try expectEqual(Realm.migrationPlan(for: next).newVersion, 3)
            try Realm.performMigration(for: next)
            try expectEqual(schemaVersionAtURL(url, encryptionKey: Self.key), 3)
            do {
                let realm = try Realm(configuration: next)
                expectEqual(realm.object(ofType: RTDog.self, forPrimaryKey: 3)?.name, "Dog 3!")
            }
            var emptied = configuration
            emptied.schemaVersion = 1
            emptied.deleteRealmIfMigrationNeeded = true
            expect(try Realm(configuration: emptied).isEmpty)
            try fill(emptied, 2)
            try expectEqual(dogs(emptied, Self.key), [0, 1])
            expect(try !isPlain(url))
            let file = try Data(contentsOf: url)
            for text in ["Dog 3", "RTDog", "weight"] { expect(file.range(of: Data(text.utf8)) == nil) }
        }
    }

    @Test func `encrypted files can be opened asynchronously or read-only, and be deleted`() async throws {
        let configuration = {
            var made = newConfiguration(inMemory: false)
            made.encryptionKey = Self.key
            return made
        }()
        defer { _ = try? Realm.deleteFiles(for: configuration) }
        try fill(configuration, 6)
        try await Realm.write(configuration) { realm in realm.add(RTDog(id: 50)) }
        try await expectEqual(Realm.read(configuration) { $0.objects(RTDog.self).count }, 7)
        var readOnly = configuration
        readOnly.readOnly = true
        try expectEqual(Realm(configuration: readOnly).objects(RTDog.self).count, 7)
        expect(Realm.fileExists(for: configuration))
        expect(try Realm.deleteFiles(for: configuration))
        expect(!Realm.fileExists(for: configuration))
    }
}
