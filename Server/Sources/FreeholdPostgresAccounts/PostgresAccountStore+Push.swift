#if PostgreSQL
    import FreeholdPostgresStore
    package import FreeholdServer

    /// Registrations for push messages, the replacement of the hash of a password, and the deletion of users that a
    /// hook didn't confirm.
    extension PostgresAccountStore {
        package func register(
            app: String,
            user: String,
            login: String,
            service: String,
            token: String
        ) async throws {
            let key = AccountStore.pushKey(app: app, service: service, token: token)
            let place: [Value] = [.text(login), .text(user)]
            let results = try await write([
                Call(AccountStatement.lockUser, [.text(user)]), Call(AccountStatement.lockLogin, place),
                Call(AccountStatement.dropOtherPushes, place + [.text(service), .text(key)]),
                Call(AccountStatement.dropOldestPush, place + [.text(key), .int(Int64(AccountStore.pushesPerUser))]),
                Call(AccountStatement.addPush, place + [.text(key), .text(app), .text(service), .text(token), time]),
            ])
            // The log-in may have ended since the token of the request was checked.
            guard !results[1].isEmpty else { throw AccountError.invalidSession }
        }

        package func unregister(login: String, service: String) async throws {
            try await write(AccountStatement.dropPushes, [.text(login), .text(service)])
        }

        package func pushRegistrations(of app: String, user: String?) async throws -> [PushRegistration] {
            try await read(AccountStatement.pushes, [.text(app), user.map { .text($0) } ?? .null]).map { row in
                PushRegistration(
                    app: try row.text(0),
                    user: try row.text(1),
                    login: try row.text(2),
                    service: try row.text(3),
                    token: try row.text(4),
                    created: .init(microseconds: try row.int(5))
                )
            }
        }

        package func replacePassword(of name: String, in app: String, _ old: String, by new: String) async throws {
            let identity: [Value] = [.text(app), .text(AccountProvider.emailPassword.rawValue), .text(name)]
            try await write(AccountStatement.replacePassword, identity + [.text(old), .text(new)])
        }

        package func deleteUnconfirmed(_ app: String, code: String) async throws {
            let known = try await read(AccountStatement.unconfirmed, [.text(code), .text(app)])
            guard let user = try known.first?.text(0) else { return }
            try await write([
                Call(AccountStatement.lockUser, [.text(user)]), Call(AccountStatement.dropUnconfirmed, [.text(user)]),
                Call(AccountStatement.dropCode, [.text(code)]), Call(AccountStatement.dropEmptyUser, [.text(user)]),
            ])
        }
    }
#endif
