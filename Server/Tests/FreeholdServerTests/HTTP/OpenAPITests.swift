import Foundation
import FreeholdHTTP
import NIOHTTP1
import Testing

@testable import FreeholdServer

/// The document `docs/openapi.json` and the routes of the server.
@Suite struct OpenAPITests {
    private struct Operation: Hashable {
        let method: String
        let path: String
    }

    private static func document() throws -> [String: Any] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: root.appending(path: "docs/openapi.json"))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private static func operations(_ document: [String: Any]) throws -> [Operation: [String: Any]] {
        var found: [Operation: [String: Any]] = [:]
        for (path, item) in try #require(document["paths"] as? [String: [String: Any]]) {
            for (method, operation) in item where method != "parameters" {
                found[Operation(method: method.uppercased(), path: path)] = operation as? [String: Any]
            }
        }
        return found
    }

    private static func routes(_ server: AccountProbe) throws -> [Operation: HTTPRoute] {
        let accounts = try #require(server.running.watch?.accounts.group)
        let documents = DocumentService(server.running.node).group
        var found: [Operation: HTTPRoute] = [:]
        for group in [accounts, documents] {
            for route in group.routes {
                found[Operation(method: route.method.rawValue, path: group.root + route.path)] = route
            }
        }
        return found
    }

    @Test func `each route is described, and each description has a route`() async throws {
        let server = try await AccountProbe()
        let (described, routes) = (try Self.operations(try Self.document()), try Self.routes(server))
        #expect(Set(described.keys) == Set(routes.keys))
        for (operation, route) in routes {
            let entry = try #require(described[operation])
            #expect(entry["operationId"] as? String == route.operation)
            let responses = try #require(entry["responses"] as? [String: Any])
            // The connection and the group answer with these themselves.
            let statuses = route.statuses.union(HTTPAnswer.statusesOfConnections).union([405])
            #expect(Set(responses.keys.compactMap { Int($0) }) == statuses, "\(operation)")
        }
        await server.stop()
    }

    @Test func `the variable parts of each path are parameters`() throws {
        let document = try Self.document()
        for (path, item) in try #require(document["paths"] as? [String: [String: Any]]) {
            let parts = path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                String($0.dropFirst().dropLast())
            }
            let named = (item["parameters"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
            #expect(parts == named, "\(path)")
        }
    }

    @Test func `each reference leads somewhere`() throws {
        let document = try Self.document()
        var count = 0
        func check(_ value: Any) {
            if let object = value as? [String: Any] {
                if let reference = object["$ref"] as? String {
                    count += 1
                    var place: Any? = document
                    for name in reference.dropFirst(2).split(separator: "/") {
                        place = (place as? [String: Any])?[String(name)]
                    }
                    #expect(place != nil, "\(reference)")
                }
                for inner in object.values { check(inner) }
            } else if let array = value as? [Any] {
                for inner in array { check(inner) }
            }
        }
        check(document)
        #expect(count > 100)
    }

    private static func codes(_ schema: String, _ document: [String: Any]) throws -> Set<String> {
        let components = try #require(document["components"] as? [String: Any])
        let schemas = try #require(components["schemas"] as? [String: [String: Any]])
        let fields = try #require(schemas[schema]?["properties"] as? [String: [String: Any]])
        #expect(fields["error"] != nil)
        return Set(try #require(fields["error_code"]?["enum"] as? [String]))
    }

    @Test func `errors have the schema that is described`() async throws {
        let document = try Self.document()
        let (documents, accounts) = (
            try Self.codes("DocumentError", document), try Self.codes("AccountError", document)
        )
        let failures: [DocumentFailure] = [
            .noRoute, .noDocument, .noToken, .forbidden, .wrongMethod, .tooMany, .overShare, .tooLargeTogether,
            .tooLarge,
            .changed, .unavailable, .tooExpensive, .noSchema, .bad(""), .forbidden(field: "a"),
        ]
        for failure in failures { #expect(documents.contains(failure.code), "\(failure.code)") }
        let errors: [AccountError] = [
            .invalidSession, .invalidPassword, .userDisabled, .nameInUse, .noProvider, .noApp, .noUser, .noKey,
            .invalidCode, .notConfirmed, .tooMany, .unavailable, .bad(""), .missing(""), .noRoute, .wrongMethod,
            .tooLarge, .hookFailed, .hookLate, .manyCalls, .busy, .ending, .noFunction, .noService, .beingTransferred,
            .invalidIDToken, .noProviderKeys, .function(nil, ""), .function("ArgumentsNotAllowed", ""),
            .function("NoMatchingRuleFound", ""),
        ]
        for error in errors { #expect(accounts.contains(error.code), "\(error.code)") }
    }

    /// Debug builds also check each answer of each test: see `HTTPRoute.statuses`.
    @Test func `a real error has the fields of its schema`() async throws {
        let server = try await AccountProbe()
        let client = try await WireClient(port: server.port)
        for (line, code) in [
            ("GET /api/data/v1/app/test/Note", "InvalidSession"),
            ("GET /api/client/v2.0/auth/profile", "InvalidSession"),
            ("GET /api/client/v2.0/nothing", "ValueNotFound"), ("PUT /api/client/v2.0/auth/profile", "BadRequest"),
            ("GET *", "BadRequest"),
        ] {
            let answer = try await client.ask(line)
            let body = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
            #expect(body?["error_code"] as? String == code, "\(line)")
            #expect(body?["error"] is String)
            guard answer["connection"] == nil else { break }
        }
        await client.close()
        await server.stop()
    }
}
