import FreeholdHTTP

import NIOCore
public import NIOHTTP1
import NIOPosix

/// A client of a server's administrator port.
public enum AdministratorClient {
    /// Sends a GET request.
    ///
    /// - Parameter seconds: The maximum time to connect, and then to receive the answer.
    /// - Returns: The status code and the body.
    /// - Throws: ``TimedOut`` if the server doesn't answer in time, ``TooLong``, and the error of the system if none listens there.
    public static func get(
        _ path: String,
        host: String,
        port: Int,
        within seconds: Int64 = 5
    ) async throws -> (status: Int, body: String) {
        try await send(.GET, path, host: host, port: port, within: seconds)
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - headers: The headers in addition to the host and the length of the body.
    ///   - seconds: The maximum time to connect, and then to receive the answer.
    /// - Returns: The status code and the body, of at most 16 MiB.
    /// - Throws: ``TimedOut`` if the server doesn't answer in time, and the error of the system if none listens there.
    public static func send(
        _ method: HTTPMethod,
        _ path: String,
        host: String,
        port: Int,
        headers more: [(String, String)] = [],
        body: [UInt8] = [],
        within seconds: Int64 = 5
    ) async throws -> (status: Int, body: String) {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: (status: Int, body: String).self)
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(.seconds(seconds)).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                try channel.pipeline.syncOperations.addHandler(Answer(promise))
            }
        }
        let channel: any Channel
        do { channel = try await bootstrap.connect(host: Loopback.bare(host), port: port).get() } catch {
            if case ChannelError.connectTimeout = error {
                promise.fail(TimedOut(seconds: seconds))
            } else {
                promise.fail(error)
            }
            return try await promise.futureResult.get()
        }
        let timer = loop.scheduleTask(in: .seconds(seconds)) {
            promise.fail(TimedOut(seconds: seconds))
            channel.close(promise: nil)
        }
        var headers: HTTPHeaders = ["Host": ServerSettings.authority(host, port)]
        headers.add(contentsOf: more)
        if !body.isEmpty { headers.add(name: "Content-Length", value: "\(body.count)") }
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        if !body.isEmpty {
            channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
        }
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        defer { timer.cancel() }
        return try await promise.futureResult.get()
    }

    private static let mostBytes = 16 << 20

    /// The server didn't answer in time. It may still do what the request asks for.
    public struct TimedOut: Error, Hashable, Sendable {
        public let seconds: Int64

        public init(seconds: Int64) { self.seconds = seconds }
    }

    /// The answer has more than 16 MiB.
    public struct TooLong: Error, Hashable, Sendable { public init() {} }

    private final class Answer: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart

        private let promise: EventLoopPromise<(status: Int, body: String)>
        private var (status, body) = (0, ByteBuffer())

        init(_ promise: EventLoopPromise<(status: Int, body: String)>) { self.promise = promise }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): status = Int(head.status.code)
            case .body(let bytes):
                // A character can be divided between two pieces, so all bytes are collected before they are decoded.
                guard body.readableBytes + bytes.readableBytes <= AdministratorClient.mostBytes else {
                    promise.fail(TooLong())
                    return context.close(promise: nil)
                }
                body.writeImmutableBuffer(bytes)
            case .end:
                promise.succeed((status, String(buffer: body)))
                context.close(promise: nil)
            }
        }

        func channelInactive(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.fail(error) }
    }
}
