import Foundation
import TestRandom
import TestScript
import Testing

@testable import FreeholdEngine

/// Compares each fast path of deletions with the general one. Two databases get the same random objects and edits. In
/// one the objects are deleted together, in the other one by one.
struct DeletionComparisonTests {
    struct Run: CustomStringConvertible, Sendable {
        let seed: UInt64
        var description: String { "seed \(seed)" }
        var span: Int { [1000, 64, 16, 100][Int(seed % 4)] }
        var budget: Int { seed % 3 == 0 ? 30_000 : 64 << 20 }
        var isEncrypted: Bool { seed % 5 == 0 }
    }

    static let runs: [Run] = {
        let environment = ProcessInfo.processInfo.environment
        // Six seeds in a row have every size of clusters, every schema and every budget.
        let count = UInt64(TestBudget.cases(6, soak: 200))
        let first = UInt64(environment["FREEHOLD_SEED"] ?? "") ?? (TestBudget.isSoak ? 1 : TestSeed.random(in: 1...195))
        print("DeletionComparisonTests: FREEHOLD_SEED=\(first) and the \(count - 1) after it")
        return (first..<first + count).map { Run(seed: $0) }
    }()

    /// A database, and what is done to it, the same for the same seed.
    struct Subject {
        var random: RandomEngine
        let database: Database
        let options: Database.Options

        init(_ run: Run, path: String) throws {
            random = RandomEngine(seed: run.seed)
            var options = Database.Options()
            options.clusterSpan = run.span
            options.memoryBudget = run.budget
            options.mapSize = 1 << 30
            if run.isEncrypted { options.encryptionKey = Script.key }
            self.options = options
            database = try Database.open(at: path, options: options)
            let transaction = try database.beginWrite()
            try transaction.applySchema(Self.schema(&random, run.seed))
            _ = try transaction.commit()
        }

        /// A schema without links, with embedded objects, or with everything.
        static func schema(_ random: inout RandomEngine, _ seed: UInt64) -> [TableSpec] {
            if seed % 3 == 1 {
                return random.schema().map { spec in
                    var spec = spec
                    spec.columns.removeAll { $0.type == .link || $0.type == .mixed }
                    spec.columns.append(ColumnSpec("names", .string, collection: .set))
                    spec.columns.append(ColumnSpec("counts", .int, collection: .dictionary))
                    spec.columns.append(ColumnSpec("note", .string, indexed: true))
                    return spec
                }
            }
            if seed % 3 == 2 { return random.schema() }
            return [
                TableSpec(
                    "Owner",
                    columns: [
                        ColumnSpec("age", .int, indexed: true), ColumnSpec("home", .link, target: "Address"),
                        ColumnSpec("homes", .link, collection: .list, target: "Address"),
                        ColumnSpec("tags", .link, collection: .set, target: "Tag"),
                    ]
                ),
                TableSpec(
                    "Address",
                    columns: [
                        ColumnSpec("city", .string, indexed: true), ColumnSpec("tag", .link, target: "Tag"),
                        ColumnSpec("next", .link, target: "Address"),
                    ],
                    isEmbedded: true
                ),
                TableSpec("Tag", columns: [ColumnSpec("name", .string, indexed: true), ColumnSpec("any", .mixed)]),
            ]
        }

        mutating func fill(_ transaction: WriteTransaction, _ count: Int) throws {
            for table in transaction.schema.tables where !table.isEmbedded {
                for _ in 0..<count {
                    let primaryKey = table.primaryKey.map { random.value($0.type, optional: $0.isOptional) }
                    if let primaryKey, transaction.find(primaryKey: primaryKey, in: table) != nil { continue }
                    let key = try transaction.create(table, primaryKey: primaryKey)
                    try set(transaction, table, key, depth: 0)
                }
            }
        }

        mutating func edit(_ transaction: WriteTransaction) throws {
            for table in transaction.schema.tables where !table.isEmbedded {
                for key in transaction.keys(table) where random.chance(10) {
                    try set(transaction, table, key, depth: 0)
                }
            }
        }

        private mutating func set(_ transaction: WriteTransaction, _ table: Table, _ key: ObjectKey, depth: Int) throws
        {
            for column in table.columns where !column.isPrimaryKey && random.chance(70) {
                let n = column.collection == .none ? 1 : random.below(random.chance(3) ? 300 : 4)
                var values: [Value] = []
                for _ in 0..<n {
                    if let value = try value(transaction, column, depth) { values.append(value) }
                }
                switch column.collection {
                case .none: if let first = values.first { try transaction.set(column, key, to: first) }
                case .list: try transaction.listAppend(column, key, values: values)
                case .set: try transaction.setInsert(column, key, values: values)
                case .dictionary:
                    try transaction.dictionaryMerge(column, key, entries: values.map { ("k\(random.below(500))", $0) })
                }
            }
        }

        /// Returns a value for the column, or `nil` if the target has no objects.
        private mutating func value(_ transaction: WriteTransaction, _ column: Column, _ depth: Int) throws -> Value? {
            guard column.type == .link, let target = transaction.schema.table(id: column.targetTableID!) else {
                if column.type == .mixed, random.chance(30) {
                    let table = random.pick(transaction.schema.tables.filter { !$0.isEmbedded })
                    let keys = transaction.keys(table)
                    if !keys.isEmpty { return .objectLink(ObjectLink(tableID: table.id, key: random.pick(keys))) }
                }
                return random.value(column.type, optional: column.isOptional)
            }
            if target.isEmbedded {
                if depth > 2 { return nil }
                let made = try transaction.create(target)
                try set(transaction, target, made, depth: depth + 1)
                return .link(made)
            }
            let keys = transaction.keys(target)
            return keys.isEmpty ? nil : .link(random.pick(keys))
        }
    }

    @Test(arguments: runs) func `emptying tables has the same result as deleting each object`(_ run: Run) throws {
        try compare(run) { transaction, _, isFast in
            var random = RandomEngine(seed: run.seed &+ 77)
            let all = transaction.schema.tables
            let chosen = random.chance(50) ? all : all.filter { _ in random.chance(50) }
            // Embedded objects are deleted after their owners, like in a realm.
            let tables = chosen.filter { !$0.isEmbedded } + chosen.filter(\.isEmbedded)
            if isFast {
                transaction.deleteAll(tables)
                // Tables without links take the fast path. For other tables this compares the general path with itself.
                if run.seed % 3 == 1, !tables.isEmpty { expect(!transaction.emptied.isEmpty) }
            } else {
                for table in tables { transaction.deleteOneByOne(table) }
            }
        }
    }

    @Test(arguments: runs) func `deleting many objects has the same result as deleting each`(_ run: Run) throws {
        try compare(run) { transaction, round, isFast in
            var random = RandomEngine(seed: run.seed &+ UInt64(round) &* 31)
            let percent = [5, 50, 95, 100][random.below(4)]
            for table in transaction.schema.tables where !table.isEmbedded {
                let keys = transaction.keys(table).filter { _ in random.chance(percent) }
                if isFast {
                    transaction.delete(table, keys)
                } else {
                    for key in keys { transaction.delete(table, key) }
                }
            }
        }
    }

    /// - Parameter delete: Deletes in the given round, on the fast or the general path.
    private func compare(_ run: Run, _ delete: (WriteTransaction, Int, Bool) -> Void) throws {
        let folder = TemporaryFolder()
        let paths = [folder.file("fast"), folder.file("general")]
        var subjects = try paths.map { try Subject(run, path: $0) }
        for round in 0..<3 {
            var snapshots: [Snapshot] = []
            var records: [ChangeRecord?] = []
            var bases: [Snapshot] = []
            for i in subjects.indices {
                var transaction = try subjects[i].database.beginWrite()
                try subjects[i].fill(transaction, TestBudget.cases(60, soak: 120))
                bases.append(try transaction.commit())
                transaction = try subjects[i].database.beginWrite()
                if round > 0 {
                    try subjects[i].fill(transaction, 20)
                    try subjects[i].edit(transaction)
                }
                delete(transaction, round, i == 0)
                expect(transaction.base.verify().isEmpty)
                if round > 1 { try subjects[i].fill(transaction, 15) }
                let made = try transaction.commit()
                snapshots.append(made)
                records.append(made.changes(ofVersion: made.version))
            }
            let place = "\(run), round \(round)"
            let found = differences(snapshots[0], snapshots[1])
            expect(found.isEmpty, "\(place): \(found.prefix(5))")
            for snapshot in snapshots {
                let problems = snapshot.verify()
                expect(problems.isEmpty, "\(place): \(problems.prefix(5))")
            }
            expectSame(records[0], records[1], snapshots[0].schema, place)
            // The record has the same changes as a comparison of the versions.
            let compared = VersionChanges(comparing: bases[0], with: snapshots[0])
            if let record = records[0], let told = VersionChanges([record], from: bases[0], to: snapshots[0]) {
                for (id, delta) in compared.tables {
                    expectEqual(told.tables[id]?.deleted, delta.deleted, "\(place): deleted of table \(id)")
                    expectEqual(told.tables[id]?.inserted, delta.inserted, "\(place): inserted of table \(id)")
                }
            }
        }
        let reopened = try Database.open(at: paths[0], options: subjects[0].options).snapshot()
        expect(reopened.verify().isEmpty)
    }

    /// Compares the records, except for links between two deleted objects, which no observer uses.
    private func expectSame(_ a: ChangeRecord?, _ b: ChangeRecord?, _ schema: DatabaseSchema, _ place: String) {
        guard let a, let b else {
            expect(a == nil && b == nil, "\(place): one has no record")
            return
        }
        for table in schema.tables {
            let (x, y) = (a.changes(of: table), b.changes(of: table))
            expectEqual(x?.deleted ?? [], y?.deleted ?? [], "\(place): deleted of \(table)")
            expectEqual(x?.insertedDeleted ?? [], y?.insertedDeleted ?? [], "\(place): made and deleted of \(table)")
            expectEqual(x?.inserted ?? [], y?.inserted ?? [], "\(place): inserted of \(table)")
            expectEqual(x?.modified ?? [:], y?.modified ?? [:], "\(place): modified of \(table)")
            expectEqual(x?.isIncomplete, y?.isIncomplete, "\(place): \(table)")
        }
    }

    private func differences(_ a: DataView, _ b: DataView) -> [String] {
        var out: [String] = []
        for table in a.schema.tables {
            guard let other = b.schema.table(named: table.name) else {
                out.append("no \(table)")
                continue
            }
            let keys = a.keys(table)
            if keys != b.keys(other) { out.append("\(table): \(keys.count) and \(b.keys(other).count) objects") }
            if a.tableState(table).nextKey != b.tableState(other).nextKey { out.append("\(table): next keys") }
            for (column, its) in zip(table.columns, other.columns) {
                for key in keys where b.contains(other, key) {
                    let isSame: Bool
                    switch column.collection {
                    case .none: isSame = a.value(column, key) == b.value(its, key)
                    case .list, .set: isSame = a.listValues(column, key) == b.listValues(its, key)
                    case .dictionary:
                        isSame =
                            a.dictionaryEntries(column, key).map { "\($0)" }
                            == b.dictionaryEntries(its, key).map { "\($0)" }
                    }
                    if !isSame { out.append("\(table).\(column.name) of \(key)") }
                }
            }
            for key in keys where b.contains(other, key) {
                let (x, y) = (a.allBacklinks(table, key), b.allBacklinks(other, key))
                if x.map({ "\($0.column.name) \($0.origin)" }) != y.map({ "\($0.column.name) \($0.origin)" }) {
                    out.append("\(table): links to \(key)")
                }
            }
        }
        return out
    }
}
