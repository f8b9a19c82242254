@testable import FreeholdSync
import FreeholdCompression
import FreeholdSyncCore
import NIOCore
import NIOPosix

/// A client whose messages and bytes a test chooses.
final class RawPeer: Sendable {
    private let channel: any Channel
    private let stream: AsyncStream<[UInt8]>
    private let codec = MessageCodec(compression: ZlibCompression.shared)

    /// Connects to a server.
    ///
    /// - Parameter keepsMessages: `false` drops the server's messages, for tests that send many messages and read none.
    init(
        port: Int,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        keepsMessages: Bool = true
    ) async throws {
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        let endpoint = SyncEndpoint(host: "127.0.0.1", port: port, isSecure: false)
        channel = try await Connector(endpoint: endpoint, settings: ConnectionSettings()).connect(
            on: group.next(),
            receive: { if keepsMessages { continuation.yield($0) } },
            end: { _ in continuation.finish() }
        ).get()
        self.stream = stream
    }

    func send(_ message: ClientMessage) async throws { try await send(MessageCodec().encode(message)) }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(FrameHandler.frame(bytes, channel.allocator)).get()
    }

    /// Sends bytes without waiting until the system takes them.
    func push(_ bytes: [UInt8]) {
        channel.writeAndFlush(FrameHandler.frame(bytes, channel.allocator), promise: nil)
    }

    func hello(_ token: String, _ compressions: [CompressionKind] = []) async throws {
        let token = AccessToken(SyncString(token))
        try await send(.hello(Hello(compressions: compressions, deviceTime: 0, token: token)))
    }

    /// Returns the bytes of the next message. `nil` at the end of the connection.
    func nextBytes() async -> [UInt8]? {
        for await bytes in stream { return bytes }
        return nil
    }

    /// Returns the next message. `nil` at the end of the connection.
    func next() async throws -> ServerMessage? {
        try await nextBytes().flatMap { try codec.serverMessage($0) }
    }

    /// Returns the next message with the condition. Throws the first error of the server that doesn't have it. `nil` at
    /// the end of the connection.
    func next(where isWanted: (ServerMessage) -> Bool) async throws -> ServerMessage? {
        while let message = try await next() {
            if isWanted(message) { return message }
            if case .error(_, let error) = message { throw error }
        }
        return nil
    }

    /// Binds session 1.
    ///
    /// - Returns: The fault of the server's error, or `auth` at the end of the connection. `nil` if the session is
    ///   bound.
    func bind(_ app: SyncString) async throws -> SyncFault? {
        // The server may have closed the connection because of the token.
        push(try MessageCodec().encode(.bind(1, Bind(app: app, schema: SchemaClaim(version: 0, hash: .empty)))))
        while let message = try await next() {
            if case .bound = message { return nil }
            if let fault = message.fault { return fault }
        }
        return .auth
    }

    /// Binds session 1, subscribes to everything, and waits until the server has sent everything.
    func subscribe() async throws {
        try await send(.bind(1, Bind(app: "test", schema: SchemaClaim(version: 0, hash: .empty))))
        _ = try await next { if case .bound = $0 { true } else { false } }
        try await send(.credit(1, bytes: 1 << 30))
        try await send(.queries(1, Queries(version: 1, queries: TestClient.everything)))
        _ = try await next { if case .bootstrapEnd = $0 { true } else { false } }
    }

    /// Stops reading messages.
    func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

    func close() { channel.close(promise: nil) }
}

extension ErrorMessage: @retroactive Error {}

extension ServerMessage {
    /// The fault of an error message. `nil` for other messages.
    var fault: SyncFault? { if case .error(_, let error) = self { error.fault } else { nil } }
}
