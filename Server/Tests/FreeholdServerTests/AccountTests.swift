import Foundation
import FreeholdBSON
import FreeholdSync
import FreeholdSyncCore
import Testing

@testable import FreeholdServer

/// The API of accounts over loopback sockets.
@Suite(.timeLimit(.minutes(20))) struct AccountTests {
    @Test(arguments: AccountPlace.all)
    func `a registered user logs in and has a profile`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place)
        #expect(try await server.register("Ann@example.org").status == 201)
        #expect(try await server.register("ann@EXAMPLE.org").code == "AccountNameInUse")
        let login = try await server.login("ann@example.org")
        #expect(login.status == 200)
        let profile = try await server.profile(login["access_token"])
        #expect(profile["user_id"] == login["user_id"])
        #expect(profile.body.documentValue?["data"]?.documentValue?["email"] == "ann@example.org")
        #expect(try await server.send("DELETE", "/auth/delete", token: login["access_token"]).status == 204)
        #expect(try await server.profile(login["access_token"]).status == 401)
        #expect(try await server.login("ann@example.org").code == "InvalidPassword")
        await server.stop()
    }

    @Test func `the location is where the client asked`() async throws {
        let server = try await AccountProbe()
        let location = try await server.send("GET", "/app/test/location")
        #expect(location["hostname"] == server.address)
        #expect(location["ws_hostname"] == "ws://127.0.0.1:\(server.port)/sync")
        #expect(try await server.send("GET", "/app/other/location").status == 404)
        await server.stop()
    }

    private static let hosts = [
        ("localhost:7", true), ("127.0.0.1", true), ("192.0.2.7:7700", true), ("[2001:db8::1]:7", true), ("nas", true),
        ("nas.local:7700", true), ("NAS.Home.arpa", true), ("sync.example.org", false), ("evil.example:7700", false),
        ("local", true), ("evil.local.example", false), ("a'b", false), ("a&b.local", false), ("", false),
    ]

    @Test func `the location gives a name back only if it may be the server's`() async throws {
        let server = try await AccountProbe()
        for (host, isTaken) in Self.hosts {
            let lines = ["GET \(AccountProbe.path)/app/test/location HTTP/1.1", "Host: \(host)"]
            let answer = try await RawConnection.ask(lines, port: server.port)
            let address = isTaken ? host : "127.0.0.1:\(server.port)"
            #expect(answer.text.contains("\"http://\(address)\""), "\(host): \(answer.text)")
            #expect(answer.text.contains("\"ws://\(address)/sync\""), "\(host): \(answer.text)")
        }
        await server.stop()
        let named = try await AccountProbe { $0.accounts?.publicAddress = "https://sync.example.org/" }
        let lines = ["GET \(AccountProbe.path)/app/test/location HTTP/1.1", "Host: evil.example"]
        let answer = try await RawConnection.ask(lines, port: named.port)
        #expect(answer.text.contains("\"https://sync.example.org\""))
        #expect(answer.text.contains("\"wss://sync.example.org/sync\""))
        await named.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `an app without switches accepts only users that the administrator created`(_ place: AccountPlace) async throws
    {
        let server = try await AccountProbe(place, app: AccountApp(id: "test"))
        #expect(try await server.register("ann@example.org").code == "AuthProviderNotFound")
        #expect(try await server.loginAnonymous().code == "AuthProviderNotFound")
        let token = try await server.send("POST", "/app/test/auth/providers/custom-token/login", ["token": "a.b.c"])
        #expect(token.code == "AuthProviderNotFound")
        try await server.store.createUser(app: "test", email: "ann@example.org", password: "a long password")
        #expect(try await server.login("ann@example.org").status == 200)
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `a refresh token gives a new one, and the old one works until the new one was used`(_ place: AccountPlace)
        async throws
    {
        let server = try await AccountProbe(place)
        let first = try #require(try await server.loginAnonymous()["refresh_token"])
        // The answers of these two requests are lost.
        _ = try await server.renew(first)
        _ = try await server.renew(first)
        server.clock.advance(3_600)
        let renewed = try await server.renew(first)
        #expect(renewed.status == 201)
        let second = try #require(renewed["refresh_token"])
        let third = try #require(try await server.renew(second)["refresh_token"])
        #expect(try await server.renew(first).status == 201, "another process of the user, a little late")
        server.clock.advance(61)
        #expect(try await server.renew(first).code == "InvalidSession")
        #expect(try await server.renew(third).code == "InvalidSession", "a token that came twice ends the log-in")
        await server.stop()
    }

    /// Returns the claims of a token as a client reads them.
    private static func claims(_ token: String?) throws -> BSONDocument {
        let parts = try #require(token).split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        var text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let data = try #require(Data(base64Encoded: String(text)))
        return try BSONDocument(extendedJSON: Array(data))
    }

    @Test func `access tokens and refresh tokens are JWTs with whole seconds`() async throws {
        let server = try await AccountProbe()
        let login = try await server.loginAnonymous()
        let renewed = try await server.renew(login["refresh_token"])
        for (answer, name, lifetime) in [
            (login, "access_token", 1_800), (login, "refresh_token", 5_184_000), (renewed, "access_token", 1_800),
            (renewed, "refresh_token", 5_184_000),
        ] {
            let claims = try Self.claims(answer[name])
            // A number with a fraction, or with a decimal point and a zero, would be a double.
            let numbers = ["iat", "exp"].map { name in
                claims[name].flatMap { $0.doubleValue == nil ? $0.asInt64() : nil }
            }
            let (issued, expires) = (numbers[0], numbers[1])
            #expect(issued == Int64(server.clock.now.timeIntervalSince1970.rounded(.down)), "\(name): \(claims)")
            #expect(expires == issued.map { $0 + Int64(lifetime) }, "\(name): \(claims)")
        }
        #expect(login["refresh_token"] != renewed["refresh_token"])
        #expect(try await server.profile(renewed["refresh_token"]).code == "InvalidSession", "it is no access token")
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `a refresh token of the earlier form stays good`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place)
        let user = try #require(try await server.loginAnonymous()["user_id"])
        let (text, now) = (AccountSecret.make(), server.clock.now)
        let token = RefreshToken(text: text, created: now, expires: now + AccountStore.sessionTime)
        _ = try await server.store.beginSession(of: user, token: token)
        #expect(try await server.send("GET", "/auth/api_keys", token: text).status == 200)
        let renewed = try await server.renew(text)
        #expect(renewed.status == 201)
        #expect(try await server.profile(renewed["access_token"])["user_id"] == user)
        #expect(try await server.renew(renewed["refresh_token"]).status == 201)
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `two sides that go on from one refresh token end the log-in, whichever is first`(_ place: AccountPlace)
        async throws
    {
        for isThiefFirst in [false, true] {
            let server = try await AccountProbe(place)
            let first = try await server.loginAnonymous()["refresh_token"]
            let user = try await server.renew(first)["refresh_token"]
            // Another device has a copy of the first token. The successor of the token isn't used yet, so the token is
            // still valid.
            server.clock.advance(125)
            let thief = try await server.renew(first)["refresh_token"]
            let order = isThiefFirst ? [thief, user] : [user, thief]
            let next = try await server.renew(order[0])
            #expect(next.status == 201)
            #expect(try await server.renew(order[1]).code == "InvalidSession")
            #expect(try await server.renew(next["refresh_token"]).code == "InvalidSession")
            #expect(try await server.profile(next["access_token"]).code == "InvalidSession")
            await server.stop()
        }
    }

    @Test(arguments: AccountPlace.all)
    func `a token that another process replaced a moment ago goes on in the same line`(_ place: AccountPlace)
        async throws
    {
        let server = try await AccountProbe(place)
        let first = try await server.loginAnonymous()["refresh_token"]
        let second = try await server.renew(first)["refresh_token"]
        let lost = try await server.renew(second)["refresh_token"]
        // The answer of the second process contains the token that the file of tokens keeps: both processes use it.
        let late = try await server.renew(first)["refresh_token"]
        let next = try await server.renew(late)
        #expect(next.status == 201)
        server.clock.advance(3_600)
        #expect(try await server.renew(next["refresh_token"]).status == 201)
        #expect(try await server.renew(lost).code == "InvalidSession", "a third side")
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `a log-in ends after 60 days without use`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place)
        let token = try await server.loginAnonymous()["refresh_token"]
        server.clock.advance(60 * 24 * 3_600 + 1)
        #expect(try await server.renew(token).code == "InvalidSession")
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `an access token ends after half an hour, and with its log-in`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place)
        let (a, b) = (try await server.loginAnonymous(), try await server.loginAnonymous())
        #expect(try await server.send("DELETE", "/auth/session", token: a["refresh_token"]).status == 204)
        #expect(try await server.profile(a["access_token"]).code == "InvalidSession")
        #expect(try await server.renew(a["refresh_token"]).code == "InvalidSession")
        #expect(try await server.profile(b["access_token"]).status == 200)
        server.clock.advance(1_801)
        #expect(try await server.profile(b["access_token"]).code == "InvalidSession")
        #expect(try await server.renew(b["refresh_token"]).status == 201)
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `API keys log in until they are disabled or deleted`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place)
        let login = try await server.loginAnonymous()
        let token = login["refresh_token"]
        let made = try await server.send("POST", "/auth/api_keys", ["name": "robot"], token: token)
        #expect(made.status == 201)
        let (id, key) = (try #require(made["_id"]), try #require(made["key"]))
        #expect(try await server.login(key: key)["user_id"] == login["user_id"])
        #expect(try await server.send("POST", "/auth/api_keys", ["name": "robot"], token: token).status == 409)
        let shown = try await server.send("GET", "/auth/api_keys/\(id)", token: token)
        #expect(shown["name"] == "robot" && shown["key"] == nil)
        #expect(try await server.send("PUT", "/auth/api_keys/\(id)/disable", token: token).status == 204)
        #expect(try await server.login(key: key).status == 401)
        #expect(try await server.send("PUT", "/auth/api_keys/\(id)/enable", token: token).status == 204)
        #expect(try await server.login(key: key).status == 200)
        let other = try await server.loginAnonymous()["refresh_token"]
        #expect(try await server.send("DELETE", "/auth/api_keys/\(id)", token: other).status == 404)
        #expect(try await server.send("DELETE", "/auth/api_keys/\(id)", token: token).status == 204)
        #expect(try await server.login(key: key).status == 401)
        #expect(try await server.send("GET", "/auth/api_keys", token: token).body == .array([]))
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `an anonymous user gets an address and stays the same user`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place)
        let anonymous = try await server.loginAnonymous()
        try await server.register("ann@example.org")
        let link = try await server.userpass(
            "login?link=true",
            ["username": "ann@example.org", "password": "a long password"],
            token: anonymous["access_token"]
        )
        #expect(link["user_id"] == anonymous["user_id"])
        #expect(try await server.login("ann@example.org")["user_id"] == anonymous["user_id"])
        // A user with an earlier log-in isn't merged into another user.
        try await server.register("bob@example.org")
        _ = try await server.login("bob@example.org")
        let taken = try await server.userpass(
            "login?link=true",
            ["username": "bob@example.org", "password": "a long password"],
            token: link["access_token"]
        )
        #expect(taken.status == 409)
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `users are found by a part of their names or by their ids, page by page`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place)
        for name in ["ann", "Joanna", "bob", "100%", "a_b"] { try await server.register("\(name)@example.org") }
        _ = try await server.loginAnonymous()
        let all = try await server.store.users(of: "test").sorted { $0.id < $1.id }
        #expect(all.count == 6)
        func find(_ text: String, after: String? = nil, limit: Int = 10) async throws -> [AccountUser] {
            try await server.store.users(of: "test", matching: text, after: after, limit: limit)
        }
        func expected(_ part: String) -> [String] {
            all.filter { $0.identities.contains { $0.name.lowercased().contains(part.lowercased()) } }.map(\.id)
        }
        #expect(try await find("").map(\.id) == all.map(\.id))
        for part in ["ANN", "example.org", "%", "_", "'", "nobody"] {
            #expect(try await find(part).map(\.id) == expected(part), "\(part)")
        }
        for user in all { #expect(try await find(user.id).contains { $0.id == user.id }) }
        var (pages, last) = ([String](), String?.none)
        repeat {
            let page = try await find("example.org", after: last, limit: 2)
            #expect(page.count <= 2)
            pages += page.map(\.id)
            last = page.last?.id
        } while last != nil
        #expect(pages == expected("example.org"))
        #expect(try await server.store.users(of: "other", matching: "ann", after: nil, limit: 10).isEmpty)
        await server.stop()
    }

    @Test(arguments: AccountPlace.all, ["disabled", "logged out", "has a key"])
    func `a disabled account, and one that has logged in, can't be linked`(_ place: AccountPlace, _ state: String)
        async throws
    {
        let server = try await AccountProbe(place)
        try await server.register("ann@example.org")
        let user = try #require(try await server.store.users(of: "test").first)
        switch state {
        case "disabled": try await server.store.setDisabled(true, user: user.id)
        case "logged out":
            _ = try await server.login("ann@example.org")
            try await server.store.logOut(user: user.id)
        default: _ = try await server.store.createKey("robot", of: user.id)
        }
        let anonymous = try await server.loginAnonymous()
        let link = try await server.userpass(
            "login?link=true",
            ["username": "ann@example.org", "password": "a long password"],
            token: anonymous["access_token"]
        )
        #expect(link.code == (state == "disabled" ? "UserDisabled" : "AccountNameInUse"))
        #expect(try await server.store.users(of: "test").contains { $0.id == user.id })
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `a token of the trusted issuer logs its user in`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place) {
            ($0.tokens.keys, $0.tokens.apps) = ([.secret(TestServer.secret)], ["test"])
        }
        let path = "/app/test/auth/providers/custom-token/login"
        let token = try await TestServer.token("their ann")
        let first = try await server.send("POST", path, ["token": .string(token)])
        #expect(first.status == 200)
        #expect(try await server.send("POST", path, ["token": .string(token)])["user_id"] == first["user_id"])
        #expect(try await server.send("POST", path, ["token": .string(token + "x")]).code == "InvalidSession")
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `a user that registers by mail confirms the address first`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place, app: AccountApp(id: "test", emailPassword: .mail))
        try await server.register("ann@example.org")
        let lost = try await server.mailer.next()
        #expect(try await server.login("ann@example.org").code == "AuthError")
        #expect(try await server.userpass("confirm/send", ["email": "ann@example.org"]).status == 202)
        let mail = try await server.mailer.next()
        for wrong in [(lost.tokenId, lost.token), (mail.tokenId, lost.token), (lost.tokenId, mail.token)] {
            let body: BSONDocument = ["tokenId": .string(wrong.0), "token": .string(wrong.1)]
            #expect(try await server.userpass("confirm", body).status == 400)
        }
        let body: BSONDocument = ["tokenId": .string(mail.tokenId), "token": .string(mail.token)]
        #expect(try await server.userpass("confirm", body).status == 200)
        #expect(try await server.userpass("confirm", body).status == 400, "once")
        #expect(try await server.login("ann@example.org").status == 200)
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `a new password ends all log-ins, and needs a mail not older than an hour`(_ place: AccountPlace) async throws
    {
        let server = try await AccountProbe(place)
        try await server.register("ann@example.org")
        let login = try await server.login("ann@example.org")
        #expect(try await server.userpass("reset/send", ["email": "nobody@example.org"]).status == 202)
        #expect(try await server.userpass("reset/send", ["email": "ann@example.org"]).status == 202)
        let old = try await server.mailer.next()
        #expect(old.address == "ann@example.org" && old.purpose == .passwordReset)
        server.clock.advance(3_601)
        func body(_ mail: AccountMail) -> BSONDocument {
            ["tokenId": .string(mail.tokenId), "token": .string(mail.token), "password": "another password"]
        }
        #expect(try await server.userpass("reset", body(old)).status == 400)
        _ = try await server.userpass("reset/send", ["email": "ann@example.org"])
        let mail = try await server.mailer.next()
        #expect(try await server.userpass("confirm", body(mail)).status == 400, "a mail is for one purpose")
        #expect(try await server.userpass("reset", body(mail)).status == 200)
        #expect(try await server.login("ann@example.org").code == "InvalidPassword")
        #expect(try await server.login("ann@example.org", "another password").status == 200)
        #expect(try await server.renew(login["refresh_token"]).status == 401)
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `a restart keeps accounts, and tokens stay good`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place)
        try await server.register("ann@example.org")
        let login = try await server.login("ann@example.org")
        await server.stop()
        let again = try await AccountProbe(home: server.home, clock: server.clock)
        #expect(try await again.profile(login["access_token"])["user_id"] == login["user_id"])
        #expect(try await again.renew(login["refresh_token"]).status == 201)
        #expect(try await again.login("ann@example.org")["user_id"] == login["user_id"])
        await again.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `the administrator disables, enables, logs out and deletes while the server runs`(_ place: AccountPlace)
        async throws
    {
        let server = try await AccountProbe(place)
        // Another process has a store of its own.
        let store = try await server.home.open()
        let user = try await store.createUser(
            app: "test",
            email: "ann@example.org",
            password: "a long password",
            customData: #"{"team":"red"}"#
        )
        var login = try await server.login("ann@example.org")
        #expect(login["user_id"] == user.id)
        let claims = try #require(login["access_token"]?.split(separator: ".")[1])
        #expect(try Self.json(claims).documentValue?["user_data"]?.documentValue?["team"] == "red")
        try await store.setDisabled(true, user: user.id)
        #expect(try await server.profile(login["access_token"]).status == 401)
        #expect(try await server.login("ann@example.org").code == "UserDisabled")
        try await store.setDisabled(false, user: user.id)
        login = try await server.login("ann@example.org")
        try await store.logOut(user: user.id)
        #expect(try await server.renew(login["refresh_token"]).status == 401)
        try await store.deleteUser(user.id)
        #expect(try await server.login("ann@example.org").code == "InvalidPassword")
        #expect(try await store.users(of: "test").isEmpty)
        await server.stop()
    }

    @Test(arguments: AccountPlace.all, ["disable", "log out", "delete", "delete the app"])
    func `open connections end with the log-in`(_ place: AccountPlace, _ way: String) async throws {
        let server = try await AccountProbe(place)
        let store = try await server.home.open()
        for email in ["ann@example.org", "bob@example.org"] { try await server.register(email) }
        let login = try await server.login("ann@example.org")
        let (token, user) = (try #require(login["access_token"]), try #require(login["user_id"]))
        let other = try #require(try await server.login("bob@example.org")["access_token"])
        let (ann, bob) = (try await RawPeer(port: server.port), try await RawPeer(port: server.port))
        for (peer, token) in [(ann, token), (bob, other)] {
            try await peer.hello(token)
            #expect(try await peer.next()?.fault == nil)
        }
        switch way {
        case "disable": try await store.setDisabled(true, user: user)
        case "log out": try await store.logOut(user: user)
        case "delete": try await store.deleteUser(user)
        default: try await store.deleteApp("test")
        }
        #expect(try await ann.next()?.fault == .auth)
        if way == "delete the app" {
            #expect(try await bob.next()?.fault == .auth)
        } else {
            try await bob.send(.ping(Ping(deviceTime: 0)))
            guard case .pong? = try await bob.next() else {
                Issue.record("another user's connection ended")
                return
            }
        }
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `an app that is made while the server runs is served`(_ place: AccountPlace) async throws {
        let server = try await AccountProbe(place)
        let store = try await server.home.open()
        try await store.createApp(AccountApp(id: "later", emailPassword: .autoConfirm, access: .everyone))
        let provider = "/app/later/auth/providers/local-userpass/"
        let password: BSONValue = "a long password"
        let account: BSONDocument = ["email": "ann@example.org", "password": password]
        #expect(try await server.send("POST", provider + "register", account).status == 201)
        let name: BSONDocument = ["username": "ann@example.org", "password": password]
        let login = try await server.send("POST", provider + "login", name)
        let a = try await TestClient(port: server.port, token: login["access_token"]) { $0.app = "later" }
        try await a.subscribe()
        try a.create(1, ["name": "thing"])
        try await a.settle()
        #expect(a.contents.count == 1)
        await a.close()
        await server.stop()
    }

    @Test(arguments: AccountPlace.all)
    func `in development everybody goes on reading and writing when accounts change`(_ place: AccountPlace) async throws
    {
        let server = try await AccountProbe(place, app: AccountApp(id: "test")) { $0.isDevelopment = true }
        let a = try await TestClient(port: server.port, token: "user:ann")
        try await a.subscribe()
        let store = try await server.home.open()
        for name in ["one", "two"] {
            try await store.createApp(AccountApp(id: name))
            // The app's accounts are followed once the app is served. Before that no user is admitted.
            var isServed = false
            while !isServed {
                let b = try await TestClient(port: server.port, token: "user:bob") { $0.app = SyncString(name) }
                do {
                    try await b.subscribe()
                    isServed = true
                } catch SessionError.forbidden {
                    try await Task.sleep(for: .milliseconds(50))
                }
                await b.close()
            }
        }
        let c = try await TestClient(port: server.port, token: "user:cy")
        try await c.subscribe()
        try c.create(1, ["name": "thing"])
        try await c.settle()
        try await a.settle()
        #expect(a.contents.count == 1)
        for client in [a, c] { await client.close() }
        await server.stop()
    }

    private static func json(_ part: Substring) throws -> BSONValue {
        var text = part.replacing("-", with: "+").replacing("_", with: "/")
        while text.utf8.count % 4 != 0 { text += "=" }
        return try BSONValue(
            extendedJSON: String(decoding: try #require(Data(base64Encoded: String(text))), as: UTF8.self)
        )
    }
}
