import Foundation
import FreeholdBSON
import Logging
import TestReceiver
import Testing

@testable import FreeholdServer

/// Hooks that fail, and clients that call too often.
@Suite(.timeLimit(.minutes(20))) struct HostileHookTests {
    private static let body: BSONDocument = ["name": "f", "arguments": []]
    private static let deep = String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000)

    @Test(arguments: [
        Receiver.Answer.cut(takes: true), .flood, .reply("{"), .reply("<html>"), .reply(deep), .status(500),
        .reply("", status: 302, headers: ["Location": "http://127.0.0.1:1/other"]),
        .reply(String(repeating: " ", count: 2 << 20) + "1"), .reply(#"{"$numberInt": "x"}"#),
    ])
    func `an answer that can't be used is one error for the client`(_ answer: Receiver.Answer) async throws {
        let server = try await HookServer(["function/f"]) { _ in answer }
        let token = try await server.token()
        let result = try await server.call(Self.body, token: token)
        #expect(result.status == 502)
        #expect(result.code == "FunctionExecutionError")
        #expect(server.receiver.requests.count <= 1, "a call isn't repeated, and leads nowhere else")
        #expect(try await server.probe.profile(token).status == 200)
        await server.stop()
    }

    @Test func `a hook that doesn't answer in time is a time-out for the client`() async throws {
        let server = try await HookServer(["function/f"], timeout: 1) { _ in .silence }
        let result = try await server.call(Self.body, token: try await server.token())
        #expect(result.status == 504)
        #expect(result.code == "ExecutionTimeLimitExceeded")
        #expect(try #require(server.probe.running.watch).accounts.hooks.shares.count == 0)
        await server.stop()
    }

    @Test func `a hook that can't be reached is an error`() async throws {
        let server = try await HookServer(["function/f"]) { _ in .reply("1") }
        let token = try await server.token()
        await server.receiver.close()
        #expect(try await server.call(Self.body, token: token).status == 502)
        await server.stop()
    }

    @Test func `metrics count the calls of a hook and its failures, and have their times`() async throws {
        let server = try await HookServer(["function/f", "function/*"]) { content in
            switch content["arguments"]?.arrayValue?.first {
            case "fails": .status(500)
            case "refuses": .reply(#"{"error": "no"}"#, status: 400)
            default: .reply("1")
            }
        }
        let token = try await server.token()
        for argument in ["works", "fails", "refuses"] as [BSONValue] {
            _ = try await server.call(["name": "f", "arguments": [argument]], token: token)
        }
        _ = try await server.call(["name": "other", "arguments": []], token: token)
        let lines = try await server.metrics()
        let (own, others) = (#"{app="test",hook="function/f"}"#, #"{app="test",hook="function/*"}"#)
        for line in [
            "freehold_hook_calls_total\(own) 3", "freehold_hook_failures_total\(own) 1",
            "freehold_hook_seconds_count\(own) 3", "freehold_hook_calls_total\(others) 1",
        ] { #expect(lines.contains(line), "\(line)") }
        // A hook that isn't called fails, too.
        try "\n".write(toFile: server.probe.folder.path + "/hook.secret", atomically: true, encoding: .utf8)
        try await Task.sleep(for: .seconds(6))
        _ = try await server.call(Self.body, token: token)
        let later = try await server.metrics()
        #expect(later.contains("freehold_hook_failures_total\(own) 2"))
        #expect(later.contains("freehold_hook_calls_total\(own) 3"))
        await server.stop()
    }

    @Test func `a hook without its file of secrets isn't called`() async throws {
        let server = try await HookServer(["function/f"]) { _ in .reply("1") }
        try "\n".write(toFile: server.probe.folder.path + "/hook.secret", atomically: true, encoding: .utf8)
        #expect(try await server.call(Self.body, token: try await server.token()).status == 502)
        #expect(server.receiver.requests.isEmpty)
        await server.stop()
    }

    @Test func `a user has a few calls at a time, and another user has its own`() async throws {
        let server = try await HookServer(
            ["function/slow", "function/fast"],
            shares: HookShares.Limits(perUser: 2, total: 3)
        ) { content in content["name"] == "slow" ? .silence : .reply("1") }
        let (ann, bob) = (try await server.token(), try await server.token())
        let shares = try #require(server.probe.running.watch).accounts.hooks.shares
        let waiting = (0..<2).map { _ in Task { try await server.call(["name": "slow"], token: ann) } }
        while shares.count < 2 { try await Task.sleep(for: .milliseconds(10)) }
        let refused = try await server.call(["name": "fast"], token: ann)
        #expect(refused.status == 429)
        #expect(refused.code == "TooManyRequests")
        #expect(try await server.call(["name": "fast"], token: bob).status == 200)
        let third = Task { try await server.call(["name": "slow"], token: bob) }
        while shares.count < 3 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(try await server.call(["name": "fast"], token: bob).status == 503, "the server has all of its calls")
        // The end of the server ends the calls.
        await server.stop()
        for task in waiting + [third] { #expect((try? await task.value)?.status != 200) }
        #expect(shares.count == 0)
    }

    @Test func `the call of a client that leaves ends`() async throws {
        let server = try await HookServer(["function/f"]) { _ in .silence }
        let shares = try #require(server.probe.running.watch).accounts.hooks.shares
        let token = try await server.token()
        let text = #"{"name": "f"}"#
        let head = """
            POST \(AccountProbe.path)/app/test/functions/call HTTP/1.1\r\nHost: 127.0.0.1\r\n\
            Authorization: Bearer \(token)\r\nContent-Length: \(text.utf8.count)\r\n\r\n
            """
        let client = try await RawConnection(port: server.probe.port)
        await client.send(Array((head + text).utf8))
        while shares.count == 0 { try await Task.sleep(for: .milliseconds(10)) }
        await client.close()
        while shares.count > 0 { try await Task.sleep(for: .milliseconds(10)) }
        await server.stop()
    }

    @Test func `a server that ends gives calls the time of its drain`() async throws {
        let server = try await HookServer(["function/f"]) { _ in
            // The receiver answers while the server drains.
            Thread.sleep(forTimeInterval: 0.5)
            return .reply("1")
        }
        let token = try await server.token()
        let shares = try #require(server.probe.running.watch).accounts.hooks.shares
        let call = Task { try await server.call(Self.body, token: token) }
        while shares.count == 0 { try await Task.sleep(for: .milliseconds(5)) }
        await server.probe.running.stop(after: 60_000)
        #expect(try await call.value.status == 200)
        await server.receiver.close()
    }

    @Test func `random requests of a user are answered, and nothing stays counted`() async throws {
        var random = RandomRequests()
        let answers = [#"{"id": "x"}"#, "1", "[", #"{"status": "pending"}"#]
        let server = try await HookServer(["function/*", "custom-function", "reset", "confirm"]) { content in
            .reply(answers[((try? content.extendedJSON()) ?? "").utf8.count % answers.count])
        }
        let token = try await server.token()
        for _ in 0..<random.count {
            for (method, path) in HostileRequestTests.routes where !path.hasPrefix("/auth") {
                let body = random.body()
                let answer = try await server.probe.send(method, AccountProbe.path + path, bytes: body, token: token)
                #expect(answer.status > 0, "\(method) \(path)")
            }
            let word = random.word()
            let call = try await server.call(["name": .string(word), "arguments": [.string(word)]], token: token)
            #expect([200, 400, 404, 502].contains(call.status), "\(word): \(call)")
        }
        #expect(try #require(server.probe.running.watch).accounts.hooks.shares.count == 0)
        #expect(try await server.probe.profile(token).status == 200)
        await server.stop()
    }

    @Test func `failing calls don't fill the log, and neither secrets nor arguments are in it`() async throws {
        let lines = LogLines()
        let server = try await HookServer(["function/f"], logger: Logger(label: "test") { _ in lines.handler() }) { _ in
            .reply("an answer that isn't JSON")
        }
        let token = try await server.token()
        let body: BSONDocument = ["name": "f", "arguments": ["an argument of the user"]]
        for _ in 0..<30 { #expect(try await server.call(body, token: token).status == 502) }
        let text = lines.text
        #expect((1...10).contains(text.ranges(of: "a hook fails").count))
        #expect(text.contains("function/f"))
        for secret in [token, HookServer.secret, "an argument of the user", "an answer that isn't JSON", "app=shop"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        await server.stop()
    }
}
