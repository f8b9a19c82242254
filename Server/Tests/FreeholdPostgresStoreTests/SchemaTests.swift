#if PostgreSQL
    import Foundation
    import FreeholdEngine
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

        @Test(arguments: Statement.allCases) func `Statements use what distributed databases accept`(
            statement: Statement
        ) {
            let words = statement.sql.uppercased()
            for forbidden in [
                "NEXTVAL", "SERIAL", "TRIGGER", "ADVISORY", "LISTEN", "NOTIFY", "XMIN", "TXID", "FOR UPDATE",
                "FOR SHARE", "CURSOR",
                "TEMP", "COPY ", "LOCK TABLE", "CTID",
            ] { #expect(!words.contains(forbidden)) }
            // A statement changes each table once.
            var changed: [String] = []
            for keyword in ["INSERT INTO ", "DELETE FROM ", "UPDATE "] {
                for part in words.components(separatedBy: keyword).dropFirst() where !part.hasPrefix("SET ") {
                    changed.append(String(part.prefix { $0.isLetter || $0 == "_" }))
                }
            }
            #expect(Set(changed).count == changed.count, "\(changed)")
        }

        @Test func `Keys that are longer than an index takes are refused`() throws {
            let name = ObjectName("Thing", .string(SyncString(String(repeating: "x", count: 1_025))))
            #expect(throws: RowLimit.self) { try StoredKey.checked(name) }
        }
    }
#endif
