#if PostgreSQL
    import Foundation
    import FreeholdBSON
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

    /// Servers and commands that have a database and no folder.
    @Suite(.timeLimit(.minutes(20)), .needsPostgresServer) struct PostgresFolderlessTests {
        private let files: TestFolder
        private let database: TestDatabase

        init() throws { (files, database) = (try TestFolder(), try TestDatabase()) }

        @discardableResult
        private func run(
            _ arguments: String...,
            input: String = "",
            variables: [String] = []
        ) throws -> (status: Int32, output: String) {
            try ServerProcess.run(
                arguments + (variables.isEmpty ? database.flags : []),
                input: input,
                launcher: variables.isEmpty ? [] : variables,
                takesErrors: true
            )
        }

        private var secret: String { "\(files.path)/accounts.secret" }

        private func variables(_ secret: String, tokens: String = TestServer.secret) -> [String] {
            ["FREEHOLD_ACCOUNTS_SECRET_FILE=\(secret)", "FREEHOLD_ADMIN_PORT=0", "FREEHOLD_TOKENS_SECRET=\(tokens)"]
        }

        private func server() throws -> ServerProcess {
            try ServerProcess(nil, database.flags, launcher: variables(secret))
        }

        private func json(_ answer: WireClient.Answer) throws -> BSONDocument {
            try BSONDocument(extendedJSON: answer.text)
        }

        private func ask(
            _ server: ServerProcess,
            _ line: String,
            token: String? = nil,
            body: String = ""
        ) async throws -> WireClient.Answer {
            let client = try await WireClient(port: server.port)
            let headers = token.map { ["Authorization: Bearer \($0)"] } ?? []
            let answer = try await client.ask(line, headers + ["Content-Type: application/json"], body)
            await client.close()
            return answer
        }

        private func prepare() throws {
            let made = try run("init", "--app", "shop", "--access", "everyone", "--secret-file", secret)
            #expect(made.status == 0, "\(made.output)")
            #expect(try run("app", "set", "shop", "--email-password", "auto-confirm").status == 0)
        }

        @Test func `servers without a folder share accounts, rules and documents`() async throws {
            try prepare()
            let schema = "\(files.path)/schema.json"
            try
                #"{"title": "Note", "bsonType": "object", "required": ["_id"], "properties": {"_id": {"bsonType": "long"}, "text": {"bsonType": "string"}}}"#
                .write(toFile: schema, atomically: true, encoding: .utf8)
            let push = try run("schema", "push", "shop", schema)
            #expect(push.status == 0, "\(push.output)")
            let user = try run("user", "create", "shop", "ann@example.org", input: "a long password\n").output
            let id = user.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(AccountSecret.isIdentifier(id), "\(user)")
            let servers = [try server(), try server()]
            let path = "POST /api/client/v2.0/app/shop/auth/providers/local-userpass/login"
            let body = #"{"username": "ann@example.org", "password": "a long password"}"#
            let login = try json(try await ask(servers[0], path, body: body))
            let access = try #require(login["access_token"]?.stringValue)
            let document = #"{"_id": 7, "text": "hello"}"#
            let made = try await ask(servers[1], "POST /api/data/v1/app/shop/Note", token: access, body: document)
            #expect(made.status == 201, "\(made.text)")
            let read = try await ask(servers[0], "GET /api/data/v1/app/shop/Note/7", token: access)
            #expect(read.status == 200 && read.text.contains("hello"), "\(read.text)")
            // Commands work meanwhile, by the option and by the variable.
            #expect(try run("export", "shop", "--class", "Note").output.contains("hello"))
            let listed = try run("user", "list", "shop", variables: ["FREEHOLD_STORE=\(database.address)"])
            #expect(listed.output.contains("ann@example.org"), "\(listed.output)")
            #expect(try run("app", "list").output.hasPrefix("shop\t"))
            #expect(try run("key", "create", id, "robot").status == 0)
            #expect(try run("key", "list", id).output.contains("robot"))
            let rules = "\(files.path)/rules.json"
            let role = #"{"name": "none", "apply_when": {}, "document_filters": {"read": false, "write": false}}"#
            let classes = "{\"classes\": {\"Note\": {\"roles\": [\(role)]}}}"
            try classes.write(toFile: rules, atomically: true, encoding: .utf8)
            let pushed = try run("rules", "push", "shop", rules)
            #expect(pushed.status == 0, "\(pushed.output)")
            for server in servers {
                try await eventually("no right to read") {
                    try await ask(server, "GET /api/data/v1/app/shop/Note/7", token: access).status != 200
                }
            }
            #expect(try run("user", "log-out", id).status == 0)
            for server in servers {
                #expect(try await ask(server, "GET /api/client/v2.0/auth/profile", token: access).status == 401)
            }
            #expect(try run("verify").status == 0)
            for server in servers {
                await server.end(SIGTERM)
                #expect(server.status == 0)
            }
        }

        @Test func `a server without a secret, or with another one, doesn't start`() async throws {
            try prepare()
            let first = try server()
            await first.end(SIGTERM)
            func start(_ variables: [String]) async throws -> (status: Int32, output: String) {
                let flags = database.flags
                return try await onThread {
                    try ServerProcess.run(
                        ["serve", "--port", "0"] + flags,
                        launcher: ["FREEHOLD_ADMIN_PORT=0"] + variables,
                        takesErrors: true
                    )
                }
            }
            let missing = try await start([])
            #expect(
                missing.status != 0 && missing.output.contains("FREEHOLD_ACCOUNTS_SECRET_FILE"),
                "\(missing.output)"
            )
            let short = try await start(["FREEHOLD_ACCOUNTS_SECRET=short"])
            #expect(short.status != 0 && short.output.contains("fewer than 32 bytes"), "\(short.output)")
            let text = try String(contentsOfFile: secret, encoding: .utf8)
            for variables in [
                variables(secret, tokens: "another secret of the tests, which has more than 32 bytes"),
                ["FREEHOLD_ACCOUNTS_SECRET_FILE=\(secret)"],
                ["FREEHOLD_ACCOUNTS_SECRET=x\(text)", "FREEHOLD_TOKENS_SECRET=\(TestServer.secret)"],
            ] {
                let refused = try await start(variables)
                #expect(refused.status != 0 && refused.output.contains("other secrets"), "\(refused.output)")
                #expect(!refused.output.contains(TestServer.secret) && !refused.output.contains(text))
            }
            // The text of the secret is as good as a file.
            let same = text.trimmingCharacters(in: .whitespacesAndNewlines)
            let last = try ServerProcess(
                nil,
                database.flags,
                launcher: [
                    "FREEHOLD_ADMIN_PORT=0", "FREEHOLD_ACCOUNTS_SECRET=\(same)",
                    "FREEHOLD_TOKENS_SECRET=\(TestServer.secret)",
                ]
            )
            await last.end(SIGTERM)
            #expect(last.status == 0)
        }

        @Test func `a folder whose server uses a database isn't taken for one with files`() async throws {
            let folder = try ServerProcess.folder()
            let address = database.address.replacing("//freehold@", with: "//freehold:a%20password@")
            let server = try ServerProcess(folder.path, ["--store", address])
            await server.end(SIGTERM)
            #expect(server.status == 0)
            let mark = "\(folder.path)/store"
            let text = try String(contentsOfFile: mark, encoding: .utf8)
            #expect(text.hasPrefix("postgresql://freehold@") && !text.contains("password"), "\(text)")
            for words in [
                ["app", "list", folder.path], ["app", "create", folder.path, "shop"], ["verify", folder.path],
                ["serve", folder.path, "--port", "0"], ["user", "list", folder.path, "test"],
                ["import", folder.path, "test", "-", "--class", "Thing"],
            ] {
                let refused = try ServerProcess.run(words, takesErrors: true)
                #expect(
                    refused.status == 64 && refused.output.contains("Name it by --store")
                        && refused.output.contains(mark),
                    "\(words): \(refused.output)"
                )
                #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/accounts.realm"))
            }
            #expect(try run("app", "list", folder.path).status == 0)
            let backup = "\(files.path)/backup"
            let copied = try ServerProcess.run(["backup", folder.path, backup], takesErrors: true)
            #expect(copied.status == 0 && copied.output.contains("pg_dump"), "\(copied.output)")
            // The setting is the third way to name the database.
            let settings = "\(folder.path)/server.json"
            try String(contentsOfFile: settings, encoding: .utf8)
                .replacing(#"{"admin""#, with: #"{"store":"\#(database.address)","admin""#)
                .write(toFile: settings, atomically: true, encoding: .utf8)
            #expect(try ServerProcess.run(["app", "list", folder.path]).status == 0)
        }

        @Test func `a folder with documents in files isn't served from a database that lacks them`() async throws {
            let folder = try ServerProcess.folder()
            var server = try ServerProcess(folder.path)
            let client = try await TestClient(port: server.port)
            try await client.subscribe()
            try client.create(.int(1))
            try await client.session.waitForUpload()
            await server.end(SIGTERM)
            let words = ["serve", folder.path, "--port", "0"] + database.flags
            let refused = try await onThread { try ServerProcess.run(words, takesErrors: true) }
            #expect(refused.status == 1 && refused.output.contains("has 1 streams"), "\(refused.output)")
            #expect(refused.output.contains("migrate-store"))
            // Nothing is noted, so the files can be used further.
            server = try ServerProcess(folder.path, port: server.port)
            try client.create(.int(2))
            try await client.session.waitForUpload()
            await server.end(SIGTERM)
            let moved = try ServerProcess.run(["migrate-store", folder.path, database.address], takesErrors: true)
            #expect(moved.status == 0, "\(moved.output)")
            #expect(try ServerProcess.run(["streams", folder.path]).status == 64)
            // A server that was moved by an earlier version has no mark.
            try FileManager.default.removeItem(atPath: "\(folder.path)/store")
            server = try ServerProcess(folder.path, port: server.port, database.flags)
            try client.create(.int(3))
            try await client.session.waitForUpload()
            await server.end(SIGTERM)
            await client.close()
            #expect(try database.sql("SELECT count(*) FROM freehold.object") == "3")
        }

        @Test func `init writes the address of the database to the settings, but no password`() throws {
            let place = "\(files.path)/server"
            let made = try run("init", place, "--app", "shop")
            #expect(made.status == 0, "\(made.output)")
            #expect(try String(contentsOfFile: "\(place)/server.json", encoding: .utf8).contains(database.address))
            #expect(try ServerProcess.run(["app", "list", place]).status == 0)
            let other = "\(files.path)/other"
            let address = database.address + (database.address.contains("?") ? "&" : "?") + "password=secret"
            #expect(try ServerProcess.run(["init", other, "--store", address]).status == 0)
            #expect(try !String(contentsOfFile: "\(other)/server.json", encoding: .utf8).contains("password"))
        }

        @Test func `the accounts of a folder are copied, and stay good`() async throws {
            let folder = try ServerProcess.folder()
            let store = try AccountStore(at: folder.path)
            try await store.createApp(AccountApp(id: "shop", emailPassword: .autoConfirm, access: .everyone))
            try await store.changeDocuments(of: "shop") { $0.adoptsSchemas = true }
            let user = try await store.createUser(app: "shop", email: "ann@example.org", password: "a long password")
            let expires = Date() + AccountStore.sessionTime
            let token = RefreshToken(text: AccountSecret.make(), created: Date(), expires: expires)
            _ = try await store.beginSession(of: user.id, token: token)
            let key = try await store.createKey("robot", of: user.id)
            // A database without apps isn't used for a folder with accounts.
            let refused = try run("app", "list", folder.path)
            #expect(refused.status != 0 && refused.output.contains("app copy"), "\(refused.output)")
            let copied = try run("app", "copy", folder.path)
            #expect(copied.status == 0 && copied.output.hasPrefix("1 users"), "\(copied.output)")
            #expect(try run("app", "copy", folder.path).status != 0, "once")
            let home = try AccountHome(database)
            let new = try await home.open()
            #expect(try await new.apps() == store.apps())
            #expect(try await new.documents(of: "shop") == store.documents(of: "shop"))
            let moved = try #require(try await new.user(user.id))
            #expect(moved.identities == user.identities && moved.customData == user.customData)
            #expect(try await new.user(ofKey: key.secret, app: "shop") == user.id)
            let server = try ServerProcess(folder.path, database.flags)
            let body = #"{"username": "ann@example.org", "password": "a long password"}"#
            let path = "POST /api/client/v2.0/app/shop/auth/providers/local-userpass/login"
            #expect(try await ask(server, path, body: body).status == 200)
            let renewed = try await ask(server, "POST /api/client/v2.0/auth/session", token: token.text)
            #expect(renewed.status == 201, "\(renewed.text)")
            await server.end(SIGTERM)
        }
    }
#endif
