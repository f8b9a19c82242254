import FreeholdSyncCore
import Synchronization

/// Reads of a store that somebody waits for, each with a time until which it is worth to wait. Any thread may use it.
final class StoreReads: Sendable {
    private struct State {
        var last: UInt64 = 0
        var waiting: [UInt64: (until: Int64, continuation: CheckedContinuation<ServerStoreAnswer, Never>)] = [:]
        /// That the store has, whether somebody still waits for them or not.
        var unanswered: Set<UInt64> = []
        var isOver = false
    }

    private let state = Mutex(State())
    private let most: Int

    /// - Parameter most: reads that the store may have at once. As many as there can be connections: others are such that nobody waits for.
    init(most: Int) { self.most = most }

    /// Asks, and waits for the answer until a time comes, or the task is cancelled. Then, or if too much is asked already, `.failed(.unknown)`
    /// is the answer, and what the store says later goes nowhere.
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

    /// - Returns: how many waited for too long.
    func failLate(_ now: Int64) -> Int {
        let late = state.withLock { state in state.waiting.filter { $0.value.until <= now }.map(\.key) }
        for number in late { end(number, .failed(.unknown)) }
        return late.count
    }

    /// Nobody reads any more.
    func stop() {
        let waiting = state.withLock { state in
            state.isOver = true
            return Array(state.waiting.keys)
        }
        for number in waiting { end(number, .failed(.unknown)) }
    }

    /// How many somebody waits for, and how many the store has.
    var counts: (waiting: Int, unanswered: Int) { state.withLock { ($0.waiting.count, $0.unanswered.count) } }
}
