import Foundation
import FreeholdBSON
import Testing

@testable import FreeholdServer

/// Registrations for push messages, over sockets.
@Suite(.timeLimit(.minutes(20))) struct PushTests {
    private static let path = "/app/test/push/providers/gcm/registration"

    private func register(_ server: AccountProbe, _ device: String, _ token: String?, path: String = path) async throws
        -> AccountProbe.Answer
    {
        try await server.send("PUT", path, ["registrationToken": .string(device)], token: token)
    }

    @Test func `a device registers, changes its token, and leaves`() async throws {
        let server = try await AccountProbe()
        let login = try await server.loginAnonymous()
        let (user, token) = (login["user_id"], login["access_token"])
        #expect(try await register(server, "first", token).status == 204)
        #expect(try await register(server, "first", token).status == 204)
        #expect(try await register(server, "second", token).status == 204)
        let stored = try await server.store.pushRegistrations(of: "test")
        #expect(stored.map(\.token) == ["second"])
        #expect(stored.map(\.user) == [user])
        #expect(stored.map(\.service) == ["gcm"])
        let other = try await server.loginAnonymous()
        #expect(try await register(server, "second", other["access_token"]).status == 204)
        let moved = try await server.store.pushRegistrations(of: "test")
        #expect(moved.map(\.user) == [other["user_id"]], "a device belongs to the user that is logged in on it")
        #expect(try await server.send("DELETE", Self.path, token: token).status == 204)
        #expect(try await server.store.pushRegistrations(of: "test").count == 1, "only the own registration is removed")
        #expect(try await server.send("DELETE", Self.path, token: other["access_token"]).status == 204)
        #expect(try await server.store.pushRegistrations(of: "test").isEmpty)
        await server.stop()
    }

    @Test(arguments: ["log-out", "delete", "disable"])
    func `a registration ends with its log-in`(_ way: String) async throws {
        let server = try await AccountProbe()
        let (login, kept) = (try await server.loginAnonymous(), try await server.loginAnonymous())
        _ = try await register(server, "a", login["access_token"])
        _ = try await register(server, "b", kept["access_token"])
        let user = try #require(login["user_id"])
        switch way {
        case "log-out": _ = try await server.send("DELETE", "/auth/session", token: login["refresh_token"])
        case "delete": _ = try await server.send("DELETE", "/auth/delete", token: login["access_token"])
        default: try await server.store.setDisabled(true, user: user)
        }
        #expect(try await server.store.pushRegistrations(of: "test").map(\.token) == ["b"])
        #expect(try await register(server, "a", login["access_token"]).status == 401)
        await server.stop()
    }

    @Test func `a user has a bounded number of registrations`() async throws {
        let server = try await AccountProbe()
        let login = try await server.loginAnonymous()
        for number in 0..<25 {
            let path = "/app/test/push/providers/service-\(number)/registration"
            #expect(try await register(server, "device \(number)", login["access_token"], path: path).status == 204)
            server.clock.advance(1)
        }
        let stored = try await server.store.pushRegistrations(of: "test", user: login["user_id"])
        #expect(stored.map(\.token) == (5..<25).map { "device \($0)" })
        #expect(try await server.store.pushRegistrations(of: "test", user: "another").isEmpty)
        await server.stop()
    }

    @Test func `requests that can't be stored are refused`() async throws {
        let server = try await AccountProbe()
        let token = try await server.loginAnonymous()["access_token"]
        #expect(try await register(server, "x", nil).code == "InvalidSession")
        #expect(try await register(server, "", token).code == "MissingParameter")
        #expect(try await register(server, String(repeating: "x", count: 5_000), token).code == "MissingParameter")
        #expect(
            try await server.send("PUT", Self.path, ["registrationToken": 7], token: token).code == "MissingParameter"
        )
        let other = "/app/other/push/providers/gcm/registration"
        #expect(try await register(server, "x", token, path: other).code == "InvalidSession")
        let odd = "/app/test/push/providers/a%20b/registration"
        #expect(try await register(server, "x", token, path: odd).code == "BadRequest")
        #expect(try await server.send("POST", Self.path, [:], token: token).status == 405)
        await server.stop()
    }
}
