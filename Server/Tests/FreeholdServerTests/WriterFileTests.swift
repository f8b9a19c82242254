import FreeholdBSON
import FreeholdServerStore
import FreeholdSyncCore
import FreeholdSyncRules
import Testing

@testable import FreeholdServer

/// The file that HTTP writes and imports share, and the keys of what they create.
@Suite(.timeLimit(.minutes(20))) struct WriterFileTests {
    private static let schema = """
        {"title": "Word", "bsonType": "object", "properties": {
          "_id": {"bsonType": "string"}, "count": {"bsonType": "long"},
          "tags": {"bsonType": "array", "items": {"bsonType": "string"}}}}
        """

    private struct Server {
        let probe: AccountProbe
        let token: String

        init(_ folder: TestFolder, _ store: any NodeStore) async throws {
            probe = try await AccountProbe(folder: folder, sync: store)
            let schema = try BSONDocument(extendedJSON: WriterFileTests.schema)
            try await probe.store.changeDocuments(of: "test") { documents in
                try documents.push([SchemaDocument(schema: schema)])
            }
            for _ in 0..<100 where probe.running.node.app("test")?.served?.tables.isEmpty != false {
                try await Task.sleep(for: .milliseconds(50))
            }
            token = try #require(try await probe.loginAnonymous()["access_token"])
        }

        func send(_ method: String, _ path: String, _ body: String = "") async throws -> AccountProbe.Answer {
            try await probe.send(method, "/api/data/v1/app/test/Word" + path, bytes: Array(body.utf8), token: token)
        }
    }

    @Test func `lives of a server and imports write under one file, and their elements differ`() async throws {
        let folder = try TestFolder()
        let files = try FileServerStore(at: folder.path + "/sync", epoch: 7)
        let body = #"{"_id": "list", "tags": ["a"]}"#
        for life in 0..<3 {
            let server = try await Server(folder, FileNodeStore(files))
            if life == 0 { #expect(try await server.send("POST", "", body).status == 201) }
            for number in 0..<2 {
                let push = #"{"$push": {"tags": "\#(life)\#(number)"}}"#
                #expect(try await server.send("PATCH", "/list", push).status == 200)
            }
            let writers = WriterSecrets(secret: try ServerSecret.read(folder.path))
            var local = LocalNode(files, app: "test", ServerApp()) { writers.secret(of: $0) }
            let place = Place(ObjectName("Word", "list"), "tags")
            let change = Change.insert(place, Gap(after: nil, before: nil), first: 1, [.string(SyncString("i\(life)"))])
            let outcome = local.submit(Submission(stream: StreamName(app: "test"), user: "", changes: [change]))
            guard case .done(_, let refusals) = outcome, refusals.isEmpty else {
                Issue.record("\(outcome)")
                return
            }
            // The server's next write has the number behind the import's.
            let push = #"{"$push": {"tags": "\#(life)2"}}"#
            #expect(try await server.send("PATCH", "/list", push).status == 200)
            let tags = try await server.send("GET", "/list").body.documentValue?["tags"]
            guard case .array(let found)? = tags else {
                Issue.record("no tags")
                return
            }
            #expect(Set(found.compactMap(\.stringValue)).count == 1 + 4 * (life + 1))
            #expect(found.count == 1 + 4 * (life + 1))
            await server.probe.stop()
        }
        #expect(try files.streamFiles().map(\.files) == [1])
        #expect(try files.streamFiles().map(\.version) == [13])
    }

    @Test func `a new document with a longer key is 400, and a key of 1,024 bytes isn't`() async throws {
        let folder = try TestFolder()
        let server = try await Server(folder, QueuedServerStore(MemoryServerStore(epoch: 7)))
        let (longest, long) = (String(repeating: "k", count: 1_024), String(repeating: "k", count: 1_025))
        func text(_ key: String) -> String { #"{"_id": "\#(key)", "count": 1}"# }
        #expect(try await server.send("POST", "", text(longest)).status == 201)
        #expect(try await server.send("GET", "/" + longest).status == 200)
        for (method, path, body) in [
            ("POST", "", text(long)), ("POST", "", "[\(text("short")), \(text(long))]"),
            ("PUT", "/" + long, text(long)),
            ("PATCH", "/\(long)?upsert=true", #"{"$set": {"count": 2}}"#),
        ] {
            let answer = try await server.send(method, path, body)
            #expect(answer.status == 400, "\(method)")
            #expect(answer.code == "BadRequest")
            #expect(answer["error"]?.contains("1025 bytes") == true)
        }
        #expect(try await server.send("GET", "/short").status == 404)
        #expect(try await server.send("GET", "/" + long).status == 404)
        await server.probe.stop()
    }
}
