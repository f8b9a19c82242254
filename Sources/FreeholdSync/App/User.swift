import Foundation
import Freehold
import FreeholdBSON
import Synchronization

/// A user of an ``App``, with a present or an earlier log-in. Any thread may use it. A user of an app has one instance.
public final class User: Sendable {
    public let id: String
    public let app: App

    private let kept: Mutex<KeptUser>
    private let life = Mutex(Life())
    private let listeners = Listeners<RLMUserState>()

    private struct Life {
        var isRemoved = false
        var refresh: Task<UserTokens, any Error>?
    }

    init(_ user: KeptUser, _ app: App) {
        id = user.id
        self.app = app
        kept = Mutex(user)
    }

    // MARK: Properties

    public var state: RLMUserState {
        if life.withLock({ $0.isRemoved }) { return .removed }
        return kept.withLock { $0.tokens == nil ? .loggedOut : .loggedIn }
    }
    public var isLoggedIn: Bool { state == .loggedIn }
    public var identities: [RLMUserIdentity] { kept.withLock { $0.identities } }
    public var accessToken: String? { kept.withLock { $0.tokens?.access } }
    public var refreshToken: String? { kept.withLock { $0.tokens?.refresh } }
    public var profile: UserProfile { UserProfile(metadata: kept.withLock { $0.profile }) }
    /// The custom user data at the time of the token's creation. See ``refreshCustomData()``.
    public var customData: Document { kept.withLock { $0.customData } }
    public var isAnonymous: Bool { kept.withLock { $0.isAnonymous } }
    public var apiKeysAuth: APIKeyAuth { APIKeyAuth(self) }

    /// The states of the user from now on. This is an addition to RealmSwift's API, in the place of its Combine
    /// publisher.
    public var states: AsyncStream<RLMUserState> { listeners.stream() }

    // MARK: Changes

    func take(_ user: KeptUser) {
        let before = state
        kept.withLock { $0 = user }
        life.withLock { $0.isRemoved = false }
        tell(before)
    }

    private func tell(_ before: RLMUserState) {
        let now = state
        if now != before { listeners.tell(now) }
    }

    private func forget(isRemoved: Bool) {
        let before = state
        kept.withLock { $0.tokens = nil }
        life.withLock {
            $0.isRemoved = isRemoved
            $0.refresh = nil
        }
        tell(before)
    }

    /// - Throws: `AppError.invalidSession` if the user isn't logged in.
    func tokens() throws(AppError) -> UserTokens {
        guard let tokens = kept.withLock({ $0.tokens }) else {
            throw AppError(.invalidSession, "The user isn't logged in.")
        }
        return tokens
    }

    /// Requests another access token. Simultaneous calls share one request.
    ///
    /// - Throws: `AppError`. The code `.invalidSession` means that the user has to log in again. The tokens are removed
    ///   in that case.
    @discardableResult
    func refreshTokens(insteadOf refused: String? = nil) async throws -> UserTokens {
        let old = try tokens()
        if let refused, old.access != refused { return old }
        let task = life.withLock { life -> Task<UserTokens, any Error> in
            if let task = life.refresh { return task }
            let task = Task { try await self.newTokens() }
            life.refresh = task
            return task
        }
        defer { life.withLock { if $0.refresh == task { $0.refresh = nil } } }
        return try await task.value
    }

    private func newTokens() async throws -> UserTokens {
        let old = try tokens()
        // Another process may have received new tokens, and the refresh token may have been rotated.
        if let stored = try app.file.user(id)?.tokens, stored != old {
            kept.withLock { $0.tokens = stored }
            return stored
        }
        do {
            let new = try await app.api.refresh(try await app.location(), old.refresh)
            let data = TokenClaims(new.access)?.userData
            // The user may have logged in or out since, possibly in another process.
            let user = try app.file.change(id) { user in
                guard user.tokens == old else { return }
                user.tokens = new
                if let data { user.customData = data }
            }
            guard let user, let tokens = user.tokens else { return try self.tokens() }
            kept.withLock { $0 = user }
            return tokens
        } catch let error as AppError where error.code == .invalidSession || error.httpStatusCode == 401 {
            let user = try app.file.change(id) { if $0.tokens == old { $0.tokens = nil } }
            if let stored = user?.tokens {
                kept.withLock { $0.tokens = stored }
                return stored
            }
            guard kept.withLock({ $0.tokens }) == old else { return try tokens() }
            forget(isRemoved: false)
            app.loggedOut(self)
            throw error
        }
    }

    /// Sends a request with the access token. If the server refuses the token, the request is repeated with a new one.
    @discardableResult
    func send(_ method: RLMHTTPMethod, _ path: String, _ body: Document? = nil) async throws -> BSONValue {
        let location = try await app.location()
        let token = try tokens().access
        do {
            return try await app.api.send(method, location.hostname + path, body, token: token)
        } catch  where error.httpStatusCode == 401 {
            let next = try await refreshTokens(insteadOf: token).access
            return try await app.api.send(method, location.hostname + path, body, token: next)
        }
    }

    /// Requests the custom user data again.
    @discardableResult
    public func refreshCustomData() async throws -> Document {
        try await refreshTokens()
        return customData
    }

    func refreshProfile() async throws {
        let profile = try await app.api.profile(try await app.location(), try tokens().access)
        let user = try app.file.update(id) {
            $0.identities = profile.identities
            $0.profile = profile.data
        }
        take(user)
    }

    /// Adds credentials with which the user can log in.
    ///
    /// - Throws: `AppError` if the user isn't logged in, or if the credentials belong to another user.
    @discardableResult
    public func linkUser(credentials: Credentials) async throws -> User {
        let location = try await app.location()
        let login = try await app.api.login(location, credentials, device: app.device(id), link: try tokens().access)
        let user = try app.file.update(id) {
            $0.tokens = UserTokens(
                access: login.accessToken,
                refresh: login.refreshToken.isEmpty ? $0.tokens?.refresh ?? "" : login.refreshToken
            )
            $0.isAnonymous = false
        }
        take(user)
        try await refreshProfile()
        return self
    }

    // MARK: Log-out

    /// Ends the user's sessions and removes the tokens, even if the server can't be reached. The files stay, except
    /// those of an anonymous user.
    public func logOut() async throws {
        guard let tokens = kept.withLock({ $0.tokens }) else { return }
        if isAnonymous {
            try leave(removing: true)
        } else {
            try app.file.update(id) { $0.tokens = nil }
            forget(isRemoved: false)
            app.ended(self)
        }
        if let location = try? await app.location() {
            _ = try? await app.api.send(
                .DELETE,
                location.hostname + AppAPI.authPath + "/session",
                token: tokens.refresh
            )
        }
    }

    /// Logs the user out, and deletes the user's files on this device. For each file with unsent work,
    /// `SyncManager.errorHandler` is called before the deletion, with an error that names the file and the number of
    /// transactions.
    public func remove() async throws {
        let tokens = kept.withLock { $0.tokens }
        try leave(removing: true)
        if let tokens, let location = try? await app.location() {
            _ = try? await app.api.send(
                .DELETE,
                location.hostname + AppAPI.authPath + "/session",
                token: tokens.refresh
            )
        }
    }

    /// Deletes the user on the server, and then on this device like ``remove()``.
    ///
    /// - Throws: `AppError` if the server doesn't delete the user. Then nothing is changed. If the device's files can't be
    ///   changed, the user is already deleted on the server.
    public func delete() async throws {
        try await send(.DELETE, AppAPI.authPath + "/delete")
        try leave(removing: true)
    }

    private func leave(removing: Bool) throws {
        try app.file.remove(id)
        forget(isRemoved: true)
        app.ended(self)
        app.reportUnsentWork(of: self)
        app.deleteFiles(of: self)
    }
}

extension User: Hashable, CustomStringConvertible {
    public static func == (a: User, b: User) -> Bool { a === b || (a.id == b.id && a.app === b.app) }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
    /// A description without tokens and profile.
    public var description: String { "User(\(id), \(state))" }
}
