import NIOCore
import NIOHTTP1

/// Answers what isn't sync: health, readiness, accounts, and on the administrator's port metrics and the node's state.
final class HTTPResponder: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    struct Answer: Sendable {
        var status: HTTPResponseStatus = .ok
        var type = "text/plain; charset=utf-8"
        var body: String

        init(status: HTTPResponseStatus = .ok, type: String = "text/plain; charset=utf-8", body: String) {
            (self.status, self.type, self.body) = (status, type, body)
        }

        init(_ answer: AccountAnswer) {
            self.init(
                status: HTTPResponseStatus(statusCode: answer.status),
                type: "application/json",
                body: answer.text
            )
        }
    }

    private let answer: @Sendable (HTTPMethod, String) -> Answer
    private let accounts: (@Sendable (AccountRequest) async -> AccountAnswer)?
    private let timer: ConnectionTimer
    private let proxies: TrustedProxies
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var isAnswered = false
    /// Whether all of the request came.
    private var isRead = false
    /// Whether all of the answer went.
    private var isSent = false

    /// - Parameters:
    ///   - timer: stands still while an answer is made.
    ///   - accounts: answers what lies under its path.
    init(
        _ timer: ConnectionTimer,
        proxies: TrustedProxies = .none,
        accounts: (@Sendable (AccountRequest) async -> AccountAnswer)? = nil,
        _ answer: @escaping @Sendable (HTTPMethod, String) -> Answer
    ) {
        (self.timer, self.answer, self.accounts, self.proxies) = (timer, answer, accounts, proxies)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head) where !isAnswered: self.head = head
        case .head: break
        case .body(let bytes):
            guard !isAnswered, let head, isAccounts(head) else { return }
            guard body.count + bytes.readableBytes <= AccountRequest.bodyLimit else {
                body = []
                return respond(head, Answer(AccountAnswer(AccountError.tooLarge)), context)
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

    private func isAccounts(_ head: HTTPRequestHead) -> Bool {
        accounts != nil && head.uri.hasPrefix(AccountRequest.root)
    }

    private func respond(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        if let accounts, isAccounts(request) { return ask(accounts, request, context) }
        let path = String(request.uri.prefix { $0 != "?" })
        let answer =
            request.method == .GET || request.method == .HEAD
            ? answer(request.method, path) : Answer(status: .methodNotAllowed, body: "Only GET is answered here.\n")
        respond(request, answer, context)
    }

    private func ask(
        _ accounts: @escaping @Sendable (AccountRequest) async -> AccountAnswer,
        _ head: HTTPRequestHead,
        _ context: ChannelHandlerContext
    ) {
        let request: AccountRequest
        do {
            let peer = context.channel.remoteAddress?.ipAddress ?? "unknown"
            let address = proxies.client(peer, head.headers[proxies.header])
            request = try AccountRequest(head, body: body, address: address)
        } catch {
            return respond(head, Answer(AccountAnswer(error as? AccountError ?? .noRoute)), context)
        }
        // A connection asks once.
        isAnswered = true
        body = []
        timer.stop()
        let promise = context.eventLoop.makePromise(of: AccountAnswer.self)
        promise.completeWithTask { await accounts(request) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.whenSuccess { answer in
            let (handler, context) = bound.value
            handler.respond(head, Answer(answer), context)
        }
    }

    private func respond(_ request: HTTPRequestHead, _ answer: Answer, _ context: ChannelHandlerContext) {
        isAnswered = true
        guard context.channel.isActive else { return }
        timer.start()
        var headers = HTTPHeaders()
        headers.add(name: "Content-Type", value: answer.type)
        headers.add(name: "Content-Length", value: "\(answer.body.utf8.count)")
        headers.add(name: "Cache-Control", value: "no-store")
        headers.add(name: "X-Content-Type-Options", value: "nosniff")
        headers.add(name: "Connection", value: "close")
        if answer.status == .noContent { headers.remove(name: "Content-Length") }
        let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request.method != .HEAD, !answer.body.isEmpty {
            context.write(
                wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(string: answer.body)))),
                promise: nil
            )
        }
        let bound = NIOLoopBound((self, context.channel), eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            let (handler, channel) = bound.value
            handler.isSent = true
            handler.closeIfDone(channel)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
