import Foundation
import FreeholdSync
import FreeholdSyncCore
import ServerTestRandom
import Testing

/// Networks that need a long time for a large message, or break before its end. Times and sizes are shortened: the
/// number of pings and cuts in a message matters.
@Suite(.timeLimit(.minutes(20))) struct SlowNetworkTests {
    /// Returns random bytes, which compression can't shorten.
    private static func bytes(_ count: Int, _ random: inout SeededRandom) -> SyncValue {
        .data(Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }))
    }

    private static func isDisconnected(_ event: SessionEvent) -> Bool {
        if case .disconnected = event { true } else { false }
    }

    /// This test needs an idle machine, because a pause of some seconds ends a connection. `KeepAliveTests` and the
    /// simulator check the same in virtual time.
    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] != nil,
            "it needs an idle machine: FREEHOLD_SOAK"
        ),
        arguments: [false, true]
    )
    func `a message that takes longer than several pings arrives in one connection`(_ takesParts: Bool) async throws {
        var random = SeededRandom(test: "SlowNetworkTests")
        let server = try await TestServer()
        let proxy = try await CuttingProxy(to: server.port)
        let client = TestClient.connections { ($0.answerTimeout, $0.progressInterval) = (4_000, 100) }
        let slow = try await TestClient(client, port: proxy.port) {
            ($0.pingInterval, $0.takesParts) = (2_500, takesParts)
        }
        let fast = try await TestClient(port: server.port, user: "bob")
        try await slow.subscribe()
        try await fast.subscribe()
        // The message takes ten seconds in each direction, and the writer receives as much.
        proxy.set(CuttingProxy.Behaviour(bytesPerSecond: 60_000))
        try slow.create(1, ["data": Self.bytes(600_000, &random)])
        try fast.create(2, ["data": Self.bytes(600_000, &random)])
        try await expectConvergence(server, [slow, fast])
        #expect(server.contents.count == 2)
        #expect(proxy.connections == 1)
        #expect(!slow.journal.contains(Self.isDisconnected))
        await slow.close()
        await fast.close()
        await proxy.close()
        await server.stop()
    }

    @Test func `a large transaction goes on behind each cut, in both directions`() async throws {
        var random = SeededRandom(test: "SlowNetworkTests")
        let server = try await TestServer()
        let proxy = try await CuttingProxy(to: server.port)
        let cut = try await TestClient(port: proxy.port)
        let whole = try await TestClient(port: server.port, user: "bob")
        try await cut.subscribe()
        try await whole.subscribe()
        // A network of 16 KiB per second that is cut every 20 seconds: 320 KiB in each connection.
        proxy.set(CuttingProxy.Behaviour(cut: 320 << 10))
        let bytes = 2 << 20
        var before = proxy.bytes
        try cut.create(1, ["data": Self.bytes(bytes, &random)])
        try await cut.session.waitForUpload()
        #expect(server.contents.count == 1)
        #expect(Double(proxy.bytes.up - before.up) < 1.5 * Double(bytes))
        // The client's own objects return, because the server sends what the view contains.
        try await cut.session.waitForDownload()
        before = proxy.bytes
        try whole.create(2, ["data": Self.bytes(bytes, &random)])
        try whole.create(3, ["name": .string("behind it")])
        try await whole.session.waitForUpload()
        try await cut.session.waitForDownload()
        #expect(Double(proxy.bytes.down - before.down) < 1.5 * Double(bytes))
        #expect(proxy.cuts >= 12)
        proxy.set(CuttingProxy.Behaviour())
        try await expectConvergence(server, [cut, whole])
        #expect(server.contents.count == 3)
        await cut.close()
        await whole.close()
        await proxy.close()
        await server.stop()
    }
}
