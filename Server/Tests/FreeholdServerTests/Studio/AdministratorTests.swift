import Foundation
import FreeholdBSON
import FreeholdHTTP
import FreeholdServerStudio
import FreeholdStudio
import FreeholdStudioServer
import FreeholdSync
import FreeholdSyncRules
import Logging
import NIOHTTP1
import ServerTestRandom
import Synchronization
import Testing

@testable import FreeholdServer
@testable import FreeholdSyncCore

/// The requests of administrators, which Studio for servers uses.
@Suite(.timeLimit(.minutes(20))) struct AdministratorTests {
    private static let paths = [
        "overview", "sessions", "streams", "refusals", "conflicts", "resets", "sinks", "logs", "users/test",
        "users/test/x", "classes/test", "sight/test/Note?user=x", "data/test/Note", "data/test/Note/1", "rules/test",
        "schema/test",
    ]

    @Test func `texts of records have a bound of bytes`() {
        let marks = "e" + String(repeating: "\u{301}", count: 100_000)
        #expect(marks.count == 1)
        for text in [marks, String(repeating: "ü", count: 1_000), String(repeating: "a", count: 257)] {
            #expect(text.shortened.utf8.count <= 256 + "…".utf8.count)
            #expect(text.unicodeScalars.starts(with: text.shortened.unicodeScalars.dropLast()))
        }
        #expect(String(repeating: "a", count: 256).shortened == String(repeating: "a", count: 256))
    }

    @Test func `an answer is a text of all its pieces`() async throws {
        let text = "ü€𝄞"
        let pieces = HTTPRoute(.GET, "pieces", operation: "pieces", statuses: [200]) { _ in
            let rest = Mutex(Array(text.utf8)[...])
            return HTTPAnswer(byteStream: { rest.withLock { $0.popFirst().map { [$0] } } }, type: "text/plain")
        }
        let server = try await HTTPFixture([pieces])
        let answer = try await AdministratorClient.get("/pieces", host: "127.0.0.1", port: server.port, within: 60)
        #expect(answer.body == text)
        await server.stop()
    }

    @Test func `without the administrator's key, nothing is answered`() async throws {
        let probe = try await AdministratorProbe()
        let ann = try await probe.user("ann")
        _ = try await probe.insert(#"{"_id": 1, "owner": "a secret owner"}"#, ann.token)
        let wrong = String(probe.key.text.reversed())
        let keys: [[(String, String)]] = [
            [], [("Authorization", "Bearer \(ann.token)")], [("Authorization", "Bearer \(wrong)")],
            [("Authorization", "Bearer ")], [("Authorization", probe.key.text)],
            [("Authorization", "Bearer \(probe.key.text)"), ("Authorization", "Bearer \(probe.key.text)")],
        ]
        for path in Self.paths {
            for headers in keys {
                let answer = try await probe.ask(path, headers: headers)
                #expect(answer.status == 401, "\(path)")
                #expect(!answer.text.contains("secret owner"))
            }
            #expect(try await probe.ask(path).status != 401, "\(path)")
        }
        let writes: [(String, HTTPMethod)] = [
            ("users/test/\(ann.id)/disable", .POST), ("users/test/\(ann.id)", .DELETE), ("data/test/Note/1", .DELETE),
            ("rules/test", .PUT), ("development/test?on=true", .PUT),
        ]
        for (path, method) in writes {
            let headers = [("Authorization", "Bearer \(ann.token)"), ("Freehold-Administrator", "ann")]
            #expect(try await probe.ask(path, method, body: "{}", headers: headers).status == 401, "\(path)")
        }
        #expect(try await probe.server.store.user(ann.id)?.isDisabled == false)
        #expect(try await probe.ask("data/test/Note/1").status == 200)
        await probe.server.stop()
    }

    @Test func `a web page can't use the key, and a foreign host isn't answered`() async throws {
        let probe = try await AdministratorProbe(hasClasses: false)
        let key = ("Authorization", "Bearer \(probe.key.text)")
        let refused: [[(String, String)]] = [
            [key, ("Origin", "http://127.0.0.1:\(probe.port)")], [key, ("Origin", "http://evil.example")],
            [key, ("Origin", "null")], [key, ("Sec-Fetch-Site", "same-origin")],
        ]
        for headers in refused { #expect(try await probe.ask("overview", headers: headers).status == 403) }
        for host in ["evil.example", "192.0.2.1", "127.0.0.1.evil.example"] {
            let head = ["GET /admin/v1/overview HTTP/1.1", "Host: \(host)", "\(key.0): \(key.1)"]
            #expect(try await RawConnection.status(head, [], port: probe.port) == 403, "\(host)")
        }
        #expect(try await probe.ask("overview").status == 200)
        await probe.server.stop()
    }

    @Test func `the public port has none of these requests`() async throws {
        let probe = try await AdministratorProbe(hasClasses: false)
        for path in Self.paths {
            let answer = try await probe.server.send("GET", "/admin/v1/\(path)", bytes: [], token: probe.key.text)
            #expect(answer.status == 404, "\(path)")
        }
        await probe.server.stop()
    }

    @Test func `sessions are listed with user, SDK, subscriptions, lag and memory, in parts`() async throws {
        let probe = try await AdministratorProbe(hasClasses: false)
        var clients: [TestClient] = []
        var users: [(id: String, token: String)] = []
        for name in ["ann", "bob", "cy"] {
            let user = try await probe.user(name)
            let client = try await TestClient(port: probe.server.port, user: user.id, token: user.token)
            try await client.subscribe()
            clients.append(client)
            users.append(user)
        }
        let all = try await probe.ask("sessions?order=user")
        #expect(all["count"] == 3)
        let sessions = all.list("sessions")
        #expect(sessions.compactMap { $0["user"]?.text } == users.map(\.id).sorted())
        for session in sessions {
            #expect(session["app"] == "test")
            #expect(session["state"] == "live")
            #expect(session["subscriptions"] == 1)
            #expect(session["lag"] == 0)
            #expect(session["agent"]?.text?.hasPrefix("Freehold") == true)
            #expect(session["bytes"]?.int ?? 0 > 0)
            #expect(session["file"]?.int ?? 0 > 0)
        }
        let part = try await probe.ask("sessions?order=user&offset=1&limit=1")
        #expect(part["count"] == 3)
        #expect(part.list("sessions").compactMap { $0["user"]?.text } == [users.map(\.id).sorted()[1]])
        #expect(try await probe.ask("sessions?user=\(users[0].id)")["count"] == 1)
        #expect(try await probe.ask("sessions?text=\(users[0].id.uppercased())")["count"] == 1)
        #expect(try await probe.ask("sessions?app=other")["count"] == 0)
        #expect(try await probe.ask("streams").list("streams").first?["sessions"] == 3)
        let overview = try await probe.ask("overview")
        #expect(overview["sessions"] == 3)
        #expect(overview.list("apps").first?["users"] == 3)
        #expect(overview["store"]?["kind"] == "memory")
        for client in clients { await client.close() }
        await probe.server.stop()
    }

    /// The devices of the crowd: 200, or 5,000 with `FREEHOLD_SOAK`.
    private static let crowd = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] == nil ? 200 : 5_000

    @Test func `the sessions of a crowd are listed in parts of bounded size, and readers share the work`() async throws
    {
        let probe = try await AdministratorProbe(hasClasses: false) { settings in
            settings.tokens.keys = [.secret(TestServer.secret)]
            settings.tokens.apps = ["test"]
        }
        let (connections, port) = (SyncClient(), probe.server.port)
        let clients = try await withThrowingTaskGroup(of: TestClient.self) { group in
            for number in 0..<Self.crowd {
                group.addTask {
                    let client = try await TestClient(connections, port: port, user: "user\(number)")
                    try await client.subscribe()
                    return client
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let started = ContinuousClock.now
        let first = try await probe.ask("sessions?limit=500")
        let listed = started.duration(to: .now)
        #expect(first["count"]?.int == Self.crowd)
        #expect(first.list("sessions").count == min(Self.crowd, 500))
        #expect(first.text.utf8.count < 200_000)
        var users: Set<String> = []
        for offset in stride(from: 0, to: Self.crowd, by: 500) {
            let part = try await probe.ask("sessions?order=user&limit=500&offset=\(offset)")
            users.formUnion(part.list("sessions").compactMap { $0["user"]?.text })
        }
        #expect(users == Set((0..<Self.crowd).map { "user\($0)" }))
        // Requests at the same time share one snapshot.
        let snapshots = SessionSnapshots(probe.server.running.node, lifetime: .seconds(3_600))
        let times = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<50 { group.addTask { try await snapshots.snapshot().at } }
            return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
        }
        #expect(times.count == 1)
        let (before, rounds) = (clock(), 20)
        for _ in 0..<rounds {
            let snapshot = try await SessionSnapshots(probe.server.running.node).snapshot()
            let part = snapshot.part(SessionSnapshot.Filter(), by: .bytes, offset: 0, limit: 100)
            #expect(part.count == Self.crowd)
        }
        let cost = Double(clock() - before) / Double(CLOCKS_PER_SEC) / Double(rounds)
        print("AdministratorTests: \(Self.crowd) sessions listed in \(listed), an update takes \(cost * 1_000) ms")
        for client in clients { await client.close() }
        await probe.server.stop()
    }

    @Test func `a refused write is kept with its rule and field, and without values`() async throws {
        let probe = try await AdministratorProbe(rules: AdministratorProbe.owners)
        let (ann, bob) = (try await probe.user("ann"), try await probe.user("bob"))
        #expect(try await probe.insert("{\"_id\": 1, \"owner\": \"\(ann.id)\"}", ann.token).status == 201)
        _ = try await probe.insert("{\"_id\": 2, \"owner\": \"\(ann.id)\", \"text\": \"forged text\"}", bob.token)
        _ = try await probe.insert("{\"_id\": 3, \"owner\": \"\(bob.id)\", \"secret\": \"hidden text\"}", bob.token)
        let answer = try await probe.ask("refusals")
        let entries = answer.list("entries")
        #expect(entries.compactMap { $0["key"]?.text } == ["3", "2"])
        for entry in entries {
            #expect(entry["user"]?.text == bob.id)
            #expect(entry["class"] == "Note")
            #expect(entry["role"] == "owner")
            #expect(entry["reason"] == "forbidden")
            #expect(entry["kind"] == "create")
        }
        #expect(entries.first?["field"] == "secret")
        #expect(entries.last?["rule"]?.text?.contains("owner") == true)
        #expect(!answer.text.contains("forged text") && !answer.text.contains("hidden text"))
        #expect(try await probe.ask("refusals?user=\(ann.id)").list("entries").isEmpty)
        #expect(try await probe.ask("refusals?limit=1")["more"] == true)
        #expect(try await probe.ask("overview")["refusals"] == 2)
        await probe.server.stop()
    }

    @Test func `a conflict of two devices is kept with its outcome`() async throws {
        let probe = try await AdministratorProbe(hasClasses: false)
        let (ann, bob) = (try await probe.user("ann"), try await probe.user("bob"))
        let a = try await TestClient(port: probe.server.port, user: ann.id, token: ann.token)
        let b = try await TestClient(port: probe.server.port, user: bob.id, token: bob.token)
        try await a.subscribe()
        try await b.subscribe()
        try a.create(1, ["name": .string("one"), "size": .int(1)])
        try await a.settle()
        try await b.settle()
        #expect(try await probe.ask("conflicts").list("entries").isEmpty)
        // Both devices write the same field before they see each other's write, and different fields without a conflict.
        a.session.suspend()
        await a.journal.wait { if case .report(.connection(.disconnected)) = $0 { true } else { false } }
        try a.set(1, "name", .string("by a"))
        try a.set(1, "size", .int(2))
        try b.set(1, "name", .string("by b"))
        try await b.settle()
        a.session.resume()
        try await a.settle()
        try await b.settle()
        let entries = try await probe.ask("conflicts").list("entries")
        #expect(entries.count == 1)
        #expect(entries.first?["user"]?.text == ann.id)
        #expect(entries.first?["field"] == "name")
        let stored = b.value(1, "name")
        let isReplaced = stored == .string("by a")
        #expect(isReplaced || stored == .string("by b"))
        #expect(entries.first?["outcome"]?.text == (isReplaced ? "replaced" : "kept"))
        await a.close()
        await b.close()
        await probe.server.stop()
    }

    @Test func `a client reset is kept with its cause`() async throws {
        let records = NodeRecords()
        let ended = EndedSession(
            stream: StreamName(app: "test"),
            user: "ann",
            file: FileIdent(rawValue: 3),
            fault: .storeReplaced,
            text: "The stream has another history."
        )
        var other = ended
        other.fault = .transient(after: 0)
        records.take([.ended(ended), .ended(other)])
        let found = records.resets.newest(before: nil, limit: 10)
        #expect(found.map(\.entry.reason) == ["The stream has another history."])
        #expect(records.counts.resets == 1)
    }

    @Test func `a line of the log reaches a reader that waits for it`() async throws {
        let probe = try await AdministratorProbe(hasClasses: false)
        let ann = try await probe.user("ann")
        let before = try await probe.ask("logs")
        let next = try #require(before["next"]?.int)
        async let waiting = probe.ask("logs?after=\(next)&wait=25&text=disabled&user=\(ann.id)")
        let done = try await probe.ask("users/test/\(ann.id)/disable", .POST)
        #expect(done.status == 200)
        let lines = try await waiting.list("lines")
        #expect(lines.count == 1)
        #expect(lines.first?["message"] == "an administrator disabled a user")
        #expect(lines.first?["values"]?["administrator"] == "tester")
        #expect(lines.first?["level"] == "notice")
        // The level is a filter, too.
        #expect(try await probe.ask("logs?level=error&text=disabled").list("lines").isEmpty)
        await probe.server.stop()
    }

    @Test func `users are found and changed`() async throws {
        let probe = try await AdministratorProbe(hasClasses: false)
        var ids: [String] = []
        for name in ["ann", "bob", "cy", "dan"] { ids.append(try await probe.user(name).id) }
        var listed: [String] = []
        var after: String?
        repeat {
            let answer = try await probe.ask("users/test?limit=3" + (after.map { "&after=\($0)" } ?? ""))
            let page = answer.list("users").compactMap { $0["id"]?.text }
            #expect(page.count <= 3)
            listed += page
            after = answer["more"] == true ? page.last : nil
        } while after != nil
        #expect(listed == ids.sorted())
        #expect(try await probe.ask("users/test?text=BOB@").list("users").compactMap { $0["id"]?.text } == [ids[1]])
        let third = try await probe.ask("users/test?text=\(ids[2])").list("users")
        #expect(third.compactMap { $0["id"]?.text } == [ids[2]])
        #expect(try await probe.ask("users/test?text=nobody").list("users").isEmpty)

        let ann = "users/test/\(ids[0])"
        #expect(try await probe.ask("\(ann)/data", .PUT, body: #"{"team": "red"}"#).status == 200)
        #expect(try await probe.ask(ann)["data"] == #"{"team": "red"}"#)
        #expect(try await probe.ask("\(ann)/data", .PUT, body: "nonsense").status == 400)
        let password = #"{"password": "another password"}"#
        #expect(try await probe.ask("\(ann)/password", .PUT, body: password).status == 200)
        #expect(try await probe.server.login("ann@example.org").status == 401)
        let login = try await probe.server.login("ann@example.org", "another password")
        #expect(login.status == 200)
        #expect(try await probe.ask("\(ann)/log-out", .POST).status == 200)
        #expect(try await probe.server.renew(login["refresh_token"]).status == 401)
        #expect(try await probe.ask("\(ann)/disable", .POST).status == 200)
        #expect(try await probe.server.login("ann@example.org", "another password").status == 401)
        #expect(try await probe.ask("\(ann)/enable", .POST).status == 200)
        #expect(try await probe.server.login("ann@example.org", "another password").status == 200)
        #expect(try await probe.ask(ann, .DELETE).status == 200)
        #expect(try await probe.ask(ann).status == 404)
        #expect(try await probe.ask("users/other").status == 404)
        // A change names its author.
        let headers = [("Authorization", "Bearer \(probe.key.text)")]
        #expect(try await probe.ask("users/test/\(ids[1])/disable", .POST, headers: headers).status == 400)
        #expect(try await probe.server.store.user(ids[1])?.isDisabled == false)
        await probe.server.stop()
    }

    @Test func `an administrator reads and writes documents that rules hide, and the log names the author`()
        async throws
    {
        let probe = try await AdministratorProbe(rules: AdministratorProbe.owners)
        let ann = try await probe.user("ann")
        _ = try await probe.insert("{\"_id\": 1, \"owner\": \"\(ann.id)\", \"text\": \"first\"}", ann.token)
        #expect(try await probe.ask("classes/test").list("classes").first?["name"] == "Note")
        #expect(try await probe.ask("data/test/Note").list("documents").count == 1)
        let set = #"{"$set": {"secret": "by an administrator"}}"#
        let change = try await probe.ask("data/test/Note/1", .PATCH, body: set)
        #expect(change.status == 200)
        #expect(try await probe.ask("data/test/Note/1")["secret"] == "by an administrator")
        let made = try await probe.ask("data/test/Note", .POST, body: #"{"_id": 2, "owner": "nobody"}"#)
        #expect(made.status == 201)
        #expect(made.list("refused").isEmpty)
        #expect(try await probe.ask("data/test/Note?query=owner+%3D%3D+%22nobody%22").list("documents").count == 1)
        #expect(try await probe.ask("data/test/Note/2", .DELETE).status == 200)
        #expect(try await probe.ask("data/test/Note/2").status == 404)
        #expect(try await probe.ask("data/test/Note?query=owner+%3D%3D%3D").status == 400)
        #expect(try await probe.ask("data/test/Missing").list("documents").isEmpty)
        let lines = try await probe.ask("logs?text=administrator").list("lines")
        #expect(
            lines.compactMap { $0["message"]?.text }.filter { $0.hasPrefix("an administrator") } == [
                "an administrator changed a document", "an administrator inserted documents",
                "an administrator deleted a document",
            ]
        )
        #expect(lines.allSatisfy { $0["values"]?["administrator"] == "tester" })
        // The log has no values of documents.
        #expect(try await !probe.ask("logs").text.contains("by an administrator"))
        await probe.server.stop()
    }

    @Test func `what a user sees is what the server sends, and has reasons for the rest`() async throws {
        let probe = try await AdministratorProbe(rules: AdministratorProbe.owners)
        let (ann, bob) = (try await probe.user("ann"), try await probe.user("bob"))
        for (key, owner) in [(1, ann.id), (2, bob.id), (3, ann.id)] {
            let body = "{\"_id\": \(key), \"owner\": \"\(owner)\", \"text\": \"t\", \"secret\": \"s\"}"
            #expect(try await probe.ask("data/test/Note", .POST, body: body).status == 201)
        }
        let answer = try await probe.ask("sight/test/Note?user=\(ann.id)")
        let objects = answer.list("objects")
        let visible = objects.filter { $0["visible"] == true }.compactMap { $0["key"]?.text }
        let sent = try await probe.server.send("GET", "/api/data/v1/app/test/Note", bytes: [], token: ann.token)
        let own = sent.body.documentValue?["documents"]?.arrayValue?.compactMap { $0.documentValue?["_id"]?.asInt64() }
        #expect(visible == ["1", "3"])
        #expect(own == [1, 3])
        for object in objects {
            let isOwn = object["visible"] == true
            #expect(object["hidden"] == (isOwn ? ["secret"] : []))
            #expect((object["reasons"]?.elements ?? []).isEmpty == isOwn)
        }
        #expect(answer["rules"]?.text?.contains("role 'owner': applies") == true)
        let first = try await probe.ask("sight/test/Note?user=\(ann.id)&limit=2")
        #expect(first.list("objects").count == 2)
        let next = try #require(first["next"]?.text)
        let rest = try await probe.ask("sight/test/Note?user=\(ann.id)&limit=2&after=\(next)")
        #expect(rest.list("objects").compactMap { $0["key"]?.text } == ["3"])
        #expect(try await probe.ask("sight/test/Note").status == 400)
        // Other rules are tried without being stored.
        let other = AdministratorProbe.owners.replacing("%%user.id", with: bob.id)
        let trial = try await probe.ask("sight/test/Note?user=\(ann.id)", .POST, body: other).list("objects")
        #expect(trial.filter { $0["visible"] == true }.compactMap { $0["key"]?.text } == ["2"])
        #expect(try await probe.ask("sight/test/Note?user=\(ann.id)", .POST, body: "nonsense").status == 400)
        #expect(try await probe.ask("sight/test/Note?user=\(ann.id)")["rules"] == answer["rules"])
        await probe.server.stop()
    }

    @Test func `rules and schemas have a dry run before a push`() async throws {
        let probe = try await AdministratorProbe()
        let wrong = AdministratorProbe.owners.replacing("\"secret\"", with: "\"missing\"")
        let dry = try await probe.ask("rules/test?dry=true", .PUT, body: AdministratorProbe.owners)
        #expect(dry["pushed"] == false)
        #expect(dry.list("problems").isEmpty)
        #expect(try await probe.server.store.documents(of: "test").rules == nil)
        let refused = try await probe.ask("rules/test", .PUT, body: wrong)
        #expect(refused["pushed"] == false)
        #expect(!refused.list("problems").isEmpty)
        #expect(try await probe.ask("rules/test", .PUT, body: AdministratorProbe.owners)["pushed"] == true)
        #expect(try await probe.ask("rules/test")["rules"]?.text?.contains("owner") == true)
        #expect(try await probe.ask("rules/test?dry=true", .PUT, body: "nonsense").status == 400)

        func schema(_ name: String, key: String) -> String {
            let properties = "{\"_id\": {\"bsonType\": \"\(key)\"}}"
            let head = "\"title\": \"\(name)\", \"bsonType\": \"object\", \"required\": [\"_id\"]"
            return "{\"schema\": [{\(head), \"properties\": \(properties)}]}"
        }
        let draft = schema("Draft", key: "long")
        let plan = try await probe.ask("schema/test?dry=true", .PUT, body: draft)
        #expect(plan["pushed"] == false)
        #expect(plan.list("steps").count == 1)
        #expect(try await probe.server.store.documents(of: "test").schemas.map(\.className) == ["Note"])
        #expect(try await probe.ask("schema/test", .PUT, body: draft)["pushed"] == true)
        #expect(try await probe.server.store.documents(of: "test").schemas.map(\.className) == ["Draft", "Note"])
        let clash = schema("Note", key: "string")
        let problems = try await probe.ask("schema/test?dry=true", .PUT, body: clash)
        #expect(problems["pushed"] == false)
        #expect(!problems.list("problems").isEmpty)
        #expect(try await probe.ask("development/test?on=true", .PUT).status == 200)
        #expect(try await probe.ask("schema/test")["development"] == true)
        await probe.server.stop()
    }

    @Test func `hostile requests are answered, and the server goes on`() async throws {
        let probe = try await AdministratorProbe()
        let long = String(repeating: "x", count: 3_000)
        let paths = [
            "sessions?limit=0", "sessions?limit=501", "sessions?limit=-1", "sessions?offset=99999999999999999999",
            "sessions?order=x", "sessions?text=%FF", "sessions?text=%", "sessions?text=\(long)",
            "refusals?before=-1", "refusals?before=18446744073709551615", "logs?after=18446744073709551615",
            "logs?after=18446744073709551614", "logs?wait=26", "logs?level=loud", "users/test?limit=99999",
            "users/%00", "users/test/%2F", "sight/test/Note?user=\(long)&after=%22", "sight/test/%F0?user=a",
            "data/test/Note/%7B", "data/test/$changes", "data/test/Note?after=~abc", "nothing", "overview/", "",
            "streams?offset=-9", "schema/other", "rules/..", "data/test/Note?query=\(long)",
        ]
        for path in paths {
            let answer = try await probe.ask(path)
            #expect((200..<500).contains(answer.status), "\(path.prefix(60)): \(answer.status)")
        }
        let deep = String(repeating: #"{"a":"#, count: 5_000)
        let bodies = ["", "{", "[]", deep, "\u{0}", #"{"schema": {}}"#, #"{"schema": [1]}"#, #"{"password": 1}"#]
        let ann = try await probe.user("ann")
        let writes: [(String, HTTPMethod)] = [
            ("rules/test", .PUT), ("schema/test", .PUT), ("schema/test?version=99999999999999999999", .PUT),
            ("users/test/\(ann.id)/password", .PUT), ("users/test/\(ann.id)/data", .PUT), ("data/test/Note", .POST),
            ("data/test/Note/1", .PATCH),
        ]
        for (path, method) in writes {
            for body in bodies {
                let answer = try await probe.ask(path, method, body: body)
                #expect((200..<500).contains(answer.status), "\(path) \(body.prefix(20)): \(answer.status)")
            }
        }
        let large = String(repeating: " ", count: AdministratorRequest.bodyLimit + 1)
        #expect(try await probe.ask("rules/test", .PUT, body: large).status == 413)
        // Random paths and bodies.
        var random = SeededRandom(test: "administrator")
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                Character(Unicode.Scalar(UInt8.random(in: 33...126, using: &random)))
            }
            let path = Self.paths.randomElement(using: &random)! + String(bytes)
            let head = [
                "\(Bool.random(using: &random) ? "GET" : "PUT") /admin/v1/\(path) HTTP/1.1", "Host: localhost",
                "Authorization: Bearer \(probe.key.text)", "Content-Length: \(bytes.count)", "Connection: close",
            ]
            let status = try await RawConnection.status(head, Array(String(bytes).utf8), port: probe.port)
            #expect((200..<500).contains(status), "\(path): \(status)")
        }
        #expect(try await probe.ask("overview")["ready"] == true)
        await probe.server.stop()
    }

    @Test func `the records and the log have a bounded number of entries of a bounded size`() async throws {
        let records = NodeRecords()
        let long = SyncString(String(repeating: "n", count: 100_000))
        func note(_ number: Int) -> ServerNote {
            .conflict(
                MergedConflict(
                    stream: StreamName(app: "test", value: .string(long)),
                    object: ObjectName(long, .string(long)),
                    field: long,
                    user: SyncString("\(number) \(long.string)"),
                    file: FileIdent(rawValue: UInt32(number)),
                    version: 1,
                    otherFile: .me,
                    otherVersion: 1,
                    isReplaced: true
                )
            )
        }
        for number in 0..<3_000 { records.take([note(number)]) }
        let kept = records.conflicts
        #expect(kept.count == NodeRecords.most)
        #expect(kept.newest(before: nil, limit: 2).map(\.entry.file) == [2_999, 2_998])
        #expect(kept[kept.first]?.file == 2_000)
        #expect(kept[kept.first - 1] == nil)
        let entry = try #require(kept[kept.first])
        #expect(entry.key.count + entry.field.count + entry.user.count + entry.className.count < 1_100)
        #expect(records.counts.conflicts == 3_000)

        // One user's refusals don't replace those of others.
        func refusal(_ user: SyncString) -> ServerNote {
            .refusal(
                RefusedWrite(
                    stream: StreamName(app: "test"),
                    object: ObjectName("Note", 1),
                    kind: .change,
                    reason: .forbidden,
                    field: nil,
                    user: user,
                    file: .me,
                    version: 1,
                    rights: nil
                )
            )
        }
        records.take([refusal("ann")])
        records.take((0..<5_000).map { _ in refusal("mallory") })
        #expect(records.refusals.newest(before: nil, limit: 1_000) { $0.user == "ann" }.count == 1)
        #expect(records.counts.refusals == 5_001)
        // Entries of one kind don't hide those of another kind.
        records.take([
            .ended(
                EndedSession(
                    stream: StreamName(app: "test"),
                    user: "mallory",
                    file: .me,
                    fault: .storeReplaced,
                    text: "the client starts again"
                )
            )
        ])
        #expect(records.resets.newest(before: nil, limit: 10).count == 1)

        let ring = LogRing()
        let logger = Logger(label: "test") { _ in QuietLogHandler() }.safe(keeping: ring)
        for number in 0..<3_000 {
            logger.info("line \(String(repeating: "x", count: 5_000))", metadata: ["number": "\(number)"])
        }
        let part = ring.lines(after: 0, limit: 5_000, LogRing.Filter())
        #expect(part.lines.count == LogRing.mostLines)
        #expect(part.lost == UInt64(3_000 - LogRing.mostLines))
        #expect(part.lines.last?.entry.value("number") == "2999")
        #expect(part.lines.allSatisfy { $0.entry.message.count <= 512 })
    }
}
