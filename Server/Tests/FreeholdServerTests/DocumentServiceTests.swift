import Foundation
import Freehold
import FreeholdBSON
import FreeholdSync
import FreeholdSyncCore
import FreeholdSyncDocuments
import FreeholdSyncRules
import NIOCore
import NIOPosix
import ServerTestRandom
import Testing

@testable import FreeholdServer

/// Documents over HTTP while devices sync.
@Suite(.timeLimit(.minutes(20))) struct DocumentServiceTests {
    private static let root = "/api/data/v1/app/test"
    private static let schema = """
        {"title": "Note", "bsonType": "object", "required": ["_id", "owner"], "properties": {
          "_id": {"bsonType": "long"}, "owner": {"bsonType": "string"}, "text": {"bsonType": "string"},
          "stars": {"bsonType": "long"}, "tags": {"bsonType": "array", "items": {"bsonType": "string"}},
          "secret": {"bsonType": "string"}}}
        """
    private static let owners = """
        {"classes": {"Note": {"roles": [
          {"name": "admin", "apply_when": {"%%user.custom_data.admin": true},
           "document_filters": {"read": true, "write": true}, "read": true, "write": true, "insert": true, "delete": true},
          {"name": "owner", "apply_when": {},
           "document_filters": {"read": {"owner": "%%user.id"}, "write": {"owner": "%%user.id"}},
           "insert": true, "delete": true,
           "fields": {"secret": {"read": false, "write": false}}, "additional_fields": {"read": true, "write": true}}]}}}
        """

    private struct Person {
        let id: String
        let token: String
    }

    private func server(
        rules: String? = nil,
        _ change: @Sendable (inout ServerSettings) -> Void = { _ in }
    ) async throws -> AccountProbe {
        let server = try await AccountProbe(.file, change)
        let schema = try BSONDocument(extendedJSON: Self.schema)
        let set = try rules.map { try RuleSet(extendedJSON: $0) }
        try await server.store.changeDocuments(of: "test") { documents in
            try documents.push([SchemaDocument(schema: schema)])
            documents.rules = set
        }
        // The server looks for changed schemas three times a second.
        for _ in 0..<100 where server.running.node.app("test")?.served?.tables.isEmpty != false {
            try await Task.sleep(for: .milliseconds(50))
        }
        return server
    }

    private func person(_ name: String, _ server: AccountProbe) async throws -> Person {
        try await server.register("\(name)@example.org")
        let login = try await server.login("\(name)@example.org")
        return Person(id: try #require(login["user_id"]), token: try #require(login["access_token"]))
    }

    private func send(
        _ method: String,
        _ path: String,
        _ body: String = "",
        _ person: Person?,
        _ server: AccountProbe
    ) async throws -> AccountProbe.Answer {
        try await server.send(method, Self.root + path, bytes: Array(body.utf8), token: person?.token)
    }

    @Test func `a query that costs too much for one document is refused with a code of its own`() async throws {
        let server = try await server { $0.node.limits.objectSteps = 20_000 }
        let ann = try await person("ann", server)
        func ask(_ method: String, _ path: String, body: String = "") async throws -> AccountProbe.Answer {
            try await send(method, path, body, ann, server)
        }
        let tags = [String](repeating: "\"x\"", count: 300).joined(separator: ",")
        let documents = "[{\"_id\": 1, \"owner\": \"a\"}, {\"_id\": 2, \"owner\": \"b\", \"tags\": [\(tags)]}]"
        #expect(try await ask("POST", "/Note", body: documents).status == 201)
        let refused = try await ask("GET", "/Note?query=ANY+tags+!%3D+ANY+tags")
        #expect(refused.status == 400)
        #expect(refused.code == "QueryTooExpensive")
        // A cheaper query of the same user is answered.
        let found = try await ask("GET", "/Note?query=ANY+tags+%3D%3D+%22x%22").body
        #expect(found.documentValue?["documents"] != .array([]))
        await server.stop()
    }

    @Test func `documents are made, read, changed and deleted`() async throws {
        let server = try await server()
        let ann = try await person("ann", server)
        func ask(_ method: String, _ path: String, _ body: String = "") async throws -> AccountProbe.Answer {
            try await send(method, path, body, ann, server)
        }
        #expect(try await ask("GET", "/Note").body == ["documents": []])
        let made = try await ask(
            "POST",
            "/Note",
            #"[{"_id": 1, "owner": "a", "tags": ["x"]}, {"_id": 2, "owner": "b"}]"#
        )
        #expect(made.status == 201)
        #expect(made.body.documentValue?["created"]?.asInt64() == 2)
        #expect(try await ask("POST", "/Note", #"{"_id": 1, "owner": "c"}"#).status == 422)
        #expect(try await ask("POST", "/Note?mode=upsert", #"{"_id": 1, "stars": 5, "owner": "a"}"#).status == 201)

        let one = try await ask("GET", "/Note/1")
        #expect(one.status == 200)
        #expect(one.body.documentValue?["stars"]?.asInt64() == 5)
        #expect(one.body.documentValue?["tags"] == ["x"])

        #expect(
            try await ask(
                "PATCH",
                "/Note/1",
                #"{"$inc": {"stars": 2}, "$push": {"tags": "y"}, "$set": {"text": "hi"}}"#
            ).status == 200
        )
        let patched = try await ask("GET", "/Note/1").body.documentValue
        #expect(patched?["stars"]?.asInt64() == 7)
        #expect(patched?["tags"] == ["x", "y"])
        #expect(try await ask("PUT", "/Note/1", #"{"owner": "z"}"#).status == 200)
        let put = try await ask("GET", "/Note/1").body.documentValue
        #expect(put?["owner"]?.stringValue == "z")
        #expect(put?["text"]?.stringValue == nil)
        #expect(try await ask("PUT", "/Note/9", #"{"owner": "new"}"#).status == 201)

        let found = try await ask("GET", "/Note?query=owner%20%3D%3D%20%22b%22")
        #expect(found.body.documentValue?["documents"]?.arrayValue?.count == 1)
        #expect(try await ask("DELETE", "/Note/2").status == 200)
        #expect(try await ask("GET", "/Note/2").status == 404)
        #expect(try await ask("DELETE", "/Note/2").status == 404)
        await server.stop()
    }

    @Test func `pages lead through all documents once`() async throws {
        let server = try await server()
        let ann = try await person("ann", server)
        let documents = (0..<57).map { "{\"_id\": \($0), \"owner\": \"\($0 % 2)\"}" }.joined(separator: ",")
        #expect(try await send("POST", "/Note", "[\(documents)]", ann, server).status == 201)
        var (seen, after) = ([Int64](), "")
        repeat {
            let path = "/Note?limit=10&query=owner%20%3D%3D%20%221%22" + (after.isEmpty ? "" : "&after=\(after)")
            let body = try #require(try await send("GET", path, "", ann, server).body.documentValue)
            seen += body["documents"]?.arrayValue?.compactMap { $0.documentValue?["_id"]?.asInt64() } ?? []
            after = body["next"]?.stringValue ?? ""
            // The position doesn't show the key.
            #expect(after.isEmpty || after.hasPrefix("~"))
        } while !after.isEmpty
        #expect(seen == (0..<57).filter { $0 % 2 == 1 })
        // A key that the caller knows is also a position, as in earlier versions.
        let rest = try await send("GET", "/Note?after=54", "", ann, server).body.documentValue
        #expect(rest?["documents"]?.arrayValue?.count == 2 && rest?["next"] == nil)
        // A query for named keys has no second page.
        let named = try await send("GET", "/Note?limit=1&query=_id%20%3D%3D%207", "", ann, server).body.documentValue
        #expect(named?["documents"]?.arrayValue?.count == 1 && named?["next"] == nil)
        await server.stop()
    }

    @Test func `a position counts for its user and its request only`() async throws {
        let server = try await server()
        let (ann, bob) = (try await person("ann", server), try await person("bob", server))
        let documents = (0..<9).map { "{\"_id\": \($0), \"owner\": \"a\"}" }.joined(separator: ",")
        #expect(try await send("POST", "/Note", "[\(documents)]", ann, server).status == 201)
        let page = try await send("GET", "/Note?limit=2", "", ann, server).body.documentValue
        let next = try #require(page?["next"]?.stringValue)
        func status(_ text: String, _ person: Person, query: String = "") async throws -> Int {
            let answer = try await send("GET", "/Note?limit=2&after=\(text)\(query)", "", person, server)
            if answer.status == 400 {
                #expect(answer.code == "BadRequest" && answer["error"]?.contains("after") == true)
            }
            return answer.status
        }
        #expect(try await status(next, ann) == 200)
        #expect(try await status(next, bob) == 400)
        #expect(try await status(next, ann, query: "&query=owner%20%3D%3D%20%22a%22") == 400)
        var random = SeededRandom(test: "positions")
        for _ in 0..<30 {
            var bytes = Array(next.utf8)
            let place = 1 + random.below(bytes.count - 1)
            bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(try await status(String(decoding: bytes, as: UTF8.self), ann) == 400, "\(place)")
        }
        for text in ["~", "~~", "~A", String(next.dropLast()), next + "A", String(next.dropFirst(8))] {
            #expect(try await status(text, ann) != 200, "\(text)")
        }
        await server.stop()
    }

    @Test func `what isn't a request is refused with a reason, and changes nothing`() async throws {
        let server = try await server()
        let ann = try await person("ann", server)
        let refused: [(String, String, String, Int)] = [
            ("GET", "/Note?query=nonsense", "", 400), ("GET", "/Note?query=age%20%3E", "", 400),
            ("GET", "/Note?limit=0", "", 400),
            ("GET", "/Note?limit=x", "", 400), ("POST", "/Note", "", 400), ("POST", "/Note", "[1]", 400),
            ("POST", "/Note", "{", 400),
            ("POST", "/Note", #"{"owner": "a"}"#, 422), ("POST", "/Note", #"{"_id": "one", "owner": "a"}"#, 422),
            ("POST", "/Note", #"{"_id": 1, "owner": 5}"#, 422), ("POST", "/Note?mode=perhaps", "{}", 400),
            ("POST", "/Note", #"[{"_id": 1, "owner": "a"}, {"_id": 1, "owner": "b"}]"#, 400),
            ("PUT", "/Note/1", #"{"$set": {"text": "x"}}"#, 400), ("PATCH", "/Note/1", #"{"text": "x"}"#, 400),
            ("PATCH", "/Note/1", #"{"$set": {"text": "x"}}"#, 404),
            ("PATCH", "/Note/1", #"{"$nonsense": {"text": "x"}}"#, 422),
            ("GET", "/Nothing/1", "", 422), ("PATCH", "/Note", "{}", 405), ("POST", "/Note/1", "{}", 405),
            ("PUT", "/$changes", "", 405),
            ("GET", "/Note/1/2", "", 404), ("GET", "/$changes?after=nonsense", "", 400),
            ("GET", "/$changes?query=x", "", 400),
        ]
        for (method, path, body, status) in refused {
            let answer = try await send(method, path, body, ann, server)
            #expect(answer.status == status, "\(method) \(path) \(body): \(answer.status) \(answer.body)")
            #expect(answer["error"]?.isEmpty == false, "\(method) \(path)")
        }
        #expect(try await send("GET", "/Note", "", nil, server).status == 401)
        let nobody = Person(id: "", token: "nonsense")
        #expect(try await send("GET", "/Note", "", nobody, server).status == 401)
        #expect(try await server.send("GET", "/api/data/v1/app/other/Note", bytes: [], token: ann.token).status == 403)
        let large = Array(repeating: UInt8(ascii: " "), count: (16 << 20) + 1)
        #expect(try await server.send("POST", Self.root + "/Note", bytes: large, token: ann.token).status == 413)
        #expect(try await send("GET", "/Note", "", ann, server).body == ["documents": []])
        await server.stop()
    }

    @Test func `a version that the caller names must be the stored one`() async throws {
        let server = try await server()
        let ann = try await person("ann", server)
        #expect(try await send("POST", "/Note", #"{"_id": 1, "owner": "a"}"#, ann, server).status == 201)
        func put(_ version: Int, _ text: String) async throws -> Int {
            let body = Array("{\"owner\": \"\(text)\"}".utf8)
            var head = "PUT \(Self.root)/Note/1 HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n"
            head += "Authorization: Bearer \(ann.token)\r\nIf-Match: \"\(version)\"\r\nConnection: close\r\n\r\n"
            return try AccountProbe.answer(try await server.raw(Array(head.utf8) + body)).status
        }
        #expect(try await put(1, "b") == 200)
        #expect(try await put(1, "c") == 412)
        #expect(try await put(2, "d") == 200)
        await server.stop()
    }

    @Test func `rights of the token's user hold`() async throws {
        let server = try await server(rules: Self.owners)
        let (ann, bob) = (try await person("ann", server), try await person("bob", server))
        #expect(
            try await send("POST", "/Note", "{\"_id\": 1, \"owner\": \"\(ann.id)\", \"text\": \"mine\"}", ann, server)
                .status == 201
        )
        #expect(try await send("GET", "/Note/1", "", bob, server).status == 404)
        #expect(try await send("GET", "/Note", "", bob, server).body == ["documents": []])
        #expect(try await send("DELETE", "/Note/1", "", bob, server).status == 404)
        #expect(try await send("PATCH", "/Note/1", #"{"$set": {"text": "his"}}"#, bob, server).status == 404)
        // Users can neither take an existing key nor create an object of another owner.
        let taken = try await send("POST", "/Note", "{\"_id\": 1, \"owner\": \"\(bob.id)\"}", bob, server)
        #expect(taken.body.documentValue?["refused"]?.arrayValue?.count == 1)
        let forged = try await send("POST", "/Note", "{\"_id\": 2, \"owner\": \"\(ann.id)\"}", bob, server)
        #expect(forged.body.documentValue?["refused"]?.arrayValue?.count == 1)
        // The answer names a field that can't be written.
        let body = "{\"_id\": 3, \"owner\": \"\(ann.id)\", \"secret\": \"x\"}"
        let named = try await send("POST", "/Note", body, ann, server).body.documentValue?["refused"]?.arrayValue?.first
        #expect(named?.documentValue?["field"] == "secret" && named?.documentValue?["reason"] == "forbidden")
        #expect(try await send("GET", "/Note/1", "", ann, server).body.documentValue?["text"]?.stringValue == "mine")
        // Hidden fields are neither shown, lost nor written.
        let admin = try await person("admin", server)
        try await server.store.setCustomData("{\"admin\": true}", user: admin.id)
        for _ in 0..<100 where try await send("GET", "/Note/1", "", admin, server).status != 200 {
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try await send("PATCH", "/Note/1", #"{"$set": {"secret": "s"}}"#, admin, server).status == 200)
        #expect(try await send("GET", "/Note/1", "", ann, server).body.documentValue?["secret"] == nil)
        #expect(
            try await send("PUT", "/Note/1", "{\"owner\": \"\(ann.id)\", \"text\": \"new\"}", ann, server).status == 200
        )
        #expect(try await send("GET", "/Note/1", "", admin, server).body.documentValue?["secret"]?.stringValue == "s")
        let hidden = try await send("PATCH", "/Note/1", #"{"$set": {"secret": "mine"}}"#, ann, server)
        #expect(hidden.status == 403 && hidden["error"] == "The user may not write 'secret'.")
        #expect(try await send("GET", "/Note?query=secret%20%3D%3D%20%22s%22", "", ann, server).status == 400)
        await server.stop()
    }

    @MainActor @Test func `devices and HTTP write one document, and adds of both count`() async throws {
        let server = try await server()
        let ann = try await person("ann", server)
        #expect(try await send("POST", "/Note", #"{"_id": 1, "owner": "a", "stars": 0}"#, ann, server).status == 201)
        let folder = try TestFolder()
        var configuration = AppConfiguration(baseURL: server.address)
        configuration.rootDirectory = URL(fileURLWithPath: folder.path, isDirectory: true)
        let app = App(id: "test", configuration: configuration)
        let user = try await app.login(
            credentials: .emailPassword(email: "ann@example.org", password: "a long password")
        )
        var local = user.flexibleSyncConfiguration()
        local.objectTypes = [StarNote.self]
        let realm = try await Realm(configuration: local, downloadBeforeOpen: .never)
        try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<StarNote>()) }
        realm.refresh()
        let note = try #require(realm.object(ofType: StarNote.self, forPrimaryKey: 1))
        realm.syncSession?.suspend()
        try realm.write { note.increment(\.stars, by: 10) }
        #expect(try await send("PATCH", "/Note/1", #"{"$inc": {"stars": 1}}"#, ann, server).status == 200)
        realm.syncSession?.resume()
        try await realm.syncSession?.wait(for: .upload)
        try await realm.syncSession?.wait(for: .download)
        realm.refresh()
        #expect(note.stars == 11)
        #expect(try await send("GET", "/Note/1", "", ann, server).body.documentValue?["stars"]?.asInt64() == 11)
        await server.stop()
    }

    // MARK: Changes

    @Test func `changes are reported as they are committed, by rights, and continue behind a token`() async throws {
        let server = try await server(rules: Self.owners)
        let (ann, bob) = (try await person("ann", server), try await person("bob", server))
        let events = try await Events(server, "/$changes?class=Note", ann.token)
        #expect(try await events.next()?.hasPrefix(": here") == true)
        #expect(try await send("POST", "/Note", "{\"_id\": 2, \"owner\": \"\(bob.id)\"}", bob, server).status == 201)
        #expect(try await send("POST", "/Note", "{\"_id\": 1, \"owner\": \"\(ann.id)\"}", ann, server).status == 201)
        let first = try #require(try await events.nextEvent())
        #expect(first.contains("event: insert"))
        #expect(first.contains("\"_id\":1") && !first.contains("\"_id\":2"))
        #expect(try await send("PATCH", "/Note/1", #"{"$set": {"text": "x"}}"#, ann, server).status == 200)
        let second = try #require(try await events.nextEvent())
        #expect(second.contains("event: update") && second.contains("\"updatedFields\":{\"text\":\"x\"}"))
        await events.close()
        #expect(try await send("DELETE", "/Note/1", "", ann, server).status == 200)
        let token = try #require(first.split(separator: "\n").first { $0.hasPrefix("id: ") }?.dropFirst(4))
        let again = try await Events(server, "/$changes?class=Note&after=\(token)", ann.token)
        var all: [String] = []
        while all.count < 2, let event = try await again.next() { if !event.hasPrefix(":") { all.append(event) } }
        #expect(all.map { $0.contains("event: update") } == [true, false])
        #expect(all.last?.contains("event: delete") == true)
        await again.close()
        // A token is valid for its user only, and isn't a position of pages.
        #expect(token.hasPrefix("~"))
        for (person, path) in [(bob, "/$changes?class=Note&after=\(token)"), (ann, "/Note?after=\(token)")] {
            #expect(try await send("GET", path, "", person, server).status == 400)
        }
        #expect(try await send("GET", "/$changes?after=\(token.dropLast())", "", ann, server).status == 400)
        await server.stop()
    }

    @Test func `tokens have one length and count no hidden objects, and plain ones of earlier versions are accepted`()
        async throws
    {
        let server = try await server(rules: Self.owners)
        let (ann, bob) = (try await person("ann", server), try await person("bob", server))
        let admin = try await person("admin", server)
        try await server.store.setCustomData("{\"admin\": true}", user: admin.id)
        for _ in 0..<100
        where try await send("POST", "/Note", #"{"_id": 0, "owner": "x"}"#, admin, server).status != 201 {
            try await Task.sleep(for: .milliseconds(50))
        }
        let stream = StreamName(app: "test")
        let head = try #require(await server.running.node.head(of: stream))
        var lengths: Set<Int> = []
        for hidden in [0, 3, 70] {
            let others = (0..<hidden).map { "{\"_id\": \(hidden * 1_000 + $0), \"owner\": \"\(bob.id)\"}" }
            let own = (0..<2).map { "{\"_id\": \(hidden * 1_000 + 500 + $0), \"owner\": \"\(ann.id)\"}" }
            let body = "[\((others + own).joined(separator: ","))]"
            #expect(try await send("POST", "/Note", body, admin, server).status == 201)
        }
        let plain = ResumeToken(at: head.cursor, of: stream).text
        let events = try await Events(server, "/$changes?class=Note&after=\(plain)", ann.token)
        var count = 0
        while count < 6, let event = try await events.next() {
            guard !event.hasPrefix(":") else { continue }
            count += 1
            lengths.insert(try #require(event.split(separator: "\n").first).utf8.count)
        }
        await events.close()
        #expect(count == 6 && lengths.count == 1, "\(lengths)")
        await server.stop()
    }

    @Test func `a document that is refused counts as refused only`() async throws {
        let server = try await server(rules: Self.owners)
        let ann = try await person("ann", server)
        func post(_ mode: String, _ body: String) async throws -> [Int64?] {
            let answer = try await send("POST", "/Note?mode=\(mode)", body, ann, server).body.documentValue
            let refused = answer?["refused"]?.arrayValue.map { Int64($0.count) }
            return [answer?["created"]?.asInt64(), answer?["changed"]?.asInt64(), refused]
        }
        #expect(try await post("upsert", #"{"_id": 1, "owner": "somebody else"}"#) == [0, 0, 1])
        #expect(
            try await post("insert", "[{\"_id\": 2, \"owner\": \"\(ann.id)\"}, {\"_id\": 3, \"owner\": \"x\"}]") == [
                1, 0, 1,
            ]
        )
        #expect(try await post("upsert", #"[{"_id": 2, "owner": "x"}, {"_id": 4, "owner": "x"}]"#) == [0, 0, 2])
        #expect(try await post("upsert", "{\"_id\": 2, \"owner\": \"\(ann.id)\", \"stars\": 1}") == [0, 1, 0])
        await server.stop()
    }

    @Test(arguments: ["log out", "disable", "delete"])
    func `a change stream ends with the log-in that opened it`(_ way: String) async throws {
        let server = try await server(rules: Self.owners)
        let (ann, bob) = (try await person("ann", server), try await person("bob", server))
        let (ended, other) = (
            try await Events(server, "/$changes?class=Note", ann.token),
            try await Events(server, "/$changes?class=Note", bob.token)
        )
        for events in [ended, other] { #expect(try await events.next()?.hasPrefix(":") == true) }
        switch way {
        case "log out": try await server.store.logOut(user: ann.id)
        case "disable": try await server.store.setDisabled(true, user: ann.id)
        default: try await server.store.deleteUser(ann.id)
        }
        // The last part is the end of the chunks.
        while let text = try await ended.next() { #expect(text.isEmpty || text.hasPrefix(":")) }
        #expect(try await send("POST", "/Note", "{\"_id\": 2, \"owner\": \"\(bob.id)\"}", bob, server).status == 201)
        #expect(try await other.nextEvent()?.contains("event: insert") == true)
        await other.close()
        await server.stop()
    }

    /// The server forgets what it knows of users without a connection. Rules would then see a user without custom data.
    @Test func `a user with a change stream is connected, so that rules keep the user's data`() async throws {
        let server = try await server(rules: Self.owners)
        let ann = try await person("ann", server)
        try await server.store.setCustomData(#"{"admin": true}"#, user: ann.id)
        let served = try #require(server.running.node.app("test")?.served)
        let events = try await Events(server, "/$changes?class=Note", ann.token)
        #expect(try await events.next()?.hasPrefix(":") == true)
        for _ in 0..<4 { served.forget(but: try await server.running.node.connectedUsers()) }
        #expect(served.users == [ann.id])
        #expect(try await send("POST", "/Note", #"{"_id": 2, "owner": "somebody else"}"#, ann, server).status == 201)
        #expect(try await events.nextEvent()?.contains("event: insert") == true)
        await events.close()
        for _ in 0..<200 {
            if try await server.running.node.connectedUsers().isEmpty { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        for _ in 0..<4 { served.forget(but: try await server.running.node.connectedUsers()) }
        #expect(served.users.isEmpty)
        await server.stop()
    }

    /// A change stream as a client reads it.
    final class Events: Sendable {
        private let channel: any Channel
        private let pieces: AsyncStream<String>

        init(_ server: AccountProbe, _ path: String, _ token: String) async throws {
            let (stream, source) = AsyncStream<String>.makeStream()
            pieces = stream
            channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).channelInitializer {
                channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Reader(source)) }
            }.connect(host: "127.0.0.1", port: server.port).get()
            let head =
                "GET \(DocumentServiceTests.root)\(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer \(token)\r\n\r\n"
            try await channel.writeAndFlush(ByteBuffer(string: head))
        }

        /// Returns the next event or comment. `nil` at the end.
        func next() async throws -> String? {
            var iterator = pieces.makeAsyncIterator()
            return await iterator.next()
        }

        /// Returns the next event. `nil` at the end. The server sends a comment every 15 seconds, which can be earlier on a busy machine.
        func nextEvent() async throws -> String? {
            while let text = try await next() { if !text.hasPrefix(":") { return text } }
            return nil
        }

        func close() async { try? await channel.close() }

        /// Reads the contents of the chunks without their lengths. Each event is one chunk.
        private final class Reader: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            private let source: AsyncStream<String>.Continuation
            private var text = ""
            private var isBody = false

            init(_ source: AsyncStream<String>.Continuation) { self.source = source }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                // Swift counts a carriage return and a line feed as one character.
                text += String(buffer: unwrapInboundIn(data)).replacing("\r\n", with: "\n")
                if !isBody, let range = text.firstRange(of: "\n\n") {
                    text = String(text[range.upperBound...])
                    isBody = true
                }
                while isBody, let range = text.firstRange(of: "\n\n") {
                    let event = text[..<range.lowerBound]
                    text = String(text[range.upperBound...])
                    // Skips the line with the length of the chunk.
                    let plain = event.split(separator: "\n").filter { $0.hasPrefix(":") || $0.contains(": ") }
                    source.yield(plain.joined(separator: "\n"))
                }
            }

            func channelInactive(context: ChannelHandlerContext) { source.finish() }
        }
    }
}

final class StarNote: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var owner = ""
    @Persisted var stars: Int?

    override class func mappedName() -> String? { "Note" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
