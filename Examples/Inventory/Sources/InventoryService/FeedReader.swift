import Synchronization

/// The waiting events of one stream. Any thread may call its methods, but only one task calls `next()`.
final class FeedReader: Sendable {
    private let limit: Int
    private let disconnect: @Sendable () -> Void
    private let state = Mutex(State())
    private let (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    private struct State {
        var events: [ItemEvent] = []
        var isHeartbeatDue = false
        var isFinished = false
        var writeBegan: ContinuousClock.Instant?
    }

    init(limit: Int, disconnect: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.disconnect = disconnect
    }

    /// Adds an event. If too many wait, a `reload` takes the place of all.
    ///
    /// - Returns: A Boolean value that indicates whether too many events waited.
    @discardableResult func send(_ event: ItemEvent) -> Bool {
        let isLate = state.withLock { state in
            switch event {
            case .reload: state.events = [event]
            case .change where state.events.count < limit: state.events.append(event)
            case .change(_, let version):
                state.events = [.reload(version: version)]
                return true
            }
            return false
        }
        signal.yield()
        return isLate
    }

    /// Waits for events, and returns all that wait. Returns an empty array if a comment is due, and `nil` at the end.
    func next() async -> [ItemEvent]? {
        var iterator = signals.makeAsyncIterator()
        while true {
            let (events, isDue, isFinished) = state.withLock { state in
                defer { (state.events, state.isHeartbeatDue) = ([], false) }
                return (state.events, state.isHeartbeatDue, state.isFinished)
            }
            if isFinished || Task.isCancelled { return nil }
            if isDue || !events.isEmpty { return events }
            _ = await iterator.next()
        }
    }

    /// Ends the stream after the event that is being written.
    func finish() {
        state.withLock { $0.isFinished = true }
        signal.finish()
    }

    func writeBegins() { state.withLock { $0.writeBegan = .now } }

    func writeEnds() { state.withLock { $0.writeBegan = nil } }

    /// Requests a comment on an idle stream.
    ///
    /// - Returns: `false` if a write has taken longer than the client may take. Then the connection is closed.
    func beat(patience: Duration) -> Bool {
        let isStuck = state.withLock { state in
            guard let began = state.writeBegan else {
                state.isHeartbeatDue = true
                return false
            }
            return ContinuousClock.now - began > patience
        }
        if isStuck { disconnect() } else { signal.yield() }
        return !isStuck
    }
}
