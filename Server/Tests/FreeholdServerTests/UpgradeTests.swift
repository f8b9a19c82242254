import FreeholdSyncCore
import NIOCore
import Testing

@testable import FreeholdHTTP
@testable import FreeholdServer

/// Requests for an upgrade, and the origins that a server in development accepts.
@Suite(.timeLimit(.minutes(20))) struct UpgradeTests {
    private static let webSocket = [
        "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    private static let http2 = [
        "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__",
    ]

    private static let wishes: [(String, [String], Int)] = [
        ("GET /health", http2, 200), ("GET /nothing", http2, 404), ("POST /health", http2, 405),
        ("GET /health", webSocket, 200), ("GET /sync/", webSocket, 404), ("GET /sync?a=b", webSocket, 404),
        ("POST /sync", webSocket, 405), ("GET /sync", Array(webSocket.dropLast()), 404),
        ("GET /sync", Array(webSocket.dropFirst()), 404), ("GET /sync", webSocket + ["Content-Length: 5"], 404),
        ("GET /sync", webSocket + ["Sec-WebSocket-Key: another"], 404),
        ("GET /sync", ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 12"], 404),
        ("GET /health", ["Connection: Upgrade", "Upgrade: "], 200),
        ("GET /sync", ["Connection: Upgrade", "Upgrade: h2c, websocket"] + Array(webSocket.dropFirst(2)), 101),
        ("GET //sync", webSocket, 101), ("GET http://localhost///sync", webSocket, 101),
        ("GET //sync//", webSocket, 404),
    ]

    @Test(arguments: wishes) func `a refused upgrade is answered like a request without it`(
        _ line: String,
        _ headers: [String],
        _ status: Int
    ) async throws {
        let server = try await TestServer()
        let body = headers.contains("Content-Length: 5") ? Array("12345".utf8) : []
        let request = ["\(line) HTTP/1.1", "Host: localhost"] + headers
        #expect(try await RawConnection.status(request, body, port: server.port) == status)
        await server.stop()
    }

    @Test func `bodies arrive beside the wish for HTTP 2`() async throws {
        let server = try await AccountProbe()
        let path = AccountProbe.path + "/app/test/auth/providers/anon-user/login"
        let head = ["POST \(path) HTTP/1.1", "Host: localhost", "Content-Length: 2"]
        let answer = try await RawConnection.ask(head + Self.http2, Array("{}".utf8), port: server.port)
        #expect(answer.status == 200)
        #expect(answer.text.contains("access_token"))
        await server.stop()
    }

    @Test func `a draining server answers requests for sync with 503`() async throws {
        let server = try await TestServer()
        try await server.running.node.drain(0).get()
        let request = ["GET /sync HTTP/1.1", "Host: localhost"] + Self.webSocket
        #expect(try await RawConnection.ask(request, port: server.port).status == 503)
        await server.stop()
    }

    // MARK: Development

    @Test(arguments: [
        ("localhost", true), ("LOCALHOST", true), ("127.0.0.1", true), ("127.255.3.4", true), ("::1", true),
        ("::ffff:127.0.0.1", true), ("0:0:0:0:0:0:0:1", true), ("127.foo.example", false), ("127.0.0.1.example", false),
        ("localhost.example", false), ("128.0.0.1", false), ("0.0.0.0", false), ("::", false), ("::2", false),
        ("::ffff:10.0.0.1", false), ("", false), ("127.0.0", false), ("127.0.0.256", false),
    ]) func `addresses of this machine are known by their numbers`(_ host: String, _ isLoopback: Bool) throws {
        #expect(Loopback.contains(host) == isLoopback)
        var settings = ServerSettings(node: NodeConfiguration(apps: ["test": NodeApp()]))
        (settings.isDevelopment, settings.host) = (true, host)
        #expect((try? settings.checked()) == nil ? !isLoopback : isLoopback)
    }

    @Test(arguments: [
        ("http://localhost", true), ("http://localhost:5173", true), ("https://127.0.0.1:8443", true),
        ("http://[::1]:3000", true), ("http://[::1]", true), ("HTTP://LocalHost:1", true), ("null", false), ("", false),
        ("http://evil.example", false), ("http://localhost.evil.example", false),
        ("http://127.0.0.1.evil.example", false),
        ("http://localhost@evil.example", false), ("http://localhost:80@evil.example", false),
        ("http://localhost:x", false), ("http://localhost/", false), ("ftp://localhost", false),
        ("file://localhost", false), ("http://[::1", false), ("http://::1", false), ("http://[localhost]", false),
        ("http://evil.example#http://localhost", false), ("localhost", false), ("//localhost", false),
    ]) func `an origin is a page of this machine or it isn't`(_ origin: String, _ isOwn: Bool) {
        #expect(Loopback.isOrigin(origin) == isOwn)
    }

    @Test(arguments: [
        (["Host: localhost", "Origin: http://evil.example"], true, 403),
        (["Host: localhost", "Origin: null"], true, 403),
        (["Host: localhost", "Origin: http://localhost", "Origin: http://evil.example"], true, 403),
        // A foreign name whose address is this server's.
        (["Host: evil.example:7700"], true, 403),
        (["Host: localhost:7700"], true, 200), (["Host: [::1]:7700"], true, 200), (["Host: 10.0.2.2:7700"], true, 200),
        (["Host: 127.0.0.1", "Origin: http://localhost:5173"], true, 200),
        (["Host: evil.example", "Origin: http://evil.example"], false, 200),
    ]) func `in development only pages of this machine are answered`(
        _ headers: [String],
        _ isDevelopment: Bool,
        _ status: Int
    ) async throws {
        let server = try await AccountProbe { $0.isDevelopment = isDevelopment }
        let token = "Authorization: Bearer user:ann"
        var request = ["GET \(AccountProbe.path)/app/test/location HTTP/1.1"] + headers
        #expect(try await RawConnection.status(request, port: server.port) == status)
        request = ["GET /api/data/v1/app/test/Note HTTP/1.1", token] + headers
        let documents = isDevelopment ? status : 401
        #expect(try await RawConnection.status(request, port: server.port) == documents)
        request = ["GET /sync HTTP/1.1"] + headers + Self.webSocket
        let upgraded = status == 200 ? 101 : 403
        #expect(try await RawConnection.status(request, port: server.port) == upgraded)
        await server.stop()
    }
}
