import Foundation
import FreeholdServer
import FreeholdSync
import FreeholdSyncCore
import Testing

/// Many clients that connect at the same time, each with its own socket: 300, or 5,000 with `FREEHOLD_SOAK`.
@Suite(.timeLimit(.minutes(20))) struct CrowdTests {
    private static let count = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] == nil ? 300 : 5_000

    @Test func `a crowd connects at once, receives the same, and reconnects at once after the server was killed`()
        async throws
    {
        let store = QueuedServerStore(MemoryServerStore(epoch: 3))
        var server = try await TestServer(store: store)
        let port = server.port
        let connections = SyncClient()
        let started = ContinuousClock.now
        let clients = try await withThrowingTaskGroup(of: TestClient.self) { group in
            for number in 0..<Self.count {
                group.addTask {
                    let client = try await TestClient(connections, port: port, user: "user\(number)")
                    try await client.subscribe()
                    return client
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let connected = started.duration(to: .now)
        #expect(server.metric("freehold_connections") == Self.count)
        try clients[0].create(1, ["name": .string("all of you")])
        try await clients[0].session.waitForUpload()
        try await Self.forAll(clients) { try await $0.session.waitForDownload() }
        #expect(clients.allSatisfy { $0.value(1, "name") == .string("all of you") })
        // Some clients have changes to upload when the server is back.
        await server.running.kill()
        for (number, client) in clients.prefix(100).enumerated() { try client.create(.int(Int64(number + 2))) }
        let killed = ContinuousClock.now
        server = try await TestServer(port: port, store: store)
        try await Self.forAll(clients) { try await $0.session.waitForUpload() }
        #expect(server.contents.count == 101)
        try await Self.forAll(clients) { try await $0.session.waitForDownload() }
        #expect(clients.allSatisfy { $0.contents.count == 101 })
        print(
            "CrowdTests: \(Self.count) clients connected in \(connected), and were back in \(killed.duration(to: .now))"
        )
        for client in clients { await client.close() }
        await server.stop()
    }

    private static func forAll(_ clients: [TestClient], _ body: @escaping @Sendable (TestClient) async throws -> Void)
        async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { try await body(client) } }
            try await group.waitForAll()
        }
    }
}
