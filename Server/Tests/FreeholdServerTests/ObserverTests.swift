import Foundation
import FreeholdBSON
import FreeholdSyncCore
import FreeholdSyncDocuments
import FreeholdSyncRules
import NIOHTTP1
import ServerTestRandom
import Testing

@testable import FreeholdHTTP
@testable import FreeholdServer

/// Two worlds with different hidden data give an observer equal answers over HTTP, byte for byte. Positions and tokens
/// are encrypted, so only their lengths are compared.
@Suite(.timeLimit(.minutes(20))) struct ObserverTests {
    private static let schema = """
        {"title": "Note", "bsonType": "object", "required": ["_id", "owner"], "properties": {
          "_id": {"bsonType": "long"}, "owner": {"bsonType": "string"}, "text": {"bsonType": "string"},
          "stars": {"bsonType": "long"}, "tags": {"bsonType": "array", "items": {"bsonType": "string"}},
          "secret": {"bsonType": "string"}}}
        """
    private static let rules = """
        {"classes": {"Note": {"roles": [
          {"name": "admin", "apply_when": {"%%user.custom_data.admin": true},
           "document_filters": {"read": true, "write": true}, "read": true, "write": true, "insert": true, "delete": true},
          {"name": "observer", "apply_when": {},
           "document_filters": {"read": {"owner": "all"}, "write": {"owner": "all"}},
           "insert": true, "delete": true,
           "fields": {"secret": {"read": false, "write": false}}, "additional_fields": {"read": true, "write": true}}]}}}
        """

    /// A server with one app. Requests reach its service without sockets.
    private final class World {
        let probe: AccountProbe
        let service: DocumentService
        private var admin = Identity(user: "")
        private var observer = Identity(user: "")

        init() async throws {
            probe = try await AccountProbe()
            // Pages end by their limits only, also on a busy machine.
            let positions = SealedPositions(secret: "a secret of the tests")
            service = DocumentService(probe.running.node, positions: positions, scanTime: .seconds(3_600))
            let schema = try BSONDocument(extendedJSON: ObserverTests.schema)
            let rules = try RuleSet(extendedJSON: ObserverTests.rules)
            try await probe.store.changeDocuments(of: "test") { documents in
                try documents.push([SchemaDocument(schema: schema)])
                documents.rules = rules
            }
            (admin, observer) = (try await person("admin"), try await person("observer"))
            try await probe.store.setCustomData("{\"admin\": true}", user: admin.user)
            // Waits for the rights of the administrator: the server looks for changes three times a second. Only the
            // administrator may query the field, and the query writes nothing.
            for _ in 0..<200 {
                if try await ask("GET", "/Note?query=secret%20%3D%3D%20%22x%22", isAdmin: true).hasPrefix("200") {
                    return
                }
                try await Task.sleep(for: .milliseconds(50))
            }
            Issue.record("The administrator has no rights.")
        }

        private func person(_ name: String) async throws -> Identity {
            try await probe.register("\(name)@example.org")
            let login = try await probe.login("\(name)@example.org")
            let token = try #require(login["access_token"])
            return try #require(try await probe.running.node.authenticator.identify(token))
        }

        private func answer(_ method: String, _ path: String, body: String, isAdmin: Bool) async -> HTTPAnswer {
            let uri = "/api/data/v1/app/test" + path
            let head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: method), uri: uri)
            let request = HTTPRequest(
                head: head,
                body: Array(body.utf8),
                address: "127.0.0.1",
                user: isAdmin ? admin : observer
            )
            return await service.group.answer(request)
        }

        /// Returns the status, the headers and the body of an answer. For a stream, returns the events up to the first
        /// comment, which the server sends when no events are left.
        func ask(
            _ method: String,
            _ path: String,
            _ body: String = "",
            isAdmin: Bool = false
        ) async throws -> String {
            let answer = await answer(method, path, body: body, isAdmin: isAdmin)
            var text = "\(answer.status.code) \(answer.type) \(answer.headers)\n"
            switch answer.body {
            case .text(let body): text += body
            case .bytes, .byteStream: Issue.record("The answer is no text.")
            case .stream(let next):
                while let event = await next() {
                    text += event
                    if event.hasPrefix(":") { break }
                }
            }
            return text
        }
    }

    /// Returns the positions of an answer, in order.
    private static func positions(_ text: String) -> [String] {
        text.matches(of: /~[A-Za-z0-9_-]+/).map { String($0.output) }
    }

    /// Returns the answer with lengths in place of positions.
    private static func comparable(_ text: String) -> String {
        text.replacing(/~[A-Za-z0-9_-]+/) { "~\($0.output.utf8.count)" }
    }

    /// Returns the hidden documents of one world. Their keys are keys that the observer doesn't use.
    private func hidden(_ random: inout SeededRandom) -> String {
        // Sometimes more than one page of the store.
        let count = random.chance(10) ? 1_500 : random.below(40)
        var keys = Set((0..<count).map { _ in random.below(1_000_000) * 10 + 1 + random.below(9) })
        keys.insert(1)
        let documents = keys.map { key in
            "{\"_id\": \(key), \"owner\": \"nobody\", \"secret\": \"\(String(repeating: "s", count: random.below(50)))\"}"
        }
        return documents.joined(separator: ",")
    }

    private func shown(
        _ keys: Set<Int>,
        _ step: Int,
        random: inout SeededRandom,
        own: inout SeededRandom
    ) -> String {
        let documents = keys.sorted().map { key in
            let owner = random.chance(80) ? "all" : "nobody"
            let secret = String(repeating: "x", count: own.below(30))
            return """
                {"_id": \(key), "owner": "\(owner)", "text": "t\(random.below(4))", "stars": \(step), "secret": "\(secret)"}
                """
        }
        return documents.joined(separator: ",")
    }

    @Test(arguments: 0..<2)
    func `two worlds that differ in hidden documents answer an observer alike`(_ number: Int) async throws {
        var random = SeededRandom(test: "ObserverTests \(number)")
        let seed = random.next()
        let worlds = [try await World(), try await World()]
        var own = worlds.indices.map { SeededRandom(seed: seed &+ UInt64($0)) }
        var (pages, tokens) = ([[String]](), [[String]]())

        /// Sends a request to both worlds, compares the answers, and returns their positions.
        ///
        /// - Parameter after: The position of each world behind which the answer begins.
        @discardableResult
        func ask(
            _ method: String,
            _ path: String,
            body: String = "",
            after: [String]? = nil
        ) async throws -> [[String]] {
            var answers: [String] = []
            for (index, world) in worlds.enumerated() {
                let path = path + (after.map { "after=\($0[index])" } ?? "")
                answers.append(try await world.ask(method, path, body))
            }
            let plain = answers.map(Self.comparable)
            #expect(plain[0] == plain[1], "\(method) \(path) \(body)")
            return answers.map(Self.positions)
        }

        let queries = [
            "", "&query=stars%20%3E%203", "&query=text%20%3D%3D%20%22t1%22",
            "&query=_id%20IN%20%7B10%2C%2020%2C%2030%7D",
        ]
        for step in 0..<90 {
            let key = random.below(40) * 10
            switch random.below(10) {
            case 0, 1, 2:
                let keys = Set((0..<1 + random.below(6)).map { _ in random.below(40) * 10 })
                let kept = random
                for (index, world) in worlds.enumerated() {
                    var same = kept
                    let documents = hidden(&own[index]) + "," + shown(keys, step, random: &same, own: &own[index])
                    let answer = try await world.ask("POST", "/Note?mode=replace", "[\(documents)]", isAdmin: true)
                    #expect(answer.hasPrefix("20"), "\(answer)")
                    random = same
                }
            case 3, 4, 5:
                let query = queries[random.below(queries.count)]
                let path = "/Note?limit=\(1 + random.below(12))" + query
                var next = try await ask("GET", path)
                // Reads all pages.
                for _ in 0..<50 where next.allSatisfy({ !$0.isEmpty }) {
                    pages.append(next.map { $0[0] })
                    next = try await ask("GET", path + "&", after: next.map { $0[0] })
                }
                #expect(next == [[], []])
            case 6:
                try await ask("GET", "/Note/\(key)")
                try await ask("GET", "/Note/\(random.chance(50) ? 1 : -1)")
            case 7:
                let bodies = [
                    "{\"$set\": {\"stars\": \(step)}}", "{\"$set\": {\"secret\": \"x\"}}",
                    "{\"$push\": {\"tags\": \"a\"}}",
                    "{\"$set\": {\"owner\": \"nobody\"}}", "{\"$unset\": {\"secret\": 1}}",
                ]
                try await ask("PATCH", "/Note/\(key)", body: bodies[random.below(bodies.count)])
            case 8:
                let modes = ["insert", "upsert", "replace"]
                let owner = random.chance(70) ? "all" : "nobody"
                let body =
                    "[{\"_id\": \(key), \"owner\": \"\(owner)\"}, {\"_id\": \(10_000_000 + step * 10), \"owner\": \"all\"}]"
                try await ask("POST", "/Note?mode=\(modes[random.below(3)])", body: body)
                try await ask("DELETE", "/Note/\(random.below(40) * 10)")
            default:
                var last = tokens.randomElement(using: &random)
                if last == nil {
                    // The server accepts tokens of earlier versions.
                    var heads: [String] = []
                    for world in worlds {
                        let stream = StreamName(app: "test")
                        let head = try #require(await world.probe.running.node.head(of: stream))
                        heads.append(ResumeToken(at: head.cursor, of: stream).text)
                    }
                    last = heads
                }
                // The events, each with the token behind it.
                let found = try await ask("GET", "/$changes?", after: last)
                tokens += zip(found[0], found[1]).map { [$0, $1] }
                if tokens.isEmpty, let last { tokens.append(last) }
            }
        }
        #expect(pages.count > 5 && tokens.count > 5)
        // All positions have the same length.
        #expect(Set(pages.joined().map(\.utf8.count)).count == 1)
        for world in worlds { await world.probe.stop() }
    }
}
