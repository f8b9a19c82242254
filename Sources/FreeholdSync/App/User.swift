import Foundation
import Freehold
import FreeholdBSON
import Synchronization

/// Somebody who is, or was, logged in to an ``App``. Any thread may use one; there is one instance a user and app.
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

    // MARK: What is known

    public var state: RLMUserState {
        if life.withLock({ $0.isRemoved }) { return .removed }
        return kept.withLock { $0.tokens == nil ? .loggedOut : .loggedIn }
    }
    public var isLoggedIn: Bool { state == .loggedIn }
    public var identities: [RLMUserIdentity] { kept.withLock { $0.identities } }
    public var accessToken: String? { kept.withLock { $0.tokens?.access } }
    public var refreshToken: String? { kept.withLock { $0.tokens?.refresh } }
    public var profile: UserProfile { UserProfile(metadata: kept.withLock { $0.profile }) }
    /// The custom user data, as it was when the token was made. See ``refreshCustomData()``.
    public var customData: Document { kept.withLock { $0.customData } }
    public var isAnonymous: Bool { kept.withLock { $0.isAnonymous } }
    public var apiKeysAuth: APIKeyAuth { APIKeyAuth(self) }

    /// The states that the user takes from now on. Ours, in place of RealmSwift's Combine publisher.
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

    /// - Throws: `AppError.invalidSession` without a user that is logged in.
    func tokens() throws(AppError) -> UserTokens {
        guard let tokens = kept.withLock({ $0.tokens }) else {
            throw AppError(.invalidSession, "The user isn't logged in.")
        }
        return tokens
    }

    /// Gets another access token. Who asks while somebody asks gets the same.
    ///
    /// - Throws: `AppError`; `.invalidSession` means that the user has to log in again: the tokens are forgotten.
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
        // Another process may have got new ones, and rotated the refresh token.
        if let stored = try app.file.user(id)?.tokens, stored != old {
            kept.withLock { $0.tokens = stored }
            return stored
        }
        do {
            let new = try await app.api.refresh(try await app.location(), old.refresh)
            let data = TokenClaims(new.access)?.userData
            // The user may have logged in or out meanwhile, also in another process.
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

    /// Sends a request with the access token; with another one if the server refuses it.
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

    /// Gets the custom user data anew.
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

    /// Gives the user another way to log in.
    ///
    /// - Throws: `AppError`, if the user isn't logged in, or the credentials belong to somebody.
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

    // MARK: Going

    /// Ends the user's sessions and forgets the tokens, also if the server can't be told. Files stay, but an anonymous user's.
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

    /// Logs out, and deletes the user's files here. If a file has work that wasn't sent, `SyncManager.errorHandler` is called with an error that
    /// names the file and the number of transactions, before they are deleted.
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

    /// Deletes the user on the server, then as `remove`.
    ///
    /// - Throws: `AppError`; nothing was changed then.
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
    /// Without tokens and profile.
    public var description: String { "User(\(id), \(state))" }
}
