import Foundation
import FreeholdBSON
import JWTKit
import Synchronization
import TestReceiver
import Testing

@testable import FreeholdServer

/// Log-ins with id tokens of providers, over sockets. The tests have keys of their own in place of the providers'.
@Suite(.timeLimit(.minutes(20))) struct ProviderTests {
    /// A provider that signs id tokens.
    private struct Provider: Sendable {
        let key = ES256PrivateKey()
        let name: String

        /// The key as an entry of a JSON Web Key Set.
        var entry: String {
            get throws {
                let parameters = try #require(key.parameters)
                func url(_ text: String) -> String {
                    text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
                }
                return """
                    {"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "\(name)",
                     "x": "\(url(parameters.x))", "y": "\(url(parameters.y))"}
                    """
            }
        }

        func token(_ claims: TestClaims, kid: String? = nil) async throws -> String {
            let keys = await JWTKeyCollection().add(ecdsa: key, kid: JWKIdentifier(string: kid ?? name))
            return try await keys.sign(claims, kid: JWKIdentifier(string: kid ?? name))
        }
    }

    private struct TestClaims: JWTPayload {
        var sub: String? = "1084"
        var aud: [String]? = ["notes.apps"]
        var iss: String? = "https://accounts.google.com"
        var exp: Int64? = Int64(Date().timeIntervalSince1970) + 3_600
        var nbf: Int64?
        var email: String? = "ann@example.org"
        var email_verified: Bool? = true
        var name: String? = "Ann"

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    private static func set(_ entries: String...) -> String { #"{"keys": [\#(entries.joined(separator: ","))]}"# }

    private func server(_ settings: ProviderSettings) async throws -> AccountProbe {
        let folder = try TestFolder()
        let store = try AccountStore(at: folder.path)
        let app = AccountApp(id: "test", allowsAnonymous: true, access: .everyone)
        try await store.createApp(app)
        try await store.changeDocuments(of: "test") { $0.providers = [settings] }
        return try await AccountProbe(folder: folder, app: app)
    }

    private func login(_ server: AccountProbe, _ token: String, _ provider: String = "oauth2-google") async throws
        -> AccountProbe.Answer
    {
        try await server.send("POST", "/app/test/auth/providers/\(provider)/login", ["id_token": .string(token)])
    }

    @Test func `a valid id token is a log-in, and its subject is the user`() async throws {
        let (provider, folder) = (Provider(name: "k1"), try TestFolder())
        let path = folder.path + "/keys.json"
        try Self.set(provider.entry).write(toFile: path, atomically: true, encoding: .utf8)
        let server = try await server(ProviderSettings(.google, keys: .file(path), audiences: ["other", "notes.apps"]))
        let first = try await login(server, try await provider.token(TestClaims()))
        #expect(first.status == 200)
        let again = try await login(
            server,
            try await provider.token(TestClaims(iss: "accounts.google.com", name: "Ann B"))
        )
        #expect(again["user_id"] == first["user_id"])
        let data = try await server.profile(again["access_token"]).body.documentValue?["data"]
        #expect(data == ["name": "Ann B", "email": "ann@example.org"], "the newest profile is shown")
        let unverified = try await login(server, try await provider.token(TestClaims(sub: "2", email_verified: nil)))
        let other = try await server.profile(unverified["access_token"]).body.documentValue?["data"]
        #expect(other == ["name": "Ann"], "rules can't trust an address that isn't verified")
        let code = try await server.send("POST", "/app/test/auth/providers/oauth2-google/login", ["authCode": "4/x"])
        #expect(code.code == "BadRequest")
        #expect(code["error"]?.contains("id_token") == true)
        #expect(try await login(server, "a.b.c", "oauth2-apple").code == "AuthProviderNotFound")
        await server.stop()
    }

    @Test func `tokens for another app, of another issuer, that are over or forged aren't accepted`() async throws {
        let (provider, thief, folder) = (Provider(name: "k1"), Provider(name: "k1"), try TestFolder())
        let path = folder.path + "/keys.json"
        try Self.set(provider.entry).write(toFile: path, atomically: true, encoding: .utf8)
        let server = try await server(ProviderSettings(.google, keys: .file(path), audiences: ["notes.apps"]))
        let now = Int64(Date().timeIntervalSince1970)
        for claims in [
            TestClaims(sub: nil), TestClaims(sub: ""), TestClaims(aud: ["another"]), TestClaims(aud: []),
            TestClaims(aud: nil),
            TestClaims(iss: "https://appleid.apple.com"), TestClaims(iss: nil), TestClaims(exp: now - 10),
            TestClaims(exp: nil),
            TestClaims(nbf: now + 600),
        ] {
            let answer = try await login(server, try await provider.token(claims))
            #expect(answer.status == 401, "\(claims)")
            #expect(answer.code == "AuthError", "\(claims)")
        }
        #expect(try await login(server, try await thief.token(TestClaims())).code == "AuthError")
        #expect(
            try await login(server, try await provider.token(TestClaims(), kid: "k2")).status == 200,
            "one key has no choice"
        )
        let good = try await provider.token(TestClaims())
        // A token that is signed with the public key as a secret, and one without a signature.
        let parts = good.split(separator: ".")
        let none = Data(#"{"alg":"none"}"#.utf8).base64EncodedString().replacing("=", with: "")
        let symmetric = Data(#"{"alg":"HS256","kid":"k1"}"#.utf8).base64EncodedString().replacing("=", with: "")
        for token in [
            "\(none).\(parts[1]).", "\(symmetric).\(parts[1]).\(parts[2])", "..", "x",
            String(repeating: "x", count: 20_000),
        ] {
            let answer = try await login(server, token)
            #expect(answer.status == 401, "\(token.prefix(40))")
        }
        for value in [BSONValue.null, 7, [:]] {
            let answer = try await server.send(
                "POST",
                "/app/test/auth/providers/oauth2-google/login",
                ["id_token": value]
            )
            #expect(answer.code == "MissingParameter")
        }
        await server.stop()
    }

    @Test func `changed keys in a file are read, and broken ones leave the earlier ones`() async throws {
        let (old, new, folder) = (Provider(name: "k1"), Provider(name: "k2"), try TestFolder())
        let path = folder.path + "/keys.json"
        try Self.set(old.entry).write(toFile: path, atomically: true, encoding: .utf8)
        let server = try await server(ProviderSettings(.google, keys: .file(path), audiences: ["notes.apps"]))
        #expect(try await login(server, try await old.token(TestClaims())).status == 200)
        try "{".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try await login(server, try await old.token(TestClaims())).status == 200)
        try Self.set(new.entry).write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try await login(server, try await new.token(TestClaims())).status == 200)
        #expect(try await login(server, try await old.token(TestClaims())).code == "AuthError")
        await server.stop()
    }

    @Test func `keys at an address are requested once, and again for a new key after a pause`() async throws {
        let (old, new) = (Provider(name: "k1"), Provider(name: "k2"))
        let content = Mutex(Self.set(try old.entry))
        let receiver = try await Receiver { _, _ in .reply(content.withLock { $0 }) }
        let server = try await server(
            ProviderSettings(.google, keys: .address(receiver.address), audiences: ["notes.apps"])
        )
        for _ in 0..<3 { #expect(try await login(server, try await old.token(TestClaims())).status == 200) }
        #expect(receiver.requests.count == 1)
        content.withLock { $0 = Self.set((try? old.entry) ?? "", (try? new.entry) ?? "") }
        #expect(try await login(server, try await new.token(TestClaims())).code == "AuthError")
        #expect(receiver.requests.count == 1, "strangers can't have the server request keys all the time")
        server.clock.advance(61)
        #expect(try await login(server, try await new.token(TestClaims())).status == 200)
        #expect(try await login(server, try await old.token(TestClaims())).status == 200)
        #expect(receiver.requests.count == 2)
        await server.stop()
        await receiver.close()
    }

    @Test(arguments: [
        Receiver.Answer.flood, .reply("{}"), .reply(#"{"keys": []}"#), .reply("<html>"), .status(404),
        .cut(takes: true),
        .reply("", status: 302, headers: ["Location": "http://127.0.0.1:1/"]),
    ])
    func `keys that can't be read are an error of the server`(_ answer: Receiver.Answer) async throws {
        let receiver = try await Receiver { _, _ in answer }
        let server = try await server(
            ProviderSettings(.apple, keys: .address(receiver.address), audiences: ["notes.apps"])
        )
        let token = try await Provider(name: "k1").token(TestClaims())
        for _ in 0..<2 {
            let result = try await login(server, token, "oauth2-apple")
            #expect(result.status == 503)
            #expect(result.code == "InternalServerError")
        }
        #expect(receiver.requests.count <= 1, "a failure is remembered for a while")
        await server.stop()
        await receiver.close()
    }

    @Test(arguments: [
        ProviderSettings(.google, audiences: []), ProviderSettings(.token, audiences: ["a"]),
        ProviderSettings(.google, keys: .address("http://example.org/keys"), audiences: ["a"]),
        ProviderSettings(.google, keys: .file("keys.json"), audiences: ["a"]),
    ])
    func `settings that can't work are refused`(_ settings: ProviderSettings) {
        #expect(throws: IngestFailure.self) { try settings.check() }
    }
}
