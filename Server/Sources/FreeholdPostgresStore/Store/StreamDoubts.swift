#if PostgreSQL
    internal import FreeholdSyncCore
    internal import Synchronization

    /// The streams with a commit whose outcome isn't known. Any thread may use it.
    ///
    /// Such a commit can be stored on the primary and not on its synchronous standby, for example because the wait for the standby was ended together
    /// with the connection. Then it is visible. So whatever is read from such a stream is reported after another write of this server was confirmed:
    /// that write waits for the standby, too, and is after the commit in the log.
    final class StreamDoubts: Sendable {
        /// The heads on which the commits were merged, by the numbers of the streams.
        private let streams = Mutex<[Int64: Cursor]>([:])

        /// Takes the outcome of a commit.
        ///
        /// - Parameter expected: The head on which it was merged.
        func note(_ answer: ServerStoreAnswer, of stream: Int64, expected: Cursor) {
            switch answer {
            case .failed(.uncertain): streams.withLock { $0[stream] = expected }
            // The head has changed by a write that was confirmed: the earlier commit was stored before it, or never is.
            case .done: streams.withLock { $0[stream] = nil }
            default: break
            }
        }

        func contains(_ stream: Int64) -> Bool { streams.withLock { $0[stream] != nil } }

        /// Takes a head that was read before a confirmed write.
        func settle(_ stream: Int64, at head: Cursor) {
            streams.withLock { streams in
                // With the old head, the commit can still be stored.
                if let expected = streams[stream], expected != head { streams[stream] = nil }
            }
        }
    }

    extension ServerStoreAnswer {
        /// The head that the answer reports.
        var reportedHead: Cursor? {
            switch self {
            case .bind(let answer): answer.head.cursor
            case .rows(let rows): rows.head.cursor
            default: nil
            }
        }

        var isFailure: Bool { if case .failed = self { true } else { false } }
    }
#endif
