#if PostgreSQL
    import Foundation
    import FreeholdPostgresStore
    package import FreeholdServer

    /// Log-ins and their refresh tokens.
    extension PostgresAccountStore {
        package func beginSession(of user: String, token: RefreshToken) async throws -> AccountStore.Session {
            let (login, digest) = (AccountSecret.identifier(), SecretDigest.hexadecimal(token.text))
            let results = try await write([
                Call(AccountStatement.enter, [.text(user)]),
                Call(AccountStatement.expireLogins, [.text(user), time, .int(Self.stamp)]),
                Call(AccountStatement.dropSessionsOfUser, [.text(user)]),
                Call(AccountStatement.dropPushesOfUser, [.text(user)]),
                Call(
                    AccountStatement.beginLogin,
                    [
                        .text(user), .text(login), .int(Self.stamp), .text(digest), .int(token.created.microseconds),
                        .int(token.expires.microseconds),
                    ]
                ),
                Call(AccountStatement.user, [.text(user)]), Call(AccountStatement.identitiesOfUser, [.text(user)]),
            ])
            guard let owner = try Self.user(results[5], identities: results[6]) else {
                throw AccountError.invalidSession
            }
            guard !results[4].isEmpty else { throw AccountError.userDisabled }
            return AccountStore.Session(token: token.text, user: owner, login: login)
        }

        /// The log-in of a refresh token, read in one transaction.
        private struct Login {
            let id: String
            let stamp: Int64
            let now: Date
            let tokens: LoginTokens
            let owner: AccountUser
        }

        /// Returns the log-in of a token. Returns `nil` if the log-in has ended, or if the token isn't known.
        private func login(of digest: String) async throws -> Login? {
            let token: [Value] = [.text(digest)]
            let results = try await read([
                Call(AccountStatement.loginOfToken, token + [time]), Call(AccountStatement.tokens, token),
                Call(AccountStatement.ownerOfToken, token), Call(AccountStatement.identitiesOfOwner, token),
            ])
            guard let row = results[0].first, let owner = try Self.user(results[2], identities: results[3]) else {
                return nil
            }
            let tokens = try results[1].map { row in
                LoginTokens.Token(
                    digest: try row.text(0),
                    parent: try row.text(1),
                    created: Date(microseconds: try row.int(2)),
                    expires: Date(microseconds: try row.int(3)),
                    replaced: try row.optionalInt(4).map { Date(microseconds: $0) }
                )
            }
            return Login(
                id: try row.text(0),
                stamp: try row.int(2),
                now: Date(microseconds: try row.int(3)),
                tokens: LoginTokens(tokens),
                owner: owner
            )
        }

        /// Returns the log-in of a token, if the token may be used. If two clients use the same token, this ends the
        /// log-in.
        private func usable(_ digest: String) async throws -> Login? {
            guard let login = try await login(of: digest) else { return nil }
            switch login.tokens.use(of: digest, at: login.now) {
            case .good: return login
            case .expired: return nil
            case .stolen:
                try await write(endings(ofToken: digest))
                return nil
            }
        }

        package func renewSession(_ token: String, next: RefreshToken) async throws -> AccountStore.Session {
            let digest = SecretDigest.hexadecimal(token)
            return try await Self.repeating { () async throws -> AccountStore.Session? in
                guard let login = try await usable(digest) else { throw AccountError.invalidSession }
                guard !login.owner.isDisabled else { throw AccountError.userDisabled }
                do {
                    guard try await store(next, after: digest, in: login) else { return nil }
                } catch let failure as AccountStorageFailure where failure.isFullDisk {
                    // The token of the client stays valid, so that the client can continue to read.
                    return AccountStore.Session(token: token, user: login.owner, login: login.id)
                }
                return AccountStore.Session(token: next.text, user: login.owner, login: login.id)
            }
        }

        /// Stores the successor of a token.
        ///
        /// - Returns: `false` if the log-in has changed since it was read. The token isn't stored then.
        private func store(_ next: RefreshToken, after digest: String, in login: Login) async throws -> Bool {
            let successor = SecretDigest.hexadecimal(next.text)
            let renewal = login.tokens.renewal(of: digest, successor: successor)
            let stamp = Self.stamp
            let place: [Value] = [.text(login.id), .int(stamp)]
            let expires = Value.int(next.expires.microseconds)
            var calls = [
                Call(
                    AccountStatement.stampLogin,
                    [.text(login.id), .int(login.stamp), .int(stamp), expires]
                ),
                Call(
                    AccountStatement.addToken,
                    place + [.text(successor), .text(renewal.parent), .int(next.created.microseconds), expires]
                ),
            ]
            if let replaced = renewal.replaced {
                calls.append(
                    Call(AccountStatement.replaceToken, place + [.text(replaced), .int(login.now.microseconds)])
                )
            }
            if !renewal.removed.isEmpty {
                calls.append(Call(AccountStatement.dropTokens, place + [.texts(renewal.removed)]))
            }
            return try await !write(calls)[0].isEmpty
        }

        package func owner(ofRefreshToken token: String) async throws -> AccountUser {
            guard let login = try await usable(SecretDigest.hexadecimal(token)), !login.owner.isDisabled else {
                throw AccountError.invalidSession
            }
            return login.owner
        }

        package func endSession(_ token: String) async throws {
            let calls = endings(ofToken: SecretDigest.hexadecimal(token))
            guard try await !write(calls)[0].isEmpty else { throw AccountError.invalidSession }
        }

        /// The statements that end the log-in of a token.
        private func endings(ofToken digest: String) -> [Call] {
            [
                Call(AccountStatement.endLogin, [.text(digest), time, .int(Self.stamp)]),
                // This statement finds the log-in by the token, so it has to run before the statement that removes the
                // token.
                Call(AccountStatement.dropPushesOfToken, [.text(digest)]),
                Call(AccountStatement.dropTokensOfLogin, [.text(digest)]),
            ]
        }

        package func user(_ id: String, login: String) async throws -> AccountUser? {
            let results = try await read([
                Call(AccountStatement.userOfLogin, [.text(id), .text(login)]),
                Call(AccountStatement.identitiesOfUser, [.text(id)]),
            ])
            return try Self.user(results[0], identities: results[1])
        }

        package func ended(among logins: Set<String>) async throws -> Set<String> {
            let open = try await read(AccountStatement.openLogins, [.texts(Array(logins))]).map { try $0.text(0) }
            return logins.subtracting(open)
        }
    }
#endif
