import Foundation
import FreeholdSyncCore
import TestRandom
import Testing

@testable import SyncWorlds

/// The claims of sync-design.md, on random histories against the oracle. `FREEHOLD_SEED` repeats one.
struct RandomHistoryTests {
    typealias Options = HistoryGenerator.Options

    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["FREEHOLD_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let first = TestSeed.random(in: 0..<1 << 40)
        print("RandomHistoryTests: FREEHOLD_SEED=\(first) and the \(count - 1) after it")
        return Array(first..<first + UInt64(count))
    }

    private static let count = TestBudget.cases(13, soak: 2_000)

    static let all: [Options] = [
        Options(name: "everything"),
        Options(name: "everything, nothing refused", refusals: 0),
        Options(name: "everything, trimmed, adds merged", trims: true, mergesAdds: true),
        Options(name: "inserts only, nothing refused", kinds: HistoryGenerator.Kind.inserts, refusals: 0),
        Options(
            name: "lists, much refused",
            kinds: [.insert, .insert, .remove, .move, .setElement, .clear, .assign],
            refusals: 30
        ),
    ]

    @Test(arguments: all)
    func `a write beats those that its author saw, lists lose and double nothing, resends count once, all end alike`(
        options: Options
    ) throws {
        let seeds = Self.seeds
        var cases = 0
        for seed in seeds {
            cases += 1
            var generator = HistoryGenerator(seed: seed, options)
            generator.run()
            let problems = try Self.problems(of: generator)
            guard problems.isEmpty else {
                Issue.record("seed \(seed), \(options): \(problems.joined(separator: "; "))\n\(generator.history)")
                return
            }
        }
        expect(TestBudget.isSpent("RandomHistoryTests, \(options)", cases: cases, of: seeds.count))
    }

    private static func problems(of generator: HistoryGenerator) throws -> [String] {
        let (server, history) = (generator.server, generator.history)
        var problems: [String] = []
        let end = server.stored()
        for client in generator.clients where !client.pending.isEmpty || client.display.stored() != end {
            problems.append("\(client.ident) didn't end on the server's state")
        }
        if try history.played().stored() != end { problems.append("replayed, the history ends otherwise") }
        if try history.played(repeating: 2).stored() != end { problems.append("resends count") }

        let refused = Set(
            server.files.flatMap { ident, file in
                file.answers.flatMap(\.refusals).map {
                    History.ChangeID(ident: ident, commit: $0.commit, index: $0.index)
                }
            }
        )
        for write in history.writes where write.isReal && write.old != nil && !refused.contains(write.id) {
            if end[write.object]?[write.property] == write.old {
                problems.append("\(write.id) saw \(write.old!) of \(write.object).\(write.property) and lost to it")
            }
        }

        let deleted = Set(
            history.events.flatMap { event -> [ObjectName] in
                guard case .arrival(_, let commit, _) = event else { return [] }
                return commit.changes.compactMap { if case .delete(let name, _) = $0 { name } else { nil } }
            }
        )
        // A refused move removes the position next to which its author placed later inserts.
        let withRefusals = Set(
            server.files.values.flatMap { $0.answers.flatMap(\.refusals).map(\.change.object) }
        )
        let edits = history.listEdits.filter { !refused.contains($0.id) && !deleted.contains($0.object) }
        for (object, edits) in Dictionary(grouping: edits, by: \.object) {
            guard case .list(let list)? = server.objects[object]?.record["list"] else { continue }
            problems += self.problems(of: list, edits, withNeighbours: !withRefusals.contains(object))
                .map { "\(object): \($0)" }
        }
        return problems
    }

    /// Checks that exactly the elements that accepted edits removed are dead, that each element has one slot, and that
    /// inserted elements are still behind their left neighbours.
    private static func problems(
        of list: SlotList,
        _ edits: [History.ListEdit],
        withNeighbours: Bool
    ) -> [String] {
        var problems: [String] = []
        let alive = list.alive.map(\.element)
        if Set(alive).count != alive.count { problems.append("an element is doubled") }
        let removed = Set(edits.flatMap(\.removed))
        let clears = edits.compactMap(\.cleared)
        for element in Set(alive).intersection(removed) { problems.append("\(element) was removed and is present") }
        for edit in edits where !edit.isAssignment {
            for element in edit.inserted where !alive.contains(element) && !removed.contains(element) {
                let born = list.elements[element]?.born ?? 0
                if clears.contains(where: { $0.includes(born, element.ident) }) { continue }
                problems.append("\(element) is missing without a removal")
            }
        }
        let places = Dictionary(uniqueKeysWithValues: list.order.enumerated().map { ($0.element.id, $0.offset) })
        for (first, second) in edits.flatMap(\.neighbours) where withNeighbours {
            if let a = places[first], let b = places[second], a > b {
                problems.append("\(second) was put behind \(first)")
            }
        }
        return problems
    }

    /// Within a round, no client receives the work of another one. Then every order of arrival that keeps each client's
    /// own order also keeps causality, and each version number stands for the same state at the round's end.
    ///
    /// Creates and deletes are left out: the order in which a concurrent create and delete arrive decides whether the
    /// object exists. Refusals are left out because unique constraints are checked in the order of arrival. The horizon
    /// is left out because a chain doesn't keep the shape of the tree.
    @Test(arguments: [HistoryGenerator.Kind.inserts, HistoryGenerator.Kind.orderless])
    func `without creates, deletes, refusals and trimming, the order of arrival makes no difference`(
        kinds: [HistoryGenerator.Kind]
    ) throws {
        let seeds = Self.seeds
        var cases = 0
        for seed in seeds {
            cases += 1
            var generator = HistoryGenerator(seed: seed, Options(name: "rounds", kinds: kinds, refusals: 0))
            var shuffle = SeededRandom(seed: ~seed)
            for _ in 0..<4 {
                for index in generator.clients.indices {
                    for _ in 0..<Int.random(in: 0...3, using: &shuffle) { generator.commit(index) }
                }
                let work = generator.clients.indices.map { generator.unsent($0) }
                var ends: [[ObjectName: [SyncString: Content]]] = []
                for _ in 0..<5 {
                    var (stream, queues) = (generator.server, work)
                    while let index = queues.indices.filter({ !queues[$0].isEmpty }).randomElement(using: &shuffle) {
                        let commit = queues[index].removeFirst()
                        try stream.apply(commit, from: generator.clients[index].ident, serverNow: 1 << 40)
                    }
                    ends.append(stream.stored())
                }
                guard ends.allSatisfy({ $0 == ends[0] }) else {
                    let commits = work.enumerated().map { "c\($0 + 1): \($1)" }.joined(separator: "\n")
                    Issue.record("seed \(seed): \(ends)\n\(generator.history)\n\(commits)")
                    return
                }
                generator.synchronize()
            }
        }
        expect(TestBudget.isSpent("RandomHistoryTests, rounds", cases: cases, of: seeds.count))
    }

    @Test func `runs that were inserted at the same time aren't mixed`() throws {
        for seed in Self.seeds {
            let options = Options(name: "runs", kinds: HistoryGenerator.Kind.inserts, refusals: 0)
            var generator = HistoryGenerator(seed: seed, options)
            for index in generator.clients.indices {
                for _ in 0..<3 { generator.commit(index) }
            }
            let runs = generator.clients.flatMap { client in
                client.pending.flatMap(\.changes).compactMap { change -> (ObjectName, [OwnID])? in
                    guard case .insert(let place, _, let first, let values) = change else { return nil }
                    let numbers = (0..<values.count).map { OwnID(ident: client.ident, number: first + OwnNumber($0)) }
                    return (place.object, numbers)
                }
            }
            generator.synchronize()
            for (object, run) in runs {
                guard case .list(let list)? = generator.server.objects[object]?.record["list"] else { continue }
                let order = list.order.map(\.id)
                let (first, last) = (order.firstIndex(of: run.first!)!, order.firstIndex(of: run.last!)!)
                expect(order[first...last].allSatisfy { $0.ident == run[0].ident }, "seed \(seed)")
                expectEqual(order[first...last].filter { run.contains($0) }, run, "seed \(seed)")
            }
        }
    }

    @Test func `a seed always creates the same history, which prints as a script`() throws {
        func history() -> History {
            var generator = HistoryGenerator(seed: 7, Options(name: "everything"))
            generator.run()
            return generator.history
        }
        let script = history().description
        expectEqual(script, history().description)
        expect(script.contains("commit 1 at"))
        for (index, change) in history().events.prefix(3).compactMap({ event -> Commit? in
            if case .arrival(_, let commit, _) = event { commit } else { nil }
        }).flatMap(\.changes).enumerated() {
            expect(script.contains("    \(change)"), "change \(index)")
        }
    }
}
