#if PostgreSQL
    import FreeholdPostgresStore
    package import FreeholdServer

    extension PostgresAccountStore {
        // MARK: Apps

        package func createApp(_ app: AccountApp) async throws {
            try app.check()
            let values: [Value] = [
                .text(app.id), .bool(app.allowsAnonymous), .text(app.emailPassword.rawValue),
                .text(app.access.rawValue),
                time, .int(Self.stamp),
            ]
            guard try await !write(AccountStatement.createApp, values).isEmpty else {
                throw AccountError.appExists(app.id)
            }
        }

        package func apps() async throws -> [AccountApp] {
            try await read(AccountStatement.allApps, []).map { try StoredApp($0).app }
        }

        package func app(_ id: String) async throws -> AccountApp? {
            try await read(AccountStatement.app, [.text(id)]).first.map { try StoredApp($0).app }
        }

        package func changeApp(_ id: String, _ body: @escaping @Sendable (inout AccountApp) -> Void) async throws {
            try await Self.repeating { () async throws -> Void? in
                guard let row = try await read(AccountStatement.app, [.text(id)]).first else {
                    throw AccountError.noApp
                }
                var stored = try StoredApp(row)
                body(&stored.app)
                return try await write([change(of: stored, to: Self.stamp)])[0].isEmpty ? nil : ()
            }
        }

        /// The row of an app.
        private struct StoredApp {
            var app: AccountApp
            var adoptsSchemas: Bool
            let revision: Int64

            init(_ row: Row) throws {
                app = AccountApp(
                    id: try row.text(0),
                    allowsAnonymous: try row.bool(1),
                    emailPassword: AccountApp.EmailPassword(rawValue: try row.text(2)) ?? .closed,
                    access: NodeApp.Access(rawValue: try row.text(3)) ?? .nobody
                )
                (adoptsSchemas, revision) = (try row.bool(4), try row.int(5))
            }
        }

        private func change(of stored: StoredApp, to revision: Int64) -> Call {
            let app = stored.app
            return Call(
                AccountStatement.changeApp,
                [
                    .text(app.id), .int(stored.revision), .int(revision), time, .bool(app.allowsAnonymous),
                    .text(app.emailPassword.rawValue), .text(app.access.rawValue), .bool(stored.adoptsSchemas),
                ]
            )
        }

        package func deleteApp(_ id: String) async throws {
            guard try await app(id) != nil else { throw AccountError.noApp }
            let app: [Value] = [.text(id)]
            let results = try await write([
                Call(AccountStatement.deleteApp, app + [time, .int(Self.stamp)]),
                Call(AccountStatement.lockUsersOfApp, app), Call(AccountStatement.endLoginsOfApp, app + [time]),
                Call(AccountStatement.dropSessionsOfApp, app), Call(AccountStatement.dropPushesOfApp, app),
                Call(AccountStatement.dropKeysOfApp, app),
                Call(AccountStatement.dropCodesOfApp, app), Call(AccountStatement.dropIdentitiesOfApp, app),
                Call(AccountStatement.dropUsersOfApp, app), Call(AccountStatement.dropDocumentsOfApp, app),
            ])
            guard !results[0].isEmpty else { throw AccountError.noApp }
        }

        // MARK: Documents

        package func documents(of app: String) async throws -> AppDocuments { try await stored(app).documents }

        private func stored(_ id: String) async throws -> (app: StoredApp, documents: AppDocuments) {
            let results = try await read([
                Call(AccountStatement.app, [.text(id)]), Call(AccountStatement.documentsOfApp, [.text(id)]),
            ])
            guard let row = results[0].first else { throw AccountError.noApp }
            let app = try StoredApp(row)
            let rows = try results[1].map { row in
                AppDocuments.Row(kind: try row.text(0), name: try row.text(1), body: try row.text(2))
            }
            return (app, try AppDocuments(rows: rows, adoptsSchemas: app.adoptsSchemas))
        }

        @discardableResult
        package func changeDocuments(
            of app: String,
            _ body: @escaping @Sendable (inout AppDocuments) throws -> Void
        ) async throws -> AppDocuments {
            try await Self.repeating { () async throws -> AppDocuments? in
                let found = try await stored(app)
                let old = found.documents
                var known = found.app
                let new = try AppDocuments.changed(old, by: body)
                guard new != old else { return new }
                known.adoptsSchemas = new.adoptsSchemas
                let (rows, revision) = (try new.rows(), Self.stamp)
                let place: [Value] = [.text(app), .int(revision)]
                let results = try await write([
                    change(of: known, to: revision), Call(AccountStatement.dropDocuments, place),
                    Call(
                        AccountStatement.addDocuments,
                        place + [.texts(rows.map(\.kind)), .texts(rows.map(\.name)), .texts(rows.map(\.body))]
                    ),
                ])
                return results[0].isEmpty ? nil : new
            }
        }
    }
#endif
