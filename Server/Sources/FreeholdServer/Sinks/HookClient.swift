import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A transport with one connection for each request. It verifies certificates and doesn't follow redirections.
final class HookClient: HookTransport, Sendable {
    /// The path of a PEM file with trusted certificates. `nil` for those of the system.
    private let trustRoots: String?
    /// The TLS context. It is created once, because reading the system's certificates is slow.
    private let context = Mutex<NIOSSLContext?>(nil)

    init(trustRoots: String? = nil) { self.trustRoots = trustRoots }

    private func tls() throws -> NIOSSLContext {
        try context.withLock { context in
            if let context { return context }
            var configuration = TLSConfiguration.makeClientConfiguration()
            if let trustRoots { configuration.trustRoots = .file(trustRoots) }
            let made = try NIOSSLContext(configuration: configuration)
            context = made
            return made
        }
    }

    func post(_ request: HookRequest) async throws -> HookAnswer {
        let limit = TimeAmount.nanoseconds(Int64(clamping: Int(request.timeout / .nanoseconds(1))))
        let tls = request.address.isSecure ? try self.tls() : nil
        let group = MultiThreadedEventLoopGroup.singleton
        let promise = group.any().makePromise(of: HookAnswer.self)
        let deadline = NIODeadline.now() + limit
        let connected = ClientBootstrap(group: group)
            .connectTimeout(min(limit, .seconds(10)))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        // An IP address isn't sent as a server name.
                        let name = request.address.host
                        let isName = !name.contains(":") && name.utf8.contains { !(0x30...0x39 ~= $0 || $0 == 0x2E) }
                        let handler = try NIOSSLClientHandler(context: tls, serverHostname: isName ? name : nil)
                        try pipeline.addHandler(handler)
                    }
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(HookHandler(request, promise, deadline))
                }
            }
            .connect(host: request.address.host, port: request.address.port)
        connected.whenFailure { promise.fail($0) }
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            connected.whenSuccess { $0.close(promise: nil) }
            promise.fail(CancellationError())
        }
    }
}

/// The handler of one request and its answer.
private final class HookHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: HookRequest
    private let promise: EventLoopPromise<HookAnswer>
    private let deadline: NIODeadline
    private var answer: HookAnswer?
    private var isOver = false
    private var received = 0
    private var timer: Scheduled<Void>?

    /// The maximum size in bytes of an answer of which only the status is used.
    private static let greatestAnswer = 1 << 20

    init(_ request: HookRequest, _ promise: EventLoopPromise<HookAnswer>, _ deadline: NIODeadline) {
        self.request = request
        self.promise = promise
        self.deadline = deadline
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        let (promise, host) = (promise, request.address.host)
        timer = context.eventLoop.scheduleTask(deadline: deadline) {
            promise.fail(HookLate(host: host))
            channel.close(promise: nil)
        }
        var headers = HTTPHeaders([("Host", request.address.authority), ("Connection", "close")])
        for (name, value) in request.headers { headers.add(name: name, value: value) }
        let method: HTTPMethod = request.isGet ? .GET : .POST
        if !request.isGet { headers.replaceOrAdd(name: "Content-Length", value: "\(request.body.count)") }
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: request.address.path, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !request.isGet {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: request.body)))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // Responses with a status below 200 precede the answer.
            guard head.status.code >= 200 else { return }
            let pause = head.headers.first(name: "Retry-After").flatMap { Int($0) }
            answer = HookAnswer(status: Int(head.status.code), retryAfter: pause.map { max($0, 0) })
        case .body(let part):
            guard !isOver else { return }
            received += part.readableBytes
            if request.kept != nil { keep(part, context) } else if received > Self.greatestAnswer { finish(context) }
        case .end: finish(context)
        }
    }

    /// Keeps a part of the answer's body, or ends the request if the body is too long.
    private func keep(_ part: ByteBuffer, _ context: ChannelHandlerContext) {
        guard let kept = request.kept, answer != nil else { return }
        guard received <= kept.most, kept.take(part.readableBytes, received) else {
            return errorCaught(
                context: context,
                error: IngestFailure("The answer of \(request.address.host) is too long.")
            )
        }
        answer?.body += part.readableBytesView
    }

    /// Subtracts the bytes of the answer from the count at the end of the request.
    private func give() {
        guard !isOver, let answer, !answer.body.isEmpty else { return }
        request.kept?.give(answer.body.count)
    }

    private func finish(_ context: ChannelHandlerContext) {
        guard let answer, !isOver else { return }
        give()
        isOver = true
        timer?.cancel()
        promise.succeed(answer)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        give()
        if !isOver { promise.fail(error) }
        isOver = true
        timer?.cancel()
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        give()
        if !isOver {
            promise.fail(IngestFailure("\(request.address.host) closed the connection without an answer."))
        }
        isOver = true
        context.fireChannelInactive()
    }
}

/// The error of a request that wasn't answered in time.
struct HookLate: Error, CustomStringConvertible {
    let host: String

    var description: String { "\(host) didn't answer in time." }
}

enum HookClock {
    /// Returns the time in milliseconds since 1970.
    static let now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000) }
}
