import FreeholdSyncCore
import Testing

@testable import SyncWorlds

/// Single values, counters, mixed values, embedded objects: sync-design.md, section 5.
struct RegisterHistoryTests {
    let count = Place(thing, "count")

    @Test(arguments: [[c1, c2, c3], [c3, c2, c1], [c2, c1, c3], [c2, c3, c1], [c1, c3, c2], [c3, c1, c2]])
    func `increments after the register's clock are summed, wrapping; earlier ones are dropped`(order: [FileIdent])
        throws
    {
        var stream = try Oracle(list: [], [NewField("count", .value(5))])
        for ident in order {
            let (clock, change): (Int64, Change) =
                switch ident {
                case c1: (10, .increment(count, 100))
                case c2: (20, .set(count, .int(.max), .real))
                default: (30, .increment(count, 2))
                }
            try stream.take(ident, commit(1, clock: clock, base: 1, change))
        }
        expectEqual(stream.values(thing, "count"), "\(Int64.min + 1)")
    }

    @Test func `adds don't change null or a value that isn't an integer`() throws {
        var stream = try Oracle(list: [], [NewField("count", .value(.null)), NewField("text", .value("a"))])
        try stream.take(c1, commit(1, clock: 10, base: 1, .increment(count, 1), .increment(Place(thing, "text"), 1)))
        expectEqual(stream.values(thing, "count"), "null")
        expectEqual(stream.values(thing, "text"), "a")
        // The add applies to the value of a concurrent set with an earlier clock.
        try stream.take(c2, commit(1, clock: 5, base: 1, .set(count, 7, .real)))
        expectEqual(stream.values(thing, "count"), "8")
    }

    @Test func `increments count on a default with any clocks, and stay when a real value precedes them`() throws {
        var stream = Oracle()
        let field = [NewField("count", .value(0), .byDefault)]
        try stream.take(c1, commit(1, clock: 10, base: 0, .create(thing, field), .increment(count, 3)))
        try stream.take(c2, commit(1, clock: 20, base: 0, .create(thing, field), .increment(count, 4)))
        expectEqual(stream.values(thing, "count"), "7")
        try stream.take(c3, commit(1, clock: 15, base: 0, .create(thing, [NewField("count", .value(100))])))
        expectEqual(stream.values(thing, "count"), "104")
    }

    @Test func `merged neighbouring increments have the latest clock: a late set counts one too many and loses none`()
        throws
    {
        for merges in [false, true] {
            var stream = try Oracle(list: [], [NewField("count", .value(0))])
            try stream.take(c1, commit(1, clock: 10, base: 1, .increment(count, 1)))
            try stream.take(c1, commit(2, clock: 20, base: 1, .increment(count, 1)))
            if merges { stream.mergeNeighbouringAdds() }
            expectEqual(stream.values(thing, "count"), "2")
            try stream.take(c2, commit(1, clock: 15, base: 1, .set(count, 100, .real)))
            expectEqual(stream.values(thing, "count"), (merges ? "102" : "101"))
        }
    }

    @Test(arguments: [[c1, c2], [c2, c1]])
    func `dictionaries in mixed values merge key by key along their path, and a list there is one register`(
        order: [FileIdent]
    ) throws {
        let start: SyncValue = .dictionary(
            SyncDictionary([("a", .dictionary(SyncDictionary([("x", 1)]))), ("l", .list([1, 2]))])
        )
        var stream = try Oracle(list: [], [NewField("mixed", .value(start))])
        let mixed = Place(thing, "mixed")
        for ident in order {
            let changes: [Change] =
                ident == c1
                ? [
                    .set(mixed.nested("a").nested("y"), 2, .real),
                    .set(mixed.nested("l"), .list([1, 2, 3]), .real),
                ]
                : [
                    .set(mixed.nested("a").nested("z"), 3, .real),
                    .removeEntry(mixed.nested("a").nested("x")),
                    .set(mixed.nested("l"), .list([0, 1, 2]), .real),
                ]
            try stream.take(
                ident,
                Commit(
                    number: 1,
                    clock: Clock(milliseconds: ident == c1 ? 20 : 10),
                    base: 1,
                    seen: [thing: 1],
                    changes: changes
                )
            )
        }
        expectEqual(stream.values(thing, "mixed"), "{a: {y: 2, z: 3}, l: [1, 2, 3]}")
    }

    @Test(arguments: [[c1, c2], [c2, c1]])
    func `a later write of a whole mixed value replaces the edits before it and keeps those after it`(
        order: [FileIdent]
    )
        throws
    {
        var stream = try Oracle(list: [], [NewField("mixed", .value(.dictionary(SyncDictionary([("a", 1)]))))])
        let mixed = Place(thing, "mixed")
        for ident in order {
            if ident == c1 {
                try stream.take(c1, commit(1, clock: 10, base: 1, .set(mixed.nested("b"), 1, .real)))
                try stream.take(c1, commit(2, clock: 30, base: 1, .set(mixed.nested("c"), 1, .real)))
            } else {
                let value = SyncValue.dictionary(SyncDictionary([("d", 1)]))
                try stream.take(c2, commit(1, clock: 20, base: 1, .set(mixed, value, .real)))
            }
        }
        expectEqual(stream.values(thing, "mixed"), "{c: 1, d: 1}")
    }

    // MARK: Embedded objects

    private func address(_ number: OwnNumber, _ street: SyncValue) -> SyncValue {
        .embedded(
            EmbeddedValue(number: number, fields: [NewField("street", .value(street)), NewField("floor", .value(0))])
        )
    }

    @Test(arguments: [[c1, c2], [c2, c1]])
    func `edits inside an embedded object belong to their instance, and a later assignment wins whole`(
        order: [FileIdent]
    )
        throws
    {
        var stream = try Oracle(list: [], [NewField("home", .value(address(90, "old")))])
        let home = Place(thing, "home")
        for ident in order {
            if ident == c1 {
                let edit = Change.set(home.instance(.confirmed).property("floor"), 7, .real)
                let refused = try stream.take(c1, commit(1, clock: 90, base: 1, edit))
                expectEqual(refused, (order == [c1, c2] ? [] : [.instanceGone]))
            } else {
                try stream.take(c2, commit(1, clock: 20, base: 1, .set(home, address(1, "new"), .real)))
                let own = Change.set(home.instance(.own(1)).property("floor"), 3, .real)
                expect(try stream.take(c2, commit(2, clock: 21, base: 1, own)).isEmpty)
            }
        }
        expectEqual(stream.values(thing, "home"), "{floor: 3 street: new}")
    }

    @Test func `concurrent edits inside one instance merge field by field`() throws {
        var stream = try Oracle(list: [], [NewField("home", .value(address(90, "old")))])
        let home = Place(thing, "home").instance(.confirmed)
        try stream.take(c1, commit(1, clock: 10, base: 1, .set(home.property("floor"), 7, .real)))
        try stream.take(c2, commit(1, clock: 9, base: 1, .set(home.property("street"), "S", .real)))
        try stream.take(c2, commit(2, clock: 9, base: 1, .increment(home.property("floor"), 1)))
        expectEqual(stream.values(thing, "home"), "{floor: 7 street: S}")
    }

    @Test func `H12: an embedded object in a list is named by its element, and is removed with it`() throws {
        var stream = try Oracle(list: [address(90, "a"), address(91, "b")])
        let second = list.element(.confirmed(1))
        try stream.take(c2, commit(1, clock: 10, base: 1, .remove(list, [.confirmed(0)])))
        try stream.take(
            c1,
            commit(1, clock: 10, base: 1, .set(second.instance(.confirmed).property("street"), "B", .real))
        )
        expectEqual(stream.values(), "[{floor: 0 street: B}]")
        let gone = Change.set(list.element(.confirmed(0)).instance(.confirmed).property("street"), "A", .real)
        try expectEqual(stream.take(c1, commit(2, clock: 11, base: 1, gone)), [.instanceGone])
        // A list inside of an instance.
        let inner = second.instance(.confirmed).property("rooms")
        let insert = Change.insert(inner, Gap(after: nil, before: nil), first: 1, [1, 2])
        try stream.take(c1, commit(3, clock: 12, base: 1, insert, .remove(inner, [.own(1)])))
        expectEqual(stream.values(), "[{floor: 0 rooms: [2] street: B}]")
    }
}
