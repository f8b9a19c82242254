import NIOCore
import NIOPosix
import Synchronization

/// A connection whose bytes a test writes itself.
final class RawConnection: Sendable {
    private let channel: any Channel
    private let pieces: AsyncStream<String>
    private let end: End

    private final class End: Sendable {
        let wasReset = Mutex(false)
    }

    /// The server hung up before it had read everything. What it had answered may be lost with that.
    var wasReset: Bool { end.wasReset.withLock { $0 } }

    init(
        host: String = "127.0.0.1",
        port: Int,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) async throws {
        let (stream, source) = AsyncStream<String>.makeStream()
        let end = End()
        (pieces, self.end) = (stream, end)
        channel = try await ClientBootstrap(group: group).channelInitializer {
            channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(Reader(source, end))
            }
        }.connect(host: host, port: port).get()
    }

    /// The server may hang up meanwhile.
    func send(_ bytes: [UInt8]) async { try? await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Stops reading, or goes on with it.
    func setReading(_ reads: Bool) async throws { try await channel.setOption(.autoRead, value: reads).get() }

    /// What comes next, as it comes. Nil at the end.
    func next() async -> String? {
        for await piece in pieces { return piece }
        return nil
    }

    /// All that comes until the server closes.
    func rest() async -> String {
        var text = ""
        while let piece = await next() { text += piece }
        return text
    }

    func close() async { try? await channel.close() }

    /// - Parameter request: lines without their ends.
    /// - Returns: the answer's status, or 0 if there was none, and all of it.
    static func ask(
        _ request: [String],
        _ body: [UInt8] = [],
        host: String = "127.0.0.1",
        port: Int
    ) async throws -> (status: Int, text: String) {
        let connection = try await RawConnection(host: host, port: port)
        await connection.send(Array((request + ["", ""]).joined(separator: "\r\n").utf8) + body)
        let text = await connection.rest()
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, text)
    }

    /// Doesn't wait until the server closes.
    ///
    /// - Returns: the answer's status, or 0 if there was none.
    static func status(_ request: [String], _ body: [UInt8] = [], port: Int) async throws -> Int {
        let connection = try await RawConnection(port: port)
        await connection.send(Array((request + ["", ""]).joined(separator: "\r\n").utf8) + body)
        var text = ""
        while !text.contains("\r\n"), let piece = await connection.next() { text += piece }
        await connection.close()
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let source: AsyncStream<String>.Continuation
        private let end: End

        init(_ source: AsyncStream<String>.Continuation, _ end: End) { (self.source, self.end) = (source, end) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            source.yield(String(decoding: unwrapInboundIn(data).readableBytesView, as: UTF8.self))
        }
        func channelInactive(context: ChannelHandlerContext) { source.finish() }
        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if error is IOError { end.wasReset.withLock { $0 = true } }
            context.close(promise: nil)
        }
    }
}
