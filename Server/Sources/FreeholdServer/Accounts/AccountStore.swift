import Dispatch
public import Foundation
import Freehold
import Synchronization

/// The accounts of a server's apps, in the file `accounts.realm` of the server's folder. The file only contains hashes
/// of passwords, tokens and keys.
///
/// Any thread may use it. Several processes may use the file at the same time: the server and the commands.
public final class AccountStore: Sendable {
    let now: @Sendable () -> Date
    private let configuration: Realm.Configuration
    private let queue = DispatchQueue(label: "freehold.server.accounts")
    private let timeout: TimeInterval?
    private let waiting = Atomic(0)
    /// The maximum number of calls that wait for the file.
    private static let most = 10_000

    /// - Parameters:
    ///   - folder: The folder of the server. It must exist.
    ///   - timeout: The maximum time in seconds for which a call waits for other calls, in this process and in other
    ///     processes. `nil` for no limit.
    ///   - now: The clock for expiry times.
    /// - Throws: The errors of Freehold if the file can't be created.
    public init(at folder: String, timeout: TimeInterval? = nil, now: @escaping @Sendable () -> Date = { Date() })
        throws
    {
        (self.now, self.timeout) = (now, timeout)
        configuration = .accounts(folder)
        let configuration = configuration
        try queue.sync { _ = try Realm(configuration: configuration) }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where name.hasPrefix("accounts.realm") {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder)/\(name)")
        }
    }

    /// Runs a closure that reads or writes on the store's queue, with the newest state.
    ///
    /// - Throws: `AccountError.unavailable` if the call takes too long, or if too many calls wait. A closure that
    ///   hasn't begun by then isn't run. The result of a running closure is unknown.
    func work<Result: Sendable>(_ body: @escaping @Sendable (Realm) throws -> Result) async throws -> Result {
        let call = Call<Result>()
        defer { waiting.subtract(1, ordering: .relaxed) }
        guard waiting.add(1, ordering: .relaxed).newValue <= Self.most else { throw AccountError.unavailable }
        return try await withCheckedThrowingContinuation { continuation in
            call.wait(continuation)
            // Any thread may cancel the timer.
            nonisolated(unsafe) let late = DispatchWorkItem { call.end(.failure(AccountError.unavailable)) }
            if let timeout { DispatchQueue.global().asyncAfter(deadline: .now() + timeout, execute: late) }
            queue.async { [configuration] in
                guard call.isWaiting else { return }
                let result = Swift.Result {
                    let realm = try Realm(configuration: configuration)
                    realm.refresh()
                    return try body(realm)
                }
                late.cancel()
                call.end(result)
            }
        }
    }

    /// A call that is answered once.
    private final class Call<Result: Sendable>: Sendable {
        private let continuation = Mutex<CheckedContinuation<Result, any Error>?>(nil)

        func wait(_ continuation: CheckedContinuation<Result, any Error>) {
            self.continuation.withLock { $0 = continuation }
        }

        var isWaiting: Bool { continuation.withLock { $0 != nil } }

        func end(_ result: Swift.Result<Result, any Error>) {
            let continuation = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            continuation?.resume(with: result)
        }
    }

    /// Runs a closure in a write transaction. If it throws, nothing is changed.
    func write<Result: Sendable>(_ body: @escaping @Sendable (Realm) throws -> Result) async throws -> Result {
        try await work { realm in try realm.write { try body(realm) } }
    }

    /// Returns the version of the file. It differs after each change by any process.
    func version() async throws -> UInt64 { try await work { $0.version } }

    // MARK: Apps

    /// Creates an app.
    ///
    /// - Throws: `AccountError` if the id is invalid or in use.
    public func createApp(_ app: AccountApp) async throws {
        try app.check()
        let now = now()
        try await write { realm in
            guard realm.object(ofType: StoredApp.self, forPrimaryKey: app.id) == nil else {
                throw AccountError.appExists(app.id)
            }
            let stored = StoredApp()
            (stored.id, stored.allowsAnonymous, stored.created) = (app.id, app.allowsAnonymous, now)
            (stored.emailPassword, stored.access) = (app.emailPassword.rawValue, app.access.rawValue)
            // An app of this name may have been deleted: its revisions aren't used again.
            stored.endingsRevision = Int(now.timeIntervalSince1970 * 1_000)
            realm.add(stored)
        }
    }

    public func apps() async throws -> [AccountApp] {
        try await work { realm in realm.objects(StoredApp.self).sorted(byKeyPath: "id").map(AccountApp.init) }
    }

    package func app(_ id: String) async throws -> AccountApp? {
        try await work { realm in realm.object(ofType: StoredApp.self, forPrimaryKey: id).map(AccountApp.init) }
    }

    /// Changes an app.
    ///
    /// - Throws: `AccountError` if the app doesn't exist.
    public func changeApp(_ id: String, _ body: @escaping @Sendable (inout AccountApp) -> Void) async throws {
        try await write { realm in
            guard let stored = realm.object(ofType: StoredApp.self, forPrimaryKey: id) else { throw AccountError.noApp }
            var app = AccountApp(stored)
            body(&app)
            stored.allowsAnonymous = app.allowsAnonymous
            (stored.emailPassword, stored.access) = (app.emailPassword.rawValue, app.access.rawValue)
        }
    }

    /// Deletes an app and all of its users. The documents of the app are kept.
    ///
    /// - Throws: `AccountError` if the app doesn't exist.
    public func deleteApp(_ id: String) async throws {
        let now = now()
        try await write { realm in
            guard let app = realm.object(ofType: StoredApp.self, forPrimaryKey: id) else { throw AccountError.noApp }
            for user in Array(realm.objects(StoredUser.self).where { $0.app == id }) {
                Self.delete(user, realm, at: now)
            }
            realm.delete(realm.objects(StoredDocument.self).where { $0.app == id })
            realm.delete(app)
        }
    }

    // MARK: Users

    public func users(of app: String) async throws -> [AccountUser] {
        try await work { realm in
            realm.objects(StoredUser.self).where { $0.app == app }.sorted(byKeyPath: "id").map {
                AccountUser($0, realm)
            }
        }
    }

    package func users(
        of app: String,
        matching text: String,
        after: String?,
        limit: Int
    ) async throws -> [AccountUser] {
        try await work { realm in
            let after = after ?? ""
            guard !text.isEmpty else {
                let users = realm.objects(StoredUser.self).where { $0.app == app && $0.id > after }
                return users.sorted(byKeyPath: "id").prefix(limit).map { AccountUser($0, realm) }
            }
            let identities = realm.objects(StoredIdentity.self).where {
                $0.app == app && $0.user > after && $0.name.contains(text, options: .caseInsensitive)
            }
            var ids: [String] = []
            for identity in identities.sorted(byKeyPath: "user") where ids.last != identity.user {
                ids.append(identity.user)
                if ids.count == limit { break }
            }
            let named = realm.object(ofType: StoredUser.self, forPrimaryKey: text)
            if text > after, named?.app == app, !ids.contains(text) { ids.append(text) }
            return ids.sorted().prefix(limit).compactMap { id in
                guard let user = realm.object(ofType: StoredUser.self, forPrimaryKey: id), user.app == app else {
                    return nil
                }
                return AccountUser(user, realm)
            }
        }
    }

    public func user(_ id: String) async throws -> AccountUser? {
        try await work { realm in
            realm.object(ofType: StoredUser.self, forPrimaryKey: id).map { AccountUser($0, realm) }
        }
    }

    /// Creates a user with an identity, or finds the user with the identity.
    ///
    /// - Throws: `AccountError.nameInUse` for an e-mail address and a password, if the name is in use.
    package func createUser(_ new: NewUser) async throws -> AccountUser {
        let now = now()
        return try await write { realm in
            let key = StoredIdentity.key(new.app, new.provider, new.name)
            if let identity = realm.object(ofType: StoredIdentity.self, forPrimaryKey: key) {
                guard new.provider.isExternal,
                    let user = realm.object(ofType: StoredUser.self, forPrimaryKey: identity.user)
                else { throw AccountError.nameInUse }
                if let profile = new.profile, identity.profile != profile {
                    identity.profile = profile
                    Self.note(user, realm)
                }
                return AccountUser(user, realm)
            }
            let user = StoredUser()
            (user.id, user.app, user.created) = (AccountSecret.identifier(now), new.app, now)
            user.customData = new.customData
            realm.add(user)
            let identity = StoredIdentity()
            (identity.key, identity.app, identity.user, identity.name) = (key, new.app, user.id, new.name)
            (identity.identifier, identity.provider) = (AccountSecret.identifier(now), new.provider.rawValue)
            (identity.password, identity.isConfirmed) = (new.password, new.isConfirmed)
            identity.profile = new.profile ?? "{}"
            realm.add(identity)
            return AccountUser(user, realm)
        }
    }

    /// Returns the form under which the app has an account with an address. Returns the usual form if there is no such
    /// account.
    package func storedName(_ app: String, _ address: String) async throws -> String {
        let forms = AccountName.forms(address)
        return try await work { realm in
            forms.first { name in
                let key = StoredIdentity.key(app, .emailPassword, name)
                return realm.object(ofType: StoredIdentity.self, forPrimaryKey: key) != nil
            } ?? forms[0]
        }
    }

    /// Returns the user of a name, the hash of the password, and whether the address is confirmed.
    package func identity(
        _ app: String,
        _ provider: AccountProvider,
        _ name: String
    ) async throws -> (user: String, password: String, isConfirmed: Bool)? {
        try await work { realm in
            let key = StoredIdentity.key(app, provider, name)
            return realm.object(ofType: StoredIdentity.self, forPrimaryKey: key).map {
                ($0.user, $0.password, $0.isConfirmed)
            }
        }
    }

    /// Adds another user's identity to a user, if it is the other user's only identity and the other user has never
    /// logged in. The other user is deleted.
    ///
    /// - Throws: `AccountError`
    package func link(_ user: String, _ provider: AccountProvider, _ name: String) async throws {
        let now = now()
        try await write { realm in
            guard let into = realm.object(ofType: StoredUser.self, forPrimaryKey: user) else {
                throw AccountError.invalidSession
            }
            let key = StoredIdentity.key(into.app, provider, name)
            guard let identity = realm.object(ofType: StoredIdentity.self, forPrimaryKey: key) else {
                throw AccountError.noUser
            }
            if identity.user == user { return }
            let (other, id) = (identity.user, identity.user)
            let gone = realm.object(ofType: StoredUser.self, forPrimaryKey: other)
            guard gone?.isDisabled != true else { throw AccountError.userDisabled }
            // A user that has logged in may own documents. If the user were removed, these would belong to no user.
            guard gone?.hasLoggedIn != true, realm.objects(StoredIdentity.self).where({ $0.user == id }).count == 1,
                realm.objects(StoredSession.self).where({ $0.user == id }).isEmpty,
                realm.objects(StoredAPIKey.self).where({ $0.user == id }).isEmpty
            else { throw AccountError.hasOtherUser }
            identity.user = user
            Self.note(into, realm)
            if let gone { Self.delete(gone, realm, at: now) }
        }
    }

    /// Disables or enables a user.
    ///
    /// - Throws: `AccountError` if the user doesn't exist.
    public func setDisabled(_ isDisabled: Bool, user: String) async throws {
        let now = now()
        try await write { realm in
            guard let stored = realm.object(ofType: StoredUser.self, forPrimaryKey: user) else {
                throw AccountError.noUser
            }
            stored.isDisabled = isDisabled
            if isDisabled { Self.endSessions(of: user, realm, at: now) }
        }
    }

    /// Deletes a user.
    ///
    /// - Throws: `AccountError` if the user doesn't exist.
    public func deleteUser(_ id: String) async throws {
        let now = now()
        try await write { realm in
            guard let user = realm.object(ofType: StoredUser.self, forPrimaryKey: id) else { throw AccountError.noUser }
            Self.delete(user, realm, at: now)
        }
    }

    /// Deletes a user with everything that belongs to it.
    static func delete(_ user: StoredUser, _ realm: Realm, at now: Date) {
        let id = user.id
        endSessions(of: id, realm, at: now)
        realm.delete(realm.objects(StoredAPIKey.self).where { $0.user == id })
        deletePushes(of: id, realm)
        for identity in Array(realm.objects(StoredIdentity.self).where({ $0.user == id })) {
            let key = identity.key
            realm.delete(realm.objects(StoredCode.self).where { $0.identity == key })
            realm.delete(identity)
        }
        realm.delete(user)
    }
}

extension AccountApp {
    fileprivate init(_ stored: StoredApp) {
        self.init(
            id: stored.id,
            allowsAnonymous: stored.allowsAnonymous,
            emailPassword: EmailPassword(rawValue: stored.emailPassword) ?? .closed,
            access: NodeApp.Access(rawValue: stored.access) ?? .nobody
        )
    }
}

extension AccountUser {
    init(_ stored: StoredUser, _ realm: Realm) {
        (id, app, isDisabled) = (stored.id, stored.app, stored.isDisabled)
        (customData, created) = (stored.customData, stored.created)
        let id = stored.id
        identities = realm.objects(StoredIdentity.self).where { $0.user == id }.sorted(byKeyPath: "identifier").map {
            Identity(
                id: $0.identifier,
                provider: $0.provider,
                name: $0.name,
                isConfirmed: $0.isConfirmed,
                profile: $0.profile
            )
        }
    }
}

extension AccountApp {
    /// - Throws: `AccountError` if the id is invalid.
    package func check() throws {
        guard Self.isID(id) else {
            throw AccountError.bad("an app's id has 1 to 64 letters, digits, '-' and '_'")
        }
    }

    /// Returns whether a text is a valid id of an app. The id is part of URLs, and the name of a folder.
    public static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x2D || byte == 0x5F
            }
    }
}
