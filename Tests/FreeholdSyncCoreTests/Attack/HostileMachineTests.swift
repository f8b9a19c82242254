#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import TestRandom
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Messages that no honest side sends, straight into the machines: valid ones with numbers that are changed, and random ones.
struct HostileMachineTests {
    /// One seed found a server that gives a version two contents. It is always included.
    static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["FREEHOLD_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let first = TestSeed.random(in: 0..<1 << 40)
        print("HostileMachineTests: FREEHOLD_SEED=\(first)")
        return [722_745_941_940] + (first..<first + (environment["FREEHOLD_SOAK"] == nil ? 6 : 2_000))
    }

    @Test func `a hostile client gets errors, and other clients aren't affected`() {
        for seed in Self.seeds {
            var random = SeededRandom(seed: seed)
            var messages = RandomMessages(seed: seed)
            var script = ScriptedWorld(list: "abc")
            let file = script.world.clients[0].store.data.state.file
            for round in 0..<40 {
                let connection = ConnectionNumber(1_000 + round)
                script.world.run(.opened(connection), 0)
                let hello = Hello(deviceTime: 0, token: AccessToken("t"))
                script.world.run(.received(connection, .hello(hello), bytes: 10), 0)
                var bind = Bind(app: "sim", schema: SchemaClaim(version: 0, hash: .empty))
                if random.chance(70) { bind.file = file }
                if random.chance(70) { bind.cursor = script.world.clients[0].store.data.state.cursor }
                bind.journal = JournalRange(acknowledged: odd(1, &random), hash: .empty, pending: [.empty])
                bind.leastBase = odd(1, &random)
                bind.isReset = random.chance(30)
                script.world.run(.received(connection, .bind(1, bind), bytes: odd(10, &random)), 0)
                script.answerAll()
                for _ in 0..<10 {
                    var message = messages.client()
                    if random.chance(60) { message = .upload(1, upload(&random)) }
                    script.world.run(.received(connection, message, bytes: odd(10, &random)), 0)
                    if random.chance(70) { script.answerAll() }
                }
                script.world.run(.closed(connection), 0)
            }
            script.answerAll()
            script.world.problems = []
            script.insert(1, "Z", at: 0)
            script.syncAll()
            script.syncAll()
            for problem in script.world.checks.end(script.world) {
                Issue.record("seed \(seed): \(problem)")
            }
        }
    }

    @Test func `a hostile server never stops the file from working`() {
        for seed in Self.seeds {
            var random = SeededRandom(seed: seed)
            var messages = RandomMessages(seed: seed)
            var script = ScriptedWorld(list: "abc")
            for _ in 0..<40 {
                script.world.time += 100_000
                script.world.fireClientTimers(0)
                script.insert(0, "x", at: 0)
                script.world.handle(.committed, 0)
                for _ in 0..<3 {
                    script.world.deliverUp(0)
                    script.answerAll()
                    script.world.deliverDown(0)
                }
                script.world.isTracing = true
                for _ in 0..<10 where !script.world.problems.contains(where: { $0.contains("its shadow says") }) {
                    let cursor = script.world.clients[0].store.data.state.cursor
                    let message = random.chance(40) ? messages.server() : download(cursor, &random)
                    script.world.handle(.received(message, bytes: odd(10, &random)), 0)
                }
                if random.chance(30) { script.world.drop(0) }
                // A hostile server receives errors.
                script.world.problems.removeAll { !$0.contains("a file fails") && !$0.contains("its shadow says") }
                guard script.world.problems.isEmpty else { break }
            }
            for problem in script.world.problems {
                Issue.record("seed \(seed): \(problem)\n\(script.world.trace.suffix(6).joined(separator: "\n"))")
            }
            let shown = script.shown(0)
            script.commit(0, .create(ObjectName("Thing", 77), ["f": .value(1)], defaults: []))
            expectEqual(script.value(0, "f", ObjectName("Thing", 77)), 1)
            expectEqual(shown, script.shown(0))
        }
    }

    // MARK: Making

    /// Returns the number, or an unexpected one.
    private func odd(_ number: UInt64, _ random: inout SeededRandom) -> UInt64 {
        guard random.chance(30) else { return number }
        return [0, 1, 2, number &+ 1, .max, .max - 1, 1 << 63, 1 << 32].randomElement(using: &random)!
    }

    private func reference(_ random: inout SeededRandom) -> ElementReference {
        random.chance(50)
            ? .own(odd(1, &random)) : .confirmed([0, 1, 2, 3, -1, .max, .min].randomElement(using: &random)!)
    }

    private func change(_ random: inout SeededRandom) -> Change {
        let place = Place(ScriptedWorld.name, ["list", "f", "count", "nothing"].randomElement(using: &random)!)
        let gap = Gap(after: reference(&random), before: random.chance(50) ? reference(&random) : nil)
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return .insert(place, gap, first: odd(1, &random), [1, 2])
        case 1: return .remove(place, [reference(&random), reference(&random)])
        case 2: return .move(place, reference(&random), gap, number: odd(2, &random))
        case 3: return .clearList(place, hidden: [reference(&random)])
        case 4: return .assignList(place, hidden: [reference(&random)], gap, first: odd(5, &random), [3])
        case 5: return .set(place.element(reference(&random)).property("x"), 1, .real)
        case 6: return .increment(place, .max)
        case 7: return .set(place.element(reference(&random)).instance(.own(odd(1, &random))), 1, .byDefault)
        default: return .delete(ObjectName("Thing", 55), .cascade(of: ScriptedWorld.name))
        }
    }

    private func upload(_ random: inout SeededRandom) -> Upload {
        let commit = Commit(
            number: odd(1, &random),
            clock: Clock(rawValue: odd(5, &random)),
            base: odd(1, &random),
            seen: [ScriptedWorld.name: odd(1, &random)],
            changes: (0..<Int.random(in: 0...4, using: &random)).map { _ in change(&random) }
        )
        var part: UploadedCommit.Part?
        if random.chance(30) {
            part = .init(index: UInt32(truncatingIfNeeded: odd(0, &random)), isLast: random.chance(50))
        }
        let lists =
            random.chance(30) ? [OldList(place: Place(ScriptedWorld.name, "list"), elements: [1, nil, "a"])] : []
        return Upload(commits: [UploadedCommit(commit: commit, hash: .empty, part: part)], oldLists: lists)
    }

    private func download(_ cursor: Cursor?, _ random: inout SeededRandom) -> ServerMessage {
        let from = cursor ?? Cursor(epoch: 7, version: 1, hash: .empty)
        let to = Cursor(epoch: from.epoch, version: odd(from.version, &random), hash: from.hash)
        let run = ElementRun(made: Made(version: odd(1, &random), number: odd(1, &random)), [.value(1), .value(2)])
        let pieces: [ListDifference.Piece] = [
            .kept(
                start: [0, 1, -1, .max, .min].randomElement(using: &random)!,
                count: [0, 1, .max, -1].randomElement(using: &random)!
            ),
            .new(run),
        ]
        let edit = ListDifference.Edit(
            index: [0, 5, -1, .max].randomElement(using: &random)!,
            content: .whole(.value(1))
        )
        let list = ContentDifference.list(ListDifference(pieces: pieces, edits: random.chance(50) ? [edit] : []))
        let content: ObjectUpdate.Content
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            content = .whole(
                version: odd(1, &random),
                born: odd(1, &random),
                [ConfirmedField("list", .list([run, run]))]
            )
        case 1: content = .difference(version: odd(2, &random), base: odd(1, &random), [FieldDifference("list", list)])
        case 2: content = .present(version: odd(1, &random))
        default: content = .erased
        }
        let batch = ClassBatch(className: "Thing", objects: [ObjectUpdate(1, content)])
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            let versions = (0..<3).map { _ in odd(1, &random) }
            return .ack(1, Ack(first: odd(1, &random), versions: versions, clock: Clock(rawValue: odd(1, &random))))
        case 1:
            var bound = Bound(schema: .accepted, epoch: odd(7, &random), acknowledged: odd(1, &random), start: .nothing)
            bound.horizon = odd(0, &random)
            if random.chance(40) { bound.fork = Fork(common: odd(1, &random)) }
            return .bound(1, bound)
        case 2:
            return .error(
                1,
                ErrorMessage(random.chance(50) ? .storeReplaced : .transient(after: odd(1, &random)), text: "")
            )
        default:
            return .changes(1, Changes(from: from, to: to, clock: Clock(rawValue: odd(1, &random)), classes: [batch]))
        }
    }
}
