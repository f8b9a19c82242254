import Foundation
import FreeholdServerStore
import TestRandom
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

enum StoreSeeds {
    /// `FREEHOLD_SEED` repeats one.
    static func seeds(_ test: String, count: Int, soak: Int) -> [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["FREEHOLD_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let count = TestBudget.cases(count, soak: soak)
        let first = TestSeed.random(in: 0..<1 << 40)
        print("\(test): FREEHOLD_SEED=\(first) and the \(count - 1) after it")
        return Array(first..<first + UInt64(count))
    }
}

/// Random histories, merged on the store in files and on the one in memory.
struct HistoryComparisonTests {
    typealias Options = HistoryGenerator.Options

    static let all: [Options] = [
        Options(name: "fields", kinds: [.write, .byDefault, .create, .delete]),
        Options(name: "counters", kinds: [.add, .write, .create]),
        Options(name: "sets and dictionaries", kinds: [.set, .clearSet, .dictionary, .clearDictionary, .add]),
        Options(name: "mixed values", kinds: [.mixed, .mixed, .create]),
        Options(name: "lists", kinds: [.insert, .insert, .remove, .move, .setElement, .clear, .assign]),
        Options(name: "embedded objects", kinds: [.embedded, .insert, .setElement, .move, .remove]),
        Options(name: "everything"),
        Options(name: "everything, trimmed", refusals: 0, trims: true),
    ]

    @Test(arguments: all)
    func `the store in files gives the same answers as the one in memory`(options: Options) throws {
        let seeds = StoreSeeds.seeds("HistoryComparisonTests", count: 1, soak: 300)
        var cases = 0
        for seed in seeds {
            cases += 1
            var generator = HistoryGenerator(seed: seed, options)
            generator.run()
            var random = SeededRandom(seed: seed)
            let store = try TwinStore()
            defer { store.remove() }
            var driver = StreamDriver(store, MergedStream(generator.history.rules).merge.rules)
            var group: [(FileIdent, Commit, now: Int64)] = []
            for event in generator.history.events {
                switch event {
                case .arrival(let ident, let commit, let now): group.append((ident, commit, now: now))
                case .trim: trim(&driver, &random)
                case .mergeNeighbouringAdds: break
                }
                guard random.chance(40) else { continue }
                driver.commit(group)
                group = []
                if random.chance(50) { driver.ask(&random) }
                if random.chance(3) { driver.store.reopen() }
                if !driver.store.problems.isEmpty { break }
            }
            driver.commit(group)
            for _ in 0..<20 { driver.ask(&random) }
            driver.store.compare(StreamDriver.stream)
            driver.store.reopen()
            driver.store.compare(StreamDriver.stream)
            if let problem = driver.store.problems.first {
                Issue.record("seed \(seed), \(options): \(problem.prefix(30_000))")
                return
            }
        }
        expect(TestBudget.isSpent("HistoryComparisonTests, \(options)", cases: cases, of: seeds.count))
    }

    private func trim(_ driver: inout StreamDriver, _ random: inout SeededRandom) {
        let head = driver.store.head(of: StreamDriver.stream)
        let log = Int64.random(in: 0...max(head.now, 1), using: &random)
        let horizon = Int64.random(in: 0...max(head.now, 1), using: &random)
        _ = driver.store.perform(ServerStoreRequest(StreamDriver.stream, .trim(log: log, horizon: min(log, horizon))))
    }
}
