#if PostgreSQL
    internal import CLibPQ

    /// A connection whose calls block, for the beginning of connections and for changes of the tables. One thread at a time may use it.
    final class PostgresSession {
        private var handle: OpaquePointer?

        /// Connects. This resolves names and waits for answers.
        ///
        /// Passwords, certificates, services and several hosts are as in all programs that use libpq (`PGPASSFILE`, `pg_service.conf`, `sslmode`,
        /// …). By default a server is looked for that takes writes.
        ///
        /// - Parameter address: A URI, or a list of keywords and values.
        /// - Throws: `PostgresFailure` of the kind `unsent`.
        init(_ address: String, name: String) throws(PostgresFailure) {
            // Those before `dbname` are replaced by what the address says, and those after it aren't.
            let options: [(String, String)] = [
                ("target_session_attrs", "read-write"), ("connect_timeout", "10"), ("fallback_application_name", name),
                ("tcp_user_timeout", "15000"), ("keepalives_idle", "15"), ("dbname", address),
                ("client_encoding", "UTF8"),
            ]
            let handle = Self.connect(options)
            guard let handle, PQstatus(handle) == CONNECTION_OK else {
                let text =
                    handle.flatMap { PQerrorMessage($0) }.map { String(cString: $0).trimmed } ?? "There is no memory."
                if let handle { PQfinish(handle) }
                throw PostgresFailure(.unsent, text)
            }
            // Notices would go to the standard error.
            PQsetNoticeReceiver(handle, { _, _ in }, nil)
            self.handle = handle
            guard PQserverVersion(handle) >= 140_000 else {
                throw PostgresFailure(.unsent, "The database is older than PostgreSQL 14.")
            }
        }

        deinit { if let handle { PQfinish(handle) } }

        private static func connect(_ options: [(String, String)]) -> OpaquePointer? {
            func withStrings<Result>(
                _ strings: [String],
                _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
            ) -> Result {
                let bytes = strings.flatMap { Array($0.utf8CString) }
                return bytes.withUnsafeBufferPointer { bytes in
                    var (pointers, start) = ([UnsafePointer<CChar>?](), 0)
                    for string in strings {
                        pointers.append(bytes.baseAddress.map { $0 + start })
                        start += string.utf8.count + 1
                    }
                    return (pointers + [nil]).withUnsafeBufferPointer { pointers in
                        guard let base = pointers.baseAddress else {
                            preconditionFailure("An array with elements has an address.")
                        }
                        return body(base)
                    }
                }
            }
            return withStrings(options.map(\.0)) { keywords in
                withStrings(options.map(\.1)) { values in PQconnectdbParams(keywords, values, 1) }
            }
        }

        /// Executes statements in text.
        ///
        /// - Returns: The rows of the last one, as texts.
        /// - Throws: `PostgresFailure`
        @discardableResult
        func execute(_ sql: String) throws(PostgresFailure) -> [[String?]] {
            guard let result = PQexec(handle, sql) else {
                throw PostgresFailure(.lost, "The connection to the database ended.")
            }
            defer { PQclear(result) }
            let status = PQresultStatus(result)
            guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else { throw PostgresFailure(result) }
            return (0..<PQntuples(result)).map { row in
                (0..<PQnfields(result)).map { column in
                    PQgetisnull(result, row, column) == 1
                        ? nil : PQgetvalue(result, row, column).map { String(cString: $0) }
                }
            }
        }

        /// Like `execute(_:)`, except that a failure is returned.
        func result(of sql: String) -> Result<[[String?]], PostgresFailure> {
            Result { () throws(PostgresFailure) in try execute(sql) }
        }

        /// Sets what all statements of the store expect.
        ///
        /// - Throws: `PostgresFailure`
        func prepare(schema: String) throws(PostgresFailure) {
            try execute("SET search_path = \(Self.quoted(schema))")
            // Otherwise a statement is planned anew with each execution.
            try execute("SET plan_cache_mode = force_generic_plan; SET jit = off")
            // The statements between two synchronisation points see one state.
            try execute("SET default_transaction_isolation = 'read committed'; SET bytea_output = 'hex'")
            // A statement that waits for a lock ends after its connection was closed. Otherwise each time-out would leave a backend behind, which
            // keeps its locks. Some systems don't support it.
            _ = result(of: "SET client_connection_check_interval = '2s'")
        }

        /// A name in quotes.
        static func quoted(_ name: String) -> String {
            "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        }

        /// Gives up the handle, which the caller has to close.
        func release() -> OpaquePointer? {
            defer { handle = nil }
            return handle
        }
    }
#endif
