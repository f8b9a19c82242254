import Foundation
import Freehold
import FreeholdBSON
import FreeholdEngine
import Synchronization

/// An app on a server of yours: its users, and what they sync.
///
/// ```swift
/// let app = App(id: "dogs", configuration: AppConfiguration(baseURL: "https://sync.example.org"))
/// let user = try await app.login(credentials: .emailPassword(email: "ann@example.org", password: password))
/// let realm = try await Realm(configuration: user.flexibleSyncConfiguration())
/// ```
///
/// The same id and base URL give the same instance. Any thread may use it.
public final class App: Sendable {
    public let appId: String
    public let configuration: AppConfiguration
    public let syncManager: SyncManager

    let api: AppAPI
    let file: UserFile
    /// Of the app's users and their realms.
    let folder: URL

    private let state = Mutex(State())
    private let listeners = Listeners<User?>()

    private struct State {
        var users: [String: User] = [:]
        var location: AppAPI.Location?
        var current: String?
        var isLoaded = false
    }

    private struct Key: Hashable {
        let id: String
        let baseURL: String?
        let folder: String
    }

    private static let apps = Mutex<[Key: App]>([:])

    fileprivate static func app(id: String, configuration: AppConfiguration) -> App {
        let folder = folder(id, configuration)
        return apps.withLock { apps in
            let key = Key(id: id, baseURL: configuration.baseURL, folder: folder.path)
            if let app = apps[key] { return app }
            let app = App(made: id, configuration, folder)
            apps[key] = app
            return app
        }
    }

    private static func folder(_ id: String, _ configuration: AppConfiguration) -> URL {
        (configuration.rootDirectory ?? Realm.Configuration.defaultDirectory)
            .appendingPathComponent("mongodb-realm", isDirectory: true)
            .appendingPathComponent(AppAPI.escaped(id), isDirectory: true)
    }

    private init(made id: String, _ configuration: AppConfiguration, _ folder: URL) {
        appId = id
        self.configuration = configuration
        self.folder = folder
        syncManager = SyncManager(configuration)
        api = AppAPI(
            appId: id,
            transport: configuration.transport ?? UsualTransport.shared,
            timeout: Double(configuration.defaultRequestTimeoutMS) / 1_000
        )
        file = UserFile(
            folder.appendingPathComponent("metadata", isDirectory: true),
            key: configuration.metadataEncryptionKey
        )
    }

    // MARK: Users

    /// All that are known here, by id; those that are logged out, too.
    public var allUsers: [String: User] {
        load()
        return state.withLock { $0.users }
    }

    /// Who logged in, or was switched to, last, and is still logged in.
    public var currentUser: User? {
        load()
        return state.withLock { state in
            if let id = state.current, let user = state.users[id], user.isLoggedIn { return user }
            return nil
        }
    }

    /// Reads the users of earlier launches, once.
    private func load() {
        if state.withLock({ $0.isLoaded }) { return }
        // A file that can't be read has no users: who logs in gets the error.
        let users = (try? file.users()) ?? []
        state.withLock { state in
            if state.isLoaded { return }
            state.isLoaded = true
            for user in users where state.users[user.id] == nil { state.users[user.id] = User(user, self) }
            guard state.current == nil else { return }
            state.current = users.filter { $0.tokens != nil }.max { $0.turn < $1.turn }?.id
        }
    }

    /// Makes a user the current one, of all processes.
    ///
    /// - Precondition: the user is logged in.
    @discardableResult
    public func `switch`(to user: User) -> User {
        precondition(user.isLoggedIn, "User \(user.id) isn't logged in. Log in first.")
        _ = try? file.update(user.id, isCurrent: true) { _ in }
        state.withLock { $0.current = user.id }
        listeners.tell(user)
        return user
    }

    /// Who is the current user from now on, in this process; nil after a log-out that leaves nobody. Ours, in place of RealmSwift's
    /// Combine publisher.
    public var currentUsers: AsyncStream<User?> { listeners.stream() }

    /// Ends the sessions of a user that logged out.
    func ended(_ user: User) {
        loggedOut(user)
        syncManager.end(user)
    }

    /// Chooses another current user. The sessions of a user whose log-in the server ended wait for the next log-in.
    func loggedOut(_ user: User) {
        state.withLock { state in
            if user.state == .removed { state.users[user.id] = nil }
            guard state.current == user.id else { return }
            state.current = state.users.values.filter { $0.isLoggedIn }.max { $0.id < $1.id }?.id
        }
        listeners.tell(currentUser)
    }

    /// Where the realms of a user lie.
    func folder(of user: User) -> URL {
        folder.appendingPathComponent(AppAPI.escaped(user.id), isDirectory: true)
    }

    /// Reports the work in a user's files that the server doesn't have. Files that are encrypted and not open can't be looked into.
    func reportUnsentWork(of user: User) {
        let folder = folder(of: user)
        let open = syncManager.databases(of: user)
        for file in (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        where file.pathExtension == "realm" {
            let path = file.standardizedFileURL.resolvingSymlinksInPath().path
            let database = open.first { URL(fileURLWithPath: $0.path).resolvingSymlinksInPath().path == path }
            guard let database = try? database ?? Database.open(at: file.path),
                let unsent = try? SyncInspection(of: database).unsentCommits(), unsent > 0
            else { continue }
            let text =
                "User \(user.id) was removed, and with the user \(unsent) transactions of '\(file.lastPathComponent)' that the server may not have."
            syncManager.report(SyncError(.clientUserError, text), nil)
        }
    }

    func deleteFiles(of user: User) {
        let folder = folder(of: user)
        for file in (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        where file.pathExtension == "realm" {
            // Open files stay until their realms are let go of.
            _ = try? Realm.deleteFiles(for: Realm.Configuration(fileURL: file))
        }
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: Log-in

    /// Logs somebody in, who becomes the current user.
    ///
    /// - Throws: `AppError`
    public func login(credentials: Credentials) async throws -> User {
        if case .anonymous = credentials {
            load()
            let known = state.withLock { state in
                state.users.values.first { $0.isAnonymous && $0.isLoggedIn }
            }
            if let known { return `switch`(to: known) }
        }
        let location = try await location()
        let login = try await api.login(location, credentials, device: device(nil))
        load()
        let isAnonymous = if case .anonymous = credentials { true } else { false }
        let kept = try file.update(login.userId, isCurrent: true) { user in
            user.tokens = UserTokens(access: login.accessToken, refresh: login.refreshToken)
            user.deviceId = login.deviceId
            user.isAnonymous = isAnonymous
            user.customData = TokenClaims(login.accessToken)?.userData ?? [:]
        }
        let user = state.withLock { state in
            let user = state.users[kept.id] ?? User(kept, self)
            state.users[kept.id] = user
            state.current = kept.id
            return user
        }
        user.take(kept)
        // The user is logged in, whatever becomes of the profile.
        await syncManager.begin(user)
        defer { listeners.tell(user) }
        try await user.refreshProfile()
        return user
    }

    public var emailPasswordAuth: EmailPasswordAuth { EmailPasswordAuth(self) }

    /// What is told of the device at a log-in.
    func device(_ userId: String?) -> Document {
        var device: Document = [
            "appId": .string(appId), "sdk": "Freehold",
            "platform": .string(ProcessInfo.processInfo.operatingSystemVersionString),
        ]
        let known = state.withLock { state in (userId ?? state.current).flatMap { state.users[$0] } }
        if let known, let id = (try? file.user(known.id))??.deviceId, !id.isEmpty { device["deviceId"] = .string(id) }
        return device
    }

    // MARK: Where the server is

    /// Asked once; again after `updateBaseUrl`.
    func location() async throws(AppError) -> AppAPI.Location {
        if let location = state.withLock({ $0.location }) { return location }
        guard let baseURL = configuration.baseURL, !baseURL.isEmpty else {
            throw AppError(
                .missingBaseURL,
                "The app '\(appId)' has no base URL. Give the address of your server to AppConfiguration(baseURL:)."
            )
        }
        let location = try await api.location(baseURL)
        state.withLock { $0.location = location }
        return location
    }

    /// What is known of it without asking.
    var knownLocation: AppAPI.Location? { state.withLock { $0.location } }
}

/// What lets `App(id:configuration:)` give an instance that is there already: an initializer of a class can't.
public protocol _MadeOnce {}

extension App: _MadeOnce {}

extension _MadeOnce where Self == App {
    /// The app of an id. The same id, base URL and folder give the same instance; the configuration is copied at the first call.
    public init(id: String, configuration: AppConfiguration? = nil) {
        self = App.app(id: id, configuration: configuration ?? AppConfiguration())
    }
}
