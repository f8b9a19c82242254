import Foundation
import FreeholdBSON
import FreeholdStudio
import FreeholdSyncCore
import FreeholdSyncRules
import Logging
import NIOHTTP1
import Testing

@testable import FreeholdServer
@testable import FreeholdServerStudio

/// A server with accounts, whose administrator's port a test uses.
final class AdministratorProbe: Sendable {
    let server: AccountProbe
    let port: Int
    let key: AdministratorKey

    static let schema = """
        {"title": "Note", "bsonType": "object", "required": ["_id", "owner"], "properties": {
          "_id": {"bsonType": "long"}, "owner": {"bsonType": "string"}, "text": {"bsonType": "string"},
          "secret": {"bsonType": "string"}}}
        """
    static let owners = """
        {"classes": {"Note": {"roles": [{"name": "owner", "apply_when": {},
           "document_filters": {"read": {"owner": "%%user.id"}, "write": {"owner": "%%user.id"}},
           "insert": true, "delete": true,
           "fields": {"secret": {"read": false, "write": false}}, "additional_fields": {"read": true, "write": true}}]}}}
        """

    /// - Parameters:
    ///   - hasClasses: A Boolean value that indicates whether the app has the class of the tests.
    ///   - rules: The rules of the app, or `nil` for the access of the app.
    init(
        hasClasses: Bool = true,
        rules: String? = nil,
        _ change: @escaping @Sendable (inout ServerSettings) -> Void = { _ in }
    ) async throws {
        server = try await AccountProbe(logger: Logger(label: "test") { _ in QuietLogHandler() }) { settings in
            settings.administratorPort = 0
            change(&settings)
        }
        port = try #require(server.running.administratorPort)
        key = AdministratorKey(secret: try ServerSecret.read(server.folder.path))
        guard hasClasses else { return }
        let schema = SchemaDocument(schema: try BSONDocument(extendedJSON: Self.schema))
        let set = try rules.map { try RuleSet(extendedJSON: $0) }
        try await server.store.changeDocuments(of: "test") { documents in
            try documents.push([schema])
            documents.rules = set
        }
        try await eventually { $0.running.node.app("test")?.served?.tables.isEmpty == false }
        if rules != nil { try await eventually { $0.running.node.app("test")?.served?.hasRules == true } }
    }

    /// Waits up to a minute for a state of the server, which looks for changes three times a second.
    func eventually(_ isSo: (AccountProbe) async throws -> Bool) async throws {
        for _ in 0..<1_200 {
            if try await isSo(server) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("The server doesn't reach the state.")
    }

    /// Returns the options of a program that shows the server, and that waits for as long as a busy machine takes.
    func options(key: AdministratorKey? = nil, writes: Bool = false) -> ServerHost.Options {
        var options = ServerHost.Options(
            host: "127.0.0.1",
            port: port,
            key: key ?? self.key,
            name: "test",
            folder: "/srv/test",
            administrator: "tester"
        )
        (options.isWritable, options.patience) = (writes, 300)
        return options
    }

    struct Answer: Sendable {
        var status: Int
        var text: String
        var body: StudioJSON

        subscript(name: String) -> StudioJSON? { body[name] }
        func list(_ name: String) -> [StudioJSON] { body[name]?.elements ?? [] }
    }

    /// Sends a request with the key, unless a test gives headers of its own.
    func ask(
        _ path: String,
        _ method: HTTPMethod = .GET,
        body: String = "",
        headers: [(String, String)]? = nil,
        within seconds: Int64 = 60
    ) async throws -> Answer {
        let answer = try await AdministratorClient.send(
            method,
            "/admin/v1/" + path,
            host: "127.0.0.1",
            port: port,
            headers: headers ?? [("Authorization", "Bearer \(key.text)"), ("Freehold-Administrator", "tester")],
            body: Array(body.utf8),
            within: seconds
        )
        let json = (try? StudioJSON(parsing: Array(answer.body.utf8))) ?? .null
        return Answer(status: answer.status, text: answer.body, body: json)
    }

    /// Registers a user, and returns the id and the token.
    func user(_ name: String) async throws -> (id: String, token: String) {
        try await server.register("\(name)@example.org")
        let login = try await server.login("\(name)@example.org")
        return (try #require(login["user_id"]), try #require(login["access_token"]))
    }

    /// Inserts a document with the rights of a user.
    func insert(_ body: String, _ token: String) async throws -> AccountProbe.Answer {
        try await server.send("POST", "/api/data/v1/app/test/Note", bytes: Array(body.utf8), token: token)
    }
}

/// A log handler that takes all events and writes nothing.
struct QuietLogHandler: LogHandler {
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {}
}
