import Foundation
import FreeholdBSON
import NIOHTTP1
import Testing

@testable import FreeholdHTTP
@testable import FreeholdServer

/// Rare forms of requests, and forms that have two interpretations.
@Suite(.timeLimit(.minutes(20))) struct RequestFormTests {
    private static let location = AccountProbe.path + "/app/test/location"
    private static let login = AccountProbe.path + "/app/test/auth/providers/anon-user/login"

    private static func probe() async throws -> AccountProbe {
        try await AccountProbe { $0.node.limits.greetingTimeout = 60_000 }
    }

    private static let forms: [([String], Int)] = [
        (["GET /health HTTP/1.1", "Host: localhost"], 200), (["GET /health HTTP/1.0"], 200),
        (["GET /health HTTP/1.0", "Host: localhost"], 200), (["GET /health HTTP/1.1"], 400),
        (["GET /health HTTP/1.1", "Host: a", "Host: b"], 400), (["GET /health HTTP/1.1", "Host: a", "Host: a"], 400),
        (["GET /health HTTP/1.1", "Host: a, b"], 400), (["GET /health HTTP/1.1", "Host: a b"], 400),
        (["GET /health HTTP/1.1", "Host: user@a"], 400), (["GET /health HTTP/1.1", "Host: a/b"], 400),
        (["GET /health HTTP/1.1", "Host: a:99999"], 400), (["GET /health HTTP/1.1", "Host: "], 200),
        (["GET /health HTTP/1.1", "Host: [::1]:7700"], 200), (["GET /health HTTP/1.1", "Host: [::1"], 400),
        (["GET /health HTTP/1.1", "Host : a"], 400), (["GET /health HTTP/1.1", "Host: a", " folded"], 400),
        (["GET http://localhost/health HTTP/1.1", "Host: localhost"], 200),
        (["GET HTTP://localhost:7700/health?a=b HTTP/1.1", "Host: other"], 200),
        (["GET https://[::1]:1/health HTTP/1.1", "Host: localhost"], 200),
        (["GET http://localhost/health HTTP/1.1"], 200), (["GET http://localhost HTTP/1.1", "Host: a"], 404),
        (["GET http://localhost?a HTTP/1.1", "Host: a"], 404),
        (["GET http://localhost\(location) HTTP/1.1", "Host: a"], 200),
        (["GET //health HTTP/1.1", "Host: a"], 200), (["GET ///health?a//b HTTP/1.1", "Host: a"], 200),
        (["GET http://localhost//health HTTP/1.1", "Host: a"], 200), (["GET //a/health HTTP/1.1", "Host: a"], 404),
        (["GET \(location.replacing("/", with: "//")) HTTP/1.1", "Host: a"], 200),
        (["GET /\(location) HTTP/1.1", "Host: a"], 200), (["GET \(location)// HTTP/1.1", "Host: a"], 404),
        (["GET //api//data/v1//app/test/Note HTTP/1.1", "Host: a"], 401),
        (["GET http:///health HTTP/1.1", "Host: a"], 400), (["GET http://u:p@a/health HTTP/1.1", "Host: a"], 400),
        (["GET ftp://a/health HTTP/1.1", "Host: a"], 400),
        (["GET http://a/health HTTP/1.1", "Host: a", "Host: b"], 400),
        (["GET health HTTP/1.1", "Host: a"], 400), (["GET * HTTP/1.1", "Host: a"], 400),
        (["OPTIONS * HTTP/1.1", "Host: a"], 405), (["OPTIONS /health HTTP/1.1", "Host: a"], 405),
        (["CONNECT a:443 HTTP/1.1", "Host: a"], 400), (["TRACE /health HTTP/1.1", "Host: a"], 405),
        (["GET /health HTTP/2.0", "Host: a"], 400), (["GET /health HTTP/1.2", "Host: a"], 400),
        (["GET /health HTTP/0.9", "Host: a"], 400), (["NONSENSE /health HTTP/1.1", "Host: a"], 400),
    ]

    @Test func `a request of a rare form is answered, or refused with 400`() async throws {
        let server = try await Self.probe()
        for (lines, status) in Self.forms {
            #expect(try await RawConnection.ask(lines, port: server.port).status == status, "\(lines)")
        }
        await server.stop()
    }

    private static let smuggled = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    private static let ambiguous: [([String], String)] = [
        (["Content-Length: 5", "Transfer-Encoding: chunked"], "0\r\n\r\n"),
        (["Transfer-Encoding: chunked", "Content-Length: 5"], "0\r\n\r\n"),
        (["Content-Length: 2", "Content-Length: 40"], "{}"), (["Content-Length: 2", "Content-Length: 2"], "{}"),
        (["Content-Length: 2, 2"], "{}"), (["Content-Length: +2"], "{}"), (["Content-Length: -2"], "{}"),
        (["Content-Length: 0x2"], "{}"), (["Content-Length: 2 2"], "{}"), (["Content-Length: "], "{}"),
        (["Content-Length: 99999999999999999999999"], "{}"), (["Content-Length : 2"], "{}"),
        (["Transfer-Encoding: xchunked"], "2\r\n{}\r\n0\r\n\r\n"),
        (["Transfer-Encoding: chunked, identity"], "2\r\n{}\r\n0\r\n\r\n"),
        (["Transfer-Encoding: identity"], "{}"), (["Transfer-Encoding: gzip, chunked"], "2\r\n{}\r\n0\r\n\r\n"),
        (["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], "2\r\n{}\r\n0\r\n\r\n"),
        (["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], "2\r\n{}\r\n0\r\n\r\n"),
        (["Transfer-Encoding : chunked"], "2\r\n{}\r\n0\r\n\r\n"), (["Transfer-Encoding:\u{B}chunked"], "0\r\n\r\n"),
        (["X: a\rTransfer-Encoding: chunked"], "0\r\n\r\n"), (["X: a\u{0}b"], ""),
        (["Transfer-Encoding: chunked"], "2;\u{0}\r\n{}\r\n0\r\n\r\n"),
        (["Transfer-Encoding: chunked"], "-2\r\n{}\r\n0\r\n\r\n"),
        (["Transfer-Encoding: chunked"], "FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n"),
        (["Transfer-Encoding: chunked"], "2\r\n{}XX0\r\n\r\n"),
    ]

    @Test func `a request whose end isn't clear is refused, and what follows isn't read`() async throws {
        let server = try await Self.probe()
        for (headers, body) in Self.ambiguous {
            // The server closes the connection, although the client wants to keep it.
            let lines = ["POST \(Self.login) HTTP/1.1", "Host: localhost", "Connection: keep-alive"] + headers
            let answer = try await RawConnection.ask(lines, Array((body + Self.smuggled).utf8), port: server.port)
            #expect(answer.status == 400, "\(headers): \(answer.text)")
            // The rest of the bytes may not be HTTP. The server doesn't answer it.
            #expect(answer.text.components(separatedBy: "HTTP/1.1 ").count == 2, "one answer: \(answer.text)")
            #expect(!answer.text.contains("alive"))
        }
        await server.stop()
    }

    @Test func `bytes behind the last request of a connection aren't read`() async throws {
        let server = try await Self.probe()
        for body in ["{}", "{}" + Self.smuggled] {
            let lines = ["POST \(Self.login) HTTP/1.1", "Host: localhost", "Content-Length: 2"]
            let answer = try await RawConnection.ask(lines, Array(body.utf8), port: server.port)
            #expect(answer.status == 200)
            #expect(!answer.text.contains("alive\n"))
        }
        let chunked = ["POST \(Self.login) HTTP/1.1", "Host: localhost", "Transfer-Encoding: Chunked"]
        let answer = try await RawConnection.ask(chunked, Array("2\r\n{}\r\n0\r\n\r\n".utf8), port: server.port)
        #expect(answer.status == 200)
        await server.stop()
    }

    private static let schemes = [
        ("Bearer TOKEN", 200), ("bearer TOKEN", 200), ("BEARER TOKEN", 200), ("bEaReR   TOKEN", 200), ("TOKEN", 401),
        ("Basic TOKEN", 401), ("BearerTOKEN", 401), ("Bearer", 401), ("Bearer ", 401), ("Bearer TOKEN x", 401),
        ("", 401),
    ]

    @Test func `the scheme of a token has any letters' case`() async throws {
        let server = try await Self.probe()
        let token = try #require(try await server.loginAnonymous()["access_token"])
        for (value, status) in Self.schemes {
            for path in [AccountProbe.path + "/auth/profile", "/api/data/v1/app/test/Note"] {
                let header = "authorization: " + value.replacingOccurrences(of: "TOKEN", with: token)
                let lines = ["GET \(path) HTTP/1.1", "Host: localhost", header]
                #expect(try await RawConnection.ask(lines, port: server.port).status == status, "\(value)")
                let twice = try await RawConnection.ask(lines + [header], port: server.port)
                #expect(twice.status == 401, "two of \(value)")
            }
        }
        await server.stop()
    }

    @Test(arguments: [("evil.example", 403), ("localhost", 200)])
    func `in development the host of an absolute target counts`(_ host: String, _ status: Int) async throws {
        let server = try await AccountProbe { $0.isDevelopment = true }
        let lines = [
            "GET http://\(host)/health HTTP/1.1", "Host: \(host == "localhost" ? "evil.example" : "localhost")",
        ]
        #expect(try await RawConnection.ask(lines, port: server.port).status == status)
        await server.stop()
    }

    @Test func `what isn't allowed says what is`() async throws {
        let server = try await Self.probe()
        for line in ["OPTIONS *", "POST /health", "DELETE /nothing"] {
            let answer = try await RawConnection.ask(["\(line) HTTP/1.1", "Host: localhost"], port: server.port)
            #expect(answer.status == 405)
            #expect(answer.text.lowercased().contains("\r\nallow: get, head\r\n"))
        }
        await server.stop()
    }

    @Test func `slashes that follow each other in a path count as one`() {
        for (target, plain) in [
            ("/a/b", "/a/b"), ("//a///b//", "/a/b/"), ("/a?b//c", "/a?b//c"), ("//a?b//c?d", "/a?b//c?d"), ("*", "*"),
            ("", ""),
            ("/%2F/é//b", "/%2F/é/b"),
        ] { #expect(target.withSingleSlashes == plain) }
    }

    @Test(arguments: [
        (["Host: localhost:7701"], 200), (["Host: 127.0.0.1"], 200), (["Host: [::1]:1"], 200),
        (["Host: evil.example:7701"], 403), (["Host: localhost", "Origin: http://evil.example"], 403),
        (["Host: localhost", "Origin: null"], 403), (["Host: localhost", "Origin: http://localhost:3000"], 200),
    ]) func `the administrator's port answers no page of another site`(_ headers: [String], _ status: Int) async throws
    {
        let server = try await TestServer()
        let port = try #require(server.running.administratorPort)
        for path in ["/status", "/sessions", "/metrics", "//status"] {
            let answer = try await RawConnection.ask(["GET \(path) HTTP/1.1"] + headers, port: port)
            #expect(answer.status == status, "\(path)")
        }
        await server.stop()
    }

    /// The administrator's port has another pipeline.
    @Test func `the administrator's port refuses what is unclear, too`() async throws {
        let server = try await TestServer { $0.node.limits.greetingTimeout = 60_000 }
        let port = try #require(server.running.administratorPort)
        for (lines, status) in [
            (["GET /status HTTP/1.1", "Host: localhost"], 200), (["GET http://localhost/status HTTP/1.1"], 200),
            (["GET /status HTTP/1.1", "Host: a", "Host: b"], 400), (["GET /status HTTP/1.1"], 400),
            (["GET /status HTTP/1.1", "Host: a", "Content-Length: 1", "Transfer-Encoding: chunked"], 400),
        ] { #expect(try await RawConnection.ask(lines, port: port).status == status, "\(lines)") }
        await server.stop()
    }

    /// Random heads and bodies, made of parts with a meaning for servers and proxies.
    @Test func `requests of random parts are answered once, and the server lives`() async throws {
        var random = RandomRequests()
        // An incomplete request waits this long. On a slow machine, complete requests have to arrive within this time.
        let server = try await AccountProbe { $0.node.limits.greetingTimeout = 15_000 }
        let lines = [
            "GET /health HTTP/1.1", "POST \(Self.login) HTTP/1.1", "GET http://localhost/health HTTP/1.1",
            "OPTIONS * HTTP/1.1", "CONNECT a:1 HTTP/1.1", "GET /sync HTTP/1.1",
            "PUT /api/data/v1/app/test/Note/1 HTTP/1.1",
            "GET \(Self.location)?a=%00 HTTP/1.0", "PRI * HTTP/2.0", "GET //health HTTP/1.1",
        ]
        let headers = [
            "Host: localhost", "Host: [::1]:1", "host:", "Host: a, b", "Content-Length: 2", "Content-Length: 0",
            "content-length: 99999999", "Transfer-Encoding: chunked", "Transfer-Encoding: identity",
            "Expect: 100-continue", "Expect: nothing", "Connection: keep-alive", "Connection: close, upgrade",
            "Upgrade: websocket", "Upgrade: h2c", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13", "Authorization: bearer a.b.c", "Authorization: Bearer x", "Origin: null",
            "X-Forwarded-For: 1.2.3.4", "X: \u{1}", " folded", "no colon", "Trailer: X",
        ]
        let bodies = ["", "{}", "2\r\n{}\r\n0\r\n\r\n", "0\r\n\r\n", Self.smuggled, "\r\n\r\n"]
        for _ in 0..<(random.count * 2 / 5) {
            var requests: [(head: [String], body: [UInt8])] = []
            for _ in 0..<20 {
                // Otherwise the body may be a second request.
                var request = [lines.randomElement(using: &random.source)!, "Connection: close", "Host: localhost"]
                if Int.random(in: 0..<10, using: &random.source) == 0 { request.removeLast() }
                for _ in 0..<Int.random(in: 0...5, using: &random.source) {
                    request.append(headers.randomElement(using: &random.source)!)
                }
                var body = Array(bodies.randomElement(using: &random.source)!.utf8)
                if Int.random(in: 0..<5, using: &random.source) == 0 { body += random.bytes(50) }
                requests.append((request, body))
            }
            // All requests are sent at the same time, since the incomplete ones wait for the end of their time.
            try await withThrowingTaskGroup { group in
                for (head, body) in requests {
                    group.addTask { try await Self.expectOneAnswer(head, body, server.port) }
                }
                try await group.waitForAll()
            }
        }
        #expect(try await server.send("GET", "/health", bytes: []).status == 200)
        await server.stop()
    }

    private static func expectOneAnswer(_ head: [String], _ body: [UInt8], _ port: Int) async throws {
        let connection = try await RawConnection(port: port)
        await connection.send(Array((head + ["", ""]).joined(separator: "\r\n").utf8) + body)
        var text = ""
        while let piece = await connection.next() {
            text += piece
            // A WebSocket stays open, so the test closes it.
            if text.contains("HTTP/1.1 101 ") { await connection.close() }
        }
        let statuses = text.components(separatedBy: "HTTP/1.1 ").dropFirst().compactMap { Int($0.prefix(3)) }
        let final = statuses.filter { $0 >= 200 || $0 == 101 }
        #expect(final.count == 1, "\(head) \(String(decoding: body, as: UTF8.self)): \(text)")
        #expect(statuses.allSatisfy { $0 < 500 }, "\(head): \(statuses)")
    }
}
