import Foundation
import Freehold
import FreeholdBSON
import FreeholdEngine
import Synchronization

/// An app on a server of yours, with its users and their synced realms.
///
/// ```swift
/// let app = App(id: "dogs", configuration: AppConfiguration(baseURL: "https://sync.example.org"))
/// let user = try await app.login(credentials: .emailPassword(email: "ann@example.org", password: password))
/// let realm = try await Realm(configuration: user.flexibleSyncConfiguration())
/// ```
///
/// Calls with the same id, base URL and folder return the same instance. Any thread may use it.
public final class App: Sendable {
    public let appId: String
    public let configuration: AppConfiguration
    public let syncManager: SyncManager

    let api: AppAPI
    let file: UserFile
    /// The folder of the app's users and their realms.
    let folder: URL

    private let state = Mutex(State())
    private let listeners = Listeners<User?>()

    private struct State {
        var users: [String: User] = [:]
        var location: AppAPI.Location?
        var current: String?
        /// The ids of the users, by the time of their last log-in or switch. The latest is the last one.
        var recent: [String] = []
        var isLoaded = false

        mutating func makeCurrent(_ id: String) {
            recent.removeAll { $0 == id }
            recent.append(id)
            current = id
        }

        /// The logged-in user that was current most recently.
        var latest: String? { recent.last { users[$0]?.isLoggedIn == true } }
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

    /// The apps of the process.
    package static var _all: [App] { apps.withLock { Array($0.values) } }

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

    /// The users of the app on this device, by id. Logged-out users are included.
    public var allUsers: [String: User] {
        load()
        return state.withLock { $0.users }
    }

    /// The user of the last log-in or switch. After a log-out of this user: the logged-in user that was current before.
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
        // A file that can't be read counts as empty. The next log-in throws the error.
        let users = (try? file.users()) ?? []
        state.withLock { state in
            if state.isLoaded { return }
            state.isLoaded = true
            for user in users where state.users[user.id] == nil { state.users[user.id] = User(user, self) }
            let earlier = users.sorted { $0.turn < $1.turn }.map(\.id)
            state.recent = earlier.filter { !state.recent.contains($0) } + state.recent
            if state.current == nil { state.current = state.latest }
        }
    }

    /// Makes a user the current user in all processes.
    ///
    /// - Precondition: The user is logged in.
    @discardableResult
    public func `switch`(to user: User) -> User {
        precondition(user.isLoggedIn, "User \(user.id) isn't logged in. Log in first.")
        _ = try? file.update(user.id, isCurrent: true) { _ in }
        state.withLock { $0.makeCurrent(user.id) }
        listeners.tell(user)
        return user
    }

    /// The changes of the current user in this process, from now on. `nil` after a log-out if no other user is logged
    /// in. This is an addition to RealmSwift's API, in the place of its Combine publisher.
    public var currentUsers: AsyncStream<User?> { listeners.stream() }

    /// Ends the sessions of a user after a log-out.
    func ended(_ user: User) {
        loggedOut(user)
        syncManager.end(user)
    }

    /// Makes the previous current user the current user again after a log-out of `user`. If the server ended the log-in, the user's sessions wait for the
    /// next log-in.
    func loggedOut(_ user: User) {
        state.withLock { state in
            if user.state == .removed {
                state.users[user.id] = nil
                state.recent.removeAll { $0 == user.id }
            }
            if state.current == user.id { state.current = state.latest }
        }
        listeners.tell(currentUser)
    }

    /// Returns the folder of a user's realms.
    func folder(of user: User) -> URL {
        folder.appendingPathComponent(AppAPI.escaped(user.id), isDirectory: true)
    }

    /// Reports work in a user's files that the server doesn't have. It can't read encrypted files that aren't open.
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
            // Files that are open stay on disk until their realms are closed.
            _ = try? Realm.deleteFiles(for: Realm.Configuration(fileURL: file))
        }
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: Log-in

    /// Logs a user in, and makes this user the current user.
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
            state.makeCurrent(kept.id)
            return user
        }
        user.take(kept)
        // The user is logged in even if the request of the profile fails.
        await syncManager.begin(user)
        defer { listeners.tell(user) }
        try await user.refreshProfile()
        return user
    }

    public var emailPasswordAuth: EmailPasswordAuth { EmailPasswordAuth(self) }

    /// Returns the description of the device that is sent at a log-in.
    func device(_ userId: String?) -> Document {
        var device: Document = [
            "appId": .string(appId), "sdk": "Freehold",
            "platform": .string(ProcessInfo.processInfo.operatingSystemVersionString),
        ]
        let known = state.withLock { state in (userId ?? state.current).flatMap { state.users[$0] } }
        if let known, let id = (try? file.user(known.id))??.deviceId, !id.isEmpty { device["deviceId"] = .string(id) }
        return device
    }

    // MARK: The address of the server

    /// Returns the address of the server. It is requested once, and again after `updateBaseUrl`.
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

    /// The address of the server, if it is known without a request.
    var knownLocation: AppAPI.Location? { state.withLock { $0.location } }
}

/// A protocol whose extension lets `App(id:configuration:)` return an existing instance. An initialiser of a class
/// can't.
public protocol _MadeOnce {}

extension App: _MadeOnce {}

extension _MadeOnce where Self == App {
    /// Returns the app with an id. The same id, base URL and folder return the same instance. The configuration is
    /// copied at the first call.
    public init(id: String, configuration: AppConfiguration? = nil) {
        self = App.app(id: id, configuration: configuration ?? AppConfiguration())
    }
}
