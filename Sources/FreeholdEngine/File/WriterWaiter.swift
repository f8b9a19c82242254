/// A thread or a task that waits for the writer lock. Its wait ends exactly once.
///
/// It is Sendable because the signal's lock guards its state.
final class WriterWaiter: @unchecked Sendable {
    enum Outcome {
        /// The waiter has the process's turn.
        case granted
        case cancelled
        /// The deadline has passed.
        case late
        case failed(EngineError)
    }

    /// Its place in the queue.
    let ticket: UInt64
    private let signal = ThreadSignal()
    private var outcome: Outcome?
    private var continuation: UnsafeContinuation<Outcome, Never>?
    private var ended: (@Sendable (Outcome) -> Void)?

    /// - Parameter ended: a closure that is called when the wait has ended, on the thread that ends it.
    init(ticket: UInt64 = 0, ended: (@Sendable (Outcome) -> Void)? = nil) {
        self.ticket = ticket
        self.ended = ended
    }

    /// Ends the wait.
    ///
    /// - Returns: false if the wait had already ended.
    func finish(_ new: Outcome) -> Bool {
        signal.lock()
        guard outcome == nil else {
            signal.unlock()
            return false
        }
        outcome = new
        let continuation = continuation
        self.continuation = nil
        let ended = ended
        self.ended = nil
        signal.signal()
        signal.unlock()
        continuation?.resume(returning: new)
        ended?(new)
        return true
    }

    /// Blocks the thread until the wait has ended. The wait ends by itself at the deadline.
    func wait(until deadline: ContinuousClock.Instant?) -> Outcome {
        signal.withLock {
            while true {
                if let outcome { return outcome }
                guard let deadline else {
                    signal.wait()
                    continue
                }
                let rest = deadline - .now
                if rest > .zero { signal.wait(for: rest) } else { outcome = .late }
            }
        }
    }

    /// Suspends the task until the wait has ended.
    func wait() async -> Outcome {
        await withUnsafeContinuation { continuation in
            let known = signal.withLock {
                if outcome == nil { self.continuation = continuation }
                return outcome
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
