import Foundation
import FreeholdBSON
import TestReceiver
import Testing

@testable import FreeholdServer

/// Calls of functions over sockets: from a client to the server, and from the server to a hook.
@Suite(.timeLimit(.minutes(20))) struct FunctionTests {
    private static let sum: BSONDocument = ["name": "sum", "arguments": [1, 2]]

    @Test func `a call is signed, names the user, and returns the hook's value with its types`() async throws {
        let server = try await HookServer(["function/sum"]) { _ in
            .reply(#"{"sum": {"$numberLong": "3"}, "mean": 1.5, "id": {"$oid": "5f0000000000000000000001"}}"#)
        }
        let login = try await server.probe.loginAnonymous()
        let user = try #require(login["user_id"])
        try await server.probe.store.setCustomData(#"{"team": "red"}"#, user: user)
        let body: BSONDocument = [
            "name": "sum",
            "arguments": [.int32(1), .int64(1 << 40), .double(2), .datetime(BSONDateTime(milliseconds: 7))],
        ]
        let answer = try await server.call(body, token: login["access_token"])
        #expect(answer.status == 200)
        #expect(
            answer.body == [
                "sum": .int64(3), "mean": .double(1.5),
                "id": try BSONValue(extendedJSON: #"{"$oid": "5f0000000000000000000001"}"#),
            ]
        )
        let request = try #require(server.receiver.requests.first)
        let key = try #require(request.headers["idempotency-key"])
        let signature = try #require(request.headers["freehold-signature"])
        let now = Int64(Date().timeIntervalSince1970)
        #expect(HookSignature.isValid(signature, secret: HookServer.secret, key: key, body: request.body, now: now))
        #expect(!HookSignature.isValid(signature, secret: "another", key: key, body: request.body, now: now))
        #expect(request.headers["freehold-hook"] == "function/sum")
        #expect(request.headers["freehold-app"] == "test")
        #expect(request.headers["authorization"] == nil, "the user's token isn't passed on")
        let content = try #require(try server.calls.first)
        #expect(content["app"] == "test")
        #expect(content["arguments"] == body["arguments"])
        let caller = content["user"]?.documentValue
        #expect(caller?["id"]?.stringValue == user)
        #expect(caller?["custom_data"] == ["team": "red"])
        #expect(content["request"]?.documentValue?["remoteAddress"] == "127.0.0.1")
        await server.stop()
    }

    @Test(
        arguments: [
            ("null", .null), ("", .null), ("[1]", .array([.int32(1)])), (#""text""#, .string("text")),
            ("true", .bool(true)),
            (#"{"$numberDouble": "NaN"}"#, .double(.nan)),
        ] as [(String, BSONValue)]
    )
    func `each value can be a result`(_ text: String, _ value: BSONValue) async throws {
        let server = try await HookServer(["function/f"]) { _ in .reply(text) }
        let answer = try await server.call(["name": "f"], token: try await server.token())
        #expect(answer.status == 200)
        if case .double = value {
            #expect(answer.body.doubleValue?.isNaN == true)
        } else {
            #expect(answer.body == value)
        }
        #expect(try server.calls.first?["arguments"] == [])
        await server.stop()
    }

    @Test func `a function has its own hook, and all others share one`() async throws {
        let server = try await HookServer(["function/sum", "function/*", "service/mongodb-atlas"]) { content in
            .reply(
                #"{"hook": "\#(content["hook"]?.stringValue ?? "")", "name": "\#(content["name"]?.stringValue ?? "")"}"#
            )
        }
        let token = try await server.token()
        for (name, service, hook) in [
            ("sum", nil, "function/sum"), ("other", nil, "function/*"),
            ("find", "mongodb-atlas", "service/mongodb-atlas"),
        ] {
            var body: BSONDocument = ["name": .string(name), "arguments": []]
            if let service { body["service"] = .string(service) }
            let answer = try await server.call(body, token: token)
            #expect(answer["hook"] == hook)
            #expect(answer["name"] == name)
        }
        #expect(try server.calls.last?["service"] == "mongodb-atlas")
        await server.stop()
    }

    @Test func `calls that can't be made have the errors that clients read`() async throws {
        let server = try await HookServer(["function/sum"]) { _ in .reply("1") }
        let token = try await server.token()
        for (body, status, code) in [
            (["name": "none"], 404, "FunctionNotFound"), (["name": "sum", "service": "x"], 404, "ServiceNotFound"),
            (["name": "*"], 404, "FunctionNotFound"), (["name": ""], 400, "MissingParameter"),
            ([:], 400, "MissingParameter"), (["name": "sum", "arguments": 1], 400, "MissingParameter"),
            (["name": "sum", "service": 1], 400, "MissingParameter"), (["name": "a\u{7}b"], 404, "FunctionNotFound"),
        ] as [(BSONDocument, Int, String)] {
            let answer = try await server.call(body, token: token)
            #expect(answer.status == status, "\(body)")
            #expect(answer.code == code, "\(body)")
            #expect(answer["error"]?.isEmpty == false)
            #expect(answer["link"] == "")
        }
        #expect(try await server.call(Self.sum, token: nil).code == "InvalidSession")
        #expect(try await server.call(Self.sum, token: "a.b.c").code == "InvalidSession")
        #expect(try await server.call(Self.sum, token: token, app: "other").code == "InvalidSession")
        let watch = try await server.probe.send("GET", "/app/test/functions/call?baas_request=e30%3D&baas_at=\(token)")
        #expect(watch.code == "ServiceNotFound")
        #expect(server.receiver.requests.isEmpty)
        await server.stop()
    }

    @Test func `errors have exactly the type application/json, also behind doubled slashes`() async throws {
        let server = try await HookServer([]) { _ in .reply("1") }
        for path in ["//api//client/v2.0//app/test/functions/call", "/api/client/v2.0/app/test//functions//call"] {
            let head = "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
            let text = String(decoding: try await server.probe.raw(Array(head.utf8)), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 401 "), "\(text)")
            #expect(text.contains("\r\nContent-Type: application/json\r\n"))
            #expect(text.contains(#""error_code":"InvalidSession""#))
        }
        await server.stop()
    }

    @Test(arguments: [
        (#"{"error": "no stock"}"#, 422, 400, "FunctionExecutionError", "no stock"),
        (#"{"error": "x", "error_code": "FunctionNotFound"}"#, 404, 404, "FunctionNotFound", "x"),
        (#"{"error": "x", "error_code": "InvalidSession"}"#, 401, 400, "FunctionExecutionError", "x"),
        ("<html>", 403, 400, "FunctionExecutionError", "the function refused the call with 403"),
    ])
    func `a function's error is passed on, and never ends the log-in`(
        _ body: String,
        hookStatus: Int,
        status: Int,
        code: String,
        text: String
    ) async throws {
        let server = try await HookServer(["function/sum"]) { _ in .reply(body, status: hookStatus) }
        let answer = try await server.call(Self.sum, token: try await server.token())
        #expect(answer.status == status)
        #expect(answer.code == code)
        #expect(answer["error"] == text)
        await server.stop()
    }

    @Test func `arguments of up to a megabyte are passed on, and longer ones aren't read`() async throws {
        let server = try await HookServer(["function/sum"]) { content in
            .reply("\(content["arguments"]?.arrayValue?.first?.stringValue?.utf8.count ?? 0)")
        }
        let token = try await server.token()
        let long = String(repeating: "x", count: 900_000)
        #expect(
            try await server.call(["name": "sum", "arguments": [.string(long)]], token: token).body.asInt64() == 900_000
        )
        let longer = String(repeating: "x", count: 1_100_000)
        let refused = try await server.call(["name": "sum", "arguments": [.string(longer)]], token: token)
        #expect(refused.status == 413)
        let deep = String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000)
        let bytes = Array(#"{"name": "sum", "arguments": \#(deep)}"#.utf8)
        let nested = try await server.probe.send(
            "POST",
            AccountProbe.path + "/app/test/functions/call",
            bytes: bytes,
            token: token
        )
        #expect(nested.code == "BadRequest")
        #expect(server.receiver.requests.count == 1)
        await server.stop()
    }

    @Test func `a hook that is set while the server runs is used`() async throws {
        let server = try await HookServer(["function/a"]) { _ in .reply("7") }
        let token = try await server.token()
        let target = try #require(try await server.probe.store.documents(of: "test").hooks.first).target
        try await server.probe.store.changeDocuments(of: "test") { documents in
            documents.hooks = [HookSettings(purpose: .function("b"), target: target)]
        }
        while try await server.call(["name": "b"], token: token).status != 200 {
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try await server.call(["name": "a"], token: token).code == "FunctionNotFound")
        await server.stop()
    }
}
