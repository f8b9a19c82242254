#if PostgreSQL
    internal import FreeholdBSON
    internal import FreeholdServerStore
    internal import FreeholdSyncCore
    internal import Synchronization

    /// Objects as JSON for SQL.
    extension PostgresStore {
        /// Returns the state of a stream's JSON that this process has read most recently.
        func sqlState(_ stream: Int64) async throws -> SQLState {
            if let known = sqlStates.withLock({ $0[stream] }) { return known }
            let row = try await pool.run(.reading, .sqlState, [.int(stream)]).first
            guard let row else { throw MissingStream() }
            guard let state = SQLState(rawValue: try row.int(0)) else {
                throw RowDamage("The state of a stream's JSON is that of a later version.")
            }
            sqlStates.withLock { states in
                if states.count >= Self.mostStreams { states = [:] }
                states[stream] = state
            }
            return state
        }

        /// The stored settings of an app whose documents can be read with SQL.
        public struct SQLApp: Hashable, Sendable {
            /// A Boolean value that indicates whether documents are stored as JSON, too.
            public let isJSON: Bool
            /// The mark of the app's views, or `nil` if the app has no views.
            public let views: String?
        }

        /// Returns the apps for which SQL is enabled, or was enabled earlier.
        ///
        /// - Throws: `PostgresStoreError`
        public func sqlApps() async throws(PostgresStoreError) -> [String: SQLApp] {
            try await tool {
                var apps: [String: SQLApp] = [:]
                for row in try await pool.run(.reading, .sqlApps, []).rows {
                    let views = try row.optional(2) == nil ? nil : row.text(2).string
                    apps[try row.text(0).string] = SQLApp(isJSON: try row.bool(1), views: views)
                }
                return apps
            }
        }

        /// Sets whether later commits to an app store JSON. `convert(_:)` changes the objects that are already stored.
        ///
        /// - Throws: `PostgresStoreError`
        public func setJSON(_ isOn: Bool, app: String) async throws(PostgresStoreError) {
            try await tool {
                _ = try await pool.run(.writing, .setSQLApp, [.text(SyncString(app)), .bool(isOn)])
            }
        }

        /// Adds or removes the JSON of all objects of an app, according to `setJSON(_:app:)`. Servers can write during the conversion. An interrupted
        /// conversion can be repeated, and several can run at the same time.
        ///
        /// - Returns: The number of objects that were changed.
        /// - Throws: `PostgresStoreError`
        /// - Complexity: O(objects of streams that weren't converted yet)
        @discardableResult
        public func convert(_ app: String) async throws(PostgresStoreError) -> Int {
            try await tool {
                guard let known = try await sqlApps()[app] else { return 0 }
                var (count, last) = (0, Int64.min)
                while true {
                    let rows = try await pool.run(.reading, .sqlStreams, [.text(SyncString(app)), .int(last)]).rows
                    try await label(rows)
                    for row in rows {
                        last = try row.int(0)
                        guard let state = SQLState(rawValue: try row.int(3)) else { continue }
                        count += try await convert(last, from: state, toJSON: known.isJSON)
                    }
                    guard !rows.isEmpty else { return count }
                }
            }
        }

        /// Stores the labels of streams that an earlier version of the server created.
        private func label(_ rows: [QueryResult.Row]) async throws {
            let unnamed = try rows.filter { try $0.optional(2) == nil }
            guard !unnamed.isEmpty else { return }
            let labels = try unnamed.map { StreamLabel.text(try StreamName($0.bytes(1))) }
            _ = try await pool.run(
                .writing,
                .labelStreams,
                [.ints(try unnamed.map { try $0.int(0) }), .texts(labels)]
            )
        }

        private func convert(_ stream: Int64, from state: SQLState, toJSON isJSON: Bool) async throws -> Int {
            guard state != (isJSON ? .json : .off) else { return 0 }
            let (passing, final) = isJSON ? (SQLState.filling, SQLState.json) : (.clearing, .off)
            if state != passing { try await set(passing, from: state, of: stream) }
            var count = 0
            for (wanting, filling, dropping) in [
                (Statement.objectsWithoutJSON, Statement.fillJSON, Statement.dropJSON),
                (.ingestedWithoutJSON, .fillIngestedJSON, .dropIngestedJSON),
            ] {
                count += try await isJSON ? fill(stream, wanting, filling) : drop(stream, dropping)
            }
            // If the app's setting has changed during this conversion, another conversion continues.
            try await set(final, from: passing, of: stream)
            return count
        }

        private func set(_ state: SQLState, from old: SQLState, of stream: Int64) async throws {
            _ = try await pool.run(
                .writing,
                .setSQLState,
                [.int(stream), .int(old.rawValue), .int(state.rawValue)]
            )
            forgetSQLState(stream)
        }

        private func fill(_ stream: Int64, _ wanting: Statement, _ filling: Statement) async throws -> Int {
            var (count, className, key) = (0, SyncString(""), [UInt8]())
            while true {
                let rows = try await pool.run(
                    .reading,
                    wanting,
                    [.int(stream), .text(className), .bytes(key), .int(Self.pieceBytes)]
                ).rows
                guard let last = rows.last else { return count }
                (className, key) = (try last.text(0), try last.bytes(1))
                let texts = try rows.map { PlainJSON.text(try StoredDocument.document($0.bytes(3))) }
                let parameters: [Parameter] = [
                    .int(stream), .texts(try rows.map { try $0.text(0) }), .blobs(try rows.map { try $0.bytes(1) }),
                    .ints(try rows.map { try $0.int(2) }), .optionalTexts(texts),
                ]
                count += try await pool.run(.writing, filling, parameters).count
            }
        }

        private func drop(_ stream: Int64, _ dropping: Statement) async throws -> Int {
            var (count, last) = (0, (className: SyncString(""), key: [UInt8]()))
            while true {
                let rows = try await pool.run(
                    .writing,
                    dropping,
                    [.int(stream), .text(last.className), .bytes(last.key)]
                ).rows
                guard !rows.isEmpty else { return count }
                count += rows.count
                for row in rows {
                    let place = (className: try row.text(0), key: try row.bytes(1))
                    let isLater =
                        Array(last.className.string.utf8) == Array(place.className.string.utf8)
                        ? last.key.lexicographicallyPrecedes(place.key)
                        : last.className.string.utf8.lexicographicallyPrecedes(place.className.string.utf8)
                    if isLater { last = place }
                }
            }
        }

        // MARK: Claims

        /// Claims the update of an app's JSON and views for this process, for half a minute.
        ///
        /// - Returns: The stored settings of the app, or `nil` if another server has a claim or the app is unknown.
        /// - Throws: `PostgresStoreError`
        public func claimSQL(app: String) async throws(PostgresStoreError) -> SQLApp? {
            try await tool {
                let row = try await pool.run(.writing, .claimSQL, [.text(SyncString(app)), .int(owner)]).first
                guard let row else { return nil }
                let views = try row.optional(1) == nil ? nil : row.text(1).string
                return SQLApp(isJSON: try row.bool(0), views: views)
            }
        }
    }
#endif
