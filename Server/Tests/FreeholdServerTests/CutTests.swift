import Foundation
import FreeholdSync
import FreeholdSyncCore
import ServerTestRandom
import Testing

/// Connections that are cut at any byte, and frames in pieces. `FREEHOLD_SEED` repeats the cuts.
@Suite(.timeLimit(.minutes(20))) struct CutTests {
    private static let isSoak = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] != nil

    @Test func `a connection that is cut at any byte costs time only`() async throws {
        var random = SeededRandom(test: "CutTests")
        let server = try await TestServer()
        let proxy = try await CuttingProxy(to: server.port)
        let a = try await TestClient(port: proxy.port)
        let b = try await TestClient(port: server.port, user: "bob")
        try await a.subscribe()
        try await b.subscribe()
        let rounds = Self.isSoak ? 400 : 25
        for round in 0..<rounds {
            // The first bytes belong to the upgrade. The handshake and the messages follow, and exceed the cut.
            proxy.set(
                CuttingProxy.Behaviour(
                    cut: .random(in: 1...3_000, using: &random),
                    piece: .random(in: 1...200, using: &random)
                )
            )
            let cuts = proxy.cuts
            proxy.cutAll()
            // Random bytes, which compression can't shorten below the cut.
            let bytes = (0..<4_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            try a.create(.int(Int64(round * 10)), ["data": .data(Data(bytes))])
            for index in 1..<5 {
                let key = Int64(round * 10 + index)
                try a.create(.int(key), ["name": .string("n")])
                try b.set(.int(key % 7), "size", .int(key), orCreate: true)
            }
            try await b.session.waitForUpload()
            await proxy.waitForCut(after: cuts)
            proxy.set(
                CuttingProxy.Behaviour(
                    cut: round % 5 == 4 ? nil : 50_000,
                    piece: .random(in: 1...5_000, using: &random)
                )
            )
            try await a.settle()
        }
        proxy.set(CuttingProxy.Behaviour())
        try await expectConvergence(server, [a, b])
        #expect(proxy.cuts >= rounds)
        await a.close()
        await b.close()
        await proxy.close()
        await server.stop()
    }

    @Test func `a connection that becomes silent is ended`() async throws {
        let server = try await TestServer()
        let proxy = try await CuttingProxy(to: server.port)
        let client = TestClient.connections { ($0.answerTimeout, $0.connectTimeout) = (50, 300) }
        let a = try await TestClient(client, port: proxy.port) { $0.pingInterval = 200 }
        try await a.subscribe()
        proxy.set(CuttingProxy.Behaviour(isStalled: true))
        await a.journal.wait { if case .disconnected(let error) = $0 { error.code == .timedOut } else { false } }
        try a.create(1)
        proxy.set(CuttingProxy.Behaviour())
        try await a.settle()
        #expect(server.contents.count == 1)
        await a.close()
        await proxy.close()
        await server.stop()
    }
}

extension TestClient {
    func set(_ key: PrimaryKey, _ property: SyncString, _ value: SyncValue, orCreate: Bool) throws {
        if orCreate, contents[ObjectName("Thing", key)] == nil { return try create(key, [property: value]) }
        try set(key, property, value)
    }
}
