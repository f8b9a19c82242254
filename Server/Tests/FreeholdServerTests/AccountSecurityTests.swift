import Foundation
import Freehold
import FreeholdBSON
import FreeholdSyncCore
import Logging
import Testing

@testable import FreeholdServer

/// The statements of the security model about accounts.
@Suite(.timeLimit(.minutes(20))) struct AccountSecurityTests {
    @Test(arguments: AccountPlace.all)
    func `the eleventh wrong password in five minutes isn't even looked at`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place)
        try await server.register("ann@example.org")
        for _ in 0..<10 { #expect(try await server.login("ann@example.org", "wrong").status == 401) }
        let refused = try await server.login("ann@example.org")
        #expect(refused.status == 429)
        #expect(refused.code == "TooManyRequests")
        #expect(try await server.login("bob@example.org").status == 401, "another account")
        server.clock.advance(301)
        #expect(try await server.login("ann@example.org").status == 200)
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `an address that tries many accounts is stopped`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place, limits: AttemptLimiter.Limits(perAddress: 5))
        for number in 0..<5 { #expect(try await server.login("\(number)@example.org").status == 401) }
        #expect(try await server.login("another@example.org").status == 429)
        #expect(try await server.loginAnonymous().status == 429)
        #expect(try await server.register("ann@example.org").status == 429)
        #expect(try await server.userpass("reset/send", ["email": "ann@example.org"]).status == 429)
        await server.stop()
    }

    @Test(arguments: [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true), ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
        ("192.0.2.1", "192.0.2.2", false), ("::ffff:192.0.2.1", "192.0.2.1", true), ("fe80::1%eth0", "fe80::2", true),
        ("unknown", "unknown", true), ("::1", "::ffff:127.0.0.1", false),
    ])
    func `addresses of one network count as one`(_ one: String, _ two: String, _ isSame: Bool) throws {
        let limiter = AttemptLimiter(AttemptLimiter.Limits(perAddress: 1)) { Date() }
        try limiter.attempt(account: nil, address: one)
        if isSame {
            #expect(throws: AccountError.self) { try limiter.attempt(account: nil, address: two) }
        } else {
            try limiter.attempt(account: nil, address: two)
        }
    }

    @Test func `passwords, tokens and keys are in no log, and in no file`() async throws {
        let lines = LogLines()
        let server = try await AccountProbe(logger: Logger(label: "test") { _ in lines.handler() })
        try await server.register("ann@example.org", "a very secret password")
        let login = try await server.login("ann@example.org", "a very secret password")
        _ = try await server.login("ann@example.org", "a wrong password")
        let key = try await server.send("POST", "/auth/api_keys", ["name": "robot"], token: login["refresh_token"])
        _ = try await server.login(key: try #require(key["key"]))
        _ = try await server.userpass("reset/send", ["email": "ann@example.org"])
        let mail = try await server.mailer.next()
        let renewed = try await server.renew(login["refresh_token"])
        _ = try await server.profile(try #require(login["access_token"]) + "x")
        _ = try await server.send("POST", "/auth/session?token=a-token-in-the-url", token: "wrong")
        await server.stop()
        var secrets = ["a very secret password", "a wrong password", "a-token-in-the-url", mail.token]
        for name in ["access_token", "refresh_token"] {
            secrets += [try #require(login[name]), try #require(renewed[name])]
        }
        secrets.append(try #require(key["key"]))
        let text = lines.text
        #expect(text.contains("logIn"))
        for secret in secrets { #expect(!text.contains(secret)) }
        for name in try FileManager.default.subpathsOfDirectory(atPath: server.folder.path) {
            guard let data = FileManager.default.contents(atPath: "\(server.folder.path)/\(name)") else { continue }
            for secret in secrets { #expect(data.range(of: Data(secret.utf8)) == nil, "\(name)") }
        }
    }

    @Test func `only the owner may read what proves accounts`() async throws {
        let server = try await AccountProbe()
        for name in ["accounts.secret", "accounts.realm"] {
            let path = "\(server.folder.path)/\(name)"
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600, "\(name)")
        }
        await server.stop()
        let path = "\(server.folder.path)/accounts.secret"
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        await #expect(throws: SettingsError.self) { try await AccountProbe(folder: server.folder) }
    }

    @Test(arguments: AccountPlace.all)
    func `a user of one app has no account in another app`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place)
        try await server.store.createApp(AccountApp(id: "other", allowsAnonymous: true, access: .everyone))
        try await server.register("ann@example.org")
        let body: BSONDocument = ["username": "ann@example.org", "password": "a long password"]
        #expect(try await server.send("POST", "/app/other/auth/providers/local-userpass/login", body).status == 401)
        let members = AccountMembers(outside: ["other"])
        members.note("ann", "test")
        #expect(members.isMember("ann", of: "test"))
        #expect(!members.isMember("ann", of: "other"))
        #expect(!members.isMember("bob", of: "other"), "whom nobody knows")
        members.noteOutside("bob")
        #expect(members.isMember("bob", of: "other"))
        #expect(!members.isMember("bob", of: "test"))
        await server.stop()
    }

    @Test func `members without connections are forgotten, and connected members stay`() {
        let members = AccountMembers(outside: [])
        for number in 0..<1_000 { members.note("user\(number)", "test") }
        members.forget(but: ["user1"])
        members.note("user2", "test")
        #expect(members.count == 1_000)
        members.forget(but: ["user1"])
        #expect(members.count == 2)
        members.forget(but: ["user1"])
        members.forget(but: ["user1"])
        #expect(members.count == 1)
        #expect(members.isMember("user1", of: "test") && !members.isMember("user2", of: "test"))
    }

    @Test(arguments: AccountPlace.all)
    func `renewals with tokens that were made up count as attempts`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place, limits: AttemptLimiter.Limits(perAddress: 5))
        var token = try #require(try await server.loginAnonymous()["refresh_token"])
        for number in 0..<4 {
            let answer = try await server.renew("made up \(number)".replacingOccurrences(of: " ", with: "-"))
            #expect(answer.status == 401)
        }
        #expect(try await server.renew("made-up").status == 429)
        #expect(try await server.send("DELETE", "/auth/session", token: "made-up").status == 429)
        #expect(try await server.loginAnonymous().status == 429)
        // Valid tokens don't count as attempts: many devices may share an address.
        for _ in 0..<10 {
            let answer = try await server.renew(token)
            #expect(answer.status == 201)
            token = try #require(answer["refresh_token"])
        }
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `a log-in keeps a bounded number of tokens`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place)
        let first = try #require(try await server.loginAnonymous()["refresh_token"])
        var token = first
        for number in 0..<150 {
            server.clock.advance(1)
            let answer = try await server.renew(token)
            #expect(answer.status == 201, "\(number)")
            token = try #require(answer["refresh_token"])
            let kept = try await server.home.tokenCount()
            #expect(kept <= AccountStore.keptTokens.most)
        }
        // A deleted token isn't valid, but the log-in continues with the newest token.
        #expect(try await server.renew(first).status == 401)
        #expect(try await server.renew(token).status == 201)
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `a token whose successors never arrive stays good`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place)
        let token = try #require(try await server.loginAnonymous()["refresh_token"])
        for number in 0..<150 {
            server.clock.advance(1)
            #expect(try await server.renew(token).status == 201, "\(number)")
            let kept = try await server.home.tokenCount()
            #expect(kept <= AccountStore.keptTokens.most)
        }
        await server.stop()
    }

    /// Starts a server and returns the status of a request with the token to an app of that server.
    ///
    /// - Parameter apps: The apps that the settings name for outside tokens.
    private static func status(_ apps: Set<String>?, _ app: String, _ token: String) async throws -> Int {
        let server = try await AccountProbe {
            $0.node.apps = ["named": NodeApp(access: .everyone)]
            $0.tokens.keys = [.secret(TestServer.secret)]
            $0.tokens.users = [KeyHash(of: String(repeating: "k", count: 40)): "robot"]
            $0.tokens.allowsAnonymous = true
            $0.tokens.apps = apps
        }
        let answer = try await server.send("GET", "/api/data/v1/app/\(app)/Note", bytes: [], token: token)
        // A socket is refused if the request is refused.
        let peer = try await RawPeer(port: server.port)
        try await peer.hello(token)
        let fault = try await peer.bind(SyncString(app))
        #expect((fault == nil) == (answer.status == 200), "\(app): \(String(describing: fault))")
        await server.stop()
        return answer.status
    }

    @Test func `tokens of the settings count in the apps of the settings, or in those that are named`() async throws {
        let tokens = [
            try await TestServer.token("ann"), "key:" + String(repeating: "k", count: 40),
            "anonymous:" + String(repeating: "a", count: 40),
        ]
        for token in tokens {
            #expect(try await Self.status(nil, "named", token) == 200)
            #expect(try await Self.status(nil, "test", token) == 403)
            #expect(try await Self.status(["test"], "test", token) == 200)
            #expect(try await Self.status(["test"], "named", token) == 403)
            #expect(try await Self.status([], "named", token) == 403)
        }
    }

    @Test(arguments: AccountPlace.all)
    func `a token of the settings that names an account opens nothing`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place) {
            $0.node.apps = ["named": NodeApp(access: .everyone)]
            $0.tokens.keys = [.secret(TestServer.secret)]
            $0.tokens.apps = ["named"]
        }
        let login = try await server.loginAnonymous()
        let victim = try #require(login["user_id"])
        // The account uses its app, so that the server knows the user.
        let access = try #require(login["access_token"])
        #expect(try await server.send("GET", "/api/data/v1/app/test/Note", bytes: [], token: access).status == 200)
        for app in ["named", "test"] {
            let token = try await TestServer.token(victim)
            let path = "/api/data/v1/app/\(app)/Note"
            #expect(try await server.send("GET", path, bytes: [], token: token).status == 401)
            let peer = try await RawPeer(port: server.port)
            try await peer.hello(token)
            #expect(try await peer.bind(SyncString(app)) != nil, "\(app)")
        }
        // Other users of the same issuer have access to the apps in the settings.
        let other = try await TestServer.token("ann")
        #expect(try await server.send("GET", "/api/data/v1/app/named/Note", bytes: [], token: other).status == 200)
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `another issuer's token logs in where the settings name the app`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place) { $0.tokens.keys = [.secret(TestServer.secret)] }
        let body: BSONDocument = ["token": .string(try await TestServer.token("ann"))]
        let answer = try await server.send("POST", "/app/test/auth/providers/custom-token/login", body)
        #expect(answer.code == "AuthProviderNotFound")
        await server.stop()
    }

    @Test func `tokens of a server without accounts count where the settings say`() async throws {
        for (apps, isOpen) in [(nil, true), (["test"], true), (["other"], false)] as [(Set<String>?, Bool)] {
            let server = try await TestServer { $0.tokens.apps = apps }
            let peer = try await RawPeer(port: server.port)
            try await peer.hello(try await TestServer.token("ann"))
            #expect((try await peer.bind("test") == nil) == isOpen, "\(String(describing: apps))")
            await server.stop()
        }
    }

    @Test func `a token of another server isn't taken`() async throws {
        let (a, b) = (try await AccountProbe(), try await AccountProbe())
        let login = try await a.loginAnonymous()
        #expect(try await b.profile(login["access_token"]).code == "InvalidSession")
        // A server accepts neither its own refresh token as an access token, nor an access token as a refresh token.
        #expect(try await a.profile(login["refresh_token"]).code == "InvalidSession")
        #expect(try await a.renew(login["access_token"]).code == "InvalidSession")
        let parts = try #require(login["access_token"]).split(separator: ".")
        let other = Data(#"{"alg":"HS512","typ":"JWT"}"#.utf8).base64EncodedString().replacing("=", with: "")
        #expect(try await a.profile("\(other).\(parts[1]).\(parts[2])").code == "InvalidSession")
        let none = "eyJhbGciOiJub25lIn0." + (login["access_token"] ?? "").split(separator: ".")[1] + "."
        #expect(try await a.profile(none).code == "InvalidSession", "the algorithm 'none'")
        await a.stop()
        await b.stop()
    }

    @Test func `a password's hash has salt, and isn't the password`() throws {
        let (a, b) = (try PasswordHash("secret", rounds: 1 << 10), try PasswordHash("secret", rounds: 1 << 10))
        #expect(a.text != b.text)
        #expect(a.matches("secret") && b.matches("secret") && !a.matches("Secret"))
        #expect(try #require(PasswordHash(text: a.text)) == a)
        for text in ["", "scrypt$1$8$3$$", "scrypt$99999999999$8$3$AA==$AA==", "md5$1$2$3$4$5"] {
            #expect(PasswordHash(text: text) == nil)
        }
    }

    @Test func `a server without development, app or token keys doesn't start`() async throws {
        let folder = try TestFolder()
        await #expect(throws: SettingsError.self) {
            var settings = ServerSettings(node: NodeConfiguration(apps: ["test": NodeApp()]))
            settings.accounts = ServerSettings.Accounts(folder: folder.path)
            (settings.port, settings.administratorPort) = (0, nil)
            let store = QueuedServerStore(MemoryServerStore(epoch: 1))
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            _ = try await RunningServer.start(settings, store: store, logger: logger)
        }
    }

    @Test func `everybody registers in development, on loopback`() async throws {
        let server = try await AccountProbe(app: AccountApp(id: "test")) { $0.isDevelopment = true }
        #expect(try await server.register("ann@example.org").status == 201)
        #expect(try await server.loginAnonymous().status == 200)
        await server.stop()
        await #expect(throws: SettingsError.self) {
            try await AccountProbe { ($0.isDevelopment, $0.host) = (true, "0.0.0.0") }
        }
    }

    @Test(arguments: AccountPlace.all)
    func `an address in two compositions is one account, and accounts of earlier versions go on`(_ place: AccountPlace)
        async throws
    {
        let server = try await AccountProbe(place)
        #expect(try await server.register("\u{e9}@example.org").status == 201)
        #expect(try await server.register("e\u{301}@example.org").code == "AccountNameInUse")
        let first = try await server.login("\u{e9}@example.org")
        #expect(try await server.login("E\u{301}@example.org")["user_id"] == first["user_id"])
        // Earlier versions stored the name in the composition of its characters that the client sent.
        let hash = try await PasswordHasher(rounds: 1 << 10).hash("a long password")
        _ = try await server.store.createUser(
            NewUser(app: "test", provider: .emailPassword, name: "o\u{308}@example.org", password: hash)
        )
        for name in ["o\u{308}@example.org", "\u{f6}@example.org", "O\u{308}@example.org"] {
            #expect(try await server.login(name).status == 200, "\(name.unicodeScalars.count)")
            #expect(try await server.register(name).status == 409)
        }
        await #expect(throws: AccountError.self) {
            try await server.store.createUser(app: "test", email: "\u{f6}@example.org", password: "a long password")
        }
        await server.stop()
    }

    @Test(arguments: [
        "a,b@example.org", "a\u{85}b@example.org", "a\u{1}@example.org", "a\n@example.org", "a b@example.org",
        "a\u{a0}b@example.org", "a\u{200b}@example.org", "a\u{202e}@example.org", "a\u{2028}b@example.org",
        "a<b@example.org", "a;b@example.org", "\"a\"@example.org",
    ])
    func `an address with separators or characters that don't show is none`(_ name: String) async throws {
        let server = try await AccountProbe()
        #expect(try await server.register(name).code == "InvalidEmail")
        #expect(try await server.login(name).status == 401)
        await server.stop()
    }
}
