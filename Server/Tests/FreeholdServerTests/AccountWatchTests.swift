import Foundation
import FreeholdBSON
import FreeholdSyncCore
import Synchronization
import Testing

@testable import FreeholdServer

/// The work of following accounts while many users are connected.
@Suite(.timeLimit(.minutes(20))) struct AccountWatchTests {
    /// The numbers of looks at log-ins and users since the initializer.
    private struct Looks {
        let watch: AccountWatch
        let (logins, users): (Int, Int)

        init(_ server: AccountProbe) throws {
            watch = try #require(server.running.watch)
            logins = watch.looks.logins.load(ordering: .relaxed)
            users = watch.looks.users.load(ordering: .relaxed)
        }

        var now: (logins: Int, users: Int) {
            (
                watch.looks.logins.load(ordering: .relaxed) - logins,
                watch.looks.users.load(ordering: .relaxed) - users
            )
        }
    }

    private static func connected(_ count: Int, _ server: AccountProbe) async throws -> [(peer: RawPeer, user: String)]
    {
        var peers: [(RawPeer, String)] = []
        for _ in 0..<count {
            let login = try await server.loginAnonymous()
            let peer = try await RawPeer(port: server.port)
            try await peer.hello(try #require(login["access_token"]))
            #expect(try await peer.next()?.fault == nil)
            peers.append((peer, try #require(login["user_id"])))
        }
        // Waits until the watch has finished the looks that these log-ins caused.
        try await Task.sleep(for: .seconds(2))
        return peers
    }

    @Test func `log-ins of some have nobody look at the connections of others`() async throws {
        let server = try await AccountProbe()
        let peers = try await Self.connected(40, server)
        var looks = try Looks(server)
        for _ in 0..<20 {
            #expect(try await server.loginAnonymous().status == 200)
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(looks.now == (0, 0))
        looks = try Looks(server)
        try await server.store.logOut(user: peers[7].user)
        #expect(try await peers[7].peer.next()?.fault == .auth)
        try await Task.sleep(for: .seconds(2))
        #expect((1...80).contains(looks.now.logins), "each connection twice")
        for (index, (peer, _)) in peers.enumerated() where index != 7 {
            try await peer.send(.ping(Ping(deviceTime: 0)))
            guard case .pong? = try await peer.next() else {
                Issue.record("another user's connection ended")
                continue
            }
        }
        for (peer, _) in peers { peer.close() }
        await server.stop()
    }

    @Test func `other data of one user has nobody read the others`() async throws {
        let server = try await AccountProbe()
        let peers = try await Self.connected(30, server)
        let served = try #require(server.running.watch?.accounts.served["test"])
        #expect(served.users.count >= 30)
        let looks = try Looks(server)
        try await server.store.setCustomData(#"{"team": "red"}"#, user: peers[3].user)
        for _ in 0..<100 where looks.now.users == 0 { try await Task.sleep(for: .milliseconds(50)) }
        try await Task.sleep(for: .seconds(1))
        #expect(looks.now == (0, 1))
        for (peer, _) in peers { peer.close() }
        await server.stop()
    }

    @Test(arguments: ["a refresh token that was stolen", "a new password", "a log-out"])
    func `each way to end a log-in ends its connections`(_ way: String) async throws {
        let server = try await AccountProbe()
        try await server.register("ann@example.org")
        let login = try await server.login("ann@example.org")
        let peer = try await RawPeer(port: server.port)
        try await peer.hello(try #require(login["access_token"]))
        #expect(try await peer.next()?.fault == nil)
        let token = try #require(login["refresh_token"])
        switch way {
        case "a log-out": #expect(try await server.send("DELETE", "/auth/session", token: token).status == 204)
        case "a new password":
            _ = try await server.userpass("reset/send", ["email": "ann@example.org"])
            let mail = try await server.mailer.next()
            let body: BSONDocument = [
                "tokenId": .string(mail.tokenId), "token": .string(mail.token), "password": "another password",
            ]
            #expect(try await server.userpass("reset", body).status == 200)
        default:
            let next = try await server.renew(token)
            #expect(try await server.renew(next["refresh_token"]).status == 201)
            server.clock.advance(120)
            #expect(try await server.renew(token).status == 401)
        }
        #expect(try await peer.next()?.fault == .auth)
        await server.stop()
    }

    /// Prints how long the watch's reads take. They run on the queue in which log-ins wait.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] != nil, "FREEHOLD_SOAK isn't set"))
    func `a piece of thousands of log-ins takes little time`() async throws {
        let server = try await AccountProbe()
        var (logins, users): (Set<String>, [String]) = ([], [])
        for _ in 0..<5_000 {
            let user = try await server.store.createUser("test", .anonymous, AccountSecret.make())
            let (now, lifetime) = (server.clock.now, AccountStore.sessionTime)
            let token = RefreshToken(text: AccountSecret.make(), created: now, expires: now + lifetime)
            logins.insert(try await server.store.beginSession(of: user.id, token: token).login)
            users.append(user.id)
        }
        let clock = ContinuousClock()
        for count in [250, 5_000] {
            let (some, ids) = (Set(logins.prefix(count)), Array(users.prefix(count)))
            let ended = try await clock.measure { _ = try await server.store.ended(among: some) }
            let changed = try await clock.measure { _ = try await server.store.users(ids, changedSince: 0) }
            let all = try await clock.measure { _ = try await server.store.users(ids, changedSince: -1) }
            print("\(count): log-ins \(ended), users that didn't change \(changed), users \(all)")
        }
        await server.stop()
    }
}
