import Testing

@testable import FreeholdRealmWire
@testable import TestRealmClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Worlds of official and Freehold clients from seeds.
@Suite("Realm worlds")
struct RealmWorldTests {
    typealias Options = RealmWorld.Options

    /// The worlds without a broken rule.
    static let profiles: [Options] = {
        var profiles: [Options] = []
        func add(_ name: String, _ body: (inout Options) -> Void) {
            var options = Options(name: name)
            body(&options)
            profiles.append(options)
        }
        add("two official clients") { $0.freeholds = 0 }
        add("beside a Freehold client") { _ in }
        add("three official clients") {
            ($0.officials, $0.freeholds) = (3, 0)
            $0.keys = (2, 3)
        }
        add("lists of one object") {
            ($0.freeholds, $0.deletions) = (0, 0)
            $0.omitted = ["m", "lm", "dm", "s", "o", "d", "b", "e", "de", "di", "si", "ss", "lk", "sl", "dl"]
        }
        add("mixed values") {
            $0.omitted = ["li", "ls", "e", "le", "de", "di", "si", "ss", "ll", "sl", "dl", "lk"]
        }
        add("embedded objects") {
            $0.omitted = ["li", "ls", "m", "lm", "dm", "di", "si", "ss", "ll", "sl", "dl", "lk"]
        }
        add("links and deletions") {
            $0.deletions = 20
            $0.omitted = ["li", "ls", "m", "lm", "dm", "di", "si", "ss", "e", "le", "de", "s", "d", "b"]
        }
        add("lost connections") { $0.drops = 150 }
        add("restarts") { ($0.restarts, $0.drops) = (40, 40) }
        add("ends of the server") { ($0.kills, $0.drops) = (30, 20) }
        add("sets of subscriptions") {
            ($0.queries, $0.keys) = (40, (3, 3))
            $0.drops = 40
        }
        add("refusals") { $0.refusals = 10 }
        add("stores that go back") { ($0.rollbacks, $0.kills) = (15, 10) }
        add("resets that discard") {
            ($0.rollbacks, $0.kills, $0.freeholds) = (15, 10, 0)
            $0.resetMode = .discard
        }
        add("copied files") { $0.copies = 10 }
        add("a busy server") { ($0.isBusy, $0.drops, $0.queries) = (true, 40, 20) }
        add("a busy server that ends") { ($0.isBusy, $0.kills, $0.restarts) = (true, 20, 20) }
        return profiles
    }()

    struct Outcome: Sendable {
        var seed: UInt64
        var name: String
        var problems: [String]
        var counts: [String: Int]
        var trace: [String] = []
    }

    static func play(_ seed: UInt64, _ options: Options, isTracing: Bool = false) -> Outcome {
        do {
            var world = try RealmWorld(seed: seed, options, isTracing: isTracing)
            try world.run()
            return Outcome(
                seed: seed,
                name: options.name,
                problems: world.problems,
                counts: world.counts,
                trace: world.trace
            )
        } catch {
            return Outcome(seed: seed, name: options.name, problems: ["\(error)"], counts: [:])
        }
    }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test(arguments: profiles)
    func `all clients end with the objects of the server`(_ options: Options) {
        if let name = ProcessInfo.processInfo.environment["FREEHOLD_PROFILE"], name != options.name { return }
        let isGiven = Self.number("FREEHOLD_SEED") != nil
        let first = Self.number("FREEHOLD_SEED") ?? TestSeed.random(in: 0..<1 << 40, function: options.name)
        let usual = isGiven ? 1 : TestBudget.cases(1, soak: 100_000 / Self.profiles.count)
        let count = Self.number("FREEHOLD_COUNT") ?? UInt64(usual)
        print("RealmWorldTests, \(options.name): FREEHOLD_SEED=\(first) FREEHOLD_COUNT=\(count)")
        var counts: [String: Int] = [:]
        for seed in first..<first + count {
            let outcome = Self.play(seed, options)
            counts.merge(outcome.counts) { $0 + $1 }
            guard !outcome.problems.isEmpty else { continue }
            let traced = Self.play(seed, options, isTracing: true)
            let length = Int(Self.number("FREEHOLD_TRACE") ?? 60)
            let trace = traced.trace.suffix(length).map { String($0.prefix(40_000)) }.joined(separator: "\n")
            Issue.record(
                "seed \(seed) (\(options.name)): \(outcome.problems.joined(separator: "\n"))\n\(trace)"
            )
            return
        }
        print(counts.sorted { $0.key < $1.key }.map { "  \($0.value)\t\($0.key)" }.joined(separator: "\n"))
        expect(count > 0)
    }
}
