import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The histories H1 to H14 about lists without ids.
struct ListAttackTests {
    private static let place = LocalPlace(ScriptedWorld.name, "list")

    @Test func `H1: the removal of an own element that other work moved aside doesn't remove another element`() {
        var script = ScriptedWorld(list: "ab")
        script.sync([])
        script.insert(1, "Y", at: 1)
        script.world.time += 1_000
        script.insert(0, "X", at: 1)
        script.sync([1])
        script.sync([0])
        let index = script.list(0).firstIndex(of: "X")!
        script.remove(0, at: script.list(0).distance(from: script.list(0).startIndex, to: index))
        script.syncAll()
        expectEqual(script.stored, "aYb")
        script.check()
    }

    @Test func `H2: the next element is removed, although two clients removed the one before`() {
        var script = ScriptedWorld(list: "abc")
        script.sync([])
        script.remove(0, at: 1)
        script.remove(1, at: 1)
        script.sync([1])
        script.remove(0, at: 1)
        script.syncAll()
        expectEqual(script.stored, "a")
        script.check()
    }

    @Test func `H4: commits of different bases that are sent together keep their bases`() {
        var script = ScriptedWorld(list: "abc")
        script.sync([])
        script.remove(0, at: 0)
        script.insert(1, "XY", at: 0)
        script.sync([1])
        // It receives XY but can't send, and removes another element.
        script.world.clients[0].isSuspended = false
        script.world.handle(.resumed, 0)
        for _ in 0..<200 {
            if script.world.clients[0].up.contains(where: { if case .upload = $0 { true } else { false } }) {
                script.world.drop(0)
            }
            script.world.time += 1_000
            script.world.deliverUp(0)
            script.world.deliverDown(0)
            for node in script.world.nodes.indices { script.world.answer(node) }
        }
        script.insert(0, "Z", at: 0)
        script.syncAll()
        expectEqual(script.stored.filter { $0 != "Z" }, "XYbc")
        expect(script.stored.contains("Z"))
        script.check()
    }

    @Test func `H6: pending edits of an object that left and returned apply to their elements`() {
        var script = ScriptedWorld(list: "abc")
        script.set(0, 1, "mail")
        script.syncAll()
        script.world.handle(.subscribed(SimulatedChecks.queries(1)), 1)
        script.syncAll()
        script.sync([0])
        script.remove(1, at: 1)
        script.set(0, 2, "mail")
        script.sync([0])
        script.insert(0, "X", at: 0)
        script.sync([0])
        script.set(0, 1, "mail")
        script.syncAll()
        expectEqual(script.stored, "Xac")
        script.check()
    }

    @Test func `H7: the log is trimmed under work that can't be sent, and nothing is lost`() {
        var script = ScriptedWorld(list: "abc")
        script.sync([])
        script.remove(0, at: 0)
        script.insert(1, "XY", at: 0)
        script.sync([1])
        script.remove(1, at: 4)
        script.sync([1])
        script.pass(days: 40)
        script.syncAll()
        expectEqual(script.stored, "XYb")
        script.check()
    }

    @Test func `H9: list edits from before the horizon are aligned by value, and the rest is reported`() {
        var script = ScriptedWorld(list: "abcd")
        script.sync([])
        script.insert(0, "X", at: 2)
        script.remove(0, at: 0)
        script.remove(0, at: 3)
        script.insert(1, "12", at: 4)
        script.sync([1])
        script.remove(1, at: 3)
        script.sync([1])
        script.pass(days: 40)
        script.insert(1, "3", at: 0)
        script.sync([1])
        script.pass(days: 40)
        script.syncAll()
        expectEqual(script.stored, "3bXc12")
        expectEqual(script.refusals.map(\.reason), [.elementGone])
        script.check()
    }

    @Test func `H9: creates from before the horizon are accepted, edits of removed data are reported with content`() {
        var script = ScriptedWorld(list: "ab")
        let new = ObjectName("Thing", 2)
        script.sync([])
        script.commit(0, .create(new, ["f": .value(5)], defaults: []))
        script.set(0, 9)
        script.commit(1, .delete(ScriptedWorld.name, .edit))
        script.sync([1])
        script.pass(days: 40)
        script.commit(1, .create(ObjectName("Thing", 3), ["f": .value(1)], defaults: []))
        script.sync([1])
        script.pass(days: 40)
        script.syncAll()
        expectEqual(script.value(1, "f", new), 5)
        expectEqual(script.refusals.map(\.reason), [.objectGone])
        expectEqual(script.refusals.first?.change, .set(Place(ScriptedWorld.name, "f"), 9, .real))
        script.check()
    }

    @Test func `H10: a clear keeps elements that its author couldn't see`() {
        var script = ScriptedWorld(list: "abc")
        script.commit(0, .clearList(Self.place, hidden: [1]))
        script.syncAll()
        expectEqual(script.stored, "b")
        script.check()
    }

    @Test func `H11: a clear removes exactly the elements that its author saw, with any clocks`() {
        var script = ScriptedWorld(list: "a")
        script.world.clients[1].offset = 40_000
        script.insert(1, "b", at: 1)
        script.syncAll()
        script.sync([])
        script.world.clients[2 % 2].offset = -40_000
        script.insert(1, "c", at: 2)
        script.commit(0, .clearList(Self.place, hidden: []))
        script.syncAll()
        expectEqual(script.stored, "c")
        script.check()
    }

    @Test func `H12: an edit inside a removed element is reported, and one inside another element is done`() {
        var script = ScriptedWorld(clients: 2)
        let homes: [MergedContent] = [.embedded(["street": .value(1)]), .embedded(["street": .value(2)])]
        script.commit(0, .create(ScriptedWorld.name, ["list": .list(homes)], defaults: []))
        script.syncAll()
        script.sync([])
        script.commit(0, .set(Self.place.element(1).property("street"), .value(7), .real))
        script.remove(1, at: 0)
        script.sync([1])
        script.syncAll()
        expectEqual(script.shown(1)?["list"], .list([.embedded(["street": .value(7)])]))
        script.check()
    }

    @Test func `H13: coalesced inserts keep their numbers`() {
        var script = ScriptedWorld(list: "a")
        script.sync([1])
        script.insert(0, "X", at: 1)
        script.remove(0, at: 1)
        script.insert(0, "Y", at: 1)
        script.commit(0, .set(Self.place.element(1), ScriptedWorld.element("Z"), .real))
        script.syncAll()
        expectEqual(script.stored, "aZ")
        script.check()
    }

    @Test func `H14: an append to a long list costs the client two runs`() {
        var script = ScriptedWorld(list: String(repeating: "a", count: 2_000))
        script.sync([])
        script.insert(0, "X", at: 2_000)
        _ = try? script.world.clients[0].store.perform(.describe, now: 0, random: &script.world.random)
        let shadow = script.world.clients[0].store.data.shadows[ScriptedWorld.name]
        expectEqual(shadow?.pending.count, 1)
        script.syncAll()
        expectEqual(script.stored.count, 2_001)
        script.check()
    }
}
