import Foundation
import Synchronization
import TestScript
import Testing

@testable import FreeholdEngine

/// A writer that is killed when its commit is on the disk, but not yet announced in the lock file.
@Suite(.enabled(if: Interposer.isAvailable, "needs a C compiler and LD_PRELOAD"))
struct UnannouncedCommitTests {
    /// Continues with `next` after a writer was killed in this state.
    private func check(
        isEncrypted: Bool,
        killedAt: Int,
        _ next: (_ database: Database, _ path: String, _ script: Script) throws -> Void
    ) throws {
        let folder = try ChildFolder()
        let path = folder.file("shared.realm")
        let environment = isEncrypted ? [Script.encryptedVariable: "1"] : [:]
        let first = try ChildProcess(["transactions", path, "1", "2"], environment: environment)
        expectEqual(first.readLines().last, "2")
        expectEqual(first.wait(), 0)
        var options = Database.Options()
        if isEncrypted { options.encryptionKey = Script.key }
        // While a process has the file open, no other one recovers it like after a crash of the machine.
        let database = try Database.open(at: path, options: options)
        let before = try database.snapshot()

        let killed = try Interposer.start(folder, ["writer", path, "1"], path, environment, killedAt: killedAt)
        let acknowledged = killed.readLines().last.flatMap { Int64($0) } ?? 2
        expectEqual(killed.wait(), -SIGKILL)
        expectEqual(acknowledged, 1 + Int64(killedAt))
        let told = try database.snapshot()
        expectEqual(State(told).transaction, acknowledged)
        expectEqual(database.lastVersion, told.version + 1, "it is in the file, and wasn't announced")

        let script = Script(seed: 1)
        try next(database, path, script)
        let after = try database.snapshot()
        expectEqual(after.verify(), [])
        var state = State()
        for n in 1...acknowledged + 2 { state.apply(script.steps(n, on: state)) }
        expectEqual(State(after), state)
        expect(database.lastVersion == after.version && after.version == told.version + 2)
        expectEqual(State(before).transaction, 2)
    }

    private func write(_ database: Database, _ script: Script) throws {
        let transaction = try database.beginWrite()
        let state = State(transaction)
        try script.run(script.steps(state.transaction + 1, on: state), in: transaction)
        _ = try transaction.commit()
    }

    @Test(arguments: [false, true], 1...3)
    func `the next writer continues from the commit that wasn't announced`(isEncrypted: Bool, killedAt: Int) throws {
        try check(isEncrypted: isEncrypted, killedAt: killedAt) { database, _, script in try write(database, script) }
    }

    @Test func `a writer of another process continues, too, and observers receive both versions`() throws {
        try check(isEncrypted: false, killedAt: 2) { database, path, script in
            let versions = Mutex<[UInt64]>([])
            let watch = try CommitWatch(database) { version in versions.withLock { $0.append(version) } }
            let last = database.lastVersion
            let child = try ChildProcess(["transactions", path, "1", "1"])
            expectEqual(child.readLines().count, 2)
            expectEqual(child.wait(), 0)
            let end = Date(timeIntervalSinceNow: 30)
            while versions.withLock({ $0.max() ?? 0 }) <= last, Date() < end { usleep(1000) }
            expect(versions.withLock { $0.max() } == last + 1)
            withExtendedLifetime(watch) {}
        }
    }

    @Test func `a transaction without changes announces it, too`() throws {
        try check(isEncrypted: false, killedAt: 1) { database, _, script in
            let transaction = try database.beginWrite()
            expectEqual(State(transaction).transaction, 3)
            transaction.cancel()
            try expectEqual(State(database.snapshot()).transaction, 3)
            try write(database, script)
        }
    }
}
