import NIOCore

/// A timer that ends a connection with a slow client. It limits the time until a request is complete, until the client has received a piece of an
/// answer, and until the next request begins. It is stopped while the server makes an answer.
///
/// It is used on the channel's loop only.
final class ConnectionTimer: Sendable {
    private let channel: any Channel
    let limit: TimeAmount
    private let timer: NIOLoopBoundBox<Scheduled<Void>?>
    private let late: NIOLoopBoundBox<(() -> Void)?>

    /// Creates and starts the timer.
    ///
    /// - Parameter limit: in milliseconds.
    init(_ channel: any Channel, limit: Int64) {
        (self.channel, self.limit) = (channel, .milliseconds(limit))
        timer = NIOLoopBoundBox(nil, eventLoop: channel.eventLoop)
        late = NIOLoopBoundBox(nil, eventLoop: channel.eventLoop)
        start()
        channel.closeFuture.whenComplete { _ in
            self.stop()
            self.late.value = nil
        }
    }

    /// Sets a closure that is called at the end of the time instead of closing the connection. `nil` restores the closing.
    func onLate(_ body: (() -> Void)?) { late.value = body }

    /// Restarts the timer.
    ///
    /// - Parameter time: The time in place of the limit.
    func start(_ time: TimeAmount? = nil) {
        stop()
        timer.value = channel.eventLoop.scheduleTask(in: time ?? limit) { self.end() }
    }

    func stop() {
        timer.value?.cancel()
        timer.value = nil
    }

    private func end() {
        timer.value = nil
        guard let body = late.value else { return channel.close(promise: nil) }
        body()
    }
}
