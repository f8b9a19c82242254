import FreeholdBSON
import FreeholdSync
import FreeholdSyncCore
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import FreeholdServer

/// The bounds of what many connections may take together.
@Suite(.timeLimit(.minutes(20))) struct LoadTests {
    private static let notes = "/api/data/v1/app/test/Note"

    private static func upload(_ token: String, _ length: Int) -> [String] {
        [
            "POST \(notes) HTTP/1.1", "Host: localhost", "Authorization: Bearer \(token)", "Content-Length: \(length)",
        ]
    }

    @Test func `a token that isn't good is refused before its body is taken`() async throws {
        let server = try await AccountProbe()
        for token in ["nonsense", ""] {
            // The rest of the body is never sent.
            let body = [UInt8](repeating: 0x20, count: 200_000)
            #expect(try await RawConnection.status(Self.upload(token, 16 << 20), body, port: server.port) == 401)
        }
        await server.stop()
    }

    @Test func `bodies that wait are bounded together, and small ones find room`() async throws {
        let server = try await AccountProbe { $0.node.limits.bodyBytes = 100_000 }
        let token = try #require(try await server.loginAnonymous()["access_token"])
        for _ in 0..<3 {
            let large = [UInt8](repeating: 0x20, count: 90_000)
            let refused = try await RawConnection.ask(Self.upload(token, large.count), large, port: server.port)
            #expect(refused.status == 503)
            #expect(refused.text.contains("Retry-After: "))
            // The app has no schema. The status 409 shows that the server took the whole body.
            let small = [UInt8](repeating: 0x20, count: 60_000)
            #expect(
                try await RawConnection.ask(Self.upload(token, small.count), small, port: server.port).status == 409
            )
        }
        // Two other requests hold the whole memory for bodies.
        var holders: [RawConnection] = []
        for _ in 0..<2 {
            let holder = try await RawConnection(port: server.port)
            let head = Self.upload(token, 60_000) + ["", ""]
            await holder.send(Array(head.joined(separator: "\r\n").utf8) + [UInt8](repeating: 0x20, count: 49_000))
            holders.append(holder)
        }
        var status = 0
        for _ in 0..<100 where status != 503 {
            let body = [UInt8](repeating: 0x20, count: 5_000)
            status = try await RawConnection.ask(Self.upload(token, body.count), body, port: server.port).status
        }
        #expect(status == 503)
        for holder in holders { await holder.close() }
        for _ in 0..<100 where status != 409 {
            let body = [UInt8](repeating: 0x20, count: 5_000)
            status = try await RawConnection.ask(Self.upload(token, body.count), body, port: server.port).status
        }
        #expect(status == 409)
        await server.stop()
    }

    @Test func `an address with many connections leaves room for other addresses`() async throws {
        let server = try await TestServer { settings in
            (settings.node.limits.connections, settings.node.limits.connectionsPerAddress) = (8, 3)
        }
        // The first half is for every address. An answer shows that the connection was accepted.
        var clients: [WireClient] = []
        for _ in 0..<4 {
            clients.append(try await WireClient(port: server.port))
            #expect(try await clients.last?.ask("GET /health").status == 200)
        }
        let fifth = try await WireClient(port: server.port)
        #expect(await fifth.rest() == [])
        let other = try await WireClient(port: server.port, from: "127.0.0.2")
        #expect(try await other.ask("GET /health").status == 200)
        await clients.removeLast().close()
        await clients.removeLast().close()
        var status: Int?
        while status != 200 {
            let next = try await WireClient(port: server.port)
            // The server may refuse the connection, until it knows that the others are closed.
            await next.send("GET /health")
            status = await next.answer()?.status
            await next.close()
        }
        for client in clients + [fifth, other] { await client.close() }
        await server.stop()
    }

    @Test func `connections without a WebSocket are counted, too`() async throws {
        let server = try await TestServer { settings in
            settings.node.limits.connections = 2
            settings.node.limits.greetingTimeout = 300_000
        }
        let first = try await RawConnection(port: server.port)
        let second = try await RawConnection(port: server.port)
        let start = ContinuousClock.now
        let third = try await RawConnection(port: server.port)
        #expect(await third.next() == nil)
        #expect(start.duration(to: .now) < .seconds(200))
        await first.close()
        let request = ["GET /health HTTP/1.1", "Host: localhost"]
        var status = 0
        for _ in 0..<1_000 where status != 200 {
            status = try await RawConnection.ask(request, port: server.port).status
        }
        #expect(status == 200)
        await second.close()
        await server.stop()
    }

    @Test func `change streams count among a user's connections`() async throws {
        let server = try await AccountProbe { $0.node.limits.connectionsPerUser = 2 }
        let token = try #require(try await server.loginAnonymous()["access_token"])
        let request = [
            "GET /api/data/v1/app/test/$changes HTTP/1.1", "Host: localhost", "Authorization: Bearer \(token)", "", "",
        ]
        func follow() async throws -> (RawConnection, String) {
            let connection = try await RawConnection(port: server.port)
            await connection.send(Array(request.joined(separator: "\r\n").utf8))
            return (connection, await connection.next() ?? "")
        }
        let first = try await follow()
        let second = try await follow()
        #expect(first.1.contains(" 200 ") && second.1.contains(" 200 "))
        #expect(try await follow().1.contains(" 429 "))
        // Another user has a share of its own.
        let other = try #require(try await server.loginAnonymous()["access_token"])
        let path = "/api/data/v1/app/test/Note"
        #expect(try await server.send("GET", path, bytes: [], token: other).status == 200)
        await first.0.close()
        var answer = ""
        for _ in 0..<1_000 where !answer.contains(" 200 ") {
            let next = try await follow()
            answer = next.1
            if !answer.contains(" 200 ") { await next.0.close() }
        }
        #expect(answer.contains(" 200 "))
        await second.0.close()
        await server.stop()
    }

    /// An authenticator that answers when the test allows it.
    private final class SlowAuthenticator: Authenticator {
        let isOpen = Atomic(false)

        func identify(_ token: String) async throws -> Identity? {
            while !isOpen.load(ordering: .acquiring) { try await Task.sleep(for: .milliseconds(5)) }
            return Identity(user: "ann")
        }
    }

    @Test func `while a token is looked at little is read`() async throws {
        let (authenticator, metrics) = (SlowAuthenticator(), PrometheusMetrics())
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        var configuration = NodeConfiguration(apps: ["test": NodeApp(access: .everyone)])
        // On a busy machine, reading the greeting takes long.
        (configuration.limits.greetingTimeout, configuration.limits.idleTimeout) = (600_000, 600_000)
        let node = ServerNode(
            configuration,
            store: QueuedServerStore(MemoryServerStore(epoch: 7)),
            authenticator: authenticator,
            matcher: QueryMatcher(),
            loop: group.next(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            metrics: metrics
        )
        let listener = try await NodeListener.listen(node, host: "127.0.0.1", port: 0, group: group)
        let peer = try await RawPeer(port: listener.port)
        let (count, token) = (200, String(repeating: "x", count: 60_000))
        let sending = Task { for _ in 0..<count { try await peer.hello(token) } }
        func received() -> Int {
            let line = metrics.text().split(separator: "\n").first { $0.hasPrefix("freehold_bytes_received_total ") }
            return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
        }
        while received() == 0 { try await Task.sleep(for: .milliseconds(5)) }
        try await Task.sleep(for: .seconds(1))
        #expect(received() < 500_000)
        authenticator.isOpen.store(true, ordering: .releasing)
        guard case .welcome? = try await peer.next() else {
            Issue.record("no welcome")
            return
        }
        // This line throws if the connection has ended.
        try await sending.value
        for _ in 0..<24_000 where received() < count * 60_000 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(received() >= count * 60_000)
        peer.close()
        await listener.close()
        try await node.drain(0).get()
        try await node.stop().get()
        try await group.shutdownGracefully()
    }

    /// Finds out that a token is of a user when the test has opened the token.
    private final class GatedAuthenticator: Authenticator {
        let open = Mutex<Set<String>>([])

        func identify(_ token: String) async throws -> Identity? {
            while !open.withLock({ $0.contains(token) }) { try await Task.sleep(for: .milliseconds(5)) }
            return Identity(user: "ann")
        }
    }

    @Test func `messages behind a second greeting are counted`() async throws {
        let authenticator = GatedAuthenticator()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        var configuration = NodeConfiguration(apps: ["test": NodeApp(access: .everyone)])
        (configuration.limits.greetingTimeout, configuration.limits.idleTimeout) = (600_000, 600_000)
        let node = ServerNode(
            configuration,
            store: QueuedServerStore(MemoryServerStore(epoch: 7)),
            authenticator: authenticator,
            matcher: QueryMatcher(),
            loop: group.next(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            metrics: PrometheusMetrics()
        )
        let listener = try await NodeListener.listen(node, host: "127.0.0.1", port: 0, group: group)
        func wait(_ isSo: () -> Bool) async throws -> Bool {
            for _ in 0..<24_000 where !isSo() { try await Task.sleep(for: .milliseconds(5)) }
            return isSo()
        }
        let peer = try await RawPeer(port: listener.port)
        try await peer.hello("first")
        try await peer.hello("second")
        for _ in 0..<40 { try await peer.send(.credit(1, bytes: 1)) }
        #expect(try await wait { node.memory.node[.messages] >= 41 * 64 })
        authenticator.open.withLock { _ = $0.insert("first") }
        _ = try await peer.next { if case .welcome = $0 { true } else { false } }
        #expect(try await wait { node.memory.bytes(of: "ann") >= 40 * 64 })
        #expect(node.memory.node[.messages] < 42 * 128)
        // A client that is renewing its token may continue.
        for _ in 0..<40 { try await peer.send(.credit(1, bytes: 1)) }
        #expect(try await wait { node.memory.bytes(of: "ann") >= 80 * 64 })
        authenticator.open.withLock { _ = $0.insert("second") }
        #expect(try await wait { node.memory.node[.messages] == 0 })
        try await peer.hello("third")
        for _ in 0..<40 { try await peer.send(.credit(1, bytes: 1)) }
        #expect(try await wait { node.memory.bytes(of: "ann") >= 40 * 64 })
        peer.close()
        #expect(try await wait { node.memory.node.bytes == 0 })
        await listener.close()
        try await node.drain(0).get()
        try await node.stop().get()
        try await group.shutdownGracefully()
    }
}
