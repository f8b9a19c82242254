#if PostgreSQL
    internal import FreeholdSyncCore
    internal import Synchronization

    /// The order of the requests of each stream: a request waits until the writes that were requested before it have ended. Reads don't wait for each
    /// other, and writes don't wait for reads. Any thread may use it.
    final class StreamTurns: Sendable {
        private struct Turns {
            var isWriting = false
            var waiting: ArraySlice<(isWrite: Bool, body: @Sendable () -> Void)> = []
        }

        private let streams = Mutex<[StreamName: Turns]>([:])

        /// Runs a body now, or when the writes before it have ended. After it, `end(_:isWrite:)` has to be called.
        func add(_ stream: StreamName, isWrite: Bool, _ body: @escaping @Sendable () -> Void) {
            let isFree = streams.withLock { streams in
                var turns = streams[stream] ?? Turns()
                guard !turns.isWriting else {
                    streams[stream]?.waiting.append((isWrite, body))
                    return false
                }
                guard isWrite else { return true }
                turns.isWriting = true
                streams[stream] = turns
                return true
            }
            if isFree { body() }
        }

        /// A request has ended: those that waited for it begin.
        func end(_ stream: StreamName, isWrite: Bool) {
            guard isWrite else { return }
            let next = streams.withLock { streams -> [@Sendable () -> Void] in
                var next: [@Sendable () -> Void] = []
                while let first = streams[stream]?.waiting.popFirst() {
                    next.append(first.body)
                    // The stream is being written still.
                    if first.isWrite { return next }
                }
                streams[stream] = nil
                return next
            }
            for body in next { body() }
        }
    }
#endif
