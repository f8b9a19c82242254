import NIOCore

/// Ends a connection that takes its time: until its request is there, and again until its answer is taken. What the server
/// itself needs in between, such as for a password's hash, isn't the client's fault.
///
/// Of the channel's loop.
final class ConnectionTimer: Sendable {
    private let channel: any Channel
    private let limit: TimeAmount
    private let timer: NIOLoopBoundBox<Scheduled<Void>?>

    /// Starts it.
    ///
    /// - Parameter limit: in milliseconds.
    init(_ channel: any Channel, limit: Int64) {
        (self.channel, self.limit) = (channel, .milliseconds(limit))
        timer = NIOLoopBoundBox(nil, eventLoop: channel.eventLoop)
        start()
        channel.closeFuture.whenComplete { _ in self.stop() }
    }

    func start() {
        stop()
        timer.value = channel.eventLoop.scheduleTask(in: limit) { [channel] in channel.close(promise: nil) }
    }

    func stop() {
        timer.value?.cancel()
        timer.value = nil
    }
}
