#if PostgreSQL
    public import FreeholdServerStore
    internal import FreeholdSyncCore

    /// The updates of JSON and views by running servers.
    extension PostgresStore: SQLStore {
        /// - Throws: `PostgresStoreError`
        public func follow(
            app: String,
            _ schema: SQLSchema,
            views: SQLViewOptions?
        ) async throws(PostgresStoreError) -> SQLUpkeep? {
            let mark = views.map { viewMark(app: app, schema, $0) }
            func isDone(_ known: SQLApp?) -> Bool { known?.isJSON == true && (mark == nil || known?.views == mark) }
            let known = try await sqlApps()[app]
            let hasUnconverted = try await isUnconverted(app)
            guard !isDone(known) || hasUnconverted else { return nil }
            if known == nil { try await setJSON(true, app: app) }
            // A command may have disabled JSON since this server read the settings.
            guard let claimed = try await claimSQL(app: app), claimed.isJSON else { return nil }
            var upkeep = SQLUpkeep(objects: try await convert(app), views: nil)
            if let views, claimed.views != mark { upkeep.views = try await updateViews(app: app, schema, views) }
            return upkeep
        }

        /// Returns whether the JSON of a stream of an app doesn't have the form that the app's setting requires.
        private func isUnconverted(_ app: String) async throws(PostgresStoreError) -> Bool {
            try await tool {
                try await pool.run(.reading, .unconvertedStreams, [.text(SyncString(app))]).count > 0
            }
        }
    }
#endif
