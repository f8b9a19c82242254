import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Faults of a store that pass and faults that don't, and what a node remembers.
struct StoreLimitTests {
    /// A store that can't keep commits that name some objects.
    private struct LimitedStore: WorldStore {
        var memory = MemoryServerStore(epoch: 7)
        /// A Boolean value that indicates whether the store can't keep the refusal of such a commit, either.
        var isStubborn = false
        /// A Boolean value that indicates whether commits fail for a reason that passes.
        var isDown = false
        var attempts = 0
        let problems: [String] = []

        mutating func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer {
            if case .commit(let commit) = request.kind {
                attempts += 1
                if isDown { return .failed(.unavailable("down")) }
                let isBad = commit.objects.contains { $0.name.className == "Bad" && $0.object.isAlive }
                let isRefusal = commit.answers.values.joined().contains { answer in
                    answer.answer.refusals.contains { $0.reason == .tooLarge }
                }
                if isBad || (isStubborn && isRefusal) { return .failed(.limit("too large")) }
            }
            return memory.perform(request)
        }

        func contents(of stream: StreamName) -> [ObjectName: MergedObject] { memory.contents(of: stream) }
        func head(of stream: StreamName) -> StreamHead { memory.head(of: stream) }
        func files(of stream: StreamName) -> [FileIdent: FileRow] { memory.files(of: stream) }
        func ingested(of stream: StreamName) -> [ObjectName: [NewField]] { memory.ingested(of: stream) }
        func reopen() {}
    }

    private func create(_ className: SyncString, _ key: Int64) -> Change {
        .create(ObjectName(className, .int(key)), [NewField("x", .value(.int(key)))])
    }

    /// The first of three clients commits an object that can't be kept, in one group with the other clients.
    private func run(isStubborn: Bool) -> ServerBench {
        var bench = ServerBench(store: LimitedStore(isStubborn: isStubborn))
        let clients = ["ann", "ben", "cleo"].map { bench.add(user: SyncString($0)) }
        bench.holdsGroups = true
        bench.commit(clients[0], [create("A", 1)])
        bench.commit(clients[0], [create("Bad", 1), create("A", 9)])
        bench.commit(clients[1], [create("A", 2)])
        bench.commit(clients[0], [create("A", 3)])
        bench.commit(clients[2], [create("A", 4)])
        bench.holdsGroups = false
        bench.run(.timer(.group(ServerBench.stream)))
        return bench
    }

    private func keys(_ bench: ServerBench) -> [ObjectName] {
        bench.store.contents(of: ServerBench.stream).keys.sorted()
    }

    @Test func `the commit that can't be kept is refused whole, and the others of its group are kept`() {
        let bench = run(isStubborn: false)
        expect(bench.clients.allSatisfy { $0.pending.isEmpty && $0.mistakes.isEmpty && $0.faults.isEmpty })
        expectEqual(keys(bench), [1, 2, 3, 4].map { ObjectName("A", .int($0)) })
        let refusals = bench.clients[0].refusals
        expectEqual(refusals.map(\.reason), [.tooLarge, .tooLarge])
        expectEqual(refusals.map(\.change), [create("Bad", 1), create("A", 9)])
    }

    @Test func `a session whose commit can't even be refused ends, and the others go on`() {
        let bench = run(isStubborn: true)
        expectEqual(bench.clients[0].faults, [.violation])
        expect(bench.clients[1].pending.isEmpty && bench.clients[2].pending.isEmpty)
        expectEqual(keys(bench), [1, 2, 4].map { ObjectName("A", .int($0)) })
        // The request to the store isn't repeated endlessly.
        expect((bench.store as? LimitedStore).map { $0.attempts < 12 } ?? false)
    }

    /// The moments at which the file of a waiting commit is forgotten.
    enum Moment: CaseIterable { case beforeRead, beforeCommit }

    @Test(arguments: Moment.allCases)
    func `the first commit of a file that is forgotten meanwhile is done once, under another number`(moment: Moment) {
        var bench = ServerBench()
        let clients = ["ann", "ben"].map { bench.add(user: SyncString($0)) }
        let first = bench.clients[clients[0]].identity?.ident
        func forget(_ store: inout any WorldStore) {
            guard let first else { return }
            let note = ServerStoreRequest.Kind.noteFile(first, acknowledged: 0, leastBase: nil, time: 1)
            for kind in [note, .trimFiles(unused: 2, idle: 2)] {
                _ = store.perform(ServerStoreRequest(ServerBench.stream, kind))
            }
        }
        bench.holdsGroups = true
        bench.commit(clients[0], [create("A", 1)])
        bench.commit(clients[1], [create("A", 2)])
        bench.holdsGroups = false
        if moment == .beforeRead { forget(&bench.store) }
        bench.holdsRequests = true
        bench.run(.timer(.group(ServerBench.stream)))
        while let request = bench.requests.first?.request {
            if case .commit = request.kind, moment == .beforeCommit { forget(&bench.store) }
            bench.answerRequest()
        }
        bench.holdsRequests = false
        expectEqual(bench.clients[0].faults, [.transient(after: 1_000)])
        expect(bench.clients[1].pending.isEmpty && bench.clients[1].faults.isEmpty)
        expectEqual(keys(bench), [ObjectName("A", .int(2))])
        bench.connect(clients[0])
        expect(bench.clients[0].pending.isEmpty && bench.clients[0].identity?.ident != first)
        expectEqual(keys(bench), [ObjectName("A", .int(1)), ObjectName("A", .int(2))])
        expectEqual(bench.store.head(of: ServerBench.stream).version, 2)
        expect(bench.clients.allSatisfy(\.mistakes.isEmpty))
    }

    @Test func `a program's submission that can't be kept is refused`() {
        var bench = ServerBench(store: LimitedStore())
        bench.run(.submit(1, Submission(stream: ServerBench.stream, user: "ann", changes: [create("Bad", 1)])))
        guard case .done(_, let refusals)? = bench.submitted[1] else {
            Issue.record("\(bench.submitted)")
            return
        }
        expectEqual(refusals.map(\.reason), [.tooLarge])
    }

    @Test func `failures that pass are tried again with growing pauses`() throws {
        var bench = ServerBench(store: LimitedStore(isDown: true))
        let ann = bench.add()
        bench.commit(ann, [create("A", 1)])
        for _ in 0..<60 { bench.tick() }
        expectEqual(bench.clients[ann].pending.count, 1)
        let store = try require(bench.store as? LimitedStore)
        // At once, then after 1, 1, 2, 4, 8, 16, 16 seconds.
        expect((6...9).contains(store.attempts), "\(store.attempts) attempts")
        bench.store = LimitedStore(memory: store.memory)
        for _ in 0..<20 { bench.tick() }
        expect(bench.clients[ann].pending.isEmpty)
        expectEqual(keys(bench), [ObjectName("A", 1)])
    }

    @Test func `a refusal under other names keeps its field, and that its content was left out`() {
        let change = create("A", 1)
        let refusal = Refusal(commit: 3, index: 0, change: change, reason: .forbidden, field: "x").outline
        expect(refusal.isOutline && refusal.field == "x" && refusal.change != change)
        let names = FileNames(version: 0, classes: [])
        expectEqual(NameChanges(from: names, to: names).refusal(refusal), refusal)
        let own = Commit(number: 3, clock: .zero, base: 0, changes: [change])
        let whole = Refusal(commit: 3, index: 0, change: change, reason: .forbidden, field: "x")
        expectEqual(refusal.completed(by: own), whole)
        // A commit of another number, or without the change, doesn't complete it.
        expectEqual(refusal.completed(by: Commit(number: 4, clock: .zero, base: 0, changes: [change])), refusal)
        expectEqual(refusal.completed(by: Commit(number: 3, clock: .zero, base: 0, changes: [])), refusal)
    }

    @Test func `a commit is refused whose objects are too large together, and others of its group are kept`() {
        var bench = ServerBench {
            $0.groupBytes = 40_000
            $0.rowBytes = 1_000
        }
        let (ann, ben) = (bench.add(user: "ann"), bench.add(user: "ben"))
        let text = SyncString(String(repeating: "x", count: 10_000))
        for key in 0..<6 as Range<Int64> {
            bench.commit(ann, [.create(ObjectName("A", .int(key)), [NewField("t", .value(.string(text)))])])
        }
        let head = bench.store.head(of: ServerBench.stream).version
        let seen = Dictionary(uniqueKeysWithValues: (0..<6).map { (ObjectName("A", .int($0)), head) })
        bench.holdsGroups = true
        bench.commit(ann, (0..<6).map { .set(Place(ObjectName("A", .int($0)), "n"), 1, .real) }, seen)
        bench.commit(ben, [.set(Place(ObjectName("A", 1), "n"), 2, .real)], seen)
        bench.holdsGroups = false
        bench.run(.timer(.group(ServerBench.stream)))
        expect(bench.clients[ann].pending.isEmpty && bench.clients[ben].pending.isEmpty)
        expectEqual(bench.clients[ann].refusals.map(\.reason), Array(repeating: .tooLarge, count: 6))
        expect(bench.clients[ben].refusals.isEmpty && bench.clients[ben].mistakes.isEmpty)
        expectEqual(bench.store.contents(of: ServerBench.stream)[ObjectName("A", 1)]?.contents["n"], .value(2))
        expect(bench.store.contents(of: ServerBench.stream)[ObjectName("A", 2)]?.contents["n"] == nil)
        // Fewer objects are changed.
        bench.commit(ann, [.set(Place(ObjectName("A", 2), "n"), 3, .real)], seen)
        expectEqual(bench.store.contents(of: ServerBench.stream)[ObjectName("A", 2)]?.contents["n"], .value(3))
    }

    @Test func `a user's documents have a quota, and the work of another user goes on`() {
        var bench = ServerBench { $0.userDiskBytes = 50_000 }
        let (ann, ben) = (bench.add(user: "ann"), bench.add(user: "ben"))
        let text = SyncString(String(repeating: "x", count: 10_000))
        func create(_ key: Int64) -> Change {
            .create(ObjectName("A", .int(key)), [NewField("t", .value(.string(text)))])
        }
        for key in 0..<8 as Range<Int64> { bench.commit(ann, [create(key)]) }
        expect(bench.clients[ann].pending.isEmpty && bench.clients[ann].faults.isEmpty)
        expectEqual(bench.clients[ann].refusals.map(\.reason), [.tooLarge, .tooLarge, .tooLarge, .tooLarge])
        expectEqual(keys(bench).count, 4)
        bench.commit(ben, [create(100)])
        expectEqual(keys(bench).count, 5)
        // Another node has the same state.
        bench.killNode()
        for index in [ann, ben] { bench.connect(index) }
        bench.commit(ann, [create(200)])
        expectEqual(bench.clients[ann].refusals.count, 5)
        bench.commit(ann, [.delete(ObjectName("A", 0), .edit)], [ObjectName("A", 0): 9])
        bench.commit(ann, [create(201)])
        expectEqual(bench.clients[ann].refusals.count, 5)
        // Programs have the same quota.
        bench.run(.submit(1, Submission(stream: ServerBench.stream, user: "ann", changes: [create(300)])))
        guard case .done(_, let refusals)? = bench.submitted[1] else {
            Issue.record("\(bench.submitted)")
            return
        }
        expectEqual(refusals.map(\.reason), [.tooLarge])
        expectEqual(keys(bench).count, 5)
    }

    // MARK: Memory

    @Test func `rows that a node remembers are bounded by their bytes`() {
        var bench = ServerBench { $0.rowBytes = 200_000 }
        let ann = bench.add()
        let text = SyncString(String(repeating: "x", count: 10_000))
        for key in 0..<100 as Range<Int64> {
            bench.commit(ann, [.create(ObjectName("A", .int(key)), [NewField("t", .value(.string(text)))])])
            let stream = bench.machine.streams[ServerBench.stream]
            stream?.weights.checkInvariants()
            expect((stream?.weights.bytes ?? 0) <= 200_000)
            expect((stream?.rows.objects.count ?? 0) <= 20)
        }
        expect(bench.clients[ann].pending.isEmpty)
        // Objects whose rows were removed are read again.
        let name = ObjectName("A", 0)
        let version = bench.clients[ann].objects[name]?.version ?? 0
        bench.commit(ann, [.set(Place(name, "t"), .string("new"), .real)], [name: version])
        expect(bench.clients[ann].pending.isEmpty && bench.clients[ann].refusals.isEmpty)
        expectEqual(bench.store.contents(of: ServerBench.stream)[name]?.contents["t"], .value(.string("new")))
    }

    @Test func `a bind with too many unanswered commits is refused, and a user's sessions have one share`() {
        var bench = ServerBench {
            $0.pendingCommits = 10
            // Two clients with two sessions each, and one session of a third client.
            $0.userBytes = 17_000
        }
        let hashes = (0..<10).map { RunningHash.empty.appending([UInt8($0)]) }
        let clients = (0..<3).map { _ in bench.add(user: "ann") }
        for index in clients { bench.disconnect(index) }
        func bind(_ index: Int, _ pending: [RunningHash]) {
            bench.connect(index)
            var bind = Bind(app: "app", schema: SchemaClaim(version: 0, hash: .empty))
            bind.journal = JournalRange(acknowledged: 0, hash: .empty, pending: pending)
            bench.say(index, .bind(2, bind))
        }
        for index in clients { bench.clients[index].faults = [] }
        bind(0, hashes + hashes)
        expectEqual(bench.clients[0].faults, [.tooLarge(limit: 10)])
        bench.clients[0].faults = []
        bind(0, hashes)
        bind(1, hashes)
        expect(bench.clients[0].faults.isEmpty && bench.clients[1].faults.isEmpty)
        bind(2, hashes)
        expectEqual(bench.clients[2].faults, [.transient(after: 10_000)])
        // A session that ends releases its share.
        bench.disconnect(0)
        bench.clients[2].faults = []
        bind(2, hashes)
        expect(bench.clients[2].faults.isEmpty)
        for index in clients { bench.disconnect(index) }
        expectEqual(bench.machine.sessionLedger.bytes, 0)
    }

    @Test func `a session keeps some of the held objects that a client names, and isn't refused for the others`() {
        var bench = ServerBench {
            $0.heldObjects = 3
            // Four sessions, and the held objects of one.
            $0.userBytes = 4 * SessionBytes.least + 300
        }
        let clients = (0..<2).map { _ in bench.add(user: "ann") }
        for index in clients { bench.disconnect(index) }
        let held = (0..<5).map { HeldObject(name: ObjectName("A", .int($0)), version: 1) }
        func kept(_ index: Int) -> [Int] {
            bench.machine.sessions.values.filter { $0.key.connection == bench.clients[index].connection }
                .map { max($0.held.count, $0.bind.held.count) }
        }
        for (index, expected) in zip(clients, [3, 0]) {
            bench.connect(index)
            bench.clients[index].faults = []
            var bind = Bind(app: "app", schema: SchemaClaim(version: 0, hash: .empty))
            bind.held = held
            bench.say(index, .bind(2, bind))
            // The second session of the user finds no room for them.
            expectEqual(kept(index).max(), expected)
            var resume = Resume(cursor: nil)
            resume.held = held
            bench.say(index, .resume(2, resume))
            expectEqual(bench.clients[index].faults, [])
        }
    }

    @Test func `a client names as many held objects as a message may have`() {
        let held = (0..<10).map { HeldObject(name: ObjectName("A", .string(SyncString("key \($0)"))), version: 1) }
        expectEqual(held.named(most: 4, upTo: .max), Array(held.prefix(4)))
        expectEqual(held.named(most: 100, upTo: 100).count, 3)
        expectEqual(held.named(most: 0, upTo: .max), [])
    }
}
