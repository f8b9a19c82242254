import Foundation
import FreeholdEngine
import TestRandom
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Random histories of offline devices with different clocks. In the end all show the result that the article Conflicts
/// describes for their single transactions. `FREEHOLD_SEED` repeats one history.
struct ConflictOracleTests {
    private static let usual = 100
    private static let soak = 100_000

    @Test func `All devices end on what the rules of conflicts make of the single transactions`() {
        let environment = ProcessInfo.processInfo.environment
        let given = environment["FREEHOLD_SEED"].flatMap { UInt64($0) }
        let budget = given == nil ? TestBudget.cases(Self.usual, soak: Self.soak) : 1
        let first = given ?? TestSeed.random(in: 0..<1 << 40)
        print("ConflictOracleTests: FREEHOLD_SEED=\(first) and the \(budget - 1) after it")
        var (cases, counts) = (0, OfflineHistory.Counts())
        for seed in first..<first + UInt64(budget) {
            cases += 1
            var history = OfflineHistory(seed: seed)
            history.run()
            counts.add(history.counts)
            guard let problem = history.problem else { continue }
            Issue.record("FREEHOLD_SEED=\(seed): \(problem)\n\(history.log.joined(separator: "\n"))")
            return
        }
        print("ConflictOracleTests: \(counts)")
        expect(TestBudget.isSpent("ConflictOracleTests", cases: cases, of: budget))
        if given == nil { expect(counts.isAll, "\(counts)") }
    }
}

/// In each of some rounds, all devices work offline, and then connect one after the other.
struct OfflineHistory {
    struct Counts {
        var transactions = 0
        var refused = 0
        /// Objects that several devices created.
        var madeTwice = 0

        mutating func add(_ other: Counts) {
            transactions += other.transactions
            refused += other.refused
            madeTwice += other.madeTwice
        }

        var isAll: Bool { transactions > 0 && refused > 0 && madeTwice > 0 }
    }

    private var script: ScriptedWorld
    private var random: SeededRandom
    private var edits: OfflineEdits
    private let devices: Int
    private(set) var counts = Counts()
    private(set) var log: [String] = []
    private(set) var problem: String?

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        let (devices, refuses) = (Int.random(in: 2...5, using: &random), Bool.random(using: &random))
        self.devices = devices
        edits = OfflineEdits(refuses: refuses)
        script = ScriptedWorld(clients: devices) { profile in
            guard refuses else { return }
            profile.forbids = { _, commit, name in
                commit.changes.contains { $0.object == name && OfflineEdits.forbids($0) }
            }
        }
    }

    private func shown(_ device: Int) -> OfflineEdits.Objects { script.world.clients[device].store.data.objects }

    mutating func run() {
        for key in 1...Int64.random(in: 1...2, using: &random) {
            script.commit(0, .create(ObjectName("Thing", .int(key)), edits.full(&random), defaults: []))
        }
        script.syncAll()
        for round in 0..<Int64.random(in: 1...3, using: &random) where problem == nil {
            edits.newKeys = [10 + round * 2, 11 + round * 2]
            self.round()
        }
    }

    private mutating func round() {
        script.sync([])
        let base = shown(0)
        var transactions: [ConflictRules.Transaction] = []
        for _ in 0..<Int.random(in: 2...5 * devices, using: &random) {
            let longest: Int64 = [5, 2_000, 10_000_000].randomElement(using: &random)!
            script.world.time += Int64.random(in: 1...longest, using: &random)
            let device = Int.random(in: 0..<devices, using: &random)
            let new = edits.transaction(on: shown(device), &random)
            guard !new.isEmpty else { continue }
            let refused = edits.refuses ? Set(new.filter(OfflineEdits.forbids).map(\.object)) : []
            transactions.append(
                ConflictRules.Transaction(device: device, time: script.world.time, edits: new, refused: refused)
            )
            log.append("\(script.world.time): device \(device) \(new)\(refused.isEmpty ? "" : ", refused")")
            script.world.commit(new, device)
            // Some are numbered at once, and the other ones when the device is online.
            if Bool.random(using: &random) { script.world.handle(.committed, device) }
        }
        count(transactions)
        let before = forbidden
        // The clocks of transactions that arrive late aren't held back.
        script.world.time += 10_000
        for device in (0..<devices).shuffled(using: &random) {
            if Bool.random(using: &random) { script.sync([device]) }
        }
        script.syncAll()
        script.syncAll()
        check(base, transactions, refusedBefore: before)
    }

    private mutating func count(_ transactions: [ConflictRules.Transaction]) {
        counts.transactions += transactions.count
        counts.refused += transactions.count { !$0.refused.isEmpty }
        var makers: [ObjectName: Int] = [:]
        for case .create(let name, _, _) in transactions.flatMap(\.edits) { makers[name, default: 0] += 1 }
        counts.madeTwice += makers.values.count { $0 > 1 }
    }

    /// How many commits of devices a rule refused, so far.
    private var forbidden: Int {
        (0..<devices).reduce(0) { sum, device in
            let commits = script.lost(device).compactMap { lost -> UInt64? in
                guard case .refused(let refusal) = lost, refusal.reason == .forbidden else { return nil }
                return refusal.commit
            }
            return sum + Set(commits).count
        }
    }

    // MARK: The end

    private mutating func check(
        _ base: OfflineEdits.Objects,
        _ transactions: [ConflictRules.Transaction],
        refusedBefore: Int
    ) {
        if let other = (script.world.problems + script.world.checks.end(script.world)).first { return problem = other }
        let refused = transactions.count { !$0.refused.isEmpty }
        if forbidden - refusedBefore != refused {
            return problem = "\(forbidden - refusedBefore) transactions were refused, expected \(refused)"
        }
        let end = ConflictRules.end(of: base, transactions)
        for device in 0..<devices {
            let shown = shown(device)
            for name in Set(shown.keys).union(end.keys).sorted() {
                guard let difference = difference(shown[name], end[name]) else { continue }
                problem =
                    "device \(device) shows \(name) otherwise: \(difference)\nbase: \(base[name].map { "\($0)" } ?? "nothing")"
                return
            }
        }
    }

    private func difference(_ shown: [SyncString: MergedContent]?, _ end: ConflictRules.End?) -> String? {
        guard let shown, let end else {
            return shown == nil && end == nil ? nil : "it is \(shown == nil ? "missing" : "there")"
        }
        for property in Set(shown.keys).union(end.contents.keys).sorted() {
            let (own, expected) = (shown[property]?.plain, end.contents[property]?.plain)
            if own?.sorted != expected { return "\(property) is \(text(own)), expected \(text(expected))" }
            guard case .list(let elements)? = own else { continue }
            let places = Dictionary(elements.enumerated().map { ($1, $0) }) { a, _ in a }
            for order in end.orders[property] ?? [] {
                let found = order.compactMap { places[$0] }
                if found != found.sorted() { return "\(property) is \(elements), expected in this order: \(order)" }
            }
        }
        return nil
    }

    private func text(_ content: MergedContent?) -> String { content.map { "\($0)" } ?? "nothing" }
}

extension MergedContent {
    /// `nil` for what is empty.
    fileprivate var plain: MergedContent? {
        switch self {
        case .value(.null), .list([]), .set([:]), .dictionary([:]): nil
        default: self
        }
    }

    /// A list by rising texts of its elements.
    fileprivate var sorted: MergedContent {
        if case .list(let elements) = self { .list(elements.sorted { "\($0)" < "\($1)" }) } else { self }
    }
}
