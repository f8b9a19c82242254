import Foundation
import Freehold

/// Refresh tokens. Each use gives a new one; the old one stays good until the new one is used, for an answer may be lost.
extension AccountStore {
    static let sessionTime: TimeInterval = 60 * 24 * 3_600
    /// How long a token stays good once its successor was used: other processes of the user may still send it.
    static let overlap: TimeInterval = 60

    struct Session: Sendable {
        var token: String
        var user: AccountUser
        /// What access tokens name, so that they end with the log-in.
        var login: String
    }

    /// - Throws: `AccountError` if the user isn't there, or is disabled.
    func beginSession(of user: String) async throws -> Session {
        let now = now()
        return try await write { realm in
            guard let stored = realm.object(ofType: StoredUser.self, forPrimaryKey: user) else {
                throw AccountError.invalidSession
            }
            guard !stored.isDisabled else { throw AccountError.userDisabled }
            if !stored.hasLoggedIn { stored.hasLoggedIn = true }
            // What ended long ago goes with the next log-in.
            let old = realm.objects(StoredSession.self).where { $0.user == user && $0.expires < now }
            if !old.isEmpty {
                Self.noteEndings(of: user, realm)
                realm.delete(old)
            }
            let login = AccountSecret.identifier(now)
            let token = Self.add(login, user, parent: "", now, realm)
            return Session(token: token, user: AccountUser(stored, realm), login: login)
        }
    }

    /// Gives a successor of a refresh token. Whoever comes with a token that was replaced longer ago ends the whole log-in: one of the two
    /// who have it isn't the user.
    ///
    /// - Throws: `AccountError`
    func renewSession(_ token: String) async throws -> Session {
        let (now, hash) = (now(), SecretDigest.hexadecimal(token))
        let session = try await write { realm -> Session? in
            guard let stored = realm.object(ofType: StoredSession.self, forPrimaryKey: hash) else { return nil }
            let (login, user) = (stored.login, stored.user)
            guard try Self.isGood(stored, now, realm), let owner = Self.owner(of: stored, realm) else { return nil }
            guard !owner.isDisabled else { throw AccountError.userDisabled }
            if let parent = realm.object(ofType: StoredSession.self, forPrimaryKey: stored.parent),
                parent.replaced == nil
            {
                parent.replaced = now
            }
            let stale = now.addingTimeInterval(-Self.overlap)
            for sibling in Array(realm.objects(StoredSession.self).where({ $0.login == login && $0.parent == hash }))
            where sibling.created < stale && sibling.replaced == nil {
                // Nobody ever came with it, else this token would be replaced.
                realm.delete(sibling)
            }
            let next = Self.add(login, user, parent: hash, now, realm)
            return Session(token: next, user: AccountUser(owner, realm), login: login)
        }
        guard let session else { throw AccountError.invalidSession }
        return session
    }

    /// Whose a refresh token is.
    ///
    /// - Throws: `AccountError`
    func owner(ofRefreshToken token: String) async throws -> AccountUser {
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

    /// Ends the log-in that a refresh token is of.
    ///
    /// - Throws: `AccountError`
    func endSession(_ token: String) async throws {
        let hash = SecretDigest.hexadecimal(token)
        try await write { realm in
            guard let stored = realm.object(ofType: StoredSession.self, forPrimaryKey: hash) else {
                throw AccountError.invalidSession
            }
            Self.end(stored, realm)
        }
    }

    /// Ends all log-ins of a user.
    ///
    /// - Throws: `AccountError` if there is no such user.
    public func logOut(user: String) async throws {
        try await write { realm in
            guard realm.object(ofType: StoredUser.self, forPrimaryKey: user) != nil else { throw AccountError.noUser }
            Self.endSessions(of: user, realm)
        }
    }

    /// The user of a log-in that goes on; nil if it ended, or the user is disabled.
    func user(_ id: String, login: String) async throws -> AccountUser? {
        try await work { realm in
            guard let user = realm.object(ofType: StoredUser.self, forPrimaryKey: id), !user.isDisabled,
                !realm.objects(StoredSession.self).where({ $0.login == login && $0.user == id }).isEmpty
            else { return nil }
            return AccountUser(user, realm)
        }
    }

    /// Returns whether an account of any app has the id, disabled accounts included.
    ///
    /// - Throws: `AccountError.unavailable`
    func hasUser(_ id: String) async throws -> Bool {
        try await work { realm in realm.object(ofType: StoredUser.self, forPrimaryKey: id) != nil }
    }

    /// Those of some log-ins that have ended.
    func ended(among logins: Set<String>) async throws -> Set<String> {
        try await work { realm in
            logins.filter { login in realm.objects(StoredSession.self).where { $0.login == login }.isEmpty }
        }
    }

    // MARK: Parts

    private static func isGood(_ session: StoredSession, _ now: Date, _ realm: Realm) throws -> Bool {
        if let replaced = session.replaced, now.timeIntervalSince(replaced) > overlap {
            end(session, realm)
            return false
        }
        return session.expires > now
    }

    private static func owner(of session: StoredSession, _ realm: Realm) -> StoredUser? {
        realm.object(ofType: StoredUser.self, forPrimaryKey: session.user)
    }

    /// Ends the log-in that a session is of.
    private static func end(_ session: StoredSession, _ realm: Realm) {
        noteEndings(of: session.user, realm)
        let login = session.login
        realm.delete(realm.objects(StoredSession.self).where { $0.login == login })
    }

    private static func add(_ login: String, _ user: String, parent: String, _ now: Date, _ realm: Realm) -> String {
        let token = AccountSecret.make()
        let session = StoredSession()
        (session.digest, session.user, session.login) = (SecretDigest.hexadecimal(token), user, login)
        (session.parent, session.created) = (parent, now)
        session.expires = now.addingTimeInterval(sessionTime)
        realm.add(session)
        return token
    }
}
