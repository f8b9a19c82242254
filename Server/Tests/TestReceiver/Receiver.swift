import NIOCore
import NIOHTTP1
import NIOPosix
public import NIOSSL
import Synchronization

/// A local HTTP server whose answers a test chooses.
public final class Receiver: Sendable {
    public struct Request: Sendable {
        public let uri: String
        public let headers: [String: String]
        public let body: [UInt8]
    }

    public enum Answer: Sendable {
        case status(Int, retryAfter: Int? = nil)
        /// A status with a body. The request is taken.
        case reply(String, status: Int = 200, headers: [String: String] = [:])
        /// The connection is cut before or after the request is taken.
        case cut(takes: Bool)
        /// The request is taken, but not answered.
        case silence
        /// An endless answer.
        case flood
    }

    private let answers: @Sendable (Int, Request) -> Answer
    private let taken = Mutex<[Request]>([])
    private let count = Mutex(0)
    private let channel: any Channel

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - port: The port. 0 for a free port.
    ///   - answers: A block that returns the answer to a request. The first parameter is the number of the request, from
    ///     0.
    public init(port: Int = 0, tls: NIOSSLContext? = nil, _ answers: @escaping @Sendable (Int, Request) -> Answer)
        async throws
    {
        self.answers = answers
        let holder = Holder()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(ReceiverHandler(holder))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        holder.receiver.withLock { $0 = self }
    }

    /// Gives the handlers of connections the receiver.
    fileprivate final class Holder: Sendable {
        let receiver = Mutex<Receiver?>(nil)
    }

    public var port: Int { channel.localAddress!.port! }
    public var address: String { "http://127.0.0.1:\(port)/hook?app=shop" }
    /// The requests that count as taken.
    public var requests: [Request] { taken.withLock { $0 } }

    fileprivate func answer(to request: Request) -> Answer {
        let number = count.withLock { count in
            count += 1
            return count - 1
        }
        let answer = answers(number, request)
        switch answer {
        case .status(200...299, _), .reply, .cut(takes: true), .silence, .flood: taken.withLock { $0.append(request) }
        default: break
        }
        return answer
    }

    public func close() async { try? await channel.close().get() }
}

private final class ReceiverHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let holder: Receiver.Holder
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(_ holder: Receiver.Holder) { self.holder = holder }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body(let part): body += part.readableBytesView
        case .end:
            guard let head, let receiver = holder.receiver.withLock({ $0 }) else { return }
            let headers = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
            let request = Receiver.Request(uri: head.uri, headers: headers, body: body)
            switch receiver.answer(to: request) {
            case .status(let status, let pause):
                var headers = HTTPHeaders([("Content-Length", "2")])
                if let pause { headers.add(name: "Retry-After", value: "\(pause)") }
                let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "ok")))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            case .reply(let body, let status, let headers):
                var all = HTTPHeaders([("Content-Length", "\(body.utf8.count)"), ("Content-Type", "application/json")])
                for (name, value) in headers { all.replaceOrAdd(name: name, value: value) }
                let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: all)
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            case .cut: context.close(promise: nil)
            case .silence: break
            case .flood:
                let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Transfer-Encoding": "chunked"])
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                flood(context)
            }
        }
    }

    private func flood(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        let bytes = ByteBuffer(repeating: 0x61, count: 1 << 16)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(bytes)))).whenSuccess {
            let (handler, context) = bound.value
            handler.flood(context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
