import Foundation
import Testing

@testable import FreeholdEngine
@testable import FreeholdServerStore
@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The process dies, or the disk fails, at any of the writes of a store.
struct KillTests {
    /// A history, once to count the writes, then once for each write (or some of them) failing.
    @Test func `acknowledged commits survive a failure at any write`() throws {
        let seed = StoreSeeds.seeds("KillTests", count: 1, soak: 1)[0]
        var generator = HistoryGenerator(seed: seed, HistoryGenerator.Options(name: "kills", steps: 25))
        generator.run()
        let rules = MergedStream(generator.history.rules).merge.rules
        let total = try run(generator.history, rules, failingAt: .max)
        expect(total > 20)
        var random = SeededRandom(seed: seed)
        let places = TestBudget.sample(of: total, usual: 10, using: &random)
        for place in places { _ = try run(generator.history, rules, failingAt: place + 1) }
        expect(TestBudget.isSpent("KillTests", cases: places.count, of: min(total, 10)))
    }

    /// - Returns: the writes that there were.
    private func run(_ history: SyncWorlds.History, _ rules: MergeRules, failingAt place: Int) throws -> Int {
        let count = Lock(0)
        let injector = FaultInjector { operation in
            guard operation != .read else { return 0 }
            return count.withLock { count in
                count += 1
                return count >= place ? EIO : 0
            }
        }
        var options = TwinStore.small
        options.engine = { $0.faults = injector }
        let twin = try TwinStore(options: options)
        defer { twin.remove() }
        var driver = StreamDriver(twin, rules)
        for case .arrival(let ident, let commit, let now) in history.events {
            let before = driver.store.memory
            driver.commit([(ident, commit, now: now)])
            guard !driver.store.problems.isEmpty else { continue }
            // The answers of the file and of the memory differ. The file must have all acknowledged commits, and this
            // commit wholly or not at all.
            driver.store.forgetProblems()
            injector.set { _ in 0 }
            try driver.store.reopen(options: TwinStore.small)
            let after = driver.store.memory
            driver.store.memory = before
            driver.store.compare(StreamDriver.stream)
            if !driver.store.problems.isEmpty {
                driver.store.forgetProblems()
                driver.store.memory = after
                driver.store.compare(StreamDriver.stream)
            }
            expect(
                driver.store.problems.isEmpty,
                "write \(place): \(driver.store.problems.first?.prefix(2_000) ?? "")"
            )
            return count.withLock { $0 }
        }
        expect(place > count.withLock { $0 } || place == .max, "nothing failed at \(place)")
        return count.withLock { $0 }
    }
}
