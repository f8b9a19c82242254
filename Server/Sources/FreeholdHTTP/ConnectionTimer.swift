import NIOCore

/// Ends a connection whose client is slow: until its request is complete, until a piece of its answer is taken, and until its next request begins.
/// It stands still while the server makes an answer.
///
/// It is used on the channel's loop only.
final class ConnectionTimer: Sendable {
    private let channel: any Channel
    let limit: TimeAmount
    private let timer: NIOLoopBoundBox<Scheduled<Void>?>
    private let late: NIOLoopBoundBox<(() -> Void)?>

    /// Starts it.
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

    /// From now on this is done in place of closing the connection.
    func onLate(_ body: (() -> Void)?) { late.value = body }

    /// Starts it anew.
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
