import FreeholdServer
import FreeholdSync
import FreeholdSyncCore
import Testing

/// Clients and a server over loopback sockets.
@Suite(.timeLimit(.minutes(20))) struct ConvergenceTests {
    @Test func `two clients and a server converge`() async throws {
        let server = try await TestServer()
        let (a, b) = (try await TestClient(port: server.port), try await TestClient(port: server.port, user: "bob"))
        try await a.subscribe()
        try await b.subscribe()
        try a.create(1, ["name": .string("one")])
        try b.create(2, ["name": .string("two")])
        try await expectConvergence(server, [a, b])
        #expect(server.contents.count == 2)
        try a.set(2, "name", .string("by a"))
        try b.set(1, "size", .int(5))
        try await expectConvergence(server, [a, b])
        #expect(b.value(2, "name") == .string("by a"))
        #expect(a.value(1, "size") == .int(5))
        await a.close()
        await b.close()
        await server.stop()
    }

    @Test func `a subscription shows a part`() async throws {
        let server = try await TestServer()
        let (a, b) = (try await TestClient(port: server.port), try await TestClient(port: server.port, user: "bob"))
        try await a.subscribe()
        try await b.subscribe([ClassQuery(className: "Thing", condition: "size > 2")])
        for key in 0..<6 { try a.create(.int(Int64(key)), ["size": .int(Int64(key))]) }
        try await a.session.waitForUpload()
        try await b.session.waitForDownload()
        #expect(b.contents.keys.map(\.key).sorted() == [3, 4, 5])
        // One object enters the view, and another leaves it.
        try a.set(0, "size", .int(10))
        try a.set(5, "size", .int(0))
        try await a.session.waitForUpload()
        try await b.session.waitForDownload()
        #expect(b.contents.keys.map(\.key).sorted() == [0, 3, 4])
        let error = await b.queryError("size >")
        #expect(error != nil)
        await a.close()
        await b.close()
        await server.stop()
    }

    @Test func `edits that were made offline go up at the next connection`() async throws {
        let server = try await TestServer()
        let (a, b) = (try await TestClient(port: server.port), try await TestClient(port: server.port, user: "bob"))
        try await a.subscribe()
        try await b.subscribe()
        try a.create(1, ["name": .string("one"), "size": .int(1)])
        try await expectConvergence(server, [a, b])
        a.session.suspend()
        await a.journal.wait { if case .report(.connection(.disconnected)) = $0 { true } else { false } }
        try a.set(1, "name", .string("offline"))
        try a.create(2)
        try b.set(1, "size", .int(2))
        try await b.session.waitForUpload()
        #expect(server.contents.count == 1)
        #expect(a.value(1, "size") == .int(1))
        a.session.resume()
        try await expectConvergence(server, [a, b])
        #expect(server.contents.count == 2)
        #expect(b.value(1, "name") == .string("offline"))
        await a.close()
        await b.close()
        await server.stop()
    }

    @Test func `a session begins without a server, and finds it later`() async throws {
        let proxy = try await CuttingProxy(to: 1)
        let a = try await TestClient(port: proxy.port)
        try await a.session.subscribe(TestClient.everything)
        try a.create(1)
        await a.journal.wait { if case .disconnected = $0 { true } else { false } }
        #expect(a.session.connectionState != .connected)
        let port = proxy.port
        await proxy.close()
        let server = try await TestServer(port: port)
        try await a.settle()
        #expect(server.contents.count == 1)
        await a.close()
        await server.stop()
    }

    @Test func `a server that is killed and comes back loses nothing`() async throws {
        let store = QueuedServerStore(MemoryServerStore(epoch: 3))
        var server = try await TestServer(store: store)
        let port = server.port
        let (a, b) = (try await TestClient(port: port), try await TestClient(port: port, user: "bob"))
        try await a.subscribe()
        try await b.subscribe()
        for round in 0..<4 {
            for key in 0..<20 { try a.create(.int(Int64(round * 100 + key)), ["name": .string("a")]) }
            try b.create(.int(Int64(10_000 + round)))
            await server.running.kill()
            try a.create(.int(Int64(20_000 + round)))
            server = try await TestServer(port: port, store: store)
        }
        try await expectConvergence(server, [a, b])
        #expect(server.contents.count == 4 * 22)
        await a.close()
        await b.close()
        await server.stop()
    }

    @Test func `hundreds of sessions share a connection`() async throws {
        let server = try await TestServer()
        let client = TestClient.connections()
        let writer = try await TestClient(client, port: server.port)
        try await writer.subscribe()
        var readers: [TestClient] = []
        for _ in 0..<200 { readers.append(try await TestClient(client, port: server.port)) }
        for reader in readers { try await reader.session.subscribe(TestClient.everything) }
        for key in 0..<3 { try writer.create(.int(Int64(key)), ["name": .string("all of you")]) }
        try await expectConvergence(server, [writer] + readers)
        #expect(server.metric("freehold_connections") == 1)
        #expect(server.metric("freehold_sessions") == 201)
        for reader in readers { await reader.close() }
        await writer.close()
        await server.stop()
    }

    @Test func `what is too large for a message is split`() async throws {
        let server = try await TestServer { $0.node.limits.messageBytes = 20_000 }
        let (a, b) = (try await TestClient(port: server.port), try await TestClient(port: server.port, user: "bob"))
        try await a.subscribe()
        try await b.subscribe()
        let text = SyncString(String(repeating: "text ", count: 200))
        try a.commit(
            (Int64(0)..<100).map {
                .create(ObjectName("Thing", .int($0)), ["text": .value(.string(text))], defaults: [])
            }
        )
        try await expectConvergence(server, [a, b])
        #expect(server.contents.count == 100)
        await a.close()
        await b.close()
        await server.stop()
    }
}

extension TestClient {
    /// Subscribes to an invalid condition and returns the server's error.
    func queryError(_ condition: SyncString) async -> QueryError? {
        guard let set = try? await session.subscribe([ClassQuery(className: "Thing", condition: condition)]) else {
            return nil
        }
        return try? await session.waitForQuerySet(set.version).errors.first
    }
}
