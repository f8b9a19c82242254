#if PostgreSQL
    internal import Foundation
    internal import FreeholdSyncCore

    /// Creates the tables, and changes those of earlier versions.
    enum Migration {
        /// Like `run(_:)`, on a separate thread.
        ///
        /// - Returns: The epoch of new streams.
        /// - Throws: `PostgresStoreError`
        static func prepared(_ options: PostgresStore.Options) async throws(PostgresStoreError) -> UInt64 {
            let answer = await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(returning: Result { () throws(PostgresStoreError) in try run(options) })
                }
            }
            return try answer.get()
        }

        /// Changes the tables to the format of this version. It blocks the calling thread.
        ///
        /// Servers that start at the same time do this one after the other, because each locks the row of `store`.
        ///
        /// - Returns: The epoch of new streams.
        /// - Throws: `PostgresStoreError`
        static func run(_ options: PostgresStore.Options) throws(PostgresStoreError) -> UInt64 {
            let result = Result { try epoch(options) }
            switch result {
            case .success(let epoch): return epoch
            case .failure(let error as PostgresStoreError): throw error
            case .failure(let error): throw PostgresStoreError("The database can't be used: \(error)")
            }
        }

        private static func epoch(_ options: PostgresStore.Options) throws -> UInt64 {
            let session = try PostgresSession(options.address, name: options.name)
            try session.prepare(schema: options.schema)
            guard try session.execute("SHOW server_encoding").first?.first == "UTF8" else {
                throw PostgresStoreError(
                    "The database's encoding isn't UTF8. Create it with: createdb -E UTF8 -T template0"
                )
            }
            let epoch = try makeTables(session, options)
            if let mark = options.secretMark { try claim(mark, options, session) }
            if !options.isRestored { try checkTimeline(session) }
            return epoch
        }

        /// Stores the mark of the servers' secrets, or compares it with the stored mark.
        ///
        /// Marks that earlier versions of the server have stored for the same secrets are replaced.
        private static func claim(
            _ mark: [UInt8],
            _ options: PostgresStore.Options,
            _ session: PostgresSession
        ) throws {
            func text(_ mark: [UInt8]) -> String {
                "\\x" + mark.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            }
            let known = ["secret_mark IS NULL"] + options.earlierSecretMarks.map { "secret_mark = '\(text($0))'" }
            try session.execute(
                "UPDATE store SET secret_mark = '\(text(mark))' WHERE one AND (\(known.joined(separator: " OR ")))"
            )
            let stored = try session.execute("SELECT secret_mark FROM store WHERE one").first?.first ?? nil
            guard stored == text(mark) else {
                throw PostgresStoreError(
                    "The database belongs to servers with other secrets: all servers need the same 'accounts.secret' and the same secret of tokens. Copy the files of one of them, or set the same variables. If a secret was changed on purpose, stop all servers and execute: UPDATE \(options.schema).store SET secret_mark = NULL"
                )
            }
        }

        /// Compares the timeline of the database with the greatest timeline that servers have used. PostgreSQL begins a new timeline at each
        /// promotion and each restore to a point in time. A lower timeline belongs to an earlier state, or to a primary that was replaced.
        private static func checkTimeline(_ session: PostgresSession) throws {
            // Other databases that use PostgreSQL's protocol have no timelines.
            guard let timeline = timeline(session),
                let known = try session.execute("SELECT timeline FROM store WHERE one").first?.first ?? nil,
                let last = Int64(known), timeline != last
            else { return }
            guard timeline > last else {
                throw PostgresStoreError(
                    "The database's timeline is \(timeline), and servers have used \(last) already. If it was restored from a backup, execute 'freehold-server store restored FOLDER' while no server runs. If another server replaced it, use that one."
                )
            }
            try session.execute("UPDATE store SET timeline = \(timeline) WHERE one AND timeline < \(timeline)")
        }

        /// Returns the timeline of the database, which is the beginning of the name of its log file. Returns `nil` if the database has no timelines.
        static func timeline(_ session: PostgresSession) -> Int64? {
            let answer = session.result(of: "SELECT pg_walfile_name(pg_current_wal_lsn())")
            guard case .success(let rows) = answer, let name = rows.first?.first ?? nil else { return nil }
            return Int64(name.prefix(8), radix: 16)
        }

        private static func makeTables(_ session: PostgresSession, _ options: PostgresStore.Options) throws -> UInt64 {
            // A role without the right to create tables can use existing tables.
            guard let known = try current(session) else {
                try make(session, schema: options.schema)
                return try upgrade(session)
            }
            try check(known.format)
            return known.format == Tables.format ? known.epoch : try upgrade(session)
        }

        private static func check(_ format: Int) throws(PostgresStoreError) {
            guard format <= Tables.format else {
                throw PostgresStoreError(
                    "The database was written by a later version of the server: its tables have the format \(format), and this version knows those up to \(Tables.format)."
                )
            }
        }

        /// Returns the content of the row of `store`, or `nil` if the table doesn't exist.
        private static func current(_ session: PostgresSession) throws -> (format: Int, epoch: UInt64)? {
            let answer = session.result(of: "SELECT format, epoch FROM store WHERE one")
            if case .failure(let failure) = answer, failure.kind == .refused("42P01") { return nil }
            return try answer.get().first.map { try stored($0) }
        }

        private static func stored(_ row: [String?]) throws(PostgresStoreError) -> (format: Int, epoch: UInt64) {
            guard row.count == 2, let format = row[0].flatMap({ Int($0) }), let epoch = row[1].flatMap({ Int64($0) })
            else {
                throw PostgresStoreError("The table 'store' has no format.")
            }
            return (format, UInt64(bitPattern: epoch))
        }

        /// Creates the schema and the row that servers lock.
        private static func make(_ session: PostgresSession, schema: String) throws {
            let epoch = Int64.random(in: 1 ... .max)
            for statement in [
                "CREATE SCHEMA IF NOT EXISTS \(PostgresSession.quoted(schema))", Tables.store,
                "INSERT INTO store(one, format, epoch) VALUES (true, 0, \(epoch)) ON CONFLICT (one) DO NOTHING",
            ] {
                let answer = session.result(of: statement)
                guard case .failure(let failure) = answer else { continue }
                guard failure.isCreatedMeanwhile else { throw failure }
                // Another server has created the same at this moment.
                try session.execute(statement)
            }
        }

        private static func upgrade(_ session: PostgresSession) throws -> UInt64 {
            try session.execute("BEGIN")
            // This statement locks the row.
            guard
                let row = try session.execute("UPDATE store SET format = format WHERE one RETURNING format, epoch")
                    .first
            else {
                throw PostgresStoreError("The table 'store' is empty.")
            }
            let known = try stored(row)
            try check(known.format)
            for step in Tables.steps.dropFirst(known.format) {
                for statement in step { try session.execute(statement) }
            }
            try session.execute("UPDATE store SET format = \(Tables.format) WHERE one")
            try session.execute("COMMIT")
            return known.epoch
        }
    }

    extension PostgresFailure {
        /// A Boolean value that indicates whether another session has created the same schema or table at the same time.
        fileprivate var isCreatedMeanwhile: Bool {
            ["23505", "42710", "42P06", "42P07", "XX000"].contains { kind == .refused($0) }
        }
    }
#endif
