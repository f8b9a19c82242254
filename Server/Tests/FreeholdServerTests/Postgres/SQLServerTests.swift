#if PostgreSQL
    import Foundation
    import Freehold
    import FreeholdSync
    import FreeholdSyncCore
    import PostgresProcess
    import Testing

    @testable import FreeholdServer

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Programs that read and write the documents of servers with SQL, beside devices.
    @Suite(.timeLimit(.minutes(20)), .needsPostgresServer) struct SQLServerTests {
        private let folder: TestFolder
        private let clients: TestFolder
        private let database: TestDatabase

        init() throws {
            (folder, clients, database) = (try ServerProcess.folder(), try TestFolder(), try TestDatabase())
            let words = [
                "app", "create", folder.path, "shop", "--email-password", "auto-confirm", "--access", "everyone",
            ]
            #expect(try ServerProcess.run(words + database.flags).status == 0)
            try push(Self.note)
        }

        private static let note = """
            {"title": "Note", "bsonType": "object", "required": ["_id", "owner", "text", "salary"], "properties": {
             "_id": {"bsonType": "objectId"}, "owner": {"bsonType": "string"}, "team": {"bsonType": "string"},
             "text": {"bsonType": "string"}, "salary": {"bsonType": "long"}}}
            """

        private func push(_ text: String, _ kind: String = "schema") throws {
            let path = "\(folder.path)/\(kind).json"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            let push = try ServerProcess.run(
                [kind, "push", folder.path, "shop", path] + database.flags,
                takesErrors: true
            )
            #expect(push.status == 0, "\(push.output)")
        }

        @discardableResult private func run(_ words: [String]) throws -> (status: Int32, output: String) {
            try ServerProcess.run(words + database.flags, takesErrors: true)
        }

        /// Enables SQL, and creates the views.
        private func enable(_ flags: [String] = []) throws {
            let set = try run(["app", "set", folder.path, "shop", "--sql", "json"])
            #expect(set.status == 0, "\(set.output)")
            let views = try run(["sql", "views", folder.path, "shop"] + flags)
            #expect(views.status == 0 && views.output.contains("\"app_shop\".\"Note\""), "\(views.output)")
        }

        private func server(port: Int = 0) throws -> ServerProcess {
            try ServerProcess(folder.path, port: port, database.flags)
        }

        @MainActor private func realm(_ server: ServerProcess, _ device: String) async throws -> Realm {
            try await SinkDevice.realm(server.port, device, folder: clients.path, types: [Note.self])
        }

        @MainActor private func eventually(_ what: String, _ realm: Realm, _ isSo: () -> Bool) async throws {
            try await FreeholdServerTests.eventually(what) {
                realm.refresh()
                return isSo()
            }
        }

        private static func id(_ number: Int) -> String {
            let digits = String(number, radix: 16)
            return "5f" + String(repeating: "0", count: 22 - digits.count) + digits
        }

        private static func objectId(_ number: Int) throws -> ObjectId { try #require(ObjectId(id(number))) }

        /// Inserts a row into the inbox of the app's own stream.
        ///
        /// - Returns: The number of the row.
        @discardableResult
        private func insert(
            _ op: String,
            key: String?,
            body: String?,
            user: String = "",
            version: String = "NULL",
            class name: String = "Note"
        ) throws -> String {
            func quoted(_ text: String?) -> String { text.map { "'\($0)'" } ?? "NULL" }
            return try database.sql(
                """
                INSERT INTO app_shop."_inbox"(sid, class, op, key, body, usr, if_version)
                SELECT sid, '\(name)', '\(op)', \(quoted(key)), \(quoted(body)), '\(user)', \(version)
                FROM app_shop."_streams" WHERE stream IS NULL
                RETURNING id
                """
            )
        }

        private func waitForInbox() async throws {
            try await FreeholdServerTests.eventually("all results") {
                try database.sql("SELECT count(*) FROM freehold.inbox WHERE done_at IS NULL") == "0"
            }
        }

        private func refusal(_ id: String) throws -> String {
            try database.sql(
                "SELECT coalesce(refused, 'applied ' || (version > 0)) FROM app_shop.\"_inbox\" WHERE id = '\(id)'"
            )
        }

        // MARK: Reading

        @MainActor @Test func `views show the work of devices, and follow the classes while the server runs`()
            async throws
        {
            let server = try server()
            let realm = try await realm(server, "phone")
            try realm.write { realm.create(Note.self, value: ["text": "before", "salary": 1] as [String: Any]) }
            try await realm.syncSession?.wait(for: .upload)
            #expect(try run(["sql", "views", folder.path, "shop"]).output.contains("--sql json"))
            try enable()
            try realm.write { realm.create(Note.self, value: ["text": "after", "salary": 2] as [String: Any]) }
            try await realm.syncSession?.wait(for: .upload)
            let database = database
            func texts() throws -> String {
                try database.sql("SELECT string_agg(text, ',' ORDER BY salary) FROM app_shop.\"Note\"")
            }
            // A server that has known another state of the stream has merged the commit again.
            #expect(try texts() == "before,after")
            try realm.write {
                realm.delete(realm.objects(Note.self).where { $0.salary == 1 })
                realm.objects(Note.self).first?.salary = 3
            }
            try await realm.syncSession?.wait(for: .upload)
            #expect(try database.sql("SELECT text, salary FROM app_shop.\"Note\"") == "after|3")
            try push(
                Self.note.replacing(
                    "\"properties\": {",
                    with: "\"properties\": {\"stars\": {\"bsonType\": \"double\"},"
                )
            )
            try await FreeholdServerTests.eventually("the new column") {
                (try? database.sql("SELECT stars IS NULL FROM app_shop.\"Note\"")) == "t"
            }
            #expect(try run(["app", "set", folder.path, "shop", "--sql", "off"]).output.contains("--remove"))
            #expect(try run(["sql", "views", folder.path, "shop", "--remove"]).status == 0)
            #expect(try run(["app", "set", folder.path, "shop", "--sql", "off"]).status == 0)
            try realm.write { realm.objects(Note.self).first?.salary = 4 }
            try await realm.syncSession?.wait(for: .upload)
            #expect(try database.sql("SELECT count(*), count(json) FROM freehold.object WHERE NOT dead") == "1|0")
            #expect(try database.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'app_shop'") == "0")
            await server.end(SIGTERM)
            try database.expectSound(folder)
        }

        // MARK: Writing

        @MainActor @Test func `rows of the inbox merge with the work of devices, and get results`() async throws {
            try enable()
            let server = try server()
            let realm = try await realm(server, "phone")
            let first = try realm.write {
                realm.create(
                    Note.self,
                    value: ["_id": try Self.objectId(1), "text": "device", "salary": 5] as [String: Any]
                )
            }
            try await realm.syncSession?.wait(for: .upload)
            let version = try database.sql("SELECT _version FROM app_shop.\"Note\"")
            var expected: [(id: String, result: String)] = []
            func row(
                _ op: String,
                _ number: Int,
                body: String?,
                result: String = "applied true",
                version: String = "NULL"
            ) throws {
                expected.append((try insert(op, key: Self.id(number), body: body, version: version), result))
            }
            try row("set", 1, body: #"{"text": "sql"}"#, result: "applied true", version: version)
            try row("set", 1, body: #"{"text": "stale"}"#, result: "changed", version: version)
            try row("inc", 1, body: #"{"salary": 10}"#)
            try row("create", 2, body: #"{"owner": "o", "text": "made", "salary": 1, "team": null}"#)
            try row("create", 2, body: #"{"owner": "o", "text": "again", "salary": 1}"#, result: "exists")
            try row("upsert", 3, body: #"{"owner": "o", "text": "three", "salary": 3}"#)
            try row("upsert", 3, body: #"{"text": "three again"}"#)
            try row("patch", 3, body: #"{"$set": {"team": "t"}, "$inc": {"salary": 1}}"#)
            try row("replace", 2, body: #"{"owner": "p", "text": "replaced", "salary": 9}"#)
            try row("create", 4, body: #"{"owner": "o", "text": "gone", "salary": 1}"#)
            try row("delete", 4, body: nil)
            try row("set", 4, body: #"{"text": "x"}"#, result: "missing")
            try row("delete", 99, body: nil, result: "missing")
            try row("set", 1, body: #"{"salary": "much"}"#, result: "misfit")
            try row("set", 1, body: #"{"nothing": 1}"#, result: "misfit")
            try row("set", 1, body: #"{"text": null}"#, result: "misfit")
            try row("create", 5, body: #"{"owner": "o"}"#, result: "misfit")
            try row("set", 1, body: "[1]", result: "malformed")
            try row("sett", 1, body: "{}", result: "malformed")
            try row("set", 1, body: nil, result: "malformed")
            try row("patch", 1, body: #"{"$rename": {"a": "b"}}"#, result: "malformed")
            expected.append((try insert("set", key: "short", body: #"{"text": "x"}"#), "malformed"))
            expected.append((try insert("set", key: nil, body: #"{"text": "x"}"#), "malformed"))
            expected.append((try insert("set", key: "x", body: "{}", class: "Nothing"), "malformed"))
            expected.append((try insert("set", key: Self.id(1), body: "{}", user: "no such user"), "forbidden"))
            // Rows of a stream that doesn't exist.
            try database.sql("INSERT INTO freehold.inbox(sid, class, op) VALUES (-5, 'Note', 'delete')")
            try await waitForInbox()
            for (id, result) in expected {
                let known = try refusal(id)
                #expect(known.hasPrefix(result), "\(result): \(known)")
            }
            #expect(try database.sql("SELECT refused FROM freehold.inbox WHERE sid = -5").contains("no such stream"))
            try await eventually("the changes", realm) { realm.objects(Note.self).count == 3 && first.salary == 15 }
            #expect(first.text == "sql")
            let (second, third) = (
                realm.object(ofType: Note.self, forPrimaryKey: try Self.objectId(2)),
                realm.object(ofType: Note.self, forPrimaryKey: try Self.objectId(3))
            )
            #expect(second?.text == "replaced" && second?.owner == "p" && second?.salary == 9)
            #expect(third?.text == "three again" && third?.team == "t" && third?.salary == 4 && third?.owner == "o")
            // A row without effect has a result, too.
            let same = try insert("set", key: Self.id(1), body: #"{"text": "sql"}"#)
            try await waitForInbox()
            #expect(try refusal(same) == "applied true")
            // Results are removed after a week.
            try database.sql("UPDATE freehold.inbox SET done_at = done_at - interval '8 days' WHERE id <> '\(same)'")
            await server.end(SIGTERM)
            let next = try self.server()
            let database = database
            try await FreeholdServerTests.eventually("fewer rows") {
                try database.sql("SELECT count(*) FROM freehold.inbox") == "1"
            }
            await next.end(SIGTERM)
            try database.expectSound(folder)
        }

        @Test func `metrics have the rows of the inbox, their lag, and the state of the views`()
            async throws
        {
            try enable()
            let note = "\(folder.path)/note.json"
            try #"{"_id": {"$oid": "\#(Self.id(1))"}, "owner": "o", "text": "t", "salary": 1}"#
                .write(toFile: note, atomically: true, encoding: .utf8)
            #expect(try run(["import", folder.path, "shop", note, "--class", "Note"]).status == 0)
            let launcher = ["env", "FREEHOLD_ADMIN_PORT=\(try await DeployTests.freePort())"]
            let server = try ServerProcess(folder.path, database.flags, launcher: launcher)
            let folder = folder
            func has(_ lines: String...) throws -> Bool {
                let text = try ServerProcess.run(["status", folder.path, "--metrics"], launcher: launcher).output
                let known = text.split(separator: "\n")
                return lines.allSatisfy { line in known.contains { $0.hasPrefix(line) } }
            }
            for _ in 0..<2 { try insert("inc", key: Self.id(1), body: #"{"salary": 1}"#) }
            try insert("set", key: Self.id(2), body: #"{"salary": 1}"#)
            try await FreeholdServerTests.eventually("the metrics of the rows") {
                try has(
                    #"freehold_inbox_rows_total{app="shop"} 3"#,
                    #"freehold_inbox_refused_rows_total{app="shop"} 1"#,
                    #"freehold_inbox_batch_seconds_count{app="shop"}"#,
                    #"freehold_inbox_lag_seconds{app="shop"} 0"#,
                    #"freehold_sql_outdated{app="shop"} 0"#
                )
            }
            await server.end(SIGTERM)
        }

        @MainActor @Test func `each row is applied once, while two servers are killed and devices count, too`()
            async throws
        {
            try enable()
            var servers = [try server(), try server()]
            let realm = try await realm(servers[0], "phone")
            let note = try realm.write {
                realm.create(Note.self, value: ["_id": try Self.objectId(1)] as [String: Any])
            }
            try await realm.syncSession?.wait(for: .upload)
            var own = 0
            for round in 0..<4 {
                // Rows on one object are one commit each, and rows on others are commits of many rows.
                try database.sql(
                    """
                    INSERT INTO app_shop."_inbox"(sid, class, op, key, body)
                    SELECT sid, 'Note', 'inc', '\(Self.id(1))', '{"salary": 1}' FROM app_shop."_streams", generate_series(1, 15) WHERE stream IS NULL;
                    INSERT INTO app_shop."_inbox"(sid, class, op, key, body)
                    SELECT sid, 'Note', 'create', '5f' || lpad(to_hex(\(round) * 1000 + n + 16), 22, '0'), '{"owner": "o", "text": "t", "salary": 1}'
                    FROM app_shop."_streams", generate_series(1, 100) n WHERE stream IS NULL
                    """
                )
                for _ in 0..<5 {
                    try realm.write { note.increment("salary", by: 1) }
                    own += 1
                }
                let killed = round % 2
                await servers[killed].end(SIGKILL)
                servers[killed] = try server(port: servers[killed].port)
            }
            try await waitForInbox()
            #expect(try database.sql("SELECT count(*) FROM freehold.inbox WHERE refused IS NOT NULL") == "0")
            try await realm.syncSession?.wait(for: .upload)
            let total = 60 + own
            try await eventually("all numbers", realm) { note.salary == total && realm.objects(Note.self).count == 401 }
            #expect(try database.sql("SELECT salary FROM app_shop.\"Note\" WHERE _id = '\(Self.id(1))'") == "\(total)")
            for server in servers { await server.end(SIGTERM) }
            try database.expectSound(folder)
        }

        @MainActor @Test func `rows of a user have the user's rights`() async throws {
            try push(
                """
                {"classes": {"Note": {"roles": [{"name": "owner", "apply_when": {},
                  "document_filters": {"read": {"owner": "%%user.id"}, "write": {"owner": "%%user.id"}},
                  "read": true, "write": true, "insert": true, "delete": true}]}}}
                """,
                "rules"
            )
            let created = try ServerProcess.run(
                ["user", "create", folder.path, "shop", "ann@example.org"] + database.flags,
                input: "a long password\n",
                takesErrors: true
            )
            #expect(created.status == 0, "\(created.output)")
            let ann = try #require(created.output.split(separator: "\n").last.map(String.init))
            try enable()
            let server = try server()
            let device = try await realm(server, "phone")
            try device.write { device.create(Note.self, value: ["_id": try Self.objectId(9)] as [String: Any]) }
            // The stream exists, whether the device's object was accepted or not.
            try await device.syncSession?.wait(for: .upload)
            let body = #"{"owner": "OWNER", "text": "t", "salary": 1}"#
            let mine = try insert("create", key: Self.id(1), body: body.replacing("OWNER", with: ann), user: ann)
            let forged = try insert("create", key: Self.id(2), body: body.replacing("OWNER", with: "bob"), user: ann)
            let all = try insert("create", key: Self.id(3), body: body.replacing("OWNER", with: "bob"))
            try await waitForInbox()
            let stolen = try insert("set", key: Self.id(3), body: #"{"text": "stolen"}"#, user: ann)
            let own = try insert("set", key: Self.id(1), body: #"{"text": "mine"}"#, user: ann)
            try await waitForInbox()
            #expect(
                try refusal(mine) == "applied true" && refusal(all) == "applied true" && refusal(own) == "applied true"
            )
            #expect(try refusal(forged).hasPrefix("forbidden"))
            // An object that the user may not see is missing.
            #expect(try refusal(stolen).hasPrefix("missing"))
            #expect(
                try database.sql("SELECT text, owner = '\(ann)' FROM app_shop.\"Note\" WHERE salary = 1 ORDER BY _id")
                    == "mine|t\nt|f"
            )
            await server.end(SIGTERM)
        }

        @MainActor @Test func `a role may write to some views only`() async throws {
            try enable(["--writable"])
            let server = try server()
            let realm = try await realm(server, "phone")
            let note = try realm.write {
                realm.create(
                    Note.self,
                    value: ["_id": try Self.objectId(1), "text": "device", "salary": 5] as [String: Any]
                )
            }
            try await realm.syncSession?.wait(for: .upload)
            let role = "clerk_\(UInt32.random(in: 0 ... .max))"
            try database.sql(
                "CREATE ROLE \(role); GRANT USAGE ON SCHEMA app_shop TO \(role); GRANT SELECT, UPDATE, INSERT ON app_shop.\"Note\" TO \(role)"
            )
            defer { _ = try? database.sql("DROP OWNED BY \(role); DROP ROLE \(role)") }
            try database.sql(
                """
                SET ROLE \(role); UPDATE app_shop."Note" SET text = 'it''s SQL', team = 'x' WHERE salary = 5;
                INSERT INTO app_shop."Note"(owner, text, salary) VALUES ('o', 'inserted', 7)
                """
            )
            for forbidden in [
                "DELETE FROM app_shop.\"Note\"", "SELECT * FROM app_shop.\"_inbox\"", "SELECT * FROM freehold.object",
                "INSERT INTO freehold.inbox(sid, class, op) VALUES (1, 'Note', 'delete')",
                "UPDATE app_shop.\"Note\" SET _id = '\(Self.id(2))'",
            ] {
                #expect(throws: PostgresServer.Failure.self, "\(forbidden)") {
                    try database.sql("SET ROLE \(role); \(forbidden)")
                }
            }
            try await waitForInbox()
            #expect(
                try database.sql("SELECT op, body, refused IS NULL FROM freehold.inbox ORDER BY at LIMIT 1")
                    == #"set|{"team": "x", "text": "it's SQL"}|t"#
            )
            try await eventually("the changes", realm) {
                note.text == "it's SQL" && realm.objects(Note.self).count == 2
            }
            #expect(note.salary == 5 && note.team == "x")
            await server.end(SIGTERM)
            try database.expectSound(folder)
        }
    }
#endif
