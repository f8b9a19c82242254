import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Stores of clients that fail again and again, in simulated worlds.
struct StoreFailureTests {
    private static let bad = ObjectName("Thing", 7)
    private static func good(_ number: Int64) -> ObjectName { ObjectName("Thing", .int(number)) }

    private func create(_ name: ObjectName) -> LocalEdit { .create(name, ["count": .value(.int(1))], defaults: []) }

    private func subjects(_ world: ScriptedWorld, _ client: Int) -> [StoreTrouble.Subject?] {
        world.world.clients[client].troubles.map(\.subject)
    }

    @Test func `An object that can't be stored is reported after three failures, and downloads go on`() {
        var world = ScriptedWorld(clients: 2)
        world.world.clients[1].store.setUnstorable([Self.bad])
        world.commit(0, create(Self.good(1)))
        world.commit(0, create(Self.bad), create(Self.good(2)))
        world.commit(0, create(Self.good(3)))
        world.syncAll()
        expectEqual(subjects(world, 1), [.object(Self.bad)])
        let text = world.world.clients[1].troubles.first.map { "\($0)" } ?? ""
        expect(text.contains("'Thing'") && text.contains("Sync continues"), "\(text)")
        let shown = Set(world.world.clients[1].store.data.objects.keys)
        expectEqual(shown, [Self.good(1), Self.good(2), Self.good(3)])

        // Changes the object and other ones, in both directions.
        world.commit(0, .set(LocalPlace(Self.bad, "count"), .value(.int(2)), .real))
        world.commit(0, .set(LocalPlace(Self.good(1), "count"), .value(.int(3)), .real))
        world.commit(1, create(Self.good(4)))
        world.syncAll()
        expectEqual(world.world.clients[1].store.data.objects[Self.good(1)]?["count"], .value(.int(3)))
        expect(world.world.clients[0].store.data.objects[Self.good(4)] != nil)
        expectEqual(subjects(world, 1).count, 1)
    }

    @Test func `A transaction that can't be prepared is set aside for the app, and later ones are sent`() {
        var world = ScriptedWorld(clients: 2)
        world.world.clients[0].store.setUnstorable([Self.bad])
        world.commit(0, create(Self.good(1)))
        world.commit(0, create(Self.bad), create(Self.good(2)))
        world.commit(0, create(Self.good(3)))
        world.commit(1, create(Self.good(4)))
        world.syncAll()
        expectEqual(subjects(world, 0), [.work(sequence: 2, classes: ["Thing"])])
        expectEqual(Set(world.world.clients[1].store.data.objects.keys), [Self.good(1), Self.good(3), Self.good(4)])
        expect(world.world.clients[0].store.data.objects[Self.good(4)] != nil)
        // The work that was set aside isn't shown any more.
        expect(world.world.clients[0].store.data.objects[Self.bad] == nil)
        guard case .misplaced(let edits)? = world.world.clients[0].store.data.lost.first else {
            Issue.record("Nothing was kept: \(world.world.clients[0].store.data.lost)")
            return
        }
        expectEqual(edits.map(\.object), [Self.bad, Self.good(2)])
    }

    @Test
    func `A process that ends between two transactions of its work leaves no default shown for a confirmed value`()
        throws
    {
        var world = ScriptedWorld(clients: 2)
        let place = LocalPlace(Self.good(1), "f")
        world.commit(1, create(Self.good(1)), .set(place, .value(.int(5)), .real))
        world.syncAll()
        world.sync([])
        world.commit(0, .set(place, .value(.int(9)), .byDefault))
        world.commit(0, create(Self.good(2)))
        var (store, care, random) = (world.world.clients[0].store, StoreCare(), SeededRandom(seed: 1))
        // After a failure, each of the app's transactions is resolved in a transaction of its own. The second one fails.
        store.crashes = [MemoryClientStore.Crash(isAfter: false), nil, MemoryClientStore.Crash(isAfter: false)]
        for _ in 0..<2 {
            do {
                _ = try store.perform(.describe, now: 1, random: &random, care: &care)
                Issue.record("The transaction doesn't fail.")
            } catch is MemoryClientStore.Crash {}
        }
        expectEqual(store.data.local.count, 1)
        // The process ends.
        var new = StoreCare()
        _ = try store.perform(.describe, now: 1, random: &random, care: &new)
        expectEqual(store.data.objects[Self.good(1)]?["f"], .value(.int(5)))
        expectEqual(store.data.shadows[Self.good(1)]?.contents, store.data.objects[Self.good(1)])
    }
}
