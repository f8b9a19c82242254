import FreeholdSyncCore
import Testing

@testable import SyncWorlds

/// The histories of lists that broke an earlier form of the design (sync-design.md, section 6). Expected results are by hand.
struct ListHistoryTests {
    @Test func `H1: an edit hits the author's own element although the server orders two inserts otherwise`() throws {
        var stream = try Oracle(list: ["a", "b"])
        try stream.take(
            c2,
            commit(1, clock: 10, base: 1, insert("Y", after: .confirmed(0), before: .confirmed(1), first: 1))
        )
        expectEqual(stream.version, 2)
        // C1 inserted X at version 1; it downloads version 2, shows its guess [a X Y b] and removes X.
        try stream.take(
            c1,
            commit(1, clock: 20, base: 1, insert("X", after: .confirmed(0), before: .confirmed(1), first: 1))
        )
        expectEqual(stream.values(), "[a Y X b]")
        try stream.take(c1, commit(2, clock: 30, base: 2, .remove(list, [.own(1)])))
        expectEqual(stream.values(), "[a Y b]")
    }

    @Test func `H2: two clients remove the same element, and one's second removal hits its own target`() throws {
        var stream = try Oracle(list: ["a", "b", "c"])
        try stream.take(c2, commit(1, clock: 10, base: 1, .remove(list, [.confirmed(1)])))
        try stream.take(c1, commit(1, clock: 20, base: 1, .remove(list, [.confirmed(1)])))
        try stream.take(c1, commit(2, clock: 21, base: 1, .remove(list, [.confirmed(2)])))
        expectEqual(stream.values(), "[a]")
    }

    @Test func `H3: a refused insert is a slot for later work next to it`() throws {
        var rules = OracleRules()
        rules.forbids = { ident, commit, _ in ident == c1 && commit.number == 1 }
        var stream = try Oracle(list: ["a", "b"], rules: rules)
        let refused = try stream.take(
            c1,
            commit(1, clock: 10, base: 1, insert("X", after: nil, before: .confirmed(0), first: 1))
        )
        expectEqual(refused, [.forbidden])
        try stream.take(c1, commit(2, clock: 11, base: 1, .remove(list, [.confirmed(0)])))
        expectEqual(stream.values(), "[b]")
        try stream.take(c1, commit(3, clock: 12, base: 1, insert("Z", after: .own(1), before: .confirmed(1), first: 2)))
        expectEqual(stream.values(), "[Z b]")
        // X itself can't be edited back to life.
        expect(try stream.take(c1, commit(4, clock: 13, base: 1, .set(list.element(.own(1)), "X2", .real))).isEmpty)
        expectEqual(stream.values(), "[Z b]")
    }

    @Test func `H4: commits of one upload have their own bases`() throws {
        var stream = try Oracle(list: ["a", "b", "c"])
        try stream.take(c2, commit(1, clock: 10, base: 1, .remove(list, [.confirmed(0)])))
        // Index 1 is b at version 1, and c at version 2.
        try stream.take(c1, commit(1, clock: 20, base: 1, .set(list.element(.confirmed(1)), "B", .real)))
        try stream.take(c1, commit(2, clock: 21, base: 2, .set(list.element(.confirmed(1)), "C", .real)))
        expectEqual(stream.values(), "[B C]")
    }

    @Test func `H5: the base of an edit is its object's version, also if it is newer than the cursor`() throws {
        var stream = try Oracle(list: ["a", "b"])
        try stream.take(c2, commit(1, clock: 500, base: 1, .remove(list, [.confirmed(0)]), set("x", 1)))
        // Half a bootstrap brought the thing of version 2; the cursor is still 1.
        let edit = Commit(
            number: 1,
            clock: Clock(milliseconds: 20),
            base: 1,
            seen: [thing: 2],
            changes: [.remove(list, [.confirmed(0)]), set("x", 2)]
        )
        try stream.take(c1, edit)
        expectEqual(stream.values(), "[]")
        expectEqual(stream.values(thing, "x"), "2")
    }

    @Test func `H6: edits of an old version find their elements among those of a much later one`() throws {
        var stream = try Oracle(list: ["a", "b", "c"])
        try stream.take(c2, commit(1, clock: 10, base: 1, .remove(list, [.confirmed(0), .confirmed(2)])))
        try stream.take(c2, commit(2, clock: 11, base: 2, insert("d", after: nil, before: .confirmed(0), first: 1)))
        try stream.take(
            c1,
            commit(
                1,
                clock: 5,
                base: 1,
                .set(list.element(.confirmed(1)), "B", .real),
                .remove(list, [.confirmed(2)]),
                insert("X", after: .confirmed(2), before: nil, first: 1)
            )
        )
        expectEqual(stream.values(), "[d B X]")
    }

    @Test func `H10: a clear keeps elements that were hidden from its author or unknown to it`() throws {
        let (here, ghost) = (ObjectName("Dog", 1), ObjectName("Dog", 2))
        var stream = try Oracle(list: [.link(here), .link(ghost), .link(here)])
        try stream.take(c2, commit(1, clock: 1, base: 0, .create(here, [])))
        expectEqual(stream.values(), "[→Dog 1 →Dog 1]")
        expectEqual(stream.stored(thing)?["list"]?.description, "[→Dog 1 →Dog 2 →Dog 1]")
        // C1 sees [Dog 1, Dog 1]. An insert at its index 1 is placed directly behind the visible left neighbour.
        try stream.take(
            c1,
            commit(1, clock: 10, base: 1, insert("X", after: .confirmed(0), before: .confirmed(1), first: 1))
        )
        expectEqual(stream.stored(thing)?["list"]?.description, "[→Dog 1 X →Dog 2 →Dog 1]")
        try stream.take(c1, commit(2, clock: 11, base: 1, .clearList(list, hidden: [.confirmed(1)])))
        expectEqual(stream.values(), "[]")
        expectEqual(stream.stored(thing)?["list"]?.description, "[→Dog 2]")
        try stream.take(c2, commit(2, clock: 12, base: 4, .create(ghost, [])))
        expectEqual(stream.values(), "[→Dog 2]")
    }

    @Test func `H11: a clear removes exactly what its author saw, independent of the clocks`() throws {
        var stream = try Oracle(list: ["a"])
        // b has a clock far ahead, and C1 saw it. c has an early clock, and C1 didn't see it.
        try stream.take(c2, commit(1, clock: 90_000, base: 1, insert("b", after: .confirmed(0), before: nil, first: 1)))
        try stream.take(c3, commit(1, clock: 10, base: 1, insert("c", after: .confirmed(0), before: nil, first: 1)))
        try stream.take(c1, commit(1, clock: 50, base: 2, .clearList(list, hidden: [])))
        expectEqual(stream.values(), "[c]")
    }

    @Test func `H13: a number that was coalesced away is used up, and the other ones stay`() throws {
        var stream = try Oracle(list: [])
        // The own insert 2 was made and removed before the upload.
        try stream.take(
            c1,
            commit(
                1,
                clock: 10,
                base: 1,
                insert("a", after: nil, before: nil, first: 1),
                insert("c", after: .own(1), before: nil, first: 3),
                .set(list.element(.own(3)), "C", .real)
            )
        )
        expectEqual(stream.values(), "[a C]")
        try expectEqual(stream.take(c1, commit(2, clock: 11, base: 1, .remove(list, [.own(2)]))), [.malformed])
    }

    @Test(arguments: [[c1, c2], [c2, c1]])
    func `earlier inserts are first, and runs stay whole, in either order of arrival`(order: [FileIdent])
        throws
    {
        var stream = try Oracle(list: ["a", "z"])
        for ident in order {
            let (clock, values): (Int64, [SyncValue]) = ident == c1 ? (20, ["1", "2", "3"]) : (10, ["x", "y"])
            let gap = Gap(after: .confirmed(0), before: .confirmed(1))
            try stream.take(ident, commit(1, clock: clock, base: 1, .insert(list, gap, first: 1, values)))
        }
        expectEqual(stream.values(), "[a x y 1 2 3 z]")
    }

    @Test(arguments: [[c1, c2], [c2, c1]])
    func `backward runs stay whole, in either order of arrival`(order: [FileIdent]) throws {
        var stream = try Oracle(list: ["a", "z"])
        for ident in order {
            let values: [SyncValue] = ident == c1 ? ["3", "2", "1"] : ["y", "x"]
            for (index, value) in values.enumerated() {
                let before: ElementReference = index == 0 ? .confirmed(1) : .own(UInt64(index))
                let change = insert(value, after: .confirmed(0), before: before, first: UInt64(index + 1))
                try stream.take(ident, commit(UInt64(index + 1), clock: ident == c1 ? 20 : 10, base: 1, change))
            }
        }
        expectEqual(stream.values(), "[a x y 1 2 3 z]")
    }

    @Test(arguments: [[c1, c2], [c2, c1]])
    func `the later of two moves wins, and the element isn't doubled`(order: [FileIdent]) throws {
        var stream = try Oracle(list: ["a", "b", "c"])
        for ident in order {
            let gap =
                ident == c1
                ? Gap(after: .confirmed(2), before: nil) : Gap(after: nil, before: .confirmed(0))
            let change = Change.move(list, .confirmed(1), gap, number: 1)
            try stream.take(ident, commit(1, clock: ident == c1 ? 20 : 10, base: 1, change))
        }
        expectEqual(stream.values(), "[a c b]")
        // The move that lost is a slot. Its author inserts an element behind it, where it believed b to be.
        try stream.take(c2, commit(2, clock: 30, base: 1, insert("X", after: .own(1), before: .confirmed(0), first: 2)))
        expectEqual(stream.values(), "[X a c b]")
        // And by either name it is b that is edited.
        try stream.take(c2, commit(3, clock: 31, base: 1, .set(list.element(.own(1)), "B", .real)))
        expectEqual(stream.values(), "[X a c B]")
    }

    @Test(arguments: [[c1, c2], [c2, c1]])
    func `a removal beats a move and a set of the same element`(order: [FileIdent]) throws {
        var stream = try Oracle(list: ["a", "b"])
        for ident in order {
            let changes: [Change] =
                ident == c1
                ? [.remove(list, [.confirmed(0)])]
                : [
                    .set(list.element(.confirmed(0)), "A", .real),
                    .move(list, .confirmed(0), Gap(after: .confirmed(1), before: nil), number: 1),
                ]
            let refused = try stream.take(
                ident,
                Commit(
                    number: 1,
                    clock: Clock(milliseconds: ident == c1 ? 5 : 50),
                    base: 1,
                    seen: [thing: 1],
                    changes: changes
                )
            )
            expect(refused.isEmpty)
        }
        expectEqual(stream.values(), "[b]")
    }

    @Test(arguments: [[c1, c2, c3], [c3, c2, c1], [c2, c1, c3], [c2, c3, c1], [c1, c3, c2], [c3, c1, c2]])
    func `the later of two concurrent assignments wins, and both keep unseen elements`(order: [FileIdent]) throws {
        var stream = try Oracle(list: ["a", "b"])
        for ident in order {
            let gap = Gap(after: nil, before: nil)
            let change: Change =
                switch ident {
                case c1: .assignList(list, hidden: [], gap, first: 1, ["1", "2"])
                case c2: .assignList(list, hidden: [], gap, first: 1, ["x", "y"])
                default: insert("new", after: .confirmed(0), before: .confirmed(1), first: 1)
                }
            try stream.take(ident, commit(1, clock: ident == c1 ? 20 : 10, base: 1, change))
        }
        expectEqual(stream.values(), "[new 1 2]")
    }

    @Test func `the second assignment of an author replaces its first`() throws {
        var stream = try Oracle(list: ["a"])
        let gap = Gap(after: nil, before: nil)
        try stream.take(c1, commit(1, clock: 10, base: 1, .assignList(list, hidden: [], gap, first: 1, ["1"])))
        try stream.take(
            c1,
            commit(
                2,
                clock: 10,
                base: 1,
                .assignList(list, hidden: [], gap, first: 2, ["2"]),
                .assignList(list, hidden: [], gap, first: 3, ["3"])
            )
        )
        expectEqual(stream.values(), "[3]")
    }
}
