import Synchronization

/// Wakes a task that waits for it. One task at a time may wait.
final class Bell: Sendable {
    private struct State {
        var isRung = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Wakes the task that waits. If none does, the next wait returns at once.
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
