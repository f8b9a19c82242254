import Foundation
import Synchronization
import TestScript
import Testing

@testable import FreeholdEngine

/// The behaviour of a commit log apart from crashes of the machine: killed processes, processes that write in turns,
/// missing and foreign logs, failing devices, and all other operations on files.
struct CommitLogTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file() }
    private var logPath: String { path + CommitLogFile.suffix }

    private func options(capacity: Int = 256 << 10, faults: FaultInjector? = nil) -> Database.Options {
        var options = Database.Options()
        options.commitLog = true
        options.commitLogCapacity = capacity
        options.faults = faults
        return options
    }

    private func variables(_ capacity: Int = 256 << 10) -> [String: String] { [Script.logVariable: "\(capacity)"] }

    private func mark(_ path: String) -> CommitLogMark.Content {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        return CommitLogMark.read(descriptor)
    }

    /// A file whose last writer was killed when it had committed some transactions: its newest ones are in the log.
    private func killed(_ name: String = "test.realm", seed: UInt64 = 1, capacity: Int = 4 << 20) throws -> Int64 {
        let path = folder.file(name)
        let child = try ChildProcess(["writer", path, "\(seed)"], environment: variables(capacity))
        var said: Int64 = 0
        while said < 6 { said = child.readLine().flatMap { Int64($0) } ?? said }
        child.kill()
        for line in child.readLines() { said = Int64(line) ?? said }
        expectEqual(child.wait(), -SIGKILL)
        expect(mark(path) != .clear)
        return said
    }

    private func transaction(_ options: Database.Options = .init(), _ name: String = "test.realm") throws -> Int64 {
        let snapshot = try Database.open(at: folder.file(name), options: options).snapshot()
        expectEqual(snapshot.verify(), [])
        return State(snapshot).transaction
    }

    private func copy(_ from: String, _ to: String) throws {
        for suffix in ["", CommitLogFile.suffix] {
            unlink(to + suffix)
            if FileManager.default.fileExists(atPath: from + suffix) {
                try FileManager.default.copyItem(atPath: from + suffix, toPath: to + suffix)
            }
        }
    }

    // MARK: Its life

    @Test func `closing the file for the last time removes the log, and the file is complete without it`() throws {
        var version: UInt64 = 0
        do {
            let database = try Database.open(at: path, options: options())
            for _ in 0..<5 { _ = try Script(seed: 1).takeTurn(in: database) }
            version = database.lastVersion
            expect(mark(path) != .clear)
            expect(folder.names.contains("test.realm" + CommitLogFile.suffix))
        }
        expectEqual(mark(path), .clear)
        expect(!FileManager.default.fileExists(atPath: logPath))
        let database = try Database.open(at: path)
        expectEqual(database.lastVersion, version)
        expect(database.core.header.requiredFeatures.contains(.commitLog))
        expectEqual(State(try database.snapshot()).transaction, 5)
        _ = try Script(seed: 1).takeTurn(in: database)
        expectEqual(mark(path), .clear, "a database without the option creates no log")
    }

    @Test func `a file that was created without a log gets one after it was closed everywhere`() throws {
        do {
            let database = try Database.open(at: path)
            _ = try Script(seed: 1).takeTurn(in: database)
            let other = try Database.open(at: path, options: options())
            _ = try Script(seed: 1).takeTurn(in: other)
            expectEqual(mark(path), .clear)
        }
        let database = try Database.open(at: path, options: options())
        _ = try Script(seed: 1).takeTurn(in: database)
        expect(mark(path) != .clear)
        expectEqual(State(try database.snapshot()).transaction, 3)
        try expectEqual(database.snapshot().verify(), [])
    }

    @Test func `a log without writes for a second is ended, and started again by the next commit`() throws {
        let database = try Database.open(at: path, options: options())
        _ = try Script(seed: 1).takeTurn(in: database)
        expect(mark(path) != .clear)
        for _ in 0..<100 where mark(path) != .clear { usleep(100_000) }
        expectEqual(mark(path), .clear)
        try FileManager.default.copyItem(atPath: path, toPath: folder.file("alone.realm"))
        try expectEqual(transaction(.init(), "alone.realm"), 1)
        _ = try Script(seed: 1).takeTurn(in: database)
        expect(mark(path) != .clear)
        expectEqual(database.readers().filter { $0.version < database.lastVersion }, [], "its pin isn't a reader")
    }

    /// Simulates a crash before the first record: the log has the records of its earlier content.
    @Test func `the earlier content of a restarted log is ignored`() throws {
        let script = Script(seed: 1)
        let database = try Database.open(at: path, options: options(capacity: 64 << 10))
        let log = database.core.storage.commitLog!
        while log.counts.checkpoints < 2 { _ = try script.takeTurn(in: database) }
        _ = try script.takeTurn(in: database)
        let number = State(try database.snapshot()).transaction
        for _ in 0..<100 where mark(path) != .clear { usleep(100_000) }
        let older = try Data(contentsOf: URL(fileURLWithPath: logPath))
        try expectEqual(script.takeTurn(in: database), number + 1)
        try copy(path, folder.file("copy"))
        var bytes = try Data(contentsOf: URL(fileURLWithPath: logPath))
        bytes.replaceSubrange(CommitLogFile.firstRecord..., with: older[CommitLogFile.firstRecord...])
        try bytes.write(to: URL(fileURLWithPath: folder.file("copy" + CommitLogFile.suffix)))
        try expectEqual(transaction(.init(), "copy"), number)
    }

    /// Their records have the same versions, and differ in their generations' salts.
    @Test func `a record of another copy of the file isn't replayed`() throws {
        do {
            let database = try Database.open(at: path, options: options())
            for _ in 0..<3 { _ = try Script(seed: 1).takeTurn(in: database) }
        }
        try copy(path, folder.file("other.realm"))
        let ours = try Database.open(at: path, options: options())
        let theirs = try Database.open(at: folder.file("other.realm"), options: options())
        try expectEqual(Script(seed: 1).takeTurn(in: ours), 4)
        try expectEqual(Script(seed: 2).takeTurn(in: theirs), 4)
        try copy(path, folder.file("copy.realm"))
        try copy(path, folder.file("mixed.realm"))
        let mixed = URL(fileURLWithPath: folder.file("mixed.realm" + CommitLogFile.suffix))
        var bytes = try Data(contentsOf: mixed)
        let log = try Data(contentsOf: URL(fileURLWithPath: folder.file("other.realm" + CommitLogFile.suffix)))
        bytes.replaceSubrange(CommitLogFile.firstRecord..., with: log[CommitLogFile.firstRecord...])
        try bytes.write(to: mixed)
        try expectEqual(transaction(.init(), "copy.realm"), 4)
        try expectEqual(transaction(.init(), "mixed.realm"), 3)
    }

    @Test func `commits of threads share flushes, and none is lost`() throws {
        // The first flush ends when all threads have committed.
        let goal = Mutex<(database: Database, version: UInt64)?>(nil)
        let slowDisk = FaultInjector { operation in
            guard operation == .logSync, let (database, version) = goal.withLock({ $0 }) else { return 0 }
            let deadline = ContinuousClock.now + .seconds(60)
            while database.core.storage.lastVersion < version, ContinuousClock.now < deadline { usleep(1000) }
            return 0
        }
        let database = try Database.open(at: path, options: options(capacity: 4 << 20, faults: slowDisk))
        let first = try database.beginWrite()
        try first.applySchema([TableSpec("T", columns: [ColumnSpec("n", .int)])])
        let table = first.schema.table(named: "T")!
        for _ in 0..<8 { _ = try first.create(table) }
        let before = try first.commit().version
        let log = database.core.storage.commitLog!
        let flushes = log.counts.flushes
        goal.withLock { $0 = (database, before + 8) }
        defer { goal.withLock { $0 = nil } }
        let failure = Mutex<EngineError?>(nil)
        let threads = (0..<8).map { thread in
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                do throws(EngineError) {
                    let transaction = try database.beginWrite()
                    let table = transaction.schema.table(named: "T")!
                    try transaction.set(table.columns[0], ObjectKey(Int64(thread)), to: .int(1))
                    _ = try transaction.commit()
                } catch { failure.withLock { $0 = error } }
                done.signal()
            }
            return done
        }
        for done in threads { done.wait() }
        expect(failure.withLock { $0 } == nil)
        let snapshot = try database.snapshot()
        expectEqual((0..<8).map { snapshot.readInt(table.columns[0], ObjectKey($0)) }, Array(repeating: 1, count: 8))
        // One flush for the first commit, and one for the seven that arrived while it was written.
        expectEqual(log.counts.flushes - flushes, 2)
    }

    // MARK: Processes

    @Test(arguments: [1, 2] as [UInt64], [64 << 10, 4 << 20])
    func `two processes that write in turns lose nothing when one is killed`(seed: UInt64, capacity: Int) throws {
        var generator = SystemRandomNumberGenerator()
        let script = Script(seed: seed)
        var database: Database? = try Database.open(at: path, options: options(capacity: capacity))
        var states = [State()]
        for round in TestBudget.range("CommitLogTests.turns", usual: 5, soak: 60) {
            let child = try ChildProcess(["turns", path, "\(seed)"], environment: variables(capacity))
            expectEqual(child.readLine(), "ready")
            var told: Int64 = 0
            for _ in 0..<Int.random(in: 1..<6, using: &generator) {
                if Bool.random(using: &generator) { told = max(told, try script.takeTurn(in: database!)) }
                if Bool.random(using: &generator) { told = max(told, child.readLine().flatMap { Int64($0) } ?? 0) }
            }
            usleep(.random(in: 0..<8000, using: &generator))
            child.kill()
            for line in child.readLines() { told = max(told, Int64(line) ?? 0) }
            expectEqual(child.wait(), -SIGKILL)
            // In some rounds no process has the file open, and the log is replayed.
            if round % 3 == 0 { database = nil }
            let reopened = try database ?? Database.open(at: path, options: options(capacity: capacity))
            database = reopened
            let writer = try reopened.beginWrite()
            let found = State(writer)
            writer.cancel()
            expect(found.transaction >= told, "seed \(seed), round \(round)")
            while states.count <= found.transaction {
                var next = states.last!
                next.apply(script.steps(Int64(states.count), on: next))
                states.append(next)
            }
            let expected = states[Int(found.transaction)]
            expectEqual(found, expected, "seed \(seed), round \(round): \(found.differences(from: expected))")
            try expectEqual(reopened.snapshot().verify(), [])
        }
        print("seed \(seed): \(states.count - 1) transactions")
    }

    @Test func `a pin of a process that no longer writes ends`() throws {
        let database = try Database.open(at: path, options: options(capacity: 4 << 20))
        _ = try Script(seed: 1).takeTurn(in: database)
        let child = try ChildProcess(["turns", path, "1"], environment: variables(4 << 20))
        for _ in 0..<50 { _ = child.readLine() }
        for _ in 0..<100 where database.core.storage.commitLog!.pinnedVersion != nil {
            _ = child.readLine()
            usleep(50_000)
        }
        expect(database.core.storage.commitLog!.pinnedVersion == nil)
        child.kill()
        _ = child.readLines()
        expectEqual(child.wait(), -SIGKILL)
        expect(try Script(seed: 1).takeTurn(in: database) > 50)
    }

    // MARK: File and log apart

    @Test func `a file without its required log is refused, and opens with it`() throws {
        let said = try killed()
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.moveItem(atPath: logPath, toPath: folder.file("elsewhere"))
        #expect(throws: EngineError.self) { try transaction() }
        do { _ = try Database.open(at: path) } catch { expectEqual(error.code, .invalidDatabase) }
        try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), data)
        try FileManager.default.moveItem(atPath: folder.file("elsewhere"), toPath: logPath)
        expect(try transaction() >= said)
        expect(!FileManager.default.fileExists(atPath: logPath))
    }

    @Test func `logs of other files are refused`() throws {
        let said = try killed()
        let other = try killed("other.realm", seed: 2)
        let logs = [logPath, folder.file("other.realm" + CommitLogFile.suffix)]
        func exchange() throws {
            try FileManager.default.moveItem(atPath: logs[0], toPath: folder.file("third"))
            try FileManager.default.moveItem(atPath: logs[1], toPath: logs[0])
            try FileManager.default.moveItem(atPath: folder.file("third"), toPath: logs[1])
        }
        try exchange()
        for name in ["test.realm", "other.realm"] {
            let data = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
            do {
                _ = try Database.open(at: folder.file(name))
                Issue.record("\(name) was opened with another's log")
            } catch { expectEqual(error.code, .invalidDatabase) }
            try expectEqual(Data(contentsOf: URL(fileURLWithPath: folder.file(name))), data)
        }
        try exchange()
        expect(try transaction() >= said)
        expect(try transaction(.init(), "other.realm") >= other)
    }

    /// Combines files and logs of any two moments. A pair that opens has an existing state, and a pair of one moment
    /// always opens.
    @Test(arguments: [1, 2] as [UInt64])
    func `a file and a log from different times open as an older state, or are refused`(seed: UInt64) throws {
        let script = Script(seed: seed)
        var states = [State()]
        var moments = [Int64]()
        do {
            let database = try Database.open(at: path, options: options(capacity: 96 << 10))
            for moment in 0..<6 {
                for _ in 0..<2 {
                    var next = states.last!
                    next.apply(script.steps(next.transaction + 1, on: next))
                    states.append(next)
                    try expectEqual(script.takeTurn(in: database), next.transaction)
                }
                moments.append(states.last!.transaction)
                try copy(path, folder.file("moment \(moment)"))
            }
        }
        try copy(path, folder.file("moment 6"))
        moments.append(states.last!.transaction)
        var opened = 0
        var refused = 0
        for data in 0...6 {
            for log in 0...6 {
                let image = folder.file("image")
                for suffix in ["-lock", ".writer"] { unlink(image + suffix) }
                try copy(folder.file("moment \(data)"), image)
                unlink(image + CommitLogFile.suffix)
                let source = folder.file("moment \(log)" + CommitLogFile.suffix)
                if FileManager.default.fileExists(atPath: source) {
                    try FileManager.default.copyItem(atPath: source, toPath: image + CommitLogFile.suffix)
                }
                do throws(EngineError) {
                    let snapshot = try Database.open(at: image).snapshot()
                    expectEqual(snapshot.verify(), [])
                    let found = State(snapshot)
                    expectEqual(found, states[Int(found.transaction)], "data of \(data), log of \(log)")
                    if data == log { expectEqual(found.transaction, moments[data]) }
                    opened += 1
                } catch {
                    expect(error.code == .invalidDatabase && data != log, "data of \(data), log of \(log): \(error)")
                    refused += 1
                }
            }
        }
        print("seed \(seed): \(opened) opened, \(refused) refused")
        expect(opened > 7 && refused > 0)
    }

    @Test func `a foreign file at the log's path is kept, and commits succeed without a log`() throws {
        let text = Data("Dear diary".utf8)
        try text.write(to: URL(fileURLWithPath: logPath))
        do {
            let database = try Database.open(at: path, options: options())
            for _ in 0..<3 { _ = try Script(seed: 1).takeTurn(in: database) }
            expectEqual(mark(path), .clear)
        }
        try expectEqual(transaction(), 3)
        try expectEqual(Data(contentsOf: URL(fileURLWithPath: logPath)), text)
        expect(try Database.deleteFiles(at: path))
        try expectEqual(Data(contentsOf: URL(fileURLWithPath: logPath)), text)
    }

    // MARK: What else is done with files

    @Test func `opening read-only needs a complete file, or a process that has it open`() throws {
        let said = try killed()
        var readOnly = Database.Options()
        readOnly.readOnly = true
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        do {
            _ = try Database.open(at: path, options: readOnly)
            Issue.record("it was opened")
        } catch { expectEqual(error.code, .invalidDatabase) }
        try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), data)
        expect(try transaction() >= said)
        expect(try transaction(readOnly) >= said)
        let child = try ChildProcess(["turns", path, "1"], environment: variables())
        expectEqual(child.readLine(), "ready")
        let next = child.readLine().flatMap { Int64($0) } ?? 0
        expect(try transaction(readOnly) >= next)
        child.kill()
        _ = child.readLines()
        _ = child.wait()
    }

    @Test func `compaction, seeds, copies and deletion include the log`() throws {
        let said = try killed()
        expect(try Database.compact(at: path) != nil)
        expect(mark(path) == .clear && !FileManager.default.fileExists(atPath: logPath))
        expect(try transaction() >= said)
        _ = try killed("second.realm")
        do {
            _ = try Database.seed(folder.file("seeded"), from: folder.file("second.realm"))
            Issue.record("a seed was made of a file whose log isn't played")
        } catch { expectEqual(error.code, .invalidDatabase) }
        do {
            let database = try Database.open(at: folder.file("second.realm"), options: options())
            let number = try Script(seed: 1).takeTurn(in: database)
            try database.snapshot().copy(to: folder.file("copy.realm"))
            try expectEqual(transaction(.init(), "copy.realm"), number)
            expect(try Database.seed(folder.file("seeded"), from: folder.file("second.realm")))
            try expectEqual(transaction(.init(), "seeded"), number)
        }
        let copied = try Database.open(at: folder.file("copy.realm"))
        expect(!copied.core.header.requiredFeatures.contains(.commitLog))
        _ = try killed("third.realm")
        expect(try Database.deleteFiles(at: folder.file("third.realm")))
        expect(!folder.names.contains { $0.hasPrefix("third") && $0.hasSuffix(CommitLogFile.suffix) })
    }

    @Test func `large transactions bypass the log`() throws {
        let script = Script(seed: 1)
        do {
            let database = try Database.open(at: path, options: options(capacity: 64 << 10))
            let transaction = try database.beginWrite()
            try transaction.applySchema(Script.specs, userVersion: 1)
            let table = transaction.schema.table(named: Script.tableName)!
            for i in 0..<5000 {
                let key = try transaction.create(table, primaryKey: .int(Int64(1 << 40 + i)))
                try transaction.set(table.column(named: "text")!, key, to: .string("text \(i)"))
            }
            let before = database.core.storage.commitLog!.counts.checkpoints
            _ = try transaction.commit()
            expect(database.core.storage.commitLog!.counts.checkpoints == before + 1 || before == 0)
            _ = script
            try copy(path, folder.file("copy"))
        }
        let snapshot = try Database.open(at: folder.file("copy")).snapshot()
        expectEqual(snapshot.count(snapshot.schema.table(named: Script.tableName)!), 5000)
        expectEqual(snapshot.verify(), [])
    }

    // MARK: Damage

    /// Returns the offsets and versions of the newest generation's records.
    private func records(_ name: String = "test.realm") throws -> [(offset: Int, version: UInt64)] {
        let file = try require(try CommitLogFile.open(folder.file(name)))
        guard case .set(let newest) = mark(folder.file(name)) else { return [] }
        let head = try require(file.head(Int(newest.generation & 1)))
        var found: [(Int, UInt64)] = []
        var offset = CommitLogFile.firstRecord
        while let (_, end) = file.record(at: offset, newest.salt, version: head.version + UInt64(found.count) + 1) {
            found.append((offset, head.version + UInt64(found.count) + 1))
            offset = end
        }
        return found
    }

    private func damage(_ path: String, at offset: Int) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[offset] ^= 4
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    /// Damage in the head of a record, in its content, and in its version.
    @Test(arguments: [0, 5, 24, 32, 60])
    func `a damaged record before a later one is refused, and both files are kept`(place: Int) throws {
        _ = try killed()
        let found = try records()
        expect(found.count >= 5, "\(found.count) records")
        for record in found.dropLast(2) {
            try copy(path, folder.file("copy"))
            let log = folder.file("copy" + CommitLogFile.suffix)
            try damage(log, at: record.offset + place)
            let before = try [folder.file("copy"), log].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
            let refusal = error { () throws(EngineError) in _ = try Database.open(at: folder.file("copy")) }
            expectEqual(refusal?.code, .invalidDatabase)
            expectEqual(refusal?.message.contains("version \(record.version)"), true, "\(refusal?.message ?? "opened")")
            try expectEqual([folder.file("copy"), log].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }, before)
            for suffix in ["-lock", ".writer"] { unlink(folder.file("copy" + suffix)) }
        }
        // Makes the last record look as if it hadn't reached the disk.
        let last = try require(found.last)
        try damage(logPath, at: last.offset + place)
        expect(try transaction() > 0)
        expectEqual(try Database.open(at: path).lastVersion, last.version - 1)
    }

    /// The system writes what isn't flushed in any order: a later record can be on the disk, and an earlier one not.
    @Test func `a record that was never flushed ends the log, even with later bytes behind it`() throws {
        do {
            let database = try Database.open(at: path, options: options(capacity: 4 << 20))
            for _ in 0..<3 { _ = try Script(seed: 1).takeTurn(in: database) }
            for i in 0..<4 {
                let transaction = try database.beginWrite()
                let table = try require(transaction.schema.table(named: Script.tableName))
                try transaction.set(table.column(named: "score")!, transaction.keys(table)[0], to: .double(Double(i)))
                _ = try transaction.commit(durably: false)
            }
            try copy(path, folder.file("copy"))
        }
        let found = try records("copy")
        expect(found.count >= 6)
        let first = found[found.count - 4]
        try damage(folder.file("copy" + CommitLogFile.suffix), at: first.offset + 50)
        try expectEqual(transaction(.init(), "copy"), 3)
        expectEqual(try Database.open(at: folder.file("copy")).lastVersion, first.version - 1)
    }

    @Test func `a record without the durable version is read like any other`() throws {
        var record = CommitLogRecord(limit: 10_000)
        record.remove(17)
        let salt = CommitLogSalt.random()
        let bytes = try require(record.finish(salt, version: 9, durable: 8))
        let payload = bytes[CommitLogRecord.headSize...]
        try expectEqual(CommitLogRecord.durableVersion(payload), 8)
        var keys: [UInt64] = []
        expect(try CommitLogRecord.forEach(payload) { (key, _) throws(EngineError) in keys.append(key) })
        expectEqual(keys, [17])
        try expectEqual(CommitLogRecord.durableVersion(payload.prefix(12)), nil)
        expectEqual(CommitLogRecord.version(Array(bytes.prefix(CommitLogRecord.headSize)), salt), 9)
        expect(CommitLogRecord.version(Array(bytes.prefix(CommitLogRecord.headSize)), .random()) == nil)
    }

    // MARK: Failures

    private enum Device { case right, noLogWrites, noLogFlushes, noFlushes }

    @Test func `a failed flush of the log is a typed error, and a checkpoint repairs it`() throws {
        let device = Mutex(Device.right)
        let faults = FaultInjector { operation in
            switch (device.withLock { $0 }, operation) {
            case (.noLogWrites, .logWrite), (.noLogFlushes, .logSync), (.noFlushes, .logSync), (.noFlushes, .sync): EIO
            default: 0
            }
        }
        let script = Script(seed: 1)
        var database: Database? = try Database.open(at: path, options: options(capacity: 4 << 20, faults: faults))
        try expectEqual(script.takeTurn(in: database!), 1)
        try expectEqual(script.takeTurn(in: database!), 2)
        device.withLock { $0 = .noLogFlushes }
        func fails() {
            do throws(EngineError) {
                _ = try script.takeTurn(in: database!)
                Issue.record("it was committed")
            } catch { expectEqual(error.code, .environmentFailed) }
        }
        fails()
        // The next needs a checkpoint, which needs the log.
        fails()
        expectEqual(State(try database!.snapshot()).transaction, 3, "it is visible, but wasn't acknowledged as durable")
        device.withLock { $0 = .right }
        try expectEqual(script.takeTurn(in: database!), 4)
        // A record that can't be written loses no data, because the checkpoint fails, too, and reports it.
        device.withLock { $0 = .noLogWrites }
        fails()
        device.withLock { $0 = .right }
        try expectEqual(script.takeTurn(in: database!), 6)
        // The content of the disk isn't known after this.
        device.withLock { $0 = .noFlushes }
        fails()
        fails()
        device.withLock { $0 = .right }
        fails()
        database = nil
        expect(try transaction() >= 6)
    }
}
