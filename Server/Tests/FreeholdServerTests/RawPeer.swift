@testable import FreeholdSync
import FreeholdCompression
import FreeholdSyncCore
import NIOCore
import NIOPosix

/// A client that says what a test wants, byte by byte.
final class RawPeer: Sendable {
    private let channel: any Channel
    private let stream: AsyncStream<[UInt8]>
    private let codec = MessageCodec(compression: ZlibCompression.shared)

    init(port: Int) async throws {
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        let endpoint = SyncEndpoint(host: "127.0.0.1", port: port, isSecure: false)
        channel = try await Connector(endpoint: endpoint, settings: ConnectionSettings()).connect(
            on: MultiThreadedEventLoopGroup.singleton.next(),
            receive: { continuation.yield($0) },
            end: { _ in continuation.finish() }
        ).get()
        self.stream = stream
    }

    func send(_ message: ClientMessage) async throws { try await send(MessageCodec().encode(message)) }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(FrameHandler.frame(bytes, channel.allocator)).get()
    }

    func hello(_ token: String, _ compressions: [CompressionKind] = []) async throws {
        let token = AccessToken(SyncString(token))
        try await send(.hello(Hello(compressions: compressions, deviceTime: 0, token: token)))
    }

    /// The bytes of the next message, or nil at the connection's end.
    func nextBytes() async -> [UInt8]? {
        for await bytes in stream { return bytes }
        return nil
    }

    /// The next message, or nil at the connection's end.
    func next() async throws -> ServerMessage? {
        try await nextBytes().flatMap { try codec.serverMessage($0) }
    }

    /// The next message that the test is about.
    func next(where isWanted: (ServerMessage) -> Bool) async throws -> ServerMessage? {
        while let message = try await next() { if isWanted(message) { return message } }
        return nil
    }

    /// Takes nothing more.
    func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

    func close() { channel.close(promise: nil) }
}

extension ServerMessage {
    /// The fault of an error.
    var fault: SyncFault? { if case .error(_, let error) = self { error.fault } else { nil } }
}
