import Foundation
import Synchronization
import TestScript
import Testing

@testable import FreeholdEngine

/// A migration that touches every kind of block: see `TestChild`'s `migrate`.
private enum Plan {
    static let old = [
        TableSpec(
            "P",
            columns: [
                ColumnSpec("id", .int), ColumnSpec("name", .string), ColumnSpec("n", .int), ColumnSpec("gone", .string),
                ColumnSpec("next", .link, target: "P"), ColumnSpec("any", .mixed),
            ],
            primaryKey: "id"
        )
    ]
    static let new = [
        TableSpec(
            "P",
            columns: [
                ColumnSpec("id", .int), ColumnSpec("name", .string, indexed: true),
                ColumnSpec("n", .int, optional: true),
                ColumnSpec("next", .link, target: "P"), ColumnSpec("more", .string),
            ],
            primaryKey: "name"
        ), TableSpec("Q", columns: [ColumnSpec("x", .int)]),
    ]

    static func write(_ path: String, _ count: Int) throws {
        let database = try Database.open(at: path)
        let transaction = try database.beginWrite()
        try transaction.applySchema(old, userVersion: 1)
        let table = transaction.schema.table(named: "P")!
        var last: ObjectKey?
        for i in 0..<count {
            let key = try transaction.create(table, primaryKey: .int(Int64(i)))
            try transaction.set(table.columns[1], key, to: .string("name \(i)"))
            try transaction.set(table.columns[2], key, to: .int(Int64(i * 3)))
            try transaction.set(table.columns[3], key, to: .string(String(repeating: "gone ", count: 1 + i % 7)))
            if let last {
                try transaction.set(table.columns[4], key, to: .link(last))
                try transaction.set(table.columns[5], key, to: .objectLink(ObjectLink(tableID: table.id, key: last)))
            }
            last = key
        }
        _ = try transaction.commit()
    }

    static func migrate(_ database: Database) throws -> Snapshot {
        let transaction = try database.beginWrite()
        defer { transaction.cancel() }
        try transaction.extendSchema(to: new, suspendsPrimaryKeys: true)
        let table = transaction.schema.table(named: "P")!
        for key in transaction.keys(table) {
            try transaction.set(table.column(named: "more")!, key, to: .string("more \(key.raw)"))
        }
        try transaction.finishSchema(new, userVersion: 2)
        return try transaction.commit()
    }

    /// - Returns: the version that the file is at, all of whose objects are as they should be.
    static func check(_ path: String, _ count: Int) throws -> UInt64 {
        let snapshot = try Database.open(at: path).snapshot()
        expectEqual(snapshot.verify(), [])
        let isNew = snapshot.userVersion == 2
        let specs = isNew ? new : old
        let table = try require(snapshot.schema.table(named: "P"))
        expectEqual(Set(table.columns.map(\.name)), Set(specs[0].columns.map(\.name)))
        expectEqual(table.primaryKey?.name, specs[0].primaryKey)
        expectEqual((snapshot.schema.table(named: "Q") != nil), isNew)
        expectEqual(snapshot.count(table), count)
        for i in stride(from: 0, to: count, by: 97) {
            let key = ObjectKey(Int64(i))
            expectEqual(snapshot.readString(table.column(named: "name")!, key), "name \(i)")
            expectEqual(snapshot.readInt(table.column(named: "n")!, key), Int64(i * 3))
            if isNew { expectEqual(snapshot.readString(table.column(named: "more")!, key), "more \(i)") }
            let found = snapshot.find(primaryKey: isNew ? .string("name \(i)") : .int(Int64(i)), in: table)
            expectEqual(found, key)
        }
        return snapshot.userVersion
    }
}

struct `Migrations that fail` {
    @Test(arguments: [64 << 20, 100_000])
    func `a device that is full at any point leaves the file unchanged`(budget: Int) throws {
        let folder = TemporaryFolder()
        let path = folder.file()
        let count = 1500
        try Plan.write(path, count)
        var failures = 0
        var after = 0
        while true {
            let puts = Mutex(0)
            let limit = after
            var options = Database.Options()
            options.memoryBudget = budget
            options.faults = FaultInjector { operation in
                guard operation == .put else { return 0 }
                return puts.withLock { count -> Int32 in
                    count += 1
                    return count > limit ? ENOSPC : 0
                }
            }
            let isDone = try {
                let database = try Database.open(at: path, options: options)
                do {
                    _ = try Plan.migrate(database)
                    return true
                } catch let error as EngineError {
                    expectEqual(error.code, .outOfDiskSpace)
                    return false
                }
            }()
            try expectEqual(Plan.check(path, count), (isDone ? 2 : 1), "after \(limit) blocks")
            if isDone { break }
            failures += 1
            after = after * 2 + 1
        }
        expect(failures > 3)
    }

    @Test func `a process that is killed during a migration leaves the old file or the new one`() throws {
        let count = 6000
        var ends: [UInt64: Int] = [:]
        for round in 0..<6 {
            let folder = try ChildFolder()
            let path = folder.file("migrated.realm")
            try Plan.write(path, count)
            let child = try ChildProcess(["migrate", path, round % 2 == 0 ? "100000" : "67108864"])
            expectEqual(child.readLine(), "began")
            // The kills range from the middle of the copying to after the commit.
            for _ in 0..<round { _ = child.readLine() }
            if round < 5 {
                usleep(UInt32.random(in: 0..<10_000))
                child.kill()
            }
            _ = child.readLines()
            _ = child.wait()
            ends[try Plan.check(path, count), default: 0] += 1
        }
        expect(ends[1, default: 0] > 0 && ends[2, default: 0] > 0, "\(ends)")
    }
}
