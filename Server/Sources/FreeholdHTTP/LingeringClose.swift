import NIOCore

/// A handler that delays the closing of a connection until the client has had time to receive the last answer.
///
/// If a socket is closed while it has unread bytes, or while bytes of the client are on the network, the connection is reset, and the client
/// loses the bytes that it hasn't read. This handler therefore closes only the writing half first, and reads and drops further bytes. It closes the
/// connection when the client has closed its half, is silent, or has exceeded the limit of time or bytes (RFC 9112, 9.6).
///
/// It is the handler next to the socket. It is removed if the connection becomes a WebSocket.
final class LingeringClose: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = IOData

    private enum State {
        case open, lingering, closed
    }

    private let limit: TimeAmount
    private var state = State.open
    private var hasWritten = false
    /// A Boolean value that indicates whether the other handlers are being called with received bytes.
    private var isDelivering = false
    /// The number of writes that the socket hasn't accepted.
    private var waiting = 0
    private var deadline = NIODeadline.distantFuture
    private var lastRead = NIODeadline.distantPast
    private var dropped = 0
    private var check: Scheduled<Void>?

    /// The time for which a client may be silent after its answer.
    static let silence = TimeAmount.seconds(2)
    /// The maximum number of bytes that are dropped for a connection.
    static let mostDropped = 64 << 20

    /// - Parameter limit: The maximum time for closing, in milliseconds.
    init(limit: Int64) { self.limit = .milliseconds(limit) }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard state == .open else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        let promise = promise ?? context.eventLoop.makePromise()
        hasWritten = true
        waiting += 1
        promise.futureResult.assumeIsolated().whenComplete { _ in self.waiting -= 1 }
        context.write(data, promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // Other handlers close the connection because of invalid bytes after the answered request. This doesn't end the lingering.
        if mode == .all, state == .lingering, isDelivering {
            if let promise { context.channel.closeFuture.cascade(to: promise) }
            return
        }
        // The connection is closed immediately if no answer was sent, if the client doesn't read the answer, or at a second call.
        guard mode == .all, state == .open, hasWritten, waiting == 0, context.channel.isActive else {
            if mode == .all { end() }
            return context.close(mode: mode, promise: promise)
        }
        state = .lingering
        if let promise { context.channel.closeFuture.cascade(to: promise) }
        let now = context.eventLoop.now
        (lastRead, deadline) = (now, now + limit)
        let isShut = context.eventLoop.makePromise(of: Void.self)
        isShut.futureResult.assumeIsolated().whenFailure { _ in self.closeNow(context) }
        context.close(mode: .output, promise: isShut)
        guard state == .lingering else { return }
        checkLater(context)
        // The other handlers have stopped reading from the answered connection, so this one reads.
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard state != .open else {
            isDelivering = true
            defer { isDelivering = false }
            return context.fireChannelRead(data)
        }
        guard state == .lingering else { return }
        lastRead = context.eventLoop.now
        dropped += unwrapInboundIn(data).readableBytes
        if dropped > Self.mostDropped || lastRead >= deadline { closeNow(context) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if state == .open {
            isDelivering = true
            defer { isDelivering = false }
            context.fireChannelReadComplete()
        }
        if state == .lingering { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard state == .lingering else { return context.fireErrorCaught(error) }
        closeNow(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func checkLater(_ context: ChannelHandlerContext) {
        let time = min(deadline, lastRead + Self.silence)
        check = context.eventLoop.assumeIsolated().scheduleTask(deadline: time) {
            guard self.state == .lingering else { return }
            let now = context.eventLoop.now
            if now >= self.deadline || now >= self.lastRead + Self.silence { return self.closeNow(context) }
            self.checkLater(context)
        }
    }

    private func closeNow(_ context: ChannelHandlerContext) {
        guard state == .lingering else { return }
        end()
        context.close(promise: nil)
    }

    private func end() {
        state = .closed
        check?.cancel()
        check = nil
    }
}
