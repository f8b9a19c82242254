import Foundation
import FreeholdEngine
import TestScript
import Testing

@testable import Freehold

/// LMDB's locks belong to the process. Closing any descriptor of the lock file drops them, and another process would
/// assume that it is the first one. A child checks this after each operation on an open file.
@Suite("Files: the lock file of a file that is open")
struct LockFileWatchTests {
    @Test func `no operation on files drops the lock of an open one`() throws {
        try withNewFile { configuration in
            let url = try require(configuration.fileURL)
            let folder = try ChildFolder()
            func beside(_ name: String) -> URL { URL(fileURLWithPath: folder.file(name)) }
            func other(_ url: URL) -> Realm.Configuration {
                var other = configuration
                other.fileURL = url
                return other
            }
            var realm: Realm? = try Realm(configuration: configuration)
            try realm!.write { for id in 0..<50 { realm!.add(RTDog(id: id)) } }
            let child = try ChildProcess(["lock-watch", url.path])
            expectEqual(child.readLine(), "ready")
            func check(_ what: String, _ body: (Realm) throws -> Void) throws {
                try body(realm!)
                child.send("")
                expectEqual(child.readLine(), "held", "after \(what)")
            }
            try check("nothing") { _ in }
            try check("a second opening that ends") { _ in
                let count = try onAnotherThread { try Realm(configuration: configuration).objects(RTDog.self).count }
                expectEqual(count, 50)
            }
            try check("an opening by a symbolic link") { _ in
                try FileManager.default.createSymbolicLink(at: beside("link"), withDestinationURL: url)
                let linked = other(beside("link"))
                let count = try onAnotherThread { try Realm(configuration: linked).objects(RTDog.self).count }
                expectEqual(count, 50)
            }
            try check("an opening that is refused") { _ in
                var readOnly = configuration
                readOnly.readOnly = true
                let code = thrownCode { _ = try Realm(configuration: readOnly) }
                expectEqual(code, .alreadyOpen)
                #expect(throws: EngineError.self) {
                    var options = Database.Options()
                    options.readOnly = true
                    _ = try Database.open(at: url.path, options: options)
                }
            }
            try check("a copy and a backup") { realm in
                try realm.writeCopy(toFile: beside("copy"))
                try realm.backup(to: beside("backup"))
                try realm.write { try realm.writeCopy(toFile: beside("written")) }
            }
            try check("a copy that is refused") { realm in
                let code = thrownCode { try realm.writeCopy(toFile: url) }
                expectEqual(code, .fileExists)
            }
            try check("a compaction that is refused") { _ in
                let code = thrownCode { try Realm.compact(for: configuration) }
                expectEqual(code, .alreadyOpen)
            }
            try check("a compaction at launch") { _ in
                var compacting = configuration
                compacting.shouldCompactOnLaunch = { _, _ in true }
                let opened = compacting
                let count = try onAnotherThread { try Realm(configuration: opened).objects(RTDog.self).count }
                expectEqual(count, 50)
            }
            try check("a deletion that is refused") { _ in
                let code = thrownCode { _ = try Realm.deleteFiles(for: configuration) }
                expectEqual(code, .alreadyOpen)
            }
            try check("seeds") { _ in
                let isMade = try Database.seed(folder.file("seeded"), from: url.path)
                expect(isMade)
                let isMadeAgain = try Database.seed(url.path, from: folder.file("seeded"))
                expect(!isMadeAgain)
                var seeded = other(beside("launched"))
                seeded.seedFilePath = url
                let count = try Realm(configuration: seeded).objects(RTDog.self).count
                expectEqual(count, 50)
            }
            try check("other files") { _ in
                _ = try Realm.compact(for: other(beside("copy")))
                let wasThere = try Realm.deleteFiles(for: other(beside("backup")))
                expect(wasThere)
                try Data().write(to: beside("empty"))
                _ = try Realm(configuration: other(beside("empty")))
            }
            try check("looks at it") { realm in
                let version = try schemaVersionAtURL(url)
                expectEqual(version, 0)
                _ = try Realm.migrationPlan(for: configuration)
                expectEqual(realm.verify(), [])
                _ = realm.pinnedVersions
                _ = try realm.fileUse()
                expect(Realm.fileExists(for: configuration))
                let code = thrownCode { try Realm.performMigration(for: configuration) }
                expectEqual(code, .alreadyOpen)
            }
            try check("observation") { realm in
                let token = realm.objects(RTDog.self).observe(on: DispatchQueue(label: "observing")) { _ in }
                try realm.write { realm.add(RTDog(id: 100)) }
                token.invalidate()
            }
            // The child is right about an open file because it is about a closed one.
            realm = nil
            func isFree() -> Bool {
                child.send("")
                return child.readLine() == "free"
            }
            // The observed version is released on another queue.
            expect((0..<2000).contains { _ in isFree() || usleep(2000) != 0 })
        }
    }
}
