import NIOCore
import NIOHTTP1

/// Answers what isn't sync: health, readiness, accounts, and on the administrator's port metrics and the node's state.
final class HTTPResponder: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    typealias Answer = HTTPAnswer

    private let answer: @Sendable (HTTPMethod, String) -> Answer
    private let services: [HTTPService]
    private let timer: ConnectionTimer
    private let proxies: TrustedProxies
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var isAnswered = false
    /// Whether all of the request came.
    private var isRead = false
    /// Whether all of the answer went.
    private var isSent = false
    /// What makes or streams an answer.
    private var work: Task<Void, Never>?

    /// - Parameters:
    ///   - timer: stands still while an answer is made.
    ///   - services: answer what lies under their paths.
    init(
        _ timer: ConnectionTimer,
        proxies: TrustedProxies = .none,
        services: [HTTPService] = [],
        _ answer: @escaping @Sendable (HTTPMethod, String) -> Answer
    ) {
        (self.timer, self.answer, self.services, self.proxies) = (timer, answer, services, proxies)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head) where !isAnswered: self.head = head
        case .head: break
        case .body(let bytes):
            guard !isAnswered, let head, let service = service(head) else { return }
            guard body.count + bytes.readableBytes <= service.bodyLimit else {
                body = []
                return respond(head, service.tooLarge, context)
            }
            body += bytes.readableBytesView
        case .end:
            isRead = true
            guard let head, !isAnswered else { return closeIfDone(context.channel) }
            self.head = nil
            respond(head, context)
        }
    }

    /// Who is still sending reads the answer when all is sent: a connection that is closed before would be reset.
    private func closeIfDone(_ channel: any Channel) {
        if isRead, isSent { channel.close(promise: nil) }
    }

    private func service(_ head: HTTPRequestHead) -> HTTPService? { services.first { head.uri.hasPrefix($0.root) } }

    private func respond(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        if let service = service(request) { return ask(service, request, context) }
        let path = String(request.uri.prefix { $0 != "?" })
        let answer =
            request.method == .GET || request.method == .HEAD
            ? answer(request.method, path) : Answer(status: .methodNotAllowed, body: "Only GET is answered here.\n")
        respond(request, answer, context)
    }

    private func ask(_ service: HTTPService, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let peer = context.channel.remoteAddress?.ipAddress ?? "unknown"
        let request = HTTPRequest(head: head, body: body, address: proxies.client(peer, head.headers[proxies.header]))
        // A connection asks once.
        isAnswered = true
        body = []
        timer.stop()
        let promise = context.eventLoop.makePromise(of: Answer.self)
        work = Task { promise.succeed(await service.answer(request)) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.whenSuccess { answer in
            let (handler, context) = bound.value
            handler.respond(head, answer, context)
        }
    }

    private func respond(_ request: HTTPRequestHead, _ answer: Answer, _ context: ChannelHandlerContext) {
        isAnswered = true
        guard context.channel.isActive else { return }
        var headers = HTTPHeaders()
        headers.add(name: "Content-Type", value: answer.type)
        if case .text(let text) = answer.body { headers.add(name: "Content-Length", value: "\(text.utf8.count)") }
        headers.add(name: "Cache-Control", value: "no-store")
        headers.add(name: "X-Content-Type-Options", value: "nosniff")
        headers.add(name: "Connection", value: "close")
        for (name, value) in answer.headers { headers.add(name: name, value: value) }
        if answer.status == .noContent { headers.remove(name: "Content-Length") }
        let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        switch answer.body {
        case .stream(let next) where request.method != .HEAD: return stream(next, context)
        case .text(let text) where request.method != .HEAD && !text.isEmpty:
            context.write(
                wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(string: text)))),
                promise: nil
            )
        case .text, .stream: break
        }
        timer.start()
        finish(context)
    }

    /// Sends pieces as they come. Who doesn't take one within the time of a connection's greeting is hung up on.
    private func stream(_ next: @escaping @Sendable () async -> String?, _ context: ChannelHandlerContext) {
        context.flush()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        work = Task {
            while !Task.isCancelled, let piece = await next() {
                let isSent: Void? = try? await loop.flatSubmit { () -> EventLoopFuture<Void> in
                    let (handler, context) = bound.value
                    guard context.channel.isActive else { return loop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
                    handler.timer.start()
                    let buffer = context.channel.allocator.buffer(string: piece)
                    let sent = context.writeAndFlush(handler.wrapOutboundOut(.body(.byteBuffer(buffer))))
                    return sent.map { bound.value.0.timer.stop() }
                }.get()
                guard isSent != nil else { return }
            }
            loop.execute {
                let (handler, context) = bound.value
                guard context.channel.isActive else { return }
                handler.timer.start()
                handler.finish(context)
            }
        }
    }

    private func finish(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context.channel), eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            let (handler, channel) = bound.value
            handler.isSent = true
            handler.closeIfDone(channel)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        work?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
