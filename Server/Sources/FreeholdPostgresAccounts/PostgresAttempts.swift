#if PostgreSQL
    import Crypto
    import FreeholdPostgresStore
    import FreeholdServer

    /// The attempts of accounts and addresses, which all servers of a database count together.
    ///
    /// A row belongs to the hash of a name, because names may be long. Rows whose time has passed are removed hourly.
    struct PostgresAttempts: AttemptCounting {
        let store: PostgresAccountStore
        let limits: AttemptLimiter.Limits

        func attempt(account: String?, address: String) async throws {
            let network = AddressGroup.name(of: address)
            // An address with too many attempts doesn't count for the account, which it would lock out.
            guard try await take("address/" + network, most: limits.perAddress, isPushed: false) else {
                throw AccountError.tooMany
            }
            guard let account else { return }
            guard try await take("account/" + account, most: limits.perAccount, isPushed: true) else {
                throw AccountError.tooMany
            }
        }

        /// Counts an attempt before its work begins.
        ///
        /// - Parameter isPushed: A Boolean value that indicates whether the count ends one window after the last attempt, not after the first.
        private func take(_ name: String, most: Int, isPushed: Bool) async throws -> Bool {
            let values: [PostgresDatabase.Value] = [
                key(name), store.time, .int(Int64(limits.window * 1_000_000)), .int(Int64(most)), .bool(isPushed),
            ]
            return try await !store.write(AccountStatement.attempt, values).isEmpty
        }

        func succeeded(account: String) async throws {
            try await store.write(AccountStatement.forgetAttempts, [key("account/" + account)])
        }

        private func key(_ name: String) -> PostgresDatabase.Value {
            .bytes(Array(SHA256.hash(data: Array(name.utf8)).prefix(16)))
        }
    }
#endif
