#if PostgreSQL
    internal import FreeholdSyncCore
    internal import Synchronization

    /// The order of the requests of each stream. A request waits until all writes that were requested before it have ended. Reads don't wait for each
    /// other, and writes don't wait for reads. Any thread may use it.
    final class StreamTurns: Sendable {
        private struct Turns {
            var isWriting = false
            var waiting: ArraySlice<(isWrite: Bool, body: @Sendable () -> Void)> = []
        }

        private let streams = Mutex<[StreamName: Turns]>([:])

        /// Calls a closure immediately, or after the writes before it have ended. The caller has to call `end(_:isWrite:)` after the request.
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

        /// Reports the end of a request. The requests that waited for it begin.
        func end(_ stream: StreamName, isWrite: Bool) {
            guard isWrite else { return }
            let next = streams.withLock { streams -> [@Sendable () -> Void] in
                var next: [@Sendable () -> Void] = []
                while let first = streams[stream]?.waiting.popFirst() {
                    next.append(first.body)
                    // A write of the stream is still in progress.
                    if first.isWrite { return next }
                }
                streams[stream] = nil
                return next
            }
            for body in next { body() }
        }
    }
#endif
