import Foundation
import FreeholdBSON
import Synchronization
import TestReceiver
import Testing

@testable import FreeholdServer

/// Confirmations and password resets by hooks, over sockets.
@Suite(.timeLimit(.minutes(20))) struct ConfirmationTests {
    private static let app = AccountApp(id: "test", emailPassword: .hook, access: .everyone)

    /// The status that the next answer of the hook has.
    private final class Script: Sendable {
        let status: Mutex<String>

        init(_ status: String) { self.status = Mutex(status) }

        func set(_ text: String) { status.withLock { $0 = text } }
        var answer: Receiver.Answer { .reply(#"{"status": "\#(status.withLock { $0 })"}"#) }
    }

    @Test func `a hook confirms new users, lets them wait, or refuses them`() async throws {
        let script = Script("success")
        let server = try await HookServer(["confirm"], app: Self.app) { _ in script.answer }
        let probe = server.probe
        #expect(try await probe.register("ann@example.org").status == 201)
        #expect(try await probe.login("ann@example.org").status == 200)
        script.set("pending")
        #expect(try await probe.register("bob@example.org").status == 201)
        #expect(try await probe.login("bob@example.org").code == "AuthError")
        script.set("fail")
        #expect(try await probe.register("eve@example.org").code == "BadRequest")
        #expect(try await probe.store.users(of: "test").count == 2, "the refused user isn't stored")
        script.set("pending")
        #expect(try await probe.register("eve@example.org").status == 201, "the name is free again")
        let calls = try server.calls
        #expect(calls.compactMap { $0["username"]?.stringValue }.prefix(2) == ["ann@example.org", "bob@example.org"])
        #expect(calls.allSatisfy { $0["password"] == nil }, "no password leaves the server")
        // The hook's program may confirm the user later, by the token that it got.
        let (id, token) = (try #require(calls[1]["tokenId"]), try #require(calls[1]["token"]))
        #expect(try await probe.userpass("confirm", ["tokenId": id, "token": token]).status == 200)
        #expect(try await probe.login("bob@example.org").status == 200)
        await server.stop()
    }

    @Test func `a waiting user is confirmed by a second call`() async throws {
        let script = Script("pending")
        let server = try await HookServer(["confirm"], app: Self.app) { _ in script.answer }
        try await server.probe.register("ann@example.org")
        let email: BSONDocument = ["email": "ann@example.org"]
        #expect(try await server.probe.userpass("confirm/call", email).status == 202)
        script.set("fail")
        #expect(try await server.probe.userpass("confirm/call", email).code == "BadRequest")
        script.set("success")
        #expect(try await server.probe.userpass("confirm/call", email).status == 200)
        #expect(try await server.probe.login("ann@example.org").status == 200)
        let count = server.receiver.requests.count
        #expect(try await server.probe.userpass("confirm/call", email).status == 202, "nothing is left to confirm")
        #expect(try await server.probe.userpass("confirm/call", ["email": "x@example.org"]).status == 202)
        #expect(server.receiver.requests.count == count, "the hook isn't asked about unknown users")
        await server.stop()
    }

    @Test func `a registration whose hook fails leaves nothing`() async throws {
        let server = try await HookServer(["confirm"], app: Self.app) { _ in .status(500) }
        #expect(try await server.probe.register("ann@example.org").status == 502)
        #expect(try await server.probe.store.users(of: "test").isEmpty)
        await server.stop()
    }

    @Test func `a hook decides about a new password`() async throws {
        let script = Script("success")
        let server = try await HookServer(["reset"]) { _ in script.answer }
        let probe = server.probe
        try await probe.register("ann@example.org")
        let login = try await probe.login("ann@example.org")
        func reset(_ password: String, _ arguments: [BSONValue] = []) async throws -> AccountProbe.Answer {
            try await probe.userpass(
                "reset/call",
                ["email": "Ann@example.org", "password": .string(password), "arguments": .array(arguments)]
            )
        }
        #expect(try await reset("another password", ["blue", .int32(7)]).status == 200)
        #expect(try await probe.login("ann@example.org", "another password").status == 200)
        #expect(try await probe.login("ann@example.org").code == "InvalidPassword")
        #expect(try await probe.renew(login["refresh_token"]).status == 401, "earlier log-ins have ended")
        let call = try #require(try server.calls.first)
        #expect(call["arguments"] == ["blue", .int32(7)])
        #expect(call["currentPasswordValid"] == false)
        #expect(call["password"] == nil)
        _ = try await reset("another password")
        #expect(try server.calls.last?["currentPasswordValid"] == true)
        script.set("fail")
        #expect(try await reset("a third password").code == "BadRequest")
        script.set("pending")
        #expect(try await reset("a third password").status == 202)
        #expect(try await probe.login("ann@example.org", "a third password").code == "InvalidPassword")
        let last = try #require(try server.calls.last)
        let (id, token) = (try #require(last["tokenId"]), try #require(last["token"]))
        let body: BSONDocument = ["tokenId": id, "token": token, "password": "a third password"]
        #expect(try await probe.userpass("reset", body).status == 200)
        #expect(try await probe.login("ann@example.org", "a third password").status == 200)
        #expect(try await reset("short").code == "BadRequest")
        await server.stop()
    }

    @Test func `without a hook the requests name the missing function`() async throws {
        let server = try await HookServer([]) { _ in .reply("1") }
        try await server.probe.register("ann@example.org")
        #expect(
            try await server.probe.userpass("confirm/call", ["email": "ann@example.org"]).code == "FunctionNotFound"
        )
        let body: BSONDocument = ["email": "ann@example.org", "password": "a long password", "arguments": []]
        #expect(try await server.probe.userpass("reset/call", body).code == "FunctionNotFound")
        await server.stop()
    }

    @Test func `calls for one address are limited`() async throws {
        let server = try await HookServer(["reset"]) { _ in .reply(#"{"status": "fail"}"#) }
        try await server.probe.register("ann@example.org")
        let body: BSONDocument = ["email": "ann@example.org", "password": "a long password", "arguments": []]
        for _ in 0..<10 { #expect(try await server.probe.userpass("reset/call", body).code == "BadRequest") }
        #expect(try await server.probe.userpass("reset/call", body).code == "TooManyRequests")
        #expect(server.receiver.requests.count == 10)
        await server.stop()
    }
}
