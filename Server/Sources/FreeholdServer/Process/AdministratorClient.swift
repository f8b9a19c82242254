import FreeholdHTTP

import NIOCore
import NIOHTTP1
import NIOPosix

/// A client of a server's administrator port.
public enum AdministratorClient {
    /// Sends a GET request.
    ///
    /// - Parameter seconds: The maximum time to connect, and then to receive the answer.
    /// - Returns: The status code and the body.
    /// - Throws: An error if the server doesn't answer in time.
    public static func get(
        _ path: String,
        host: String,
        port: Int,
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
            promise.fail(error)
            return try await promise.futureResult.get()
        }
        let timer = loop.scheduleTask(in: .seconds(seconds)) { channel.close(promise: nil) }
        let headers: HTTPHeaders = ["Host": ServerSettings.authority(host, port)]
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: headers)
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        defer { timer.cancel() }
        return try await promise.futureResult.get()
    }

    private final class Answer: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart

        private let promise: EventLoopPromise<(status: Int, body: String)>
        private var (status, body) = (0, "")

        init(_ promise: EventLoopPromise<(status: Int, body: String)>) { self.promise = promise }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): status = Int(head.status.code)
            case .body(let bytes):
                if body.utf8.count < 16 << 20 { body += String(buffer: bytes) }
            case .end:
                promise.succeed((status, body))
                context.close(promise: nil)
            }
        }

        func channelInactive(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.fail(error) }
    }
}
