import FreeholdSyncCore
import Testing

@testable import SyncWorlds

/// Creations, deletions, delete rules, unique constraints: sync-design.md, section 5; sync-attack.md, section 4.
struct ObjectHistoryTests {
    let other = ObjectName("Thing", 2)

    @Test func `an edit of a dead incarnation doesn't change the new one`() throws {
        var stream = try Oracle(list: [])
        try stream.take(c2, commit(1, clock: 10, base: 1, .delete(thing, .edit)))
        try stream.take(c2, commit(2, clock: 11, base: 2, .create(thing, [NewField("f", .value(1))])))
        try expectEqual(stream.take(c3, commit(1, clock: 99, base: 1, set("f", 5))), [.objectGone])
        expectEqual(stream.values(thing, "f"), "1")
        // Its deletion of the dead object isn't an error, and doesn't delete the new one.
        expect(try stream.take(c3, commit(2, clock: 99, base: 1, .delete(thing, .edit))).isEmpty)
        expect(stream.isAlive(thing))
    }

    @Test func `a create with an older base merges into a live incarnation, field by field`() throws {
        var stream = try Oracle(list: [])
        try stream.take(c2, commit(1, clock: 10, base: 1, .delete(thing, .edit)))
        let fields = [NewField("f", .value(1)), NewField("g", .value(1))]
        try stream.take(c2, commit(2, clock: 20, base: 2, .create(thing, fields)))
        let create = Commit(
            number: 1,
            clock: Clock(milliseconds: 15),
            base: 1,
            changes: [.create(thing, [NewField("f", .value(2)), NewField("h", .value(2))])]
        )
        expect(try stream.take(c3, create).isEmpty)
        expectEqual(
            [stream.values(thing, "f"), stream.values(thing, "g"), stream.values(thing, "h")],
            ["1", "1", "2"]
        )
        // Its later edits concern an object that it knows.
        expect(try stream.take(c3, commit(2, clock: 30, base: 0, set("f", 3))).isEmpty)
        expectEqual(stream.values(thing, "f"), "3")
    }

    @Test func `a create into a dead incarnation is reported, unless its author knows of the deletion`() throws {
        var stream = try Oracle(list: [])
        try stream.take(c2, commit(1, clock: 10, base: 1, .delete(thing, .edit)))
        func create(_ number: UInt64, base: StreamVersion) -> Commit {
            Commit(
                number: number,
                clock: Clock(milliseconds: 90),
                base: base,
                changes: [.create(thing, []), set("f", 1)]
            )
        }
        try expectEqual(stream.take(c3, create(1, base: 1)), [.objectGone, .objectGone])
        expect(!stream.isAlive(thing))
        expect(try stream.take(c3, create(2, base: 2)).isEmpty)
        expectEqual(stream.values(thing, "f"), "1")
    }

    @Test func `an author may delete and recreate an object without the consent of other authors`() throws {
        var stream = try Oracle(list: [])
        try stream.take(c2, commit(1, clock: 10, base: 1, .delete(thing, .edit)))
        // C1 hasn't received that.
        let both = Commit(
            number: 1,
            clock: Clock(milliseconds: 5),
            base: 1,
            seen: [thing: 1],
            changes: [
                .delete(thing, .edit), .create(thing, [NewField("f", .value(7))]), .increment(Place(thing, "f"), 1),
            ]
        )
        expect(try stream.take(c1, both).isEmpty)
        expectEqual(stream.values(thing, "f"), "8")
    }

    @Test(arguments: [[c1, c2], [c2, c1]])
    func `a deletion beats concurrent work, and late edits are handed back`(order: [FileIdent]) throws {
        var stream = try Oracle(list: [])
        var refused: [RefusalReason] = []
        for ident in order {
            let change: Change = ident == c1 ? .delete(thing, .edit) : set("f", 1)
            refused += try stream.take(ident, commit(1, clock: ident == c1 ? 5 : 50, base: 1, change))
        }
        expect(!stream.isAlive(thing))
        expectEqual(refused, (order == [c1, c2] ? [.objectGone] : []))
        expect(stream.stored(thing) == nil)
    }

    @Test func `two creates of one key are one object: real values beat defaults, with any clocks`() throws {
        var stream = Oracle()
        let real = [NewField("f", .value(1)), NewField("g", .value(.null), .byDefault)]
        let later = [NewField("f", .value(0), .byDefault), NewField("g", .value(0), .byDefault)]
        try stream.take(c1, commit(1, clock: 10, base: 0, .create(thing, real)))
        try stream.take(c2, commit(1, clock: 20, base: 0, .create(thing, later)))
        expectEqual([stream.values(thing, "f"), stream.values(thing, "g")], ["1", "0"])
        // A migration block's write is a default too.
        try stream.take(c3, commit(1, clock: 30, base: 2, set("f", 9, .byDefault), set("h", 9, .byDefault)))
        expectEqual([stream.values(thing, "f"), stream.values(thing, "h")], ["1", "9"])
    }

    @Test(arguments: [[c1, c2], [c2, c1]])
    func `lists of two creates of one key aren't mixed: the later real one wins`(order: [FileIdent]) throws {
        var stream = Oracle()
        for ident in order {
            let values: [SyncValue] = ident == c1 ? ["a"] : ["b", "c"]
            let fields = [
                NewField("list", .list(first: 1, values)),
                NewField("more", .list(first: 9, values), ident == c1 ? .real : .byDefault),
            ]
            try stream.take(ident, commit(1, clock: ident == c1 ? 10 : 20, base: 0, .create(thing, fields)))
        }
        expectEqual(stream.values(), "[b c]")
        expectEqual(stream.values(thing, "more"), "[a]")
    }

    @Test
    func `exactly the journalled cascades happen; a child that was added since is kept, and its link hidden`()
        throws
    {
        let (old, new) = (ObjectName("Child", 1), ObjectName("Child", 2))
        var stream = try Oracle(list: [.link(old)])
        try stream.take(c2, commit(1, clock: 5, base: 1, .create(old, [])))
        try stream.take(
            c2,
            commit(
                2,
                clock: 6,
                base: 2,
                .create(new, [NewField("parent", .value(.link(thing)))]),
                insert(.link(new), after: .confirmed(0), before: nil, first: 1)
            )
        )
        try stream.take(c1, commit(1, clock: 7, base: 2, .delete(thing, .edit), .delete(old, .cascade(of: thing))))
        expect(!stream.isAlive(thing) && !stream.isAlive(old))
        expectEqual(stream.values(new, "parent"), "null")
        expectEqual(stream.stored(new)?["parent"], .value(.link(thing)))
    }

    @Test func `a link to a deleted object is kept and hidden, and is visible again with the object`() throws {
        var stream = try Oracle(list: [])
        try stream.take(c1, commit(1, clock: 5, base: 1, .create(other, [NewField("link", .value(.link(thing)))])))
        try stream.take(c2, commit(1, clock: 6, base: 2, .delete(thing, .edit)))
        expectEqual(stream.values(other, "link"), "null")
        try stream.take(c2, commit(2, clock: 7, base: 3, .create(thing, [])))
        expectEqual(stream.values(other, "link"), "→Thing 1")
    }

    @Test
    func `a deny rule is checked on the merged state, and refuses the cascades with the deletion`()
        throws
    {
        var rules = OracleRules()
        rules.denying = [OracleRules.Property(className: "Thing", property: "link")]
        var stream = try Oracle(list: [], rules: rules)
        let child = ObjectName("Child", 1)
        try stream.take(c2, commit(1, clock: 5, base: 1, .create(child, [])))
        try stream.take(c2, commit(2, clock: 6, base: 2, .create(other, [NewField("link", .value(.link(thing)))])))
        // C1 doesn't see the referrer.
        let refused = try stream.take(
            c1,
            commit(1, clock: 7, base: 2, .delete(thing, .edit), .delete(child, .cascade(of: thing)))
        )
        expectEqual(refused, [.denied, .causeRefused])
        expect(stream.isAlive(thing) && stream.isAlive(child))
        // An author that deletes the referrer first may.
        try stream.take(c1, commit(2, clock: 8, base: 3, .delete(other, .edit), .delete(thing, .edit)))
        expect(!stream.isAlive(thing))
    }

    @Test(arguments: [false, true])
    func `the second of two objects with one unique value is refused`(wholeCommits: Bool) throws {
        var rules = OracleRules()
        rules.unique = [("User", ["mail"])]
        rules.refusesWholeCommits = wholeCommits
        var stream = try Oracle(list: [], rules: rules)
        let (a, b) = (ObjectName("User", 1), ObjectName("User", 2))
        let mail = [NewField("mail", .value("x@y"))]
        try stream.take(c2, commit(1, clock: 50, base: 1, .create(a, mail)))
        let refused = try stream.take(c1, commit(1, clock: 10, base: 1, .create(b, mail), set("f", 1)))
        expectEqual(refused, (wholeCommits ? [.notUnique, .commitRefused] : [.notUnique]))
        expect(stream.stored(b) == nil)
        expectEqual(stream.values(thing, "f"), (wholeCommits ? "none" : "1"))
        // Later work on what was refused is handed back as well.
        try expectEqual(stream.take(c1, commit(2, clock: 11, base: 0, .set(Place(b, "age"), 3, .real))), [.objectGone])
    }

    @Test func `fields of two authors may collide with an object that neither saw`() throws {
        var rules = OracleRules()
        rules.unique = [("Seat", ["row", "number"])]
        var stream = try Oracle(list: [], rules: rules)
        let (a, b) = (ObjectName("Seat", 1), ObjectName("Seat", 2))
        func seat(_ row: SyncValue, _ number: SyncValue) -> [NewField] {
            [NewField("row", .value(row)), NewField("number", .value(number))]
        }
        try stream.take(c3, commit(1, clock: 1, base: 1, .create(a, seat(1, 1))))
        try stream.take(c3, commit(2, clock: 2, base: 2, .create(b, seat(2, 2))))
        expect(try stream.take(c1, commit(1, clock: 10, base: 2, .set(Place(a, "row"), 2, .real))).isEmpty)
        try expectEqual(
            stream.take(c2, commit(1, clock: 11, base: 2, .set(Place(a, "number"), 2, .real))),
            [.notUnique]
        )
        // Null is equal to nothing.
        try stream.take(c1, commit(2, clock: 12, base: 5, .set(Place(a, "number"), .null, .real)))
        expect(try stream.take(c1, commit(3, clock: 13, base: 5, .set(Place(b, "number"), .null, .real))).isEmpty)
        // Two objects may swap their values in one commit.
        let swap = try stream.take(
            c1,
            commit(
                4,
                clock: 14,
                base: 5,
                .set(Place(a, "number"), 7, .real),
                .set(Place(b, "number"), 8, .real),
                .set(Place(a, "number"), 8, .real),
                .set(Place(b, "number"), 7, .real)
            )
        )
        expect(swap.isEmpty)
    }

    @Test func `a class for new objects only accepts each once and nothing else`() throws {
        var rules = OracleRules()
        rules.asymmetric = ["Event"]
        var stream = try Oracle(list: [], rules: rules)
        let event = ObjectName("Event", 1)
        try stream.take(c1, commit(1, clock: 10, base: 1, .create(event, [NewField("f", .value(1))])))
        try stream.take(c2, commit(1, clock: 20, base: 1, .create(event, [NewField("f", .value(2))])))
        expectEqual(stream.ingested[event], [NewField("f", .value(1))])
        expect(stream.stored(event) == nil)
        try expectEqual(stream.take(c1, commit(2, clock: 30, base: 1, .delete(event, .edit))), [.createOnly])
    }

    @Test func `null is a primary key, and keys of different bytes are different objects`() throws {
        var stream = Oracle()
        let keys: [PrimaryKey] = [.null, .string("\u{E9}"), .string("e\u{301}"), .int(0), .string("0")]
        for (index, key) in keys.enumerated() {
            try stream.take(c1, commit(UInt64(index + 1), clock: 1, base: 0, .create(ObjectName("A", key), [])))
        }
        expectEqual(stream.stored().count, 5)
    }
}
