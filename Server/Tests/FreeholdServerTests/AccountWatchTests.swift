import Foundation
import Freehold
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

        /// Waits until so many log-ins were looked up.
        func wait(forLogins count: Int) async throws {
            for _ in 0..<600 where now.logins < count { try await Task.sleep(for: .milliseconds(50)) }
            #expect(now.logins == count)
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

    @Test func `log-ins of users cause no checks of other users' connections`() async throws {
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
        try await looks.wait(forLogins: 2)
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

    /// A server with 5,000 followers of change streams, and some connections.
    private struct Crowd {
        let server: AccountProbe
        let seats: [ChangeSeat]
        var peers: [(peer: RawPeer, user: String)]

        init(_ count: Int) async throws {
            server = try await AccountProbe()
            peers = try await AccountWatchTests.connected(count + 1, server)
            // The first look, at all log-ins, is over once this one has ended.
            let looks = try Looks(server)
            try await server.store.logOut(user: peers[count].user)
            #expect(try await peers[count].peer.next()?.fault == .auth)
            try await looks.wait(forLogins: 2)
            peers.removeLast()
            let node = server.running.node
            seats = (0..<5_000).map { node.seats.take(Identity(user: "user-\($0)", login: "login-\($0)")) }
            #expect(try await node.logins().count == 5_000 + count)
        }
    }

    @Test func `a log-out looks up one log-in among 5,000 that are connected`() async throws {
        let crowd = try await Crowd(3)
        let looks = try Looks(crowd.server)
        for (index, (peer, user)) in crowd.peers.enumerated() {
            switch index {
            case 0: try await crowd.server.store.logOut(user: user)
            case 1: try await crowd.server.store.setDisabled(true, user: user)
            // Another process, such as the command.
            default: try await AccountStore(at: crowd.server.folder.path).deleteUser(user)
            }
            #expect(try await peer.next()?.fault == .auth)
            // Once more a moment later, for connections that are opened meanwhile.
            try await looks.wait(forLogins: 2 * (index + 1))
        }
        #expect(!crowd.seats.contains { $0.isOver })
        await crowd.server.stop()
    }

    @Test func `all log-ins are looked up once if a note is missing`() async throws {
        let crowd = try await Crowd(2)
        let (server, users) = (crowd.server, crowd.peers.map(\.user))
        // A server of an earlier version ends a log-in and leaves no note.
        try await server.file.write { realm in
            let app = try #require(realm.object(ofType: StoredApp.self, forPrimaryKey: "test"))
            app.endingsRevision += 1
            realm.delete(realm.objects(StoredSession.self).where { $0.user == users[0] })
        }
        #expect(try await crowd.peers[0].peer.next()?.fault == .auth)
        // The others aren't in the file.
        for _ in 0..<600 where !crowd.seats.allSatisfy(\.isOver) { try await Task.sleep(for: .milliseconds(50)) }
        #expect(crowd.seats.allSatisfy { $0.isOver })
        try await crowd.peers[1].peer.send(.ping(Ping(deviceTime: 0)))
        guard case .pong? = try await crowd.peers[1].peer.next() else {
            Issue.record("another user's connection ended")
            return
        }
        try await server.store.logOut(user: users[1])
        #expect(try await crowd.peers[1].peer.next()?.fault == .auth)
        await server.stop()
    }

    @Test func `a file without notes gets them, and an app of a name that was used begins at another revision`()
        async throws
    {
        let folder = try TestFolder()
        var old = Realm.Configuration.accounts(folder.path)
        old.objectTypes = old.objectTypes?.filter { $0 != StoredEnding.self }
        try Realm(configuration: old).write {}
        let store = try AccountStore(at: folder.path)
        let app = AccountApp(id: "test", allowsAnonymous: true)
        try await store.createApp(app)
        func login() async throws -> (user: String, login: String) {
            let user = try await store.createUser(
                NewUser(app: "test", provider: .anonymous, name: AccountSecret.make())
            ).id
            let expires = Date() + AccountStore.sessionTime
            let token = RefreshToken(text: AccountSecret.make(), created: Date(), expires: expires)
            return (user, try await store.beginSession(of: user, token: token).login)
        }
        func revision() async throws -> Int { try #require(try await store.revisions()["test"]?.endings) }
        let (first, second, start) = (try await login(), try await login(), try await revision())
        for user in [first.user, second.user] { try await store.logOut(user: user) }
        let end = try await revision()
        #expect(end == start + 2)
        #expect(try await store.endings(of: "test", after: start, through: end) == [first.login, second.login])
        #expect(try await store.endings(of: "test", after: start + 1, through: end) == [second.login])
        #expect(try await store.endings(of: "test", after: start - 1, through: end) == nil)
        #expect(try await store.endings(of: "test", after: nil, through: end) == [first.login, second.login])
        // A log-out without log-ins ends nothing.
        try await store.logOut(user: first.user)
        #expect(try await revision() == end)
        try await store.deleteApp("test")
        try await store.createApp(app)
        #expect(try await revision() > start)
    }

    @Test func `changed data of one user causes no reads of other users`() async throws {
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

    @Test(arguments: AccountPlace.all, ["a refresh token that was stolen", "a new password", "a log-out"])
    func `each way to end a log-in ends its connections`(_ place: AccountPlace, _ way: String) async throws {
        let server = try await AccountProbe(place)
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
            let user = try await server.store.createUser(
                NewUser(app: "test", provider: .anonymous, name: AccountSecret.make())
            )
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
