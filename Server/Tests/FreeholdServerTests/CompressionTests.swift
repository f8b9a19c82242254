import FreeholdCompression
@testable import FreeholdServer
import FreeholdSync
import FreeholdSyncCore
import Synchronization
import Testing

/// Compressed messages between clients and a server over sockets.
@Suite(.timeLimit(.minutes(20))) struct CompressionTests {
    private struct NoWelcome: Error {}
    private static let text = SyncString(String(repeating: "the same again, ", count: 2_000))

    /// Returns a client that is subscribed to all objects.
    private func subscribed(_ server: TestServer, _ compressions: [CompressionKind]) async throws -> RawPeer {
        let peer = try await RawPeer(port: server.port)
        try await peer.hello(TestServer.token("ann"), compressions)
        guard case .welcome(let welcome)? = try await peer.next() else { throw NoWelcome() }
        #expect(welcome.compression == (compressions.contains(.zlib) ? .zlib : nil))
        try await peer.subscribe()
        return peer
    }

    /// Returns the next changes of objects, with their bytes. `nil` at the end of the connection.
    private func changes(_ peer: RawPeer) async throws -> (bytes: [UInt8], changes: Changes)? {
        let codec = MessageCodec(compression: ZlibCompression.shared)
        while let bytes = await peer.nextBytes() {
            if case .changes(_, let changes)? = try codec.serverMessage(bytes), !changes.classes.isEmpty {
                return (bytes, changes)
            }
        }
        return nil
    }

    @Test func `long messages are compressed for clients that accept it, and are the same for others`() async throws {
        let server = try await TestServer()
        let (zlib, plain) = (try await subscribed(server, [.zlib]), try await subscribed(server, []))
        let writer = try await TestClient(port: server.port, user: "bob")
        try await writer.subscribe()
        try writer.create(1, ["text": .string(Self.text)])
        try await writer.session.waitForUpload()
        let (short, long) = (try #require(try await changes(zlib)), try #require(try await changes(plain)))
        #expect(short.changes == long.changes)
        #expect(short.bytes[1] == 1 && short.bytes.count < 1_000)
        #expect(long.bytes[1] == 0 && long.bytes.count > Self.text.string.utf8.count)
        // A short message isn't compressed.
        try writer.create(2, ["text": "short"])
        try await writer.session.waitForUpload()
        #expect(try await changes(zlib)?.bytes[1] == 0)
        zlib.close()
        plain.close()
        await writer.close()
        await server.stop()
    }

    @Test(arguments: [(true, true), (true, false), (false, true)])
    func `clients and a server converge, whichever side compresses`(server isServer: Bool, client isClient: Bool)
        async throws
    {
        let server = try await TestServer { $0.node.compressesMessages = isServer }
        let client = TestClient.connections { $0.compressesMessages = isClient }
        let (a, b) = (
            try await TestClient(client, port: server.port), try await TestClient(port: server.port, user: "bob")
        )
        try await a.subscribe()
        try await b.subscribe()
        let before = server.metric("freehold_bytes_received_total")
        for key in 0..<20 as Range<Int64> { try a.create(.int(key), ["text": .string(Self.text)]) }
        try await expectConvergence(server, [a, b])
        #expect(server.contents.count == 20)
        let bytes = server.metric("freehold_bytes_received_total") - before
        // A message contains equal texts once. The twenty commits are uploaded in one message or in up to twenty.
        #expect((bytes < 20_000) == (isServer && isClient), "\(bytes) bytes went up")
        await a.close()
        await b.close()
        await server.stop()
    }

    private func frame(_ message: ClientMessage) throws -> [UInt8] {
        try MessageCodec(compression: ZlibCompression.shared, threshold: 0).encode(message)
    }

    private static let queries = ClientMessage.queries(
        1,
        Queries(
            version: 2,
            queries: Array(repeating: ClassQuery(className: "Thing", condition: "TRUEPREDICATE"), count: 100)
        )
    )

    @Test func `a client that compresses without being allowed to loses its connection`() async throws {
        for compressions in [[], [CompressionKind.zlib]] {
            let server = try await TestServer { $0.node.compressesMessages = compressions.isEmpty }
            let peer = try await subscribed(server, [])
            let bytes = try frame(Self.queries)
            #expect(bytes[1] == 1)
            try await peer.send(bytes)
            #expect(try await peer.next { $0.fault != nil }?.fault == .violation)
            #expect(try await peer.next() == nil)
            await server.stop()
        }
    }

    @Test func `bombs cost no more than a message may, and end the connection`() async throws {
        let server = try await TestServer { $0.node.limits.messageBytes = 100_000 }
        let bomb = try #require(ZlibCompression(level: 9).compressed([UInt8](repeating: 0, count: 90_000_000)))
        let honest = try self.frame(Self.queries)
        /// Returns a message: its kind, the flag of compression, the session, the announced length, and the rest.
        func frame(_ count: Int, _ rest: [UInt8]) -> [UInt8] {
            var bytes: [UInt8] = [3, 1, 1]
            var length = count
            while length > 127 {
                bytes.append(UInt8(length & 127) | 128)
                length >>= 7
            }
            return bytes + [UInt8(length)] + rest
        }
        let part = Array(bomb.prefix(90_000))
        let frames: [([UInt8], SyncFault)] = [
            // The announced length exceeds the limit.
            (frame(90_000_000, part), .tooLarge(limit: 100_000)),
            // More bytes than announced.
            (frame(90_000, part), .violation),
            // Fewer bytes than the announced length needs.
            (frame(90_000, [120, 218, 1]), .violation),
            // No stream of zlib, or half of one.
            (frame(4_000, Array(repeating: 7, count: 1_000)), .violation),
            (Array(honest.dropLast(3)), .violation),
            (honest + [0], .violation),
        ]
        for (bytes, fault) in frames {
            let peer = try await subscribed(server, [.zlib])
            try await peer.send(bytes)
            #expect(try await peer.next { $0.fault != nil }?.fault == fault)
            #expect(try await peer.next() == nil)
        }
        let peer = try await subscribed(server, [.zlib])
        try await peer.send(honest)
        #expect(try await peer.next { if case .bootstrapEnd = $0 { true } else { false } } != nil)
        peer.close()
        await server.stop()
    }

    @Test func `a message is compressed once, however many take it`() throws {
        final class Counting: MessageCompression {
            let kind = CompressionKind.zlib
            let count = Mutex(0)
            func compressed(_ bytes: [UInt8]) -> [UInt8]? {
                count.withLock { $0 += 1 }
                return ZlibCompression.shared.compressed(bytes)
            }
            func inflated(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt8]? { nil }
        }
        let cursor = Cursor(epoch: 1, version: 1, hash: .empty)
        let objects = (0..<500).map { ObjectUpdate(.int($0), .whole(version: 1, born: 1, [])) }
        let batch = ClassBatch(className: "Thing", objects: objects)
        let frame = SharedFrame(.changes(1, Changes(from: cursor, to: cursor, clock: .zero, classes: [batch])))
        let counting = Counting()
        let first = try frame.bytes(for: 1, counting)
        let plain = try frame.bytes(for: 2, nil)
        for session in 3..<20 as Range<UInt32> {
            let number = SessionNumber(rawValue: session)
            #expect(try frame.bytes(for: number, counting).dropFirst(3) == first.dropFirst(3))
            #expect(try frame.bytes(for: number, nil).dropFirst(3) == plain.dropFirst(3))
        }
        #expect(counting.count.withLock { $0 } == 1)
        #expect(first.count < plain.count)
    }
}
