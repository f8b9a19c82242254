import NIOCore
import NIOHTTP1

/// A connection answers one request. What comes behind it may be no HTTP, to which nothing is said: a second answer could be taken for another
/// request's.
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
        case .end: isOver = true
        }
        context.write(data, promise: promise)
    }

    /// Behind the encoder.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.addHandler(OneAnswer(), position: .after(try pipeline.handler(type: HTTPResponseEncoder.self)))
    }
}
