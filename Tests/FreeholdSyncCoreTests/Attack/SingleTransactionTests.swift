import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Each local transaction has its own clock and its own result, for any number of waiting ones (sync-design.md,
/// sections 4 and 9).
struct SingleTransactionTests {
    private static let list = LocalPlace(ScriptedWorld.name, "list")

    private func script() -> ScriptedWorld {
        var script = ScriptedWorld()
        script.commit(0, .create(ScriptedWorld.name, ["f": .value(0), "count": .value(0)], defaults: []))
        script.syncAll()
        script.sync([])
        return script
    }

    @Test func `the later of two offline values wins, although the earlier one's device continued to work`() {
        var script = script()
        script.set(0, 1)
        script.world.time += 2_000
        script.set(1, 2)
        script.world.time += 2_000
        script.set(0, 3, "g")
        script.syncAll()
        expectEqual(script.value(0), 2)
        expectEqual(script.value(1), 2)
        script.check()
    }

    @Test func `a later value replaces an earlier increment, although the increment's device continued to work`() {
        var script = script()
        script.add(0, 5)
        script.world.time += 2_000
        script.set(1, 100, "count")
        script.world.time += 2_000
        script.add(0, 1)
        script.syncAll()
        expectEqual(script.value(1, "count"), 101)
        script.check()
    }

    @Test func `each of many waiting transactions has the clock of its own time`() throws {
        var store = MemoryClientStore()
        try store.commit([.create(ScriptedWorld.name, ["f": .value(0)], defaults: [])], wall: 1_000)
        for number in 1...50 {
            let edit = LocalEdit.set(LocalPlace(ScriptedWorld.name, "f"), .value(.int(Int64(number))), .real)
            try store.commit([edit], wall: 1_000 + Int64(number) * 100)
        }
        var random = SeededRandom(seed: 1)
        _ = try store.perform(.describe, now: 10_000, random: &random)
        expectEqual(store.data.state.lastCommit, 51)
        let clocks = store.data.commits.values.sorted { $0.commit.number < $1.commit.number }.map(\.commit.clock)
        expectEqual(clocks.map(\.milliseconds), (0...50).map { 1_000 + Int64($0) * 100 })
    }

    @Test func `a thousand transactions on one object are answered and confirmed as quickly as a few`() {
        var script = script()
        for _ in 0..<1_000 { script.add(0, 1) }
        script.syncAll()
        script.syncAll()
        expectEqual(script.value(1, "count"), 1_000)
        script.check()
    }

    // MARK: Two creates of one key

    @Test func `values that a later create of the same key replaces are returned to their author`() {
        var script = script()
        let name = ObjectName("Thing", 7)
        func elements(_ text: String) -> MergedContent { .list(text.map(ScriptedWorld.element)) }
        script.commit(0, .create(name, ["list": elements("ab"), "f": .value(1), "g": .value(5)], defaults: []))
        script.world.time += 1_000
        script.commit(1, .create(name, ["list": elements("bc"), "f": .value(2), "g": .value(5)], defaults: []))
        script.sync([0])
        script.sync([1])
        script.syncAll()
        expectEqual(script.list(0, name), "bc")
        expectEqual(script.value(0, "f", name), 2)
        let lost: [NewField] = [
            NewField("f", .value(1)), NewField("list", .list(first: 1, ["a"])),
        ]
        expectEqual(replaced(script, 0), [.create(name, lost)])
        expectEqual(replaced(script, 1), [])
        script.check()
    }

    @Test func `values of a create that arrives after a later one are returned to their author, too`() {
        var script = script()
        let name = ObjectName("Thing", 7)
        script.commit(0, .create(name, ["set": .set([.string("a"): "a"]), "f": .value(1)], defaults: ["f"]))
        script.world.time += 1_000
        script.commit(1, .create(name, ["set": .set([.string("b"): "b"]), "f": .value(2)], defaults: ["f"]))
        script.sync([1])
        script.sync([0])
        script.syncAll()
        expectEqual(replaced(script, 0), [.create(name, [NewField("set", .set(["a"]))])])
        expectEqual(replaced(script, 1), [])
        script.check()
    }

    @Test func `untouched collections remove nothing`() {
        var script = script()
        let name = ObjectName("Thing", 7)
        let full: [SyncString: MergedContent] = [
            "list": .list([.value("x")]), "set": .set([.string("x"): "x"]), "map": .dictionary(["k": .value("x")]),
        ]
        let empty: [SyncString: MergedContent] = ["list": .list([]), "set": .set([:]), "map": .dictionary([:])]
        script.commit(0, .create(name, full, defaults: []))
        script.world.time += 1_000
        script.commit(1, .create(name, empty, defaults: []))
        script.syncAll()
        for index in 0...1 {
            expectEqual(script.shown(index, name), full)
            expect(replaced(script, index).isEmpty)
        }
        script.check()
    }

    @Test func `an empty collection in a create of an earlier client removes nothing`() throws {
        var stream = MergedStream()
        let full = [
            NewField("list", .list(first: 1, ["x"])), NewField("map", .dictionary(SyncDictionary([("k", "x")]))),
            NewField("set", .set(["x"])),
        ]
        let empty = [
            NewField("list", .list(first: 1, [])), NewField("map", .dictionary(SyncDictionary())),
            NewField("set", .set([])),
        ]
        for (ident, clock, fields) in [(c1, Int64(10), full), (c2, 20, empty)] {
            let create = commit(1, clock: clock, base: 0, .create(thing, fields))
            _ = try stream.merge.apply(create, from: ident, now: 1_000, to: &stream.store)
        }
        let contents = stream.store.objects[thing]?.contents
        expectEqual(contents?["list"], .list([.value("x")]))
        expectEqual(contents?["map"], .dictionary(["k": .value("x")]))
        expectEqual(contents?["set"], .set([.string("x"): "x"]))
    }

    /// Returns the replaced changes.
    private func replaced(_ script: ScriptedWorld, _ client: Int) -> [Change] {
        script.lost(client).compactMap { lost in
            if case .refused(let refusal) = lost, refusal.reason == .replaced { refusal.change } else { nil }
        }
    }

    // MARK: Files that are copied with work that wasn't sent

    @Test func `work that was never sent when a file was backed up counts once after the restore`() {
        var script = ScriptedWorld(list: "a")
        script.commit(0, .set(LocalPlace(ScriptedWorld.name, "count"), .value(0), .real))
        script.syncAll()
        script.sync([])
        script.add(0, 1)
        script.insert(0, "b", at: 1)
        let backup = script.world.clients[0].store.data
        script.syncAll()
        script.world.replaceFile(0, backup)
        script.syncAll()
        expectEqual(script.value(1, "count"), 1)
        expectEqual(script.stored, "ab")
        script.insert(0, "c", at: 2)
        script.syncAll()
        expectEqual(script.stored, "abc")
        script.check()
    }

    @Test func `copies of a copy whose number the original took send their common work once`() {
        var script = ScriptedWorld(clients: 4, list: "a")
        script.sync([])
        // The copies don't know the next work of the original.
        let copy = script.world.clients[0].store.data
        script.insert(0, "x", at: 1)
        script.sync([0])
        script.world.replaceFile(1, copy)
        script.insert(1, "b", at: 1)
        script.insert(1, "c", at: 2)
        let second = script.world.clients[1].store.data
        script.world.replaceFile(2, second)
        script.world.replaceFile(3, second)
        for index in 1...3 { script.insert(index, "\(index)", at: 3) }
        script.sync([1, 2])
        script.sync([3])
        script.syncAll()
        expectEqual(script.stored.sorted(), ["1", "2", "3", "a", "b", "c", "x"])
        for index in 1...3 { script.remove(index, at: script.list(index).distance(of: Character("\(index)"))) }
        script.syncAll()
        expectEqual(script.stored.sorted(), ["a", "b", "c", "x"])
        script.check()
    }

    @Test func `two copies of a file send their common work once, and each its own`() {
        var script = ScriptedWorld(clients: 3, list: "a")
        script.sync([])
        script.insert(0, "b", at: 1)
        script.world.replaceFile(1, script.world.clients[0].store.data)
        script.insert(0, "c", at: 2)
        script.insert(1, "d", at: 2)
        script.sync([0])
        script.sync([1])
        script.syncAll()
        expectEqual(script.stored.sorted(), ["a", "b", "c", "d"])
        script.check()
    }
}

extension String {
    fileprivate func distance(of character: Character) -> Int {
        firstIndex(of: character).map { distance(from: startIndex, to: $0) } ?? 0
    }
}
