import Foundation
import Testing

@testable import FreeholdServerNodes
@testable import FreeholdSyncCore

/// Worlds of nodes from seeds (`docs/nodes.md`). `make simulate-nodes SEED=… COUNT=…` plays some.
struct NodeSimulatorTests {
    struct Outcome: Sendable {
        var seed: UInt64
        var profile: String
        var problems: [String]
        var paths: [String: Int]
    }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    static func play(_ seed: UInt64, _ profile: NodeProfile? = nil, isTracing: Bool = false) -> (Outcome, [String]) {
        let profile = profile ?? NodeProfile.all[Int(seed % UInt64(NodeProfile.all.count))]
        var world = NodeWorld(seed: seed, profile, isTracing: isTracing)
        world.play()
        return (Outcome(seed: seed, profile: profile.name, problems: world.problems, paths: world.paths), world.trace)
    }

    @Test func `worlds of nodes come to rest, and lose and double nothing`() async {
        let profiles = UInt64(NodeProfile.all.count)
        let first = Self.number("FREEHOLD_SEED") ?? (TestBudget.isSoak ? TestSeed.random(in: 0..<1 << 30) : 1)
        let count = Self.number("FREEHOLD_COUNT") ?? UInt64(TestBudget.cases(Int(profiles), soak: 100_000))
        let width = Self.number("FREEHOLD_WIDTH") ?? 2
        print("NodeSimulatorTests: FREEHOLD_SEED=\(first) FREEHOLD_COUNT=\(count)")
        var paths: [String: Int] = [:]
        var failed: [Outcome] = []
        await withTaskGroup(of: [Outcome].self) { group in
            for lane in 0..<width {
                group.addTask {
                    var outcomes: [Outcome] = []
                    var sums: [String: Int] = [:]
                    for seed in stride(from: first + lane, to: first + count, by: Int(width)) {
                        let (outcome, _) = Self.play(seed)
                        for (path, count) in outcome.paths {
                            sums[path] =
                                path.hasPrefix("longest") ? max(sums[path] ?? 0, count) : (sums[path] ?? 0) + count
                        }
                        if !outcome.problems.isEmpty { outcomes.append(outcome) }
                        if outcomes.count > 20 { break }
                    }
                    return outcomes + [Outcome(seed: 0, profile: "", problems: [], paths: sums)]
                }
            }
            for await outcomes in group {
                failed += outcomes.filter { !$0.problems.isEmpty }
                for (path, count) in outcomes.last?.paths ?? [:] {
                    paths[path] = path.hasPrefix("longest") ? max(paths[path] ?? 0, count) : (paths[path] ?? 0) + count
                }
            }
        }
        for (path, count) in paths.sorted(by: { $0.key < $1.key }) { print("  \(path): \(count)") }
        for outcome in failed.sorted(by: { $0.seed < $1.seed }) {
            print("  seed \(outcome.seed) (\(outcome.profile)): \(outcome.problems)")
        }
        guard let outcome = failed.min(by: { $0.seed < $1.seed }) else { return }
        if ProcessInfo.processInfo.environment["FREEHOLD_TRACE"] != nil {
            for line in Self.play(outcome.seed, isTracing: true).1 { print(line.prefix(600)) }
        }
        Issue.record("seed \(outcome.seed) (\(outcome.profile)): \(outcome.problems)")
    }
}
