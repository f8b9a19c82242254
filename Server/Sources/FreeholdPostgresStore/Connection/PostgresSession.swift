#if PostgreSQL
    internal import CLibPQ
    internal import Dispatch

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #elseif canImport(Darwin)
        internal import Darwin
    #endif

    /// A connection whose calls block. It is used to open connections and to change tables and views. One thread at a time may use it.
    final class PostgresSession {
        private var handle: OpaquePointer?
        /// The time at which the session stops waiting for answers.
        private let deadline: DispatchTime

        /// Connects to the database. The calling thread blocks while names are resolved and the server answers.
        ///
        /// Passwords, certificates, services and several hosts are configured like in all programs that use libpq (`PGPASSFILE`, `pg_service.conf`,
        /// `sslmode`, …). If the address has several hosts, the connection uses one that accepts writes, unless the address says otherwise.
        ///
        /// - Parameters:
        ///   - address: A URI, or a list of keywords and values.
        ///   - patience: The time limit for all statements of the session together, or `nil` for no limit.
        /// - Throws: `PostgresFailure` of the kind `unsent`.
        init(_ address: String, name: String, patience: DispatchTimeInterval? = nil) throws(PostgresFailure) {
            try Self.check(address)
            // The address, in `dbname`, overrides the options before it. It doesn't override those after it.
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
            // By default, libpq prints notices to standard error.
            PQsetNoticeReceiver(handle, { _, _ in }, nil)
            self.handle = handle
            deadline = patience.map { .now() + $0 } ?? .distantFuture
            guard PQserverVersion(handle) >= 140_000 else {
                throw PostgresFailure(.unsent, "The database is older than PostgreSQL 14.")
            }
        }

        deinit { if let handle { PQfinish(handle) } }

        /// Checks an address before it is used. Messages of libpq quote parts of a malformed address, and such a part can be a password.
        ///
        /// - Throws: `PostgresFailure`, whose text quotes nothing of the address.
        static func check(_ address: String) throws(PostgresFailure) {
            var message: UnsafeMutablePointer<CChar>?
            guard let options = PQconninfoParse(address, &message) else {
                defer { if let message { PQfreemem(message) } }
                let text = message.map { String(cString: $0).trimmed.withoutQuotes } ?? "it can't be read"
                throw PostgresFailure(.unsent, "The database's address isn't valid: \(text).")
            }
            defer { PQconninfoFree(options) }
            var option = options
            while let keyword = option.pointee.keyword {
                let value = option.pointee.val.map { String(cString: $0) } ?? ""
                let isWrong =
                    switch String(cString: keyword) {
                    case "host", "hostaddr": value.contains("@")
                    case "dbname": address.contains("://") && value.contains("@")
                    case "port": !value.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ",") }
                    default: false
                    }
                // libpq has parsed a part of the password as the host, the port or the database.
                guard !isWrong else {
                    throw PostgresFailure(
                        .unsent,
                        "The database's address isn't valid: its \(String(cString: keyword)) can't be used. The characters @, /, : and % of a user and a password are written as %40, %2F, %3A and %25."
                    )
                }
                option += 1
            }
        }

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

        /// Executes the statements of a text.
        ///
        /// - Returns: The rows of the last statement, as texts.
        /// - Throws: `PostgresFailure`
        @discardableResult
        func execute(_ sql: String) throws(PostgresFailure) -> [[String?]] {
            guard PQsendQuery(handle, sql) == 1 else { throw lost }
            var rows: [[String?]] = []
            var failure: PostgresFailure?
            while let result = try next() {
                defer { PQclear(result) }
                let status = PQresultStatus(result)
                guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
                    failure = failure ?? PostgresFailure(result)
                    continue
                }
                rows = (0..<PQntuples(result)).map { row in
                    (0..<PQnfields(result)).map { column in
                        PQgetisnull(result, row, column) == 1
                            ? nil : PQgetvalue(result, row, column).map { String(cString: $0) }
                    }
                }
            }
            if let failure { throw failure }
            return rows
        }

        private var lost: PostgresFailure {
            let text = PQerrorMessage(handle).map { String(cString: $0).trimmed } ?? ""
            return PostgresFailure(.lost, text.isEmpty ? "The connection to the database ended." : text)
        }

        /// Waits for the next result of the statements. Returns `nil` after the last one.
        private func next() throws(PostgresFailure) -> OpaquePointer? {
            while PQisBusy(handle) != 0 {
                let now = DispatchTime.now()
                guard now < deadline else {
                    throw PostgresFailure(.unsent, "The database didn't answer in time.")
                }
                let rest = min((deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000, 1_000)
                var place = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
                // `poll` returns at least once a second, also without a deadline.
                _ = poll(&place, 1, Int32(clamping: max(rest, 1)))
                guard PQconsumeInput(handle) == 1 else { throw lost }
            }
            return PQgetResult(handle)
        }

        /// Like `execute(_:)`, except that a failure is returned.
        func result(of sql: String) -> Result<[[String?]], PostgresFailure> {
            Result { () throws(PostgresFailure) in try execute(sql) }
        }

        /// Sets the parameters of the connection that all statements of the store expect.
        ///
        /// - Throws: `PostgresFailure`
        func prepare(schema: String) throws(PostgresFailure) {
            try execute("SET search_path = \(Self.quoted(schema))")
            // Otherwise PostgreSQL plans a prepared statement again for each execution.
            try execute("SET plan_cache_mode = force_generic_plan; SET jit = off")
            // Each statement sees the newest committed state. `PostgresPool` changes this for the connections that read.
            try execute("SET default_transaction_isolation = 'read committed'; SET bytea_output = 'hex'")
            // The server checks every two seconds whether the client is still connected. Otherwise, after a time-out of the client, a statement that
            // waits for a lock would continue to wait and keep its other locks. Some systems don't support this setting.
            _ = result(of: "SET client_connection_check_interval = '2s'")
        }

        /// Checks that the tables have a format that the statements of the store support.
        ///
        /// - Returns: The timeline of the database's server, which increases when a replica is promoted, or 0 for databases without timelines.
        /// - Throws: `PostgresFailure` if a later version of the server has changed the tables.
        func generation() throws(PostgresFailure) -> Int64 {
            let format = try execute("SELECT format FROM store WHERE one").first?.first?.flatMap { Int($0) }
            guard let format else { throw PostgresFailure(.unsent, "The table 'store' has no format.") }
            guard format <= Tables.format else { throw .laterFormat(format) }
            return Migration.timeline(self) ?? 0
        }

        /// Returns a name in quotation marks.
        static func quoted(_ name: String) -> String {
            "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        }

        /// Returns the handle of libpq and removes it from the session. The caller has to close it.
        func release() -> OpaquePointer? {
            defer { handle = nil }
            return handle
        }
    }

    extension String {
        /// The text with `…` in place of everything from its first to its last quotation mark.
        fileprivate var withoutQuotes: String {
            guard let first = firstIndex(of: "\""), let last = lastIndex(of: "\""), first < last else {
                return contains("\"") ? "it can't be read" : self
            }
            return self[..<first] + "…" + self[index(after: last)...]
        }
    }
#endif
