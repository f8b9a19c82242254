import TestExpectations
import TestRandom
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// An observer is a user that sees a part of a stream. Two worlds that differ in hidden data only, also in the number and the keys of hidden
/// objects, send the observer the same bytes.
///
/// The hashes of cursors are salted, so they aren't compared. Both worlds have the same number of commits: versions are outside of the promise.
struct ObserverTests {
    private let things = (0..<8 as Range<Int64>).map { ObjectName("Thing", .int($0 * 100)) }

    private static let conditions: [SyncString] = [
        "TRUEPREDICATE", "f > 20", "f <= 30", "f == 7 OR f > 40", "_id > 250", "_id IN {0, 100, 300}", "NOT f > 10",
    ]
    private static let roles: [SimulatedRole] = [
        SimulatedRole(hiddenMail: 1, hiddenFields: ["g", "list"]),
        SimulatedRole(hiddenMail: 1, hiddenFields: ["g", "list"], deletes: false),
        SimulatedRole(hiddenMail: 1, hiddenFields: ["f", "g", "list"], creates: false),
        SimulatedRole(hiddenMail: 1, hiddenFields: ["g", "list"], fixedFields: ["f"]),
    ]

    private func set(_ name: ObjectName, _ property: SyncString, _ value: Int64) -> Change {
        .set(Place(name, property), .int(value), .real)
    }

    private func create(_ name: ObjectName, mail: Int64, f: Int64, hidden: Int64, size: Int) -> Change {
        .create(
            name,
            [
                NewField("mail", .value(.int(mail))), NewField("f", .value(.int(f))),
                NewField("g", .value(.int(hidden))),
                NewField("list", .list(first: 1, (0..<Int64(size)).map { .int(hidden + $0) })),
            ]
        )
    }

    /// Changes of hidden objects, which are different in each world.
    private func hiddenChanges(
        _ alive: [ObjectName: StreamVersion],
        _ step: Int64,
        _ random: inout SeededRandom
    ) -> [Change] {
        let base = ObjectName("Thing", .int(-1))
        let value = Int64(random.below(1_000_000))
        var changes =
            alive[base] == nil ? [create(base, mail: 1, f: 0, hidden: value, size: 1)] : [set(base, "g", value)]
        let hidden = alive.keys.filter { $0 != base && !things.contains($0) }.sorted()
        for name in hidden where random.chance(20) {
            changes.append(random.chance(50) ? .delete(name, .edit) : set(name, "f", value))
        }
        for _ in 0..<random.below(5) {
            // Keys between the shown ones, before and behind them.
            let key = Int64(random.below(1_000)) - 100
            let name = ObjectName("Thing", .int(key))
            let isTaken = key % 100 == 0 || key < 0 || alive[name] != nil || changes.contains { $0.object == name }
            if !isTaken { changes.append(create(name, mail: 1, f: value, hidden: value, size: random.below(40))) }
        }
        return changes
    }

    /// Changes of objects that are shown at times, which both worlds have; only the values of hidden fields differ.
    private func changes(
        _ name: ObjectName,
        _ step: Int64,
        isThere: Bool,
        hidden: Int64,
        _ random: inout SeededRandom
    ) -> [Change] {
        let kind = random.below(6)
        guard isThere else { return [create(name, mail: Int64(kind % 2), f: step, hidden: hidden, size: 2)] }
        switch kind {
        case 0: return [set(name, "g", hidden)]
        case 1: return [set(name, "mail", Int64(random.below(2)))]
        case 2, 3: return [set(name, "f", step)]
        case 4: return [set(name, "g", hidden), set(name, "f", step), .clearList(Place(name, "list"), hidden: [])]
        default: return [.delete(name, .edit)]
        }
    }

    private func play(_ seed: UInt64, world: UInt64) throws -> [[UInt8]] {
        var (random, own) = (SeededRandom(seed: seed), SeededRandom(seed: seed &* 3 &+ world))
        let roles = SimulatedRoles()
        var bench = ServerBench(seed: seed, matcher: QueryMatcher()) { configuration in
            configuration.apps["app"]?.rights = { user, _ in QueryRole(role: roles[user]) }
            // Many chunks and pages for few objects.
            (configuration.chunkObjects, configuration.chunkBytes) = (3, 250)
        }
        roles["ben"] = Self.roles[0]
        let all = [ClassQuery(className: "Thing", condition: "TRUEPREDICATE")]
        let ann = bench.add(all)
        let ben = bench.add(all, user: "ben", isRecording: true)
        for step in 1...90 as ClosedRange<Int64> {
            let name = things[random.below(things.count)]
            bench.now += 1_000
            switch random.below(12) {
            case 0:
                bench.disconnect(ben)
                if random.chance(50) { roles["ben"] = Self.roles[random.below(Self.roles.count)] }
                // Bootstraps are interrupted, and continue at their positions.
                bench.clients[ben].window = random.chance(50) ? UInt64(100 + random.below(1_500)) : 1 << 40
                bench.connect(ben)
            case 1:
                roles["ben"] = Self.roles[random.below(Self.roles.count)]
                bench.run(.rightsChanged(random.chance(50) ? ["ben"] : nil))
            case 2, 3:
                var queries = bench.clients[ben].queries
                queries.version += 1
                queries.queries = [
                    ClassQuery(
                        className: "Thing",
                        condition: Self.conditions[random.below(Self.conditions.count)]
                    )
                ]
                bench.clients[ben].queries = queries
                bench.say(ben, .queries(1, queries))
            case 4:
                // Keys that no hidden object of either world has. A refused write may reveal that a key exists.
                let own = random.chance(60) ? name : ObjectName("Thing", .int(2_000 + step))
                let seen = bench.clients[ben].objects[own].map { [own: $0.version] } ?? [:]
                let change =
                    own != name
                    ? create(own, mail: Int64(random.below(2)), f: step, hidden: 0, size: 0)
                    : random.chance(50) ? Change.delete(own, .edit) : set(own, "f", step)
                bench.commit(ben, [change], seen)
            case 5:
                // A client requests objects of its view. Between two views it couldn't interpret the answer.
                guard bench.clients[ben].begun == nil else { continue }
                bench.say(ben, .fetch(1, things + [ObjectName("Thing", .int(5)), ObjectName("Thing", .int(-1))]))
            default:
                let alive = bench.clients[ann].objects.mapValues(\.version)
                let shown = changes(
                    name,
                    step,
                    isThere: alive[name] != nil,
                    hidden: Int64(own.below(10_000)),
                    &random
                )
                let changes = hiddenChanges(alive, step, &own) + shown
                let seen = alive.filter { name, _ in changes.contains { $0.object == name } }
                bench.commit(ann, changes, seen)
            }
        }
        expect(bench.clients.flatMap(\.mistakes).isEmpty, "\(bench.clients.flatMap(\.mistakes))")
        expect(bench.clients.flatMap(\.faults).isEmpty, "\(bench.clients.flatMap(\.faults))")
        let codec = MessageCodec()
        return try bench.clients[ben].received.map { try codec.encode($0.withoutHashes) }
    }

    @Test(arguments: CodecSeeds.seeds("ObserverTests", count: 8, soak: 3_000))
    func `two worlds that differ in hidden objects send an observer the same messages`(_ seed: UInt64) throws {
        let (first, second) = (try play(seed, world: 1), try play(seed, world: 2))
        expect(first.count > 20)
        let place = zip(first, second).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        expect(place == nil && first.count == second.count, "message \(place ?? -1) of \(first.count), \(second.count)")
    }
}
