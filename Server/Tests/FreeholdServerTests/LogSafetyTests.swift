import FreeholdSyncCore
import Logging
import Testing

@testable import FreeholdServer

/// Text from peers in the log.
@Suite(.timeLimit(.minutes(20))) struct LogSafetyTests {
    @Test func `a peer's text neither begins a line of the log nor makes one long`() async throws {
        let lines = LogLines()
        let server = try await TestServer(logger: Logger(label: "test") { _ in lines.handler() })
        let forged = "\n2026-11-28T00:00:00+0000 critical freehold-server: forged"
        let known = try await RawPeer(port: server.port)
        let token = AccessToken(SyncString(try await TestServer.token("ann\(forged)")))
        let agent = SyncString(forged + "\u{1B}[2J\u{202E}" + String(repeating: "a", count: 10_000))
        try await known.send(.hello(Hello(compressions: [], deviceTime: 0, token: token, agent: agent)))
        guard case .welcome? = try await known.next() else {
            Issue.record("no welcome")
            return
        }
        known.close()
        await server.stop()
        let text = lines.text
        #expect(text.contains("welcome") && text.contains("critical freehold-server: forged"))
        #expect(!text.contains("\n2026-11-28"))
        #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}"))
        #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count < 4_000 })
    }

    private static let texts = [
        ("plain text, 1.5 {} \"'", "plain text, 1.5 {} \"'"), ("a\nb\r\tc", #"a\nb\r\tc"#), ("a\\nb", #"a\\nb"#),
        ("é漢", "é漢"), ("\u{1B}[0m\u{9B}\u{7F}", #"\u{1B}[0m\u{009B}\u{7F}"#),
        ("a\u{2028}b\u{2029}c\u{202E}d", #"a\u{2028}b\u{2029}c\u{202E}d"#),
    ]

    @Test func `characters that a line of the log can't have are escaped`() {
        for (text, shown) in Self.texts { #expect(text.loggable == shown) }
        #expect(String(repeating: "x", count: 1_024).loggable.utf8.count == 1_024)
        #expect(String(repeating: "x", count: 1_025).loggable == String(repeating: "x", count: 1_024) + "…")
        #expect(String(repeating: "\n", count: 10_000).loggable.utf8.count < 1_100)
    }

    @Test func `every part of a log event is made safe`() {
        let lines = LogLines()
        var logger = Logger(label: "test") { _ in lines.handler() }.safe
        logger.logLevel = .debug
        logger.trace("hidden")
        logger.info("a\nb", metadata: ["c": ["d\ne", ["f": "g\nh"]], "i": .stringConvertible(Text())])
        #expect(lines.text.split(separator: "\n").count == 1)
        #expect(logger.safe.handler is SafeLogHandler)
        #expect(logger.logLevel == .debug)
    }

    private struct Text: CustomStringConvertible {
        var description: String { "j\nk" }
    }
}
