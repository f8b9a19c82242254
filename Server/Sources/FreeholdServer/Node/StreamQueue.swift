import Dispatch
import FreeholdSyncCore
import Synchronization

/// Runs the work of many streams on a few threads: the work of one stream in its order, the streams in turns.
///
/// A stream whose work takes long occupies one thread. After each piece of work a stream that has more goes behind the streams that wait, so that
/// a stream with much work delays the others by one piece at most. Any thread may use it.
final class StreamQueue: Sendable {
    private struct State {
        /// What waits of each stream that has work: the first piece may be running.
        var work: [StreamName: ArraySlice<@Sendable () -> Void>] = [:]
        /// Streams with work that isn't running, in the order of their turns.
        var turns: ArraySlice<StreamName> = []
        var running = 0
    }

    private let state = Mutex(State())
    private let width: Int
    private let threads = DispatchQueue(label: "freehold.server.streams", attributes: .concurrent)

    /// - Parameter width: The number of pieces that run at the same time, at least 1.
    init(width: Int) {
        precondition(width > 0, "A queue needs a thread.")
        self.width = width
    }

    /// Adds work to a stream.
    ///
    /// - Complexity: O(1)
    func add(_ stream: StreamName, _ body: @escaping @Sendable () -> Void) {
        let starts = state.withLock { state in
            if state.work[stream] == nil { state.turns.append(stream) }
            state.work[stream, default: []].append(body)
            guard state.running < width, !state.turns.isEmpty else { return false }
            state.running += 1
            return true
        }
        if starts { threads.async { self.run() } }
    }

    /// Takes turns until no stream waits.
    private func run() {
        while let (stream, body) = next() {
            body()
            finish(stream)
        }
    }

    private func next() -> (StreamName, @Sendable () -> Void)? {
        state.withLock { state in
            guard let stream = state.turns.popFirst(), let body = state.work[stream]?.first else {
                state.running -= 1
                return nil
            }
            return (stream, body)
        }
    }

    private func finish(_ stream: StreamName) {
        state.withLock { state in
            state.work[stream]?.removeFirst()
            if state.work[stream]?.isEmpty == true {
                state.work[stream] = nil
            } else {
                state.turns.append(stream)
            }
        }
    }
}
