import FreeholdSyncCore
import Testing

@testable import SyncWorlds

/// sync-design.md, section 4, and the histories of sync-attack.md, section 3.
struct ClockHistoryTests {
    @Test func `a slow client's second commit doesn't lose to its own first`() throws {
        var stream = try Oracle(list: [])
        try stream.take(c2, commit(1, clock: 100, base: 1, set("f", 1)))
        // C1 saw that write, and its clock is behind. The first commit is bumped, so the second must be too.
        try stream.take(c1, commit(1, clock: 50, base: 2, set("f", 2)))
        try stream.take(c1, commit(2, clock: 51, base: 2, set("f", 3)))
        expectEqual(stream.values(thing, "f"), "3")
        expectEqual(stream.files[c1]?.answers.map(\.clock.milliseconds), [100, 100])
        expectEqual(stream.files[c1]?.answers.map(\.clock.counter), [1, 2])
    }

    @Test func `a write beats the write that it saw, although another field was written since`() throws {
        var stream = try Oracle(list: [])
        try stream.take(c2, commit(1, clock: 100, base: 1, set("f", 1)))
        try stream.take(c3, commit(1, clock: 10, base: 1, set("g", 9)))
        try stream.take(c1, commit(1, clock: 50, base: 2, set("f", 2)))
        expectEqual(stream.values(thing, "f"), "2")
    }

    @Test func `a clock of the future is held back, and later writes by other clients that saw it win`() throws {
        var stream = try Oracle(list: [])
        let far = commit(1, clock: 900_000, base: 1, set("f", 1))
        let answer = try stream.apply(far, from: c1, serverNow: 10_000)
        expectEqual(answer.clock, Clock(milliseconds: 15_000))
        try stream.take(c2, commit(1, clock: 12_000, base: 2, set("f", 2)), now: 12_000)
        expectEqual(stream.values(thing, "f"), "2")
    }

    @Test func `the server's time never decreases: clamped commits of a file keep their order`() throws {
        var stream = try Oracle(list: [])
        _ = try stream.apply(commit(1, clock: 900_000, base: 1, set("f", 1)), from: c1, serverNow: 40_000)
        // Another node, 30 s behind.
        let answer = try stream.apply(commit(1, clock: 900_000, base: 1, set("f", 2)), from: c2, serverNow: 10_000)
        expectEqual(answer.clock, Clock(milliseconds: 45_000))
        expectEqual(stream.values(thing, "f"), "2")
    }

    @Test(arguments: [[c1, c2], [c2, c1]])
    func `the later clock of two concurrent writes wins, and with equal clocks the greater file`(order: [FileIdent])
        throws
    {
        var stream = try Oracle(list: [])
        for ident in order {
            try stream.take(
                ident,
                commit(1, clock: ident == c1 ? 20 : 10, base: 1, set("f", ident == c1 ? 1 : 2))
            )
            try stream.take(ident, commit(2, clock: 30, base: 1, set("g", ident == c1 ? 1 : 2)))
        }
        expectEqual(stream.values(thing, "f"), "1")
        expectEqual(stream.values(thing, "g"), "2")
    }

    @Test func `a resend changes nothing and gets the same answer, and a gap is refused by name`() throws {
        var stream = try Oracle(list: [])
        let increment = commit(1, clock: 10, base: 1, set("f", 1), .increment(Place(thing, "f"), 5))
        let first = try stream.apply(increment, from: c1, serverNow: 100)
        let before = stream.stored()
        try expectEqual(stream.apply(increment, from: c1, serverNow: 900), first)
        expectEqual(stream.stored(), before)
        expectEqual(stream.version, 2)
        #expect(throws: Oracle.ProtocolError.gap(expected: 2)) {
            try stream.take(c1, commit(3, clock: 10, base: 1, set("f", 1)))
        }
        #expect(throws: Oracle.ProtocolError.unknownVersion) {
            try stream.take(c1, commit(2, clock: 10, base: 3, set("f", 1)))
        }
    }

    @Test func `a client's clock follows the wall, never decreases, and is advanced within a bound`() {
        var clock = Clock.ofCommit(wall: 1_000, last: .zero)
        expectEqual(clock, Clock(milliseconds: 1_000))
        clock = Clock.ofCommit(wall: 400, last: clock)
        expectEqual(clock, Clock(milliseconds: 1_000, counter: 1))
        expectEqual(clock.pushed(by: Clock(milliseconds: 3_000), wall: 400), Clock(milliseconds: 3_000))
        expectEqual(clock.pushed(by: Clock(milliseconds: 900_000), wall: 400), Clock(milliseconds: 5_400))
        expectEqual(clock.pushed(by: Clock(milliseconds: 1), wall: 400), clock)
        expectEqual(Clock(milliseconds: 5, counter: .max).next, Clock(milliseconds: 6))
        expectEqual(Clock(rawValue: .max).next, Clock(rawValue: .max))
        expectEqual(Clock(milliseconds: -5), .zero)
        expectEqual(Clock(milliseconds: .max), Clock(milliseconds: 1 << 48 - 1))
        expectEqual(Clock.ofCommit(wall: .min, last: .zero), Clock(rawValue: 1))
    }
}
