#if PostgreSQL
    import Foundation
    import FreeholdServerStore
    import FreeholdSync
    import FreeholdSyncCore
    import PostgresProcess
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Moves of all documents between files and PostgreSQL, with clients that go on.
    @Suite(.timeLimit(.minutes(20)), .needsPostgresServer) struct MigrateStoreTests {
        private let folder: TestFolder
        private let database: TestDatabase

        init() throws { (folder, database) = (try ServerProcess.folder(), try TestDatabase()) }

        private func migrate(_ from: String, _ to: String) throws -> (status: Int32, output: String) {
            try ServerProcess.run(["migrate-store", from, to], takesErrors: true)
        }

        private func export(_ flags: [String]) throws -> [String] {
            let words = ["export", folder.path, "test", "--class", "Thing", "--canonical"]
            return try ServerProcess.run(words + flags).output.split(separator: "\n").map(String.init).sorted()
        }

        private static func isReset(_ event: SessionEvent) -> Bool {
            switch event {
            case .report(.fault(.storeReplaced, _)), .report(.resetNeeded): true
            default: false
            }
        }

        @Test func `clients keep their places and their unsent work in both directions`() async throws {
            var server = try ServerProcess(folder.path)
            let port = server.port
            let clients = [try await TestClient(port: port), try await TestClient(port: port, user: "bob")]
            for client in clients { try await client.subscribe() }
            var key: Int64 = 0
            func create(_ count: Int) throws {
                for client in clients {
                    for _ in 0..<count {
                        key += 1
                        try client.create(.int(key), ["name": .string(SyncString("thing \(key)")), "count": .int(0)])
                    }
                }
            }
            try create(20)
            for client in clients { try await client.settle() }
            try clients[0].commit([.delete(ObjectName("Thing", .int(3)), .edit)])
            try clients[0].set(.int(4), "name", "changed")
            try await clients[0].session.waitForUpload()
            var increments: Int64 = 0
            for round in 0..<4 {
                // Some of this work is sent, and some isn't.
                try create(10)
                for client in clients {
                    try client.commit([.increment(LocalPlace(ObjectName("Thing", .int(1)), "count"), 1)])
                }
                increments += 2
                await server.end(round % 2 == 0 ? SIGTERM : SIGKILL)
                try create(5)
                let isBack = round % 2 == 1
                let before = try export(isBack ? database.flags : [])
                let (from, to) = isBack ? (database.address, folder.path) : (folder.path, database.address)
                if round == 2 {
                    // The earlier copy in the database is an earlier state of the same history: it is replaced.
                    #expect(try Int(database.sql("SELECT count(*) FROM freehold.object")) ?? 0 > 0)
                }
                if isBack {
                    let refused = try migrate(from, to)
                    #expect(refused.status != 0 && refused.output.contains("Move it away"), "\(refused.output)")
                    try FileManager.default.moveItem(
                        atPath: "\(folder.path)/sync",
                        toPath: "\(folder.path)/old\(round)"
                    )
                }
                let moved = try migrate(from, to)
                #expect(moved.status == 0, "\(moved.output)")
                #expect(try export(isBack ? [] : database.flags) == before)
                server = try ServerProcess(folder.path, port: port, isBack ? [] : database.flags)
                for client in clients { try await client.session.waitForUpload() }
                for client in clients {
                    try await eventually("\(key) objects") { client.contents.count == Int(key) - 1 }
                    try await eventually("all increments") { client.value(1, "count") == .int(increments) }
                }
                #expect(clients[0].contents == clients[1].contents)
            }
            let late = try await TestClient(port: port, user: "late")
            try await late.subscribe()
            try await late.settle()
            #expect(late.contents == clients[0].contents)
            for client in clients {
                #expect(!client.journal.contains(Self.isReset))
                await client.close()
            }
            await late.close()
            await server.end(SIGTERM)
            let verify = try ServerProcess.run(["verify", folder.path], takesErrors: true)
            #expect(verify.status == 0, "\(verify.output)")
        }

        @Test func `a move that is interrupted leaves the source as it is, and is repeated`() async throws {
            var server = try ServerProcess(folder.path)
            let port = server.port
            let client = try await TestClient(port: port)
            try await client.subscribe()
            for key in 1...200 { try client.create(.int(Int64(key)), ["name": .string(SyncString("thing \(key)"))]) }
            try await client.session.waitForUpload()
            await server.end(SIGTERM)
            let before = try export([])
            // The table of objects refuses rows, so that the copy ends in the middle.
            #expect(try migrate(folder.path, database.address).status == 0)
            try database.sql(
                "TRUNCATE freehold.stream, freehold.stream_head, freehold.object, freehold.commit_mark, freehold.commit_log, freehold.client_file, freehold.commit_answer"
            )
            try database.sql("ALTER TABLE freehold.object ADD CONSTRAINT broken CHECK (version < 50)")
            let failed = try migrate(folder.path, database.address)
            #expect(failed.status == 1 && failed.output.contains("broken"), "\(failed.output)")
            #expect(try export([]) == before)
            #expect(try database.sql("SELECT count(*) FROM freehold.stream") == "0")
            // A server on the source goes on.
            server = try ServerProcess(folder.path, port: port)
            try client.create(.int(201))
            try await client.session.waitForUpload()
            await server.end(SIGTERM)
            try database.sql("ALTER TABLE freehold.object DROP CONSTRAINT broken")
            for _ in 0..<2 {
                let moved = try migrate(folder.path, database.address)
                #expect(moved.status == 0, "\(moved.output)")
            }
            #expect(try migrate(folder.path, database.address).output.contains("is there already"))
            #expect(try database.sql("SELECT count(*), count(DISTINCT sid) FROM freehold.object") == "201|1")
            #expect(try database.sql("SELECT count(*) FROM freehold.stream_draft") == "0")
            server = try ServerProcess(folder.path, port: port, database.flags)
            try client.create(.int(202))
            try await client.session.waitForUpload()
            await server.end(SIGTERM)
            // The database has work that the files lack.
            let refused = try migrate(folder.path, database.address)
            #expect(refused.status == 1 && refused.output.contains("other work"), "\(refused.output)")
            await client.close()
            try database.expectSound(folder)
        }

        @Test func `after 'store restored' clients take the restored state, and send again what it lacks`() async throws
        {
            var server = try ServerProcess(folder.path, database.flags)
            let port = server.port
            let client = try await TestClient(port: port)
            try await client.subscribe()
            for key in 1...10 { try client.create(.int(Int64(key)), ["name": "before"]) }
            try await client.settle()
            await server.end(SIGTERM)
            // A backup of all tables, as pg_dump makes it.
            let tables = try database.sql(
                "SELECT string_agg(tablename, ' ') FROM pg_tables WHERE schemaname = 'freehold'"
            ).split(separator: " ")
            try database.sql("CREATE SCHEMA backup")
            for table in tables { try database.sql("CREATE TABLE backup.\(table) AS TABLE freehold.\(table)") }
            server = try ServerProcess(folder.path, port: port, database.flags)
            for key in 11...15 { try client.create(.int(Int64(key)), ["name": "after"]) }
            try await client.settle()
            await server.end(SIGTERM)
            for table in tables {
                try database.sql(
                    "TRUNCATE freehold.\(table); INSERT INTO freehold.\(table) SELECT * FROM backup.\(table)"
                )
            }
            let epoch = try database.sql("SELECT epoch FROM freehold.store")
            let restored = try ServerProcess.run(
                ["store", "restored", folder.path] + database.flags,
                takesErrors: true
            )
            #expect(restored.status == 0 && restored.output.contains("1 streams"), "\(restored.output)")
            #expect(
                try database.sql(
                    "SELECT count(DISTINCT epoch) FROM (SELECT epoch FROM freehold.store UNION ALL SELECT epoch FROM freehold.stream_head) e WHERE epoch <> \(epoch)"
                ) == "1"
            )
            server = try ServerProcess(folder.path, port: port, database.flags)
            try client.create(.int(16), ["name": "later"])
            try await client.session.waitForUpload()
            try await eventually("all objects") { client.contents.count == 16 }
            let late = try await TestClient(port: port, user: "late")
            try await late.subscribe()
            try await eventually("the same objects") { late.contents == client.contents && late.contents.count == 16 }
            for client in [client, late] { await client.close() }
            await server.end(SIGTERM)
            try database.expectSound(folder)
        }

        @Test func `a database whose timeline is behind that of its servers isn't used`() async throws {
            let server = try ServerProcess(folder.path, database.flags)
            await server.end(SIGTERM)
            #expect(try database.sql("SELECT timeline FROM freehold.store") == "1")
            try database.sql("UPDATE freehold.store SET timeline = 3")
            let (path, flags) = (folder.path, database.flags)
            let refused = try await onThread {
                try ServerProcess.run(["serve", path, "--port", "0"] + flags, takesErrors: true)
            }
            #expect(refused.status == 1 && refused.output.contains("store restored"), "\(refused.output)")
            #expect(try ServerProcess.run(["store", "restored", folder.path] + database.flags).status == 0)
            let next = try ServerProcess(folder.path, database.flags)
            await next.end(SIGTERM)
            #expect(next.status == 0)
        }
    }
#endif
