import FreeholdServer
import FreeholdSync
import FreeholdSyncCore
import Testing

/// Servers that drain their connections before they end.
@Suite(.timeLimit(.minutes(20))) struct DrainTests {
    @Test func `clients leave a server that drains, and go on at the next`() async throws {
        let store = QueuedServerStore(MemoryServerStore(epoch: 3))
        let first = try await TestServer(store: store)
        let port = first.port
        let a = try await TestClient(port: port)
        try await a.subscribe()
        try a.create(1)
        try await a.settle()
        // A client leaves when it learns of the end, so that the server doesn't wait the whole time.
        await first.running.stop(after: 60_000)
        #expect(first.running.node.status.isDraining)
        #expect(first.running.node.status.connections == 0)
        try a.create(2)
        let second = try await TestServer(port: port, store: store)
        a.session.reconnect()
        try await a.settle()
        #expect(second.contents.count == 2)
        await a.close()
        await second.stop()
    }

    @Test func `a client that doesn't leave is cut off at the end`() async throws {
        let server = try await TestServer()
        let peer = try await RawPeer(port: server.port)
        try await peer.hello(TestServer.token("ann"))
        _ = try await peer.next()
        async let stopped: Void = server.running.stop(after: 50)
        #expect(try await peer.next() == nil)
        await stopped
    }
}
