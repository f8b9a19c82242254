import FreeholdServer
import FreeholdSync
import FreeholdSyncCore
import NIOCore
import NIOPosix
import Testing

/// Clients that violate the protocol, or don't read what the server sends.
@Suite(.timeLimit(.minutes(20))) struct HostileClientTests {
    private func greeted(_ server: TestServer) async throws -> RawPeer {
        let peer = try await RawPeer(port: server.port)
        try await peer.hello(TestServer.token("ann"))
        guard case .welcome? = try await peer.next() else {
            Issue.record("no welcome")
            return peer
        }
        return peer
    }

    /// Expects that the server still works for other clients.
    private func expectAlive(_ server: TestServer) async throws {
        let a = try await TestClient(port: server.port, user: "well")
        try await a.subscribe()
        try a.create(77)
        try await a.settle()
        #expect(server.contents.count == 1)
        await a.close()
        await server.stop()
    }

    @Test(arguments: [
        [], [0], [99], [10, 2, 0], [2, 0], [10, 0, 1], [4, 0, 1, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
    ])
    func `bytes that aren't a message end the connection`(bytes: [UInt8]) async throws {
        let server = try await TestServer()
        let peer = try await greeted(server)
        try await peer.send(bytes)
        #expect(try await peer.next()?.fault == .violation)
        #expect(try await peer.next() == nil)
        #expect(server.metric("freehold_unreadable_messages_total") == 1)
        try await expectAlive(server)
    }

    @Test func `a kind that may be ignored is ignored, another one is refused`() async throws {
        let server = try await TestServer()
        let peer = try await greeted(server)
        try await peer.send([200, 0, 0, 1, 2, 3])
        try await peer.send(.ping(Ping(deviceTime: 5)))
        guard case .pong(let pong)? = try await peer.next() else {
            Issue.record("no pong")
            return
        }
        #expect(pong.deviceTime == 5)
        try await peer.send([100, 0, 0])
        #expect(try await peer.next()?.fault == .violation)
        try await expectAlive(server)
    }

    @Test func `a message that is too large ends the connection, and says what is allowed`() async throws {
        let server = try await TestServer { $0.node.limits.messageBytes = 1_000 }
        let peer = try await greeted(server)
        try await peer.send([UInt8](repeating: 0, count: 2_000))
        #expect(try await peer.next()?.fault == .tooLarge(limit: 1_000))
        #expect(try await peer.next() == nil)
        try await expectAlive(server)
    }

    @Test func `a message before hello ends the connection`() async throws {
        let server = try await TestServer()
        let peer = try await RawPeer(port: server.port)
        try await peer.send(.bind(1, Bind(app: "test", schema: SchemaClaim(version: 0, hash: .empty))))
        #expect(try await peer.next()?.fault == .violation)
        try await expectAlive(server)
    }

    @Test func `a silent client loses the connection`() async throws {
        let server = try await TestServer { $0.node.limits.greetingTimeout = 3_000 }
        let peer = try await RawPeer(port: server.port)
        #expect(try await peer.next()?.fault == .transient(after: 0))
        // A connection without a request for the upgrade ends as well.
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: server.port).get()
        try await channel.closeFuture.get()
        #expect(server.metric("freehold_idle_connections_dropped_total") == 1)
        try await expectAlive(server)
    }

    @Test func `nothing but hello gives a connection more time`() async throws {
        let server = try await TestServer { $0.node.limits.greetingTimeout = 3_000 }
        let peer = try await RawPeer(port: server.port)
        let talk = Task {
            for _ in 0..<1_000 {
                do { try await peer.send([200, 0, 0, 1, 2, 3]) } catch { return true }
                try await Task.sleep(for: .milliseconds(50))
            }
            return false
        }
        #expect(try await peer.next()?.fault == .transient(after: 0))
        #expect(try await peer.next() == nil)
        #expect(try await talk.value)
        #expect(server.metric("freehold_idle_connections_dropped_total") == 1)
        try await expectAlive(server)
    }

    @Test func `a message before hello is a short one`() async throws {
        let server = try await TestServer()
        let peer = try await RawPeer(port: server.port)
        try await peer.send([UInt8](repeating: 200, count: 100_000))
        #expect(try await peer.next()?.fault == .tooLarge(limit: 64 << 10))
        #expect(try await peer.next() == nil)
        try await expectAlive(server)
    }

    @Test func `a frame before hello isn't kept until it is whole`() async throws {
        let server = try await TestServer { $0.node.limits.greetingTimeout = 300_000 }
        let request = [
            "GET /sync HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        // The beginning of a masked frame of 16 MiB.
        let frame: [UInt8] = [0x82, 0xFF, 0, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4] + [UInt8](repeating: 0, count: 400_000)
        #expect(try await RawConnection.ask(request, frame, port: server.port).status == 101)
        #expect(server.metric("freehold_unreadable_messages_total") == 1)
        try await expectAlive(server)
    }

    @Test func `a user's connections are counted`() async throws {
        let server = try await TestServer { $0.node.limits.connectionsPerUser = 2 }
        var peers = [try await greeted(server), try await greeted(server)]
        let third = try await RawPeer(port: server.port)
        try await third.hello(TestServer.token("ann"))
        #expect(try await third.next()?.fault == .transient(after: 60_000))
        peers.removeFirst().close()
        try await expectAlive(server)
    }

    @Test func `a receiver that takes nothing is dropped, and no other client waits for it`() async throws {
        let server = try await TestServer {
            $0.node.limits.waitingBytes = 400_000
            // On a busy machine, the receiver can be silent for minutes.
            $0.node.limits.idleTimeout = 1_200_000
        }
        let peer = try await greeted(server)
        try await peer.subscribe()
        try await peer.stopReading()
        let a = try await TestClient(port: server.port, user: "bob")
        try await a.subscribe()
        let text = SyncString(String(repeating: "x", count: 20_000))
        var key: Int64 = 0
        // The number of commits depends on the buffers of the sockets.
        while server.metric("freehold_slow_receivers_dropped_total") == 0, key < 2_000 {
            try a.create(.int(key), ["text": .string(text)])
            try await a.session.waitForUpload()
            key += 1
        }
        #expect(server.metric("freehold_slow_receivers_dropped_total") == 1)
        #expect(server.contents.count == Int(key))
        peer.close()
        await a.close()
        await server.stop()
    }

    @Test func `HTTP has health and readiness, and nothing else for the world`() async throws {
        let server = try await TestServer()
        for (path, status) in [
            ("/health", 200), ("/ready", 200), ("/metrics", 404), ("/status", 404), ("/sync", 404), ("/", 404),
        ] {
            let answer = try await AdministratorClient.get(path, host: "127.0.0.1", port: server.port, within: 60)
            #expect(answer.status == status, "\(path)")
        }
        let port = try #require(server.running.administratorPort)
        let metrics = try await AdministratorClient.get("/metrics", host: "127.0.0.1", port: port, within: 60)
        #expect(metrics.body.contains("# TYPE freehold_connections gauge\nfreehold_connections 0\n"))
        #expect(metrics.body.contains("freehold_store_seconds_bucket{le=\"+Inf\"}"))
        let status = try await AdministratorClient.get("/status", host: "127.0.0.1", port: port, within: 60)
        #expect(status.body == server.running.node.status.json + "\n")
        await server.stop()
    }
}
