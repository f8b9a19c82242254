#if PostgreSQL
    import Foundation
    import FreeholdPostgresStore
    package import FreeholdServer

    extension PostgresAccountStore {
        package func users(of app: String) async throws -> [AccountUser] {
            let results = try await read([
                Call(AccountStatement.usersOfApp, [.text(app)]), Call(AccountStatement.identitiesOfApp, [.text(app)]),
            ])
            return try Self.users(results[0], identities: results[1])
        }

        package func users(
            of app: String,
            matching text: String,
            after: String?,
            limit: Int
        ) async throws -> [AccountUser] {
            let values: [Value] = [.text(app), .text(after ?? ""), .text(text), .int(Int64(limit))]
            let rows = try await read(AccountStatement.usersOfPart, values)
            let identities = try await read(AccountStatement.identitiesOfList, [.texts(rows.map { try $0.text(0) })])
            return try Self.users(rows, identities: identities)
        }

        package func user(_ id: String) async throws -> AccountUser? {
            let results = try await read([
                Call(AccountStatement.user, [.text(id)]), Call(AccountStatement.identitiesOfUser, [.text(id)]),
            ])
            return try Self.user(results[0], identities: results[1])
        }

        /// - Parameter revision: Ignored, because the notes already name the changed users.
        package func users(_ ids: [String], changedSince revision: Int) async throws -> [AccountUser] {
            let results = try await read([
                Call(AccountStatement.usersOfList, [.texts(ids)]),
                Call(AccountStatement.identitiesOfList, [.texts(ids)]),
            ])
            return try Self.users(results[0], identities: results[1])
        }

        package func hasUser(_ id: String) async throws -> Bool {
            try await !read(AccountStatement.hasUser, [.text(id)]).isEmpty
        }

        package func createUser(_ new: NewUser) async throws -> AccountUser {
            let id = AccountSecret.identifier()
            let place: [Value] = [.text(new.app), .text(new.provider.rawValue), .text(new.name)]
            let values: [Value] =
                place + [
                    .text(id), .text(AccountSecret.identifier()), .text(new.password), .bool(new.isConfirmed),
                    .text(new.customData), time, .text(new.profile ?? "{}"),
                ]
            let made = try await write(AccountStatement.createUser, values)
            if !made.isEmpty, let user = try await self.user(id) { return user }
            if new.provider.isExternal, let profile = new.profile {
                try await write(AccountStatement.setProfile, place + [.text(profile), time, .int(Self.stamp)])
            }
            guard new.provider.isExternal, let known = try await identity(new.app, new.provider, new.name),
                let user = try await self.user(known.user)
            else { throw AccountError.nameInUse }
            return user
        }

        package func storedName(_ app: String, _ address: String) async throws -> String {
            let forms = AccountName.forms(address)
            let values: [Value] = [.text(app), .text(AccountProvider.emailPassword.rawValue), .texts(forms)]
            let place = try await read(AccountStatement.storedName, values).first?.int(0) ?? 1
            return forms[forms.indices.contains(Int(place) - 1) ? Int(place) - 1 : 0]
        }

        package func identity(
            _ app: String,
            _ provider: AccountProvider,
            _ name: String
        ) async throws -> (user: String, password: String, isConfirmed: Bool)? {
            try await read(AccountStatement.identity, [.text(app), .text(provider.rawValue), .text(name)]).first.map {
                (try $0.text(0), try $0.text(1), try $0.bool(2))
            }
        }

        package func link(_ user: String, _ provider: AccountProvider, _ name: String) async throws {
            try await Self.repeating { () async throws -> Void? in
                guard let into = try await self.user(user) else { throw AccountError.invalidSession }
                guard let known = try await identity(into.app, provider, name) else { throw AccountError.noUser }
                guard known.user != user else { return () }
                if let row = try await read(AccountStatement.linkState, [.text(known.user)]).first {
                    guard try !row.bool(0) else { throw AccountError.userDisabled }
                    // A user that has logged in may own documents. If the user were removed, these would belong to no
                    // user.
                    guard try !row.bool(1), try row.int(2) == 1 else { throw AccountError.hasOtherUser }
                }
                let results = try await write([
                    Call(AccountStatement.lockUsers, [.texts([user, known.user])]),
                    Call(
                        AccountStatement.moveIdentity,
                        [
                            .text(user), .text(known.user), .text(into.app), .text(provider.rawValue), .text(name),
                        ]
                    ),
                    Call(AccountStatement.dropEmptyUser, [.text(known.user)]),
                    Call(AccountStatement.noteUser, [.text(user), time, .int(Self.stamp)]),
                ])
                return results[1].isEmpty ? nil : ()
            }
        }

        // MARK: Changes that end log-ins

        package func setDisabled(_ isDisabled: Bool, user: String) async throws {
            var calls = [Call(AccountStatement.setDisabled, [.text(user), .bool(isDisabled)])]
            if isDisabled { calls += endings(of: user) }
            guard try await !write(calls)[0].isEmpty else { throw AccountError.noUser }
        }

        package func logOut(user: String) async throws {
            let calls = [Call(AccountStatement.lockUser, [.text(user)])] + endings(of: user)
            guard try await !write(calls)[0].isEmpty else { throw AccountError.noUser }
        }

        package func deleteUser(_ id: String) async throws {
            let user: [Value] = [.text(id)]
            let calls =
                [Call(AccountStatement.setDisabled, user + [.bool(true)])] + endings(of: id)
                + [
                    Call(AccountStatement.dropKeysOfUser, user), Call(AccountStatement.dropCodesOfUser, user),
                    Call(AccountStatement.dropIdentitiesOfUser, user), Call(AccountStatement.dropUser, user),
                ]
            guard try await !write(calls)[0].isEmpty else { throw AccountError.noUser }
        }

        /// The statements that end the log-ins of a user whose row the transaction has locked.
        private func endings(of user: String) -> [Call] {
            [
                Call(AccountStatement.endLoginsOfUser, [.text(user), time, .int(Self.stamp)]),
                Call(AccountStatement.dropSessionsOfUser, [.text(user)]),
                Call(AccountStatement.dropPushesOfUser, [.text(user)]),
            ]
        }

        package func setCustomData(_ customData: String, user: String) async throws {
            try AccountUser.check(customData: customData)
            let values: [Value] = [.text(user), .text(customData), time, .int(Self.stamp)]
            guard try await !write(AccountStatement.setCustomData, values).isEmpty else { throw AccountError.noUser }
        }

        // MARK: Codes

        package func createCode(
            _ app: String,
            _ email: String,
            isReset: Bool
        ) async throws -> (id: String, token: String)? {
            let (id, token) = (AccountSecret.identifier(), AccountSecret.make())
            let lifetime = Int64(AccountStore.codeTime * 1_000_000)
            let values: [Value] = [
                .text(app), .text(email), .text(id), .text(SecretDigest.hexadecimal(token)), .bool(isReset), time,
                .int(lifetime),
            ]
            return try await write(AccountStatement.createCode, values).isEmpty ? nil : (id, token)
        }

        private func code(_ app: String, _ id: String, _ token: String) -> [Value] {
            [.text(id), .text(SecretDigest.hexadecimal(token)), .text(app), time]
        }

        package func confirm(_ app: String, id: String, token: String) async throws {
            guard try await !write(AccountStatement.confirm, code(app, id, token)).isEmpty else {
                throw AccountError.invalidCode
            }
        }

        package func isResetCode(_ app: String, id: String, token: String) async throws -> Bool {
            try await !read(AccountStatement.ownerOfCode, code(app, id, token)).isEmpty
        }

        package func reset(_ app: String, id: String, token: String, password: String) async throws {
            let code = code(app, id, token)
            guard let owner = try await read(AccountStatement.ownerOfCode, code).first?.text(0) else {
                throw AccountError.invalidCode
            }
            let results = try await write([
                Call(AccountStatement.lockUser, [.text(owner)]),
                Call(AccountStatement.reset, code + [.text(password)]),
                Call(
                    AccountStatement.endLoginsAfterReset,
                    [.text(owner), time, .int(Self.stamp), .text(password)]
                ),
                Call(AccountStatement.dropSessionsOfUser, [.text(owner)]),
                Call(AccountStatement.dropPushesOfUser, [.text(owner)]),
            ])
            guard !results[1].isEmpty else { throw AccountError.invalidCode }
        }

        // MARK: API keys

        package func createKey(_ name: String, of user: String) async throws -> (key: AccountKey, secret: String) {
            let (id, secret) = (AccountSecret.identifier(), AccountSecret.make())
            let most = Int64(AccountStore.keysPerUser)
            let results = try await write([
                Call(AccountStatement.lockUser, [.text(user)]),
                Call(
                    AccountStatement.createKey,
                    [
                        .text(user), .text(id), .text(name), .text(SecretDigest.hexadecimal(secret)), .int(most),
                    ]
                ),
                Call(AccountStatement.keyCount, [.text(user)]),
            ])
            guard !results[0].isEmpty else { throw AccountError.invalidSession }
            guard !results[1].isEmpty else {
                throw try results[2].first?.int(0) ?? 0 >= most ? AccountError.tooManyKeys : .keyExists
            }
            return (AccountKey(id: id, user: user, name: name, isDisabled: false), secret)
        }

        package func keys(of user: String) async throws -> [AccountKey] {
            try await read(AccountStatement.keysOfUser, [.text(user)]).map { row in
                AccountKey(
                    id: try row.text(0),
                    user: try row.text(1),
                    name: try row.text(2),
                    isDisabled: try row.bool(3)
                )
            }
        }

        package func setKey(_ id: String, of user: String, isDisabled: Bool) async throws {
            let values: [Value] = [.text(id), .text(user), .bool(isDisabled)]
            guard try await !write(AccountStatement.setKey, values).isEmpty else { throw AccountError.noKey }
        }

        package func deleteKey(_ id: String, of user: String) async throws {
            guard try await !write(AccountStatement.deleteKey, [.text(id), .text(user)]).isEmpty else {
                throw AccountError.noKey
            }
        }

        package func user(ofKey secret: String, app: String) async throws -> String? {
            let values: [Value] = [.text(SecretDigest.hexadecimal(secret)), .text(app)]
            return try await read(AccountStatement.userOfKey, values).first?.text(0)
        }
    }
#endif
