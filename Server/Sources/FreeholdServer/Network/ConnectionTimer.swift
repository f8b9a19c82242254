import NIOCore

/// Ends a connection that takes its time: until its request is there, and again until its answer is taken. What the server
/// itself needs in between, such as for a password's hash, isn't the client's fault.
///
/// Of the channel's loop.
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
    func onLate(_ body: @escaping () -> Void) { late.value = body }

    func start() {
        stop()
        timer.value = channel.eventLoop.scheduleTask(in: limit) { self.end() }
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
