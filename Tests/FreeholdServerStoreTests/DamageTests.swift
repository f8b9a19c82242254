import Foundation
import FreeholdServerStore
import Testing

@testable import FreeholdEngine
@testable import FreeholdServerStore
@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Hidden rows that aren't what was stored.
struct DamageTests {
    @Test func `damaged rows are failures with a reason, and never trap`() throws {
        var failures = 0
        var cases = 0
        let seeds = StoreSeeds.seeds("DamageTests", count: 4, soak: 500)
        for seed in seeds {
            var generator = HistoryGenerator(seed: seed, HistoryGenerator.Options(name: "damage", steps: 25))
            generator.run()
            let twin = try TwinStore()
            defer { twin.remove() }
            var driver = StreamDriver(twin, MergedStream(generator.history.rules).merge.rules)
            for case .arrival(let ident, let commit, let now) in generator.history.events {
                driver.commit([(ident, commit, now: now)])
            }
            var random = SeededRandom(seed: seed)
            // The usual run ends at the first row that can't be read.
            let usual = TestBudget.cases(6, soak: 30)
            for round in 0..<30 {
                if round >= usual, driver.store.problems.contains(where: { $0.contains("damaged") }) { break }
                cases += 1
                try damage(driver.store.file, &random)
                driver.store.reopen()
                // Any answer is accepted.
                for _ in 0..<5 { driver.ask(&random) }
                driver.store.compare(StreamDriver.stream)
            }
            // A history may end with a single object. Its damage then changes values, and no row is unreadable.
            expect(!driver.store.problems.isEmpty, "seed \(seed)")
            failures += driver.store.problems.count { $0.contains("damaged") }
        }
        expect(failures > 0 || seeds.count < 4)
        expect(TestBudget.isSpent("DamageTests", cases: cases, of: seeds.count * TestBudget.cases(6, soak: 30)))
    }

    /// Writes another value into a column of a hidden table, or a hidden column.
    private func damage(_ store: FileServerStore, _ random: inout SeededRandom) throws {
        let database = try Database.open(at: store.path(of: StreamDriver.stream))
        let transaction = try database.beginWrite()
        var columns: [(Table, Column)] = []
        for table in transaction.schema.hiddenTables where !table.name.hasPrefix("@") {
            for column in table.columns where !column.isPrimaryKey { columns.append((table, column)) }
        }
        for table in transaction.schema.tables {
            for column in table.hiddenColumns { columns.append((table, column)) }
        }
        let (table, column) = columns.randomElement(using: &random)!
        guard let row = transaction.keys(table).randomElement(using: &random) else { return transaction.cancel() }
        let bytes = Data(
            (0..<Int.random(in: 0..<9, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        )
        switch (column.type, column.collection) {
        case (.int, .none):
            try transaction.set(column, row, to: .int(random.chance(50) ? .random(in: -5...50, using: &random) : .max))
        case (.data, .none):
            var data = transaction.readData(column, row) ?? Data()
            if data.isEmpty || random.chance(30) {
                data = bytes
            } else {
                data[data.startIndex + Int.random(in: 0..<data.count, using: &random)] ^=
                    1 << UInt8.random(in: 0..<8, using: &random)
            }
            try transaction.set(column, row, to: .data(data))
        case (.data, .list): try transaction.listAssign(column, row, values: random.chance(50) ? [] : [.data(bytes)])
        case (.bool, .none): try transaction.set(column, row, to: .bool(random.chance(50)))
        case (.string, .none): try transaction.set(column, row, to: .string("x"))
        default: break
        }
        _ = try transaction.commit()
    }
}
