import TestExpectations
import TestRandom
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Nodes that share a store (sync-decisions.md, "Several nodes on one store").
struct SeveralNodesTests {
    private static let stream = ServerBench.stream

    private static func create(_ key: Int64, _ value: Int64 = 0) -> Change {
        .create(ObjectName("A", .int(key)), [NewField("x", .value(.int(value)))])
    }

    private static func set(_ key: Int64, _ value: Int64) -> Change {
        .set(Place(ObjectName("A", .int(key)), "x"), .int(value), .real)
    }

    /// Two nodes on one store.
    private func nodes(_ store: SharedStore = SharedStore()) -> (a: ServerBench, b: ServerBench, store: SharedStore) {
        (ServerBench(seed: 1, store: store), ServerBench(seed: 2, store: store), store)
    }

    private func isFine(_ bench: ServerBench, _ location: SourceLocation = #_sourceLocation) {
        for client in bench.clients {
            expectEqual(client.faults, [], sourceLocation: location)
            expectEqual(client.mistakes, [], sourceLocation: location)
        }
    }

    /// Gives the other node the step of the newest commits.
    private func step(_ store: SharedStore, after version: StreamVersion) -> StreamStep? {
        var query = RowQuery()
        query.known = version
        guard case .rows(let rows) = store.memory.perform(ServerStoreRequest(Self.stream, .read(query))),
            let hash = rows.known
        else { return nil }
        let cursor = Cursor(epoch: rows.head.epoch, version: version, hash: hash)
        let kind = ServerStoreRequest.Kind.step(after: cursor, objects: .max)
        guard case .step(let step) = store.memory.perform(ServerStoreRequest(Self.stream, kind)) else { return nil }
        return step
    }

    // MARK: Reads

    @Test func `a commit of another node is read once for 5,000 sessions`() throws {
        let store = SharedStore()
        var configuration = ServerConfiguration(apps: ["app": ServerApp()]) { token, _ in token.text }
        configuration.requestsPerUser = 10_000
        var machine = ServerMachine(configuration, matcher: SimpleMatcher())
        var random = SeededRandom(seed: 1)
        var changes = 0
        func run(_ event: ServerEvent) {
            var events = [event]
            while let next = events.popLast() {
                for action in machine.handle(next, now: 1_000_000, random: &random) {
                    switch action {
                    case .send(_, .changes): changes += 1
                    case .send(_, .error(_, let error)): Issue.record("\(error)")
                    case .request(let number, let request):
                        events.append(.answered(number, store.perform(request)))
                    case .work(let number, var work): events.append(.worked(number, work.finish()))
                    default: break
                    }
                }
            }
        }
        let all = Queries(version: 1, queries: [ClassQuery(className: "A", condition: "all")])
        for connection in 1...5_000 as ClosedRange<UInt64> {
            run(.opened(connection))
            run(.received(connection, .hello(Hello(deviceTime: 0, token: AccessToken("u"))), bytes: 100))
            run(
                .received(
                    connection,
                    .bind(1, Bind(app: "app", schema: SchemaClaim(version: 0, hash: .empty))),
                    bytes: 100
                )
            )
            run(.received(connection, .credit(1, bytes: 1 << 20), bytes: 100))
            run(.received(connection, .queries(1, all), bytes: 100))
        }
        var other = ServerBench(seed: 2, store: store)
        let writer = other.add([])
        for hint in 1...3 as ClosedRange<Int64> {
            other.commit(writer, [Self.create(hint)])
            store.forgetRequests()
            changes = 0
            run(.moved(Self.stream))
            expectEqual(store.reads, 1)
            expectEqual(changes, 5_000)
        }
        // A step that is given to the node isn't read at all.
        other.commit(writer, [Self.create(10)])
        store.forgetRequests()
        changes = 0
        run(.committed(Self.stream, try require(step(store, after: 3))))
        expectEqual(store.reads, 0)
        expectEqual(changes, 5_000)
    }

    @Test func `a step that doesn't begin where the sessions are is read`() throws {
        var (a, b, store) = nodes()
        let reader = a.add()
        let writer = b.add()
        b.commit(writer, [Self.create(1)])
        b.commit(writer, [Self.create(2)])
        store.forgetRequests()
        a.run(.committed(Self.stream, try require(step(store, after: 1))))
        expectEqual(store.reads, 1)
        expectEqual(a.clients[reader].objects.count, 2)
        // What was published already is nothing new.
        a.run(.committed(Self.stream, try require(step(store, after: 0))))
        expectEqual(store.reads, 1)
        isFine(a)
    }

    @Test func `steps of other nodes and of the node's own groups come in their order`() {
        var random = SeededRandom(test: "SeveralNodesTests")
        for _ in 0..<TestBudget.cases(20, soak: 500) {
            var (a, b, store) = nodes()
            let clients = (0..<3).map { _ in a.add() }
            let writer = b.add()
            for key in 0..<30 as Range<Int64> {
                switch random.below(5) {
                case 0, 1: b.commit(writer, [Self.create(key)])
                case 2: a.commit(clients[random.below(3)], [Self.create(key)])
                case 3: a.run(.moved(Self.stream))
                default:
                    a.holdsRequests = random.chance(50)
                    if !a.holdsRequests { while !a.requests.isEmpty { a.answerRequest() } }
                }
            }
            a.holdsRequests = false
            for _ in 0..<3 {
                while !a.requests.isEmpty { a.answerRequest() }
                a.tick()
            }
            for client in clients {
                expectEqual(a.clients[client].shown, a.expected(client))
                expectEqual(a.clients[client].pending.count, 0)
            }
            isFine(a)
            isFine(b)
            expect(store.reads > 0)
        }
    }

    @Test func `a bind whose answer is newer than what was published waits`() {
        var (a, b, _) = nodes()
        _ = a.add()
        let writer = b.add()
        b.commit(writer, [Self.create(1)])
        // The client comes over from the other node.
        b.disconnect(writer)
        a.clients.append(b.clients[writer])
        let moved = a.clients.count - 1
        a.holdsRequests = true
        a.connect(moved)
        a.answerRequest()
        a.clients[moved].isRecording = true
        expect(!a.clients[moved].received.contains { if case .bound = $0 { true } else { false } })
        a.holdsRequests = false
        while !a.requests.isEmpty { a.answerRequest() }
        expect(a.clients[moved].received.contains { if case .bound = $0 { true } else { false } })
        a.commit(moved, [Self.create(2)])
        expectEqual(a.clients[0].objects.count, 2)
        expectEqual(a.clients[moved].objects.count, 2)
        isFine(a)
    }

    @Test func `sessions end if the log was cut behind them, and new ones bind`() {
        var (a, b, store) = nodes()
        let reader = a.add()
        let writer = b.add()
        b.commit(writer, [Self.create(1)])
        b.commit(writer, [Self.create(2)])
        _ = store.perform(ServerStoreRequest(Self.stream, .trim(log: .max, horizon: .min)))
        a.run(.moved(Self.stream))
        expectEqual(a.clients[reader].faults, [.transient(after: 0)])
        a.clients[reader].faults = []
        a.connect(reader)
        a.commit(reader, [Self.create(3)])
        expectEqual(a.clients[reader].shown, a.expected(reader))
        expectEqual(a.clients[reader].pending.count, 0)
        isFine(a)
    }

    // MARK: Answers

    @Test func `a commit whose answer was lost is answered by the step, before it`() {
        var (a, _, store) = nodes()
        let author = a.add()
        let reader = a.add()
        a.commit(author, [Self.create(1)])
        a.holdsRequests = true
        a.commit(author, [Self.set(1, 5)])
        while case .commit? = a.requests.first?.request.kind {
            let (number, request) = a.requests.removeFirst()
            _ = store.perform(request)
            a.run(.answered(number, .failed(.unknown)))
        }
        a.holdsRequests = false
        a.run(.moved(Self.stream))
        while !a.requests.isEmpty { a.answerRequest() }
        expectEqual(a.clients[author].acknowledged, 2)
        expectEqual(a.clients[reader].shown, a.expected(reader))
        expectEqual(a.clients[author].shown, a.expected(author))
        // The group finds out the same, later.
        for _ in 0..<4 { a.tick() }
        a.commit(author, [Self.set(1, 6)])
        expectEqual(a.clients[author].acknowledged, 3)
        expectEqual(store.head(of: Self.stream).version, 3)
        isFine(a)
    }

    @Test(arguments: [true, false])
    func `a commit that a copy of the file sent elsewhere is answered by the step, if it is the same`(isSame: Bool) {
        var (a, b, _) = nodes()
        let original = a.add()
        a.commit(original, [Self.create(1)])
        a.holdsRequests = true
        // The commit waits in a group that reads.
        a.commit(original, [Self.set(1, 5)])
        b.clients.append(a.clients[original])
        if !isSame {
            b.clients[0].pending = []
            b.clients[0].lastCommit = 1
            b.now += 5
            _ = b.clients[0].commit([Self.set(1, 7)], [:], b.now)
        }
        b.connect(0)
        expectEqual(b.clients[0].acknowledged, 2)
        a.requests.removeAll { if case .commit = $0.request.kind { true } else { false } }
        a.holdsRequests = false
        a.run(.moved(Self.stream))
        expectEqual(a.clients[original].mistakes, [])
        expectEqual(a.clients[original].faults, isSame ? [] : [.transient(after: 0)])
        expectEqual(a.clients[original].acknowledged, isSame ? 2 : 1)
        guard !isSame else { return }
        a.clients[original].faults = []
        b.disconnect(0)
        a.connect(original)
        expectEqual(a.clients[original].forks.count, 1)
    }

    // MARK: Heads

    /// Performs the requests that wait, and returns their answers.
    private func perform(_ bench: inout ServerBench) -> [(RequestNumber, ServerStoreAnswer)] {
        let requests = bench.requests
        bench.requests = []
        return requests.map { ($0.number, bench.store.perform($0.request)) }
    }

    @Test func `a late answer of an earlier request says nothing of the store`() {
        var (a, b, _) = nodes()
        let reader = a.add()
        let writer = b.add()
        a.holdsRequests = true
        a.run(.timer(.trim))
        let late = perform(&a)
        expect(!late.isEmpty)
        b.commit(writer, [Self.create(1)])
        a.run(.moved(Self.stream))
        for (number, answer) in perform(&a) { a.run(.answered(number, answer)) }
        expectEqual(a.clients[reader].objects.count, 1)
        for (number, answer) in late { a.run(.answered(number, answer)) }
        isFine(a)
    }

    @Test(arguments: [0, 1, 2, 3])
    func `a store that went back is noticed by the next read, and the next bind says it`(_ commits: Int) {
        let store = SharedStore()
        var (a, b, _) = nodes(store)
        let reader = a.add()
        let writer = a.add()
        a.commit(writer, [Self.create(1)])
        let backup = store.memory
        a.commit(writer, [Self.create(2)])
        store.memory = backup
        // Another node goes on from the older state: to an earlier version, the same one, and a later one.
        if commits > 0 {
            let other = b.add()
            for key in 0..<Int64(commits - 1) { b.commit(other, [Self.create(10 + key)]) }
        }
        a.run(.moved(Self.stream))
        for client in [reader, writer] {
            expectEqual(a.clients[client].faults, [.transient(after: 0)])
            a.clients[client].faults = []
            a.connect(client)
            expectEqual(a.clients[client].faults, [.storeReplaced])
            expectEqual(a.clients[client].mistakes, [])
        }
    }

    @Test func `commits for a store that went back aren't merged into its other history`() {
        let store = SharedStore()
        var (a, b, _) = nodes(store)
        let author = a.add()
        a.commit(author, [Self.create(1)])
        let backup = store.memory
        a.commit(author, [Self.create(2)])
        store.memory = backup
        let other = b.add()
        for key in 10..<14 as Range<Int64> { b.commit(other, [Self.create(key)]) }
        a.commit(author, [Self.set(2, 3)])
        expectEqual(a.clients[author].faults, [.transient(after: 0)])
        expect(!store.contents(of: Self.stream).keys.contains(ObjectName("A", 2)))
        expectEqual(store.head(of: Self.stream).version, 5)
    }

    @Test
    func `an own commit that a store lost when it went back is noticed, although a newer head was answered first`() {
        let store = SharedStore()
        var (a, b, _) = nodes(store)
        let author = a.add()
        a.commit(author, [Self.create(1)])
        let backup = store.memory
        a.holdsRequests = true
        a.commit(author, [Self.create(2)])
        var commit = perform(&a)
        while store.head(of: Self.stream).version < 2 {
            for (number, answer) in commit { a.run(.answered(number, answer)) }
            commit = perform(&a)
        }
        store.memory = backup
        let other = b.add()
        for key in 10..<14 as Range<Int64> { b.commit(other, [Self.create(key)]) }
        a.holdsRequests = false
        a.run(.moved(Self.stream))
        while !a.requests.isEmpty { a.answerRequest() }
        expectEqual(a.clients[author].faults, [])
        for (number, answer) in commit { a.run(.answered(number, answer)) }
        expectEqual(a.clients[author].faults, [.transient(after: 0)])
    }

    @Test func `a remembered row of another file with the same number doesn't stop a file`() {
        let store = SharedStore()
        let empty = store.memory
        var (a, b, _) = nodes(store)
        let author = a.add()
        // The node keeps the stream's rows for this session.
        let reader = a.add()
        store.memory = empty
        _ = b.add()
        // The number belongs to the other node's file.
        a.commit(author, [Self.create(1)])
        expectEqual(a.clients[author].faults, [.transient(after: 1_000)])
        a.clients[author].faults = []
        // The head is the same again, and the file gets its number anew.
        store.memory = empty
        a.connect(author)
        expectEqual(a.clients[author].forks.count, 1)
        expectEqual(a.clients[author].acknowledged, 1)
        expectEqual(a.clients[reader].shown, a.expected(reader))
        isFine(a)
    }

    @Test func `a commit that another node answered without a new version doesn't stop a file`() {
        var (a, b, store) = nodes()
        let original = a.add()
        _ = a.add()
        a.commit(original, [Self.create(1)])
        var copy = a.clients[original]
        copy.connection = nil
        a.commit(original, [Self.set(1, 2)])
        // Two copies of the file have the same two commits. The first copy sends both.
        _ = copy.commit([Self.set(1, 5)], [:], 1)
        b.clients.append(copy)
        b.connect(0)
        b.commit(0, [Self.set(1, 6)])
        expectEqual(b.clients[0].acknowledged, 2)
        // The second copy sends one to each node.
        let second = a.clients.count
        a.run(.moved(Self.stream))
        a.clients.append(copy)
        a.connect(second)
        expectEqual(a.clients[second].acknowledged, 1)
        a.disconnect(second)
        b.clients.append(a.clients[second])
        _ = b.clients[1].commit([Self.set(1, 6)], [:], b.now)
        b.connect(1)
        expectEqual(b.clients[1].acknowledged, 2)
        expectEqual(store.head(of: Self.stream).version, 4)
        b.disconnect(1)
        a.clients[second] = b.clients[1]
        a.connect(second)
        a.commit(second, [Self.set(1, 7)])
        expectEqual(a.clients[second].acknowledged, 3)
        expectEqual(store.contents(of: Self.stream)[ObjectName("A", 1)]?.content("x"), .value(.int(7)))
        expectEqual(a.clients.map(\.faults) + b.clients.map(\.faults), [[], [], [], [], []])
    }

    @Test func `submissions that a store that went back can't take are answered`() {
        let store = SharedStore()
        var (a, _, _) = nodes(store)
        _ = a.add()
        a.run(.submit(1, Submission(stream: Self.stream, user: "anna", changes: [Self.create(1)])))
        let backup = store.memory
        a.run(.submit(2, Submission(stream: Self.stream, user: "anna", changes: [Self.create(2)])))
        store.memory = backup
        a.run(.submit(3, Submission(stream: Self.stream, user: "anna", changes: [Self.create(3)])))
        guard case .failed(.transient, _)? = a.submitted[3] else {
            Issue.record("\(String(describing: a.submitted[3]))")
            return
        }
        a.run(.submit(4, Submission(stream: Self.stream, user: "anna", changes: [Self.create(4)])))
        guard case .done? = a.submitted[4] else {
            Issue.record("\(String(describing: a.submitted[4]))")
            return
        }
    }

    @Test func `a submission sees what another node committed, also before it is published`() {
        var (a, b, store) = nodes()
        _ = a.add()
        a.run(.submit(1, Submission(stream: Self.stream, user: "anna", changes: [Self.create(10)])))
        let writer = b.add()
        b.commit(writer, [Self.create(1, 1)])
        a.holdsRequests = true
        // Its bind says that there is something newer.
        _ = a.add()
        a.answerRequest()
        a.run(.submit(2, Submission(stream: Self.stream, user: "anna", changes: [Self.set(1, 9)])))
        a.holdsRequests = false
        while !a.requests.isEmpty { a.answerRequest() }
        expectEqual(store.contents(of: Self.stream)[ObjectName("A", 1)]?.content("x"), .value(.int(9)))
        expect(a.clients.indices.allSatisfy { a.clients[$0].shown == a.expected($0) })
        isFine(a)
    }
}
