import Foundation
import Synchronization
import Testing

@testable import Freehold

struct FileLifeTests {
    private func beside(_ configuration: Realm.Configuration, _ name: String) -> URL {
        configuration.fileURL!.appendingPathExtension(name)
    }

    private func fill(_ configuration: Realm.Configuration, _ count: Int = 50) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for id in 0..<count { realm.add(RTDog(id: id, name: "Dog \(id)", age: id % 20)) }
        }
    }

    private func dogs(_ configuration: Realm.Configuration, _ url: URL) throws -> [Int] {
        var configuration = configuration
        configuration.fileURL = url
        return try Realm(configuration: configuration).objects(RTDog.self).sorted(byKeyPath: "id").map(\.id)
    }

    @Test func `a copy has the realm's version, and in a write transaction also its changes`() throws {
        try withNewFile { configuration in
            try fill(configuration)
            let realm = try Realm(configuration: configuration)
            try realm.writeCopy(toFile: beside(configuration, "a"))
            realm.beginWrite()
            realm.delete(realm.objects(RTDog.self).where { $0.id >= 10 })
            realm.add(RTDog(id: 1_000))
            var other = configuration
            other.fileURL = beside(configuration, "b")
            try realm.writeCopy(configuration: other)
            expectEqual(realm.objects(RTDog.self).count, 11)
            realm.add(RTDog(id: 1_001))
            try realm.commitWrite()
            expectEqual(realm.objects(RTDog.self).count, 12)
            try expectEqual(dogs(configuration, beside(configuration, "a")), Array(0..<50))
            try expectEqual(dogs(configuration, beside(configuration, "b")), Array(0..<10) + [1_000])
            expectEqual(thrownCode { try realm.writeCopy(toFile: beside(configuration, "a")) }, .fileExists)
            expectEqual(thrownCode { try realm.writeCopy(toFile: configuration.fileURL!) }, .fileExists)
            expectEqual(
                thrownCode { try realm.writeCopy(toFile: URL(fileURLWithPath: "/nowhere/at/all.realm")) },
                .fileNotFound
            )
            expect(thrownCode { try realm.writeCopy(toFile: URL(string: "https://a.b/c")!) } == .invalidInput)
            expectEqual(
                thrownCode { try realm.writeCopy(configuration: Realm.Configuration(inMemoryIdentifier: "x")) },
                .invalidInput
            )
        }
    }

    @Test func `bad data of a write doesn't prevent a later copy`() throws {
        try withNewFile { configuration in
            try fill(configuration, 2)
            let realm = try Realm(configuration: configuration)
            expectEqual(thrownCode { try realm.write { realm.add(RTDog(id: 1)) } }, .duplicatePrimaryKey)
            try realm.writeCopy(toFile: beside(configuration, "a"))
            try expectEqual(dogs(configuration, beside(configuration, "a")), [0, 1])
            realm.beginWrite()
            realm.add(RTDog(id: 1))
            expectEqual(thrownCode { try realm.writeCopy(toFile: beside(configuration, "b")) }, .duplicatePrimaryKey)
            realm.cancelWrite()
            try realm.writeCopy(toFile: beside(configuration, "b"))
        }
    }

    @Test func `frozen realms, read-only ones and ones in memory are copied`() throws {
        try withNewFile { configuration in
            try fill(configuration, 3)
            do {
                let realm = try Realm(configuration: configuration)
                let frozen = realm.freeze()
                try realm.write { realm.deleteAll() }
                try frozen.writeCopy(toFile: beside(configuration, "a"))
                try expectEqual(dogs(configuration, beside(configuration, "a")), [0, 1, 2])
                try frozen.backup(to: beside(configuration, "b"))
                try expectEqual(dogs(configuration, beside(configuration, "b")), [])
            }
            var readOnly = configuration
            readOnly.fileURL = beside(configuration, "a")
            readOnly.readOnly = true
            try Realm(configuration: readOnly).writeCopy(toFile: beside(configuration, "c"))
            try expectEqual(dogs(configuration, beside(configuration, "c")), [0, 1, 2])
            let memory = newConfiguration()
            let realm = try Realm(configuration: memory)
            try realm.write { realm.add(RTDog(id: 7)) }
            try realm.writeCopy(toFile: beside(configuration, "d"))
            try expectEqual(dogs(configuration, beside(configuration, "d")), [7])
        }
    }

    @Test func `a backup has the newest version, even if the realm doesn't show it yet`() throws {
        try withNewFile { configuration in
            let realm = try Realm(configuration: configuration)
            realm.autorefresh = false
            expect(realm.objects(RTDog.self).isEmpty)
            onOtherThread {
                let other = try Realm(configuration: configuration)
                try other.write { other.add(RTDog(id: 3)) }
            }
            expect(realm.objects(RTDog.self).isEmpty)
            try realm.backup(to: beside(configuration, "a"))
            try expectEqual(dogs(configuration, beside(configuration, "a")), [3])
            expectEqual(thrownCode { try realm.backup(to: beside(configuration, "a")) }, .fileExists)
        }
    }

    @Test func `files can be deleted once they are closed everywhere`() throws {
        try withNewFile { configuration in
            expect(!Realm.fileExists(for: configuration))
            expect(try !Realm.deleteFiles(for: configuration))
            do {
                let realm = try Realm(configuration: configuration)
                expect(Realm.fileExists(for: configuration))
                expectEqual(thrownCode { _ = try Realm.deleteFiles(for: configuration) }, .alreadyOpen)
                expectEqual(thrownCode { try Realm.compact(for: configuration) }, .alreadyOpen)
                expect(realm.isEmpty)
            }
            expect(try Realm.deleteFiles(for: configuration))
            expect(!Realm.fileExists(for: configuration))
            expect(!FileManager.default.fileExists(atPath: configuration.fileURL!.path + "-lock"))
            try fill(configuration, 1)
            try expectEqual(Realm(configuration: configuration).objects(RTDog.self).count, 1)
        }
        expect(!Realm.fileExists(for: newConfiguration()))
        expect(try !Realm.deleteFiles(for: newConfiguration()))
        expectEqual(thrownCode { try Realm.compact(for: newConfiguration()) }, .invalidInput)
    }

    @Test func `compaction frees the space of deleted objects`() throws {
        try withNewFile { configuration in
            try fill(configuration, 5_000)
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.delete(realm.objects(RTDog.self).where { $0.id >= 10 }) }
                try realm.write { realm.add(RTDog(id: 9_999)) }
            }
            let compaction = try Realm.compact(for: configuration)
            expect(compaction.sizeAfter < compaction.sizeBefore / 2)
            try expectEqual(dogs(configuration, configuration.fileURL!), Array(0..<10) + [9_999])
            var missing = configuration
            missing.fileURL = beside(configuration, "none")
            expectEqual(thrownCode { try Realm.compact(for: missing) }, .fileNotFound)
            missing.readOnly = true
            expectEqual(thrownCode { try Realm.compact(for: missing) }, .invalidInput)
        }
    }

    /// The calls of `shouldCompactOnLaunch`, and its answers.
    private final class Calls: Sendable {
        let sizes = Mutex<[[Int]]>([])
        let answer = Mutex(false)

        func ask(_ total: Int, _ used: Int) -> Bool {
            sizes.withLock { $0.append([total, used]) }
            return answer.withLock { $0 }
        }

        var count: Int { sizes.withLock { $0.count } }
    }

    private func size(_ configuration: Realm.Configuration) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: configuration.fileURL!.path)[.size] as! Int
    }

    @Test func `the first opening in the process calls shouldCompactOnLaunch with the file's sizes`() throws {
        try withNewFile { configuration in
            let calls = Calls()
            var configuration = configuration
            configuration.shouldCompactOnLaunch = { calls.ask($0, $1) }
            try fill(configuration, 5_000)
            expectEqual(calls.count, 0)
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.deleteAll() }
                try realm.write { realm.add(RTDog(id: 1)) }
                let again = try Realm(configuration: configuration)
                expectEqual(again, realm)
                expectEqual(calls.count, 1)
            }
            let before = try size(configuration)
            calls.answer.withLock { $0 = true }
            try expectEqual(Realm(configuration: configuration).objects(RTDog.self).count, 1)
            let last = calls.sizes.withLock { $0.last! }
            expectEqual(calls.count, 2)
            expect(last[0] == before && last[1] < before / 2)
            expect(try size(configuration) < before / 2)
            configuration.readOnly = true
            let mistaken = configuration
            expectEqual(thrownCode { _ = try Realm(configuration: mistaken) }, .invalidInput)
        }
    }

    @Test func `a seed is copied if the file doesn't exist yet`() throws {
        try withNewFile { configuration in
            try fill(configuration, 4)
            var seeded = configuration
            seeded.fileURL = beside(configuration, "seeded")
            seeded.seedFilePath = configuration.fileURL
            do {
                let realm = try Realm(configuration: seeded)
                expectEqual(realm.objects(RTDog.self).count, 4)
                try realm.write { realm.add(RTDog(id: 100)) }
            }
            try expectEqual(Realm(configuration: seeded).objects(RTDog.self).count, 5)
            try expectEqual(Realm(configuration: configuration).objects(RTDog.self).count, 4)
            seeded.fileURL = beside(configuration, "other")
            seeded.seedFilePath = beside(configuration, "none")
            let mistaken = seeded
            expectEqual(thrownCode { _ = try Realm(configuration: mistaken) }, .fileNotFound)
            expect(!Realm.fileExists(for: mistaken))
        }
    }

    @Test func `writes beyond maximumNumberOfActiveVersions throw until the held version is released`() throws {
        try withNewFile { configuration in
            var configuration = configuration
            configuration.maximumNumberOfActiveVersions = 5
            let realm = try Realm(configuration: configuration)
            for id in 0..<20 { try realm.write { realm.add(RTDog(id: id)) } }
            var frozen: Realm? = realm.freeze()
            var written = 0
            let code = thrownCode {
                for id in 20..<40 {
                    try realm.write { realm.add(RTDog(id: id)) }
                    written += 1
                }
            }
            expectEqual(code, .tooManyVersions)
            expectEqual(written, 5)
            expect(!realm.isInWriteTransaction)
            expectEqual(realm.objects(RTDog.self).count, 25)
            expectEqual(frozen?.objects(RTDog.self).count, 20)
            frozen = nil
            try realm.write { realm.add(RTDog(id: 100)) }
            expectEqual(realm.objects(RTDog.self).count, 26)
        }
    }

    @Test func `pinnedVersions reports which realm holds which version and since when`() throws {
        try withNewFile { configuration in
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(RTDog(id: 1)) }
            let frozen = realm.freeze()
            try realm.write { realm.add(RTDog(id: 2)) }
            let pins = realm.pinnedVersions
            expectEqual(pins.count, 2)
            expectEqual(pins[0].version + 1, pins[1].version)
            for pin in pins {
                expect(pin.isInThisProcess && pin.thread != 0)
                expect(try abs(require(pin.since).timeIntervalSinceNow) < 60)
                expect(pin.description.contains("process \(pin.processIdentifier)"))
            }
            expectEqual(frozen.objects(RTDog.self).count, 1)
        }
    }
}
