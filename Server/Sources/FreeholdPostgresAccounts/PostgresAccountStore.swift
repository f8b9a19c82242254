#if PostgreSQL
    package import Foundation
    public import FreeholdPostgresStore
    import FreeholdServer

    /// The accounts and the configuration of apps in PostgreSQL, for servers that share a database.
    ///
    /// Each method that changes something is one transaction. Transactions that change one log-in are executed one after the other, so no session
    /// survives its log-out.
    ///
    /// Any thread may use it.
    public final class PostgresAccountStore: Sendable {
        typealias Call = PostgresDatabase.Call
        typealias Value = PostgresDatabase.Value
        typealias Row = PostgresDatabase.Row

        private let database: PostgresDatabase
        /// The clock, or `nil` for the clock of the database.
        private let clock: (@Sendable () -> Date)?

        /// - Parameter clock: The clock. The default is that of the database, which all servers share.
        package init(_ database: PostgresDatabase, clock: (@Sendable () -> Date)? = nil) {
            (self.database, self.clock) = (database, clock)
        }

        /// Connects to a database, and creates or changes its tables if that is needed.
        ///
        /// - Throws: `PostgresStoreError`
        public static func open(
            _ options: PostgresStore.Options
        ) async throws(PostgresStoreError) -> PostgresAccountStore {
            PostgresAccountStore(try await PostgresDatabase.open(options))
        }

        /// Ends all connections. Later requests fail.
        public func close() { database.close() }

        // MARK: Statements

        /// The parameter for the time. NULL stands for the database's time.
        var time: Value { clock.map { .int($0().microseconds) } ?? .null }

        /// A random number that identifies a change, for stamps and notes.
        static var stamp: Int64 { .random(in: .min ... .max) }

        /// - Throws: `AccountError`, `AccountStorageFailure`
        func read(_ calls: [Call]) async throws -> [[Row]] {
            try await Self.translated { try await self.database.read(calls) }
        }

        /// Like `read(_:)`, for one statement.
        func read(_ statement: PostgresDatabase.Statement, _ values: [Value]) async throws -> [Row] {
            try await read([Call(statement, values)])[0]
        }

        /// - Throws: `AccountError`, `AccountStorageFailure`
        @discardableResult
        func write(_ calls: [Call]) async throws -> [[Row]] {
            try await Self.translated { try await self.database.write(calls) }
        }

        /// Like `write(_:)`, for one statement.
        @discardableResult
        func write(_ statement: PostgresDatabase.Statement, _ values: [Value]) async throws -> [Row] {
            try await write([Call(statement, values)])[0]
        }

        private static func translated(_ body: () async throws -> [[Row]]) async throws -> [[Row]] {
            do { return try await body() } catch let failure as PostgresDatabase.Failure {
                switch failure.kind {
                case .unstorable: throw AccountError.bad("a text has characters, or a length, that can't be stored")
                case .fullDisk: throw AccountStorageFailure(failure.description, isFullDisk: true)
                case .unavailable, .uncertain: throw AccountStorageFailure(failure.description)
                }
            }
        }

        /// Calls a closure until it returns a value. The closure returns `nil` if another transaction has changed the rows that it has read.
        ///
        /// - Throws: `AccountStorageFailure` if other transactions have changed the rows at each attempt.
        static func repeating<Result>(_ body: () async throws -> Result?) async throws -> Result {
            for attempt in 0..<20 {
                if let result = try await body() { return result }
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...(2 << min(attempt, 6)))))
            }
            throw AccountStorageFailure("Other changes of the same rows were first each time.")
        }

        // MARK: Users

        /// Returns the user in the first row, or `nil` without a row.
        static func user(_ rows: [Row], identities: [Row]) throws -> AccountUser? {
            try users(rows, identities: identities).first
        }

        static func users(_ rows: [Row], identities: [Row]) throws -> [AccountUser] {
            var known: [String: [AccountUser.Identity]] = [:]
            for row in identities {
                known[try row.text(4), default: []].append(
                    AccountUser.Identity(
                        id: try row.text(0),
                        provider: try row.text(1),
                        name: try row.text(2),
                        isConfirmed: try row.bool(3),
                        profile: try row.text(5)
                    )
                )
            }
            return try rows.map { row in
                let id = try row.text(0)
                return AccountUser(
                    id: id,
                    app: try row.text(1),
                    identities: known[id] ?? [],
                    isDisabled: try row.bool(2),
                    customData: try row.text(3),
                    created: Date(microseconds: try row.int(4))
                )
            }
        }
    }

    extension Date {
        /// The microseconds since 1970.
        var microseconds: Int64 { Int64((timeIntervalSince1970 * 1_000_000).rounded()) }

        init(microseconds: Int64) { self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
    }
#endif
