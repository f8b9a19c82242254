#if PostgreSQL
    import Foundation
    import Freehold
    import FreeholdSync
    import PostgresProcess
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Executes the statements and commands of docs/sql.md in their order.
    @Suite(.timeLimit(.minutes(20)), .needsPostgresServer) struct SQLPageTests {
        private struct Block {
            let kind: String
            let text: String
        }

        /// The blocks of the page between lines with three backticks.
        private static func blocks() throws -> [Block] {
            var root = URL(fileURLWithPath: #filePath)
            for _ in 0..<5 { root.deleteLastPathComponent() }
            let page = try String(contentsOf: root.appendingPathComponent("docs/sql.md"), encoding: .utf8)
            var (blocks, kind, lines) = ([Block](), String?.none, [Substring]())
            for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
                guard line.hasPrefix("```") else {
                    if kind != nil { lines.append(line) }
                    continue
                }
                if let known = kind { blocks.append(Block(kind: known, text: lines.joined(separator: "\n"))) }
                kind = kind == nil ? String(line.dropFirst(3)) : nil
                lines = []
            }
            return blocks
        }

        @Test func `each statement of the page works`() async throws {
            let blocks = try Self.blocks()
            let folder = try ServerProcess.folder()
            // A publication needs a server with the log of logical replication.
            let publisher = try await onThread { () -> PostgresServer in
                let server = try PostgresServer()
                try server.sql("ALTER SYSTEM SET wal_level = 'logical'")
                try server.stop(.fast)
                try server.start()
                return server
            }
            defer { try? publisher.stop(.immediate) }
            let database = try TestDatabase(publisher)
            let other = try TestDatabase()
            let create = [
                "app", "create", folder.path, "notes", "--email-password", "auto-confirm", "--access", "everyone",
            ]
            #expect(try ServerProcess.run(create + database.flags).status == 0)
            let schema = try #require(blocks.first { $0.kind == "json" })
            try schema.text.write(toFile: "\(folder.path)/schema.json", atomically: true, encoding: .utf8)
            let push = try ServerProcess.run(
                ["schema", "push", folder.path, "notes", "\(folder.path)/schema.json"] + database.flags,
                takesErrors: true
            )
            #expect(push.status == 0, "\(push.output)")
            let server = try ServerProcess(folder.path, database.flags)
            let line = #"{"_id":{"$oid":"5f0000000000000000000009"},"name":"Ada","age":31}"# + "\n"
            let words = ["import", folder.path, "notes", "-", "--class", "Dog"]
            #expect(try ServerProcess.run(words + database.flags, input: line).status == 0)
            var (statements, commands) = (0, 0)
            for block in blocks {
                switch block.kind {
                case "sql" where block.text.hasPrefix("-- In the other database"):
                    let address = database.address.replacing("?sslmode=disable", with: "")
                    let text = block.text.replacing("host=db.example dbname=freehold user=replicator", with: address)
                    try other.sql(each: text)
                    if text.contains("json->>") {
                        try await eventually("the copied row") {
                            try other.sql("SELECT count(*) FROM freehold.object WHERE NOT dead") == "1"
                        }
                        #expect(try other.sql(text) == "Ada")
                    }
                    statements += 1
                case "sql":
                    try database.sql(each: block.text)
                    statements += 1
                    // The examples of the inbox depend on each other.
                    if block.text.contains("INSERT INTO") {
                        try await eventually("all results") {
                            try database.sql("SELECT count(*) FROM freehold.inbox WHERE done_at IS NULL") == "0"
                        }
                        #expect(try database.sql("SELECT string_agg(refused, ', ') FROM freehold.inbox") == "")
                    }
                case "sh":
                    for command in block.text.split(separator: "\n") {
                        let words = command.split(separator: " ").map {
                            $0 == "/srv/freehold" ? folder.path : String($0)
                        }
                        #expect(words.first == "freehold-server")
                        let run = try ServerProcess.run(Array(words.dropFirst()) + database.flags, takesErrors: true)
                        #expect(run.status == 0, "\(command): \(run.output)")
                        commands += 1
                    }
                default: #expect(block.kind == "json")
                }
            }
            #expect(statements >= 12 && commands == 2)
            #expect(
                try database.sql("SELECT name, age, weight, tags FROM app_notes.\"Dog\" ORDER BY name")
                    == "Max|2||{}\nRex|4|21.5|{good,old}"
            )
            _ = try? other.sql("DROP SUBSCRIPTION dogs")
            await server.end(SIGTERM)
            try database.expectSound(folder)
        }
    }
#endif
