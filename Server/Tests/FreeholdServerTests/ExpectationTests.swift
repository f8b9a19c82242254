import Foundation
import FreeholdBSON
import FreeholdSyncCore
import Testing

@testable import FreeholdServer

/// Clients that send a body after the server has asked for it (`Expect: 100-continue`).
@Suite(.timeLimit(.minutes(20))) struct ExpectationTests {
    private static let login = AccountProbe.path + "/app/test/auth/providers/anon-user/login"
    private static let note = "/api/data/v1/app/test/Note"

    private static func head(_ line: String, _ headers: [String]) -> [UInt8] {
        Array(
            (["\(line) HTTP/1.1", "Host: localhost", "Connection: close"] + headers + ["", ""]).joined(
                separator: "\r\n"
            ).utf8
        )
    }

    @Test(arguments: ["100-continue", "100-Continue"]) func `a body that is wanted is asked for`(_ expectation: String)
        async throws
    {
        let server = try await AccountProbe()
        let token = try #require(try await server.loginAnonymous()["access_token"])
        for (line, headers, body) in [
            ("POST \(Self.login)", ["Content-Length: 2"], "{}"),
            ("POST \(Self.login)", ["Transfer-Encoding: chunked"], "2\r\n{}\r\n0\r\n\r\n"),
            ("GET \(Self.note)", ["Content-Length: 2", "Authorization: Bearer \(token)"], "{}"),
        ] {
            let connection = try await RawConnection(port: server.port)
            await connection.send(Self.head(line, headers + ["Expect: \(expectation)"]))
            #expect(await connection.next() == "HTTP/1.1 100 Continue\r\n\r\n")
            await connection.send(Array(body.utf8))
            #expect(await connection.rest().hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
        await server.stop()
    }

    @Test func `a body that isn't wanted is refused before it is sent`() async throws {
        let server = try await AccountProbe { $0.node.limits.greetingTimeout = 60_000 }
        let token = try #require(try await server.loginAnonymous()["access_token"])
        let good = "Authorization: Bearer \(token)"
        for (line, headers, status) in [
            ("POST \(Self.login)", ["Content-Length: 70000"], 413), ("POST \(Self.note)", ["Content-Length: 2"], 401),
            ("POST \(Self.note)", ["Content-Length: 2", good + "x"], 401),
            ("POST \(Self.note)", ["Content-Length: 999999999", good], 413),
            ("POST \(Self.note)", ["Content-Length: 99999999999", good], 413),
            ("POST /nothing", ["Content-Length: 2"], 405), ("GET /nothing", ["Content-Length: 2"], 404),
            ("GET /health", ["Content-Length: 2"], 200),
        ] {
            let answer = try await RawConnection.ask(
                ["\(line) HTTP/1.1", "Host: localhost", "Expect: 100-continue"] + headers,
                port: server.port
            )
            #expect(answer.status == status, "\(line) \(headers)")
            #expect(!answer.text.contains("100 Continue"))
        }
        await server.stop()
    }

    /// The head suffices for the refusal of a client without `Expect`, too.
    @Test func `a body that is too long is refused by its head`() async throws {
        let server = try await AccountProbe { $0.node.limits.greetingTimeout = 60_000 }
        let connection = try await RawConnection(port: server.port)
        await connection.send(Self.head("POST \(Self.login)", ["Content-Length: 70000"]))
        #expect(try #require(await connection.next()).hasPrefix("HTTP/1.1 413 "))
        await connection.close()
        await server.stop()
    }

    @Test func `a client that sends the body at once isn't asked for it`() async throws {
        let server = try await AccountProbe()
        let lines = ["POST \(Self.login) HTTP/1.1", "Host: localhost", "Content-Length: 2", "Expect: 100-continue"]
        let answer = try await RawConnection.ask(lines, Array("{}".utf8), port: server.port)
        #expect(answer.text.contains("HTTP/1.1 200 OK"))
        let old = ["POST \(Self.login) HTTP/1.0", "Host: localhost", "Content-Length: 2", "Expect: 100-continue"]
        #expect(try await RawConnection.ask(old, Array("{}".utf8), port: server.port).status == 200)
        await server.stop()
    }

    @Test(arguments: ["nothing", "100-continue, nothing", "200-ok"]) func `another expectation is refused`(
        _ expectation: String
    ) async throws {
        let server = try await AccountProbe()
        let lines = ["GET /health HTTP/1.1", "Host: localhost", "Expect: \(expectation)"]
        #expect(try await RawConnection.ask(lines, port: server.port).status == 417)
        await server.stop()
    }
}
