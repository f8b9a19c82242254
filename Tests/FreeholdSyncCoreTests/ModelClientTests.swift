import FreeholdSyncCore
import Testing

@testable import SyncWorlds

/// The client that the random histories use: sync-design.md, section 1, sentences 2 to 4, and section 7.
struct ModelClientTests {
    private func client(_ ident: FileIdent, of stream: Oracle) -> ModelClient { ModelClient(ident: ident, of: stream) }

    @Test func `a client's writes stay on top of its downloads until they are answered`() throws {
        var stream = try Oracle(list: [], [NewField("f", .value(0))])
        var one = client(c1, of: stream)
        let write = one.commit(wall: 10) { $0.perform(set("f", 1)) }
        try stream.take(c2, commit(1, clock: 90, base: 1, set("f", 2)))
        one.download(stream, upTo: 2, wall: 10)
        expectEqual(one.display.values(thing, "f"), "1")
        try stream.take(c1, write)
        one.download(stream, upTo: 3, wall: 10)
        expectEqual(one.display.values(thing, "f"), "2")
    }

    @Test func `a pending value is replaced only by another client's deletion`() throws {
        var stream = try Oracle(list: [])
        var one = client(c1, of: stream)
        one.commit(wall: 10) { $0.perform(set("f", 1)) }
        try stream.take(c2, commit(1, clock: 5, base: 1, .delete(thing, .edit)))
        one.download(stream, upTo: 2, wall: 10)
        expect(!one.display.isAlive(thing))
        try expectEqual(stream.take(c1, one.pending[0]), [.objectGone])
    }

    @Test func `a refused deletion restores the whole object, and a refused write the server's value`() throws {
        var rules = OracleRules()
        rules.forbids = { ident, commit, _ in ident == c1 && commit.number == 1 }
        var stream = try Oracle(list: ["a", "b"], rules: rules)
        var one = client(c1, of: stream)
        one.commit(wall: 10) { $0.perform(.delete(thing, .edit)) }
        expect(!one.display.isAlive(thing))
        try stream.take(c1, one.pending[0])
        one.download(stream, upTo: 2, wall: 10)
        expectEqual(one.display.values(), "[a b]")
        expect(one.pending.isEmpty)
    }

    @Test func `H1: a client names what it shows, although its guess isn't the server's order`() throws {
        var stream = try Oracle(list: ["a", "b"])
        let target = Target(property: "list")
        var one = client(c1, of: stream)
        one.commit(wall: 20) { client in
            let gap = client.gap(at: 1, of: thing, target)
            client.perform(.insert(list, gap, first: client.number(), ["X"]))
        }
        try stream.take(
            c2,
            commit(1, clock: 10, base: 1, insert("Y", after: .confirmed(0), before: .confirmed(1), first: 1))
        )
        one.download(stream, upTo: 2, wall: 20)
        let shown = one.slots(of: thing, target)
        let index = try require(shown.firstIndex { $0.ident == c1 })
        one.commit(wall: 30) { $0.perform(.remove(list, [$0.reference(to: shown[index], of: thing, target)])) }
        expectEqual(one.display.values(), "[a Y b]")
        for commit in one.pending { try stream.take(c1, commit) }
        expectEqual(stream.values(), "[a Y b]")
    }

    @Test func `a clock that was held back is the client's clock from then on`() throws {
        var stream = try Oracle(list: [])
        var one = client(c1, of: stream)
        one.commit(wall: 900_000) { $0.perform(set("f", 1)) }
        let answer = try stream.apply(one.pending[0], from: c1, serverNow: 10_000)
        one.download(stream, upTo: 2, wall: 10_000)
        expectEqual(one.clock, answer.clock)
    }
}
