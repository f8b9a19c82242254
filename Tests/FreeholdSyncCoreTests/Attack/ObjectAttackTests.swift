import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Histories about shadows, clocks, deletions and keys (sync-attack.md, sections 2 to 5), between real machines.
struct ObjectAttackTests {
    private static func made(clients: Int = 2, _ rules: (inout SimulatedProfile) -> Void = { _ in }) -> ScriptedWorld {
        var script = ScriptedWorld(clients: clients, rules: rules)
        let contents: [SyncString: MergedContent] = ["f": .value(0), "count": .value(0)]
        script.commit(0, .create(ScriptedWorld.name, contents, defaults: []))
        script.syncAll()
        return script
    }

    @Test func `a slow clock doesn't lose a write to its own predecessor`() {
        var script = Self.made()
        script.world.clients[0].offset = 50_000
        script.set(0, 1)
        script.sync([0])
        script.sync([])
        script.world.clients[0].offset = -500_000
        script.set(0, 2)
        script.syncAll()
        expectEqual(script.value(1), 2)
        script.check()
    }

    @Test func `a slow clock doesn't lose a write to one that its author saw`() {
        var script = Self.made()
        script.world.clients[1].offset = 30_000
        script.set(1, 1)
        script.set(1, 9, "g")
        script.syncAll()
        script.sync([])
        script.world.clients[0].offset = -600_000
        script.set(0, 2)
        script.syncAll()
        expectEqual(script.value(1), 2)
        script.check()
    }

    @Test func `an increment after a set with a fast clock counts`() {
        var script = Self.made()
        script.world.clients[1].offset = 4_000
        script.set(1, 10, "count")
        script.syncAll()
        script.add(0, 1)
        script.syncAll()
        expectEqual(script.value(1, "count"), 11)
        script.check()
    }

    @Test func `offline increments around another client's set are kept, and none counts for the set`() {
        var script = Self.made()
        script.sync([])
        script.add(0, 1)
        script.world.time += 1_000
        script.set(1, 100, "count")
        script.world.time += 1_000
        script.add(0, 10)
        script.sync([1])
        script.syncAll()
        expect([110, 111].contains(script.value(1, "count")))
        script.check()
    }

    @Test func `a node whose clock is behind takes over, and the server's time doesn't go back`() {
        var script = Self.made()
        script.world.nodes[0].offset = 0
        script.world.nodes[1].offset = -30_000
        script.world.clients[0].node = 0
        script.set(0, 1)
        script.syncAll()
        script.world.kill(0)
        script.world.clients[0].node = 1
        script.set(0, 2)
        script.syncAll()
        expectEqual(script.value(1), 2)
        script.check()
    }

    @Test func `a pending edit of a dead object doesn't apply to its new incarnation`() {
        var script = Self.made()
        script.sync([])
        script.set(0, 7)
        script.commit(1, .delete(ScriptedWorld.name, .edit))
        script.sync([1])
        script.commit(1, .create(ScriptedWorld.name, ["f": .value(1)], defaults: []))
        script.sync([1])
        script.syncAll()
        expectEqual(script.value(0), 1)
        expectEqual(script.refusals.map(\.reason), [.objectGone])
        script.check()
    }

    @Test func `a deletion beats work that it didn't see, which is returned with its content`() {
        var script = Self.made()
        script.sync([])
        script.set(0, 7)
        script.commit(1, .delete(ScriptedWorld.name, .edit))
        script.sync([1])
        script.syncAll()
        expect(script.shown(0) == nil)
        expectEqual(script.refusals.map(\.change), [.set(Place(ScriptedWorld.name, "f"), 7, .real)])
        script.check()
    }

    @Test func `an offline deletion and creation creates a new object`() {
        var script = Self.made()
        script.sync([])
        script.commit(0, .delete(ScriptedWorld.name, .edit))
        script.commit(0, .create(ScriptedWorld.name, ["f": .value(3)], defaults: []))
        script.syncAll()
        expectEqual(script.value(1), 3)
        expect(script.value(1, "count") == nil)
        script.check()
    }

    @Test func `two creates of one key are merged, and defaults lose`() {
        var script = Self.made()
        let name = ObjectName("Thing", 9)
        script.sync([])
        script.commit(0, .create(name, ["f": .value(1), "g": .value(2)], defaults: ["g"]))
        script.world.time += 5
        script.commit(1, .create(name, ["f": .value(5), "g": .value(6)], defaults: ["f"]))
        script.syncAll()
        expectEqual(script.value(0, "f", name), 1)
        expectEqual(script.value(0, "g", name), 6)
        script.check()
    }

    @Test func `a cascade deletes what its author saw, and no newer child`() {
        var script = Self.made()
        let (old, new) = (ObjectName("Thing", 2), ObjectName("Thing", 3))
        script.commit(0, .create(old, ["f": .value(1)], defaults: []))
        script.syncAll()
        script.sync([])
        script.commit(1, .create(new, ["mixed": .value(.link(ScriptedWorld.name))], defaults: []))
        script.commit(
            0,
            .delete(ScriptedWorld.name, .edit),
            .delete(old, .cascade(of: ScriptedWorld.name))
        )
        script.syncAll()
        expect(script.shown(1, old) == nil)
        expectEqual(script.shown(0, new)?["mixed"], .value(.link(ScriptedWorld.name)))
        script.check()
    }

    @Test func `the second object with a unique value is refused and reverted, and the queue continues`() {
        var script = Self.made { $0.refusals = 1 }
        let (a, b) = (ObjectName("Thing", .string("a")), ObjectName("Thing", .string("b")))
        script.sync([])
        script.commit(0, .create(a, ["mail": .value(1)], defaults: []))
        script.commit(1, .create(b, ["mail": .value(1)], defaults: []))
        script.commit(1, .create(ObjectName("Thing", .string("c")), ["f": .value(4)], defaults: []))
        script.sync([0])
        script.syncAll()
        expectEqual(script.refusals.map(\.reason), [.notUnique])
        expect(script.shown(1, b) == nil)
        expectEqual(script.value(0, "f", ObjectName("Thing", .string("c"))), 4)
        script.check()
    }

    @Test func `an object that leaves its author's own view is removed with the answer, and isn't deleted`() {
        var script = Self.made()
        script.world.handle(.subscribed(SimulatedChecks.queries(1)), 0)
        script.syncAll()
        let name = ObjectName("Thing", 4)
        script.commit(0, .create(name, ["mail": .value(2)], defaults: []))
        expect(script.shown(0, name) != nil)
        script.syncAll()
        expect(script.shown(0, name) == nil)
        expect(script.shown(1, name) != nil)
        script.check()
    }

    @Test func `an answered object of a create-only class is removed completely`() {
        var script = Self.made()
        let log = ObjectName("Log", 1)
        script.sync([1])
        script.commit(0, .create(log, ["f": .value(1)], defaults: []))
        expect(script.shown(0, log) != nil)
        script.syncAll()
        expect(script.shown(0, log) == nil)
        expect(script.world.store.ingested(of: SimulatedWorld.stream)[log] != nil)
        script.commit(0, .create(log, ["f": .value(2)], defaults: []))
        script.syncAll()
        expectEqual(script.world.store.ingested(of: SimulatedWorld.stream)[log], [NewField("f", .value(1))])
        script.check()
    }

    @Test func `the least base rises in a long session, so that the horizon can follow`() {
        var script = Self.made()
        script.sync([1])
        script.set(0, 5)
        script.sync([0, 1])
        for _ in 0..<40 {
            script.set(1, 1, "g")
            script.pass(days: 1)
            script.sync([0, 1])
        }
        expect(script.world.store.head(of: SimulatedWorld.stream).horizon > 5)
        let files = script.world.store.files(of: SimulatedWorld.stream).values
        expect(files.allSatisfy { $0.leastBase == nil })
        script.check()
    }

    @Test func `a damaged file is healed when it connects again`() {
        var script = Self.made(clients: 3)
        script.sync([1, 2])
        try! script.world.clients[0].store.transact { data in
            try data.perform([.delete(ScriptedWorld.name, .edit)])
            data.setVersion(nil, of: ScriptedWorld.name)
        }
        script.sync([0, 1, 2])
        // The world reports it as a problem, and stops.
        script.world.problems = []
        script.syncAll()
        expectEqual(script.value(0), 0)
        expect(script.world.clients[0].reports.contains { if case .mismatch = $0 { true } else { false } })
        script.check()
    }
}
