#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import TestRandom
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Worlds from seeds. `make simulate SEED=… COUNT=…` plays some; `docs/sync-simulator.md` describes them.
struct SimulatorTests {
    struct Outcome: Sendable {
        var seed: UInt64
        var profile: SimulatedProfile
        var problems: [String]
        var paths: [String: Int]
    }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    static func play(_ seed: UInt64) -> Outcome {
        let profile = SimulatedProfile.all[Int(seed % UInt64(SimulatedProfile.all.count))]
        var world = SimulatedWorld(seed: seed, profile)
        world.play(profile.script(seed))
        return Outcome(seed: seed, profile: profile, problems: world.problems, paths: world.paths)
    }

    /// The shortest script that is found by leaving events out.
    static func shrink(_ seed: UInt64) -> (script: [SimulatedEvent], world: SimulatedWorld) {
        let profile = SimulatedProfile.all[Int(seed % UInt64(SimulatedProfile.all.count))]
        var script = profile.script(seed)
        func fails(_ script: [SimulatedEvent]) -> Bool {
            var world = SimulatedWorld(seed: seed, profile)
            world.play(script)
            return !world.problems.isEmpty
        }
        var size = script.count / 2
        while size > 0 {
            var start = 0
            while start < script.count {
                let shorter = Array(script[..<start] + script[min(start + size, script.count)...])
                if fails(shorter) { script = shorter } else { start += size }
            }
            size /= 2
        }
        var world = SimulatedWorld(seed: seed, profile, isTracing: true)
        world.play(script)
        return (script, world)
    }

    private static func report(_ outcome: Outcome) -> String {
        let (script, world) = shrink(outcome.seed)
        let lines = world.trace.map { $0.replacing("FreeholdSyncCore.", with: "").prefix(1_200) }.joined(
            separator: "\n"
        )
        return """
            seed \(outcome.seed) (\(outcome.profile.name)): \(outcome.problems.joined(separator: "\n"))
            shrunk to \(script.count) events, which end with: \(world.problems.joined(separator: "\n"))
            \(script.map { "\($0)" }.joined(separator: "\n"))
            \(lines)
            """
    }

    @Test func `worlds come to rest as they must`() async {
        let isLong = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] != nil
        // The usual run is the same each time; other runs find more errors. Seeds that fail are named in docs/status.md.
        let first = Self.number("FREEHOLD_SEED") ?? (isLong ? TestSeed.random(in: 0..<1 << 40) : 1)
        let count =
            Self.number("FREEHOLD_COUNT")
            ?? (isLong ? 100_000 : Self.number("FREEHOLD_SEED") == nil ? UInt64(SimulatedProfile.all.count) : 1)
        print("SimulatorTests: FREEHOLD_SEED=\(first) FREEHOLD_COUNT=\(count)")
        let start = ContinuousClock.now
        let workers = UInt64(max(ProcessInfo.processInfo.activeProcessorCount, 1))
        let outcomes = await withTaskGroup(of: ([String: Int], [Outcome]).self) { group in
            for worker in 0..<min(workers, count) {
                group.addTask {
                    var (paths, failed) = ([String: Int](), [Outcome]())
                    var seed = first + worker
                    while seed < first + count, failed.count < 5 {
                        let outcome = Self.play(seed)
                        paths.merge(outcome.paths) { $0 + $1 }
                        if !outcome.problems.isEmpty { failed.append(outcome) }
                        seed += workers
                    }
                    return (paths, failed)
                }
            }
            var all: ([String: Int], [Outcome]) = ([:], [])
            for await (paths, failed) in group {
                all.0.merge(paths) { $0 + $1 }
                all.1 += failed
            }
            return all
        }
        let seconds =
            Double((ContinuousClock.now - start).components.seconds)
            + Double((ContinuousClock.now - start).components.attoseconds) / 1e18
        print("\(count) worlds in \(Int(seconds * 10) / 10) s: \(Int(Double(count) / max(seconds, 0.001))) a second")
        for (path, count) in outcomes.0.sorted(by: { $0.key < $1.key }) { print("  \(count)\t\(path)") }
        for failed in outcomes.1 {
            print("failed: \(failed.seed) \(failed.profile.name): \(failed.problems.first?.prefix(300) ?? "")")
        }
        if let failed = outcomes.1.min(by: { $0.seed < $1.seed }) { Issue.record("\(Self.report(failed))") }
        expect(count > 0)
        guard count >= 2_000 else { return }
        for path in Self.rarePaths where outcomes.0[path] == nil { Issue.record("no world went this way: \(path)") }
    }

    /// Worlds that failed once; `docs/sync-simulator.md` describes the errors.
    @Test(
        arguments: [
            ("links, cut logs", 720_349), ("links, cut logs", 4_565), ("elements, cut logs", 101),
            ("elements, cut logs", 2_666), ("roles, narrow", 5), ("roles, narrow", 464), ("roles", 446), ("roles", 649),
            ("roles", 910), ("roles", 1_011), ("roles", 1_021), ("roles", 2_656), ("roles", 2_885),
            ("links, copied files", 802_565), ("elements, copied files", 806_587), ("links, copied files", 97),
            ("bootstraps", 2_828), ("elements, stores that go back", 6_120), ("counters, stores that go back", 3_352),
            ("everything, copied files", 4_184), ("everything, copied files", 6_173), ("all at once", 8_179),
        ] as [(String, UInt64)]
    )
    func `worlds that failed once come to rest as they must`(_ name: String, _ seed: UInt64) throws {
        let profile = try require(SimulatedProfile.all.first { $0.name == name })
        var world = SimulatedWorld(seed: seed, profile)
        world.play(profile.script(seed))
        expectEqual(world.problems, [])
    }

    /// Some of these are in each run.
    @Test func `apps of two versions of a schema come to rest as they must`() {
        let profiles = UInt64(SimulatedProfile.all.count)
        let isLong = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] != nil
        let first = Self.number("FREEHOLD_SEED") ?? (isLong ? TestSeed.random(in: 0..<1 << 30) : 1)
        let count = Self.number("FREEHOLD_VERSIONS") ?? UInt64(TestBudget.cases(3, soak: 8))
        print("SimulatorTests: FREEHOLD_SEED=\(first) FREEHOLD_VERSIONS=\(count)")
        for index in SimulatedProfile.all.indices where SimulatedProfile.all[index].hasVersions {
            for number in 0..<count {
                let outcome = Self.play((first + number) * profiles + UInt64(index))
                guard !outcome.problems.isEmpty else { continue }
                Issue.record("\(Self.report(outcome))")
                return
            }
        }
    }

    /// The paths that a run of 2,000 seeds must include.
    static let rarePaths = [
        "a copied file", "a file from a backup", "a lost answer of the store", "a node dies",
        "a standby that was behind", "a store from a backup", "a store that fails", "an answer that came twice",
        "a download goes on in the middle", "an upload goes on in the middle", "another node", "commits in parts",
        "closed by the server", "crash after a transaction", "crash before a transaction", "drop",
        "drop before an answer", "fetched", "fork", "moved", "old lists", "refused: commitRefused",
        "refused: elementGone", "refused: forbidden", "refused: instanceGone", "refused: notUnique",
        "refused: objectGone", "reset with loss", "reset without loss", "resumed bootstrap", "resumed changes",
        "resync by keys", "split changes", "split commits", "trim", "waited",
    ]
}
