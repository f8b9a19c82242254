import NIOCore
import NIOHTTP1

/// A connection answers one request, and ends with its answer, whoever gives it: NIO's own handlers answer what is no HTTP. What comes
/// behind it may be no HTTP, either, to which nothing is said: a second answer could be taken for another request's.
final class OneAnswer: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart

    private var isOver = false
    /// What is written then isn't HTTP.
    private var isUpgraded = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isUpgraded else { return context.write(data, promise: promise) }
        guard !isOver else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(let head): isUpgraded = head.status == .switchingProtocols
        case .body: break
        case .end: return end(context, data, promise)
        }
        context.write(data, promise: promise)
    }

    /// Who is still sending gets the answer, too: `LingeringClose` sees to that.
    private func end(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        isOver = true
        let (promise, channel) = (promise ?? context.eventLoop.makePromise(), context.channel)
        context.write(data, promise: promise)
        promise.futureResult.whenComplete { _ in channel.close(promise: nil) }
    }

    /// Behind the encoder.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.addHandler(OneAnswer(), position: .after(try pipeline.handler(type: HTTPResponseEncoder.self)))
    }
}
