#if PostgreSQL
    import FreeholdPostgresStore
    package import FreeholdServer

    /// The import of users with their ids. Each user is one transaction.
    extension PostgresAccountStore {
        package func importUsers(
            _ users: [ImportedUser],
            app: String,
            isDry: Bool
        ) async throws -> UserImportReport {
            // A dry run is possible before the app exists.
            if !isDry, try await self.app(app) == nil { throw AccountError.noApp }
            var report = UserImportReport()
            for user in users { try await add(user, to: app, isDry: isDry, report: &report) }
            return report
        }

        private func add(
            _ user: ImportedUser,
            to app: String,
            isDry: Bool,
            report: inout UserImportReport
        ) async throws {
            let known = try await self.user(user.id)
            if let known, known.app != app {
                report.refuse("user \(user.id): another app has a user with this id")
                return
            }
            var calls: [Call] = [Call(AccountStatement.lockUser, [.text(user.id)])]
            var isChanged = false
            if known == nil {
                calls.append(
                    Call(
                        AccountStatement.importUser,
                        [
                            .text(user.id), .text(app), .bool(user.isDisabled), .text(user.customData ?? "{}"),
                            .optional(user.created?.microseconds), time,
                        ]
                    )
                )
            } else if let data = user.customData, data != known?.customData {
                calls.append(
                    Call(AccountStatement.setCustomData, [.text(user.id), .text(data), time, .int(Self.stamp)])
                )
                isChanged = true
            }
            for identity in user.identities {
                if let other = try await self.identity(app, identity.provider, identity.name) {
                    if other.user != user.id {
                        let name = "\(identity.provider.rawValue) \(identity.name)"
                        report.refuse("user \(user.id): the user \(other.user) has the log-in \(name)")
                    }
                    continue
                }
                calls.append(insertion(of: identity, user: user.id, app: app))
                isChanged = true
                if identity.provider == .emailPassword, identity.passwordHash == nil { report.withoutPassword += 1 }
            }
            if try await add(user.keys, of: user.id, app: app, to: &calls, report: &report) { isChanged = true }
            if isChanged || known == nil {
                calls.append(Call(AccountStatement.noteUser, [.text(user.id), time, .int(Self.stamp)]))
                if !isDry { try await write(calls) }
            }
            if known == nil {
                report.created += 1
            } else if isChanged {
                report.changed += 1
            } else {
                report.unchanged += 1
            }
        }

        private func insertion(of identity: ImportedUser.Identity, user: String, app: String) -> Call {
            Call(
                AccountStatement.importIdentity,
                [
                    .text(app), .text(identity.provider.rawValue), .text(identity.name), .text(user),
                    .text(identity.identifier ?? AccountSecret.identifier()), .text(identity.passwordHash ?? ""),
                    .bool(identity.isConfirmed), .text(identity.profile),
                ]
            )
        }

        /// Adds the statements for the keys that a user lacks.
        ///
        /// - Returns: A Boolean value that indicates whether the user lacks a key.
        private func add(
            _ keys: [ImportedUser.Key],
            of user: String,
            app: String,
            to calls: inout [Call],
            report: inout UserImportReport
        ) async throws -> Bool {
            var own = keys.isEmpty ? [] : try await self.keys(of: user)
            var isChanged = false
            for key in keys {
                if let owner = try await read(AccountStatement.keyOfDigest, [.text(key.digest)]).first?.text(0) {
                    if owner != user { report.refuse("user \(user): the API key '\(key.name)' belongs to \(owner)") }
                    continue
                }
                let id = key.identifier ?? AccountSecret.identifier()
                guard !own.contains(where: { $0.name == key.name || $0.id == id }), own.count < AccountStore.keysPerUser
                else {
                    report.refuse(
                        "user \(user): another API key has the name or the id of '\(key.name)', or the user has too many"
                    )
                    continue
                }
                own.append(AccountKey(id: id, user: user, name: key.name, isDisabled: key.isDisabled))
                calls.append(
                    Call(
                        AccountStatement.importKey,
                        [
                            .text(id), .text(user), .text(app), .text(key.name), .text(key.digest),
                            .bool(key.isDisabled), .int(Int64(AccountStore.keysPerUser)),
                        ]
                    )
                )
                isChanged = true
            }
            return isChanged
        }
    }
#endif
