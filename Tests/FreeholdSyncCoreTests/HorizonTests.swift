import FreeholdSyncCore
import Testing

@testable import SyncWorlds

/// sync-design.md, sections 6 and 8; sync-attack.md, H7 and H8.
struct HorizonTests {
    @Test func `H8: a list without a younger slot becomes a chain, and references of later bases stay exact`() throws {
        var stream = try Oracle(list: ["a", "b", "c"])
        try stream.take(c1, commit(1, clock: 10, base: 1, .remove(list, [.confirmed(0)])))
        try stream.take(c1, commit(2, clock: 11, base: 2, .remove(list, [.confirmed(0)])))
        stream.trim(horizon: 2)
        guard case .list(let chain)? = stream.objects[thing]?.record["list"] else {
            Issue.record("no list")
            return
        }
        // b died behind the horizon: a reference of version 2 can name it.
        expectEqual(chain.order.map(\.id.number), [2, 3])
        expectEqual(chain.order.map(\.parent?.number), [nil, 2])
        try stream.take(
            c2,
            commit(1, clock: 12, base: 2, insert("x", after: .confirmed(0), before: .confirmed(1), first: 1))
        )
        expectEqual(stream.values(), "[x c]")
    }

    @Test func `a list with a slot that was born behind the horizon keeps its tree`() throws {
        var stream = try Oracle(list: ["a", "b"])
        try stream.take(c1, commit(1, clock: 10, base: 1, .remove(list, [.confirmed(0)])))
        try stream.take(c1, commit(2, clock: 11, base: 2, insert("c", after: .confirmed(0), before: nil, first: 1)))
        let before = stream.objects
        stream.trim(horizon: 2)
        expectEqual(stream.objects, before)
        stream.trim(horizon: 3)
        guard case .list(let chain)? = stream.objects[thing]?.record["list"] else {
            Issue.record("no list")
            return
        }
        expect(chain.order.count == 2 && stream.values() == "[b c]")
    }

    @Test func `behind the horizon no dead data is kept, and work from before it must resync first`() throws {
        var stream = try Oracle(list: ["a"])
        try stream.take(c1, commit(1, clock: 10, base: 1, .delete(thing, .edit)))
        stream.trim(horizon: 2)
        expect(stream.objects[thing] == nil)
        #expect(throws: Oracle.ProtocolError.behindHorizon) {
            try stream.take(c2, commit(1, clock: 90, base: 1, set("f", 1)))
        }
        expect(try stream.take(c3, commit(1, clock: 90, base: 2, .create(thing, []))).isEmpty)
        expect(stream.isAlive(thing))
    }
}
