import Foundation
import Testing

@testable import FreeholdEngine

/// Edits of large lists within the chunk that a transaction keeps decoded, compared with arrays. The lists are read
/// rarely, so that most edits follow each other.
struct OpenChunkTests {
    struct Run: CustomTestStringConvertible {
        let seed: UInt64
        let budget: Int
        var testDescription: String { "seed \(seed), budget \(budget)" }
    }

    static let runs = (1...4).map { Run(seed: $0, budget: $0 % 3 == 0 ? 20_000 : 64 << 20) }

    @Test(arguments: runs)
    func `random edits of several lists have the same result as on arrays`(_ run: Run) throws {
        let folder = TemporaryFolder()
        var options = Database.Options()
        options.memoryBudget = run.budget
        let database = try Database.open(at: folder.file(), options: options)
        var driver = try Driver(database, RandomEngine(seed: run.seed))
        for _ in TestBudget.range("OpenChunkTests.lists", usual: 5, soak: 20) { try driver.transaction() }
    }

    @Test("appends to an open last chunk have the same result as on the general path") func append() throws {
        let folder = TemporaryFolder()
        let database = try Database.open(at: folder.file())
        try database.write { t in
            try t.applySchema([TableSpec("A", columns: [ColumnSpec("i", .int, collection: .list)])])
        }
        var open = 0
        try database.write { t in
            let table = t.schema.table(named: "A")!
            let key = try t.create(table)
            for i in 0..<5000 {
                if t.listAppendOpen(table.columns[0], key, value: .int(Int64(i))) {
                    open += 1
                } else {
                    try t.listAppend(table.columns[0], key, values: [.int(Int64(i))])
                }
                // Values of other types and nulls are refused.
                if i % 100 == 0 {
                    expect(!t.listAppendOpen(table.columns[0], key, value: .null))
                    expect(!t.listAppendOpen(table.columns[0], key, value: .double(1)))
                    expect(!t.listAppendInline(table.columns[0], key, value: .null))
                    expect(!t.listAppendInline(table.columns[0], key, value: .double(1)))
                }
            }
            expectEqual(t.listCount(table.columns[0], key), 5000)
        }
        expect(open > 4000, "only \(open) went the short way")
        let snapshot = try database.snapshot()
        let table = snapshot.schema.table(named: "A")!
        expectEqual(snapshot.listInts(table.columns[0], ObjectKey(0)), Array(0..<5000))
    }

    /// An object with a list of 2,500 integers.
    private func list(in folder: TemporaryFolder) throws -> Database {
        let database = try Database.open(at: folder.file())
        try database.write { t in
            try t.applySchema([TableSpec("A", columns: [ColumnSpec("i", .int, collection: .list)])])
            let table = t.schema.table(named: "A")!
            try t.listAppend(table.columns[0], try t.create(table), values: (0..<2500).map { .int($0) })
        }
        return database
    }

    @Test func `a rollback leaves nothing of an open chunk`() throws {
        let folder = TemporaryFolder()
        let database = try list(in: folder)
        let t = try database.beginWrite()
        let column = t.schema.table(named: "A")!.columns[0]
        for _ in 0..<100 { try t.listRemove(column, ObjectKey(0), at: 0) }
        t.cancel()
        try expectEqual(database.snapshot().listInts(column, ObjectKey(0)), Array(0..<2500))
        // The next transaction sees nothing of the removals.
        try database.write { t in
            try t.listAppend(column, ObjectKey(0), values: [.int(2500)])
            expectEqual(t.listInts(column, ObjectKey(0)), Array(0...2500))
        }
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `entries that are set within open chunks have the same result as in a dictionary`(_ seed: UInt64) throws {
        var random = RandomEngine(seed: seed)
        let folder = TemporaryFolder()
        var options = Database.Options()
        options.memoryBudget = seed % 3 == 0 ? 20_000 : 64 << 20
        let database = try Database.open(at: folder.file(), options: options)
        try database.write { t in
            try t.applySchema([
                TableSpec(
                    "A",
                    columns: [
                        ColumnSpec("i", .int, optional: true, collection: .dictionary),
                        ColumnSpec("s", .string, collection: .dictionary), ColumnSpec("l", .int, collection: .list),
                    ]
                )
            ])
            _ = try t.create(t.schema.table(named: "A")!)
        }
        var model: [[String: Value]] = [[:], [:]]
        var list: [Int] = []
        let key = ObjectKey(0)
        func check(_ view: DataView, _ table: Table) {
            for i in 0..<2 {
                let found = view.dictionaryEntries(table.columns[i], key)
                expectEqual(found.map(\.key), model[i].keys.sorted { Value.compareBytes($0, with: $1) < 0 })
                expect(found.allSatisfy { model[i][$0.key] == $0.value }, "seed \(seed)")
            }
            expectEqual(view.listInts(table.columns[2], key), list)
        }
        for _ in TestBudget.range("OpenChunkTests.dictionaries", usual: 4, soak: 20) {
            let before = (model, list)
            let t = try database.beginWrite()
            let table = t.schema.table(named: "A")!
            for _ in 0..<8 {
                let (i, start) = (random.below(2), random.below(4000))
                let isRun = random.chance(70)
                for step in 0..<random.below(400) {
                    let number = isRun ? start + step : random.below(6000)
                    let name = random.chance(1) ? String(repeating: "k", count: 200) + "\(number)" : "key \(number)"
                    let value: Value =
                        i == 0
                        ? random.chance(5) ? .null : .int(Int64(number))
                        : .string(String(repeating: "v", count: random.chance(2) ? 2100 : random.below(30)))
                    if random.chance(8) {
                        expectEqual(t.dictionaryRemove(table.columns[i], key, forKey: name), (model[i][name] != nil))
                        model[i][name] = nil
                    } else {
                        try t.dictionarySet(table.columns[i], key, forKey: name, to: value)
                        model[i][name] = value
                    }
                    if random.chance(3) {
                        expectEqual(t.dictionaryValue(table.columns[i], key, forKey: name), model[i][name])
                    }
                    if random.chance(20) {
                        // A third chunk next to the two.
                        try t.listAppend(table.columns[2], key, values: [.int(Int64(step))])
                        list.append(step)
                    }
                }
                if random.chance(20) { check(t, table) }
            }
            if random.chance(25) {
                t.cancel()
                (model, list) = before
                check(try database.snapshot(), table)
                continue
            }
            let snapshot = try t.commit()
            expectEqual(snapshot.verify(), [])
            check(snapshot, table)
        }
    }

    @Test("a copy of an open transaction contains its open chunks") func copy() throws {
        let folder = TemporaryFolder()
        let database = try list(in: folder)
        let t = try database.beginWrite()
        let column = t.schema.table(named: "A")!.columns[0]
        try t.listAppend(column, ObjectKey(0), values: [.int(2500)])
        expect(t.listAppendOpen(column, ObjectKey(0), value: .int(2501)))
        try t.copy(to: folder.file("copy"))
        expectEqual(t.listAppendOpen(column, ObjectKey(0), value: .int(2502)), false)
        try t.listAppend(column, ObjectKey(0), values: [.int(2502)])
        let snapshot = try t.commit()
        expectEqual(snapshot.listInts(column, ObjectKey(0)), Array(0...2502))
        let copy = try Database.open(at: folder.file("copy")).snapshot()
        expectEqual(copy.verify(), [])
        expectEqual(copy.listInts(copy.schema.table(named: "A")!.columns[0], ObjectKey(0)), Array(0...2501))
    }

    /// A table with a list of each kind of storage, and the content of its rows.
    private struct Driver {
        let database: Database
        var random: RandomEngine
        var model: [Int64: [[Value]]] = [:]
        static let types: [(type: ColumnType, isOptional: Bool)] = [
            (.int, false), (.double, true), (.string, false), (.link, false), (.bool, false), (.timestamp, true),
        ]

        init(_ database: Database, _ random: RandomEngine) throws {
            (self.database, self.random) = (database, random)
            let columns = Self.types.map { kind in
                ColumnSpec(
                    "\(kind.type)s",
                    kind.type,
                    optional: kind.isOptional,
                    collection: .list,
                    target: kind.type == .link ? "A" : nil
                )
            }
            try database.write { t in
                try t.applySchema([TableSpec("A", columns: columns)])
                for _ in 0..<3 { _ = try t.create(t.schema.table(named: "A")!) }
            }
            for key in 0..<3 { model[Int64(key)] = Self.types.map { _ in [] } }
        }

        mutating func value(_ i: Int) -> Value {
            let (type, isOptional) = Self.types[i]
            if isOptional, random.chance(10) { return .null }
            return switch type {
            case .int: .int(random.chance(5) ? .min : Int64(random.below(100_000)) - 50_000)
            case .double: .double(Double(random.below(1000)) / 8)
            case .string:
                .string(
                    String(repeating: "x", count: random.chance(2) ? 2500 : random.below(20)) + "\(random.below(9))"
                )
            case .link: .link(ObjectKey(Int64(random.below(3))))
            case .bool: .bool(random.chance(50))
            default: .timestamp(Timestamp(seconds: Int64(random.below(1000)), nanoseconds: Int32(random.below(9))))
            }
        }

        mutating func transaction() throws {
            let before = model
            let t = try database.beginWrite()
            let table = t.schema.table(named: "A")!
            if random.chance(30) {
                // For an object of this transaction, no edits are reported.
                let key = try t.create(table)
                model[key.raw] = Self.types.map { _ in [] }
            }
            for _ in 0..<10 {
                let key = random.pick(model.keys.sorted())
                try edit(t, table, ObjectKey(key), random.below(Self.types.count))
                if random.chance(10) { check(t, table) }
            }
            if random.chance(10), model.count > 3, let key = model.keys.max() {
                t.delete(table, ObjectKey(key))
                model[key] = nil
            }
            if random.chance(25) {
                t.cancel()
                model = before
                check(try database.snapshot(), table)
                return
            }
            let snapshot = try t.commit()
            expectEqual(snapshot.verify(), [])
            check(snapshot, table)
        }

        /// A run of like edits of one list.
        private mutating func edit(_ t: WriteTransaction, _ table: Table, _ key: ObjectKey, _ i: Int) throws {
            let column = table.columns[i]
            var list = model[key.raw]![i]
            if list.count < 500 {
                let new = (0..<random.below(3000)).map { _ in value(i) }
                try t.listAppend(column, key, values: new)
                list += new
            }
            let kind = random.below(7)
            let start = random.below(list.count + 1)
            for step in 0..<random.below(150) {
                let near = min(max(0, start + random.below(5) - 2), list.count)
                switch kind {
                case 0, 1:
                    let new = value(i)
                    let isDone =
                        kind != 1
                        && (t.listAppendOpen(column, key, value: new) || t.listAppendInline(column, key, value: new))
                    if !isDone { try t.listAppend(column, key, values: [new]) }
                    list.append(new)
                case 2 where list.count > 0:
                    try t.listRemove(column, key, at: list.count - 1)
                    list.removeLast()
                case 3 where list.count > 0:
                    try t.listRemove(column, key, at: 0)
                    list.removeFirst()
                case 4:
                    let new = (0..<random.below(4)).map { _ in value(i) }
                    try t.listInsert(column, key, at: near, values: new)
                    list.insert(contentsOf: new, at: near)
                case 5 where near < list.count:
                    let new = value(i)
                    try t.listSet(column, key, at: near, to: new)
                    list[near] = new
                case 6 where list.count > 1:
                    let end = min(list.count, near + random.below(40))
                    try t.listRemove(column, key, range: near..<end)
                    list.removeSubrange(near..<end)
                default: break
                }
                if step % 40 == 39, random.chance(20), list.count > 0 {
                    let at = random.below(list.count)
                    expectEqual(t.listValue(column, key, at: at), list[at])
                }
            }
            expectEqual(t.listCount(column, key), list.count)
            model[key.raw]![i] = list
        }

        private func check(_ view: DataView, _ table: Table) {
            for (key, lists) in model {
                for (column, list) in zip(table.columns, lists) {
                    expectEqual(view.listValues(column, ObjectKey(key)), list, "\(column) of O\(key)")
                }
                expectEqual(view.listInts(table.columns[0], ObjectKey(key)).map { .int(Int64($0)) }, lists[0])
                expectEqual(view.listStrings(table.columns[2], ObjectKey(key)).map { .string($0) }, lists[2])
            }
        }
    }
}
