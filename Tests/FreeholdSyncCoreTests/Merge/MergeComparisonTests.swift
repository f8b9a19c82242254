import Foundation
import FreeholdSyncCore
import TestRandom
import Testing

@testable import SyncWorlds

/// The merge against the oracle on random histories. `FREEHOLD_SEED` repeats one.
struct MergeComparisonTests {
    typealias Options = HistoryGenerator.Options

    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["FREEHOLD_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let first = TestSeed.random(in: 0..<1 << 40)
        print("MergeComparisonTests: FREEHOLD_SEED=\(first) and the \(count - 1) after it")
        return Array(first..<first + UInt64(count))
    }

    /// Histories of each kind. `FREEHOLD_SOAK` can be a number of them.
    private static var count: Int {
        guard let soak = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] else { return 4 }
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
        Options(name: "moves", kinds: [.move, .move, .insert], refusals: 0),
        Options(name: "unique values", kinds: [.write], refusals: 1),
        Options(name: "lists, trimmed", kinds: [.insert, .remove, .move], refusals: 5, trims: true),
        Options(name: "everything"),
        Options(name: "everything, trimmed, adds merged", trims: true, mergesAdds: true),
    ]

    /// After a synchronisation, the horizon can be near the head.
    private static func generator(_ seed: UInt64, _ options: Options) -> HistoryGenerator {
        var generator = HistoryGenerator(seed: seed, options)
        for _ in 0..<(options.trims ? 3 : 1) { generator.run() }
        return generator
    }

    @Test(arguments: all)
    func `the merge and the oracle agree after every event`(options: Options) {
        let seeds = Self.seeds
        var cases = 0
        for seed in seeds {
            cases += 1
            let generator = Self.generator(seed, options)
            guard Difference(generator.history) != nil else { continue }
            let shrunk = generator.history.shrunk()
            Issue.record("seed \(seed), \(options): \(Difference(shrunk)!)\n\(shrunk)")
            return
        }
        expect(TestBudget.isSpent("MergeComparisonTests, \(options)", cases: cases, of: seeds.count))
    }

    /// The seeds are fixed. The test shows that the histories reach the rare paths, and not that the merge is right.
    @Test func `random histories take all rare paths of a merge`() {
        var seen: Set<RarePath> = []
        for seed in 1...30 as ClosedRange<UInt64> {
            for var options in Self.all where options.kinds.count > 2 || options.refusals > 0 {
                guard seen.count < RarePath.allCases.count else { break }
                options.steps = 80
                let history = Self.generator(seed, options).history
                var stream = MergedStream(history.rules)
                for event in history.events {
                    let before = stream
                    let answer = try? stream.apply(event)
                    seen.formUnion(RarePath.taken(by: event, before: before, after: stream, answer))
                }
            }
        }
        expectEqual(seen, Set(RarePath.allCases))
    }

    /// The hidden link was part of the create. If C2 didn't see it, C2's work is a create, too, which removes the
    /// elements of the first one.
    @Test(arguments: [[c1, c2], [c2, c1]])
    func `an assignment keeps hidden elements of every author, unless a concurrent one removes them`(
        order: [FileIdent]
    ) throws {
        let ghost = SyncValue.link(ObjectName("Dog", 1))
        let (tags, map) = (Place(thing, "tags"), Place(thing, "map"))
        for knows in [true, false] {
            var history = History(seed: 0, rules: OracleRules())
            let fields = [
                NewField("list", .list(first: 1, [1, ghost])), NewField("tags", .set([1, ghost])),
                NewField("map", .dictionary(SyncDictionary([("a", 1), ("g", ghost)]))),
            ]
            let create = commit(1, clock: 1, base: 0, .create(thing, fields))
            history.events.append(.arrival(FileIdent(rawValue: 9), create, serverNow: 100))
            for ident in order {
                let (sees, value) = (ident == c1 || knows, SyncValue.int(Int64(ident.rawValue) + 1))
                let hidden: [ElementReference] = sees ? [.confirmed(1)] : []
                let edits: [Change] = [
                    .assignList(list, hidden: hidden, Gap(after: nil, before: hidden.first), first: 1, [value]),
                    .assignSet(tags, hidden: sees ? [ghost] : [], [value]),
                    .assignDictionary(map, hidden: sees ? ["g"] : [], SyncDictionary([("b", value)])),
                ]
                let new = [
                    NewField("list", .list(first: 1, [value])), NewField("tags", .set([value])),
                    NewField("map", .dictionary(SyncDictionary([("b", value)]))),
                ]
                let work = Commit(
                    number: 1,
                    clock: Clock(milliseconds: ident == c1 ? 30 : 20),
                    base: sees ? 1 : 0,
                    seen: sees ? [thing: 1] : [:],
                    changes: sees ? edits : [.create(thing, new)]
                )
                history.events.append(.arrival(ident, work, serverNow: 100))
            }
            expect(Difference(history)?.description == nil)
            var stream = MergedStream()
            for event in history.events { _ = try stream.apply(event) }
            let stored = stream.stored()[thing]
            expectEqual(stored?["list"]?.description, (knows ? "[2 →Dog 1]" : "[2]"))
            expectEqual(stored?["tags"]?.description, (knows ? "{2 →Dog 1}" : "{2}"))
            expectEqual(stored?["map"]?.description, (knows ? "{b: 2 g: →Dog 1}" : "{b: 2}"))
        }
    }

    /// The slots of a refused insert stay as dead ones, and they are younger than the object.
    @Test func `removals by a reader from before a refusal find their elements after a trim`() throws {
        var history = History(seed: 0, rules: OracleRules(forbids: { ident, _, _ in ident == c1 }))
        let create = commit(1, clock: 1, base: 0, .create(thing, [NewField("list", .list(first: 1, [1, 2, 3]))]))
        let refused = Change.insert(list, Gap(after: .confirmed(0), before: .confirmed(1)), first: 1, [9])
        history.events = [
            .arrival(FileIdent(rawValue: 9), create, serverNow: 100),
            .arrival(c1, commit(1, clock: 2, base: 1, refused), serverNow: 100),
            .trim(horizon: 2),
        ]
        let removal = Commit(
            number: 1,
            clock: Clock(milliseconds: 3),
            base: 2,
            seen: [thing: 1],
            changes: [.remove(list, [.confirmed(1)])]
        )
        history.events.append(.arrival(c2, removal, serverNow: 100))
        expect(Difference(history)?.description == nil)
        var stream = MergedStream(history.rules)
        for event in history.events { _ = try stream.apply(event) }
        expectEqual(stream.stored()[thing]?["list"]?.description, "[1 3]")
    }
}
