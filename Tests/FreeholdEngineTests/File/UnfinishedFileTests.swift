import Foundation
import Testing

@testable import FreeholdEngine

/// Files whose creation was broken off, and files that were cut off.
struct UnfinishedFileTests {
    let folder = TemporaryFolder()

    /// Returns the bytes with which LMDB creates a file.
    private func newPages() throws -> Data {
        let path = folder.file("new")
        try StorageEnvironment.open(path: path).close()
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    private func write(_ data: Data, _ name: String) throws -> String {
        let path = folder.file(name)
        try data.write(to: URL(fileURLWithPath: path))
        return path
    }

    private func openAndWrite(_ path: String) throws {
        let database = try Database.open(at: path)
        let transaction = try database.beginWrite()
        try transaction.applySchema([TableSpec("Counter", columns: [ColumnSpec("number", .int)])])
        let snapshot = try transaction.commit()
        expectEqual(snapshot.verify(), [])
    }

    @Test(arguments: [1, 15, 16, 24, 100, 151, 152, 511, 4095, 4096, 4097, 4300, 8191, 8192])
    func `a file with only a part of its first two pages is created anew`(size: Int) throws {
        let pages = try newPages()
        let path = try write(pages.prefix(size), "part")
        if size < pages.count {
            let options = StorageOptions(readOnly: true)
            expectEqual(
                code { () throws(EngineError) in _ = try StorageEnvironment.open(path: path, options: options) },
                .invalidDatabase
            )
            try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), pages.prefix(size))
        }
        try openAndWrite(path)
    }

    @Test func `a file whose second page is missing or incomplete is created anew`() throws {
        let pages = try newPages()
        for rest in [Data(count: 4096), Data(count: 1 << 20), Data(pages[4096..<4100]) + Data(count: 5000)] {
            try openAndWrite(try write(pages.prefix(4096) + rest, "holes-\(rest.count)"))
        }
    }

    @Test func `any other short file is refused and not changed`() throws {
        var pages = try newPages()
        let path = folder.file("whole")
        try openAndWrite(path)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        var versioned = pages.prefix(4096)
        versioned[16 + 128] = 2
        pages[16 + 120] = 9
        for data in [
            Data([1]), Data("hello".utf8), versioned, pages.prefix(4096), whole.prefix(4096), whole.prefix(8192),
        ] {
            let path = try write(data, "refused")
            expectEqual(code { () throws(EngineError) in _ = try Database.open(at: path) }, .invalidDatabase)
            try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), data)
        }
    }

    @Test func `an unfinished file that several threads open at once opens for all`() async throws {
        let pages = try newPages()
        for round in 0..<20 {
            let path = try write(pages.prefix(4096), "together-\(round)")
            let registry = EnvironmentRegistry()
            let leases = Shared<[EnvironmentLease]>([])
            let group = DispatchGroup()
            for _ in 0..<3 {
                group.enter()
                Thread {
                    #expect(throws: Never.self) {
                        let lease = try registry.open(path: path)
                        leases.withLock { $0.append(lease) }
                    }
                    group.leave()
                }.start()
            }
            await withCheckedContinuation { continuation in
                group.notify(queue: .global()) { continuation.resume() }
            }
            expectEqual(leases.withLock { $0.count }, 3)
        }
    }

    // MARK: Cut off

    @Test func `a file that was truncated to nothing is refused while its lock file contains a version`() throws {
        let path = folder.file("cut")
        try openAndWrite(path)
        expectEqual(truncate(path, 0), 0)
        for _ in 0..<2 {
            let found = error { () throws(EngineError) in _ = try Database.open(at: path) }
            expectEqual(found?.code, .invalidDatabase)
            expectEqual(found?.message.contains("cut off"), true, "\(found?.message ?? "")")
        }
        // If the file is deleted, it is created anew, and so is an empty file without the lock file.
        unlink(path)
        try openAndWrite(path)
        expectEqual(truncate(path, 0), 0)
        unlink(path + "-lock")
        try openAndWrite(path)
    }

    @Test func `an empty file that never was a database is used as a new one`() throws {
        try openAndWrite(try write(Data(), "empty"))
        // Also where an opening failed before there was a version.
        let path = folder.file("opened")
        try StorageEnvironment.open(path: path).close()
        expectEqual(truncate(path, 0), 0)
        try openAndWrite(path)
    }

    @Test func `the lock file contains the newest version of a closed file`() throws {
        let path = folder.file("versions")
        for _ in 0..<3 { try openAndWrite(path) }
        let version = try Database.open(at: path).lastVersion
        #if os(Linux)
            expectEqual(LockFile.lastVersion(of: path), version)
        #endif
        try Data(count: 9000).write(to: URL(fileURLWithPath: folder.file("zeros-lock")))
        expect(LockFile.lastVersion(of: folder.file("zeros")) == nil)
        expect(LockFile.lastVersion(of: folder.file("nothing")) == nil)
    }
}
