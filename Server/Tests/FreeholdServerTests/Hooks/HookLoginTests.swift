import Foundation
import FreeholdBSON
import TestReceiver
import Testing

@testable import FreeholdServer

/// Log-ins that a hook decides, over sockets.
@Suite(.timeLimit(.minutes(20))) struct HookLoginTests {
    private func login(_ server: HookServer, _ provider: String, _ body: BSONDocument, link token: String? = nil)
        async throws -> AccountProbe.Answer
    {
        let path = "/app/test/auth/providers/\(provider)/login" + (token == nil ? "" : "?link=true")
        return try await server.probe.send("POST", path, body, token: token)
    }

    @Test func `a hook names the user, and the same name is the same user`() async throws {
        let server = try await HookServer(["custom-function"]) { content in
            let name = content["payload"]?.documentValue?["username"]?.stringValue ?? ""
            return .reply(name == "text" ? #""text""# : #"{"id": "\#(name)", "name": "Dr. \#(name)", "role": "admin"}"#)
        }
        let body: BSONDocument = ["username": "ann", "options": ["device": ["platform": "linux"]]]
        let (first, second) = (
            try await login(server, "custom-function", body), try await login(server, "custom-function", body)
        )
        #expect(first.status == 200)
        #expect(first["user_id"] == second["user_id"])
        let profile = try await server.probe.profile(first["access_token"])
        #expect(profile.body.documentValue?["data"] == ["name": "Dr. ann"], "only known fields are taken")
        let ways = profile.body.documentValue?["identities"]?.arrayValue?.compactMap {
            $0.documentValue?["provider_type"]
        }
        #expect(ways == ["custom-function"])
        #expect(try server.calls.first?["payload"] == ["username": "ann"], "the device's options aren't a part of it")
        let other = try await login(server, "custom-function", ["username": "text"])
        #expect(other.status == 200)
        #expect(other["user_id"] != first["user_id"])
        await server.stop()
    }

    @Test(arguments: [
        (Receiver.Answer.reply("{}", status: 403), 401, "AuthError"), (.reply("7"), 502, "FunctionExecutionError"),
        (.reply(#"{"id": 7}"#), 502, "FunctionExecutionError"), (.reply(#""""#), 502, "FunctionExecutionError"),
        (.reply("null"), 502, "FunctionExecutionError"), (.status(503), 502, "FunctionExecutionError"),
        (.reply("\"" + String(repeating: "x", count: 300) + "\""), 502, "FunctionExecutionError"),
    ])
    func `an answer without a user is no log-in`(_ answer: Receiver.Answer, status: Int, code: String) async throws {
        let server = try await HookServer(["custom-function"]) { _ in answer }
        let result = try await login(server, "custom-function", ["username": "ann"])
        #expect(result.status == status)
        #expect(result.code == code)
        #expect(try await server.probe.store.users(of: "test").isEmpty)
        await server.stop()
    }

    @Test func `a provider's code goes to its hook, and an id token doesn't`() async throws {
        let server = try await HookServer(["oauth2-google"]) { content in
            let code = content["payload"]?.documentValue?["authCode"]?.stringValue ?? ""
            return .reply(#"{"id": "g-\#(code)", "email": "ann@example.org"}"#)
        }
        let answer = try await login(server, "oauth2-google", ["authCode": "4/abc"])
        #expect(answer.status == 200)
        let data = try await server.probe.profile(answer["access_token"]).body.documentValue?["data"]
        #expect(data == ["email": "ann@example.org"])
        let token = try await login(server, "oauth2-google", ["id_token": "a.b.c"])
        #expect(token.code == "BadRequest")
        #expect(token["error"]?.contains("keys aren't configured") == true)
        #expect(try await login(server, "oauth2-facebook", ["accessToken": "x"]).code == "AuthProviderNotFound")
        #expect(try await login(server, "custom-function", [:]).code == "AuthProviderNotFound")
        #expect(server.receiver.requests.count == 1)
        await server.stop()
    }

    @Test func `an anonymous user is linked to the user that a hook names`() async throws {
        let server = try await HookServer(["custom-function"]) { _ in .reply(#""ann""#) }
        let anonymous = try await server.probe.loginAnonymous()
        let linked = try await login(server, "custom-function", ["username": "ann"], link: anonymous["access_token"])
        #expect(linked.status == 200)
        #expect(linked["user_id"] == anonymous["user_id"])
        #expect(try await login(server, "custom-function", ["username": "ann"])["user_id"] == anonymous["user_id"])
        // Another user can't take the log-in over.
        let other = try await server.probe.loginAnonymous()
        let refused = try await login(server, "custom-function", ["username": "ann"], link: other["access_token"])
        #expect(refused.code == "AccountNameInUse")
        await server.stop()
    }
}
