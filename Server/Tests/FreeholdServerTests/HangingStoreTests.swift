import Foundation
import FreeholdBSON
import FreeholdSyncCore
import FreeholdSyncDocuments
import FreeholdSyncRules
import Synchronization
import Testing

@testable import FreeholdServer

/// A store that can hold its answers back. It gives each held answer twice, later.
private final class HangingStore: NodeStore {
    private struct State {
        var hangs = false
        var hangsPages = false
        var pages = 0
        var kept: [@Sendable () -> Void] = []
    }

    private let store = QueuedServerStore(MemoryServerStore(epoch: 7))
    private let state = Mutex(State())

    func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void) {
        store.perform(request) { [self] result in
            let isPage = if case .page = request.kind { true } else { false }
            let isKept = state.withLock { state in
                if isPage { state.pages += 1 }
                let hangs = state.hangs || isPage && state.hangsPages
                if hangs {
                    state.kept.append {
                        answer(result)
                        answer(result)
                    }
                }
                return hangs
            }
            if !isKept { answer(result) }
        }
    }

    func hangPages() { state.withLock { $0.hangsPages = true } }

    /// The number of pages that were requested.
    var pages: Int { state.withLock { $0.pages } }

    /// The number of answers that are kept.
    var kept: Int { state.withLock { $0.kept.count } }

    func hang() { state.withLock { $0.hangs = true } }

    func goOn() {
        let kept = state.withLock { state in
            defer { state = State(pages: state.pages) }
            return state.kept
        }
        for give in kept { give() }
    }
}

private final class Counter: Sendable {
    let number = Atomic(0)
}

private final class Gate: Sendable {
    let isReached = Atomic(false)
    let isOpen = Atomic(false)
}

/// Stores that don't answer. The server answers its clients without them, and keeps nothing of a request.
@Suite(.timeLimit(.minutes(20))) struct HangingStoreTests {
    private static let root = "/api/data/v1/app/test"

    private static func probe(_ store: HangingStore, _ milliseconds: Int64) async throws -> (AccountProbe, String) {
        let server = try await AccountProbe(sync: store) { $0.node.limits.storeTimeout = milliseconds }
        let schema = try BSONDocument(
            extendedJSON: #"{"title": "Note", "bsonType": "object", "properties": {"_id": {"bsonType": "long"}}}"#
        )
        try await server.store.changeDocuments(of: "test") {
            try $0.push([FreeholdSyncRules.SchemaDocument(schema: schema)])
        }
        for _ in 0..<100 where server.running.node.app("test")?.served?.tables.isEmpty != false {
            try await Task.sleep(for: .milliseconds(50))
        }
        return (server, try #require(try await server.loginAnonymous()["access_token"]))
    }

    private static func until(_ isSo: () -> Bool) async throws -> Bool {
        for _ in 0..<500 where !isSo() { try await Task.sleep(for: .milliseconds(10)) }
        return isSo()
    }

    @Test(arguments: [
        ("GET", "/Note", ""), ("GET", "/Note/1", ""), ("DELETE", "/Note/1", ""), ("PATCH", "/Note/1", #"{"$set": {}}"#),
        ("POST", "/Note", #"{"_id": 7}"#), ("GET", "/$changes?after=", ""),
    ])
    func `a request to a store that doesn't answer gets the status 503`(
        _ method: String,
        _ path: String,
        _ body: String
    )
        async throws
    {
        let store = HangingStore()
        let (server, token) = try await Self.probe(store, 200)
        let node = server.running.node
        func ask(_ method: String, _ path: String, _ body: String) async throws -> AccountProbe.Answer {
            try await server.send(method, Self.root + path, bytes: Array(body.utf8), token: token)
        }
        // Appends a resume token if the path needs one.
        var path = path
        if path.hasSuffix("after=") {
            #expect(try await ask("POST", "/Note", #"{"_id": 1}"#).status == 201)
            let head = try #require(await node.head(of: StreamName(app: "test")))
            let token = ResumeToken(at: head.cursor, of: StreamName(app: "test"))
            path += token.text
        }
        store.hang()
        for _ in 0..<3 { #expect(try await ask(method, path, body).status == 503) }
        #expect(node.reads.counts.waiting == 0)
        #expect(try await server.send("GET", "/ready", bytes: []).status == 503)
        store.goOn()
        #expect(
            try await Self.until {
                node.reads.counts == (0, 0)
            }
        )
        #expect(try await Self.isServed { try await ask("POST", "/Note?mode=upsert", #"{"_id": 8}"#).status == 201 })
        #expect(try await ask("GET", "/Note/8", "").status == 200)
        #expect(try await server.send("GET", "/ready", bytes: []).status == 200)
        await server.stop()
    }

    /// Repeats a request, because the store first does the work that waited for it.
    private static func isServed(_ ask: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<100 {
            if try await ask() { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    @Test func `a client that hangs up waits for no store`() async throws {
        let store = HangingStore()
        let (server, token) = try await Self.probe(store, 600_000)
        let reads = server.running.node.reads
        store.hang()
        let request = [
            "GET \(Self.root)/Note HTTP/1.1", "Host: localhost", "Authorization: Bearer \(token)", "", "",
        ]
        var connections: [RawConnection] = []
        for _ in 0..<10 {
            let connection = try await RawConnection(port: server.port)
            await connection.send(Array(request.joined(separator: "\r\n").utf8))
            connections.append(connection)
        }
        #expect(try await Self.until { reads.counts.waiting == 10 })
        for connection in connections { await connection.close() }
        #expect(try await Self.until { reads.counts.waiting == 0 })
        store.goOn()
        #expect(try await Self.until { reads.counts.unanswered == 0 })
        await server.stop()
    }

    @Test func `a read that was hung up on keeps its user's place until the store answers`() async throws {
        let store = HangingStore()
        let (server, token) = try await Self.probe(store, 600_000)
        let node = server.running.node
        let user = SyncString(try #require(try await node.authenticator.identify(token)).user)
        let most = node.configuration.limits.requestsPerUser
        store.hangPages()
        let request = [
            "GET \(Self.root)/Note HTTP/1.1", "Host: localhost", "Authorization: Bearer \(token)", "", "",
        ]
        for _ in 0..<2 {
            var connections: [RawConnection] = []
            for _ in 0..<most + 2 {
                let connection = try await RawConnection(port: server.port)
                await connection.send(Array(request.joined(separator: "\r\n").utf8))
                connections.append(connection)
            }
            #expect(try await Self.until { node.shares.counts(of: user).waiting >= 2 })
            for connection in connections { await connection.close() }
            #expect(try await Self.until { node.shares.counts(of: user) == (most, 0) })
            #expect(store.kept == most)
        }
        store.goOn()
        #expect(try await Self.until { node.shares.counts(of: user) == (0, 0) })
        await server.stop()
    }

    @Test func `connections that were closed count until the machine has ended them`() async throws {
        let store = HangingStore()
        let server = try await AccountProbe(sync: store) {
            $0.node.apps = ["test": NodeApp(access: .everyone)]
            $0.node.limits.storeTimeout = 600_000
            ($0.node.limits.connectionsPerUser, $0.node.limits.requestsPerUser) = (2, 1)
        }
        let node = server.running.node
        let token = try #require(try await server.loginAnonymous()["access_token"])
        let user = SyncString(try #require(try await node.authenticator.identify(token)).user)
        let first = try await RawPeer(port: server.port)
        try await first.hello(token)
        _ = try await first.next { if case .welcome = $0 { true } else { false } }
        store.hang()
        for number in 1...100 as ClosedRange<UInt32> {
            let bind = Bind(app: "test", schema: SchemaClaim(version: 0, hash: .empty))
            try await first.send(.bind(SessionNumber(rawValue: number), bind))
        }
        // The messages of the user wait for the store from now on.
        #expect(try await Self.until { node.hasParkedMessages })
        let second = try await RawPeer(port: server.port)
        try await second.hello(token)
        #expect(try await Self.until { node.users.count(of: user) == 2 })
        first.close()
        second.close()
        for _ in 0..<5 {
            let other = try await RawPeer(port: server.port)
            try await other.hello(token)
            #expect(try await other.next()?.fault == .transient(after: 60_000))
            other.close()
        }
        #expect(try await Self.until { node.status.connections <= 2 })
        store.goOn()
        #expect(try await Self.until { node.users.count(of: user) == 0 && node.status.connections == 0 })
        await server.stop()
    }

    @Test func `a request that was hung up on reads no further page`() async throws {
        let store = HangingStore()
        let (server, token) = try await Self.probe(store, 600_000)
        let node = server.running.node
        let documents = (1...2_500).map { "{\"_id\": \($0)}" }.joined(separator: ",")
        let made = try await server.send("POST", Self.root + "/Note", bytes: Array("[\(documents)]".utf8), token: token)
        #expect(made.status == 201)
        let all = try await server.send("GET", Self.root + "/Note?limit=10000", bytes: [], token: token)
        #expect(all.status == 200)
        // On a busy machine, the time of a request may end before the last page.
        let pages = store.pages
        #expect(pages >= 1)
        store.hangPages()
        let request = [
            "GET \(Self.root)/Note?limit=10000 HTTP/1.1", "Host: localhost", "Authorization: Bearer \(token)", "", "",
        ]
        let connection = try await RawConnection(port: server.port)
        await connection.send(Array(request.joined(separator: "\r\n").utf8))
        #expect(try await Self.until { store.pages == pages + 1 })
        await connection.close()
        #expect(try await Self.until { node.reads.counts.waiting == 0 })
        store.goOn()
        #expect(try await Self.until { node.reads.counts == (0, 0) })
        #expect(store.pages == pages + 1)
        await server.stop()
    }

    @Test func `a store has no more reads than there may be connections`() async throws {
        let reads = StoreReads(most: 5)
        let asked = Counter()
        await withTaskGroup { group in
            for _ in 0..<5 {
                group.addTask {
                    _ = await reads.read(until: 100) { _ in asked.number.add(1, ordering: .relaxed) }
                }
            }
            while reads.counts.waiting < 5 { await Task.yield() }
            #expect(reads.failLate(99) == 0)
            #expect(reads.failLate(100) == 5)
        }
        #expect(reads.counts == (0, 5))
        _ = await reads.read(until: 100) { _ in asked.number.add(1, ordering: .relaxed) }
        #expect(asked.number.load(ordering: .relaxed) == 5)
    }

    @Test func `no caller waits for a node that has ended`() async throws {
        let store = HangingStore()
        let (server, _) = try await Self.probe(store, 600_000)
        store.hang()
        let node = server.running.node
        async let head = node.head(of: StreamName(app: "test"))
        #expect(try await Self.until { node.reads.counts.waiting == 1 })
        await server.stop()
        #expect(await head == nil)
        #expect(await node.head(of: StreamName(app: "test")) == nil)
        store.goOn()
    }

    @Test func `accounts that another process holds are 503, and what didn't begin isn't done`() async throws {
        let held = try await AccountProbe(storeTimeout: 0.3)
        let (gate, store) = (Gate(), try held.file)
        // Another store of the same file, as in a command.
        let writer = Task {
            try await store.write { _ in
                gate.isReached.store(true, ordering: .releasing)
                while !gate.isOpen.load(ordering: .acquiring) { Thread.sleep(forTimeInterval: 0.01) }
            }
        }
        #expect(try await Self.until { gate.isReached.load(ordering: .acquiring) })
        for _ in 0..<3 {
            let answer = try await held.loginAnonymous()
            #expect(answer.status == 503)
            #expect(answer.code == "InternalServerError")
        }
        gate.isOpen.store(true, ordering: .releasing)
        try await writer.value
        // The first log-in had begun. The others hadn't, and aren't done although it is now their turn.
        try await Task.sleep(for: .seconds(1))
        #expect(try await held.store.users(of: "test").count <= 1)
        #expect(try await Self.isServed { try await held.loginAnonymous().status == 200 })
        await held.stop()
    }
}
