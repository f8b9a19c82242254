import Crypto
import Foundation
import FreeholdServer
import FreeholdSync
import FreeholdSyncCore
import JWTKit
import Logging
import Synchronization
import Testing

/// The tokens that a server accepts and refuses.
@Suite(.timeLimit(.minutes(20))) struct TokenTests {
    @Test(arguments: [
        "", "nonsense", "a.b.c", "key:unknown", "user:ann", "anonymous:" + String(repeating: "x", count: 40),
    ])
    func `a token that isn't one is refused, and the connection ends`(token: String) async throws {
        let server = try await TestServer()
        let peer = try await RawPeer(port: server.port)
        try await peer.hello(token)
        #expect(try await peer.next()?.fault == .auth)
        #expect(try await peer.next() == nil)
        #expect(server.metric("freehold_tokens_refused_total") == 1)
        await server.stop()
    }

    @Test func `expired, forged and unsigned tokens are refused`() async throws {
        let server = try await TestServer()
        func part(_ text: String) -> String {
            Data(text.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "").replacingOccurrences(
                of: "+",
                with: "-"
            )
        }
        let unsigned = part(#"{"alg":"none"}"#) + "." + part(#"{"sub":"ann","exp":4102444800}"#) + "."
        for token in [
            try await TestServer.token("ann", expires: -10),
            try await TestServer.token("ann", secret: "another secret, also of more than 32 bytes"),
            try await TestServer.token(""),
            unsigned,
        ] {
            let peer = try await RawPeer(port: server.port)
            try await peer.hello(token)
            #expect(try await peer.next()?.fault == .auth)
        }
        await server.stop()
    }

    @Test(arguments: ["HS256", "HS512", "RS256", "ES256", "None", "none", "hs256", ""])
    func `a token whose header names another algorithm than its key has is refused`(_ algorithm: String) async throws {
        let server = try await TestServer()
        func part(_ data: some DataProtocol) -> String {
            Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=",
                with: ""
            )
        }
        let head = part(Data(#"{"alg":"\#(algorithm)","typ":"JWT"}"#.utf8))
        let body = head + "." + part(Data(#"{"sub":"ann","exp":4102444800}"#.utf8))
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(body.utf8),
            using: SymmetricKey(data: Data(TestServer.secret.utf8))
        )
        let peer = try await RawPeer(port: server.port)
        try await peer.hello(body + "." + part(Data(code)))
        let answer = try await peer.next()
        if algorithm == "HS256" {
            guard case .welcome? = answer else {
                Issue.record("no welcome")
                return
            }
        } else {
            #expect(answer?.fault == .auth)
        }
        peer.close()
        await server.stop()
    }

    @Test(arguments: ["[]", "7", "[7]", "{}", "null", #"["other"]"#])
    func `a signed token without the audience is refused, and doesn't end the process`(_ audience: String) async throws
    {
        func part(_ bytes: Data) -> String {
            bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        let claims = #"{"sub": "ann", "exp": \#(Int(Date().timeIntervalSince1970) + 600), "aud": \#(audience)}"#
        let body = part(Data(#"{"alg":"HS256"}"#.utf8)) + "." + part(Data(claims.utf8))
        let key = SymmetricKey(data: Data(TestServer.secret.utf8))
        let token = body + "." + part(Data(HMAC<SHA256>.authenticationCode(for: Data(body.utf8), using: key)))
        let strict = try await JWTAuthenticator([.secret(TestServer.secret)], .init(audience: "notes"))
        await #expect(throws: TokenRefusal.self) { try await strict.identify(token) }
    }

    @Test func `ES256 by a public key, keys of a set, API keys and anonymous users come in`() async throws {
        let key = ES256PrivateKey()
        let secret = String(repeating: "k", count: 40)
        let server = try await TestServer { settings in
            // The keys of the settings are used beside each other.
            settings.tokens.keys = [
                .secret(TestServer.secret), .publicKey(key.publicKey.pemRepresentation),
                .publicKey(ES256PrivateKey().publicKey.pemRepresentation), .secret(String(repeating: "s", count: 40)),
            ]
            settings.tokens.users = [KeyHash(of: secret): "machine"]
            settings.tokens.allowsAnonymous = true
        }
        struct Claims: JWTPayload {
            let sub: SubjectClaim
            let exp: ExpirationClaim
            func verify(using algorithm: some JWTAlgorithm) async throws {}
        }
        let token = try await JWTKeyCollection().add(ecdsa: key).sign(
            Claims(sub: "ann", exp: ExpirationClaim(value: .now.addingTimeInterval(60)))
        )
        for token in [
            token, try await TestServer.token("ann"),
            try await TestServer.token("bob", secret: String(repeating: "s", count: 40)), "key:" + secret,
            "anonymous:" + String(repeating: "x", count: 40),
        ] {
            let peer = try await RawPeer(port: server.port)
            try await peer.hello(token)
            guard case .welcome? = try await peer.next() else {
                Issue.record("no welcome")
                continue
            }
            peer.close()
        }
        await server.stop()
    }

    @Test func `a refused token is replaced by the source's, and the session goes on`() async throws {
        struct Source: TokenSource {
            let token: String
            func token(insteadOf refused: AccessToken) async throws -> AccessToken { AccessToken(SyncString(token)) }
        }
        let server = try await TestServer()
        let source = Source(token: try await TestServer.token("ann"))
        let a = try await TestClient(port: server.port, token: "old", tokens: source)
        try await a.subscribe()
        try a.create(1)
        try await a.settle()
        #expect(server.contents.count == 1)
        await a.close()
        await server.stop()
    }

    @Test func `without a new token waits end with an error, and renew goes on`() async throws {
        let server = try await TestServer()
        let a = try await TestClient(port: server.port, token: "old")
        try await a.session.subscribe(TestClient.everything)
        try a.create(1)
        await #expect(throws: SessionError.self) { try await a.session.waitForUpload() }
        #expect(a.journal.contains { $0.needsApp })
        a.session.renew(AccessToken(SyncString(try await TestServer.token("ann"))))
        try await a.settle()
        #expect(server.contents.count == 1)
        await a.close()
        await server.stop()
    }

    @Test func `a connection ends when its token is no longer good`() async throws {
        let server = try await TestServer { $0.node.limits.stallTimeout = 100 }
        let peer = try await RawPeer(port: server.port)
        try await peer.hello(TestServer.token("ann", expires: 5))
        guard case .welcome? = try await peer.next() else {
            Issue.record("no welcome")
            return
        }
        #expect(try await peer.next()?.fault == .auth)
        await server.stop()
    }

    @Test func `an app without access is closed, and a user's stream is the user's`() async throws {
        let server = try await TestServer { settings in
            settings.node.apps = ["test": NodeApp(access: .ownStream), "closed": NodeApp()]
        }
        let peer = try await RawPeer(port: server.port)
        try await peer.hello(TestServer.token("ann"))
        let schema = SchemaClaim(version: 0, hash: .empty)
        try await peer.send(.bind(1, Bind(app: "test", stream: .string("ann"), schema: schema)))
        try await peer.send(.bind(2, Bind(app: "test", stream: .string("bob"), schema: schema)))
        try await peer.send(.bind(3, Bind(app: "test", schema: schema)))
        try await peer.send(.bind(4, Bind(app: "closed", schema: schema)))
        try await peer.send(.bind(5, Bind(app: "nowhere", schema: schema)))
        var (bound, forbidden) = (0, 0)
        while bound + forbidden < 5, let message = try await peer.next() {
            if case .bound(1, _) = message { bound += 1 }
            if message.fault == .forbidden { forbidden += 1 }
        }
        #expect(bound == 1)
        #expect(forbidden == 4)
        peer.close()
        await server.stop()
    }

    @Test func `a refused client waits no longer than until the server's answer`() async throws {
        let server = try await TestServer { $0.node.apps = ["test": NodeApp()] }
        let a = try await TestClient(port: server.port)
        let set = try await a.session.subscribe(TestClient.everything)
        // The second wait ends with the answer to the session's next attempt.
        for _ in 0..<2 {
            let error = await #expect(throws: SessionError.self) {
                try await a.session.waitForQuerySet(set.version)
            }
            #expect(error == .forbidden(text: "The user may not use this."))
        }
        try a.create(1)
        await #expect(throws: SessionError.self) { try await a.session.waitForUpload() }
        await #expect(throws: SessionError.self) { try await a.session.waitForDownload() }
        // The session continues its attempts. The app has nothing to do but to wait for its rights.
        #expect(!a.journal.contains { $0.needsApp })
        await a.close()
        await server.stop()
    }

    @Test func `tokens, secrets and data are in no log`() async throws {
        let lines = LogLines()
        let logger = Logger(label: "test") { _ in lines.handler() }
        let server = try await TestServer(logger: logger)
        let token = try await TestServer.token("ann")
        let a = try await TestClient(port: server.port, token: token)
        try await a.subscribe()
        try a.create(1, ["name": .string("a secret of the user's")])
        try await a.settle()
        let peer = try await RawPeer(port: server.port)
        try await peer.hello(token + "x")
        _ = try await peer.next()
        await a.close()
        await server.stop()
        let text = lines.text
        #expect(text.contains("a token is refused"))
        for secret in [token, String(token.split(separator: ".")[1]), TestServer.secret, "a secret of the user's"] {
            #expect(!text.contains(secret))
        }
    }

    @Test func `an unsafe server doesn't start`() async throws {
        await #expect(throws: SettingsError.self) { try await TestServer { $0.tokens.keys = [] } }
        await #expect(throws: SettingsError.self) {
            try await TestServer { ($0.isDevelopment, $0.host) = (true, "0.0.0.0") }
        }
        await #expect(throws: SettingsError.self) { try await TestServer { $0.administratorHost = "0.0.0.0" } }
        await #expect(throws: TokenRefusal.self) { try await TestServer { $0.tokens.keys = [.secret("short")] } }
    }
}

/// The text of all log messages of all levels.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    func handler() -> any LogHandler { Handler(lines: self) }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.lines.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
        }
    }
}
