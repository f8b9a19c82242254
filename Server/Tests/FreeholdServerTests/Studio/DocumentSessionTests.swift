import Foundation
import FreeholdBSON
import FreeholdStudio
import FreeholdStudioServer
import FreeholdSyncCore
import FreeholdSyncRules
import NIOHTTP1
import Synchronization
import Testing

@testable import FreeholdServer
@testable import FreeholdServerStudio

/// The screen of data of a server: tables, objects, links and edits, as the page asks for them.
@Suite(.timeLimit(.minutes(20))) struct DocumentSessionTests {
    private static let person = """
        {"title": "Person", "bsonType": "object", "required": ["_id", "age"], "properties": {
          "_id": {"bsonType": "long"}, "name": {"bsonType": "string"}, "age": {"bsonType": "long"},
          "seen": {"bsonType": "date"}, "tags": {"bsonType": "array", "items": {"bsonType": "string"}},
          "scores": {"bsonType": "object", "additionalProperties": {"bsonType": "long"}},
          "address": {"title": "Address", "bsonType": "object", "properties": {
            "city": {"bsonType": "string"}, "zip": {"bsonType": "long"}}},
          "best": {"bsonType": "long"}, "friends": {"bsonType": "array", "items": {"bsonType": "long"}}}}
        """
    private static let links: BSONDocument = [
        "best": ["ref": "#/relationship/mongodb-atlas/app/Person", "foreign_key": "_id", "is_list": false],
        "friends": ["ref": "#/relationship/mongodb-atlas/app/Person", "foreign_key": "_id", "is_list": true],
    ]

    /// The messages that a page received.
    private final class Inbox: Sendable {
        private let state = Mutex<(answers: [Int: StudioJSON], pushes: [StudioJSON], last: Int)>(([:], [], 0))

        func take(_ bytes: [UInt8]) {
            guard let message = try? StudioJSON(parsing: bytes) else { return }
            state.withLock { state in
                if let id = message["id"]?.int { state.answers[id] = message } else { state.pushes.append(message) }
            }
        }

        func next() -> Int {
            state.withLock { state in
                state.last += 1
                return state.last
            }
        }

        func answer(_ id: Int) -> StudioJSON? { state.withLock { $0.answers.removeValue(forKey: id) } }

        func pushes() -> [StudioJSON] {
            state.withLock { state in
                defer { state.pushes = [] }
                return state.pushes
            }
        }
    }

    /// A page of the program.
    private final class Page: Sendable {
        private let session: any StudioPageSession
        private let inbox = Inbox()

        init(_ host: ServerHost) { session = host.open { [inbox] in inbox.take($0) } }

        func send(_ name: String, _ members: [StudioJSON.Member] = []) async throws -> StudioJSON {
            let id = inbox.next()
            let message = StudioJSON.object(
                [.init("id", .number("\(id)")), .init("do", .string(name))] + members
            )
            await withCheckedContinuation { done in session.receive(message.bytes) { done.resume() } }
            return try #require(inbox.answer(id))
        }

        /// Returns the answer to a request that succeeds.
        func ask(_ name: String, _ text: String = "{}") async throws -> StudioJSON {
            let answer = try await send(name, try StudioJSON(parsing: Array(text.utf8)).members ?? [])
            return try #require(answer["ok"], "\(name): \(answer.written)")
        }

        /// Returns the code of the error of a request that fails.
        func error(_ name: String, _ text: String = "{}") async throws -> String? {
            try await send(name, try StudioJSON(parsing: Array(text.utf8)).members ?? [])["error"]?["code"]?.text
        }

        func pushes() -> [StudioJSON] { inbox.pushes() }

        func close() { session.close() }
    }

    private func probe(people: Int = 0) async throws -> AdministratorProbe {
        let probe = try await AdministratorProbe(hasClasses: false)
        let schema = FreeholdSyncRules.SchemaDocument(
            schema: try BSONDocument(extendedJSON: Self.person),
            relationships: Self.links
        )
        try await probe.server.store.changeDocuments(of: "test") { try $0.push([schema]) }
        try await probe.eventually { $0.running.node.app("test")?.served?.tables.isEmpty == false }
        for start in stride(from: 0, to: people, by: 1_000) {
            let documents = (start..<min(start + 1_000, people)).map { number in
                "{\"_id\": \(number), \"name\": \"person \(number)\", \"age\": \(number % 90), \"best\": \(number / 2)}"
            }
            let body = "[" + documents.joined(separator: ",") + "]"
            let answer = try await probe.ask("data/test/Person", .POST, body: body)
            try #require(answer.status == 201, "\(answer.text.prefix(300))")
        }
        return probe
    }

    private func page(_ probe: AdministratorProbe, writes: Bool = true) async throws -> Page {
        let page = Page(ServerHost(probe.options(writes: writes)))
        _ = try await page.ask("openData", #"{"app": "test"}"#)
        return page
    }

    private func cells(_ rows: StudioJSON) -> [[StudioJSON]] {
        (rows["rows"]?.elements ?? []).compactMap { $0.elements?.last?.elements }
    }

    @Test func `a table of many documents is read in parts, with conditions, sorting and links`() async throws {
        let probe = try await probe(people: 6_000)
        let page = try await page(probe)
        let classes = try await page.ask("openData", #"{"app": "test"}"#)["classes"]?.elements
        #expect(
            classes?.compactMap { $0["class"]?.text }.sorted() == ["Person", "Person_address"] || classes?.count == 2
        )
        let opened = try await page.ask(
            "open",
            #"{"class": "Person", "table": "main", "columns": ["_id", "name", "best"]}"#
        )
        #expect(opened["whole"] == false)
        #expect(opened["count"]?.int ?? 0 < 1_000)
        let cursor = try #require(opened["cursor"]?.int)
        // A page scrolls: each part says how many rows are known.
        var known = 0
        var isWhole = false
        while !isWhole {
            let rows = try await page.ask("rows", "{\"cursor\": \(cursor), \"from\": \(known), \"to\": \(known + 500)}")
            let found = cells(rows)
            for (offset, cell) in found.enumerated() { #expect(cell[0].text == "\(known + offset)") }
            known += found.count
            isWhole = rows["whole"] == true && rows["count"]?.int == known
        }
        #expect(known == 6_000)
        let middle = try await page.ask("rows", "{\"cursor\": \(cursor), \"from\": 3000, \"to\": 3002}")
        #expect(
            cells(middle)[1].map(\.written) == [
                #""3001""#, #""person 3001""#, #"{"to":"Person","key":"1500","title":"1500"}"#,
            ]
        )
        #expect(try await page.ask("place", "{\"cursor\": \(cursor), \"key\": \"3001\"}")["index"] == 3_001)

        let few = try await page.ask(
            "open",
            #"{"class": "Person", "table": "main", "query": "age == 7", "sort": [["_id", "desc"]], "columns": ["_id"]}"#
        )
        #expect(few["count"] == 67)
        // The query before it was closed.
        #expect(try await page.error("rows", "{\"cursor\": \(cursor), \"from\": 0, \"to\": 1}") == "notFound")
        let number = try #require(few["cursor"]?.int)
        let rows = cells(try await page.ask("rows", "{\"cursor\": \(number), \"from\": 0, \"to\": 100}"))
        #expect(rows.count == 67 && rows.first?[0] == "5947" && rows.last?[0] == "7")
        #expect(try await page.error("open", #"{"class": "Person", "sort": [["age", "asc"]]}"#) == "tooLarge")
        #expect(try await page.error("open", #"{"class": "Person", "query": "agee == 7"}"#) == "query")
        #expect(try await page.error("open", #"{"class": "Missing"}"#) == "notFound")
        #expect(try await page.error("open", #"{"class": "Person", "query": "best.age == 7"}"#) == "invalid")

        // Links are followed in both directions.
        let object = try await page.ask("object", #"{"class": "Person", "key": "5"}"#)
        #expect(object["title"] == "person 5")
        let best = object["fields"]?.elements?.first { $0.elements?.first == "best" }
        #expect(best?.written == #"["best",{"to":"Person","key":"2","title":"person 2"}]"#)
        #expect(object["links"]?.elements?.compactMap { $0["property"]?.text }.sorted() == ["best", "friends"])
        let linked = try await page.ask(
            "linked",
            #"{"class": "Person", "key": "5", "by": {"class": "Person", "property": "best"}, "from": 0, "to": 100}"#
        )
        #expect(linked["objects"]?.elements?.compactMap { $0["key"]?.text } == ["10", "11"])
        #expect(linked["whole"] == true && linked["count"] == 2)
        let none = try await page.ask(
            "linked",
            #"{"class": "Person", "key": "5", "by": {"class": "Person", "property": "friends"}, "from": 0, "to": 100}"#
        )
        #expect(none["objects"]?.elements?.isEmpty == true)
        let found = try await page.ask("find", #"{"class": "Person", "text": "PERSON 599"}"#)["results"]?.elements ?? []
        #expect(found.compactMap { $0["title"]?.text }.allSatisfy { $0.hasPrefix("person 599") } && found.count >= 10)
        #expect(
            try await page.ask("condition", #"{"class": "Person", "property": "best", "key": "5"}"#)["query"]?.text?
                .isEmpty == false
        )
        page.close()
        await probe.server.stop()
    }

    @Test func `edits are checked, written as merged changes, and shown as commands`() async throws {
        let probe = try await probe(people: 3)
        let page = try await page(probe)
        let edits = """
            {"edits": [
              {"set": {"class": "Person", "key": "0", "property": "name", "text": "Ann"}},
              {"set": {"class": "Person", "key": "0", "property": "age", "value": "7"}},
              {"insert": {"class": "Person", "key": "1", "property": "tags", "at": 0, "value": "red"}},
              {"insert": {"class": "Person", "key": "1", "property": "scores", "at": "math", "value": "5"}},
              {"insert": {"class": "Person", "key": "1", "property": "friends", "at": 0, "value": {"to": "Person", "as": "new1"}}},
              {"create": {"class": "Person", "values": {"_id": "50", "name": "Zoe"}, "as": "new1"}},
              {"delete": {"class": "Person", "keys": ["2"]}}]}
            """
        // A link to a document that is created later in the message isn't known yet.
        #expect(try await page.error("stage", edits) == "notFound")
        #expect(try await page.ask("waiting")["count"] == 0)
        let list = try #require(try StudioJSON(parsing: Array(edits.utf8))["edits"]?.elements)
        let ordered = StudioJSON.array([list[5]] + list[..<5] + [list[6]])
        let staged = try await page.send("stage", [.init("edits", ordered)])
        #expect(staged["ok"]?["count"] == 7, "\(staged.written)")
        let check = try await page.ask("check")
        #expect(check["errors"]?.elements?.isEmpty == true, "\(check.written)")
        #expect(check["objects"] == 4)
        let kinds = check["difference"]?.elements?.compactMap { $0["kind"]?.text }
        #expect(kinds == ["created", "changed", "changed", "deleted"])
        let commands = check["commands"]?.elements?.map { $0.elements?.compactMap(\.text) ?? [] } ?? []
        #expect(commands.map(\.first) == ["insert", "update", "insert", "delete"])
        #expect(commands[1] == ["update", "Person", "0", #"{"$set":{"name":"Ann","age":7}}"#])
        #expect(commands[2].suffix(2) == ["--mode", "upsert"])
        // A dry run changes nothing.
        #expect(try await probe.ask("data/test/Person/0")["name"] == "person 0")
        #expect(try await page.ask("write")["objects"] == 4)
        #expect(try await page.ask("waiting")["count"] == 0)
        #expect(try await probe.ask("data/test/Person/0")["name"] == "Ann")
        let other = try await probe.ask("data/test/Person/1")
        #expect(other["tags"] == ["red"] && other["scores"]?.written == #"{"math":5}"#)
        #expect(other["friends"]?.written == "[50]")
        #expect(try await probe.ask("data/test/Person/50")["name"] == "Zoe")
        #expect(try await probe.ask("data/test/Person/2").status == 404)
        let lines = try await probe.ask("logs?text=administrator").list("lines")
        #expect(lines.count { $0["message"] == "an administrator changed a document" } == 1)
        #expect(lines.allSatisfy { $0["values"]?["administrator"] == "tester" })
        // The elements of a list of links are a table.
        let of =
            #"{"class": "Person", "of": {"class": "Person", "key": "1", "property": "friends"}, "columns": ["name"]}"#
        let cursor = try #require(try await page.ask("open", of)["cursor"]?.int)
        let rows = try await page.ask("rows", "{\"cursor\": \(cursor), \"from\": 0, \"to\": 5}")
        #expect(cells(rows).map { $0[0] } == ["Zoe"])

        // A value that another client writes meanwhile is a conflict, and nothing is written.
        let stage = #"{"edits": [{"set": {"class": "Person", "key": "0", "property": "name", "text": "Bea"}}]}"#
        _ = try await page.ask("stage", stage)
        #expect(try await probe.ask("data/test/Person/0", .PATCH, body: #"{"$set": {"name": "Cy"}}"#).status == 200)
        let conflict = try await page.ask("check")["conflicts"]?.elements?.first
        #expect(conflict?["old"] == "Ann" && conflict?["new"] == "Bea" && conflict?["current"] == "Cy")
        #expect(try await page.error("write") == "conflict")
        #expect(try await probe.ask("data/test/Person/0")["name"] == "Cy")
        #expect(try await page.ask("write", #"{"overwrite": true}"#)["objects"] == 1)
        #expect(try await probe.ask("data/test/Person/0")["name"] == "Bea")

        // Values that don't fit are refused at once, and others by the dry run.
        let wrong = [
            #"{"set": {"class": "Person", "key": "0", "property": "age", "text": "x"}}"#,
            #"{"set": {"class": "Person", "key": "0", "property": "age", "value": null}}"#,
            #"{"set": {"class": "Person", "key": "0", "property": "_id", "text": "9"}}"#,
            #"{"set": {"class": "Person", "key": "99", "property": "age", "text": "9"}}"#,
            #"{"set": {"class": "Person", "key": 0, "property": "age", "text": "9"}}"#,
            #"{"remove": {"class": "Person", "key": "0", "property": "tags", "at": 0}}"#,
            #"{"setAll": {"cursor": 1, "property": "age", "text": "1"}}"#, #"{"explode": {}}"#, "5", "{}",
            #"{"create": {"class": "Person", "values": {"name": "x"}}}"#,
        ]
        for edit in wrong { #expect(try await page.error("stage", "{\"edits\": [\(edit)]}") != nil, "\(edit)") }
        #expect(try await page.ask("waiting")["count"] == 0)
        _ = try await page.ask("stage", #"{"edits": [{"create": {"class": "Person", "values": {"_id": "0"}}}]}"#)
        #expect(try await page.ask("check")["errors"]?.elements?.count == 1)
        page.close()
        await probe.server.stop()
    }

    @Test func `fields of embedded objects and parts of collections are shown and edited`() async throws {
        let probe = try await probe(people: 1)
        let tags = (0..<1_200).map { "\"tag \($0)\"" }.joined(separator: ",")
        let set = "{\"$set\": {\"address\": {\"city\": \"Bern\", \"zip\": 3000}, \"tags\": [\(tags)]}}"
        #expect(try await probe.ask("data/test/Person/0", .PATCH, body: set).status == 200)
        let page = try await page(probe)
        let object = try await page.ask("object", #"{"class": "Person", "key": "0"}"#)
        let address = object["fields"]?.elements?.first { $0.elements?.first == "address" }?.elements?.last
        let (name, key) = (try #require(address?["of"]?.text), try #require(address?["key"]?.text))
        #expect(key == "Person/0/address")
        let inner = try await page.ask("object", "{\"class\": \"\(name)\", \"key\": \"\(key)\"}")
        #expect(inner["fields"]?.written == #"[["city","Bern"],["zip","3000"]]"#)
        #expect(inner["owner"]?["key"] == "0")
        let part = try await page.ask(
            "part",
            #"{"class": "Person", "key": "0", "path": ["tags"], "from": 1100, "to": 1500}"#
        )
        #expect(part["count"] == 1_200 && part["elements"]?.elements?.count == 100)
        #expect(
            try await page.error("part", #"{"class": "Person", "key": "0", "path": ["tags"], "from": 0, "to": 5000}"#)
                == "tooLarge"
        )
        let edit =
            "{\"edits\": [{\"set\": {\"class\": \"\(name)\", \"key\": \"\(key)\", \"property\": \"city\", \"text\": \"Basel\"}}]}"
        _ = try await page.ask("stage", edit)
        let check = try await page.ask("check")
        #expect(check["commands"]?.elements?.first?.elements?.last == #"{"$set":{"address.city":"Basel"}}"#)
        _ = try await page.ask("write")
        #expect(try await probe.ask("data/test/Person/0")["address"]?.written == #"{"city":"Basel","zip":3000}"#)
        for bad in ["Person", "Person/0", "Person/0/tags", "Person/0/nothing", "/", "Person//address", "%/%/%"] {
            #expect(try await page.error("object", "{\"class\": \"\(name)\", \"key\": \"\(bad)\"}") != nil, "\(bad)")
        }
        page.close()
        await probe.server.stop()
    }

    @Test func `the visible rows and the object follow the writes of others`() async throws {
        let probe = try await probe(people: 10)
        let page = try await page(probe)
        let cursor = try #require(
            try await page.ask("open", #"{"class": "Person", "table": "main", "columns": ["_id", "name"]}"#)["cursor"]?
                .int
        )
        _ = try await page.ask("rows", "{\"cursor\": \(cursor), \"from\": 0, \"to\": 20}")
        _ = try await page.ask("object", #"{"class": "Person", "key": "3", "follow": true}"#)
        _ = try await page.ask("follow")
        #expect(page.pushes().isEmpty)
        #expect(try await probe.ask("data/test/Person/3", .PATCH, body: #"{"$set": {"name": "new"}}"#).status == 200)
        #expect(try await probe.ask("data/test/Person", .POST, body: #"{"_id": 99, "age": 1}"#).status == 201)
        _ = try await page.ask("follow")
        let pushes = page.pushes()
        let changed = try #require(pushes.first { $0["push"] == "changed" })
        #expect(changed["count"] == 11 && changed["moved"] == true)
        #expect(changed["cells"]?.written == #"[["3",[1]]]"#)
        #expect(pushes.first { $0["push"] == "object" }?["fields"]?.written == #"["name"]"#)
        #expect(try await probe.ask("data/test/Person/3", .DELETE).status == 200)
        _ = try await page.ask("follow")
        #expect(page.pushes().contains { $0["push"] == "object" && $0["gone"] == true })
        let copy = try await page.ask(
            "copy",
            "{\"cursor\": \(cursor), \"ranges\": [[0, 2]], \"columns\": [\"name\"], \"format\": \"csv\"}"
        )
        #expect(copy["text"] == "name\r\nperson 0\r\nperson 1\r\n")
        page.close()
        await probe.server.stop()
    }

    @Test func `without --write no edit is staged, and hostile requests are answered`() async throws {
        let probe = try await probe(people: 2)
        let reader = try await page(probe, writes: false)
        let stage = #"{"edits": [{"delete": {"class": "Person", "keys": ["0"]}}]}"#
        for name in ["stage", "check", "write"] {
            #expect(try await reader.error(name, stage) == "readOnly", "\(name)")
        }
        let page = try await page(probe)
        let requests: [(String, String)] = [
            ("rows", #"{"cursor": 99, "from": 0, "to": 1}"#), ("rows", #"{"cursor": -1}"#), ("open", "{}"),
            ("open", #"{"class": 5}"#), ("open", #"{"class": "Person", "columns": ["nothing"]}"#),
            ("open", #"{"class": "Person", "sort": [["_id"]]}"#),
            ("open", #"{"class": "Person", "sort": [["best", "asc"]]}"#),
            ("open", #"{"class": "Person", "of": {"class": "Person", "key": "0", "property": "name"}}"#),
            ("open", "{\"class\": \"Person\", \"query\": \"\(String(repeating: "(", count: 4_000))\"}"),
            ("open", "{\"class\": \"Person\", \"query\": \"\(String(repeating: "x", count: 5_000))\"}"),
            ("object", #"{"class": "Person", "key": "../../x"}"#), ("object", #"{"class": "Person", "key": 5}"#),
            ("part", #"{"class": "Person", "key": "0", "path": [], "from": 0, "to": 1}"#),
            ("part", #"{"class": "Person", "key": "0", "path": ["name", "x"], "from": 0, "to": 1}"#),
            (
                "linked",
                #"{"class": "Person", "key": "0", "by": {"class": "Person", "property": "name"}, "from": 0, "to": 1}"#
            ),
            ("find", #"{"text": "x"}"#), ("copy", #"{"cursor": 1, "format": "swift"}"#), ("remember", "{}"),
            ("openData", #"{"app": "nothing"}"#), ("openData", "{}"),
            ("complete", #"{"class": "Person", "text": "", "at": 9}"#),
        ]
        for (name, body) in requests { #expect(try await page.error(name, body) != nil, "\(name) \(body.prefix(80))") }
        for _ in 0..<7 { _ = try await page.ask("open", #"{"class": "Person"}"#) }
        #expect(try await page.ask("open", #"{"class": "Person"}"#)["cursor"] != nil)
        #expect(try await page.error("open", #"{"class": "Person"}"#) == "limit")
        // A page that shows no app has no documents.
        let empty = Page(ServerHost(probe.options()))
        for name in ["follow", "recall"] { #expect(try await empty.error(name) == "noFile") }
        #expect(try await probe.ask("data/test/Person").list("documents").count == 2)
        reader.close()
        page.close()
        empty.close()
        await probe.server.stop()
    }
}
