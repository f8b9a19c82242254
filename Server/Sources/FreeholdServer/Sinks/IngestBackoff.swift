import Synchronization

/// How long to wait after failures: twice as long each time, with chance in it, so that many who failed together don't come back together.
public struct IngestBackoff: Sendable {
    public var first: Duration
    public var greatest: Duration
    /// The longest pause that a receiver may ask for.
    public var greatestAsked: Duration

    public init(
        first: Duration = .milliseconds(500),
        greatest: Duration = .seconds(300),
        greatestAsked: Duration = .seconds(3_600)
    ) {
        self.first = first
        self.greatest = greatest
        self.greatestAsked = greatestAsked
    }

    /// - Parameters:
    ///   - failures: how many there were in a row.
    ///   - asked: what the receiver asked for.
    func pause(after failures: Int, asked: Duration?) -> Duration {
        var random = SystemRandomNumberGenerator()
        return pause(after: failures, asked: asked, using: &random)
    }

    func pause(after failures: Int, asked: Duration?, using random: inout some RandomNumberGenerator) -> Duration {
        var pause = min(first, greatest)
        for _ in 1..<max(failures, 1) where pause < greatest { pause = min(pause * 2, greatest) }
        pause = pause * Double.random(in: 0.5...1, using: &random)
        guard let asked else { return pause }
        return max(pause, min(asked, greatestAsked))
    }
}

/// Wakes one who waits.
final class Bell: Sendable {
    private struct State {
        var isRung = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func ring() {
        let waiter = state.withLock { state in
            let waiter = state.waiter
            state.waiter = nil
            if waiter == nil { state.isRung = true }
            return waiter
        }
        waiter?.resume()
    }

    /// Returns when it rings or has rung since the last time, when the time is over, or when the task is cancelled.
    func wait(_ time: Duration) async {
        let timer = Task {
            if (try? await Task.sleep(for: time)) != nil { ring() }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isRung = state.withLock { state in
                    if !state.isRung { state.waiter = continuation }
                    defer { state.isRung = false }
                    return state.isRung
                }
                if isRung { continuation.resume() }
            }
        } onCancel: {
            ring()
        }
        timer.cancel()
    }
}
