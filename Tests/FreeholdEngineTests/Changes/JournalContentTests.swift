import Foundation
import Synchronization
import TestRandom
import Testing

@testable import FreeholdEngine

/// The values of new objects in the journal, and the journal of copies.
struct JournalContentTests {
    private let folder = TemporaryFolder()

    private func database(_ name: String = "journal.realm", budget: Int? = nil) throws -> Database {
        var options = Database.Options()
        if let budget { options.memoryBudget = budget }
        let database = try Database.open(at: folder.file(name), options: options)
        try database.write(verifies: false) { transaction in
            var columns = [ColumnSpec("id", .int)]
            for type in ColumnType.allCases {
                let target = type == .link ? "Thing" : nil
                columns.append(ColumnSpec("\(type)", type, optional: type == .link || type == .mixed, target: target))
                if type != .link, type != .mixed { columns.append(ColumnSpec("\(type)?", type, optional: true)) }
            }
            try transaction.applySchema([TableSpec("Thing", columns: columns, primaryKey: "id")])
            try transaction.addJournalCursor("reader")
        }
        return database
    }

    private static func value(_ type: ColumnType, _ i: Int, _ random: inout SeededRandom) -> Value {
        switch type {
        case .int: .int(Int64.random(in: -5...(Bool.random(using: &random) ? 5 : 1 << 40), using: &random))
        case .bool: .bool(Bool.random(using: &random))
        case .float: .float(Float(i) / 3)
        case .double: .double(Double(i) / 7)
        case .string: .string(String(repeating: "å", count: Int.random(in: 0...40, using: &random)))
        case .data: .data(Data(repeating: UInt8(i & 255), count: i % 97 == 0 ? 3000 : i % 9))
        case .timestamp: .timestamp(Timestamp(seconds: Int64(i), nanoseconds: Int32(i % 3)))
        case .decimal128: .decimal128(Decimal128("\(i).5")!)
        case .objectId: .objectId(ObjectId())
        case .uuid: .uuid(UUID())
        case .link: .link(ObjectKey(Int64(i / 2)))
        case .mixed: i % 2 == 0 ? .int(Int64(i)) : .string("\(i)")
        }
    }

    /// Writes runs of every length at the beginning, in the middle and across the ends of clusters and of their split
    /// leaves, with holes, with little and much memory.
    @Test(arguments: [nil, 64 << 10])
    func `the journal has values of new objects of every type, in whole leaves or single ones`(budget: Int?) throws {
        let seed =
            ProcessInfo.processInfo.environment["FREEHOLD_SEED"].flatMap { UInt64($0) }
            ?? TestSeed.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let database = try database(budget: budget)
        let begin = try database.snapshot()
        var replay = JournalReplay(begin)
        var position = begin.journalCursors[0].position
        var next = 0
        for _ in TestBudget.range("JournalContentTests", usual: 2, soak: 100) {
            let snapshot = try database.write(verifies: false) { transaction in
                let table = transaction.schema.table(named: "Thing")!
                let many = [1, 3, 40, 700, 2500].randomElement(using: &random)!
                let density = [0, 0.02, 0.5, 1].randomElement(using: &random)!
                for _ in 0..<many {
                    let key = try transaction.create(table, primaryKey: .int(Int64(next)))
                    for column in table.columns.dropFirst() where Double.random(in: 0..<1, using: &random) < density {
                        let value = Self.value(column.type, next, &random)
                        if case .link(let target) = value, !transaction.contains(table, target) { continue }
                        try transaction.set(column, key, to: value)
                    }
                    next += 1
                }
                for _ in 0..<Int.random(in: 0...many / 20, using: &random) {
                    if let key = transaction.find(
                        primaryKey: .int(Int64.random(in: 0..<Int64(next), using: &random)),
                        in: table
                    ) {
                        transaction.delete(table, key)
                    }
                }
            }
            position = try replay.apply(snapshot, from: position)
            let differences = Array(replay.differences(from: snapshot).prefix(5))
            try require(differences == [])
        }
        try expectEqual(database.snapshot().verify(), [])
    }

    private func defaults(_ snapshot: Snapshot, at position: UInt64) throws -> [String] {
        var out: [String] = []
        try require(try snapshot.journalEntry(at: position)).forEach { change in
            guard case .defaults(let first, let count) = change else { return }
            let name = snapshot.schema.tables[0].columns.first { $0.id == first.column }!.name
            out.append("\(name) \(first.object.key.raw) \(count)")
        }
        return out
    }

    @Test func `values that were never assigned are journalled as defaults until they are assigned`() throws {
        let database = try database()
        let position = try database.snapshot().journalCursors[0].position
        let snapshot = try database.write(verifies: false) { transaction in
            let table = transaction.schema.table(named: "Thing")!
            let (int, string) = (table.column(named: "int")!, table.column(named: "string?")!)
            var keys: [ObjectKey] = []
            for id in 0..<6 as Range<Int64> {
                let key = try transaction.create(table, primaryKey: .int(id))
                try transaction.set(int, key, to: .int(7))
                transaction.markDefault(int, key)
                if id % 2 == 0 { transaction.markDefault(string, key) }
                keys.append(key)
            }
            try transaction.set(int, keys[2], to: .int(8))
            try transaction.set(string, keys[4], to: .string("chosen"))
            transaction.delete(table, keys[5])
        }
        try expectEqual(defaults(snapshot, at: position), ["int 0 2", "int 3 2", "string? 0 1", "string? 2 1"])
        // An object that existed before has assigned values.
        let next = try require(try snapshot.journalEntry(at: position)).next
        let later = try database.write(verifies: false) { transaction in
            let table = transaction.schema.table(named: "Thing")!
            try transaction.set(table.column(named: "int")!, ObjectKey(0), to: .int(9))
            transaction.markDefault(table.column(named: "int")!, ObjectKey(0))
        }
        try expectEqual(defaults(later, at: next), [])
    }

    @Test(arguments: [false, true])
    func `a copy keeps the journal, or removes it on request`(inTransaction: Bool) throws {
        let database = try database()
        try database.write(verifies: false) { transaction in
            for id in 0..<300 as Range<Int64> {
                _ = try transaction.create(transaction.schema.tables[0], primaryKey: .int(id))
            }
        }
        for keeps in [true, false] {
            let path = folder.file("copy-\(inTransaction)-\(keeps).realm")
            if inTransaction {
                let transaction = try database.beginWrite()
                _ = try transaction.create(transaction.schema.tables[0], primaryKey: .int(1000))
                try transaction.copy(to: path, keepsJournal: keeps)
                transaction.cancel()
            } else {
                try database.snapshot().copy(to: path, keepsJournal: keeps)
            }
            let copy = try Database.open(at: path)
            let snapshot = try copy.snapshot()
            expectEqual(snapshot.verify(), [])
            expectEqual(snapshot.count(snapshot.schema.tables[0]), (inTransaction ? 301 : 300))
            expectEqual(snapshot.journalCursors.map(\.name), (keeps ? ["reader"] : []))
            expectEqual(snapshot.root.hasJournal, keeps)
            // Both can be written to, and journalled.
            let written = try copy.write(verifies: false) { transaction in
                expectEqual(transaction.isJournalled, keeps)
                if !keeps { try transaction.addJournalCursor("other") }
                _ = try transaction.create(transaction.schema.tables[0], primaryKey: .int(5000))
            }
            expectEqual(written.verify(), [])
        }
    }

    @Test func `a warning reports a cursor that keeps much, once for each doubling, and one that doesn't move`() throws
    {
        let told = JournalWarning.Told()
        var state = JournalState(next: 10, nextNumber: 1, first: 0)
        let now = Journal.now()
        state.cursors = [JournalCursor(name: "a", position: 0, number: 0, movedAt: now)]
        func due(_ at: Int64) -> [String] {
            JournalWarning.due(state, now: at, path: "x", told).map { "\($0.cursor) \($0.bytes >> 20)" }
        }
        expectEqual(due(now), [])
        state.next = UInt64(JournalWarning.size / BlockLimits.pageSize)
        expectEqual(due(now), ["a 64"])
        expectEqual(due(now), [])
        state.next *= 2
        expectEqual(due(now), ["a 128"])
        expectEqual(due(now), [])
        state.cursors.append(JournalCursor(name: "b", position: state.next - 1, number: 0, movedAt: now))
        expectEqual(due(now + JournalWarning.age - 1), [])
        expectEqual(due(now + JournalWarning.age), ["b 0"])
        expectEqual(due(now + JournalWarning.age), [])
        // A cursor that has read everything keeps nothing.
        state.cursors = [JournalCursor(name: "c", position: state.next, number: 1, movedAt: 0)]
        expectEqual(due(now), [])
    }

    @Test func `the warning is sent by the commit that finds it`() throws {
        let database = try database()
        let heard = Heard()
        let path = try database.snapshot().core.path
        let id = Diagnostics.listen(to: .maintenance) { event in
            if case .heldJournal(let held) = event, held.path == path {
                heard.names.withLock { $0.append(held.cursor) }
            }
        }
        defer { Diagnostics.stop(id) }
        try database.write(verifies: false) { transaction in
            var state = transaction.base.journalState!
            state.cursors[0].movedAt = Journal.now() - JournalWarning.age - 1
            transaction.pendingJournal = state
        }
        for key in 0..<3 as Range<Int64> {
            try database.write(verifies: false) { _ = try $0.create($0.schema.tables[0], primaryKey: .int(key)) }
        }
        expectEqual(heard.names.withLock { $0 }, ["reader"])
    }

    private final class Heard: Sendable {
        let names = Mutex<[String]>([])
    }
}
