import Foundation
import FreeholdBSON
import ServerTestRandom
import Testing

@testable import FreeholdServer

/// Requests that no proper client sends.
@Suite(.timeLimit(.minutes(20))) struct HostileRequestTests {
    static let providers = "/app/test/auth/providers/"
    static let routes: [(method: String, path: String)] = [
        ("GET", "/app/test/location"), ("POST", providers + "local-userpass/register"),
        ("POST", providers + "local-userpass/login"), ("POST", providers + "local-userpass/login?link=true"),
        ("POST", providers + "anon-user/login"), ("POST", providers + "api-key/login"),
        ("POST", providers + "custom-token/login"), ("POST", providers + "local-userpass/confirm"),
        ("POST", providers + "local-userpass/confirm/send"), ("POST", providers + "local-userpass/reset/send"),
        ("POST", providers + "local-userpass/reset"), ("GET", "/auth/profile"), ("POST", "/auth/session"),
        ("DELETE", "/auth/session"), ("DELETE", "/auth/delete"), ("GET", "/auth/api_keys"), ("POST", "/auth/api_keys"),
        ("GET", "/auth/api_keys/5f0000000000000000000000"), ("DELETE", "/auth/api_keys/5f0000000000000000000000"),
        ("PUT", "/auth/api_keys/5f0000000000000000000000/disable"), ("POST", "/app/test/functions/call"),
        ("POST", providers + "custom-function/login"), ("POST", providers + "oauth2-google/login"),
        ("POST", providers + "local-userpass/confirm/call"), ("POST", providers + "local-userpass/reset/call"),
        ("PUT", "/app/test/push/providers/gcm/registration"), ("DELETE", "/app/test/push/providers/gcm/registration"),
    ]

    @Test func `unknown paths are 404, and wrong methods 405`() async throws {
        let server = try await AccountProbe()
        for path in [
            "", "/", "/app", "/app/test", "/app//location", "/auth", "/auth/", "/auth/nothing", "/app/test/x/y/z",
            "/app/test/auth/providers/local-userpass/nothing", "/app/test/auth/providers/oauth2-google/nothing",
            "/app/%00/location", "/app/%ff/location", "/app/..%2f/location", "/a/b/c/d/e/f/g/h/i/j",
        ] {
            let answer = try await server.send("GET", AccountProbe.path + path, bytes: [])
            #expect(answer.status == 404, "\(path)")
        }
        let unknown = try await server.send("POST", "/app/test/auth/providers/oauth2-google/login", [:])
        #expect(unknown.status == 404 && unknown.code == "AuthProviderNotFound")
        for (method, path) in Self.routes {
            let hasGet = ["api_keys", "session", "functions"].contains { path.contains($0) }
            let wrong = method == "GET" || hasGet ? "PATCH" : "GET"
            #expect(try await server.send(wrong, path).status == 405, "\(wrong) \(path)")
        }
        await server.stop()
    }

    @Test func `bodies that are no JSON object, too deep or too large are refused`() async throws {
        let server = try await AccountProbe()
        let path = AccountProbe.path + Self.providers + "local-userpass/login"
        let deep = String(repeating: "[", count: 10_000)
        for body in [
            "{", "[]", "1", "nonsense", "{\"a\":" + deep, "{\"username\":1,\"password\":2}", "\u{0}",
            "{\"username\":\"a\",\"username\":\"b\"}", "{}", "{\"username\":\"\",\"password\":\"\"}",
        ] {
            let answer = try await server.send("POST", path, bytes: Array(body.utf8))
            #expect(answer.status == 400, "\(body.prefix(40))")
            #expect(answer.code != nil)
        }
        let large = [UInt8](repeating: 0x20, count: 65 << 10)
        #expect(try await server.send("POST", path, bytes: large).status == 413)
        await server.stop()
    }

    @Test func `random requests are answered, and the server lives`() async throws {
        var random = RandomRequests()
        let server = try await AccountProbe()
        for _ in 0..<random.count {
            for (method, path) in Self.routes {
                let body = random.body()
                let token = Bool.random(using: &random.source) ? random.word() : nil
                let answer = try await server.send(method, AccountProbe.path + path, bytes: body, token: token)
                let isPlain =
                    path.hasSuffix("location") || path.hasSuffix("anon-user/login") || path.hasSuffix("/send")
                    || path.hasSuffix("register")
                #expect(isPlain || (400..<500).contains(answer.status), "\(method) \(path) \(answer.status)")
                #expect(answer.status < 500, "\(method) \(path)")
            }
            try await server.drop(random.bytes(200) + Array("\r\n\r\n".utf8))
        }
        #expect(try await server.send("GET", "/app/test/location").status == 200)
        await server.stop()
    }
}

/// Random bytes and random JSON.
struct RandomRequests {
    var source: SeededRandom
    let count: Int

    init() {
        source = SeededRandom(test: "random requests")
        count = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] == nil ? 10 : 1_000
    }

    mutating func bytes(_ limit: Int) -> [UInt8] {
        (0..<Int.random(in: 0...limit, using: &source)).map { _ in UInt8.random(in: .min ... .max, using: &source) }
    }

    mutating func word() -> String {
        let letters = Array("abcXYZ019._-$@")
        return String((0..<Int.random(in: 1...40, using: &source)).map { _ in letters.randomElement(using: &source)! })
    }

    mutating func body() -> [UInt8] {
        switch Int.random(in: 0..<3, using: &source) {
        case 0: return bytes(300)
        case 1: return Array(json(4).utf8)
        default:
            let names = [
                "username", "password", "email", "token", "tokenId", "key", "options", "name", "id_token", "arguments",
                "registrationToken",
            ]
            let fields = names.filter { _ in Bool.random(using: &source) && Bool.random(using: &source) }
            var parts: [String] = []
            for name in fields where name != "name" { parts.append("\"\(name)\":\(json(2))") }
            return Array("{\(parts.joined(separator: ","))}".utf8)
        }
    }

    private mutating func json(_ depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &source) {
        case 0: return "null"
        case 1: return "true"
        case 2: return "\(Int.random(in: .min ... .max, using: &source))"
        case 3: return "\"\(word())\""
        case 4: return "{\"$oid\":\"\(word())\"}"
        case 5: return "[\(json(depth - 1)),\(json(depth - 1))]"
        default: return "{\"\(word())\":\(json(depth - 1))}"
        }
    }
}
