import FreeholdCompression
package import FreeholdRealmWire
import NIOCore
import NIOPosix

/// The WebSocket of an official Realm client, whose messages a test or a benchmark chooses.
package final class RealmClientSocket: Sendable {
    private let channel: any Channel
    private let pieces: AsyncStream<[UInt8]>
    /// The version of the protocol that the server selected, or 0 if it refused the upgrade.
    package let version: Int
    /// The status of the server's answer.
    package let status: Int

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let source: AsyncStream<[UInt8]>.Continuation

        init(_ source: AsyncStream<[UInt8]>.Continuation) { self.source = source }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            source.yield(Array(unwrapInboundIn(data).readableBytesView))
        }

        func channelInactive(context: ChannelHandlerContext) { source.finish() }
    }

    /// Holds the bytes that were received and not used yet.
    private actor Bytes {
        private var bytes: [UInt8] = []
        /// The number of bytes at the beginning that were used.
        private var used = 0
        private let pieces: AsyncStream<[UInt8]>

        init(_ pieces: AsyncStream<[UInt8]>) { self.pieces = pieces }

        /// Returns this number of bytes, or `nil` at the end of the connection.
        func take(_ count: Int) async -> [UInt8]? {
            while bytes.count - used < count {
                guard await more() else { return nil }
            }
            defer { used += count }
            return Array(bytes[used..<used + count])
        }

        func line() async -> String? {
            while true {
                if let end = bytes[used...].firstIndex(of: 10) {
                    defer { used = end + 1 }
                    return String(decoding: bytes[used..<end].filter { $0 != 13 }, as: UTF8.self)
                }
                guard await more() else { return nil }
            }
        }

        private func more() async -> Bool {
            for await piece in pieces {
                bytes.removeFirst(used)
                used = 0
                bytes += piece
                return true
            }
            return false
        }
    }

    private let bytes: Bytes

    /// Requests an upgrade.
    package init(
        port: Int,
        path: String,
        protocols: String = (8...14).reversed().map { "com.mongodb.realm-query-sync#\($0)" }.joined(separator: ", ")
    ) async throws {
        let (stream, source) = AsyncStream<[UInt8]>.makeStream()
        pieces = stream
        bytes = Bytes(stream)
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).channelInitializer {
            channel in
            channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Reader(source)) }
        }.connect(host: "127.0.0.1", port: port).get()
        let head = [
            "GET \(path) HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Protocol: \(protocols)", "User-Agent: RealmSync/14.14.0 (Linux) Test/1",
        ]
        try await channel.writeAndFlush(ByteBuffer(string: head.joined(separator: "\r\n") + "\r\n\r\n"))
        let first = await bytes.line() ?? ""
        status = first.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        var version = 0
        while let line = await bytes.line(), !line.isEmpty {
            guard line.lowercased().hasPrefix("sec-websocket-protocol:") else { continue }
            version = RealmMessageCodec.version(offered: String(line.dropFirst(23)))?.version ?? 0
        }
        self.version = status == 101 ? version : 0
    }

    package func send(_ message: RealmClientMessage) async throws {
        let frame = try RealmMessageCodec(version: max(version, 8)).encoded(message)
        try await send(frame)
    }

    /// Sends a binary frame, which is masked with zeros.
    package func send(_ frame: [UInt8], opcode: UInt8 = 2) async throws {
        var buffer: [UInt8] = [0x80 | opcode]
        switch frame.count {
        case ..<126: buffer.append(0x80 | UInt8(frame.count))
        case ..<65_536: buffer += [0x80 | 126, UInt8(frame.count >> 8), UInt8(frame.count & 255)]
        default:
            buffer.append(0x80 | 127)
            buffer += (0..<8).map { UInt8(truncatingIfNeeded: frame.count >> (56 - 8 * $0)) }
        }
        try await channel.writeAndFlush(ByteBuffer(bytes: buffer + [0, 0, 0, 0] + frame))
    }

    /// Returns the next message, or the code of the close frame. `nil` at the end of the connection.
    package func next() async throws -> (message: RealmServerMessage?, close: Int?)? {
        guard let (opcode, body) = await nextFrame() else { return nil }
        if opcode == 8 { return (nil, body.prefix(2).reduce(0) { $0 << 8 | Int($1) }) }
        return (try RealmMessageCodec(version: version, compression: ClientZlib()).serverMessage(body), nil)
    }

    /// Returns the opcode and the bytes of the next frame. `nil` at the end of the connection.
    package func nextFrame() async -> (opcode: UInt8, body: [UInt8])? {
        guard let head = await bytes.take(2) else { return nil }
        var count = Int(head[1] & 0x7F)
        if count >= 126 {
            guard let size = await bytes.take(count == 126 ? 2 : 8) else { return nil }
            count = size.reduce(0) { $0 << 8 | Int($1) }
        }
        guard let body = await bytes.take(count) else { return nil }
        return (head[0] & 15, body)
    }

    /// Returns the next message with a condition. `nil` at the end of the connection.
    ///
    /// - Throws: `SessionEnded` if the server ends the session before.
    package func next(where isWanted: (RealmServerMessage) -> Bool) async throws -> RealmServerMessage? {
        while let next = try await next() {
            guard let message = next.message else { continue }
            if isWanted(message) { return message }
            if case .error(let error) = message, !Self.goesOn.contains(error.action) {
                throw SessionEnded(error: error)
            }
        }
        return nil
    }

    /// The actions of errors after which a session continues.
    private static let goesOn: Set<String> = ["Warning", "MigrateSchema"]

    /// The error with which the server ended a session.
    package struct SessionEnded: Error {
        package let error: ServerError
    }

    package func close() async { try? await channel.close() }
}

/// The compression of the server's messages.
package struct ClientZlib: WireCompression {
    package init() {}

    package func compressed(_ bytes: [UInt8]) -> [UInt8]? { ZlibCompression.shared.compressed(bytes) }

    package func inflated(_ bytes: ArraySlice<UInt8>, count: Int) -> [UInt8]? {
        bytes.withUnsafeBytes { ZlibCompression.shared.inflated($0, count: count) }
    }
}
