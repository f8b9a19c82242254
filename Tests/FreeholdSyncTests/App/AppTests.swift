import Foundation
import Freehold
import Synchronization
import Testing

@testable import FreeholdSync

/// Users and their tokens.
struct AppTests {
    let folder: TemporaryFolder
    let accounts = AccountServer()
    let app: App

    init() throws {
        folder = try TemporaryFolder()
        app = testApp(folder, accounts)
    }

    private func ann() async throws -> User {
        try await app.emailPasswordAuth.registerUser(email: "ann@example.org", password: "secret")
        return try await app.login(credentials: .emailPassword(email: "ann@example.org", password: "secret"))
    }

    @Test func `the same id, address and folder give the same app`() throws {
        expect(testApp(folder, accounts) === app)
        expect(testApp(folder, accounts, id: "other") !== app)
        expect(testApp(try TemporaryFolder(), accounts) !== app)
    }

    @Test func `a user registers, logs in, logs out and logs in again`() async throws {
        let user = try await ann()
        expectEqual(app.currentUser, user)
        expectEqual(user.state, .loggedIn)
        expectEqual(user.profile.email, "ann@example.org")
        expectEqual(user.identities.map(\.providerType), ["local-userpass"])
        try await user.logOut()
        expectEqual(user.state, .loggedOut)
        expect(user.accessToken == nil)
        expect(app.currentUser == nil)
        expect(app.allUsers[user.id] === user)
        let again = try await app.login(credentials: .emailPassword(email: "ann@example.org", password: "secret"))
        expect(again === user)
        expect(user.isLoggedIn)
    }

    /// A server behind a TLS proxy may report the unencrypted address.
    @Test func `an app with an encrypted base URL never sends unencrypted requests, even if the server asks for it`()
        async throws
    {
        accounts.state.withLock { $0.scheme = ("http", "ws") }
        _ = try await ann()
        let location = try await app.location()
        expect(location.hostname == "https://account.test")
        expect(location.wsHostname == "wss://account.test")
        expect(accounts.requests.allSatisfy { !$0.contains("http:") })
    }

    @Test func `errors of the server are an AppError with their codes`() async throws {
        _ = try await ann()
        await #expect {
            try await app.emailPasswordAuth.registerUser(email: "ann@example.org", password: "x")
        } throws: {
            ($0 as? AppError)?.code == .accountNameInUse && ($0 as? AppError)?.httpStatusCode == 409
        }
        do {
            _ = try await app.login(credentials: .emailPassword(email: "ann@example.org", password: "wrong"))
            Issue.record("logged in")
        } catch AppError.invalidPassword {
            expect(!"\(AppError.invalidPassword)".contains("wrong"))
        }
        accounts.state.withLock { $0.isReachable = false }
        await #expect { try await app.emailPasswordAuth.resendConfirmationEmail("ann@example.org") } throws: {
            ($0 as? AppError)?.code == .httpRequestFailed
        }
        await #expect { try await app.login(credentials: .facebook(accessToken: "x")) } throws: {
            ($0 as? AppError)?.code == .unsupported
        }
    }

    @Test func `an app without a base URL reports the missing setting`() async throws {
        let app = App(id: "lost", configuration: AppConfiguration())
        await #expect { try await app.login(credentials: .anonymous) } throws: {
            ($0 as? AppError)?.code == .missingBaseURL && "\($0)".contains("baseURL")
        }
    }

    @Test func `an anonymous user stays the same until the log-out, and is then removed`() async throws {
        let first = try await app.login(credentials: .anonymous)
        expect(try await app.login(credentials: .anonymous) === first)
        try await first.logOut()
        expectEqual(first.state, .removed)
        expect(app.allUsers.isEmpty)
        expect(try await app.login(credentials: .anonymous).id != first.id)
    }

    @Test func `an anonymous user gets an account and keeps the id`() async throws {
        try await app.emailPasswordAuth.registerUser(email: "bob@example.org", password: "secret")
        let user = try await app.login(credentials: .anonymous)
        try await user.linkUser(credentials: .emailPassword(email: "bob@example.org", password: "secret"))
        expectEqual(user.identities.map(\.providerType), ["anon-user", "local-userpass"])
        try await user.logOut()
        expectEqual(user.state, .loggedOut)
    }

    @Test func `users are stored in a file with access for its owner only, and restored at launch`() async throws {
        let user = try await ann()
        let other = try await app.login(credentials: .anonymous)
        app.switch(to: user)
        // Another launch: the address with a slash is another instance.
        var configuration = AppConfiguration(baseURL: "https://account.test/", transport: accounts)
        configuration.rootDirectory = URL(fileURLWithPath: folder.path, isDirectory: true)
        let later = App(id: "test", configuration: configuration)
        expect(later !== app)
        expectEqual(later.currentUser?.id, user.id)
        expectEqual(Set(later.allUsers.keys), [user.id, other.id])
        expectEqual(later.currentUser?.accessToken, user.accessToken)
        expectEqual(later.currentUser?.profile.email, "ann@example.org")

        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.contains("metadata/") }
        expect(files.contains { $0.hasSuffix("users.realm") })
        let metadata = folder.path + "/mongodb-realm/test/metadata"
        let mode = try FileManager.default.attributesOfItem(atPath: metadata)[.posixPermissions] as? Int
        expectEqual(mode, 0o700)
        let file = try FileManager.default.attributesOfItem(atPath: metadata + "/users.realm")
        expectEqual(file[.posixPermissions] as? Int, 0o600)
    }

    @Test func `the user that was current before a log-out becomes the current user again`() async throws {
        let user = try await ann()
        var others: [User] = []
        for name in ["ben", "cleo", "dora"] {
            try await app.emailPasswordAuth.registerUser(email: "\(name)@example.org", password: "secret")
            let credentials = Credentials.emailPassword(email: "\(name)@example.org", password: "secret")
            others.append(try await app.login(credentials: credentials))
        }
        app.switch(to: others[0])
        app.switch(to: user)
        app.switch(to: others[2])
        for expected in [user, others[0], others[1]] {
            try await app.currentUser?.logOut()
            expectEqual(app.currentUser, expected)
        }
        try await others[1].remove()
        expect(app.currentUser == nil)
    }

    @Test func `tokens aren't in the file's bytes if a key is set`() async throws {
        for isEncrypted in [false, true] {
            let folder = try TemporaryFolder()
            var configuration = AppConfiguration(baseURL: "https://account.test", transport: accounts)
            configuration.rootDirectory = URL(fileURLWithPath: folder.path, isDirectory: true)
            if isEncrypted { configuration.metadataEncryptionKey = Data(repeating: 7, count: 64) }
            let user = try await App(id: "test", configuration: configuration).login(credentials: .anonymous)
            let path = folder.path + "/mongodb-realm/test/metadata/users.realm"
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            expectEqual((bytes.range(of: Data(user.refreshToken!.utf8)) != nil), !isEncrypted)
        }
    }

    @Test func `a refused token is replaced once for all waiting requests`() async throws {
        let user = try await ann()
        let old = user.accessToken
        accounts.state.withLock { $0.generation += 1 }
        async let one: Void = { _ = try await user.refreshCustomData() }()
        async let two: Void = { _ = try await user.refreshCustomData() }()
        _ = try await (one, two)
        expect(user.accessToken != old)
        expect(accounts.requests.filter { $0 == "POST /api/client/v2.0/auth/session" }.count <= 2)
        // The session was revoked.
        accounts.state.withLock { $0.refresh = [:] }
        await #expect { try await user.refreshCustomData() } throws: { ($0 as? AppError)?.code == .invalidSession }
        expectEqual(user.state, .loggedOut)
    }

    @Test func `API keys are created, shown once, used and disabled`() async throws {
        let user = try await ann()
        let key = try await user.apiKeysAuth.createAPIKey(named: "robot")
        expect(key.key != nil)
        try await expectEqual(user.apiKeysAuth.fetchAPIKeys().map(\.name), ["robot"])
        expect(try await user.apiKeysAuth.fetchAPIKeys()[0].key == nil)
        expect(try await app.login(credentials: .userAPIKey(key.key!)) === user)
        try await user.apiKeysAuth.disableAPIKey(key.objectId)
        expect(try await user.apiKeysAuth.fetchAPIKeys()[0].disabled)
        await #expect(throws: AppError.self) { try await app.login(credentials: .userAPIKey(key.key!)) }
    }

    @Test func `a deleted user is removed together with the files`() async throws {
        let user = try await ann()
        var configuration = user.flexibleSyncConfiguration()
        configuration.objectTypes = [Person.self, Dog.self, Collar.self]
        let path = try require(configuration.fileURL).path
        try autoreleasing { _ = try Realm(configuration: configuration) }
        expect(FileManager.default.fileExists(atPath: path))
        try await user.delete()
        expectEqual(user.state, .removed)
        expect(app.allUsers.isEmpty)
    }

    @Test func `no description contains a token`() async throws {
        let user = try await ann()
        for text in ["\(user)", "\(app)", "\(user.flexibleSyncConfiguration())"] {
            expect(!text.contains(user.accessToken!) && !text.contains(user.refreshToken!), "\(text)")
        }
    }
}

func autoreleasing(_ body: () throws -> Void) rethrows { try body() }
