import Foundation
import FreeholdSyncCore
import TestRandom
import Testing

@testable import SyncWorlds

/// The client's machine against the server's, through the codec. `FREEHOLD_SEED` repeats one history.
struct JointWorldTests {
    typealias Options = JointWorld.Options

    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["FREEHOLD_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let first = TestSeed.random(in: 0..<1 << 40)
        let count = environment["FREEHOLD_SOAK"].map { Int($0).flatMap { $0 > 1 ? $0 : nil } ?? 2_000 } ?? 5
        print("JointWorldTests: FREEHOLD_SEED=\(first) and the \(count - 1) after it")
        return Array(first..<first + UInt64(count))
    }

    static let all: [Options] = [
        Options(name: "fields", kinds: [.write, .write, .byDefault], drops: 0),
        Options(name: "lists", kinds: [.insert, .insert, .remove, .move, .setElement, .clear, .assign]),
        Options(name: "everything"),
        Options(name: "everything, crashes of clients", crashes: 20, drops: 4),
        Options(name: "everything, a failing store and dying nodes", failures: 10, drops: 3, kills: 3),
    ]

    @Test(arguments: all) func `clients end in the server's state`(options: Options) {
        var counts: [String: Int] = [:]
        for seed in Self.seeds {
            var world = JointWorld(seed: seed, options)
            world.run()
            counts.merge(world.counts) { $0 + $1 }
            guard !world.problems.isEmpty else { continue }
            Issue.record("seed \(seed), \(options): \(world.problems.joined(separator: "\n"))")
            return
        }
        print("\(options): \(counts)")
    }
}
