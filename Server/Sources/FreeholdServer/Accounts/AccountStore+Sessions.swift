package import Foundation
import Freehold

/// A new refresh token that isn't stored yet.
package struct RefreshToken: Sendable {
    /// The text that the client stores. It contains 256 random bits, and the store finds it by its hash. Each text is
    /// therefore valid, including the tokens of earlier versions, which had one part.
    package let text: String
    package let created: Date
    package let expires: Date

    package init(text: String, created: Date, expires: Date) {
        (self.text, self.created, self.expires) = (text, created, expires)
    }
}

/// The refresh tokens. Each use of a token creates a new one. The old token stays valid until the new one is used,
/// because an answer may be lost.
extension AccountStore {
    package static let sessionTime: TimeInterval = 60 * 24 * 3_600
    /// The time in seconds for which a token stays valid after its successor was used. Other processes of the user may
    /// still send it.
    package static let overlap: TimeInterval = 60
    /// The minimum number of refresh tokens that are kept for a log-in, and the number at which the oldest ones are
    /// deleted. A deleted token isn't valid any more.
    package static let keptTokens = (least: 32, most: 64)

    package struct Session: Sendable {
        package var token: String
        package var user: AccountUser
        /// The identifier of the log-in in access tokens, so that these end with the log-in.
        package var login: String

        package init(token: String, user: AccountUser, login: String) {
            (self.token, self.user, self.login) = (token, user, login)
        }
    }

    /// Begins a log-in.
    ///
    /// - Throws: `AccountError` if the user doesn't exist or is disabled.
    package func beginSession(of user: String, token: RefreshToken) async throws -> Session {
        let now = now()
        return try await write { realm in
            guard let stored = realm.object(ofType: StoredUser.self, forPrimaryKey: user) else {
                throw AccountError.invalidSession
            }
            guard !stored.isDisabled else { throw AccountError.userDisabled }
            if !stored.hasLoggedIn { stored.hasLoggedIn = true }
            // Expired sessions of the user are deleted at the next log-in.
            let old = realm.objects(StoredSession.self).where { $0.user == user && $0.expires < now }
            if !old.isEmpty {
                let others = realm.objects(StoredSession.self).where { $0.user == user && $0.expires >= now }
                let ended = Set(old.map(\.login)).subtracting(others.map(\.login))
                Self.noteEndings(ended, of: user, realm, at: now)
                realm.delete(old)
            }
            let login = AccountSecret.identifier(now)
            Self.add(token, login: login, user: user, parent: "", to: realm)
            return Session(token: token.text, user: AccountUser(stored, realm), login: login)
        }
    }

    /// Stores a successor of a refresh token.
    ///
    /// If two clients have the same token, the whole log-in ends: see `LoginTokens.use(of:at:)`.
    ///
    /// - Throws: `AccountError`
    package func renewSession(_ token: String, next: RefreshToken) async throws -> Session {
        let hash = SecretDigest.hexadecimal(token)
        // An invented token must not make writers wait.
        guard try await work({ $0.object(ofType: StoredSession.self, forPrimaryKey: hash) != nil }) else {
            throw AccountError.invalidSession
        }
        let session: Session?
        do {
            session = try await write { realm in try Self.renew(token, next: next, in: realm, at: self.now()) }
        } catch let error as Realm.Error where error.code == .outOfDiskSpace {
            // The successor can't be stored. The token of the client stays valid, so that the client can continue to
            // read.
            session = try await unstoredSession(token)
        }
        guard let session else { throw AccountError.invalidSession }
        return session
    }

    /// Returns the log-in of a token, and leaves the file unchanged. Returns `nil` for an invalid token.
    private func unstoredSession(_ token: String) async throws -> Session? {
        struct Unstored: Error { let session: Session }
        do {
            return try await write { realm -> Session? in
                guard let session = try Self.renew(token, next: nil, in: realm, at: self.now()) else { return nil }
                throw Unstored(session: session)
            }
        } catch let unstored as Unstored { return unstored.session }
    }

    /// - Parameter next: The successor to store. `nil` if none is stored.
    private static func renew(_ token: String, next: RefreshToken?, in realm: Realm, at now: Date) throws -> Session? {
        let hash = SecretDigest.hexadecimal(token)
        guard let stored = realm.object(ofType: StoredSession.self, forPrimaryKey: hash) else { return nil }
        let (login, user) = (stored.login, stored.user)
        guard try isGood(stored, now, realm), let owner = owner(of: stored, realm) else { return nil }
        guard !owner.isDisabled else { throw AccountError.userDisabled }
        guard let next else { return Session(token: token, user: AccountUser(owner, realm), login: login) }
        let successor = SecretDigest.hexadecimal(next.text)
        let renewal = tokens(of: login, realm).renewal(of: hash, successor: successor)
        if let replaced = renewal.replaced {
            realm.object(ofType: StoredSession.self, forPrimaryKey: replaced)?.replaced = now
        }
        add(next, login: login, user: user, parent: renewal.parent, to: realm)
        let removed = renewal.removed.compactMap { realm.object(ofType: StoredSession.self, forPrimaryKey: $0) }
        realm.delete(removed)
        return Session(token: next.text, user: AccountUser(owner, realm), login: login)
    }

    /// Returns the user of a refresh token.
    ///
    /// - Throws: `AccountError`
    package func owner(ofRefreshToken token: String) async throws -> AccountUser {
        let (now, hash) = (now(), SecretDigest.hexadecimal(token))
        let user = try await write { realm -> AccountUser? in
            guard let stored = realm.object(ofType: StoredSession.self, forPrimaryKey: hash),
                try Self.isGood(stored, now, realm), let owner = Self.owner(of: stored, realm), !owner.isDisabled
            else { return nil }
            return AccountUser(owner, realm)
        }
        guard let user else { throw AccountError.invalidSession }
        return user
    }

    /// Ends the log-in of a refresh token.
    ///
    /// - Throws: `AccountError`
    package func endSession(_ token: String) async throws {
        let (now, hash) = (now(), SecretDigest.hexadecimal(token))
        try await write { realm in
            guard let stored = realm.object(ofType: StoredSession.self, forPrimaryKey: hash) else {
                throw AccountError.invalidSession
            }
            Self.end(stored, realm, at: now)
        }
    }

    /// Ends all log-ins of a user.
    ///
    /// - Throws: `AccountError` if the user doesn't exist.
    public func logOut(user: String) async throws {
        let now = now()
        try await write { realm in
            guard realm.object(ofType: StoredUser.self, forPrimaryKey: user) != nil else { throw AccountError.noUser }
            Self.endSessions(of: user, realm, at: now)
        }
    }

    /// Returns the user of a log-in. Returns `nil` if the log-in has ended, or if the user is disabled.
    package func user(_ id: String, login: String) async throws -> AccountUser? {
        try await work { realm in
            guard let user = realm.object(ofType: StoredUser.self, forPrimaryKey: id), !user.isDisabled,
                !realm.objects(StoredSession.self).where({ $0.login == login && $0.user == id }).isEmpty
            else { return nil }
            return AccountUser(user, realm)
        }
    }

    /// Returns whether an account of any app has the id. Disabled accounts are included.
    ///
    /// - Throws: `AccountError.unavailable`
    package func hasUser(_ id: String) async throws -> Bool {
        try await work { realm in realm.object(ofType: StoredUser.self, forPrimaryKey: id) != nil }
    }

    // MARK: Parts

    private static func isGood(_ session: StoredSession, _ now: Date, _ realm: Realm) throws -> Bool {
        switch tokens(of: session.login, realm).use(of: session.digest, at: now) {
        case .good: return true
        case .expired: return false
        case .stolen:
            end(session, realm, at: now)
            return false
        }
    }

    private static func tokens(of login: String, _ realm: Realm) -> LoginTokens {
        LoginTokens(
            realm.objects(StoredSession.self).where { $0.login == login }.sorted(byKeyPath: "created", ascending: true)
                .map { session in
                    LoginTokens.Token(
                        digest: session.digest,
                        parent: session.parent,
                        created: session.created,
                        expires: session.expires,
                        replaced: session.replaced
                    )
                }
        )
    }

    private static func owner(of session: StoredSession, _ realm: Realm) -> StoredUser? {
        realm.object(ofType: StoredUser.self, forPrimaryKey: session.user)
    }

    /// Ends the log-in of a session.
    private static func end(_ session: StoredSession, _ realm: Realm, at now: Date) {
        let login = session.login
        noteEndings([login], of: session.user, realm, at: now)
        realm.delete(realm.objects(StoredSession.self).where { $0.login == login })
    }

    private static func add(
        _ token: RefreshToken,
        login: String,
        user: String,
        parent: String,
        to realm: Realm
    ) {
        let session = StoredSession()
        (session.digest, session.user, session.login) = (SecretDigest.hexadecimal(token.text), user, login)
        (session.parent, session.created, session.expires) = (parent, token.created, token.expires)
        realm.add(session)
    }
}
