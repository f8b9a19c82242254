import Foundation
import FreeholdBSON
import FreeholdSyncCore
import FreeholdSyncRules
import Logging
import Testing

@testable import FreeholdServer

/// Checks that the document of the security model names a test for each sentence.
struct SecurityModelTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func sources() throws -> String {
        var text = ""
        for folder in ["Tests", "Server/Tests"] {
            let files = FileManager.default.enumerator(
                at: root.appendingPathComponent(folder),
                includingPropertiesForKeys: nil
            )
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                text += try String(contentsOf: file, encoding: .utf8)
            }
        }
        return text
    }

    @Test func `each sentence of the security model has an existing test`() throws {
        let document = try String(
            contentsOf: Self.root.appendingPathComponent("docs/sync-security.md"),
            encoding: .utf8
        )
        let sources = try Self.sources()
        var sentences = 0
        for line in document.split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 2, cells[0] != "What holds" else { continue }
            let quoted = cells[1].split(separator: "`", omittingEmptySubsequences: false)
            let names = quoted.enumerated().compactMap { $0.offset % 2 == 1 ? String($0.element) : nil }
            #expect(!names.isEmpty, "\(cells[0])")
            for name in names {
                let folder = Self.root.appendingPathComponent("Tests/" + name)
                let isThere =
                    name.contains(" ")
                    ? sources.contains("func `\(name)`")
                    : sources.contains(name) || FileManager.default.fileExists(atPath: folder.path)
                #expect(isThere, "\(name)")
            }
            sentences += 1
        }
        #expect(sentences > 40)
    }

    @Test(arguments: ["0.0.0.0", "::", "10.0.0.1", "example.org"])
    func `the administrator's port is on loopback only`(_ host: String) {
        var settings = ServerSettings(node: NodeConfiguration(apps: ["test": NodeApp()]))
        settings.tokens.keys = [.secret(TestServer.secret)]
        settings.administratorHost = host
        #expect(throws: SettingsError.self) { try settings.checked() }
        settings.administratorPort = nil
        #expect(throws: Never.self) { try settings.checked() }
    }

    @Test func `the port of clients shows neither metrics nor the node's state`() async throws {
        let server = try await TestServer()
        for path in ["/metrics", "/status", "/sessions", "//metrics", "/metrics/", "/Metrics", "/%6detrics"] {
            let answer = try await RawConnection.ask(["GET \(path) HTTP/1.1", "Host: localhost"], port: server.port)
            #expect(answer.status == 404, "\(path)")
        }
        await server.stop()
    }

    @Test func `what is in documents is in no log and in no error`() async throws {
        let lines = LogLines()
        let server = try await AccountProbe(logger: Logger(label: "test") { _ in lines.handler() })
        let schema = try BSONDocument(
            extendedJSON: """
                {"title": "Note", "bsonType": "object", "properties": {"_id": {"bsonType": "long"},
                 "text": {"bsonType": "string"}, "stars": {"bsonType": "long"}}}
                """
        )
        try await server.store.changeDocuments(of: "test") {
            try $0.push([FreeholdSyncRules.SchemaDocument(schema: schema)])
        }
        for _ in 0..<200 where server.running.node.app("test")?.served?.tables.isEmpty != false {
            try await Task.sleep(for: .milliseconds(50))
        }
        let token = try #require(try await server.loginAnonymous()["access_token"])
        let secret = "MYSECRET4711"
        for (method, path, body) in [
            ("POST", "", #"{"_id": 1, "text": "MYSECRET4711"}"#), ("POST", "", #"{"_id": "MYSECRET4711"}"#),
            ("POST", "", #"{"_id": 2, "stars": "MYSECRET4711"}"#), ("POST", "", "{MYSECRET4711"),
            ("POST", "", #"{"_id": 1, "text": "MYSECRET4711"}"#),
            ("PATCH", "/1", #"{"$inc": {"text": "MYSECRET4711"}}"#),
            ("PATCH", "/1", #"{"$set": {"stars": "MYSECRET4711"}}"#), ("PUT", "/1", #"{"stars": {"MYSECRET4711": 1}}"#),
            ("GET", "?query=text%20%3D%3D%20MYSECRET4711", ""), ("GET", "/MYSECRET4711", ""),
        ] {
            let uri = "/api/data/v1/app/test/Note" + path
            let answer = try await server.send(method, uri, bytes: Array(body.utf8), token: token)
            // Errors of requests for documents may name fields, so that the caller finds them, but contain no values.
            if path.isEmpty { #expect(answer["error"]?.contains(secret) != true, "\(body): \(answer["error"] ?? "")") }
        }
        await server.stop()
        #expect(!lines.text.contains(secret))
    }
}
