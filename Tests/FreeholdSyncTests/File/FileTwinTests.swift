import Foundation
import TestRandom
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Worlds whose clients are Freehold files, each next to a file in memory with the same content. `FREEHOLD_SEED`
/// repeats one.
struct FileTwinTests {
    static func seeds(_ count: Int, soak: Int = 500) -> [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["FREEHOLD_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let first = TestSeed.random(in: 0..<1 << 40)
        let number = environment["FREEHOLD_SOAK"].map { Int($0).flatMap { $0 > 1 ? $0 : nil } ?? soak } ?? count
        print("FileTwinTests: FREEHOLD_SEED=\(first) and the \(number - 1) after it")
        return Array(first..<first + UInt64(number))
    }

    /// The number of steps of a world without failing writes.
    private static let steps = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] == nil ? 40 : 150

    static let all: [SyncWorld.Options] = [
        SyncWorld.Options(name: "fields", kinds: [.write, .write, .create, .delete]),
        SyncWorld.Options(name: "counters", kinds: [.add, .write]),
        SyncWorld.Options(name: "sets and dictionaries", kinds: [.set, .clearSet, .dictionary, .clearDictionary]),
        SyncWorld.Options(name: "mixed values", kinds: [.mixed]),
        SyncWorld.Options(
            name: "lists",
            kinds: [.insert, .insert, .remove, .move, .setElement, .clear, .assign, .create, .delete]
        ),
        SyncWorld.Options(name: "embedded objects", kinds: [.embedded, .insert, .setElement, .move, .remove]),
        SyncWorld.Options(name: "everything"),
        SyncWorld.Options(name: "everything, much refused", refusals: 15),
        SyncWorld.Options(name: "everything, crashes", crashes: 20, drops: 40),
        SyncWorld.Options(name: "everything, queries change", refusals: 5, crashes: 5, queries: true),
    ]

    @Test(arguments: all) func `a file shows and sends the same as the file in memory`(options: SyncWorld.Options) {
        var options = options
        options.fitsFiles = true
        options.steps = Self.steps
        let seeds = Self.seeds(1)
        var cases = 0
        for seed in seeds {
            var world = SyncWorld(seed: seed, options) { FileTwin() }
            world.run()
            cases += 1
            guard let problem = world.problems.first else { continue }
            let log = ProcessInfo.processInfo.environment["FREEHOLD_SEED"] == nil ? [] : world.log
            Issue.record("seed \(seed), \(options): \(([problem] + log).joined(separator: "\n").prefix(20_000))")
            return
        }
        print("FileTwinTests: \(options), \(cases) worlds of \(options.steps) steps")
        expectEqual(cases, seeds.count)
    }

    @Test func `a transaction is complete or missing after a disk that failed at any write`() {
        let options = SyncWorld.Options(name: "failing writes", crashes: 150, fitsFiles: true)
        for seed in Self.seeds(1, soak: 100) {
            var world = SyncWorld(seed: seed, options) { FileTwin(failsWrites: true) }
            world.run()
            guard let problem = world.problems.first else { continue }
            Issue.record("seed \(seed), \(options): \(problem.prefix(20_000))")
            return
        }
        let counts = FileTwin.counts.withLock { $0 }
        print("failing writes: \(counts)")
        expect(counts["it didn't happen", default: 0] > 0)
    }

    @Test(arguments: [
        JointWorld.Options(name: "everything"),
        JointWorld.Options(name: "failures", crashes: 20, failures: 10, drops: 3, kills: 3),
    ])
    func `files end in the state of a server's machine`(options: JointWorld.Options) {
        var options = options
        options.fitsFiles = true
        for seed in Self.seeds(1) {
            var world = JointWorld(seed: seed, options) { FileTwin() }
            world.run()
            guard let problem = world.problems.first else { continue }
            Issue.record("seed \(seed), \(options): \(problem.prefix(20_000))")
            return
        }
    }

    private func expectNoProblems(_ scenario: (UInt64, () -> any WorldClient) -> [String]) {
        for seed in Self.seeds(1, soak: 100) {
            let problems = scenario(seed) { FileTwin() }
            guard let problem = problems.first else { continue }
            Issue.record("seed \(seed): \(problem.prefix(20_000))")
            return
        }
    }

    @Test func `a damaged file is noticed by its sums and healed`() { expectNoProblems(SyncWorld.healed) }

    @Test func `two copies of a file continue as two files, and no work is lost or done twice`() {
        expectNoProblems(SyncWorld.forked)
    }

    @Test func `unsent work outlives a store that was restored from a backup`() { expectNoProblems(SyncWorld.reset) }
}
