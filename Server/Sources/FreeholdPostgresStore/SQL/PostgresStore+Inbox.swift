#if PostgreSQL
    public import FreeholdServerStore
    public import FreeholdSyncCore

    /// The changes that programs write with SQL to the table `inbox`.
    extension PostgresStore {
        /// The maximum number of bytes of the bodies that `inboxRows(of:)` returns together, not counting the last one.
        private static let inboxBytes = 1 << 20

        /// Returns the first stream with waiting rows whose number is greater than `number`.
        ///
        /// - Throws: `PostgresStoreError`
        public func nextInbox(after number: Int64) async throws(PostgresStoreError) -> InboxStream? {
            try await tool {
                guard let row = try await pool.run(.reading, .nextInbox, [.int(number)]).first else { return nil }
                return InboxStream(
                    number: try row.int(0),
                    name: try row.optionalBytes(1).map { try StreamName($0) }
                )
            }
        }

        /// Returns the oldest waiting rows of a stream, at most 200.
        ///
        /// - Throws: `PostgresStoreError`
        public func inboxRows(of stream: Int64) async throws(PostgresStoreError) -> [InboxRow] {
            try await tool {
                let rows = try await pool.run(.reading, .inboxRows, [.int(stream), .int(Self.inboxBytes)]).rows
                return try rows.map { row in
                    InboxRow(
                        id: try row.hash(0),
                        user: try row.text(1).string,
                        className: try row.text(2).string,
                        key: try row.optional(3) == nil ? nil : row.text(3).string,
                        operation: try row.text(4).string,
                        body: try row.optional(5) == nil ? nil : row.text(5).string,
                        version: try row.optionalWord(6).map { Int64(bitPattern: $0) },
                        age: max(try row.int(7), 0)
                    )
                }
            }
        }

        /// Stores the results of rows that need no commit. A result that a row already has isn't replaced.
        ///
        /// - Throws: `PostgresStoreError`
        public func finishInbox(_ results: [InboxResult], of stream: Int64) async throws(PostgresStoreError) {
            try await tool {
                let parameters: [Parameter] = [
                    .int(stream), .hashes(results.map(\.id)), .words(results.map(\.version)), Self.refusals(results),
                ]
                _ = try await pool.run(.writing, .finishInbox, parameters)
            }
        }

        private static func refusals(_ results: [InboxResult]) -> Parameter {
            // A text of PostgreSQL can't contain NUL.
            .optionalTexts(results.map { $0.refused.map { Array($0.replacing("\u{0}", with: "\u{FFFD}").utf8) } })
        }

        /// Commits changes, and stores the results of the rows that caused them, in one transaction. Each row is therefore applied exactly once, even
        /// if servers and connections fail.
        public func commit(_ commit: StoreCommit, of results: [InboxResult], stream: Int64) async -> InboxCommit {
            /// Records the answer in `doubts`: an unknown outcome affects later reads of the stream.
            func noted(_ answer: ServerStoreAnswer) -> InboxCommit {
                doubts.note(answer, of: stream, expected: commit.expected.cursor)
                return .answered(answer)
            }
            do {
                let parameters =
                    try await parameters(of: commit, stream) + [.hashes(results.map(\.id)), Self.refusals(results)]
                let result = try await pool.run(.writing, .commitInbox, parameters)
                guard let row = result.first else { throw PostgresFailure.malformed("the row is missing") }
                if try row.word(0) == 1 { return noted(.done) }
                try refuseLaterFormat(row)
                forgetSQLState(stream)
                return try row.word(4) == UInt64(results.count) ? .answered(.failed(.moved)) : .taken
            } catch let failure as PostgresFailure {
                if let answer = try? await conflict(failure, of: commit, stream) { return noted(answer) }
                return noted(.failed(failure.storeFailure(isWrite: true)))
            } catch let failure as StoreFailure {
                return .answered(.failed(failure))
            } catch let limit as RowLimit {
                return .answered(.failed(.limit(SyncString(limit.description))))
            } catch { return .answered(.failed(.unavailable(SyncString("\(error)")))) }
        }

        /// Claims the waiting rows of a stream for this process, for five seconds. Without a claim, two servers would merge the same rows, and the
        /// result of one of them would be discarded.
        ///
        /// - Throws: `PostgresStoreError`
        public func claimInbox(of stream: Int64) async throws(PostgresStoreError) -> Bool {
            try await tool { try await pool.run(.writing, .claimInbox, [.int(stream), .int(owner)]).count > 0 }
        }

        /// Removes rows whose result is older than a number of milliseconds.
        ///
        /// - Throws: `PostgresStoreError`
        public func trimInbox(olderThan time: Int64) async throws(PostgresStoreError) {
            try await tool { while try await pool.run(.upkeep, .trimInbox, [.int(time)]).count > 0 {} }
        }
    }
#endif
