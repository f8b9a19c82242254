import Foundation
import TestRandom
import Testing

@testable import FreeholdEngine

struct JournalTests {
    private let folder = TemporaryFolder()

    private static let specs = [
        TableSpec(
            "Person",
            columns: [
                ColumnSpec("id", .int), ColumnSpec("age", .int), ColumnSpec("score", .int, optional: true),
                ColumnSpec("friend", .link, target: "Person"),
                ColumnSpec("friends", .link, collection: .list, target: "Person"),
                ColumnSpec("home", .link, target: "Home"), ColumnSpec("numbers", .int, collection: .list),
                ColumnSpec("counts", .int, collection: .dictionary), ColumnSpec("any", .mixed),
            ],
            primaryKey: "id"
        ), TableSpec("Home", columns: [ColumnSpec("city", .string)], isEmbedded: true),
    ]

    private func database(_ name: String = "journal.realm") throws -> Database {
        let database = try Database.open(at: folder.file(name))
        try write(database) { transaction, _ in try transaction.applySchema(Self.specs) }
        return database
    }

    @discardableResult
    private func write(
        _ database: Database,
        _ body: (WriteTransaction, Table?) throws -> Void
    ) throws -> Snapshot {
        let transaction = try database.beginWrite()
        do { try body(transaction, transaction.schema.table(named: "Person")) } catch {
            transaction.cancel()
            throw error
        }
        return try transaction.commit()
    }

    private func changes(_ snapshot: Snapshot, at position: UInt64) throws -> [JournalChange] {
        var out: [JournalChange] = []
        try require(try snapshot.journalEntry(at: position)).forEach { out.append($0) }
        return out
    }

    /// A database with two people, and a cursor behind them.
    private func people() throws -> (Database, UInt64) {
        let database = try database()
        try write(database) { transaction, person in
            for id in 0..<2 as Range<Int64> {
                let key = try transaction.create(person!, primaryKey: .int(id))
                try transaction.set(person!.columns[2], key, to: .int(10))
                try transaction.listAppend(person!.columns[6], key, values: [.int(1), .int(2)])
                try transaction.dictionarySet(person!.columns[7], key, forKey: "a", to: .int(5))
            }
        }
        let snapshot = try write(database) { transaction, _ in try transaction.addJournalCursor("reader") }
        return (database, snapshot.journalCursors[0].position)
    }

    @Test func `a file has no journal until a cursor is added`() throws {
        let database = try database()
        let snapshot = try write(database) { transaction, person in
            expect(transaction.journal == nil)
            _ = try transaction.create(person!, primaryKey: .int(1))
        }
        expect(snapshot.journalCursors == [] && snapshot.journalState == nil)
        expect(try snapshot.journalEntry(at: 0) == nil)
    }

    @Test func `a file that an older Freehold can write to has no journal`() throws {
        var options = Database.Options()
        options.formatVersion = 4
        let database = try Database.open(at: folder.file("old.realm"), options: options)
        try write(database) { transaction, _ in try transaction.applySchema(Self.specs) }
        #expect(throws: EngineError.self) {
            try write(database) { transaction, _ in try transaction.addJournalCursor("reader") }
        }
        try expectEqual(database.snapshot().journalCursors, [])
    }

    @Test func `an increment is journalled as one, unless the property was also set`() throws {
        let (database, position) = try people()
        let snapshot = try write(database) { transaction, person in
            let columns = person!.columns
            try transaction.increment(columns[1], ObjectKey(0), by: 3)
            try transaction.increment(columns[1], ObjectKey(0), by: 4)
            try transaction.increment(columns[2], ObjectKey(0), by: -1)
            // Set after an add, to the very sum, and before one.
            try transaction.increment(columns[1], ObjectKey(1), by: 3)
            transaction.setInt(columns[1], ObjectKey(1), to: 3)
            try transaction.set(columns[2], ObjectKey(1), to: .int(7))
            try transaction.increment(columns[2], ObjectKey(1), by: 1)
            try transaction.listIncrement(columns[6], ObjectKey(0), at: 1, by: 8)
            try transaction.dictionaryIncrement(columns[7], ObjectKey(0), forKey: "a", by: 9)
        }
        let person = try require(snapshot.schema.table(named: "Person"))
        func property(_ key: Int64, _ column: Int) -> JournalProperty {
            JournalProperty(JournalObject(tableID: person.id, key: ObjectKey(key)), column: person.columns[column].id)
        }
        var added: [JournalProperty: Int64] = [:]
        var set: [JournalProperty: Value] = [:]
        var edits: [JournalProperty: CollectionEdit] = [:]
        for change in try changes(snapshot, at: position) {
            switch change {
            case .added(let property, let delta): added[property] = delta
            case .set(let property, let value, cause: .edit): set[property] = value
            case .edited(let property, let edit, cause: .edit): edits[property] = edit
            case .named, .unshown: break
            default: Issue.record("\(change)")
            }
        }
        expectEqual(added, [property(0, 1): 7, property(0, 2): -1])
        expectEqual(set, [property(1, 1): .int(3), property(1, 2): .int(8)])
        expectEqual(edits, [property(0, 6): .add(at: 1, 8), property(0, 7): .addToEntry("a", 9)])
        // Observers learn of adds as of any change.
        let record = try require(snapshot.changes(ofVersion: snapshot.version)?.changes(of: person))
        expectEqual(record.modified[person.columns[1].id], [ObjectKey(0), ObjectKey(1)])
        expectEqual(snapshot.readInt(person.columns[1], ObjectKey(0)), 7)
        expectEqual(snapshot.verify(), [])
    }

    @Test func `consequences of a deletion are marked as such, and deleted objects are named`() throws {
        let (database, _) = try people()
        let before = try write(database) { transaction, person in
            let columns = person!.columns
            try transaction.set(columns[3], ObjectKey(0), to: .link(ObjectKey(1)))
            try transaction.listAppend(columns[4], ObjectKey(0), values: [.link(ObjectKey(1)), .link(ObjectKey(0))])
            let home = try transaction.create(transaction.schema.table(named: "Home")!)
            try transaction.set(columns[5], ObjectKey(1), to: .link(home))
        }
        let position = try require(before.journalState).next
        let snapshot = try write(database) { transaction, person in transaction.delete(person!, ObjectKey(1)) }
        let person = try require(snapshot.schema.table(named: "Person"))
        var found: [String] = []
        for change in try changes(snapshot, at: position) {
            switch change {
            case .gone(let object, let key, let cause):
                found.append(
                    "\(object.tableID == person.id ? "person" : "home") \(key.map { "\($0)" } ?? "-") \(cause)"
                )
            case .edited(_, let edit, let cause): found.append("\(edit) \(cause)")
            case .set(_, let value, let cause): found.append("\(value) \(cause)")
            case .named, .unshown: break
            default: Issue.record("\(change)")
            }
        }
        expectEqual(
            found,
            [
                "person \(Value.int(1)) edit", "\(CollectionEdit.remove(at: 0, count: 1)) followsDeletion",
                "home - cascade",
                "\(Value.null) followsDeletion",
            ]
        )
    }

    @Test func `an applier's commits aren't journalled, and their origin is reported and stored`() throws {
        let (database, position) = try people()
        let told = Told()
        let observer = database.addCommitObserver { _, record in told.add(record.origin) }
        defer { database.removeCommitObserver(observer) }
        let applied = try write(database) { transaction, person in
            transaction.origin = .applier(7)
            _ = try transaction.create(person!, primaryKey: .int(100))
        }
        expectEqual(applied.journalState?.next, position)
        let local = try write(database) { transaction, person in
            _ = try transaction.create(person!, primaryKey: .int(101))
        }
        expect(try changes(local, at: position).count > 1)
        expectEqual(told.origins, [.applier(7), .local])
        expectEqual(local.changes(ofVersion: applied.version)?.origin, .applier(7))
        expectEqual(local.changes(ofVersion: local.version)?.origin, .local)
        expectEqual(local.verify(), [])
    }

    private final class Told: @unchecked Sendable {
        // Sendable: only this test's thread commits.
        var origins: [CommitOrigin] = []
        func add(_ origin: CommitOrigin) { origins.append(origin) }
    }

    @Test func `entries are kept until every cursor has passed, and the journal ends with its last cursor`() throws {
        let (database, start) = try people()
        var ends: [UInt64] = []
        for i in 0..<5 as Range<Int64> {
            let snapshot = try write(database) { transaction, person in
                transaction.setInt(person!.columns[1], ObjectKey(0), to: i)
                if i == 2 { try transaction.addJournalCursor("late") }
            }
            ends.append(try require(snapshot.journalState).next)
        }
        var snapshot = try database.snapshot()
        // The position of a new cursor is behind the transaction that adds it.
        expectEqual(snapshot.journalCursors.map(\.position), [start, ends[2]])
        expectEqual(snapshot.journalCursors.map(\.number), [0, 3])
        snapshot = try write(database) { transaction, _ in try transaction.moveJournalCursor("reader", to: ends[4]) }
        expect(try snapshot.journalEntry(at: ends[2]) != nil)
        #expect(throws: EngineError.self) { try snapshot.journalEntry(at: start) }
        for wrong in [start, ends[3], ends[4] + 1, UInt64.max] {
            #expect(throws: EngineError.self) {
                try write(database) { transaction, _ in try transaction.moveJournalCursor("reader", to: wrong) }
            }
        }
        #expect(throws: EngineError.self) {
            try write(database) { transaction, _ in try transaction.moveJournalCursor("nobody", to: ends[4]) }
        }
        #expect(throws: EngineError.self) {
            try write(database) { transaction, _ in try transaction.addJournalCursor("late") }
        }
        expectEqual(snapshot.verify(), [])
        for name in ["late", "reader"] {
            snapshot = try write(database) { transaction, _ in try transaction.dropJournalCursor(name) }
            expectEqual(snapshot.verify(), [])
        }
        expect(!snapshot.root.hasJournal && snapshot.journalCursors == [])
        snapshot = try write(database) { transaction, person in
            expect(transaction.journal == nil)
            transaction.setInt(person!.columns[1], ObjectKey(0), to: 50)
        }
        // Positions aren't used again.
        snapshot = try write(database) { transaction, _ in try transaction.addJournalCursor("reader") }
        expect(try require(snapshot.journalCursors.first).position >= ends[4])
        expectEqual(snapshot.verify(), [])
    }

    @Test(arguments: [1 << 20, 64 << 20])
    func `a transaction of many edits is journalled whole, within its memory`(budget: Int) throws {
        var options = Database.Options()
        options.memoryBudget = budget
        let database = try Database.open(at: folder.file("large.realm"), options: options)
        try write(database) { transaction, _ in
            try transaction.applySchema(Self.specs)
            let person = transaction.schema.table(named: "Person")!
            for id in 0..<5000 as Range<Int64> { _ = try transaction.create(person, primaryKey: .int(id)) }
        }
        var follower = try JournalFollower(database)
        let snapshot = try write(database) { transaction, person in
            let columns = person!.columns
            for id in 0..<60_000 as Range<Int64> {
                let old = ObjectKey(id % 5000)
                try transaction.listAppend(columns[6], old, values: [.int(id), .int(-id)])
                if id % 2 == 0 {
                    let new = try transaction.create(person!, primaryKey: .int(10_000 + id))
                    try transaction.set(columns[8], new, to: .string("person \(id)"))
                    try transaction.set(columns[3], new, to: .link(old))
                }
                if id % 7 == 0 { transaction.delete(person!, ObjectKey(id % 4999)) }
                if !transaction.contains(person!, old) { break }
            }
        }
        try expectEqual(follower.differences(from: snapshot), [])
        expectEqual(snapshot.verify(), [])
    }

    /// An entry with every kind of edit, and a new schema.
    func richEntry() throws -> JournalEntry {
        let (database, position) = try people()
        let snapshot = try write(database) { transaction, person in
            let columns = person!.columns
            for id in 10..<20 as Range<Int64> { _ = try transaction.create(person!, primaryKey: .int(id)) }
            try transaction.set(
                columns[8],
                ObjectKey(0),
                to: .list(NestedList([.int(1), .dictionary(NestedDictionary([]))]))
            )
            try transaction.listInsert(columns[6], ObjectKey(1), at: 1, values: [.int(5)])
            try transaction.increment(columns[1], ObjectKey(1), by: 2)
            transaction.delete(person!, ObjectKey(12))
        }
        return try require(try snapshot.journalEntry(at: position))
    }

    private func decode(_ bytes: [UInt8], isLog: Bool) {
        var count = 0
        _ = bytes.withUnsafeBytes { raw in
            isLog ? JournalDecoder.log(raw) { _ in count += 1 } : JournalDecoder.state(raw) { _ in count += 1 }
        }
        expect(count <= 2 * bytes.count)
    }

    /// A random byte is 0 at one certain place once in many runs.
    @Test func `no byte of an entry traps, even with extreme values`() throws {
        let entry = try richEntry()
        for isLog in [true, false] {
            let whole = isLog ? entry.log : entry.state
            for place in whole.indices {
                for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] where whole[place] != value {
                    var bytes = whole
                    bytes[place] = value
                    decode(bytes, isLog: isLog)
                }
                decode(Array(whole[..<place]), isLog: isLog)
            }
        }
    }

    @Test func `no bytes of a damaged entry trap`() throws {
        let entry = try richEntry()
        var random = RandomEngine(seed: TestSeed.random(in: 0...1 << 40))
        for _ in 0..<4000 {
            for isLog in [true, false] {
                var bytes = isLog ? entry.log : entry.state
                guard !bytes.isEmpty else { continue }
                for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
                if random.chance(20) { bytes.removeLast(random.below(bytes.count)) }
                decode(bytes, isLog: isLog)
            }
        }
    }
}
