import Foundation
import Freehold
import Synchronization
import Testing

@testable import FreeholdSync
@testable import FreeholdSyncCore

/// Realms that stay open while the log-in of their user ends and another one begins.
struct LogInAgainTests {
    private let folder: TemporaryFolder
    private let accounts: AccountServer
    private let server: LoopbackServer
    private let app: App

    init() throws {
        folder = try TemporaryFolder()
        let accounts = AccountServer()
        self.accounts = accounts
        server = LoopbackServer(authenticate: { token in
            let parts = token.string.split(separator: ".")
            let isGood = accounts.state.withLock { parts.count == 3 && parts[1] == "\($0.generation)" }
            return isGood ? SyncString(String(parts[2])) : nil
        })
        app = testApp(folder, accounts, server)
    }

    private func logIn(_ name: String) async throws -> User {
        try await app.login(credentials: .emailPassword(email: name, password: "secret"))
    }

    private func user(_ name: String) async throws -> User {
        try await app.emailPasswordAuth.registerUser(email: name, password: "secret")
        return try await logIn(name)
    }

    @MainActor private func realm(_ user: User) async throws -> Realm {
        var configuration = user.flexibleSyncConfiguration()
        configuration.objectTypes = [Person.self, Dog.self, Collar.self]
        let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
        try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<Person>()) }
        return realm
    }

    /// Ends all access tokens. With `forGood`, all refresh tokens, too.
    private func endTokens(forGood: Bool) {
        accounts.state.withLock { state in
            state.generation += 1
            if forGood { state.refresh = [:] }
        }
        server.setReachable(false)
        server.setReachable(true)
    }

    @MainActor @Test func `a session whose log-in ended continues with the next log-in`() async throws {
        let realm = try await realm(try await user("ann"))
        let session = try require(realm.syncSession)
        var errors = app.syncManager.errors.makeAsyncIterator()
        var states = try require(app.currentUser).states.makeAsyncIterator()
        var users = app.currentUsers.makeAsyncIterator()
        endTokens(forGood: true)
        await expectEqual((errors.next()?.error as? SyncError)?.code, .underlyingAuthError)
        await expectEqual(states.next(), .loggedOut)
        await expectEqual(users.next(), .some(nil))
        expect(app.currentUser == nil)
        await #expect(throws: SessionError.self) { try await session.wait(for: .upload) }
        try realm.write { realm.create(Person.self, value: ["_id": "a", "name": "Ann"]) }
        let user = try await logIn("ann")
        expect(app.currentUser == user)
        expect(realm.syncSession === session)
        try await session.wait(for: .upload)
        try await session.wait(for: .download)
        expectEqual(server.contents.count, 1)
    }

    @MainActor @Test func `a token server that fails for a while is asked again`() async throws {
        let realm = try await realm(try await user("ann"))
        accounts.state.withLock { $0.isReachable = false }
        var events = try require(realm.syncSession).events().makeAsyncIterator()
        endTokens(forGood: false)
        var failures = 0
        while failures < 2, let event = await events.next() {
            if case .disconnected(let error) = event, error.reason.contains("no access token yet") { failures += 1 }
            expect(!event.needsApp)
        }
        accounts.state.withLock { $0.isReachable = true }
        try realm.write { realm.create(Person.self, value: ["_id": "a", "name": "Ann"]) }
        try await realm.syncSession?.wait(for: .upload)
        expectEqual(server.contents.count, 1)
    }

    @MainActor @Test func `log-outs and log-ins leave a session that sees commits`() async throws {
        let user = try await user("ann")
        let realm = try await realm(user)
        for round in 0..<20 {
            try await user.logOut()
            expect(realm.syncSession == nil)
            _ = try await logIn("ann")
            let session = try require(realm.syncSession)
            var events = session.events().makeAsyncIterator()
            if session.connectionState != .connected {
                while let event = await events.next() {
                    if case .report(.connection(.connected)) = event { break }
                }
            }
            try realm.write { realm.create(Person.self, value: ["_id": "p\(round)", "name": "Ann"]) }
            // The session notices the commit by itself. A wait for the upload would read the file.
            while let event = await events.next() {
                if case .report(.uploaded) = event { break }
            }
            try await realm.subscriptions.update {
                realm.subscriptions.removeAll()
                realm.subscriptions.append(QuerySubscription<Person>(name: "\(round)"))
            }
        }
        expectEqual(server.contents.count, 20)
    }

    @MainActor @Test func `a log-in gives its token only to the sessions of its user`() async throws {
        let (ann, bob) = (try await user("ann"), try await user("bob"))
        let (one, two) = (try await realm(ann), try await realm(bob))
        accounts.state.withLock { $0.refresh = $0.refresh.filter { $0.value == bob.id } }
        var errors = app.syncManager.errors.makeAsyncIterator()
        endTokens(forGood: false)
        await expectEqual(errors.next()?.session?.parentUser()?.id, ann.id)
        expect(app.currentUser == bob)
        try two.write { two.create(Person.self, value: ["_id": "b", "name": "Bob"]) }
        try await two.syncSession?.wait(for: .upload)
        _ = try await logIn("ann")
        expect(app.currentUser == ann)
        try one.write { one.create(Person.self, value: ["_id": "a", "name": "Ann"]) }
        for realm in [one, two] { try await realm.syncSession?.wait(for: .upload) }
        for realm in [one, two] {
            try await realm.syncSession?.wait(for: .download)
            realm.refresh()
            expectEqual(Set(realm.objects(Person.self).map(\._id)), ["a", "b"])
        }
    }
}
