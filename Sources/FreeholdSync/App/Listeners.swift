import Synchronization

/// A list of streams that receive the same elements.
final class Listeners<Element: Sendable>: Sendable {
    private struct State {
        var all: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Returns a stream of the elements from now on. A slow consumer receives the newest elements only.
    ///
    /// - Parameter kept: The maximum number of elements that wait for the consumer.
    func stream(keeping kept: Int = 16) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(kept))
        let number = state.withLock { state in
            state.last += 1
            state.all[state.last] = continuation
            return state.last
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.all.removeValue(forKey: number) }
        }
        return stream
    }

    func tell(_ element: Element) {
        for listener in state.withLock({ Array($0.all.values) }) { listener.yield(element) }
    }
}
