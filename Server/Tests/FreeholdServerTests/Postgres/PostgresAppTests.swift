#if PostgreSQL
    import Foundation
    import Freehold
    import FreeholdBSON
    import FreeholdSync
    import FreeholdSyncRules
    import PostgresProcess
    import Testing

    @testable import FreeholdServer

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Apps with RealmSwift's API at two processes of the server, which use one database.
    @Suite(.timeLimit(.minutes(20)), .needsPostgresServer) struct PostgresAppTests {
        private let folder: TestFolder
        private let clients: TestFolder
        private let database: TestDatabase

        init() throws {
            (folder, clients, database) = (try ServerProcess.folder(), try TestFolder(), try TestDatabase())
            let words = ["app", "create", folder.path, "shop", "--email-password", "auto-confirm"]
            #expect(try ServerProcess.run(words + database.flags).status == 0)
        }

        private func servers() throws -> [ServerProcess] {
            try (0..<2).map { _ in try ServerProcess(folder.path, database.flags) }
        }

        private func user(_ name: String, _ server: ServerProcess) async throws -> User {
            var configuration = AppConfiguration(baseURL: "http://127.0.0.1:\(server.port)")
            configuration.rootDirectory = URL(fileURLWithPath: "\(clients.path)/\(name)", isDirectory: true)
            let app = App(id: "shop", configuration: configuration)
            let (email, password) = ("\(name)@example.org", "a long password")
            try await app.emailPasswordAuth.registerUser(email: email, password: password)
            return try await app.login(credentials: .emailPassword(email: email, password: password))
        }

        @MainActor private func realm(_ user: User) async throws -> Realm {
            var configuration = user.flexibleSyncConfiguration()
            configuration.objectTypes = [Note.self]
            let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
            try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<Note>()) }
            return realm
        }

        @MainActor private func eventually(_ what: String, _ realm: Realm, _ isSo: () -> Bool) async throws {
            try await FreeholdServerTests.eventually(what) {
                realm.refresh()
                return isSo()
            }
        }

        private static let note = """
            {"title": "Note", "bsonType": "object", "required": ["_id", "owner", "text", "salary"], "properties": {
             "_id": {"bsonType": "objectId"}, "owner": {"bsonType": "string"}, "team": {"bsonType": "string"},
             "text": {"bsonType": "string"}, "salary": {"bsonType": "long"}}}
            """
        private static let rules = """
            {"classes": {"Note": {"roles": [{"name": "owner", "apply_when": {},
              "document_filters": {"read": {"owner": "%%user.id"}, "write": {"owner": "%%user.id"}},
              "read": true, "write": true, "insert": true, "delete": true}]}}}
            """

        private func push(_ kind: String, _ text: String) throws {
            let path = "\(folder.path)/\(kind).json"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            let push = try ServerProcess.run(
                [kind, "push", folder.path, "shop", path] + database.flags,
                takesErrors: true
            )
            #expect(push.status == 0, "\(push.output)")
        }

        @MainActor @Test func `rights are those of the rules, whatever the server`() async throws {
            try push("schema", Self.note)
            try push("rules", Self.rules)
            let servers = try servers()
            let (ann, bob) = (try await user("ann", servers[0]), try await user("bob", servers[1]))
            let (one, two) = (try await realm(ann), try await realm(bob))
            try one.write { one.create(Note.self, value: ["owner": ann.id, "text": "mine"]) }
            try two.write {
                two.create(Note.self, value: ["owner": bob.id, "text": "his"])
                two.create(Note.self, value: ["owner": ann.id, "text": "forged"])
            }
            try await one.syncSession?.wait(for: .upload)
            try await two.syncSession?.wait(for: .upload)
            try await eventually("what is his", two) { two.objects(Note.self).map(\.text) == ["his"] }
            try await eventually("what is hers", one) { one.objects(Note.self).map(\.text) == ["mine"] }
            for server in servers { await server.end(SIGTERM) }
            try database.expectSound(folder)
        }

        @Test func `documents over HTTP and change streams show the work of both servers, with the user's rights`()
            async throws
        {
            try push("schema", Self.note)
            try push("rules", Self.rules)
            let servers = try servers()
            /// Sends a request to a server on a connection of its own.
            func ask(
                _ server: Int,
                _ line: String,
                headers: [String] = [],
                body: String = ""
            ) async throws -> WireClient.Answer {
                let client = try await WireClient(port: servers[server].port)
                let answer = try await client.ask(line, headers, body)
                await client.close()
                return answer
            }
            var people: [(id: String, bearer: String)] = []
            for name in ["ann", "bob"] {
                let accounts = "POST \(AccountProbe.path)/app/shop/auth/providers/local-userpass"
                let (email, password) = ("\(name)@example.org", "a long password")
                let register = #"{"email": "\#(email)", "password": "\#(password)"}"#
                #expect(try await ask(0, "\(accounts)/register", body: register).status == 201)
                // At the other server.
                let login = #"{"username": "\#(email)", "password": "\#(password)"}"#
                let answer = try BSONDocument(extendedJSON: await ask(1, "\(accounts)/login", body: login).text)
                people.append(
                    (
                        try #require(answer["user_id"]?.stringValue),
                        "Authorization: Bearer \(try #require(answer["access_token"]?.stringValue))"
                    )
                )
            }
            let root = "/api/data/v1/app/shop"
            let changes = try await WireClient(port: servers[0].port)
            await changes.send("GET \(root)/$changes", [people[0].bearer])
            var heard = ""
            func hear(_ text: String) async throws {
                while !heard.contains(text) {
                    heard += String(decoding: try #require(await changes.next()), as: UTF8.self)
                }
            }
            try await hear("\r\n\r\n")
            #expect(heard.contains(" 200 "), "\(heard)")
            for (number, server) in [1, 0, 1].enumerated() {
                for (index, person) in people.enumerated() {
                    let id = "5f00000000000000000000\(number)\(index)"
                    let text = #""owner": "\#(person.id)", "text": "\#(index) \#(number)", "salary": 0"#
                    let body = #"{"_id": {"$oid": "\#(id)"}, \#(text)}"#
                    let post = try await ask(server, "POST \(root)/Note", headers: [person.bearer], body: body)
                    #expect(post.status == 201, "\(post.text)")
                }
                try await hear("\"0 \(number)\"")
                // A write that one server has answered can be read at the other one.
                let list = try await ask(1 - server, "GET \(root)/Note", headers: [people[0].bearer])
                #expect(list.status == 200 && list.text.contains("\"0 \(number)\""), "\(list.text)")
                #expect(!list.text.contains("\"1 \(number)\""))
            }
            #expect(!heard.contains("\"1 "))
            let owner = people[1].id
            let forged =
                #"{"_id": {"$oid": "5f00000000000000000000ff"}, "owner": "\#(owner)", "text": "x", "salary": 0}"#
            #expect(
                try await ask(0, "POST \(root)/Note", headers: [people[0].bearer], body: forged).text.contains(
                    "refused"
                )
            )
            await changes.close()
            for server in servers { await server.end(SIGTERM) }
            try database.expectSound(folder)
        }

        @MainActor @Test func `old and new versions of an app see each other's work`() async throws {
            let first = try await VersionDevices.documents(FirstApp.types)
            let second = try await VersionDevices.documents(SecondApp.types)
            let transition = try SchemaTransition(extendedJSON: SecondApp.transition)
            let accounts = try await AccountHome(database).open()
            try await accounts.changeApp("shop") { $0.access = .everyone }
            try await accounts.changeDocuments(of: "shop") { documents in
                try documents.push(first)
                try documents.push(second, as: 2, transition)
            }
            let servers = try servers()
            let errors = VersionDevices.Errors()
            let old = VersionDevices.Device(
                user: try await user("old", servers[0]),
                types: FirstApp.types,
                version: 1,
                errors: errors
            )
            let new = VersionDevices.Device(
                user: try await user("new", servers[1]),
                types: SecondApp.types,
                version: 3,
                errors: errors
            )
            let (one, two) = (try await old.realm(), try await new.realm())
            try one.write {
                let ann = one.create(FirstApp.Person.self, value: ["_id": "ann", "name": "Ann"])
                let rex = one.create(
                    FirstApp.Dog.self,
                    value: ["name": "Rex", "age": 3, "chip": "c1", "tags": ["a"], "scores": [1, 2]] as [String: Any]
                )
                rex.owner = ann
            }
            try await one.syncSession?.wait(for: .upload)
            try await eventually("the dog", two) { two.objects(SecondApp.Hound.self).first?.owner != nil }
            let hound = try #require(two.objects(SecondApp.Hound.self).first)
            #expect(hound.title == "Rex" && hound.age == 3 && hound.owner?.name == "Ann")
            try two.write {
                hound.title = "Max"
                hound.tags.append("b")
                hound.chip = nil
            }
            try await two.syncSession?.wait(for: .upload)
            let rex = try #require(one.objects(FirstApp.Dog.self).first)
            try await eventually("the change", one) { rex.name == "Max" }
            #expect(Array(rex.tags) == ["a", "b"] && rex.chip == "?")
            for server in servers { await server.end(SIGTERM) }
            try database.expectSound(folder)
        }

        @MainActor @Test func `development mode takes classes from devices`() async throws {
            let set = ["app", "set", folder.path, "shop", "--access", "everyone", "--adopt-schemas", "on"]
            #expect(try ServerProcess.run(set + database.flags).status == 0)
            let servers = try servers()
            let (ann, bob) = (try await user("ann", servers[0]), try await user("bob", servers[1]))
            let (one, two) = (try await realm(ann), try await realm(bob))
            try one.write { one.create(Note.self, value: ["text": "hello"]) }
            try await eventually("the note", two) { two.objects(Note.self).first?.text == "hello" }
            #expect(
                try ServerProcess.run(["schema", "pull", folder.path, "shop"] + database.flags).output.contains("Note")
            )
            for server in servers { await server.end(SIGTERM) }
        }
    }
#endif
