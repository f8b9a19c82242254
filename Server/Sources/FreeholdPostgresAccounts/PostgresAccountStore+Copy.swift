#if PostgreSQL
    package import FreeholdPostgresStore
    package import FreeholdServer

    extension PostgresAccountStore {
        /// Copies the accounts of a file to a database without apps, in one transaction. Tokens, keys and passwords stay valid if the servers
        /// continue to use the secret of the file's folder.
        ///
        /// - Returns: The number of users.
        /// - Throws: `AccountError` if the database has apps.
        package func copy(_ file: AccountStore) async throws -> Int {
            guard try await apps().isEmpty else {
                throw AccountError.bad("the database has apps already: accounts are copied into a database without any")
            }
            let rows = try await file.rows()
            var calls: [Call] = []
            for table in AccountTable.allCases {
                let all = rows[table] ?? []
                for start in stride(from: 0, to: all.count, by: 1_000) {
                    calls.append(Self.insertion(of: all[start..<min(start + 1_000, all.count)], into: table))
                }
            }
            if !calls.isEmpty { try await write(calls) }
            return rows[.user]?.count ?? 0
        }

        private static func insertion(of rows: ArraySlice<[String]>, into table: AccountTable) -> Call {
            let columns = table.columns
            return Call(
                table.insertion,
                columns.indices.map { column in .texts(rows.map { $0.indices.contains(column) ? $0[column] : "" }) }
            )
        }
    }

    extension AccountStatement {
        /// The statements of copies. A test checks that they contain only SQL that distributed databases accept.
        package static let copies = AccountTable.allCases.map(\.insertion)
    }

    extension AccountTable {
        /// The columns of copied rows, and the expressions for their values.
        fileprivate var columns: [(name: String, value: String)] {
            func text(_ names: String...) -> [(String, String)] { names.map { ($0, "t.\($0)") } }
            func bool(_ names: String...) -> [(String, String)] { names.map { ($0, "t.\($0)::bool") } }
            func int(_ names: String...) -> [(String, String)] { names.map { ($0, "t.\($0)::int8") } }
            return switch self {
            case .app:
                text("id") + bool("anonymous") + text("email_password", "access") + int("created") + bool("adopts")
            case .document: text("app", "kind", "name", "body")
            case .user: text("id", "app") + bool("disabled", "logged_in") + text("custom_data") + int("created")
            case .identity:
                text("app", "provider", "name", "usr", "id", "password") + bool("confirmed") + text("profile")
            case .login: text("id", "usr", "app") + int("expires")
            case .session:
                text("digest", "login", "parent") + int("created", "expires")
                    + [("replaced", "nullif(t.replaced, '')::int8")]
            case .key: text("id", "usr", "app", "name", "digest") + bool("disabled")
            case .push: text("key", "app", "usr", "login", "service", "token") + int("created")
            case .code: text("id", "digest", "app", "name") + bool("reset") + int("expires")
            }
        }

        /// The values of columns that a file doesn't have.
        private var others: [(name: String, value: String)] {
            switch self {
            case .app: [("revision", "0")]
            case .login: [("ended", "false"), ("stamp", "0")]
            default: []
            }
        }

        /// The statement that inserts copied rows. If the file contains an address or a key twice, only the first row is copied.
        fileprivate var insertion: PostgresDatabase.Statement {
            let all = columns + others
            let names = columns.map(\.name).joined(separator: ", ")
            let arrays = columns.indices.map { "$\($0 + 1)::text[]" }.joined(separator: ", ")
            return PostgresDatabase.Statement(
                "account_copy_\(rawValue)",
                """
                INSERT INTO \(rawValue)(\(all.map(\.name).joined(separator: ", ")))
                SELECT \(all.map(\.value).joined(separator: ", ")) FROM unnest(\(arrays)) AS t(\(names))
                ON CONFLICT DO NOTHING
                """
            )
        }
    }
#endif
