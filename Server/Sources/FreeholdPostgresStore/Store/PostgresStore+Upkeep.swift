#if PostgreSQL
    internal import FreeholdSyncCore

    /// The trimming of the log and of old data.
    extension PostgresStore {
        /// Shortens the log to an age and a size, and moves the horizon.
        ///
        /// All reads trim objects to the horizon of the head, so only the head has to change in one transaction. Rows are deleted afterwards in
        /// several transactions.
        func trim(log time: Int64, horizon old: Int64, _ stream: Int64) async throws -> StreamHead {
            let id = Parameter.int(stream)
            let head = try await currentHead(stream)
            var start = try await version(before: time, head, stream)
            if let excess = try await pool.run(.upkeep, .logExcess, [id, .bound(options.logBytes)]).first?.word(0),
                excess > start
            {
                // The last hour of the log is kept, so that recently connected clients can continue from it.
                start = max(start, min(excess, try await version(before: head.now - 3_600_000, head, stream)))
            }
            let horizon = try await version(before: old, head, stream)
            _ = try await pool.run(.writing, .trim, [id, .word(start), .word(horizon), .int(old)])
            let new = try await currentHead(stream)
            if new.logStart > head.logStart { try await deleteAll(.trimLog, [id, .word(new.logStart)]) }
            if new.horizon > head.horizon { try await deleteAll(.bury, [id, .word(new.horizon)]) }
            return new
        }

        private func deleteAll(_ statement: Statement, _ parameters: [Parameter]) async throws {
            while try await pool.run(.upkeep, statement, parameters).count > 0 {}
        }

        /// Returns the last version that was created before a time. Returns the version of the head if no version was created at or after it.
        ///
        /// - Complexity: O(log *n*) statements
        private func version(before time: Int64, _ head: StreamHead, _ stream: Int64) async throws -> StreamVersion {
            var (low, high) = (StreamVersion(0), head.version + 1)
            while low < high {
                let middle = low + (high - low) / 2
                let mark = try await pool.run(.reading, .marks, [.int(stream), .ints([Int64(clamping: middle)])]).first
                guard let mark else { throw RowDamage("The mark of the version \(middle) is missing.") }
                if try mark.int(3) >= time { high = middle } else { low = middle + 1 }
            }
            return low == 0 ? 0 : low - 1
        }
    }
#endif
