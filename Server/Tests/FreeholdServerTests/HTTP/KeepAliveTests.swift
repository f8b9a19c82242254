import Foundation
import FreeholdHTTP
import FreeholdSyncCore
import NIOHTTP1
import Synchronization
import Testing

@testable import FreeholdServer

/// Several requests on one connection.
@Suite(.timeLimit(.minutes(20))) struct KeepAliveTests {
    private static let login = AccountProbe.path + "/app/test/auth/providers/anon-user/login"

    @Test func `a connection answers one request after the other`() async throws {
        let server = try await AccountProbe()
        let client = try await WireClient(port: server.port)
        for _ in 0..<3 {
            let health = try await client.ask("GET /health")
            #expect(health.status == 200 && health.text == "alive\n" && health["connection"] == nil)
            #expect(try await client.ask("GET /nothing").status == 404)
            #expect(try await client.ask("HEAD /health").status == 200)
            let login = try await client.ask("POST \(Self.login)", [], "{}")
            #expect(login.status == 200)
            #expect(try await client.ask("GET \(AccountProbe.path)/auth/profile").status == 401)
            #expect(try await client.ask("POST /health", [], "a body that nobody wants").status == 405)
        }
        await client.close()
        await server.stop()
    }

    @Test(arguments: [
        (["Connection: close"], "HTTP/1.1"), (["Connection: keep-alive, close"], "HTTP/1.1"), ([], "HTTP/1.0"),
        (["Connection: keep-alive"], "HTTP/1.0"), (["Connection: Upgrade", "Upgrade: h2c"], "HTTP/1.1"),
    ]) func `an answer says that it is the last one of its connection`(_ headers: [String], _ version: String)
        async throws
    {
        let server = try await TestServer()
        let client = try await WireClient(port: server.port)
        let lines = ["GET /health \(version)", "Host: localhost"] + headers + ["", ""]
        await client.send(Array(lines.joined(separator: "\r\n").utf8))
        let answer = try #require(await client.answer())
        #expect(answer.status == 200 && answer["connection"] == "close")
        #expect(await client.rest() == [])
        await server.stop()
    }

    @Test func `a request that is answered before its end ends the connection`() async throws {
        let server = try await AccountProbe()
        let client = try await WireClient(port: server.port)
        _ = try await client.ask("GET /health")
        await client.send("POST \(Self.login)", ["Content-Length: 70000"])
        let answer = try #require(await client.answer())
        #expect(answer.status == 413 && answer["connection"] == "close")
        #expect(await client.rest() == [])
        await server.stop()
    }

    @Test func `pipelined requests are answered in their order`() async throws {
        let number = HTTPRoute(.GET, "{number}", operation: "number", statuses: [200]) { request in
            // Later requests would be faster.
            if request["number"].utf8.count == 1 { try? await Task.sleep(for: .milliseconds(20)) }
            return HTTPAnswer(body: request["number"])
        }
        let server = try await HTTPFixture([number])
        let client = try await WireClient(port: server.port)
        let requests = (0..<100).map { "GET /\($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined()
        await client.send(Array(requests.utf8))
        for expected in 0..<100 { #expect(await client.answer()?.text == "\(expected)") }
        await client.close()
        await server.stop()
    }

    @Test func `pipelined requests of bodies end where they say`() async throws {
        let echo = HTTPRoute(.POST, "echo", operation: "echo", statuses: [200]) { request in
            HTTPAnswer(type: "text/plain", bytes: request.body)
        }
        let server = try await HTTPFixture([echo])
        let client = try await WireClient(port: server.port)
        let hidden = "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx"
        let plain = "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(hidden.utf8.count)\r\n\r\n\(hidden)"
        let chunked =
            "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        await client.send(Array((plain + chunked + plain).utf8))
        for expected in [hidden, "abc", hidden] { #expect(await client.answer()?.text == expected) }
        await client.close()
        await server.stop()
    }

    @Test func `a slow reader of pipelined answers has the server keep one of them`() async throws {
        let calls = Counter()
        let large = HTTPRoute(.GET, "large", operation: "large", statuses: [200]) { _ in
            calls.value.add(1, ordering: .relaxed)
            return HTTPAnswer(type: "text/plain", bytes: [UInt8](repeating: 0x61, count: 8 << 20))
        }
        let server = try await HTTPFixture([large])
        let client = try await WireClient(port: server.port)
        try await client.setReading(false)
        let request = "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"
        await client.send(Array(String(repeating: request, count: 20).utf8))
        while calls.value.load(ordering: .relaxed) == 0 { try await Task.sleep(for: .milliseconds(5)) }
        try await client.setReading(true)
        for index in 1...20 {
            let answer = try #require(await client.answer())
            #expect(answer.body.count == 8 << 20)
            // The system keeps some of the bytes.
            #expect(calls.value.load(ordering: .relaxed) <= index + 4)
        }
        await client.close()
        await server.stop()
    }

    @Test func `a head that begins on a waiting connection has the time of a request`() async throws {
        let number = HTTPRoute(.GET, "{number}", operation: "number", statuses: [200]) {
            HTTPAnswer(body: $0["number"])
        }
        let server = try await HTTPFixture([number]) {
            $0.limits.requestTimeout = 2_000
            $0.limits.keepAliveTimeout = 600_000
        }
        let client = try await WireClient(port: server.port)
        #expect(try await client.ask("GET /1").text == "1")
        // A waiting connection has more time than a request.
        try await Task.sleep(for: .milliseconds(2_500))
        #expect(try await client.ask("GET /2").text == "2")
        await client.send(Array("GET /3 HTTP/1.1\r\nHost".utf8))
        #expect(await client.rest() == [])
        await server.stop()
    }

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    @Test func `a WebSocket opens on a connection that had other requests`() async throws {
        let server = try await TestServer()
        let client = try await WireClient(port: server.port)
        for _ in 0..<2 { #expect(try await client.ask("GET /health").status == 200) }
        let upgrade = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        let answer = try await client.ask("GET /sync", upgrade)
        #expect(answer.status == 101 && answer["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        // An empty ping, whose answer shows that frames are read.
        await client.send([0x89, 0x80, 0, 0, 0, 0])
        #expect(await client.next() == [0x8A, 0])
        await client.close()
        await server.stop()
    }

    // MARK: Requests that are understood in two ways

    private static let smuggled = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    private static let ambiguous: [([String], String)] = [
        (["Content-Length: 5", "Transfer-Encoding: chunked"], "0\r\n\r\n"),
        (["Content-Length: 2", "Content-Length: 40"], "{}"), (["Transfer-Encoding: xchunked"], "0\r\n\r\n"),
        (["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], "0\r\n\r\n"),
        (["X: a", " Transfer-Encoding: chunked"], ""), (["X: a", "\tfolded"], ""), (["Content-Length: 2", " 0"], "{}"),
        (["Transfer-Encoding: chunked"], "2\n{}\n0\n\n"), (["Transfer-Encoding: chunked"], "2\r\n{}\n0\r\n\r\n"),
        (["Transfer-Encoding: chunked"], "2 ;\n{}\r\n0\r\n\r\n"), (["X: a\rX-Length: 5"], ""),
    ]

    @Test func `a request that is understood in two ways ends the connection`() async throws {
        let server = try await AccountProbe()
        for (headers, body) in Self.ambiguous {
            let client = try await WireClient(port: server.port)
            #expect(try await client.ask("GET /health").status == 200)
            let lines = ["POST \(Self.login) HTTP/1.1", "Host: localhost"] + headers + ["", ""]
            await client.send(Array((lines.joined(separator: "\r\n") + body + Self.smuggled).utf8))
            let answer = try #require(await client.answer(), "\(headers)")
            #expect(answer.status == 400 && answer["connection"] == "close", "\(headers) \(body): \(answer.status)")
            #expect(await client.rest() == [], "\(headers) \(body)")
        }
        await server.stop()
    }

    @Test func `a line that ends with a bare line feed hides no second request`() async throws {
        let server = try await AccountProbe()
        for text in [
            "GET /health HTTP/1.1\nHost: localhost\n\n",
            "POST \(Self.login) HTTP/1.1\r\nHost: localhost\nContent-Length: 2\r\n\r\n{}",
            "POST \(Self.login) HTTP/1.1\r\nHost: localhost\r\nX: a\nContent-Length: 2\r\n\r\n{}",
        ] {
            let client = try await WireClient(port: server.port)
            await client.send(Array(text.utf8))
            let first = try #require(await client.answer())
            #expect([200, 400].contains(first.status))
            // Either the request is refused and the connection ends, or it was one whole request.
            guard first.status == 200 else {
                #expect(await client.rest() == [])
                continue
            }
            #expect(try await client.ask("GET /health").text == "alive\n")
            await client.close()
        }
        await server.stop()
    }

    private static let floods: [(name: String, text: String)] = [
        ("many fields", (0..<200).map { "X-\($0): a\r\n" }.joined()),
        ("a long field", "X: \(String(repeating: "a", count: 9_000))\r\n"),
        ("a long head", (0..<60).map { "X-\($0): \(String(repeating: "a", count: 1_000))\r\n" }.joined()),
    ]

    @Test func `a flood of header fields ends the connection`() async throws {
        let server = try await AccountProbe()
        for (name, text) in Self.floods {
            let client = try await WireClient(port: server.port)
            #expect(try await client.ask("GET /health").status == 200)
            await client.send(Array("GET /health HTTP/1.1\r\nHost: localhost\r\n\(text)\r\n".utf8))
            let answer = try #require(await client.answer(), "\(name)")
            #expect(answer.status == 400, "\(name)")
            #expect(await client.rest() == [], "\(name)")
        }
        await server.stop()
    }

    /// Requests put together by chance, on connections that stay. However they are read, there are no more answers than requests.
    @Test func `random requests on one connection are answered at most once each`() async throws {
        var random = RandomRequests()
        let server = try await AccountProbe { $0.node.limits.greetingTimeout = 15_000 }
        let parts = [
            "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST \(Self.login) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
            "POST /health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            "HEAD /health HTTP/1.1\r\nHost: a\r\n\r\n", "GET /health HTTP/1.1\r\n\r\n", "\r\n",
            "POST /health HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
            "GET /health HTTP/1.0\r\n\r\n",
        ]
        for _ in 0..<random.count * 5 {
            let chosen = (0..<8).map { _ in parts.randomElement(using: &random.source)! }
            let client = try await WireClient(port: server.port)
            let last = "GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            await client.send(Array((chosen.joined() + last).utf8))
            let text = String(decoding: await client.rest(), as: UTF8.self)
            let finals = text.components(separatedBy: "HTTP/1.1 ").dropFirst().compactMap { Int($0.prefix(3)) }
                .filter { $0 >= 200 }
            let asked = chosen.filter { $0 != "\r\n" }.count + 1
            #expect((1...asked).contains(finals.count), "\(chosen): \(finals)")
        }
        await server.stop()
    }

    // MARK: Ends

    @Test func `a server that drains closes connections that wait, and answers the others`() async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let slow = HTTPRoute(.GET, "slow", operation: "slow", statuses: [200]) { _ in
            ask.yield()
            for await _ in gate { break }
            return HTTPAnswer(body: "done")
        }
        let fast = HTTPRoute(.GET, "fast", operation: "fast", statuses: [200]) { _ in HTTPAnswer(body: "done") }
        let server = try await HTTPFixture([slow, fast])
        let (idle, busy) = (try await WireClient(port: server.port), try await WireClient(port: server.port))
        #expect(try await idle.ask("GET /fast").status == 200)
        await busy.send("GET /slow")
        for await _ in asked { break }
        await server.listener.close()
        async let drained: Void = server.listener.drain(within: 600_000)
        #expect(await idle.rest() == [])
        open.yield()
        let answer = try #require(await busy.answer())
        #expect(answer.text == "done" && answer["connection"] == "close")
        #expect(await busy.rest() == [])
        await drained
    }

    @Test func `a server that drains closes a connection after the answer that it is sending`() async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let pieces = Mutex(["first", "second"])
        let long = HTTPRoute(.GET, "long", operation: "long", statuses: [200]) { _ in
            let next: @Sendable () async -> String? = {
                let piece = pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                if piece == "second" { for await _ in gate { break } }
                return piece
            }
            return HTTPAnswer(stream: next, type: "text/plain")
        }
        let fast = HTTPRoute(.GET, "fast", operation: "fast", statuses: [200]) { _ in HTTPAnswer(body: "done") }
        let server = try await HTTPFixture([long, fast])
        let (idle, client) = (try await WireClient(port: server.port), try await WireClient(port: server.port))
        #expect(try await idle.ask("GET /fast").status == 200)
        await client.send("GET /long")
        var text = ""
        while !text.contains("first"), let bytes = await client.next() {
            text += String(decoding: bytes, as: UTF8.self)
        }
        await server.listener.close()
        async let drained: Void = server.listener.drain(within: 600_000)
        // The connections drain now.
        #expect(await idle.rest() == [])
        open.yield()
        text += String(decoding: await client.rest(), as: UTF8.self)
        #expect(text.contains("second") && text.hasSuffix("0\r\n\r\n"), "\(text)")
        await drained
    }

    @Test func `a server with an open connection ends before its drain time`() async throws {
        let server = try await AccountProbe()
        let client = try await WireClient(port: server.port)
        #expect(try await client.ask("GET /health").status == 200)
        let time = await ContinuousClock().measure { await server.running.stop(after: 600_000) }
        #expect(time < .seconds(300))
        #expect(await client.rest() == [])
    }

    @Test func `a listener that has many connections keeps none that waits`() async throws {
        let server = try await TestServer { $0.node.limits.connections = 4 }
        let first = try await WireClient(port: server.port)
        #expect(try await first.ask("GET /health")["connection"] == nil)
        let second = try await WireClient(port: server.port)
        #expect(try await second.ask("GET /health")["connection"] == nil)
        let third = try await WireClient(port: server.port)
        #expect(try await third.ask("GET /health")["connection"] == "close")
        for client in [first, second, third] { await client.close() }
        await server.stop()
    }

    @Test func `attempts to log in count by address, also on one connection`() async throws {
        let server = try await AccountProbe(limits: AttemptLimiter.Limits(perAddress: 3)) {
            $0.node.proxies = try! TrustedProxies(["127.0.0.1"])
        }
        let client = try await WireClient(port: server.port)
        for (address, status) in [("1", 200), ("1", 200), ("2", 200), ("1", 200), ("1", 429), ("2", 200), ("1", 429)] {
            let header = "X-Forwarded-For: 198.51.100.\(address)"
            #expect(try await client.ask("POST \(Self.login)", [header], "{}").status == status)
        }
        await client.close()
        await server.stop()
    }

    // MARK: What the answers say

    @Test func `each answer has an identifier, and those of trusted proxies stay`() async throws {
        let server = try await TestServer()
        let client = try await WireClient(port: server.port)
        var seen: Set<String> = []
        for path in ["/health", "/nothing", "/health"] {
            let id = try #require(try await client.ask("GET \(path)", ["X-Request-ID: abc"])["x-request-id"])
            #expect(id.utf8.count == 16 && seen.insert(id).inserted)
        }
        await client.close()
        await server.stop()
        let behind = try await TestServer { $0.node.proxies = try! TrustedProxies(["127.0.0.0/8"]) }
        let proxy = try await WireClient(port: behind.port)
        #expect(try await proxy.ask("GET /health", ["X-Request-ID: a-B_9.z"])["x-request-id"] == "a-B_9.z")
        for wrong in ["", "a b", "a\"b", String(repeating: "a", count: 65)] {
            let id = try await proxy.ask("GET /health", ["X-Request-ID: \(wrong)"])["x-request-id"]
            #expect(id?.utf8.count == 16, "\(wrong)")
        }
        await proxy.close()
        await behind.stop()
    }

    @Test func `requests are counted by their routes`() async throws {
        let server = try await TestServer()
        let client = try await WireClient(port: server.port)
        for path in ["/health", "/health", "/nothing", "/api/data/v1/app/test/Note"] {
            _ = try await client.ask("GET \(path)")
        }
        await client.close()
        #expect(server.metric(#"freehold_http_requests_total{operation="health",status="200"}"#) == 2)
        #expect(server.metric(#"freehold_http_requests_total{operation="none",status="404"}"#) == 1)
        #expect(server.metric(#"freehold_http_requests_total{operation="listDocuments",status="401"}"#) == 1)
        #expect(server.metric(#"freehold_http_request_seconds_count{operation="health"}"#) == 2)
        await server.stop()
    }
}
