import Foundation
import Testing

@testable import FreeholdEngine

/// Random edits of wide values, in a database that stores the changed parts of leaves and in one that lays out leaves
/// again each time.
struct PartialWriteModelTests {
    struct Run: CustomStringConvertible, Sendable {
        let number: Int
        let seed: UInt64
        var span: Int { [16, 64, 200, 5, 1000, 33][number % 6] }
        var budget: Int { number % 4 == 3 ? 60_000 : 64 << 20 }
        var description: String { "seed \(seed), span \(span), budget \(budget)" }
    }

    static let runs: [Run] = {
        var random = SeededRandom(test: "PartialWriteModelTests")
        return TestBudget.range("PartialWriteModelTests", usual: 8, soak: 400).map { number in
            Run(number: number, seed: random.next())
        }
    }()

    @Test(arguments: runs)
    func `leaves with partly stored changes have the same content as leaves that are laid out anew`(_ run: Run) throws {
        let folder = TemporaryFolder()
        var driver = try PartialWriteDriver(run, folder)
        try driver.fill()
        for _ in 0..<TestBudget.cases(12, soak: 40) { try driver.runTransaction() }
        try driver.finish()
        print(
            "\(run): \(driver.steps) steps, \(driver.partial) bytes stored, \(driver.whole) if leaves are laid out anew"
        )
        // `WrittenBytesTests` measures what this saves. Clusters of one or two parts save nothing, because parts have heads and a part that outgrows
        // its bound becomes several. Transactions that spill aren't counted.
        if run.span >= 200, run.budget > 1 << 20 {
            expect(driver.partial > 0 && driver.partial < driver.whole, "\(run)")
        }
    }
}

/// Applies the same edits to two databases.
struct PartialWriteDriver {
    private var random: SeededRandom
    private let partialDatabase: Database
    private let wholeDatabase: Database
    private let options: Database.Options
    private let name: String
    /// Older versions, with their contents when they were new.
    private var held: [(snapshot: Snapshot, contents: [String])] = []
    private(set) var steps = 0
    /// The bytes of the parts that each of the databases stored.
    private(set) var partial = 0
    private(set) var whole = 0

    init(_ run: PartialWriteModelTests.Run, _ folder: TemporaryFolder) throws {
        random = SeededRandom(seed: run.seed)
        name = run.description
        var options = Database.Options()
        options.clusterSpan = run.span
        options.memoryBudget = run.budget
        options.mapSize = 1 << 30
        self.options = options
        partialDatabase = try Database.open(at: folder.file("partial.realm"), options: options)
        wholeDatabase = try Database.open(at: folder.file("whole.realm"), options: options)
        for database in [partialDatabase, wholeDatabase] { try Self.applySchema(database) }
    }

    private static func applySchema(_ database: Database) throws {
        try database.write { transaction in
            var columns: [ColumnSpec] = []
            for type in [ColumnType.string, .data, .mixed] {
                columns.append(ColumnSpec("\(type)", type, optional: type == .mixed))
                for collection in [CollectionKind.list, .set, .dictionary] {
                    columns.append(ColumnSpec("\(type)\(collection)", type, collection: collection))
                }
            }
            columns += [
                ColumnSpec("optional", .string, optional: true), ColumnSpec("indexed", .string, indexed: true),
                ColumnSpec("numbers", .int, collection: .list), ColumnSpec("number", .int),
                ColumnSpec("link", .link, target: "Row"),
                ColumnSpec("links", .link, collection: .list, target: "Row"),
                ColumnSpec("linkset", .link, collection: .set, target: "Row"),
            ]
            try transaction.applySchema([TableSpec("Row", columns: columns)])
        }
    }

    // MARK: Transactions

    /// Makes objects of which each column's leaf is in parts.
    mutating func fill() throws {
        let transactions = [try partialDatabase.beginWrite(), try wholeDatabase.beginWrite()]
        let table = transactions[0].schema.tables[0]
        for i in 0..<120 as Range<Int64> {
            for transaction in transactions { _ = try transaction.create(table) }
            for column in table.columns where column.type != .link && !random.oneIn(8) {
                try edit(column, of: ObjectKey(i), among: [ObjectKey(i)]) { body in
                    for transaction in transactions { try body(transaction) }
                }
            }
        }
        compareLeaves(try transactions.map { try $0.commit() })
    }

    mutating func runTransaction() throws {
        let transactions = [try partialDatabase.beginWrite(), try wholeDatabase.beginWrite()]
        transactions[1].encodesChanges = false
        let before = random.chance(10) ? Self.contents(try partialDatabase.snapshot()) : nil
        for _ in 0...random.below(random.chance(30) ? 60 : 6) { try step(transactions) }
        if let before {
            for transaction in transactions { transaction.cancel() }
            expect(Self.contents(try partialDatabase.snapshot()) == before, "\(name): after a cancel")
            return
        }
        let count = transactions.map { transaction in
            transaction.sealEverything()
            return transaction.sealed.reduce(0) { bytes, entry in
                guard BlockAddress(raw: entry.key).segment & 7 == 1, case .stored(let part) = entry.value else {
                    return bytes
                }
                return bytes + part.count
            }
        }
        partial += count[0]
        whole += count[1]
        let snapshots = try transactions.map { try $0.commit() }
        expectEqual(snapshots[0].verify(), [], "\(name)")
        expectEqual(snapshots[1].verify(), [], "\(name)")
        compareLeaves(snapshots)
        if random.chance(30) { held.append((snapshots[0], Self.contents(snapshots[0]))) }
        if held.count > 3 { try checkHeld(held.remove(at: random.below(held.count))) }
    }

    private func checkHeld(_ held: (snapshot: Snapshot, contents: [String])) throws {
        expect(Self.contents(held.snapshot) == held.contents, "\(name): version \(held.snapshot.version) has changed")
    }

    mutating func finish() throws {
        for version in held { try checkHeld(version) }
        let last = try partialDatabase.snapshot()
        expect(Self.contents(last) == Self.contents(try wholeDatabase.snapshot()), "\(name): at the end")
    }

    // MARK: Steps

    /// Bytes of a value: within a slot, at the bounds, or outside of the leaf.
    private mutating func text() -> String {
        let count =
            switch random.below(10) {
            case 0: 0
            case 1...2: random.below(40)
            case 3...6: 60 + random.below(300)
            case 7: 900 + random.below(300)
            case 8: 1_990 + random.below(20)
            default: 2_001 + random.below(20_000)
            }
        let letter = Character(UnicodeScalar(UInt8(97 + random.below(26))))
        return String(repeating: letter, count: count)
    }

    private mutating func newValue(_ column: Column, _ keys: [ObjectKey]) -> Value {
        switch column.type {
        case .int: .int(Int64(random.below(100_000)))
        case .data: .data(Data(text().utf8))
        case .link: .link(random.pick(keys))
        case .mixed where random.oneIn(4): .objectLink(ObjectLink(tableID: column.tableID, key: random.pick(keys)))
        case .mixed where random.oneIn(4): .int(Int64(random.below(9)))
        default: .string(text())
        }
    }

    private mutating func step(_ transactions: [WriteTransaction]) throws {
        steps += 1
        let table = transactions[0].schema.tables[0]
        let keys = transactions[0].keys(table)
        func both(_ body: (WriteTransaction) throws -> Void) rethrows {
            for transaction in transactions { try body(transaction) }
        }
        if keys.isEmpty || random.chance(12) {
            for _ in 0...random.below(random.chance(20) ? 70 : 4) { try both { _ = try $0.create(table) } }
        } else if random.chance(8) {
            let gone = random.chance(15) ? keys.filter { _ in random.chance(40) } : [random.pick(keys)]
            both { $0.delete(table, gone) }
        } else if random.chance(15) {
            // Many rows of one column, whose parts grow or shrink together.
            let column = random.pick(table.columns.filter { $0.collection == .none && $0.type != .link })
            let new = newValue(column, keys)
            let some = keys.filter { _ in random.chance(70) }
            try both { transaction in for key in some { try transaction.set(column, key, to: new) } }
        } else {
            try edit(random.pick(table.columns), of: random.pick(keys), among: keys, both)
        }
        check(transactions)
    }

    private mutating func edit(
        _ column: Column,
        of key: ObjectKey,
        among keys: [ObjectKey],
        _ both: ((WriteTransaction) throws -> Void) throws -> Void
    ) throws {
        switch column.collection {
        case .none:
            let value = random.oneIn(6) && column.isOptional ? .null : newValue(column, keys)
            try both { try $0.set(column, key, to: value) }
        case .list:
            let values = (0..<random.below(random.oneIn(6) ? 200 : 5)).map { _ in newValue(column, keys) }
            if random.oneIn(4) { return try both { $0.listClear(column, key) } }
            try both { try $0.listInsert(column, key, at: $0.listCount(column, key) / 2, values: values) }
        case .set:
            let values = (0..<random.below(5)).map { _ in newValue(column, keys) }
            if random.oneIn(4) { return try both { try $0.setAssign(column, key, values: values) } }
            try both { for value in values { _ = try $0.setInsert(column, key, value: value) } }
        case .dictionary:
            let entries = (0..<1 + random.below(4)).map { _ in ("k\(random.below(30))", newValue(column, keys)) }
            if random.oneIn(4) { return try both { $0.dictionaryClear(column, key) } }
            try both { for (name, value) in entries { try $0.dictionarySet(column, key, forKey: name, to: value) } }
        }
    }

    /// Compares some columns of the transactions, and checks their buffers.
    private mutating func check(_ transactions: [WriteTransaction]) {
        for transaction in transactions { transaction.checkLeaves() }
        guard random.chance(10) else { return }
        let column = random.pick(transactions[0].schema.tables[0].columns)
        // Reading the leaf stores it.
        if random.chance(50) { for transaction in transactions { _ = transaction.leaf(column, cluster: 0) } }
        let contents = transactions.map { transaction in
            transaction.keys(transaction.schema.tables[0]).map { Self.content(transaction, column, $0) }
        }
        expect(contents[0] == contents[1], "\(name): '\(column.name)' inside of the transaction")
    }

    // MARK: Comparison

    private static func content(_ view: DataView, _ column: Column, _ key: ObjectKey) -> String {
        switch column.collection {
        case .none: "\(view.value(column, key))"
        case .list, .set: "\(view.listValues(column, key))"
        case .dictionary: "\(view.dictionaryEntries(column, key))"
        }
    }

    private static func contents(_ view: DataView) -> [String] {
        let table = view.schema.tables[0]
        return view.keys(table).map { key in
            let links = view.schema.linkColumns(to: table).map { "\(view.backlinks($0, key))" }
            return "\(key): \(table.columns.map { content(view, $0, key) }) \(links)"
        }
    }

    /// The slots of all leaves, byte for byte. Those of deleted objects have no defined content.
    private func compareLeaves(_ snapshots: [Snapshot]) {
        let table = snapshots[0].schema.tables[0]
        for cluster in 0..<snapshots[0].clusterCount(table) {
            for column in table.columns {
                compare(snapshots, column, cluster: cluster, isInverse: false)
                if column.type == .link { compare(snapshots, column, cluster: cluster, isInverse: true) }
            }
            compare(snapshots, table.mixedInverse, cluster: cluster, isInverse: true)
        }
    }

    private func compare(_ snapshots: [Snapshot], _ column: Column, cluster: Int, isInverse: Bool) {
        let slots = snapshots.map { Self.slots($0, column, cluster: cluster, isInverse: isInverse) }
        expect(
            slots[0] == slots[1],
            "\(name): cluster \(cluster) of '\(column.name)', \(isInverse ? "inverse" : "values")"
        )
    }

    private static func slots(_ snapshot: Snapshot, _ column: Column, cluster: Int, isInverse: Bool) -> [[UInt8]?] {
        let segment = column.segment(isInverse ? .backlinkLeaf : .leaf)
        guard let head = snapshot.block(segment, UInt64(cluster)) else { return [] }
        let buffer = LeafBuffer(
            type: isInverse ? .int : column.type,
            isList: isInverse || column.collection != .none,
            isOptional: column.isOptional,
            capacity: snapshot.clusterSpan
        )
        let parts = column.segment(isInverse ? .backlinkParts : .parts)
        let source = LeafParts.Source(store: snapshot, segment: parts, cluster: cluster)
        buffer.load(Leaf(head.baseAddress!), parts: source)
        guard buffer.kind == .bytes else { return [Array(head)] }
        let table = isInverse ? snapshot.schema.tables[0] : snapshot.schema.table(of: column)
        return (0..<buffer.count).map { slot in
            guard snapshot.contains(table, ObjectKey(Int64(cluster * snapshot.clusterSpan + slot))) else { return nil }
            return buffer.isNull(slot) ? nil : [buffer.isReference(slot) ? 1 : 0] + Array(buffer.bytes(slot))
        }
    }
}

extension WriteTransaction {
    /// Checks the parts of all decoded leaves.
    fileprivate func checkLeaves() {
        for case let overlay? in tables {
            for case let columns? in overlay.columns {
                for buffer in columns.buffers.values { buffer.checkInvariants() }
            }
            for columns in overlay.backlinks.values {
                for buffer in columns.buffers.values { buffer.checkInvariants() }
            }
        }
    }
}
