import NIOCore
import NIOHTTP1

/// Ends a connection with the answer that says `Connection: close`. NIO's own handlers give such answers, too. Nothing is written behind it: a second
/// answer could be taken for the answer of another request.
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

    /// A client that is still sending gets the answer, too: see `LingeringClose`.
    private func end(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        isOver = true
        let (promise, channel) = (promise ?? context.eventLoop.makePromise(), context.channel)
        context.write(data, promise: promise)
        promise.futureResult.whenComplete { _ in channel.close(promise: nil) }
    }
}
