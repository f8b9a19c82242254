#if PostgreSQL
    import Foundation
    import FreeholdEngine
    import FreeholdServerStore
    import PostgresProcess
    import Testing

    @testable import FreeholdPostgresStore
    @testable import FreeholdSyncCore
    @testable import TestRandom

    /// The tables, their changes, and the forms of rows.
    struct SchemaTests {
        @Test(.needsPostgres) func `Servers that start at once create the tables once`() async throws {
            let schema = "test_\(UInt64.random(in: 0 ... .max))"
            var stores: [PostgresStore] = []
            try await withThrowingTaskGroup(of: PostgresStore.self) { group in
                for _ in 0..<8 { group.addTask { try await PostgresStore.opened(schema: schema) } }
                for try await store in group { stores.append(store) }
            }
            #expect(Set(stores.map(\.epoch)).count == 1)
            for store in stores { store.remove() }
        }

        @Test(.needsPostgres) func `Tables of a later version are refused and left as they are`() async throws {
            let store = try await PostgresStore.opened()
            defer { store.remove() }
            let (schema, server) = (store.options.schema, try #require(PostgresServer.shared))
            try server.sql("UPDATE \"\(schema)\".store SET format = 99")
            let error = await #expect(throws: PostgresStoreError.self) {
                try await PostgresStore.opened(schema: schema)
            }
            #expect(error?.description.contains("the format 99") == true)
            #expect(try server.sql("SELECT format FROM \"\(schema)\".store") == "99")
        }

        @Test(.needsPostgres) func `The figures are those of the database`() async throws {
            let store = try await PostgresStore.opened()
            defer { store.remove() }
            let server = try #require(PostgresServer.shared)
            let figures = try await store.figures()
            #expect(try server.sql("SHOW server_version").hasPrefix(figures.version))
            #expect(try server.sql("SELECT current_database()") == figures.name)
            #expect(try server.sql("SHOW max_connections") == "\(figures.mostConnections)")
            #expect(figures.bytes > 1 << 20 && !figures.isReadOnly && figures.roundTrip > .zero)
            #expect((1...figures.mostConnections).contains(figures.connections))
        }

        @Test(.needsPostgres) func `The error of another secret has a statement that can be executed`() async throws {
            let store = try await PostgresStore.opened { $0.secretMark = [1, 2, 3] }
            defer { store.remove() }
            let schema = store.options.schema
            let error = await #expect(throws: PostgresStoreError.self) {
                try await PostgresStore.opened(schema: schema) { $0.secretMark = [4, 5, 6] }
            }
            let statement = try #require(error?.description.components(separatedBy: "execute: ").last)
            #expect(statement == "UPDATE \(schema).store SET secret_mark = NULL")
            try PostgresServer.shared?.sql(statement)
            try await PostgresStore.opened(schema: schema) { $0.secretMark = [4, 5, 6] }.close()
        }

        @Test(.needsPostgres) func `Rows of an earlier version's inbox keep their order, and new rows follow them`()
            async throws
        {
            let (schema, server) = (
                "test_\(UInt64.random(in: 0 ... .max))", try #require(PostgresServer.shared)
            )
            let tables = [Tables.store] + Tables.steps.prefix(5).flatMap { $0 }
            func insert(_ key: Int, second: Int) -> String {
                """
                INSERT INTO inbox(sid, class, key, op, at) VALUES (7, 'Dog', '\(key)', 'delete',
                    '2026-01-01T00:00:00Z'::timestamptz + \(second) * interval '1 second')
                """
            }
            // The order of the times isn't that in which the table has the rows.
            var random = SeededRandom(test: "SchemaTests, inbox")
            let earlier = (0..<20).shuffled(using: &random).map { insert($0, second: $0) }
            let statements =
                ["CREATE SCHEMA \"\(schema)\"", "SET search_path = \"\(schema)\""] + tables
                + ["INSERT INTO store(one, format, epoch) VALUES (true, 5, 1)"] + earlier
                + ["UPDATE inbox SET done_at = at WHERE key IN ('3', '11')"]
            try server.sql(each: statements, in: "postgres")
            let store = try await PostgresStore.opened(schema: schema)
            defer { store.remove() }
            // The clock was set to an earlier time.
            let later = (20..<40).map { insert($0, second: -$0) }
            try server.sql("SET search_path = \"\(schema)\"; " + later.joined(separator: ";"))
            let keys = try await store.inboxRows(of: 7).compactMap { $0.key.flatMap { Int($0) } }
            #expect(keys == (0..<40).filter { $0 != 3 && $0 != 11 })
            // Each statement can be executed again.
            try server.sql(each: ["SET search_path = \"\(schema)\""] + Tables.inboxOrder, in: "postgres")
            #expect(try await store.inboxRows(of: 7).count == 38)
        }

        @Test(.needsPostgres)
        func `Rows of one transaction that have one time are read in the order of their insertion`()
            async throws
        {
            let store = try await PostgresStore.opened()
            defer { store.remove() }
            let (schema, server) = (store.options.schema, try #require(PostgresServer.shared))
            let rows = (0..<50).map { "(7, 'Dog', '\($0)', 'delete', '2026-01-01T00:00:00Z'::timestamptz)" }
            try server.sql(
                "INSERT INTO \"\(schema)\".inbox(sid, class, key, op, at) VALUES \(rows.joined(separator: ", "))"
            )
            #expect(try await store.inboxRows(of: 7).map(\.key) == (0..<50).map { "\($0)" })
        }

        @Test(.needsPostgres) func `The error of a database that can't be reached names its address`() async throws {
            let error = await #expect(throws: PostgresStoreError.self) {
                try await PostgresStore.open(
                    PostgresStore.Options(address: "postgresql://127.0.0.1:1/none?password=secret")
                )
            }
            #expect(error?.description.contains("127.0.0.1") == true)
            #expect(error?.description.contains("secret") == false)
        }

        @Test(.needsPostgres) func `Hosts are tried in their order, and sockets are`() async throws {
            let server = try #require(PostgresServer.shared)
            let address = "postgresql://freehold@127.0.0.1:1,127.0.0.1:\(server.port)/postgres"
            let store = try await PostgresStore.opened(address: address)
            store.remove()
            try await PostgresStore.opened(address: server.socketAddress).remove()
        }

        @Test func `Stored keys sort as keys do`() {
            var random = SeededRandom(test: "SchemaTests, keys")
            func key() -> PrimaryKey {
                switch Int.random(in: 0..<5, using: &random) {
                case 0: .null
                case 1: .int(.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random))
                case 2:
                    .string(
                        SyncString(
                            String(
                                (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                                    ["a", "b", "é", "\u{0}"].randomElement(using: &random) ?? "a"
                                }.joined()
                            )
                        )
                    )
                case 3: .objectId(ObjectId.generate())
                default: .uuid(UUID())
                }
            }
            for _ in 0..<2_000 {
                let (a, b) = (key(), key())
                let (c, d) = (StoredKey.bytes(a), StoredKey.bytes(b))
                #expect(c.lexicographicallyPrecedes(d) == (a < b), "\(a) \(b)")
                #expect((try? StoredKey.key(c)) == a)
            }
        }

        /// What no statement uses.
        private static let excluded = [
            "NEXTVAL", "SERIAL", "TRIGGER", "ADVISORY", "LISTEN", "NOTIFY", "XMIN", "TXID", "FOR UPDATE", "FOR SHARE",
            "CURSOR", " TEMP ", "TEMPORARY", "COPY ", "LOCK TABLE", "CTID",
        ]

        /// The functions that the table in docs/scale.md names.
        private static let functions: Set<String> = {
            var root = URL(fileURLWithPath: #filePath)
            for _ in 0..<4 { root.deleteLastPathComponent() }
            let page = (try? String(contentsOf: root.appendingPathComponent("docs/scale.md"), encoding: .utf8)) ?? ""
            let row = page.split(separator: "\n").first { $0.hasPrefix("| Functions | ") } ?? ""
            return Set(
                row.dropFirst(14).split(separator: "`").map(String.init).filter { $0.allSatisfy(\.isFunctionLetter) }
            )
        }()

        /// Words before a parenthesis that aren't functions.
        private static let words: Set<String> = [
            "values", "over", "select", "in", "and", "or", "as", "any", "exists", "key", "unique", "check", "with",
            "from",
            "conflict", "on", "then", "when", "not", "where", "by", "t", "case", "else", "using",
        ]

        /// Returns the names of the functions that a statement calls.
        private static func calls(_ sql: String) -> Set<String> {
            var names: Set<String> = []
            for part in sql.lowercased().components(separatedBy: "(").dropLast() {
                let name = String(part.reversed().prefix(while: \.isFunctionLetter).reversed())
                guard !name.isEmpty, !words.contains(name) else { continue }
                // The name of a table, before its columns.
                let before = part.dropLast(name.count)
                let isTable = ["into ", "exists ", "on "].contains { before.hasSuffix($0) }
                if !isTable { names.insert(name) }
            }
            return names
        }

        /// The statements without that of Studio's figures, which may fail.
        private static let statements = Statement.allCases.filter { $0 != .figures }

        @Test(arguments: statements) func `Statements use what distributed databases accept`(
            statement: Statement
        ) {
            let words = statement.sql.uppercased()
            for excluded in Self.excluded { #expect(!words.contains(excluded)) }
            let others = Self.calls(statement.sql).subtracting(Self.functions)
            #expect(others.isEmpty)
            // A statement changes each table once.
            var changed: [String] = []
            for keyword in ["INSERT INTO ", "DELETE FROM ", "UPDATE "] {
                for part in words.components(separatedBy: keyword).dropFirst() where !part.hasPrefix("SET ") {
                    changed.append(String(part.prefix { $0.isLetter || $0 == "_" }))
                }
            }
            #expect(Set(changed).count == changed.count, "\(changed)")
        }

        @Test func `Tables use what distributed databases accept, and the page lists no other functions`() {
            let statements = [Tables.store] + Tables.steps.flatMap { $0 }
            for statement in statements {
                for excluded in Self.excluded { #expect(!statement.uppercased().contains(excluded), "\(statement)") }
                let others = Self.calls(statement).subtracting(Self.functions)
                #expect(others.isEmpty, "\(statement)")
            }
            var used: Set<String> = []
            for statement in statements + Self.statements.map(\.sql) { used.formUnion(Self.calls(statement)) }
            #expect(Self.functions.subtracting(used).isEmpty)
        }

        @Test func `Keys that are longer than an index takes are refused`() throws {
            let name = ObjectName("Thing", .string(SyncString(String(repeating: "x", count: 1_025))))
            #expect(throws: RowLimit.self) { try StoredKey.checked(name) }
        }
    }

    extension Character {
        /// A Boolean value that indicates whether the character can be in the name of a function.
        fileprivate var isFunctionLetter: Bool { isLetter || isNumber || self == "_" }
    }
#endif
