#if PostgreSQL
    public import FreeholdBSON
    public import FreeholdServerStore
    public import FreeholdSyncCore

    /// Objects of asymmetric classes, for sinks.
    ///
    /// A position is a version and the number of the object in its group of commits: `IngestPosition.row` and `.other`.
    extension PostgresStore {
        /// Returns a page of objects of an asymmetric class after a position.
        ///
        /// - Parameters:
        ///   - end: The last position that the page may reach. `nil` for no limit.
        ///   - count: The maximum number of objects. At least one is read.
        ///   - bytes: The approximate maximum size of the documents in bytes.
        /// - Returns: The page, or `nil` if the stream doesn't exist.
        /// - Throws: `PostgresStoreError`
        public func ingested(
            of name: StreamName,
            className: SyncString,
            after position: IngestPosition,
            upTo end: IngestPosition? = nil,
            count: Int,
            bytes: Int = 4 << 20
        ) async throws(PostgresStoreError) -> IngestedPage? {
            try await tool {
                guard let stream = try await stream(name, making: false) else { return nil }
                let (count, bytes) = (max(count, 1), max(bytes, 1))
                let last = end ?? IngestPosition(row: .max, other: .max)
                let parameters: [Parameter] = [
                    .int(stream), .text(className), .int(position.row), .int(position.other), .int(last.row),
                    .int(last.other), .int(count), .int(bytes),
                ]
                let results = try await pool.run(
                    .reading,
                    [Call(.head, [.int(stream)]), Call(.ingestedPage, parameters)]
                )
                var page = IngestedPage(
                    objects: [],
                    position: position,
                    cursor: try head(results[0]).cursor,
                    hasMore: false
                )
                var size = 0
                for row in results[1].rows {
                    page.position = IngestPosition(row: try row.int(0), other: try row.int(1))
                    let name = ObjectName(className, try StoredKey.key(row.bytes(2)))
                    size += try row.slice(3).count
                    page.objects.append(IngestedObject(name: name, document: try StoredDocument.document(row.bytes(3))))
                }
                page.hasMore = page.objects.count >= count || size >= bytes
                return page
            }
        }

        /// Returns the number of objects after a position.
        ///
        /// - Throws: `PostgresStoreError`
        public func ingestedCount(
            of name: StreamName,
            className: SyncString,
            after position: IngestPosition
        ) async throws(PostgresStoreError) -> Int {
            try await tool {
                guard let stream = try await stream(name, making: false) else { return 0 }
                let parameters: [Parameter] = [
                    .int(stream), .text(className), .int(position.row), .int(position.other),
                ]
                return Int(try await pool.run(.reading, .ingestedCount, parameters).first?.int(0) ?? 0)
            }
        }

        /// Removes objects up to a position. A later object with one of their keys is a new object.
        ///
        /// - Throws: `PostgresStoreError`. Some of the objects may be removed after an error.
        public func removeIngested(
            of name: StreamName,
            className: SyncString,
            upTo position: IngestPosition
        ) async throws(PostgresStoreError) {
            try await tool {
                guard let stream = try await stream(name, making: false) else { return }
                let parameters: [Parameter] = [
                    .int(stream), .text(className), .int(position.row), .int(position.other),
                ]
                while try await pool.run(.upkeep, .dropIngested, parameters).count > 0 {}
            }
        }

        /// Returns the hash of the log up to a version. Returns `nil` if the stream doesn't have the version.
        ///
        /// - Throws: `PostgresStoreError`
        public func hash(
            of name: StreamName,
            at version: StreamVersion
        ) async throws(PostgresStoreError) -> RunningHash? {
            try await tool {
                guard let stream = try await stream(name, making: false) else { return nil }
                let parameters: [Parameter] = [.int(stream), .ints([Int64(clamping: version)])]
                let results = try await pool.run(.reading, [Call(.head, [.int(stream)]), Call(.marks, parameters)])
                return try head(results[0]).version < version ? nil : results[1].first?.hash(1)
            }
        }

        // MARK: Lanes

        /// The claim of one server to deliver the objects of a class in a stream, and its record of the delivered objects.
        ///
        /// The claim expires if neither `touch()` nor `write(_:)` is called for `Statement.claimTime`.
        public struct Lane: Sendable {
            fileprivate let store: PostgresStore
            fileprivate let parameters: [Parameter]
            /// The record at the time of the claim.
            public let record: BSONDocument

            /// Extends the claim.
            ///
            /// - Returns: false if another server has claimed the objects.
            /// - Throws: `PostgresStoreError`
            public func touch() async throws(PostgresStoreError) -> Bool {
                try await store.tool { try await store.pool.run(.writing, .touchLane, parameters).count > 0 }
            }

            /// Replaces the record. It is durable when the call returns.
            ///
            /// - Returns: `false` if another server has claimed the objects. The record isn't written then.
            /// - Throws: `PostgresStoreError`. After an error, it isn't known whether the record was written.
            public func write(_ record: BSONDocument) async throws(PostgresStoreError) -> Bool {
                try await store.tool {
                    let body = Parameter.bytes(try record.bytes())
                    return try await store.pool.run(.writing, .writeLane, parameters + [body]).count > 0
                }
            }

            /// Ends the claim.
            public func release() async {
                _ = try? await store.tool { try await store.pool.run(.writing, .releaseLane, parameters) }
            }
        }

        /// The number of milliseconds after which a server should extend a claim with `Lane.touch()`.
        public static var laneTouchTime: Int { Statement.claimTime / 3 }

        /// Claims the objects of a class in a stream.
        ///
        /// - Returns: `nil` if another server has claimed them, or if the stream doesn't exist.
        /// - Throws: `PostgresStoreError`
        public func claim(_ name: StreamName, className: SyncString) async throws(PostgresStoreError) -> Lane? {
            try await tool {
                guard let stream = try await stream(name, making: false) else { return nil }
                let parameters: [Parameter] = [
                    .int(stream), .text(className), .int(Int64.random(in: 1 ... .max)),
                ]
                guard let row = try await pool.run(.writing, .claimLane, parameters).first else { return nil }
                let record = try row.optionalBytes(0).map { try StoredDocument.document($0) } ?? [:]
                return Lane(store: self, parameters: parameters, record: record)
            }
        }

        /// Returns the classes of streams whose claims have expired, because a server was terminated before it could end them.
        ///
        /// - Throws: `PostgresStoreError`
        public func abandonedLanes() async throws(PostgresStoreError) -> [(stream: StreamName, className: SyncString)] {
            try await tool {
                try await pool.run(.reading, .abandonedLanes, []).rows.map { row in
                    (try StreamName(row.bytes(0)), try row.text(1))
                }
            }
        }

        // MARK: Errors

        /// Calls a closure, and converts errors of statements to `PostgresStoreError`.
        ///
        /// - Throws: `PostgresStoreError`
        func tool<Result>(_ body: () async throws -> Result) async throws(PostgresStoreError) -> Result {
            let failure: any Error
            do { return try await body() } catch { failure = error }
            throw (failure as? PostgresStoreError) ?? PostgresStoreError("PostgreSQL: \(failure)")
        }
    }
#endif
