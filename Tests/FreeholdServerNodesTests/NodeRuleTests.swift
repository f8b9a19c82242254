import Testing

@testable import FreeholdServerNodes
@testable import FreeholdSyncCore

/// Worlds of nodes fail if a rule is broken. Without that, a world would say nothing of the rule.
struct NodeRuleTests {
    struct Mutant: Sendable, CustomTestStringConvertible {
        var rule: NodeRule?
        var server: BrokenRule?
        /// A rule that covers the same faults, and that is broken, too.
        var other: NodeRule?
        var profile: NodeProfile
        /// A seed that failed before. It is tried first, because it saves time.
        var likely: UInt64
        /// The number of further seeds that are tried.
        var bound: UInt64 = 500

        var testDescription: String {
            rule.map { "\($0)" } ?? server.map { "\($0)" } ?? ""
        }

        init(
            _ rule: NodeRule,
            _ profile: String,
            likely: UInt64,
            bound: UInt64 = 500,
            _ change: (inout NodeProfile) -> Void = { _ in }
        ) {
            (self.rule, self.profile, self.likely, self.bound) = (rule, NodeProfile.named(profile), likely, bound)
            change(&self.profile)
        }

        init(
            _ server: BrokenRule,
            _ profile: String,
            likely: UInt64,
            bound: UInt64 = 500,
            _ change: (inout NodeProfile) -> Void = { _ in }
        ) {
            (self.server, self.profile, self.likely, self.bound) = (server, NodeProfile.named(profile), likely, bound)
            change(&self.profile)
        }

        func with(_ other: NodeRule) -> Mutant {
            var mutant = self
            mutant.other = other
            return mutant
        }

        var broken: NodeProfile {
            var profile = profile
            if let rule { profile.broken = Set([rule, other ?? rule]) }
            if let server { profile.brokenServer = [server] }
            return profile
        }
    }

    /// Narrow worlds for faults that need a takeover at the right moment.
    private static func takeovers(_ profile: inout NodeProfile) {
        (profile.pace, profile.work) = (350, 80)
    }

    static let mutants: [Mutant] = [
        Mutant(.comparesIncarnations, "crash", likely: 14),
        Mutant(.suspects, "pause", likely: 6),
        Mutant(.distinguishesUnknown, "lost", likely: 2),
        Mutant(.namesLease, "pause", likely: 60),
        Mutant(.namesHead, "lost", likely: 14),
        Mutant(.comparesGenerations, "zombie", likely: 2, bound: 3_000, takeovers),
        Mutant(.numbersLinks, "frames", likely: 39) { $0.badFrames = 10 }.with(.sendsAgain),
        Mutant(.releases, "rolling restart", likely: 1),
        Mutant(.answersFirst, "calm", likely: 1),
        Mutant(.sharesTime, "jump", likely: 1),
        Mutant(.outrunsBase, "jump", likely: 2),
        Mutant(.noticesReturn, "stale", likely: 2),
        Mutant(.checksSecrets, "stale", likely: 2, bound: 3_000) { profile in
            profile.faults = [.failOverStale: 3, .newClient: 6, .dropClient: 3]
            (profile.pace, profile.work) = (150, 60)
        },
    ]

    @Test(arguments: mutants)
    func `a world fails if a rule of nodes is broken, and the same world comes to rest if none is`(_ mutant: Mutant) {
        for (tries, seed) in ([mutant.likely] + Array(1...mutant.bound)).enumerated() {
            let (found, _) = NodeSimulatorTests.play(seed, mutant.broken)
            guard let problem = found.problems.first, NodeSimulatorTests.play(seed, mutant.profile).0.problems.isEmpty
            else {
                continue
            }
            print(
                "NodeRuleTests: without \(mutant.testDescription), seed \(seed) fails after \(tries + 1) worlds: \(problem.prefix(200))"
            )
            return
        }
        Issue.record("No world fails without \(mutant.testDescription).")
    }
}
