import Synchronization

/// A signal that wakes a waiting task. At most one task may wait at a time.
final class Bell: Sendable {
    private struct State {
        var isRung = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Wakes the waiting task. If no task waits, the next wait returns immediately.
    func ring() {
        let waiter = state.withLock { state in
            let waiter = state.waiter
            state.waiter = nil
            if waiter == nil { state.isRung = true }
            return waiter
        }
        waiter?.resume()
    }

    /// Waits until the bell rings or has rung since the last wait, the time is over, or the task is cancelled.
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
