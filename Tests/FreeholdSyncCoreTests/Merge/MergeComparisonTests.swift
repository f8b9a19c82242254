import Foundation
import FreeholdSyncCore
import Testing

/// The merge against the oracle on random histories. `FREEHOLD_SEED` repeats one.
@Suite struct MergeComparisonTests {
    typealias Options = HistoryGenerator.Options

    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["FREEHOLD_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let first = UInt64.random(in: 0..<1 << 40)
        print("MergeComparisonTests: FREEHOLD_SEED=\(first) and the \(count - 1) after it")
        return Array(first..<first + UInt64(count))
    }

    /// Histories of each kind. `FREEHOLD_SOAK` can be a number of them.
    private static var count: Int {
        guard let soak = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] else { return 20 }
        return Int(soak).flatMap { $0 > 1 ? $0 : nil } ?? 2_000
    }

    static let all: [Options] = [
        Options(name: "fields", kinds: [.write, .byDefault, .create, .delete]),
        Options(name: "counters", kinds: [.add, .write, .create], mergesAdds: true),
        Options(name: "sets and dictionaries", kinds: [.set, .clearSet, .dictionary, .clearDictionary, .add]),
        Options(name: "mixed values", kinds: [.mixed, .mixed, .create]),
        Options(name: "inserts", kinds: [.insert], refusals: 0),
        Options(name: "lists", kinds: [.insert, .insert, .remove, .move, .setElement, .clear, .assign], refusals: 0),
        Options(
            name: "lists, much refused, trimmed",
            kinds: [.insert, .insert, .remove, .move, .setElement, .clear, .assign],
            refusals: 30,
            trims: true
        ),
        Options(name: "embedded objects", kinds: [.embedded, .insert, .setElement, .move, .remove]),
        Options(name: "everything"),
        Options(name: "everything, trimmed, adds merged", trims: true, mergesAdds: true),
    ]

    @Test(arguments: all)
    func `The merge and the oracle agree after every event`(options: Options) {
        for seed in Self.seeds {
            var generator = HistoryGenerator(seed: seed, options)
            generator.run()
            guard Difference(generator.history) != nil else { continue }
            let shrunk = generator.history.shrunk()
            Issue.record("seed \(seed), \(options): \(Difference(shrunk)!)\n\(shrunk)")
            return
        }
    }

    @Test func `The rare paths of a merge are all taken`() {
        var seen: [RarePath: Int] = [:]
        for seed in Self.seeds {
            for options in [Self.all[9], Self.all[8], Self.all[6]] {
                var generator = HistoryGenerator(seed: seed, options)
                generator.run()
                var before = MergedStream(generator.history.rules)
                _ = Difference(generator.history) { event, stream, answer in
                    for path in RarePath.taken(by: event, before: before, after: stream, answer) {
                        seen[path, default: 0] += 1
                    }
                    before = stream
                }
            }
        }
        print("MergeComparisonTests: \(seen.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", "))")
        for path in RarePath.allCases { #expect(seen[path, default: 0] > 0, "\(path)") }
    }
}
