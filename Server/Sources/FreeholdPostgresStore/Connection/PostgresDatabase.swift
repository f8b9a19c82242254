#if PostgreSQL
    internal import Dispatch

    /// A database for rows that aren't documents, such as accounts. It has separate connections, so that long reads of documents don't delay log-ins.
    ///
    /// Any thread may use it. Statements that are run together are one transaction.
    package final class PostgresDatabase: Sendable {
        /// A statement that is prepared once for each connection.
        package struct Statement: Hashable, Sendable {
            /// The unique name of the statement.
            package let name: String
            package let sql: String

            package init(_ name: String, _ sql: String) { (self.name, self.sql) = (name, sql) }
        }

        /// A parameter.
        package enum Value: Sendable {
            case null
            case int(Int64)
            case bool(Bool)
            case text(String)
            case bytes([UInt8])
            case texts([String])

            fileprivate var parameter: Parameter {
                switch self {
                case .null: .null
                case .int(let value): .int(value)
                case .bool(let value): .bytes([value ? 1 : 0])
                case .text(let value): .bytes(Array(value.utf8))
                case .bytes(let value): .bytes(value)
                case .texts(let values): .strings(values)
                }
            }

            package static func optional(_ value: Int64?) -> Value { value.map { .int($0) } ?? .null }
        }

        package struct Call: Sendable {
            let statement: Statement
            let values: [Value]

            package init(_ statement: Statement, _ values: [Value] = []) {
                (self.statement, self.values) = (statement, values)
            }
        }

        /// A row of a result. Each access checks the type of the column, and throws `Failure`.
        package struct Row: Sendable {
            fileprivate let row: QueryResult.Row

            package func int(_ column: Int) throws -> Int64 {
                try checked { () throws(PostgresFailure) in try row.int(column) }
            }

            package func optionalInt(_ column: Int) throws -> Int64? {
                try checked { () throws(PostgresFailure) in try row.optional(column) } == nil ? nil : int(column)
            }

            package func bool(_ column: Int) throws -> Bool {
                try checked { () throws(PostgresFailure) in try row.bool(column) }
            }

            package func text(_ column: Int) throws -> String {
                String(decoding: try checked { () throws(PostgresFailure) in try row.slice(column) }, as: UTF8.self)
            }

            private func checked<Result>(_ body: () throws(PostgresFailure) -> Result) throws -> Result {
                do throws(PostgresFailure) { return try body() } catch { throw Failure(error) }
            }
        }

        /// The reason why statements have no result. It contains no values of rows.
        package struct Failure: Error, Hashable, CustomStringConvertible {
            package enum Kind: Hashable, Sendable {
                /// The statements weren't executed: the database can't be reached, doesn't accept writes, or has refused them for a temporary reason.
                case unavailable
                /// The connection ended before the answer: the statements may have been executed.
                case uncertain
                case fullDisk
                /// A text or number that the database can't store.
                case unstorable
            }

            package let kind: Kind
            package let description: String

            init(_ failure: PostgresFailure) {
                description = "PostgreSQL: \(failure.description)"
                kind =
                    switch failure.kind {
                    case .refused("53100"): .fullDisk
                    case .refused(let code) where code.hasPrefix("22") || code.hasPrefix("54"): .unstorable
                    case .refused, .unsent: .unavailable
                    case .lost, .warned, .oversized, .malformed: .uncertain
                    }
            }
        }

        private let pool: PostgresPool

        private init(_ options: PostgresStore.Options) {
            pool = PostgresPool(PostgresPool.Configuration(options))
            pool.watchFormat()
        }

        /// Connects to a database, and creates or changes its tables if that is needed.
        ///
        /// - Throws: `PostgresStoreError`: see `PostgresStore.open(_:)`.
        package static func open(_ options: PostgresStore.Options) async throws(PostgresStoreError) -> PostgresDatabase
        {
            _ = try await Migration.prepared(options)
            return PostgresDatabase(options)
        }

        package func close() { pool.close() }

        /// Executes statements that only read. They see the same state of the database.
        ///
        /// - Returns: The rows of each statement.
        /// - Throws: `Failure`
        package func read(_ calls: [Call]) async throws -> [[Row]] { try await run(.reading, calls) }

        /// Executes statements that change rows. Each statement sees the changes that other transactions have committed before it.
        ///
        /// - Returns: The rows of each statement.
        /// - Throws: `Failure`
        package func write(_ calls: [Call]) async throws -> [[Row]] { try await run(.writing, calls) }

        private func run(_ lane: PostgresPool.Lane, _ calls: [Call]) async throws -> [[Row]] {
            let calls = calls.map { call in
                PostgresJob.Call(
                    name: call.statement.name,
                    sql: call.statement.sql,
                    parameters: call.values.map(\.parameter)
                )
            }
            do throws(PostgresFailure) {
                return try await pool.run(lane, calls).map { $0.rows.map { Row(row: $0) } }
            } catch { throw Failure(error) }
        }
    }
#endif
