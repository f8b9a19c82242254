import Foundation
import TestScript
import Testing

@testable import FreeholdEngine

/// Copies, compaction and deletion below the realms: the content of the files, and the processes that have them open.
struct FileCopyTests {
    let folder = TemporaryFolder()

    /// Creates a file with a number of the script's transactions, and returns its expected content.
    private func fill(_ path: String, transactions: Int64, seed: UInt64 = 1) throws -> State {
        try Script(seed: seed).commit(1...transactions, to: try Database.open(at: path))
    }

    private func check(_ path: String, _ state: State, _ location: SourceLocation = #_sourceLocation) throws {
        let snapshot = try Database.open(at: path).snapshot()
        expectEqual(State(snapshot), state, sourceLocation: location)
        expectEqual(snapshot.verify(), [], sourceLocation: location)
    }

    @Test(arguments: [UInt64(1), 2, 3]) func `a copy has the content of its snapshot, and can be written to`(
        seed: UInt64
    )
        throws
    {
        let path = folder.file()
        let copied = folder.file("copy.realm")
        let state = try fill(path, transactions: 40, seed: seed)
        do {
            let database = try Database.open(at: path)
            let snapshot = try database.snapshot()
            try snapshot.copy(to: copied)
            expectEqual(snapshot.verify(), [])
        }
        try check(copied, state)
        expectEqual(folder.names.filter { $0.contains(".copy-") }, [])
        let size = try FileManager.default.attributesOfItem(atPath: copied)[.size] as! Int
        let old = try FileManager.default.attributesOfItem(atPath: path)[.size] as! Int
        expect(size < old)
        let database = try Database.open(at: copied)
        let script = Script(seed: seed)
        var next = state
        for n in (state.transaction + 1)...(state.transaction + 20) {
            let steps = script.steps(n, on: next)
            let transaction = try database.beginWrite()
            try script.run(steps, in: transaction)
            let snapshot = try transaction.commit()
            next.apply(steps)
            expect(snapshot.changes(ofVersion: snapshot.version) != nil)
        }
        expectEqual(State(try database.snapshot()), next)
        try expectEqual(database.snapshot().verify(), [])
    }

    @Test(arguments: [UInt64(4), 5, 6])
    func `a copy of an open transaction contains its changes, and the transaction then commits or is cancelled`(
        seed: UInt64
    ) throws {
        let path = folder.file()
        var state = try fill(path, transactions: 10, seed: seed)
        let script = Script(seed: seed)
        do {
            let database = try Database.open(at: path)
            for n in 11...20 as ClosedRange<Int64> {
                let steps = script.steps(n, on: state)
                var changed = state
                changed.apply(steps)
                let copied = folder.file("copy\(n).realm")
                let transaction = try database.beginWrite()
                try script.run(steps, in: transaction)
                try transaction.copy(to: copied)
                try check(copied, changed)
                if n % 3 == 0 {
                    transaction.cancel()
                    expectEqual(State(try database.snapshot()), state)
                } else {
                    let snapshot = try transaction.commit()
                    state = changed
                    expectEqual(State(snapshot), state)
                    expectEqual(snapshot.verify(), [])
                }
            }
        }
        try check(path, state)
    }

    @Test func `a transaction continues after it was copied`() throws {
        let path = folder.file()
        var state = try fill(path, transactions: 5, seed: 7)
        let script = Script(seed: 7)
        let database = try Database.open(at: path)
        let transaction = try database.beginWrite()
        for n in 6...12 as ClosedRange<Int64> {
            let steps = script.steps(n, on: state)
            try script.run(steps, in: transaction)
            state.apply(steps)
            try transaction.copy(to: folder.file("copy\(n).realm"))
            try check(folder.file("copy\(n).realm"), state)
        }
        let snapshot = try transaction.commit()
        expectEqual(State(snapshot), state)
        expectEqual(snapshot.verify(), [])
    }

    @Test func `a transaction that was copied without a change lets the next one begin`() throws {
        let path = folder.file()
        let state = try fill(path, transactions: 3)
        let database = try Database.open(at: path)
        let transaction = try database.beginWrite()
        try transaction.copy(to: folder.file("copy.realm"))
        try expectEqual(transaction.commit().version, database.lastVersion)
        try database.beginWrite().cancel()
        try check(folder.file("copy.realm"), state)
    }

    @Test func `copies to an existing file or a missing folder are refused, and a full disk leaves none`() throws {
        let path = folder.file()
        let state = try fill(path, transactions: 5)
        do {
            let injector = FaultInjector { _ in 0 }
            var options = Database.Options()
            options.faults = injector
            let database = try Database.open(at: path, options: options)
            let snapshot = try database.snapshot()
            expectEqual(code { () throws(EngineError) in try snapshot.copy(to: path) }, .fileExists)
            expectEqual(
                code { () throws(EngineError) in try snapshot.copy(to: folder.path + "/no/copy") },
                .fileNotFound
            )
            let names = folder.names
            injector.set { $0 == .put ? ENOSPC : 0 }
            expectEqual(code { () throws(EngineError) in try snapshot.copy(to: folder.file("a")) }, .outOfDiskSpace)
            injector.set { $0 == .commit ? ENOSPC : 0 }
            expectEqual(code { () throws(EngineError) in try snapshot.copy(to: folder.file("a")) }, .outOfDiskSpace)
            injector.set { _ in 0 }
            expectEqual(folder.names, names)
            expectEqual(snapshot.verify(), [])
        }
        try check(path, state)
    }

    @Test func `a compacted file has the same content in less space, and keeps its permissions`() throws {
        let path = folder.file()
        let state = try fill(path, transactions: 60)
        chmod(path, 0o640)
        // A killed compaction left this file.
        try Data("rest".utf8).write(to: URL(fileURLWithPath: path + ".compacting"))
        let sizes = try require(try Database.compact(at: path))
        expect(sizes.after.total < sizes.before.total)
        expect(sizes.after.used <= sizes.after.total)
        expectEqual(sizes.after.total, sizes.after.used)
        expectEqual(folder.names.filter { $0.contains("compacting") || $0.contains(".copy-") }, [])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as! Int
        expectEqual(mode, 0o640)
        try check(path, state)
        expect(try Database.compact(at: path) { _ in false } == nil)
        expectEqual(code { () throws(EngineError) in _ = try Database.compact(at: folder.file("none")) }, .fileNotFound)
    }

    @Test func `files that this process has open are neither compacted nor deleted`() throws {
        let path = folder.file()
        let state = try fill(path, transactions: 3)
        var database: Database? = try Database.open(at: path)
        var snapshot: Snapshot? = try database?.snapshot()
        database = nil
        expectEqual(code { () throws(EngineError) in _ = try Database.compact(at: path) }, .fileInUse)
        expectEqual(code { () throws(EngineError) in _ = try Database.deleteFiles(at: path) }, .fileInUse)
        expect(try State(require(snapshot)) == state)
        snapshot = nil
        expect(try Database.compact(at: path) != nil)
        try check(path, state)
        expect(try Database.deleteFiles(at: path))
        expectEqual(folder.names, ["test.realm.writer"])
        expect(try !Database.deleteFiles(at: path))
    }

    @Test(arguments: ["lock", "pin"]) func `files that another process has open are neither compacted nor deleted`(
        command: String
    ) throws {
        let path = folder.file()
        let state = try fill(path, transactions: 3)
        let child = try ChildProcess([command, path])
        _ = try require(child.readLine())
        expectEqual(code { () throws(EngineError) in _ = try Database.compact(at: path) }, .fileInUse)
        expectEqual(code { () throws(EngineError) in _ = try Database.deleteFiles(at: path) }, .fileInUse)
        child.kill()
        _ = child.wait()
        expect(try Database.compact(at: path) != nil)
        try check(path, state)
    }

    @Test func `a reader without the lock of the open file is noticed`() throws {
        let path = folder.file()
        _ = try fill(path, transactions: 3)
        let child = try ChildProcess(["pin", path])
        _ = try require(child.readLine())
        // Simulates a reader that found no file to lock.
        unlink(path + ".writer")
        expectEqual(code { () throws(EngineError) in _ = try Database.deleteFiles(at: path) }, .fileInUse)
        child.kill()
        _ = child.wait()
        expect(try Database.deleteFiles(at: path))
    }

    @Test func `opening a file waits for its compaction`() throws {
        let path = folder.file()
        let state = try fill(path, transactions: 20)
        let opened = Shared(false)
        let done = DispatchSemaphore(value: 0)
        let sizes = try Database.compact(at: path) { _ in
            Thread {
                do {
                    let database = try Database.open(at: path)
                    opened.withLock { $0 = true }
                    expectEqual(State(try database.snapshot()), state)
                } catch { Issue.record(error) }
                done.signal()
            }.start()
            usleep(20_000)
            expect(opened.withLock { !$0 })
            return true
        }
        expect(sizes != nil)
        done.wait()
        try check(path, state)
    }

    @Test func `a backup taken while another process writes is one version`() throws {
        let path = folder.file()
        let writer = try ChildProcess(["writer", path, "9"])
        expectEqual(writer.readLine(), "ready")
        let database = try Database.open(at: path)
        let script = Script(seed: 9)
        var expected = State()
        for i in 0..<8 {
            for _ in 0..<5 { _ = writer.readLine() }
            let copied = folder.file("backup\(i).realm")
            try database.snapshot().copy(to: copied)
            let snapshot = try Database.open(at: copied).snapshot()
            let found = State(snapshot)
            while expected.transaction < found.transaction {
                expected.apply(script.steps(expected.transaction + 1, on: expected))
            }
            expectEqual(found, expected)
            expectEqual(snapshot.verify(), [])
        }
        writer.kill()
        _ = writer.wait()
    }

    @Test func `a seed is copied once, and only from a database`() throws {
        let seed = folder.file("seed.realm")
        let state = try fill(seed, transactions: 5)
        unlink(seed + "-lock")
        unlink(seed + ".writer")
        chmod(seed, 0o400)
        expect(try Database.seed(folder.file(), from: seed))
        expectEqual(folder.names, ["seed.realm", "test.realm"])
        expect(try !Database.seed(folder.file(), from: seed))
        try check(folder.file(), state)
        let missing = code { () throws(EngineError) in
            _ = try Database.seed(folder.file("b"), from: folder.file("none"))
        }
        expectEqual(missing, .fileNotFound)
        try Data(repeating: 7, count: 20_000).write(to: URL(fileURLWithPath: folder.file("garbage")))
        let garbage = code { () throws(EngineError) in
            _ = try Database.seed(folder.file("b"), from: folder.file("garbage"))
        }
        expectEqual(garbage, .invalidDatabase)
        expect(!folder.names.contains("b"))
    }

    @Test func `a seed that this process has open read-only is copied`() throws {
        let seed = folder.file("seed.realm")
        let state = try fill(seed, transactions: 5)
        chmod(seed, 0o400)
        var options = Database.Options()
        options.readOnly = true
        let open = try Database.open(at: seed, options: options)
        expect(try Database.seed(folder.file(), from: seed))
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file())[.posixPermissions] as! Int
        expectEqual(mode, 0o600)
        try check(folder.file(), state)
        withExtendedLifetime(open) {}
    }

    @Test func `files of killed copies are removed with the next copy, and with the file`() throws {
        let path = folder.file()
        let copied = folder.file("copy.realm")
        let state = try fill(path, transactions: 3)
        // No process has the first number.
        let gone = ["copy.realm.copy-\(Int32.max)-0123456789abc", "test.realm.copy-\(Int32.max)-0123456789abc"]
        let kept = [
            "copy.realm.copy-\(Int32.max)-11", "copy.realm.copy-\(Int32.max)-0123456789ABC", "copy.realm.copy-2",
            "copy.realm.copy-\(getpid())-0123456789abc", "copy.realm.copy-1-0123456789abc",
            "other.realm.copy-\(Int32.max)-0123456789abc",
        ]
        for name in gone + kept { try Data("rest".utf8).write(to: URL(fileURLWithPath: folder.file(name))) }
        try Database.open(at: path).snapshot().copy(to: copied)
        expect(!folder.names.contains(gone[0]) && folder.names.contains(gone[1]))
        try check(copied, state)
        expect(try Database.deleteFiles(at: path))
        expect(!folder.names.contains(gone[1]))
        expect(Set(folder.names).isSuperset(of: kept))
    }

    @Test func `a file is deleted together with the symbolic link that names it`() throws {
        let link = folder.file("link.realm")
        _ = try fill(folder.file(), transactions: 3)
        for _ in 0..<2 {
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.file())
            expect(try Database.deleteFiles(at: link))
            expectEqual(folder.names, ["test.realm.writer"])
            expect(try !Database.deleteFiles(at: link))
            _ = try fill(folder.file(), transactions: 1)
        }
        _ = try Database.open(at: link).snapshot()
    }

    #if os(Linux)
        @Test func `a copy of a large file has room to grow`() throws {
            let path = folder.file()
            let state = try fill(path, transactions: 3)
            let mapped = Shared(UInt64(0))
            var options = Database.Options()
            options.faults = FaultInjector { operation in
                guard operation == .sync else { return 0 }
                let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
                for line in maps.split(separator: "\n") where line.contains("large.realm.copy-") {
                    let ends = line.prefix { $0 != " " }.split(separator: "-").map { UInt64($0, radix: 16)! }
                    mapped.withLock { $0 += ends[1] - ends[0] }
                }
                return 0
            }
            let database = try Database.open(at: path, options: options)
            // A hole takes no space.
            expectEqual(truncate(path, 40 << 30), 0)
            try database.snapshot().copy(to: folder.file("large.realm"))
            expect(mapped.withLock { $0 } >= 80 << 30)
            try check(folder.file("large.realm"), state)
        }
    #endif
}
