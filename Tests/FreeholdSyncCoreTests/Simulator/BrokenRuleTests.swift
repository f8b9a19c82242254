import TestExpectations
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Worlds of several nodes fail if a rule is broken. Without that, a world would say nothing of the rule.
struct BrokenRuleTests {
    /// The profile whose worlds find that a rule is broken. Nil if the worlds of `NodeRuleTests` find it.
    private static func profile(of rule: BrokenRule) -> String? {
        switch rule {
        case .readsOnce, .headsInOrder: "several nodes"
        case .answersFirst: "several nodes, rough"
        case .comparesHashes: "several nodes, copied files"
        case .noticesReturn: "elements, stores that go back"
        case .sharesTime, .outrunsBase, .checksSecrets: nil
        }
    }

    private static let worlds = 200 as UInt64

    private func problems(_ seed: UInt64, _ profile: SimulatedProfile) -> [String] {
        var world = SimulatedWorld(seed: seed, profile)
        world.play(profile.script(seed))
        return world.problems
    }

    @Test(arguments: BrokenRule.allCases.filter { BrokenRuleTests.profile(of: $0) != nil })
    func `a world fails if a rule of several nodes is broken, and comes to rest as it must if none is`(
        _ rule: BrokenRule
    ) throws {
        let whole = try require(SimulatedProfile.all.first { $0.name == Self.profile(of: rule) })
        var broken = whole
        broken.broken = [rule]
        for seed in 1...Self.worlds {
            let found = problems(seed, broken)
            guard !found.isEmpty else { continue }
            print("BrokenRuleTests: without \(rule), seed \(seed) fails: \(found[0].prefix(200))")
            expectEqual(problems(seed, whole), [])
            return
        }
        Issue.record("No world fails without \(rule).")
    }
}
