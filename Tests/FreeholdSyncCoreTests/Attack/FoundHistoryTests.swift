import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Histories that the simulator found (docs/sync-simulator.md), written as tests.
struct FoundHistoryTests {
    private static let name = ScriptedWorld.name

    @Test func `the removals of a clear reach clients that have the entry`() {
        var script = ScriptedWorld()
        let entry = LocalPlace(Self.name, "map").entry("b")
        script.commit(0, .create(Self.name, ["map": .dictionary(["b": .value(5)])], defaults: []))
        script.world.time += 10_000
        script.commit(1, .create(Self.name, ["map": .dictionary(["b": .value(10)])], defaults: []))
        script.pump(up: [1], down: [1])
        // The first client can send, and receives nothing.
        script.pump(up: [0], down: [1])
        script.world.time += 10_000
        script.commit(0, .increment(entry, 1))
        script.pump(up: [0], down: [1])
        expectEqual(script.shown(1)?["map"], .dictionary(["b": .value(11)]))
        script.commit(0, .clearDictionary(LocalPlace(Self.name, "map"), hidden: []))
        script.pump(up: [0], down: [1])
        expectEqual(script.shown(1)?["map"], .dictionary(["b": .value(10)]))
        script.syncAll()
        script.check()
    }

    @Test func `the removal of an add reaches clients after a second clear`() {
        var script = ScriptedWorld()
        let map = LocalPlace(Self.name, "map")
        script.commit(0, .create(Self.name, ["map": .dictionary(["b": .value(5)])], defaults: []))
        script.syncAll()
        // The second client sets the entry. The first one receives nothing, and adds to the entry later.
        script.world.time += 10_000
        script.commit(1, .set(map.entry("b"), .value(10), .real))
        script.pump(up: [1], down: [1])
        script.world.time += 10_000
        script.commit(0, .increment(map.entry("b"), 1))
        script.pump(up: [0], down: [1])
        expectEqual(script.shown(1)?["map"], .dictionary(["b": .value(11)]))
        // Both commits are in one step. The assignment removes the add, and the clear removes the rest of the assignment.
        script.commit(0, .assignDictionary(map, hidden: [], ["a": .value(1)]))
        script.commit(0, .clearDictionary(map, hidden: []))
        script.pump(up: [0], down: [1])
        expectEqual(script.shown(1)?["map"], .dictionary(["b": .value(10)]))
        script.syncAll()
        script.check()
    }

    @Test func `a file that resets doesn't get the answer to a commit that it has forgotten`() throws {
        var script = ScriptedWorld(clients: 3, list: "ab")
        for index in script.world.clients.indices { script.world.clients[index].node = 0 }
        let backup = script.store
        script.sync([2])
        script.insert(0, "c", at: 2)
        // The second device goes on with a copy of the first one's file, which has the commit.
        script.world.handle(.committed, 0)
        script.world.replaceFile(1, script.world.clients[0].store.data)
        script.world.replaceStore(backup, isCopy: true)
        script.world.wake(1)
        script.talk(1) { $0.store.data.state.isReset }
        expect(script.world.clients[1].store.data.state.isReset)
        // The store has the first history again. The commit of the first device waits at the node, while the second device resets, and does
        // the same work as another commit.
        script.world.replaceStore(backup, isCopy: false)
        script.world.wake(0)
        script.talk(0) { $0.store.data.state.sealed == 2 && $0.up.isEmpty }
        script.talk(1) { !$0.store.data.state.isReset && $0.store.data.state.sealed == 2 && $0.up.isEmpty }
        let numbers = script.world.clients[0...1].map { $0.store.data.state.file?.ident }
        expectEqual(numbers[0], numbers[1])
        expect(
            script.world.clients[0].store.data.commits[2]?.hash != script.world.clients[1].store.data.commits[2]?.hash
        )
        script.syncAll()
        expectEqual(script.stored, "abcc")
        script.check()
    }

    @Test func `the simulator compares answers with the history to which a store returned`() {
        var script = ScriptedWorld(clients: 2, list: "ab")
        for index in script.world.clients.indices { script.world.clients[index].node = 0 }
        let first = script.store
        // The second device goes on with a copy of the first one's file, which has a commit that wasn't sent.
        script.sync([])
        script.insert(0, "c", at: 2)
        script.world.handle(.committed, 0)
        script.world.replaceFile(1, script.world.clients[0].store.data)
        script.sync([0])
        let left = script.store
        script.world.checks.wasBackedUp(left)
        // In another history, the first device sends its work again, under the same number and as another commit.
        script.world.replaceStore(first, isCopy: true)
        script.sync([0])
        expectEqual(script.world.store.head(of: SimulatedWorld.stream).version, 2)
        // The second device receives the answer in the first history.
        script.world.replaceStore(left, isCopy: false)
        script.sync([1])
        expectEqual(script.list(1), "abc")
        script.syncAll()
        script.check()
    }

    @Test func `a difference for pending work is based on the last sent version, not on that at the bind`() {
        var script = ScriptedWorld(list: "abc")
        script.sync([0])
        script.insert(1, "X", at: 1)
        script.insert(0, "Y", at: 2)
        script.sync([0])
        script.world.wake(1)
        for _ in 0..<50 where script.world.clients[1].store.data.versions[Self.name] != 2 {
            script.world.time += 2_000
            script.world.fireClientTimers(1)
            while script.world.clients[1].up.first.map({ !$0.isUpload }) ?? false { script.world.deliverUp(1) }
            script.answerAll()
            script.world.deliverDown(1)
        }
        expectEqual(script.world.clients[1].store.data.versions[Self.name], 2)
        // Two sets of queries, the second before the first one's bootstrap is complete.
        script.world.handle(.subscribed(SimulatedChecks.queries(1)), 1)
        script.world.handle(.subscribed(SimulatedChecks.queries(0)), 1)
        script.syncAll()
        expectEqual(script.list(1), "aXbYc")
        script.check()
    }

    @Test func `objects that an interrupted bootstrap removed are requested, and aren't reported as damage`() {
        var script = ScriptedWorld(list: "abc")
        script.world.handle(.subscribed(SimulatedChecks.queries(1)), 1)
        for _ in 0..<100 where script.shown(1) != nil {
            script.world.deliverUp(1)
            script.answerAll()
            script.world.deliverDown(1)
        }
        expect(script.shown(1) == nil)
        script.world.handle(.subscribed(SimulatedChecks.queries(0)), 1)
        script.syncAll()
        expectEqual(script.list(1), "abc")
        script.check()
    }

    @Test func `a refused move from before the horizon leaves a slot for later work next to it`() throws {
        let (old, new) = (FileIdent(rawValue: 1), FileIdent(rawValue: 2))
        let (place, merge) = (Place(Self.name, "list"), StreamMerge(MergeRules()))
        var store = MemoryStore()
        func commit(
            _ ident: FileIdent,
            _ number: UInt64,
            _ seen: StreamVersion,
            _ change: Change,
            oldLists: [OldList]? = nil
        ) throws -> MergeAnswer {
            let commit = Commit(
                number: number,
                clock: Clock(milliseconds: 1_000),
                base: seen,
                seen: seen > 0 ? [Self.name: seen] : [:],
                changes: [change]
            )
            return try merge.apply(commit, from: ident, oldLists: oldLists, now: 1_000, to: &store)
        }
        let create = Change.create(Self.name, [NewField("list", .list(first: 1, ["a", "b"]))])
        _ = try commit(old, 1, 0, create)
        _ = try commit(old, 2, 1, .remove(place, [.own(1)]))
        _ = try commit(old, 3, 2, .set(Place(Self.name, "f"), 1, .real))
        store.trim(horizon: 3)
        let move = Change.move(place, .confirmed(0), Gap(after: .confirmed(1), before: nil), number: 1)
        let lists = [OldList(place: place, elements: ["a", "b"])]
        try expectEqual(commit(new, 1, 1, move, oldLists: lists).refusals.map(\.reason), [.elementGone])
        let insert = Change.insert(place, Gap(after: .own(1), before: nil), first: 2, ["x"])
        expect(try commit(new, 2, 3, insert).refusals.isEmpty)
        expectEqual(store.objects[Self.name]?.contents["list"], .list([.value("b"), .value("x")]))
    }

    @Test func `commits don't wait for a clock that was set back`() {
        var script = ScriptedWorld(list: "a")
        for node in script.world.nodes.indices { script.world.nodes[node].offset -= 3_600_000 }
        script.insert(0, "b", at: 1)
        script.world.handle(.committed, 0)
        let start = script.world.time
        script.pump(up: [0], down: [0])
        expectEqual(script.stored, "ab")
        expect(script.world.time - start < 60_000)
        script.syncAll()
        script.check()
    }

    @Test func `commits that the store failed to take don't wait for a clock that was set back`() {
        var bench = ServerBench()
        let author = bench.add()
        bench.failures = 100
        bench.commit(author, [.create(ObjectName("A", 1), [])])
        bench.failures = 0
        bench.now -= 3_600_000
        for _ in 0..<20 { bench.tick() }
        expectEqual(bench.clients[author].acknowledged, 1)
    }

    @Test func `objects of an abandoned bootstrap are removed with the next one but one`() throws {
        var store = MemoryClientStore()
        var random = SeededRandom(seed: 1)
        func perform(_ request: StoreRequest) throws -> StoreOutcome {
            try store.perform(request, now: 1_000, random: &random)
        }
        func told() throws -> BootstrapPosition? {
            guard case .described(let file) = try perform(.describe) else { return nil }
            return file.state.bootstrap?.reached
        }
        func begin(_ version: StreamVersion) -> BootstrapBegin {
            let cursor = Cursor(epoch: 7, version: version, hash: .empty)
            return BootstrapBegin(cursor: cursor, queryVersion: 1, view: 1, objects: 0, bytes: 0)
        }
        _ = try perform(.beginBootstrap(begin(1)))
        let first = BootstrapPosition(cursor: begin(1).cursor, queryVersion: 1, last: Self.name)
        let fields = [ConfirmedField("f", .value(1))]
        let batch = ClassBatch(
            className: Self.name.className,
            objects: [ObjectUpdate(Self.name.key, .whole(version: 1, born: 1, fields))]
        )
        _ = try perform(.takeInChunk(BootstrapChunk(classes: [batch], covers: [], position: first)))
        try expectEqual(told(), first)
        // Two more begin, and end before their first chunks.
        _ = try perform(.beginBootstrap(begin(2)))
        try expectEqual(told(), first)
        _ = try perform(.beginBootstrap(begin(3)))
        try expectEqual(told(), first)
        _ = try perform(
            .endBootstrap(
                BootstrapEnd(
                    cursor: begin(3).cursor,
                    queryVersion: 1,
                    clock: .zero,
                    checksums: Checksums(view: 1, classes: [])
                )
            )
        )
        expect(try told() == nil)
    }

    @Test func `a file with a commit on its way keeps its number in repeated binds`() {
        var bench = ServerBench()
        let first = bench.add()
        bench.holdsGroups = true
        bench.commit(first, [.create(Self.name, [NewField("list", .list(first: 1, ["a", "b"]))])])
        expectEqual(bench.clients[first].acknowledged, 0)
        // A copy binds the file again and again while the commit waits.
        let copy = bench.clients.count
        bench.clients.append(bench.clients[first])
        for _ in 0..<8 {
            bench.connect(copy)
            bench.connect(first)
        }
        expect(bench.clients[first].forks.isEmpty && bench.clients[copy].forks.isEmpty)
    }

    @Test func `a view's sums are right, although its last session ended with the step`() {
        var bench = ServerBench()
        let (writer, other) = (bench.add(), bench.add([ClassQuery(className: "A", condition: "n == 1")]))
        let name = ObjectName("A", 1)
        bench.holdsGroups = true
        bench.commit(writer, [.create(name, [NewField("n", .value(1))])])
        // It names a version that never was, and ends the session.
        bench.commit(other, [.set(Place(name, "n"), 2, .real)], [name: 99])
        bench.holdsGroups = false
        bench.run(.timer(.group(ServerBench.stream)))
        expectEqual(bench.clients[other].faults, [.violation])
        (bench.clients[other].pending, bench.clients[other].lastCommit) = ([], 0)
        bench.connect(other)
        expectEqual(bench.clients[other].objects.count, 1)
        expectEqual(bench.clients[other].sumsChecked, 1)
        expect(bench.clients[other].mistakes.isEmpty)
    }

    @Test func `work next to an element of another incarnation is returned`() throws {
        let (first, second, third) = (FileIdent(rawValue: 1), FileIdent(rawValue: 2), FileIdent(rawValue: 3))
        var history = History(seed: 0, rules: OracleRules())
        func add(_ ident: FileIdent, _ number: UInt64, _ seen: StreamVersion, _ changes: [Change]) {
            let commit = Commit(
                number: number,
                clock: Clock(milliseconds: Int64(history.events.count) + 1),
                base: seen,
                seen: seen > 0 ? [thing: seen] : [:],
                changes: changes
            )
            history.events.append(.arrival(ident, commit, serverNow: 100))
        }
        let friends = Place(thing, "friends")
        add(first, 1, 0, [.create(thing, [NewField("friends", .list(first: 1, ["a"]))])])
        // Another incarnation without the list; the third file's own create merges into it.
        add(second, 1, 1, [.delete(thing, .edit), .create(thing, [])])
        add(third, 1, 0, [.create(thing, [NewField("f", .value(1))])])
        let edits: [Change] = [
            .clearList(friends, hidden: [.confirmed(0)]),
            .insert(friends, Gap(after: nil, before: .confirmed(0)), first: 2, ["b"]),
            .insert(friends, Gap(after: .confirmed(0), before: nil), first: 3, ["c"]),
            .remove(friends, [.confirmed(0)]),
            .insert(friends, Gap(after: nil, before: nil), first: 4, ["d"]),
        ]
        add(third, 2, 1, edits)
        expect(Difference(history)?.description == nil)
        var stream = MergedStream()
        var answer: MergeAnswer?
        for event in history.events { answer = try stream.apply(event) }
        expectEqual(answer?.refusals.map(\.index), [0, 1, 2, 3])
        expectEqual(answer?.refusals.allSatisfy { $0.reason == .malformed }, true)
        expectEqual(stream.stored()[thing]?["friends"]?.description, "[d]")
    }
}
