import FreeholdSyncCore
import Synchronization

/// Reads of a store. Each read has its own time limit for its caller. Any thread may use it.
final class StoreReads: Sendable {
    private struct State {
        var last: UInt64 = 0
        var waiting: [UInt64: (until: Int64, continuation: CheckedContinuation<ServerStoreAnswer, Never>)] = [:]
        /// The reads that the store hasn't answered, including those whose callers have given up.
        var unanswered: Set<UInt64> = []
        var isOver = false
    }

    private let state = Mutex(State())
    private let most: Int

    /// - Parameter most: The maximum number of reads that the store hasn't answered. The node passes the maximum number of connections. If there
    ///   are more reads, the callers of some of them don't wait any more.
    init(most: Int) { self.most = most }

    /// Makes a read, and waits for its answer until a time or until the task is cancelled. Returns `.failed(.unknown)` in these cases, and if too
    /// many reads are unanswered. A later answer of the store is ignored.
    func read(until: Int64, _ ask: (@escaping @Sendable (ServerStoreAnswer) -> Void) -> Void) async -> ServerStoreAnswer
    {
        let number = state.withLock { state -> UInt64? in
            guard !state.isOver, state.unanswered.count < most else { return nil }
            state.last += 1
            state.unanswered.insert(state.last)
            return state.last
        }
        guard let number else { return .failed(.unknown) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !state.isOver, !Task.isCancelled else { return true }
                    state.waiting[number] = (until, continuation)
                    return false
                }
                guard !isOver else {
                    state.withLock { _ = $0.unanswered.remove(number) }
                    return continuation.resume(returning: .failed(.unknown))
                }
                ask { answer in
                    self.state.withLock { _ = $0.unanswered.remove(number) }
                    self.end(number, answer)
                }
            }
        } onCancel: {
            end(number, .failed(.unknown))
        }
    }

    private func end(_ number: UInt64, _ answer: ServerStoreAnswer) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume(returning: answer)
    }

    /// Ends the reads whose time is over.
    ///
    /// - Returns: The number of these reads.
    func failLate(_ now: Int64) -> Int {
        let late = state.withLock { state in state.waiting.filter { $0.value.until <= now }.map(\.key) }
        for number in late { end(number, .failed(.unknown)) }
        return late.count
    }

    /// Ends all reads. Later reads fail.
    func stop() {
        let waiting = state.withLock { state in
            state.isOver = true
            return Array(state.waiting.keys)
        }
        for number in waiting { end(number, .failed(.unknown)) }
    }

    /// The number of reads with a waiting caller, and the number of reads that the store hasn't answered.
    var counts: (waiting: Int, unanswered: Int) { state.withLock { ($0.waiting.count, $0.unanswered.count) } }
}
