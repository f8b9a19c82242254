import Foundation
import FreeholdSyncCore
import TestRandom
import Testing

@testable import SyncWorlds

/// Clients against a server that is simple and right. `FREEHOLD_SEED` repeats one history.
struct SyncWorldTests {
    typealias Options = SyncWorld.Options

    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["FREEHOLD_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let first = TestSeed.random(in: 0..<1 << 40)
        print("SyncWorldTests: FREEHOLD_SEED=\(first) and the \(count - 1) after it")
        return Array(first..<first + UInt64(count))
    }

    private static var count: Int {
        guard let soak = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] else { return 4 }
        return Int(soak).flatMap { $0 > 1 ? $0 : nil } ?? 2_000
    }

    static let all: [Options] = [
        Options(name: "fields", kinds: [.write, .write, .byDefault]),
        Options(name: "fields, creates and deletes", kinds: [.write, .create, .delete]),
        Options(name: "counters", kinds: [.add, .write]),
        Options(name: "sets and dictionaries", kinds: [.set, .clearSet, .dictionary, .clearDictionary]),
        Options(name: "mixed values", kinds: [.mixed]),
        Options(name: "inserts and removals", kinds: [.insert, .insert, .remove]),
        Options(name: "lists", kinds: [.insert, .insert, .remove, .move, .setElement, .clear, .assign]),
        Options(
            name: "lists, creates and deletes",
            kinds: [.insert, .insert, .remove, .clear, .assign, .create, .delete]
        ),
        Options(
            name: "lists, crashes",
            kinds: [.insert, .insert, .remove, .clear, .assign, .create, .delete],
            crashes: 20,
            drops: 40
        ),
        Options(name: "embedded objects", kinds: [.embedded, .insert, .setElement, .move, .remove]),
        Options(name: "everything"),
        Options(name: "everything, much refused", refusals: 15),
        Options(name: "everything, crashes", crashes: 20, drops: 40),
        Options(name: "everything, queries change", refusals: 5, crashes: 5, queries: true),
    ]

    @Test(arguments: all)
    func `clients end in the server's state, and pending values are never replaced`(options: Options) {
        let seeds = Self.seeds
        var cases = 0
        for seed in seeds {
            cases += 1
            var world = SyncWorld(seed: seed, options)
            world.run()
            guard !world.problems.isEmpty else { continue }
            let log = ProcessInfo.processInfo.environment["FREEHOLD_SEED"] == nil ? [] : world.log
            Issue.record("seed \(seed), \(options): \((world.problems + log).joined(separator: "\n"))")
            return
        }
        expect(TestBudget.isSpent("SyncWorldTests, \(options)", cases: cases, of: seeds.count))
    }

    private func expectNoProblems(_ scenario: (UInt64) -> [String]) {
        for seed in Self.seeds {
            let problems = scenario(seed)
            guard !problems.isEmpty else { continue }
            Issue.record("seed \(seed): \(problems.joined(separator: "\n"))")
            return
        }
    }

    @Test func `lists neither lose nor double an element during crashes`() { expectNoProblems(SyncWorld.elements) }

    @Test func `a damaged file is noticed by its sums and healed`() {
        expectNoProblems { SyncWorld.healed($0) }
    }

    @Test func `two copies of a file continue as two files, and no work is lost or done twice`() {
        expectNoProblems { SyncWorld.forked($0) }
    }

    @Test func `unsent work outlives a store that was restored from a backup`() {
        expectNoProblems { SyncWorld.reset($0) }
    }

    @Test func `an element whose removal the restored store has lost may be shown again`() {
        expectEqual(SyncWorld.reset(88_125_242_012), [])
    }
}
