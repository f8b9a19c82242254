import Foundation
import FreeholdEngine
import Testing
import TestScript

/// Several processes on one file.
struct ProcessTests {
    private let folder = Result { try ChildFolder() }

    /// A file after the script's first transactions.
    private func file(transactions: Int = 1, isEncrypted: Bool = false) throws -> String {
        let path = try folder.get().file("shared.realm")
        let child = try ChildProcess(
            ["transactions", path, "1", String(transactions)],
            environment: environment(isEncrypted)
        )
        expectEqual(child.readLines().last, String(transactions))
        expectEqual(child.wait(), 0)
        return path
    }

    private func environment(_ isEncrypted: Bool) -> [String: String] {
        isEncrypted ? [Script.encryptedVariable: "1"] : [:]
    }

    private func open(_ path: String, isEncrypted: Bool) throws -> Database {
        var options = Database.Options()
        if isEncrypted { options.encryptionKey = Script.key }
        return try Database.open(at: path, options: options)
    }

    private func counter(_ view: DataView) throws -> Int64 {
        let table = try require(view.schema.table(named: Script.tableName))
        let key = try require(view.find(primaryKey: .int(0), in: table))
        let column = try require(table.column(named: "number"))
        return try require(view.readInt(column, key))
    }

    private func increment(_ database: Database) throws {
        let transaction = try database.beginWrite()
        let table = try require(transaction.schema.table(named: Script.tableName))
        let column = try require(table.column(named: "number"))
        let key = try require(transaction.find(primaryKey: .int(0), in: table))
        try transaction.set(column, key, to: .int((transaction.readInt(column, key) ?? 0) + 1))
        _ = try transaction.commit()
    }

    @Test func `the lock of a killed writer is free at once`() throws {
        let path = try file()
        let child = try ChildProcess(["lock", path])
        expectEqual(child.readLine(), "locked")
        child.kill()
        expectEqual(child.wait(), -SIGKILL)
        let database = try Database.open(at: path)
        try increment(database)
        try expectEqual(counter(database.snapshot()), 2)
        try expectEqual(database.snapshot().verify(), [])
    }

    @Test(arguments: [false, true]) func `writers of three processes lose nothing, and none starves`(
        isEncrypted: Bool
    ) throws {
        let path = try file(isEncrypted: isEncrypted)
        let rounds = 60
        let children = try (0..<2).map { _ in
            try ChildProcess(["increment", path, String(rounds)], environment: environment(isEncrypted))
        }
        let database = try open(path, isEncrypted: isEncrypted)
        for child in children { expect(child.readLine() != nil) }
        for _ in 0..<rounds { try increment(database) }
        // Both children had turns while this process wrote without a pause.
        let whenDone = try counter(database.snapshot()) - 1 - Int64(rounds)
        for child in children {
            expectEqual(child.readLines().count, rounds - 1)
            expectEqual(child.wait(), 0)
        }
        expect(whenDone > Int64(rounds) / 10)
        try expectEqual(counter(database.snapshot()), Int64(1 + 3 * rounds))
        try expectEqual(database.snapshot().verify(), [])
    }

    @Test(arguments: [false, true])
    func `a reader of another process sees each commit, and a pinned snapshot doesn't change`(
        isEncrypted: Bool
    ) throws {
        let path = try file(transactions: 3, isEncrypted: isEncrypted)
        let environment = environment(isEncrypted)
        let reader = try ChildProcess(["reader", path], environment: environment)
        expectEqual(reader.readLine(), "ready")
        let pin = try ChildProcess(["pin", path], environment: environment)
        let pinned = try require(pin.readLine())
        expect(pinned.hasPrefix("pinned "))
        let database = try open(path, isEncrypted: isEncrypted)
        for i in 1...5 {
            try increment(database)
            reader.send("?")
            expectEqual(reader.readLine(), String(3 + i))
            pin.send("?")
            expectEqual(pin.readLine(), "3")
        }
        expect(database.readers().contains { $0.processIdentifier == pin.identifier })
        pin.kill()
        pin.wait()
        _ = database.clearStaleReaders()
        expect(!database.readers().contains { $0.processIdentifier == pin.identifier })
    }

    /// While one process runs the script, another's snapshots are whole at every version.
    @Test func `snapshots taken while another process writes are consistent`() throws {
        let path = try file()
        let writer = try ChildProcess(["writer", path, "1"])
        expectEqual(writer.readLine(), "ready")
        let database = try Database.open(at: path)
        let script = Script(seed: 1)
        var expected = State()
        var seen: Set<Int64> = []
        for _ in 0..<25 {
            guard let line = writer.readLine(), let acknowledged = Int64(line) else { break }
            let snapshot = try database.snapshot()
            let found = State(snapshot)
            expect(found.transaction >= acknowledged)
            while expected.transaction < found.transaction {
                expected.apply(script.steps(expected.transaction + 1, on: expected))
            }
            expectEqual(found, expected, "\(found.differences(from: expected))")
            seen.insert(found.transaction)
        }
        writer.kill()
        writer.wait()
        expect(seen.count > 3)
        try expectEqual(database.snapshot().verify(), [])
    }
}
