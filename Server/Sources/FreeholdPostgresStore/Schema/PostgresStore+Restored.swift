#if PostgreSQL
    /// The handling of a database that was restored from a backup.
    extension PostgresStore {
        /// Assigns a new epoch to all streams, so that clients detect that the history has changed. No server may use the database during the call.
        ///
        /// - Returns: The number of streams.
        /// - Throws: `PostgresStoreError`. The call can be repeated after an error.
        public func wasRestored() async throws(PostgresStoreError) -> Int {
            try await session { session in
                let epoch = Int64.random(in: 1 ... .max)
                try session.execute(
                    """
                    UPDATE store SET epoch = \(epoch), timeline = \(Migration.timeline(session) ?? 0) WHERE one
                    """
                )
                var (count, last) = (0, Int64.min)
                while true {
                    let rows = try session.execute(
                        "SELECT sid FROM stream_head WHERE sid > \(last) ORDER BY sid LIMIT 1000"
                    )
                    guard let end = rows.last?.first.flatMap({ $0.flatMap { Int64($0) } }) else { return count }
                    try session.execute("UPDATE stream_head SET epoch = \(epoch) WHERE sid > \(last) AND sid <= \(end)")
                    count += rows.count
                    last = end
                }
            }
        }
    }
#endif
