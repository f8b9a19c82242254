import Foundation
import TestRandom
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// States of an object as differences to earlier states. `FREEHOLD_SEED` repeats a history.
struct ListPatchTests {
    typealias Options = HistoryGenerator.Options

    static let all = MergeComparisonTests.all

    @Test(arguments: all)
    func `every state of random histories is restored from differences`(options: Options) throws {
        let seeds = CodecSeeds.seeds("ListPatchTests", count: 2, soak: 300)
        var (cases, differences) = (0, 0)
        for seed in seeds {
            cases += 1
            var random = SeededRandom(seed: seed)
            for (name, states) in try Self.states(seed, options) {
                var (patched, last) = (PatchedObject(states[0]), states[0])
                for state in states.dropFirst() {
                    // Not each state is stored.
                    if random.chance(30) { continue }
                    defer { last = state }
                    guard let difference = state.stored(name.key, after: last, lists: 1), !random.chance(5) else {
                        patched = PatchedObject(state)
                        continue
                    }
                    try patched.apply(difference)
                    differences += 1
                    let restored = try patched.finished()
                    expectEqual(restored, state, "seed \(seed), \(options), \(name)")
                    expectEqual(restored.stored(name.key), state.stored(name.key), "seed \(seed), \(options), \(name)")
                }
            }
        }
        if options.name == "lists" { expect(differences > 20, "only \(differences) differences were made") }
        expect(TestBudget.isSpent("ListPatchTests, \(options)", cases: cases, of: seeds.count))
    }

    @Test(arguments: all)
    func `damaged differences are refused, or give an object that can be stored`(options: Options) throws {
        let seeds = CodecSeeds.seeds("ListPatchTests, damaged", count: 1, soak: 100)
        var cases = 0
        for seed in seeds {
            cases += 1
            var random = SeededRandom(seed: seed)
            for (name, states) in try Self.states(seed, options) {
                for (last, state) in zip(states, states.dropFirst()) {
                    guard let difference = state.stored(name.key, after: last, lists: 1) else { continue }
                    for _ in 0..<4 {
                        var bytes = difference.lists
                        let place = Int.random(in: bytes.indices, using: &random)
                        if random.chance(80) {
                            bytes[place] = UInt8.random(in: 0...255, using: &random)
                        } else {
                            bytes.removeSubrange(place...)
                        }
                        var patched = PatchedObject(random.chance(80) ? last : state)
                        let damaged = StoredDifference(rest: difference.rest, lists: bytes)
                        guard (try? patched.apply(damaged)) != nil else { continue }
                        _ = (try? patched.finished())?.stored(name.key)
                    }
                }
            }
        }
        expect(TestBudget.isSpent("ListPatchTests, damaged, \(options)", cases: cases, of: seeds.count))
    }

    @Test func `an edit of a long list takes few bytes`() throws {
        var stream = MergedStream()
        let values = (0..<5_000).map { SyncValue.int(Int64($0)) }
        let create = commit(1, clock: 5, base: 0, .create(thing, [NewField("list", .list(first: 1, values))]))
        _ = try stream.apply(.arrival(c1, create, serverNow: 10))
        let before = try require(stream.store.objects[thing])
        let insert = Change.insert(
            Place(thing, "list"),
            Gap(after: .own(2_500), before: .own(2_501)),
            first: 6_000,
            [7]
        )
        let edit = Commit(number: 2, clock: Clock(milliseconds: 6), base: 1, seen: [thing: 1], changes: [insert])
        _ = try stream.apply(.arrival(c1, edit, serverNow: 10))
        let after = try require(stream.store.objects[thing])
        expect(after != before)
        let difference = try require(after.stored(thing.key, after: before, lists: 1_024))
        expect(difference.lists.count < 100, "\(difference.lists.count) bytes")
        var patched = PatchedObject(before)
        try patched.apply(difference)
        try expectEqual(patched.finished(), after)
        expect(after.stored(thing.key, after: before, lists: 10_000) == nil)
    }

    /// The states of each object that a history makes, in their order.
    private static func states(
        _ seed: UInt64,
        _ options: Options
    ) throws -> [(name: ObjectName, states: [MergedObject])] {
        var generator = HistoryGenerator(seed: seed, options)
        for _ in 0..<(options.trims ? 3 : 1) { generator.run() }
        var stream = MergedStream(generator.history.rules)
        var states: [ObjectName: [MergedObject]] = [:]
        for event in generator.history.events {
            _ = try stream.apply(event)
            for (name, object) in stream.store.objects where states[name]?.last?.changed != object.changed {
                states[name, default: []].append(object)
            }
        }
        return states.sorted { $0.key < $1.key }.map { (name: $0.key, states: $0.value) }
    }
}
