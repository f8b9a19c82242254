import FreeholdEngine
import Foundation
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Random sessions against a recomputation of each view. `FREEHOLD_SEED` repeats one.
struct ServerRandomTests {
    static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["FREEHOLD_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let (first, count) = (UInt64(1), TestBudget.cases(13, soak: 5_000))
        print("ServerRandomTests: FREEHOLD_SEED=\(first) and the \(count - 1) after it")
        return Array(first..<first + UInt64(count))
    }()

    @Test(arguments: seeds)
    func `Each session ends on its view, whatever fails`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var bench = ServerBench(seed: seed) {
            ($0.chunkObjects, $0.stepObjects, $0.logAge) = (3, 4, 60_000)
            $0.size = { _ in 100 }
            // With half of the seeds, the reading of a page makes the user's other sessions wait.
            if seed % 2 == 1 { $0.userBytes = 40_000 }
        }
        for index in 0..<4 { _ = bench.add(Self.queries(index, &random)) }
        (bench.failures, bench.lostAnswers) = (10, 50)
        for _ in 0..<150 {
            bench.now += Int64.random(in: 0..<2_000, using: &random)
            let index = Int.random(in: bench.clients.indices, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<55: change(&bench, index, &random)
            case 55..<65: bench.disconnect(index)
            case 65..<80: bench.connect(index)
            case 80..<88: bench.tick()
            case 88..<92: bench.killNode()
            case 92..<95: bench.run(.timer(.trim))
            case 95..<97: bench.clients[index].window = random.chance(50) ? 500 : 1 << 40
            default:
                let queries = Queries(
                    version: bench.clients[index].queries.version + 1,
                    queries: Self.queries(index, &random)
                )
                bench.clients[index].queries = queries
                bench.say(index, .queries(1, queries))
            }
            bench.machine.sessions.checkInvariants()
        }
        (bench.failures, bench.lostAnswers) = (0, 0)
        for index in bench.clients.indices { bench.clients[index].window = 1 << 40 }
        for _ in 0..<5 {
            for index in bench.clients.indices where bench.clients[index].faults.last != .storeReplaced {
                bench.connect(index)
                bench.tick()
            }
        }
        for client in bench.clients.indices {
            let own = bench.clients[client]
            expectEqual(own.mistakes, [], "client \(client)")
            expect(own.forks.isEmpty)
            expect(own.pending.isEmpty, "client \(client)")
            expectEqual(own.completed, own.queries.version, "client \(client)")
            expectEqual(own.shown, bench.expected(client), "client \(client)")
            expectEqual(Set(own.versions).count, own.versions.count)
            expect(!own.faults.contains(.violation))
        }
        let commits = bench.store.files(of: ServerBench.stream).values.reduce(0) { $0 + $1.last }
        expectEqual(bench.store.head(of: ServerBench.stream).version, commits)
    }

    static func queries(_ index: Int, _ random: inout SeededRandom) -> [ClassQuery] {
        let all: [ClassQuery] = [
            ClassQuery(className: "A", condition: "all"), ClassQuery(className: "A", condition: "n == 1"),
            ClassQuery(className: "A", condition: "n == 2"), ClassQuery(className: "B", condition: "all"),
            ClassQuery(className: "B", condition: "n == 1"),
        ]
        return all.filter { _ in random.chance(50) }
    }

    private func change(_ bench: inout ServerBench, _ index: Int, _ random: inout SeededRandom) {
        let name = ObjectName(random.chance(60) ? "A" : "B", .int(Int64.random(in: 0..<12, using: &random)))
        let number = Int64.random(in: 0..<4, using: &random)
        let next = (bench.clients[index].lastCommit + 1) * 100
        var changes: [Change] = []
        var seen: [ObjectName: StreamVersion] = [:]
        if let held = bench.clients[index].objects[name] {
            seen[name] = held.version
            var count = 0
            for field in held.fields {
                if case .list(let runs) = field.content { count = runs.reduce(0) { $0 + $1.elements.count } }
            }
            let list = Place(name, "list")
            switch Int.random(in: 0..<9, using: &random) {
            case 0: changes = [.delete(name, .edit)]
            case 1: changes = [.insert(list, Gap(after: nil, before: nil), first: next, [.int(number), .int(7)])]
            case 2 where count > 0: changes = [.remove(list, [.confirmed(Int.random(in: 0..<count, using: &random))])]
            case 3 where count > 1:
                let gap = Gap(after: .confirmed(count - 1), before: nil)
                changes = [.move(list, .confirmed(0), gap, number: next)]
            case 4 where count > 0:
                changes = [.set(list.element(.confirmed(count - 1)), .int(number), .real)]
            case 5: changes = [.insertIntoSet(Place(name, "set"), [.int(number)])]
            case 6: changes = [.clearSet(Place(name, "set"), hidden: [])]
            case 7:
                let value = EmbeddedValue(number: next, fields: [NewField("x", .value(.int(number)))])
                changes = [.set(Place(name, "dictionary").entry(SyncString("k\(number)")), .embedded(value), .real)]
            case 8: changes = [.removeEntry(Place(name, "dictionary").entry(SyncString("k\(number)")))]
            default: changes = [.set(Place(name, "n"), .int(number), .real)]
            }
        } else {
            changes = [.create(name, [NewField("n", .value(.int(number)))])]
        }
        bench.commit(index, changes, seen)
    }
}
