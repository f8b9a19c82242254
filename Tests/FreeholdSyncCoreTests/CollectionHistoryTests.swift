import Foundation
import FreeholdEngine
import FreeholdSyncCore
import Testing

@testable import SyncWorlds

/// Sets and dictionaries: sync-design.md, section 5.
struct CollectionHistoryTests {
    let tags = Place(thing, "tags")
    let map = Place(thing, "map")

    private func stream() throws -> Oracle {
        try Oracle(
            list: [],
            [NewField("tags", .set([1, 2])), NewField("map", .dictionary(SyncDictionary([("a", 1), ("b", 1)])))]
        )
    }

    @Test(arguments: [[c1, c2], [c2, c1]])
    func `values of a set and keys of a dictionary merge one by one, and the later write wins`(order: [FileIdent])
        throws
    {
        var stream = try stream()
        for ident in order {
            let changes: [Change] =
                ident == c1
                ? [
                    .removeFromSet(tags, [1, 3]), .insertIntoSet(tags, [4]), .removeEntry(map.entry("a")),
                    .set(map.entry("c"), 1, .real),
                ]
                : [.insertIntoSet(tags, [1, 3, 5]), .set(map.entry("a"), 2, .real), .set(map.entry("c"), 2, .real)]
            let clock = Clock(milliseconds: ident == c1 ? 20 : 10)
            try stream.take(ident, Commit(number: 1, clock: clock, base: 1, seen: [thing: 1], changes: changes))
        }
        expectEqual(stream.values(thing, "tags"), "{2 4 5}")
        expectEqual(stream.values(thing, "map"), "{b: 1 c: 1}")
    }

    @Test(arguments: [[c1, c2], [c2, c1]])
    func `a clear removes exactly the writes that its author saw`(order: [FileIdent]) throws {
        var stream = try stream()
        for ident in order {
            if ident == c1 {
                let clock = Clock(milliseconds: 30)
                let changes: [Change] = [.clearSet(tags, hidden: [2]), .clearDictionary(map, hidden: [])]
                try stream.take(c1, Commit(number: 1, clock: clock, base: 1, seen: [thing: 1], changes: changes))
            } else {
                let clock = Clock(milliseconds: 20)
                let changes: [Change] = [
                    .insertIntoSet(tags, [7]), .set(map.entry("a"), 5, .real), .increment(map.entry("b"), 1),
                ]
                try stream.take(c2, Commit(number: 1, clock: clock, base: 1, seen: [thing: 1], changes: changes))
            }
        }
        expectEqual(stream.values(thing, "tags"), "{2 7}")
        expectEqual(stream.values(thing, "map"), "{a: 5}")
    }

    @Test(arguments: [[c1, c2, c3], [c3, c2, c1], [c2, c1, c3], [c2, c3, c1], [c1, c3, c2], [c3, c1, c2]])
    func `the later of two concurrent dictionary or set assignments replaces the other`(order: [FileIdent]) throws {
        var stream = try stream()
        for ident in order {
            let (clock, changes): (Int64, [Change]) =
                switch ident {
                case c1:
                    (
                        20,
                        [
                            .assignDictionary(map, hidden: [], SyncDictionary([("x", 1)])),
                            .assignSet(tags, hidden: [], [8]),
                        ]
                    )
                case c2:
                    (
                        10,
                        [
                            .assignDictionary(map, hidden: [], SyncDictionary([("y", 2), ("z", 2)])),
                            .assignSet(tags, hidden: [], [9]),
                        ]
                    )
                default:
                    (5, [.set(map.entry("y"), 3, .real), .set(map.entry("w"), 3, .real), .insertIntoSet(tags, [7])])
                }
            try stream.take(
                ident,
                Commit(number: 1, clock: Clock(milliseconds: clock), base: 1, seen: [thing: 1], changes: changes)
            )
        }
        expectEqual(stream.values(thing, "map"), "{w: 3 x: 1}")
        expectEqual(stream.values(thing, "tags"), "{7 8}")
    }

    @Test func `Keys that Swift takes for equal are two entries if their bytes differ`() throws {
        var stream = try stream()
        try stream.take(
            c1,
            commit(
                1,
                clock: 10,
                base: 1,
                .assignDictionary(map, hidden: [], SyncDictionary([("\u{E9}", 1), ("e\u{301}", 2)]))
            )
        )
        guard case .dictionary(let entries)? = stream.contents(of: thing)?["map"] else {
            Issue.record("no dictionary")
            return
        }
        expectEqual(entries.count, 2)
    }

    @Test func `equal numbers of different types are one element of a set, and the later write is shown`() throws {
        var stream = try stream()
        try stream.take(
            c1,
            commit(
                1,
                clock: 10,
                base: 1,
                .insertIntoSet(tags, [.double(1), .double(.nan), .float(.nan), .double(-0.0), 0])
            )
        )
        expectEqual(stream.values(thing, "tags"), "{0 1.0 2 nanf}")
    }

    // The type is declared because the compiler takes ten seconds to infer it.
    private static let pairs: [(SyncValue, SyncValue, Bool)] = [
        (.int(1), .double(1), true), (1, .float(1), true), (1, .decimal128("1.00"), true),
        (.double(0.0), .double(-0.0), true), (0, .double(-0.0), true), (.double(.nan), .float(-.nan), true),
        (.double(.nan), .decimal128(.nan), true), (.double(.infinity), .decimal128(.infinity), true),
        (.double(.infinity), .double(-.infinity), false), (.double(0.5), .decimal128("0.5"), true),
        (.double(0.1), .decimal128("0.1"), false), (.float(0.1), .double(0.1), false),
        (.int(.max), .double(0x1p63), false), (.int(.max), .decimal128("9223372036854775807"), true),
        (.double(1e22), .decimal128("1E+22"), true), (.bool(true), 1, false), (.string("a"), .data(.init([97])), false),
        (.string("\u{E9}"), .string("e\u{301}"), false), (.null, 0, false),
        (.int(1 << 53 + 1), .double(0x1p53), false),
    ]

    @Test(arguments: pairs)
    func `two values are one element of a set exactly if their numbers, or their bytes, are equal`(
        a: SyncValue,
        b: SyncValue,
        isOne: Bool
    ) {
        expectEqual(SetElement(a) == SetElement(b), isOne)
        expectEqual(SetElement(b) == SetElement(a), isOne)
        expect(a != b)
    }
}
