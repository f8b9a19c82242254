#if PostgreSQL
    import Crypto
    import FreeholdPostgresStore
    import FreeholdServer

    /// The attempts to log in, counted for each account and each address. All servers of a database share the counts.
    ///
    /// The key of a row is a hash of the name, because names may be long. Expired rows are removed every hour.
    struct PostgresAttempts: AttemptCounting {
        let store: PostgresAccountStore
        let limits: AttemptLimiter.Limits

        func attempt(account: String?, address: String) async throws {
            let network = AddressGroup.name(of: address)
            // An attempt of an address that has too many isn't counted for the account. Otherwise the address could lock the account.
            guard try await take("address/" + network, most: limits.perAddress, isPushed: false) else {
                throw AccountError.tooMany
            }
            guard let account else { return }
            guard try await take("account/" + account, most: limits.perAccount, isPushed: true) else {
                throw AccountError.tooMany
            }
        }

        /// Counts an attempt. It is called before the work of the attempt, so that simultaneous attempts count as well.
        ///
        /// - Parameter isPushed: A Boolean value that indicates whether the count expires one window after the last attempt. Otherwise it expires one
        ///   window after the first attempt.
        /// - Returns: `false` if the attempt isn't permitted.
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
