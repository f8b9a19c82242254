import Foundation
import TestRandom
import Testing

@testable import FreeholdEngine

struct `Random migrations` {
    private static let budgets = [64 << 20, 30_000]

    /// One random seed in the usual run; many with both budgets in the soak.
    private static let runs: [(UInt64, Int)] = {
        if let seed = UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") {
            return budgets.map { (seed, $0) }
        }
        let random = TestSeed.random(in: 6...1 << 40)
        let usual: [(UInt64, Int)] = [(1, budgets[0]), (2, budgets[1]), (random, budgets[Int(random % 2)])]
        guard TestBudget.isSoak else { return usual }
        return usual + [(1, budgets[1]), (2, budgets[0])] + (1...100).flatMap { n in budgets.map { (random + n, $0) } }
    }()

    @Test(arguments: runs)
    func `chains of random schemas keep the data by the rules, with and without room in memory`(
        seed: UInt64,
        budget: Int
    ) throws {
        print("random migrations: seed \(seed)")
        var random = SeededRandom(seed: seed)
        let folder = TemporaryFolder()
        var options = Database.Options()
        options.mapSize = 1 << 28
        options.clusterSpan = 7
        options.memoryBudget = budget
        let database = try Database.open(at: folder.file(), options: options)
        var model = MigrationModel(specs: MigrationModel.schema(&random))
        let first = try database.beginWrite()
        try first.applySchema(model.specs, userVersion: 1)
        try model.add(TestBudget.cases(15, soak: 20), to: first, &random)
        expectEqual(model.differences(from: try first.commit()), [], "seed \(seed)")
        var follower = try JournalFollower(database)

        for version in 2...UInt64(TestBudget.cases(5, soak: 6)) {
            let next = model.nextSchema(&random)
            let renames = renames(from: model.specs, to: next, &random)
            let isAbandoned = Int.random(in: 0..<4, using: &random) == 0
            let transaction = try database.beginWrite()
            try transaction.extendSchema(to: next, suspendsPrimaryKeys: Bool.random(using: &random))
            for (table, names) in renames {
                for (new, old) in names {
                    let spec = next.first { $0.name == table }!.columns.first { $0.name == new }!
                    try transaction.renameColumn(transaction.schema.table(named: table)!, from: old, to: spec)
                }
            }
            var migrated = model
            migrated.migrate(to: next, renames: renames)
            try write(&migrated, transaction, &random)
            if isAbandoned {
                transaction.cancel()
                let snapshot = try database.snapshot()
                expect(model.differences(from: snapshot) == [] && snapshot.verify() == [], "seed \(seed), \(version)")
                continue
            }
            try transaction.finishSchema(next, userVersion: version)
            expectEqual(
                migrated.differences(from: transaction),
                [],
                "seed \(seed), version \(version), before the commit"
            )
            model = migrated
            let snapshot = try transaction.commit()
            try require(snapshot.verify() == [], "seed \(seed), version \(version)")
            try require(model.differences(from: snapshot) == [], "seed \(seed), version \(version)")
            expectEqual(snapshot.userVersion, version)
            // Another process reads the file, and ordinary writes continue.
            let more = try database.beginWrite()
            try model.add(3, to: more, &random)
            let later = try more.commit()
            let differences = try follower.differences(from: later)
            try require(differences == [], "seed \(seed), version \(version)")
            try require(
                later.verify() == [] && model.differences(from: later) == [],
                "seed \(seed), version \(version)"
            )
        }
    }

    /// Returns renames from removed columns to new columns of the same kind.
    private func renames(
        from old: [TableSpec],
        to next: [TableSpec],
        _ random: inout SeededRandom
    ) -> [String: [String: String]] {
        var out: [String: [String: String]] = [:]
        for table in next {
            guard let before = old.first(where: { $0.name == table.name }) else { continue }
            var gone = before.columns.filter { column in !table.columns.contains { $0.name == column.name } }
            for column in table.columns where !before.columns.contains(where: { $0.name == column.name }) {
                guard Int.random(in: 0..<4, using: &random) > 0,
                    let i = gone.firstIndex(where: {
                        $0.type == column.type && $0.collection == column.collection && $0.target == column.target
                            && (column.isOptional || !$0.isOptional || column.type == .link)
                    })
                else { continue }
                out[table.name, default: [:]][column.name] = gone.remove(at: i).name
            }
        }
        return out
    }

    /// Simulates a migration block: new values in some objects, of properties of the new schema, and deletions.
    private func write(
        _ model: inout MigrationModel,
        _ transaction: WriteTransaction,
        _ random: inout SeededRandom
    ) throws {
        for spec in model.specs {
            let table = transaction.schema.table(named: spec.name)!
            for key in model.rows[spec.name]!.keys.sorted() where Int.random(in: 0..<3, using: &random) == 0 {
                for column in spec.columns where column.type != .link && column.type != .mixed {
                    if column.name == "id" || column.name == "alt" { continue }
                    let other = model.rows[spec.name]!.keys.sorted().randomElement(using: &random)!
                    let content = model.rows[spec.name]![other]![column.name]!
                    model.rows[spec.name]![key]![column.name] = content
                    try MigrationModel.write(content, table.column(named: column.name)!, key, transaction)
                }
            }
            if let gone = model.rows[spec.name]!.keys.sorted().randomElement(using: &random) {
                model.delete(spec.name, gone, id: table.id)
                transaction.delete(table, gone)
            }
        }
    }
}
