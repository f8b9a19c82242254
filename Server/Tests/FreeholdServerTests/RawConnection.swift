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

    /// A Boolean value that indicates whether the server reset the connection before it had read everything. The
    /// server's answer may be lost in that case.
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

    /// Sends bytes. Ignores errors, because the server may close the connection in the meantime.
    func send(_ bytes: [UInt8]) async { try? await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Stops reading or continues to read.
    func setReading(_ reads: Bool) async throws { try await channel.setOption(.autoRead, value: reads).get() }

    /// Returns the next piece of text as it arrives. `nil` at the end of the connection.
    func next() async -> String? {
        for await piece in pieces { return piece }
        return nil
    }

    /// Returns everything that the server sends until it closes the connection.
    func rest() async -> String {
        var text = ""
        while let piece = await next() { text += piece }
        return text
    }

    func close() async { try? await channel.close() }

    /// Sends a request and reads until the server closes the connection. The request gets `Connection: close` unless it has that header.
    ///
    /// - Parameter request: The lines of the head without line ends.
    /// - Returns: The status of the answer, or 0 without an answer, and its whole text.
    static func ask(
        _ request: [String],
        _ body: [UInt8] = [],
        host: String = "127.0.0.1",
        port: Int
    ) async throws -> (status: Int, text: String) {
        let connection = try await RawConnection(host: host, port: port)
        let isSaid = request.contains { $0.lowercased().hasPrefix("connection:") }
        let lines = request + (isSaid ? [] : ["Connection: close"]) + ["", ""]
        await connection.send(Array(lines.joined(separator: "\r\n").utf8) + body)
        let text = await connection.rest()
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, text)
    }

    /// Sends a request and reads the first line of the answer only.
    ///
    /// - Returns: The status of the answer, or 0 without an answer.
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
