import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The data that a refusal removes and restores (sync-attack.md, section 2), between real machines.
struct RefusalAttackTests {
    private static let name = ScriptedWorld.name

    /// From the second commit on, all changes of objects with integer keys are refused.
    private static func made() -> ScriptedWorld {
        var script = ScriptedWorld(clients: 2) { $0.refusals = 100 }
        let home: MergedContent = .embedded(["street": .value(1), "rooms": .list([.value(2), .value(3)])])
        let contents: [SyncString: MergedContent] = [
            "f": .value(0), "home": home, "list": .list([ScriptedWorld.element("a")]),
        ]
        script.commit(0, .create(name, contents, defaults: []))
        script.syncAll()
        return script
    }

    @Test func `a refused deletion restores the whole object, with its owned objects`() {
        var script = Self.made()
        let before = script.shown(0)
        script.commit(0, .delete(Self.name, .edit))
        expect(script.shown(0) == nil)
        script.syncAll()
        expectEqual(script.refusals.map(\.reason), [.forbidden])
        expectEqual(script.shown(0), before)
        script.check()
    }

    @Test func `a chain of refused edits is reverted to the other clients' present values`() {
        var script = Self.made()
        script.sync([])
        for value in 1...3 { script.set(0, Int64(value)) }
        script.insert(0, "X", at: 0)
        script.syncAll()
        expectEqual(script.value(0), 0)
        expectEqual(script.list(0), "a")
        expect(script.refusals.count >= 2)
        script.check()
    }

    @Test(arguments: [false, true])
    func `a refused object leaves the rest of its commit, or the whole commit is refused`(isWhole: Bool) {
        var script = ScriptedWorld(clients: 2) { profile in
            profile.refusals = 1
            profile.refusesWhole = isWhole
        }
        let (a, b, owner) = (
            ObjectName("Thing", "a"), ObjectName("Thing", "b"), ObjectName("Thing", "owner")
        )
        script.commit(1, .create(owner, ["f": .value(0)], defaults: []))
        script.syncAll()
        script.sync([])
        script.commit(0, .create(a, ["mail": .value(1)], defaults: []))
        script.commit(
            1,
            .create(b, ["mail": .value(1)], defaults: []),
            .insert(LocalPlace(owner, "friends"), at: 0, [.value(.link(b))])
        )
        script.sync([0])
        script.syncAll()
        expect(script.shown(1, b) == nil)
        let link: MergedContent = .list([.value(.link(b))])
        expectEqual(script.shown(0, owner)?["friends"], (isWhole ? nil : link))
        expectEqual(Set(script.refusals.map(\.reason)), (isWhole ? [.notUnique, .commitRefused] : [.notUnique]))
        script.check()
    }

    @Test func `a file belongs to one stream, and is a new file in another one`() {
        var bench = ServerBench()
        let first = bench.add()
        let identity = bench.clients[first].identity
        bench.run(.opened(80))
        bench.clients[first].connection = 80
        bench.say(first, .hello(Hello(deviceTime: 0, token: AccessToken("anna"))))
        var bind = Bind(app: "app", schema: SchemaClaim(version: 0, hash: .empty))
        (bind.stream, bind.file) = ("other", identity)
        bench.say(first, .bind(1, bind))
        expectEqual(bench.clients[first].faults, [])
        expect(bench.clients[first].identity?.secret != identity?.secret)
    }
}
