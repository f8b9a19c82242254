import Foundation
import FreeholdBSON
import FreeholdCompression
import FreeholdSync
import FreeholdSyncCore
import Logging
import Synchronization
import Testing

@testable import FreeholdServer

/// The memory of a node that one user can take, with connections and with requests.
@Suite(.timeLimit(.minutes(20))) struct MemoryShareTests {
    private static let upgrade = [
        "GET /sync HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket",
        "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", "",
    ]

    /// Returns a masked frame or its beginning.
    ///
    /// - Parameter length: The length that the frame announces.
    private static func frame(_ head: UInt8, _ data: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = length ?? data.count
        let size = (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
        let long: [UInt8] =
            length < 126 ? [0x80 | UInt8(length)] : length < 65_536 ? [0xFE] + size[6...] : [0xFF] + size
        return [head] + long + [0, 0, 0, 0] + data
    }

    /// Returns a connection after `hello` and the welcome.
    private static func greeted(_ user: String, _ server: TestServer) async throws -> RawConnection {
        let connection = try await RawConnection(port: server.port)
        await connection.send(Array(upgrade.joined(separator: "\r\n").utf8))
        var text = ""
        while !text.contains("\r\n\r\n"), let piece = await connection.next() { text += piece }
        #expect(text.hasPrefix("HTTP/1.1 101 "))
        let token = AccessToken(SyncString(try await TestServer.token(user)))
        let hello = try MessageCodec().encode(.hello(Hello(compressions: [.zlib], deviceTime: 0, token: token)))
        await connection.send(frame(0x82, hello))
        _ = await connection.next()
        return connection
    }

    /// Waits until the node keeps at least this number of bytes of a kind.
    private static func wait(for bytes: Int, of kind: MemoryLedger.Kind, _ server: TestServer) async throws {
        for _ in 0..<2_000 where server.running.node.memory.node[kind] < bytes {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(server.running.node.memory.node[kind] >= bytes)
    }

    // Parts of a message without its end, and a frame without its end.
    @Test(arguments: [true, false]) func `parts of messages are bounded for each user`(isFrame: Bool) async throws {
        let server = try await TestServer { $0.node.limits.userBytes = 200_000 }
        let part = [UInt8](repeating: 0, count: 60_000)
        let bytes = isFrame ? Self.frame(0x82, part, length: 1 << 20) : Self.frame(0x02, part)
        var connections: [RawConnection] = []
        for index in 1...2 {
            connections.append(try await Self.greeted("ann", server))
            await connections[index - 1].send(bytes)
            try await Self.wait(for: index * 60_000, of: .fragments, server)
        }
        let third = try await Self.greeted("ann", server)
        await third.send(bytes)
        #expect(await third.rest().contains("keep too much"))
        #expect(server.metric("freehold_over_share_total") == 1)
        // Another user isn't affected.
        let other = try await Self.greeted("ben", server)
        await other.send(bytes)
        try await Self.wait(for: 180_000, of: .fragments, server)
        #expect(server.metric("freehold_over_share_total") == 1)
        for connection in connections + [other] { await connection.close() }
        // A user is forgotten after the last connection is released.
        for _ in 0..<12_000 where !server.running.node.memory.bytesOfUsers.isEmpty {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(server.running.node.memory.node.bytes == 0)
        #expect(server.running.node.memory.bytesOfUsers.isEmpty)
        await server.stop()
    }

    @Test func `a message that isn't complete in time ends its connection`() async throws {
        let server = try await TestServer { $0.node.limits.messageTimeout = 500 }
        let connection = try await Self.greeted("ann", server)
        await connection.send(Self.frame(0x02, [1, 2, 3]))
        let pings = Task {
            while !Task.isCancelled {
                await connection.send(Self.frame(0x89, []))
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
        #expect(await connection.rest().contains("A message took too long."))
        pings.cancel()
        await server.stop()
    }

    @Test func `a large message of a user over the share isn't decompressed`() async throws {
        let server = try await TestServer { $0.node.limits.userBytes = 200_000 }
        let holders = [try await Self.greeted("ann", server), try await Self.greeted("ann", server)]
        for (index, holder) in holders.enumerated() {
            await holder.send(Self.frame(0x02, [UInt8](repeating: 0, count: 60_000)))
            try await Self.wait(for: (index + 1) * 60_000, of: .fragments, server)
        }
        let text = SyncString(String(repeating: "x", count: 1 << 20))
        let queries = Queries(version: 1, queries: [ClassQuery(className: "Thing", condition: text)])
        let message = try MessageCodec(compression: ZlibCompression.shared).encode(.queries(1, queries))
        #expect(message.count < 10_000)
        #expect(MessageCodec.bodyBytes(of: message) > 1 << 20)
        let connection = try await Self.greeted("ann", server)
        await connection.send(Self.frame(0x82, message))
        #expect(await connection.rest().contains("keep too much"))
        // The server still takes small messages.
        let other = try await Self.greeted("ann", server)
        await other.send(Self.frame(0x82, try MessageCodec().encode(.ping(Ping(deviceTime: 5)))))
        #expect(await other.next() != nil)
        for connection in holders + [other] { await connection.close() }
        await server.stop()
    }

    @Test func `what a user's connections don't take is bounded for the user`() async throws {
        let server = try await TestServer { $0.node.limits.userBytes = 600_000 }
        var peers: [RawPeer] = []
        for _ in 0..<4 {
            let peer = try await RawPeer(port: server.port)
            try await peer.hello(TestServer.token("ann"))
            _ = try await peer.next()
            try await peer.subscribe()
            try await peer.stopReading()
            peers.append(peer)
        }
        let writer = try await TestClient(port: server.port, user: "ben")
        try await writer.subscribe()
        let text = SyncString(String(repeating: "x", count: 20_000))
        var key: Int64 = 0
        // The number of commits depends on the buffers of the sockets.
        while server.metric("freehold_slow_receivers_dropped_total") == 0, key < 2_000 {
            try writer.create(.int(key), ["text": .string(text)])
            try await writer.session.waitForUpload()
            key += 1
            #expect(server.running.node.memory.node[.unsent] < 600_000)
        }
        #expect(server.metric("freehold_slow_receivers_dropped_total") >= 1)
        #expect(server.contents.count == Int(key))
        for peer in peers { peer.close() }
        await writer.close()
        await server.stop()
    }

    // MARK: HTTP

    private static func upload(_ token: String, _ length: Int) -> [UInt8] {
        let head = [
            "POST /api/data/v1/app/test/Note HTTP/1.1", "Host: localhost", "Authorization: Bearer \(token)",
            "Connection: close",
            "Content-Length: \(length)", "", "",
        ]
        return Array(head.joined(separator: "\r\n").utf8)
    }

    @Test func `one user's bodies leave room for those of another user`() async throws {
        let server = try await TestServer { settings in
            settings.node.limits.bodyBytes = 4 << 20
            settings.node.limits.userBodyBytes = 1 << 20
        }
        let (ann, ben) = (try await TestServer.token("ann"), try await TestServer.token("ben"))
        var holders: [RawConnection] = []
        for index in 1...2 {
            let holder = try await RawConnection(port: server.port)
            await holder.send(Self.upload(ann, 500_000) + [UInt8](repeating: 0x20, count: 400_000))
            holders.append(holder)
            try await Self.wait(for: index * 400_000, of: .bodies, server)
        }
        let third = try await RawConnection(port: server.port)
        await third.send(Self.upload(ann, 400_000) + [UInt8](repeating: 0x20, count: 400_000))
        #expect(await third.rest().hasPrefix("HTTP/1.1 429 "))
        // The server notices the missing schema after it has the whole body.
        let other = try await RawConnection(port: server.port)
        await other.send(Self.upload(ben, 900_000) + [UInt8](repeating: 0x20, count: 900_000))
        #expect(await other.rest().hasPrefix("HTTP/1.1 409 "))
        for holder in holders { await holder.close() }
        await server.stop()
    }

    /// A store that records the sizes of the pages that it returns.
    private final class NotingStore: NodeStore {
        let store = QueuedServerStore(MemoryServerStore(epoch: 7))
        private let counts = Mutex<[Int]>([])
        var pages: [Int] { counts.withLock { $0 } }
        func forget() { counts.withLock { $0 = [] } }

        func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void) {
            store.perform(request) { found in
                if case .page(let page?) = found { self.counts.withLock { $0.append(page.objects.count) } }
                answer(found)
            }
        }
    }

    @Test func `a page of large documents reads as many as it shows`() async throws {
        var settings = ServerSettings(node: NodeConfiguration(apps: ["test": NodeApp(access: .everyone)]))
        (settings.port, settings.administratorPort, settings.threads) = (0, nil, 1)
        settings.tokens.keys = [.secret(TestServer.secret)]
        let store = NotingStore()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let running = try await RunningServer.start(settings, store: store, logger: logger)
        let writer = try await TestClient(port: running.port, user: "ben")
        try await writer.subscribe()
        let text = SyncString(String(repeating: "x", count: 3 << 20))
        for key in 0..<10 as Range<Int64> {
            try writer.create(.int(key), ["text": .string(text)])
            try await writer.session.waitForUpload()
        }
        store.forget()
        let token = try await TestServer.token("ann")
        func ask(_ path: String) async throws -> BSONDocument {
            let answer = try await RawConnection.ask(
                [
                    "GET /api/data/v1/app/test/Thing\(path) HTTP/1.1", "Host: localhost",
                    "Authorization: Bearer \(token)",
                ],
                port: running.port
            )
            let body = try #require(answer.text.range(of: "\r\n\r\n"))
            return try BSONDocument(extendedJSON: String(answer.text[body.upperBound...]))
        }
        let one = try await ask("?limit=1")
        #expect(one["documents"]?.arrayValue?.count == 1)
        #expect(store.pages == [1])
        // An answer also has a bound of bytes, and contains the position of the next one.
        let many = try await ask("?limit=10")
        #expect(many["documents"]?.arrayValue?.count == 3)
        #expect(many["next"] != nil)
        #expect(store.pages == [1, 1, 1, 1])
        // A new device gets one object after another.
        store.forget()
        let reader = try await TestClient(port: running.port, user: "ann")
        try await reader.subscribe()
        #expect(reader.contents.count == 10)
        #expect(store.pages.max() == 1)
        await reader.close()
        await writer.close()
        await running.stop(after: 0)
    }

    private static func number(_ value: BSONValue?) -> Int64 {
        switch value {
        case .int32(let number)?: Int64(number)
        case .int64(let number)?: number
        default: 0
        }
    }

    @Test func `status and metrics show what is kept`() async throws {
        let server = try await TestServer()
        let connection = try await Self.greeted("ann", server)
        await connection.send(Self.frame(0x02, [UInt8](repeating: 0, count: 70_000)))
        try await Self.wait(for: 70_000, of: .fragments, server)
        let client = try await TestClient(port: server.port, user: "ben")
        try await client.subscribe()
        let port = try #require(server.running.administratorPort)
        var memory: BSONDocument?
        for _ in 0..<1_000 where memory?["apps"]?.documentValue?["test"] == nil {
            try await Task.sleep(for: .milliseconds(10))
            let status = try await AdministratorClient.get("/status", host: "127.0.0.1", port: port, within: 60)
            memory = try BSONDocument(extendedJSON: status.body)["memory"]?.documentValue
        }
        let kinds = try #require(memory?["kinds"]?.documentValue)
        #expect(Self.number(kinds["fragments"]) >= 70_000)
        #expect(Self.number(kinds["binds"]) > 0)
        #expect(
            Set(kinds.map(\.key)) == [
                "messages", "fragments", "unsent", "bodies", "documents", "binds", "queries", "uploads", "downloads",
                "pages", "rows",
            ]
        )
        #expect(memory?["users"]?.arrayValue?.first?.documentValue?["user"] == "ann")
        #expect(memory?["limit"] != nil && memory?["userLimit"] != nil)
        for _ in 0..<1_000 where server.metric("freehold_memory_bytes{kind=\"fragments\"}") < 70_000 {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(server.metric("freehold_memory_bytes{kind=\"fragments\"}") >= 70_000)
        await connection.close()
        await client.close()
        await server.stop()
    }
}
