import Foundation
import TestScript
import Testing

@testable import Freehold

private class Block: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var bytes = Data()
}

/// A small file system in memory, mounted for a test. The initialiser returns `nil` if this process may not mount one.
private final class SmallDisk {
    let url: URL

    init?(megabytes: Int) {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("freehold-disk-\(UUID().uuidString)")
        guard geteuid() == 0,
            (try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)) != nil
        else { return nil }
        guard Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", url.path) else {
            try? FileManager.default.removeItem(at: url)
            return nil
        }
    }

    deinit {
        _ = Self.run("umount", "-l", url.path)
        try? FileManager.default.removeItem(at: url)
    }

    static let isPossible = SmallDisk(megabytes: 1) != nil

    private static func run(_ arguments: String...) -> Bool {
        // Said by the exit code alone: what they print to the error output is of no use.
        (try? ChildProcess(executable: "/bin/sh", ["-c", "exec \"$@\" 2>/dev/null", "sh"] + arguments).wait()) == 0
    }
}

@Suite("A full disk", .enabled(if: SmallDisk.isPossible, "This process may not mount file systems."))
struct FullDiskTests {
    private func bytes(_ id: Int) -> Data { Data(repeating: UInt8(truncatingIfNeeded: id), count: 60_000) }

    private func check(_ realm: Realm, _ count: Int) {
        let blocks = realm.objects(Block.self)
        expectEqual(blocks.count, count)
        for block in blocks { expectEqual(block.bytes, bytes(block.id)) }
    }

    /// Removes the ballast. A process that another test started may have the file open, which would keep its space.
    private func remove(_ ballast: URL) throws {
        expectEqual(truncate(ballast.path, 0), 0)
        try FileManager.default.removeItem(at: ballast)
    }

    /// None of these disks has space for a log, so commits are written without one.
    @Test(
        "Commits that don't fit fail with outOfDiskSpace, lose nothing, and go through once there is room",
        arguments: [false, true]
    )
    func fullDisk(usesCommitLog: Bool) throws {
        let disk = try require(SmallDisk(megabytes: 8))
        let ballast = disk.url.appendingPathComponent("ballast")
        try Data(count: 4 << 20).write(to: ballast)
        var configuration = Realm.Configuration(
            fileURL: disk.url.appendingPathComponent("blocks.realm"),
            objectTypes: [Block.self]
        )
        configuration.usesCommitLog = usesCommitLog
        var count = 0
        do {
            let realm = try Realm(configuration: configuration)
            func add(_ number: Int) -> Realm.Error.Code? {
                thrownCode {
                    try realm.write {
                        for id in count..<(count + number) {
                            realm.create(Block.self, value: [id, bytes(id)] as [Any])
                        }
                    }
                }
            }
            var failure: Realm.Error.Code?
            for _ in 0..<200 {
                failure = add(3)
                if failure != nil { break }
                count += 3
            }
            expect(failure == .outOfDiskSpace && count > 10)
            check(realm, count)
            expectEqual(add(40), .outOfDiskSpace)
            expect(!realm.isInWriteTransaction)
            check(realm, count)
            realm.refresh()
            check(realm, count)
            try remove(ballast)
            expect(add(10) == nil)
            count += 10
            check(realm, count)
        }
        let realm = try Realm(configuration: configuration)
        check(realm, count)
    }

    @Test(
        "A new file on a full disk is refused with outOfDiskSpace, and made once there is room",
        arguments: [false, true]
    )
    func newFile(usesCommitLog: Bool) throws {
        let disk = try require(SmallDisk(megabytes: 1))
        let ballast = disk.url.appendingPathComponent("ballast")
        _ = FileManager.default.createFile(atPath: ballast.path, contents: nil)
        let handle = try FileHandle(forWritingTo: ballast)
        while (try? handle.write(contentsOf: Data(count: 4_096))) != nil {}
        try? handle.close()
        var configuration = Realm.Configuration(
            fileURL: disk.url.appendingPathComponent("blocks.realm"),
            objectTypes: [Block.self]
        )
        configuration.usesCommitLog = usesCommitLog
        expectEqual(thrownCode { _ = try Realm(configuration: configuration) }, .outOfDiskSpace)
        try remove(ballast)
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.create(Block.self, value: [1, bytes(1)] as [Any]) }
        check(realm, 1)
    }
}
