import NIOCore
import NIOHTTP1

/// Answers what isn't sync: health, readiness, and on the administrator's port metrics and the node's state.
final class HTTPResponder: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    struct Answer: Sendable {
        var status: HTTPResponseStatus = .ok
        var type = "text/plain; charset=utf-8"
        var body: String
    }

    private let answer: @Sendable (HTTPMethod, String) -> Answer
    private var head: HTTPRequestHead?

    init(_ answer: @escaping @Sendable (HTTPMethod, String) -> Answer) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head else { return }
            self.head = nil
            respond(head, context)
        }
    }

    private func respond(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let path = String(request.uri.prefix { $0 != "?" })
        let answer =
            request.method == .GET || request.method == .HEAD
            ? answer(request.method, path) : Answer(status: .methodNotAllowed, body: "Only GET is answered here.\n")
        var headers = HTTPHeaders()
        headers.add(name: "Content-Type", value: answer.type)
        headers.add(name: "Content-Length", value: "\(answer.body.utf8.count)")
        headers.add(name: "Cache-Control", value: "no-store")
        headers.add(name: "Connection", value: "close")
        let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request.method != .HEAD {
            context.write(
                wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(string: answer.body)))),
                promise: nil
            )
        }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
