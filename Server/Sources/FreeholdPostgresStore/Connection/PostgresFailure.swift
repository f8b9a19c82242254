#if PostgreSQL
    internal import FreeholdSyncCore

    /// The reason why statements have no result.
    struct PostgresFailure: Error, Hashable, CustomStringConvertible {
        enum Kind: Hashable {
            /// The server refused the statement for the reason with this code (SQLSTATE), and didn't execute it.
            case refused(String)
            /// The connection ended after a part of the statement was sent, or the server was shutting down. It isn't known whether the statement was
            /// executed.
            case lost
            /// The statement wasn't sent.
            case unsent
            /// The statement succeeded with a warning.
            case warned
            /// The answer is larger than the bound.
            case oversized
            /// The answer doesn't have the form that the statement returns.
            case malformed
        }

        /// The failure of a connection that was closed while it was idle, in order to be replaced.
        static let replaced = PostgresFailure(.unsent, "The connection was replaced.")

        static func laterFormat(_ format: some BinaryInteger) -> PostgresFailure {
            PostgresFailure(
                .unsent,
                "A later version of the server has changed the database's tables to the format \(format), and this version knows those up to \(Tables.format). Install the later version."
            )
        }

        let kind: Kind
        let description: String

        init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }

        /// The failure of a statement that the server answered with an error.
        ///
        /// - Parameters:
        ///   - code: The SQLSTATE, or `nil` for an error of libpq itself.
        ///   - isFatal: A Boolean value that indicates whether the error ends the connection.
        init(code: String?, isFatal: Bool, _ text: String) {
            switch code {
            case let code? where !isFatal && !Self.endings.contains(code): self.init(.refused(code), text)
            default: self.init(.lost, text)
            }
        }

        /// The codes of errors after which it isn't known whether the statement was executed: an administrator, a crash or a shutdown has ended the
        /// connection, or the server reports "statement completion unknown".
        private static let endings: Set<String> = ["57P01", "57P02", "57P03", "57P04", "40003"]

        /// A Boolean value that indicates whether the statement lost a conflict with another transaction. It is then sent again immediately.
        var isConflict: Bool { kind == .refused("40001") || kind == .refused("40P01") }

        /// A Boolean value that indicates whether the server is a standby, or doesn't accept writes.
        var isReadOnly: Bool { kind == .refused("25006") }

        /// The codes of errors about prepared statements that another client has created or removed on the same connection.
        static let sharedCodes: Set<String> = ["26000", "42P05"]

        static let sharedText =
            ". The connection is shared with other clients, for example by PgBouncer in the mode 'transaction' or 'statement'. Freehold needs connections of its own: pool_mode = session."

        /// A Boolean value that indicates whether a prepared statement is missing or already exists: see `sharedText`.
        var isShared: Bool { if case .refused(let code) = kind { Self.sharedCodes.contains(code) } else { false } }

        /// A Boolean value that indicates whether a row with the same key exists already.
        var isDuplicate: Bool { kind == .refused("23505") }

        /// Returns the failure that the store reports.
        ///
        /// - Parameter isWrite: A Boolean value that indicates whether the statements change data.
        func storeFailure(isWrite: Bool) -> StoreFailure {
            let text = SyncString("PostgreSQL: \(description)")
            switch kind {
            case .unsent: return .unavailable(text)
            case .lost, .warned: return isWrite ? .uncertain(text) : .unavailable(text)
            case .oversized: return isWrite ? .uncertain(text) : .limit(text)
            case .malformed: return isWrite ? .uncertain(text) : .damaged(text)
            case .refused("53100"): return .fullDisk("PostgreSQL: \(description)")
            case .refused("XX001"), .refused("XX002"): return .damaged(text)
            // Numbers, texts and rows that are too large, and texts that the database can't store.
            case .refused(let code)
            where code.hasPrefix("54") || ["22001", "22003", "22021", "22P05"].contains(code):
                return .limit(text)
            case .refused: return .unavailable(text)
            }
        }
    }
#endif
