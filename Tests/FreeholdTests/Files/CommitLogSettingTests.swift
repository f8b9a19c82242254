import Foundation
import Synchronization
import Testing

@testable import Freehold

/// The setting `usesCommitLog` of realms. `CommitLogCrashTests` of the engine cover crashes.
struct CommitLogSettingTests {
    private func withLoggedFile<R>(key: Data? = nil, _ body: (Realm.Configuration) throws -> R) throws -> R {
        try withNewFile { configuration in
            var configuration = configuration
            configuration.usesCommitLog = true
            configuration.encryptionKey = key
            return try body(configuration)
        }
    }

    /// Runs the body, and closes the realms that it opened.
    private func autoreleased<R>(_ body: () throws -> R) rethrows -> R { try body() }

    private func hasLog(_ configuration: Realm.Configuration, at url: URL? = nil) -> Bool {
        FileManager.default.fileExists(atPath: (url ?? configuration.fileURL!).path + ".commitlog")
    }

    private func add(_ ids: Range<Int>, _ configuration: Realm.Configuration) throws {
        let realm = try Realm(configuration: configuration)
        for id in ids { try realm.write { realm.add(RTDog(id: id, name: "Dog \(id)", age: id)) } }
    }

    private func ids(_ configuration: Realm.Configuration, at url: URL? = nil) throws -> [Int] {
        var configuration = configuration
        if let url { configuration.fileURL = url }
        return try Realm(configuration: configuration).objects(RTDog.self).sorted(byKeyPath: "id").map(\.id)
    }

    @Test(arguments: [nil, EncryptionTests.key])
    func `commits are written to the log, and the file is complete when it is closed`(key: Data?) throws {
        try withLoggedFile(key: key) { configuration in
            try autoreleased {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.add(RTDog(id: 0, name: "Rex", age: 1)) }
                expect(hasLog(configuration))
                expectEqual(realm.objects(RTDog.self).count, 1)
                try add(1..<20, configuration)
            }
            expect(!hasLog(configuration))
            var plain = configuration
            plain.usesCommitLog = false
            try expectEqual(ids(plain), Array(0..<20))
            try add(20..<22, plain)
            expect(!hasLog(configuration), "a realm without the setting writes no log")
            try expectEqual(ids(configuration), Array(0..<22))
        }
    }

    @Test func `a file that was created without a log gets one`() throws {
        try withLoggedFile { configuration in
            var plain = configuration
            plain.usesCommitLog = false
            try autoreleased { try add(0..<3, plain) }
            try autoreleased {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.add(RTDog(id: 3, name: "", age: 0)) }
                expect(hasLog(configuration))
            }
            try expectEqual(ids(plain), [0, 1, 2, 3])
        }
    }

    @Test func `a copy needs no log, and deletion removes a file with all of its parts`() throws {
        try withLoggedFile { configuration in
            let copy = configuration.fileURL!.appendingPathExtension("copy")
            try autoreleased {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.add(RTDog(id: 1, name: "Rex", age: 1)) }
                try realm.writeCopy(toFile: copy)
            }
            expect(!hasLog(configuration, at: copy))
            try expectEqual(ids(configuration, at: copy), [1])
            // The file as a killed process leaves it.
            try Data("FHLOGHED".utf8).write(to: URL(fileURLWithPath: configuration.fileURL!.path + ".commitlog"))
            expect(try Realm.deleteFiles(for: configuration))
            expect(!hasLog(configuration))
        }
    }

    @Test func `the setting has no effect in memory and read-only`() throws {
        var memory = newConfiguration()
        memory.usesCommitLog = true
        let realm = try Realm(configuration: memory)
        try realm.write { realm.add(RTDog(id: 1, name: "Rex", age: 1)) }
        expectEqual(realm.objects(RTDog.self).count, 1)
        try withLoggedFile { configuration in
            var plain = configuration
            plain.usesCommitLog = false
            try autoreleased { try add(0..<2, plain) }
            var reading = configuration
            reading.readOnly = true
            try expectEqual(ids(reading), [0, 1])
            expect(!hasLog(configuration))
        }
    }

    @Test func `the commits of many threads are complete, and observers receive them`() throws {
        try withLoggedFile { configuration in
            let realm = try Realm(configuration: configuration)
            try realm.write { for id in 0..<8 { realm.add(RTDog(id: id, name: "", age: 0)) } }
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { id in
                do {
                    for age in 1...20 {
                        try autoreleased {
                            let realm = try Realm(configuration: configuration)
                            try realm.write { realm.object(ofType: RTDog.self, forPrimaryKey: id)!.age = age }
                            let seen = try Realm(configuration: configuration)
                                .object(ofType: RTDog.self, forPrimaryKey: id)!.age
                            if seen != age { failures.withLock { $0.append("\(id): \(seen) for \(age)") } }
                        }
                    }
                } catch { failures.withLock { $0.append("\(error)") } }
            }
            expectEqual(failures.withLock { $0 }, [])
            realm.refresh()
            expectEqual(realm.objects(RTDog.self).map(\.age), Array(repeating: 20, count: 8))
        }
    }
}
