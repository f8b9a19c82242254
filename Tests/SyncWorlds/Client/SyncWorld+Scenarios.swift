import FreeholdSyncCore

/// Rare events, each in the middle of a random history. The functions return the problems.
extension SyncWorld {
    private static func world(_ seed: UInt64, _ name: String, _ client: () -> any WorldClient) -> SyncWorld {
        var options = Options(name: name, clients: 2, steps: 60)
        options.fitsFiles = !(client() is MemoryClientStore)
        return SyncWorld(seed: seed, options, clients: client)
    }

    /// Damages a file without the client's notice, and returns the problems after the healing.
    static func healed(_ seed: UInt64, _ client: () -> any WorldClient = { MemoryClientStore() }) -> [String] {
        var world = world(seed, "healing", client)
        world.run()
        guard world.problems.isEmpty else { return world.problems }
        let ghost = ObjectName("Thing", 77)
        let gone = world.clients[0].store.data.versions.keys.sorted().prefix(1)
        try! world.clients[0].store.tamper { data in
            for name in gone {
                try data.perform([.delete(name, .edit)])
                try data.setVersion(nil, of: name)
            }
            try data.perform([.create(ghost, ["f": .value(1)], defaults: [])])
            try data.setVersion(1, of: ghost)
        }
        world.drop(0)
        world.heal()
        let wasNoticed = world.clients[0].reports.contains { if case .mismatch = $0 { true } else { false } }
        return world.problems + (wasNoticed ? [] : ["the damage wasn't noticed"])
    }

    /// A file is copied, and both copies are used.
    static func forked(_ seed: UInt64, _ client: () -> any WorldClient = { MemoryClientStore() }) -> [String] {
        var world = world(seed, "forks", client)
        for _ in 0..<60 { world.step() }
        world.heal()
        world.isCalm = false
        guard world.problems.isEmpty else { return world.problems }
        world.clients[1].store = world.clients[0].store.copied()
        world.clients[1].removed = world.clients[0].removed
        world.restart(1)
        for index in 0..<2 {
            for _ in 0..<3 { world.write(index) }
            // The random work may be empty.
            let name = ObjectName("Thing", .int(Int64(100 + index)))
            world.commit([.create(name, ["f": .value(5)], defaults: [])], index)
            world.handle(.committed, index)
        }
        world.heal()
        return world.problems + (world.server.counts["forks", default: 0] > 0 ? [] : ["no fork was noticed"])
    }

    /// Restores the store from a backup while clients have work that it doesn't know.
    static func reset(_ seed: UInt64, _ client: () -> any WorldClient = { MemoryClientStore() }) -> [String] {
        var world = world(seed, "resets", client)
        for _ in 0..<60 { world.step() }
        world.heal()
        world.isCalm = false
        guard world.problems.isEmpty else { return world.problems }
        let names = (0..<2).map { ObjectName("Thing", .int(Int64(100 + $0))) }
        for index in 0..<2 { world.commit([.create(names[index], ["f": .value(5)], defaults: [])], index) }
        let version = world.server.version
        world.server.replace(keeping: version - min(version, 2))
        // Removals of answered commits that the store lost aren't done again.
        for index in 0..<2 { world.clients[index].removed = [] }
        for index in 0..<2 { world.drop(index) }
        world.heal()
        let isThere = names.allSatisfy { world.server.oracle.isAlive($0) }
        let wasReset = world.clients[0].reports.contains { if case .wasReset = $0 { true } else { false } }
        return world.problems + (isThere ? [] : ["unsent work is lost"]) + (wasReset ? [] : ["the reset is missing"])
    }

    /// Checks that lists lose and double no element.
    static func elements(_ seed: UInt64) -> [String] {
        var world = SyncWorld(
            seed: seed,
            Options(name: "elements", kinds: [.insert, .insert, .remove, .move], crashes: 5)
        )
        world.run()
        var (inserted, removed) = (Set<Content>(), Set<Content>())
        for client in world.clients {
            inserted.formUnion(client.generator.inserted.map(Content.init))
            removed.formUnion(client.generator.removed.map(Content.init))
        }
        var shown: [Content] = []
        for contents in world.server.oracle.stored().values {
            if case .list(let elements)? = contents["list"] { shown += elements }
        }
        if Set(shown).count != shown.count { world.problems.append("an element is doubled") }
        // The list of a create that lost to another one's is removed with it.
        let lists = Set(world.clients.flatMap { client in client.creations })
        let expected = inserted.subtracting(removed)
        if !Set(shown).isSubset(of: expected) { world.problems.append("a removed element is present") }
        if !expected.subtracting(lists).isSubset(of: shown) { world.problems.append("an element is lost") }
        return world.problems
    }

    private mutating func write(_ index: Int) {
        var generator = clients[index].generator
        let edits = generator.transaction(on: clients[index].store.data.objects, &random)
        clients[index].generator = generator
        commit(edits, index)
    }
}

extension SyncWorld.Client {
    /// The elements of creates.
    fileprivate var creations: [Content] { generator.created.map(Content.init) }
}
