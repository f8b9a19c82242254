import Foundation
import Freehold
import FreeholdBSON
import FreeholdServerStore
import FreeholdSync
import FreeholdSyncCore
import FreeholdSyncRules
import Testing

@testable import FreeholdServer

/// Conditions on the key and conditions that aren't served, in subscriptions and over HTTP.
@Suite(.timeLimit(.minutes(20))) struct KeyConditionTests {
    private let clients = try! TestFolder()
    private static let root = "/api/data/v1/app/test"

    private func user(_ server: AccountProbe, _ name: String) async throws -> User {
        var configuration = AppConfiguration(baseURL: server.address)
        configuration.rootDirectory = URL(fileURLWithPath: "\(clients.path)/\(name)", isDirectory: true)
        let app = App(id: "test", configuration: configuration)
        let (email, password) = ("\(name)@example.org", "a long password")
        try await app.emailPasswordAuth.registerUser(email: email, password: password)
        return try await app.login(credentials: .emailPassword(email: email, password: password))
    }

    @MainActor private func realm(_ user: User) async throws -> Realm {
        var configuration = user.flexibleSyncConfiguration()
        configuration.objectTypes = [Person.self, Dog.self, Collar.self]
        return try await Realm(configuration: configuration, downloadBeforeOpen: .never)
    }

    @MainActor private func subscribe(_ realm: Realm, _ query: QuerySubscription<Person>) async throws {
        try await realm.subscriptions.update {
            realm.subscriptions.removeAll()
            realm.subscriptions.append(query)
        }
        try await realm.syncSession?.wait(for: .download)
        realm.refresh()
    }

    @MainActor @Test(arguments: [false, true])
    func `subscriptions find objects by their keys`(isOnDisk: Bool) async throws {
        let folder = try TestFolder()
        let store: any NodeStore =
            isOnDisk
            ? FileNodeStore(try FileServerStore(at: "\(folder.path)/sync", epoch: 7))
            : QueuedServerStore(MemoryServerStore(epoch: 7))
        let server = try await AccountProbe(folder: folder, sync: store)
        let author = try await realm(user(server, "author"))
        try await author.subscriptions.update {
            author.subscriptions.append(QuerySubscription<Person>(), QuerySubscription<Dog>(name: "dogs"))
        }
        try author.write {
            for id in ["ann", "bob", "cy"] {
                let person = author.create(Person.self, value: ["_id": id, "name": "P"])
                person.dogs.append(author.create(Dog.self, value: ["name": "Rex", "age": 3]))
            }
        }
        try await author.syncSession?.wait(for: .upload)

        let reader = try await realm(user(server, "reader"))
        func ids() -> [String] { reader.objects(Person.self).map(\._id).sorted() }
        try await subscribe(reader, QuerySubscription { $0._id == "ann" })
        #expect(ids() == ["ann"])
        try await subscribe(reader, QuerySubscription { $0._id.in(["bob", "cy", "none"]) && $0.name == "P" })
        #expect(ids() == ["bob", "cy"])
        try await subscribe(reader, QuerySubscription { $0._id != "bob" })
        #expect(ids() == ["ann", "cy"])
        try await subscribe(reader, QuerySubscription { $0._id > "ann" && $0._id < "cy" })
        #expect(ids() == ["bob"])
        try await subscribe(reader, QuerySubscription { !$0._id.starts(with: "b") })
        #expect(ids() == ["ann", "cy"])

        // An object that is created later enters the view by its key as well.
        try await subscribe(reader, QuerySubscription { $0._id == "dora" })
        #expect(ids() == [])
        try author.write { _ = author.create(Person.self, value: ["_id": "dora", "name": "D"]) }
        try await author.syncSession?.wait(for: .upload)
        try await reader.syncSession?.wait(for: .download)
        reader.refresh()
        #expect(ids() == ["dora"])

        // The refusal of a condition through a link names the link.
        let error = await #expect(throws: SyncError.self) {
            try await subscribe(reader, QuerySubscription { $0.dogs.age > 1 })
        }
        #expect(error?.code == .invalidFlexibleSyncSubscriptions)
        #expect("\(try #require(error))".contains("A condition through the link 'dogs' isn't served."))
        await server.stop()
    }

    private static let schemas = [
        """
        {"title": "Doc", "bsonType": "object", "required": ["_id"], "properties": {
          "_id": {"bsonType": "string"}, "x": {"bsonType": "long"}, "owner": {"bsonType": "string"}}}
        """,
        """
        {"title": "Member", "bsonType": "object", "required": ["_id"], "properties": {
          "_id": {"bsonType": "string"}, "name": {"bsonType": "string"}}}
        """,
    ]

    private func server(rules: String?) async throws -> AccountProbe {
        let server = try await AccountProbe()
        let schemas = try Self.schemas.map { SchemaDocument(schema: try BSONDocument(extendedJSON: $0)) }
        let link: BSONDocument = ["owner": ["ref": "#/relationship/mongodb-atlas/test/Member", "foreign_key": "_id"]]
        let set = try rules.map { try RuleSet(extendedJSON: $0) }
        try await server.store.changeDocuments(of: "test") { documents in
            try documents.push([SchemaDocument(schema: schemas[0].schema, relationships: link), schemas[1]])
            documents.rules = set
        }
        // The server looks for changed schemas three times a second.
        for _ in 0..<100 where server.running.node.app("test")?.served?.tables.isEmpty != false {
            try await Task.sleep(for: .milliseconds(50))
        }
        return server
    }

    private func token(_ server: AccountProbe, _ name: String) async throws -> (id: String, token: String) {
        try await server.register("\(name)@example.org")
        let login = try await server.login("\(name)@example.org")
        return (try #require(login["user_id"]), try #require(login["access_token"]))
    }

    private func send(_ method: String, _ path: String, _ body: String, token: String, to server: AccountProbe)
        async throws
        -> AccountProbe.Answer
    {
        try await server.send(method, Self.root + path, bytes: Array(body.utf8), token: token)
    }

    private func find(_ query: String, token: String, to server: AccountProbe) async throws -> [String] {
        let text = try #require(query.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        var (found, after) = ([String](), "")
        repeat {
            let path = "/Doc?limit=2&query=\(text)" + (after.isEmpty ? "" : "&after=\(after)")
            let body = try #require(try await send("GET", path, "", token: token, to: server).body.documentValue)
            found += body["documents"]?.arrayValue?.compactMap { $0.documentValue?["_id"]?.stringValue } ?? []
            after = body["next"]?.stringValue ?? ""
        } while !after.isEmpty
        return found
    }

    @Test func `queries over HTTP find documents by their keys`() async throws {
        let server = try await server(rules: nil)
        let ann = try await token(server, "ann")
        let documents = ["a1", "a2", "b1", "b2", "b3", "c1"].map { "{\"_id\": \"\($0)\", \"x\": 1}" }
        let made = try await send("POST", "/Doc", "[\(documents.joined(separator: ","))]", token: ann.token, to: server)
        #expect(made.status == 201)
        for (query, expected) in [
            ("_id == 'a1'", ["a1"]), ("_id == 'none'", []),
            ("_id IN {'b3', 'a2', 'x', 'b1', 'c1'}", ["a2", "b1", "b3", "c1"]),
            ("_id == 'a1' AND x == 2", []), ("_id != 'a1' AND _id < 'b3'", ["a2", "b1", "b2"]),
            ("_id BEGINSWITH 'b'", ["b1", "b2", "b3"]), ("NOT (_id CONTAINS '1' OR x == 2)", ["a2", "b2", "b3"]),
            ("_id BETWEEN {'a2', 'b1'}", ["a2", "b1"]), ("_id ==[c] 'A1'", ["a1"]),
        ] {
            #expect(try await find(query, token: ann.token, to: server) == expected, "\(query)")
        }
        for (query, reason) in [
            ("owner.name == 'x'", "A condition through the link 'owner' isn't served."),
            ("nosuch == 1", "Class Doc has no property 'nosuch'."), ("x == 'one'", "'x' is an int"),
            ("x TEXT 'one'", "TEXT isn't served."),
        ] {
            let text = try #require(query.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let answer = try await send("GET", "/Doc?query=\(text)", "", token: ann.token, to: server)
            #expect(answer.status == 400, "\(query)")
            #expect(
                answer.body.documentValue?["error"]?.stringValue?.contains(reason) == true,
                "\(query): \(answer.body)"
            )
        }
        await server.stop()
    }

    @Test func `rules that name the key show and let write what they say`() async throws {
        let role = """
            {"name": "a", "apply_when": {}, "read": true, "write": true, "insert": true, "delete": true,
             "document_filters": {"read": {"_id": {"$nin": ["secret", "hidden"]}}, "write": {"_id": {"$ne": "config"}}}}
            """
        let own = """
            {"name": "o", "apply_when": {}, "read": true, "write": true, "insert": true, "delete": true,
             "document_filters": {"read": {"_id": "%%user.id"}, "write": {"_id": "%%user.id"}}}
            """
        let rules = #"{"classes": {"Doc": {"roles": [\#(role)]}, "Member": {"roles": [\#(own)]}}}"#
        let server = try await server(rules: rules)
        let ann = try await token(server, "ann")
        func post(_ path: String, _ key: String) async throws -> Int {
            try await send("POST", path, "{\"_id\": \"\(key)\"}", token: ann.token, to: server).status
        }
        #expect(try await post("/Doc", "open") == 201)
        #expect(try await post("/Doc", "config") != 201)
        #expect(try await post("/Member", ann.id) == 201)
        #expect(try await post("/Member", "other") != 201)
        // The user can read the documents that were created. `config` was refused.
        #expect(try await find("TRUEPREDICATE", token: ann.token, to: server) == ["open"])
        #expect(try await find("_id == 'open'", token: ann.token, to: server) == ["open"])
        #expect(try await find("_id == 'config'", token: ann.token, to: server) == [])
        let mine = try await send("GET", "/Member/\(ann.id)", "", token: ann.token, to: server)
        #expect(mine.status == 200)
        await server.stop()
    }
}
