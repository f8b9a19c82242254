import NIOCore
import NIOHTTP1

/// A handler that ends a connection after an answer with `Connection: close`. NIO's own handlers send such answers, too. Nothing is written after
/// that answer, because a client could match a second answer with another request.
final class LastAnswer: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPServerResponsePart

    private var isLast = false
    private var isOver = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isOver else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status.code >= 200:
            isLast = head.headers[canonicalForm: "Connection"].contains { $0.lowercased() == "close" }
        case .head, .body: break
        case .end where isLast: return end(context, data, promise)
        case .end: break
        }
        context.write(data, promise: promise)
    }

    /// Closes the connection after the answer. A client that is still sending also receives the answer: see `LingeringClose`.
    private func end(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        isOver = true
        let (promise, channel) = (promise ?? context.eventLoop.makePromise(), context.channel)
        context.write(data, promise: promise)
        promise.futureResult.whenComplete { _ in channel.close(promise: nil) }
    }
}
