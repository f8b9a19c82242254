#if PostgreSQL
    internal import FreeholdSyncCore
    internal import Synchronization

    /// The streams with a commit whose outcome isn't known. Any thread may use it.
    ///
    /// Such a commit can be stored and visible on the primary, but missing on its synchronous standby. This happens, for example, if the connection
    /// ended while the primary waited for the standby. An answer that was read from such a stream is therefore reported only after another write of
    /// this server was confirmed. That write waits for the standby, too, and is after the commit in the database's log.
    final class StreamDoubts: Sendable {
        /// The heads on which the commits were merged, by the numbers of the streams.
        private let streams = Mutex<[Int64: Cursor]>([:])

        /// Records the outcome of a commit.
        ///
        /// - Parameter expected: The head on which it was merged.
        func note(_ answer: ServerStoreAnswer, of stream: Int64, expected: Cursor) {
            switch answer {
            case .failed(.uncertain): streams.withLock { $0[stream] = expected }
            // A confirmed write has changed the head. The doubtful commit was stored before that write, or will never be stored.
            case .done: streams.withLock { $0[stream] = nil }
            default: break
            }
        }

        func contains(_ stream: Int64) -> Bool { streams.withLock { $0[stream] != nil } }

        /// Records a head that was read before a confirmed write.
        func settle(_ stream: Int64, at head: Cursor) {
            streams.withLock { streams in
                // If the head is still the old one, the commit can still be stored later.
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
