import Foundation
import FreeholdCompression
import FreeholdHTTP
import InMemoryTracing
import NIOHTTP1
import Synchronization
import Testing
import Tracing

@testable import FreeholdServer

/// The module of HTTP servers, with routes of the tests' own.
@Suite(.timeLimit(.minutes(20))) struct HTTPModuleTests {
    // MARK: Routes

    private static func route(_ method: HTTPMethod, _ path: String) -> HTTPRoute {
        HTTPRoute(method, path, operation: path, statuses: [200]) { request in
            let parts = request.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return HTTPAnswer(body: ([path] + parts).joined(separator: " "))
        }
    }

    @Test(arguments: [
        ("GET /a/b", 200, "a/{x} x=b"), ("GET /a/b?c=d", 200, "a/{x} x=b"), ("GET /a/fixed", 200, "a/fixed"),
        ("POST /a/fixed", 405, "GET"), ("GET /a/fixe%64", 200, "a/fixed"), ("GET /a/%2F", 200, "a/{x} x=/"),
        ("GET /a/b%20c", 200, "a/{x} x=b c"), ("GET /a/b+c", 200, "a/{x} x=b+c"), ("GET /a/", 404, ""),
        ("GET /a", 404, ""), ("GET /a/b/c", 200, "a/{x}/{y} x=b y=c"), ("GET /a/b/c/d", 404, ""),
        ("PUT /a/b/c", 200, "a/{x}/{y} x=b y=c"), ("DELETE /a/b/c", 405, "GET, PUT"), ("GET /a/%00", 404, ""),
        ("GET /a/%ff", 404, ""), ("GET /a/%", 404, ""), ("GET /a/%4", 404, ""), ("GET /a/%zz", 404, ""),
        ("HEAD /a/b", 405, "GET"), ("GET /a//b", 200, "a/{x} x=b"), ("GET /", 404, ""),
    ]) func `a path leads to the route with the most fixed parts`(_ line: String, _ status: Int, _ text: String)
        async throws
    {
        let server = try await HTTPFixture([
            Self.route(.GET, "a/{x}"), Self.route(.GET, "a/fixed"), Self.route(.GET, "a/{x}/{y}"),
            Self.route(.PUT, "a/{x}/{y}"),
        ])
        let client = try await WireClient(port: server.port)
        let answer = try await client.ask(line)
        #expect(answer.status == status)
        #expect(status == 405 ? answer["allow"] == text : status == 404 || answer.text == text)
        await client.close()
        await server.stop()
    }

    // MARK: Bodies

    private static let upload = HTTPRoute(
        .POST,
        "upload",
        operation: "upload",
        statuses: [200, 422],
        streamsBody: true
    ) { request in
        var sum = 0
        do {
            for try await piece in request.stream! { sum += piece.count }
        } catch { return HTTPAnswer(status: .unprocessableEntity, body: "broken") }
        return HTTPAnswer(body: "\(sum)")
    }

    @Test func `a body is read as a stream, and others follow on its connection`() async throws {
        let server = try await HTTPFixture([Self.upload])
        let client = try await WireClient(port: server.port)
        for size in [0, 1, 100_000, 20 << 20] {
            await client.send("POST /upload", ["Content-Length: \(size)"])
            await client.send([UInt8](repeating: 0x61, count: size))
            #expect(await client.answer()?.text == "\(size)")
        }
        await client.send("POST /upload", ["Transfer-Encoding: chunked"])
        for _ in 0..<100 { await client.send(Array("400\r\n\(String(repeating: "a", count: 1_024))\r\n".utf8)) }
        await client.send(Array("0\r\n\r\n".utf8))
        #expect(await client.answer()?.text == "\(100 << 10)")
        await client.close()
        await server.stop()
    }

    @Test func `a streamed body that is too long is refused`() async throws {
        let server = try await HTTPFixture([Self.upload], bodyLimit: 100_000)
        let client = try await WireClient(port: server.port)
        await client.send("POST /upload", ["Transfer-Encoding: chunked"])
        await client.send(Array("20000\r\n".utf8) + [UInt8](repeating: 0x61, count: 0x20000))
        #expect(await client.answer()?.status == 413)
        #expect(await client.rest() == [])
        await server.stop()
    }

    @Test func `a handler learns that the client has closed the connection`() async throws {
        let (ends, end) = AsyncStream<Bool>.makeStream()
        let (begins, begin) = AsyncStream<Void>.makeStream()
        let upload = HTTPRoute(.POST, "upload", operation: "upload", statuses: [200], streamsBody: true) { request in
            do {
                for try await _ in request.stream! { begin.yield() }
                end.yield(false)
            } catch { end.yield(true) }
            return HTTPAnswer(body: "")
        }
        let server = try await HTTPFixture([upload])
        let client = try await WireClient(port: server.port)
        await client.send("POST /upload", ["Content-Length: 1000"], "")
        await client.send(Array("abc".utf8))
        for await _ in begins { break }
        await client.close()
        for await isBroken in ends {
            #expect(isBroken)
            break
        }
        await server.stop()
    }

    @Test func `an answer is sent as a stream of bytes, and others follow`() async throws {
        let numbers = HTTPRoute(.GET, "numbers", operation: "numbers", statuses: [200]) { _ in
            let next = Counter()
            return HTTPAnswer(
                byteStream: {
                    let number = next.value.add(1, ordering: .relaxed).newValue
                    return number > 100 ? nil : [UInt8](repeating: UInt8(number), count: 50_000)
                },
                type: "application/octet-stream"
            )
        }
        let server = try await HTTPFixture([numbers])
        let client = try await WireClient(port: server.port)
        for _ in 0..<2 {
            let answer = try await client.ask("GET /numbers")
            #expect(answer["transfer-encoding"] == "chunked")
            #expect(answer.body == (1...100).flatMap { [UInt8](repeating: UInt8($0), count: 50_000) })
        }
        // A client of HTTP/1.0 doesn't know chunks.
        await client.send(Array("GET /numbers HTTP/1.0\r\n\r\n".utf8))
        let rest = await client.rest()
        #expect(rest.count > 5_000_000 && !String(decoding: rest.prefix(500), as: UTF8.self).contains("chunked"))
        await server.stop()
    }

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    // MARK: Middleware

    private struct Step: HTTPMiddleware {
        let name: String

        func answer(_ request: HTTPRequest, next: @Sendable (HTTPRequest) async -> HTTPAnswer) async -> HTTPAnswer {
            var answer = await next(request)
            answer.headers.append(("X-Step", name))
            return answer
        }
    }

    @Test func `middleware surrounds handlers in its order`() async throws {
        let server = try await HTTPFixture([Self.route(.GET, "a/{x}")]) {
            $0.middleware = [Step(name: "outer"), Step(name: "inner")]
        }
        let client = try await WireClient(port: server.port)
        let answer = try await client.ask("GET /a/b")
        #expect(answer.headers.filter { $0.name == "x-step" }.map(\.value) == ["inner", "outer"])
        await client.close()
        await server.stop()
    }

    @Test func `a request is a span`() async throws {
        let tracer = InMemoryTracer()
        let server = try await HTTPFixture([Self.route(.GET, "a/{x}")]) {
            $0.middleware = [TracingMiddleware(tracer: tracer)]
        }
        let client = try await WireClient(port: server.port)
        let answer = try await client.ask("GET /a/b", ["traceparent: 00-1-1-01"])
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.operationName == "a/{x}")
        let id = try #require(answer["x-request-id"])
        #expect("\(String(describing: span.attributes.get("http.response.status_code")))".contains("200"))
        #expect("\(String(describing: span.attributes.get("http.request.id")))".contains(id))
        // A client that isn't a trusted proxy can't name the trace.
        #expect(tracer.performedContextExtractions.isEmpty)
        await client.close()
        await server.stop()
    }

    @Test func `a request of a trusted proxy continues its trace`() async throws {
        let tracer = InMemoryTracer()
        let server = try await HTTPFixture([Self.route(.GET, "a/{x}")]) {
            $0.middleware = [TracingMiddleware(tracer: tracer)]
            $0.proxies = try! TrustedProxies(["127.0.0.1"])
        }
        let client = try await WireClient(port: server.port)
        #expect(try await client.ask("GET /a/b").status == 200)
        #expect(tracer.performedContextExtractions.count == 1)
        await client.close()
        await server.stop()
    }

    // MARK: Compression

    private static let text = String(repeating: "the same words again and again. ", count: 1_000)

    private static func compressed() async throws -> HTTPFixture {
        func route(_ path: String, _ answer: HTTPAnswer) -> HTTPRoute {
            HTTPRoute(.GET, path, operation: path, statuses: [200], compresses: path != "secret") { _ in answer }
        }
        var packed = HTTPAnswer(type: "application/json", bytes: [UInt8](repeating: 0x61, count: 5_000))
        packed.headers = [("Content-Encoding", "br")]
        let routes = [
            route("large", HTTPAnswer(type: "application/json", body: text)), route("secret", HTTPAnswer(body: text)),
            route("tiny", HTTPAnswer(body: "a few bytes")), route("packed", packed),
            route("image", HTTPAnswer(type: "image/png", bytes: [UInt8](repeating: 0x61, count: 5_000))),
        ]
        return try await HTTPFixture(routes) { application in
            application.middleware = [CompressionMiddleware { GzipCompression.shared.compressed($1) }]
        }
    }

    @Test(arguments: [
        ("gzip", true), ("GZIP", true), ("x-gzip", true), ("deflate, gzip;q=0.5", true), ("*", true),
        ("br, *;q=0.1", true),
        ("gzip;q=0", false), ("gzip; q=0.0", false), ("deflate", false), ("", false), ("*, gzip;q=0", false),
        ("*;q=0", false),
    ]) func `a large answer is compressed for clients that take gzip`(_ coding: String, _ isCompressed: Bool)
        async throws
    {
        let server = try await Self.compressed()
        let client = try await WireClient(port: server.port)
        let answer = try await client.ask("GET /large", ["Accept-Encoding: \(coding)"])
        #expect(answer["content-encoding"] == (isCompressed ? "gzip" : nil))
        #expect(answer["vary"] == "Accept-Encoding")
        if isCompressed {
            #expect(answer.body.count < 1_000)
            let plain = answer.body.withUnsafeBytes { GzipCompression.shared.inflated($0, count: 100_000) }
            #expect(plain == Array(Self.text.utf8))
        } else {
            #expect(answer.text == Self.text)
        }
        await client.close()
        await server.stop()
    }

    @Test(arguments: ["secret", "tiny", "packed", "image"])
    func `answers that are short, compressed, secret or no text stay as they are`(_ path: String) async throws {
        let server = try await Self.compressed()
        let client = try await WireClient(port: server.port)
        let (plain, asked) = (
            try await client.ask("GET /\(path)"), try await client.ask("GET /\(path)", ["Accept-Encoding: gzip"])
        )
        #expect(asked["content-encoding"] == plain["content-encoding"] && asked.body == plain.body)
        await client.close()
        await server.stop()
    }

    @Test func `answers with tokens aren't compressed`() async throws {
        let server = try await AccountProbe()
        let client = try await WireClient(port: server.port)
        let path = AccountProbe.path + "/app/test/auth/providers/anon-user/login"
        let answer = try await client.ask("POST \(path)", ["Accept-Encoding: gzip"], "{}")
        #expect(answer.status == 200 && answer["content-encoding"] == nil)
        await client.close()
        await server.stop()
    }

    // MARK: Web pages of other origins

    @Test func `pages of allowed origins may ask, and others may not`() async throws {
        let server = try await AccountProbe { $0.node.origins = ["https://app.example.org"] }
        let client = try await WireClient(port: server.port)
        let (good, bad) = ("Origin: https://app.example.org", "Origin: https://evil.example")
        let path = "/api/data/v1/app/test/Note"
        let question = "Access-Control-Request-Method: PATCH"
        let answer = try await client.ask("OPTIONS \(path)", [good, question])
        #expect(answer.status == 204)
        #expect(answer["access-control-allow-origin"] == "https://app.example.org")
        #expect(answer["access-control-allow-methods"]?.contains("PATCH") == true)
        #expect(answer["access-control-allow-credentials"] == nil)
        let refused = try await client.ask("OPTIONS \(path)", [bad, question])
        #expect(refused.status == 401 && refused["access-control-allow-origin"] == nil)
        // A page sees errors, too.
        let unknown = try await client.ask("GET \(path)", [good])
        #expect(unknown.status == 401 && unknown["access-control-allow-origin"] == "https://app.example.org")
        #expect(try await client.ask("GET \(path)", [bad])["access-control-allow-origin"] == nil)
        await client.close()
        await server.stop()
    }

    @Test func `without a setting no page of another origin may ask`() async throws {
        let server = try await AccountProbe()
        let client = try await WireClient(port: server.port)
        let answer = try await client.ask("GET /health", ["Origin: https://app.example.org"])
        #expect(answer["access-control-allow-origin"] == nil && answer["vary"] == nil)
        await client.close()
        await server.stop()
    }
}
