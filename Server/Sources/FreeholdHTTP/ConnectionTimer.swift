import NIOCore

/// A timer that ends a connection with a slow client. It limits the time until a request is complete, until the client has received a piece of an
/// answer, and until the next request begins. It is stopped while a handler computes an answer.
///
/// It is used on the channel's loop only.
final class ConnectionTimer: Sendable {
    private let channel: any Channel
    let limit: TimeAmount
    private let timer: NIOLoopBoundBox<Scheduled<Void>?>
    private let late: NIOLoopBoundBox<(() -> Void)?>
    private let isWaiting: NIOLoopBoundBox<Bool>

    /// Creates and starts the timer.
    ///
    /// - Parameter limit: The time in milliseconds.
    init(_ channel: any Channel, limit: Int64) {
        (self.channel, self.limit) = (channel, .milliseconds(limit))
        timer = NIOLoopBoundBox(nil, eventLoop: channel.eventLoop)
        late = NIOLoopBoundBox(nil, eventLoop: channel.eventLoop)
        isWaiting = NIOLoopBoundBox(false, eventLoop: channel.eventLoop)
        start()
        channel.closeFuture.whenComplete { _ in
            self.stop()
            self.late.value = nil
        }
    }

    /// Sets a closure that is called when the time has passed. With `nil`, the connection is closed instead, which is the default.
    func onLate(_ body: (() -> Void)?) { late.value = body }

    /// Restarts the timer with the limit.
    func start() { start(in: limit) }

    /// Restarts the timer with a time for the wait until the first byte of the next request. The limit applies after that byte.
    func waitForRequest(_ time: TimeAmount) {
        start(in: time)
        isWaiting.value = true
    }

    /// Restarts the timer with the limit, if it is waiting for the first byte of a request.
    func bytesArrived() { if isWaiting.value { start() } }

    func stop() {
        timer.value?.cancel()
        timer.value = nil
        isWaiting.value = false
    }

    private func start(in time: TimeAmount) {
        stop()
        timer.value = channel.eventLoop.scheduleTask(in: time) { self.end() }
    }

    private func end() {
        timer.value = nil
        isWaiting.value = false
        guard let body = late.value else { return channel.close(promise: nil) }
        body()
    }
}

/// A handler that starts the time of a request with its first byte. A head that arrives byte by byte has the time of a request,
/// and not the time that a connection may wait.
final class FirstBytes: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let timer: ConnectionTimer

    init(_ timer: ConnectionTimer) { self.timer = timer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        timer.bytesArrived()
        context.fireChannelRead(data)
    }
}
