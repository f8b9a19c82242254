import Foundation
import Freehold

/// A refresh token that was made and isn't stored yet.
struct RefreshToken: Sendable {
    /// The text that the client keeps. It contains 256 random bits, and the store finds it by its hash: so any text will do, and tokens of
    /// earlier versions, which had one part, stay good.
    let text: String
    let created: Date
    let expires: Date
}

/// Refresh tokens. Each use gives a new one; the old one stays good until the new one is used, for an answer may be lost.
extension AccountStore {
    static let sessionTime: TimeInterval = 60 * 24 * 3_600
    /// How long a token stays good once its successor was used: other processes of the user may still send it.
    static let overlap: TimeInterval = 60
    /// The refresh tokens that are kept of one log-in at least, and the number at which the oldest ones are deleted. A token that was deleted
    /// opens nothing.
    static let keptTokens = (least: 32, most: 64)

    struct Session: Sendable {
        var token: String
        var user: AccountUser
        /// What access tokens name, so that they end with the log-in.
        var login: String
    }

    /// - Throws: `AccountError` if the user isn't there, or is disabled.
    func beginSession(of user: String, token: RefreshToken) async throws -> Session {
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
            Self.add(token, login: login, user: user, parent: "", to: realm)
            return Session(token: token.text, user: AccountUser(stored, realm), login: login)
        }
    }

    /// Stores a successor of a refresh token.
    ///
    /// A token that was replaced longer ago ends the whole log-in: two sides have it, and one of them isn't the user. The same holds for a
    /// token whose sibling, another successor of the same token, was used before: two sides go on from one token.
    ///
    /// - Throws: `AccountError`
    func renewSession(_ token: String, next: RefreshToken) async throws -> Session {
        let hash = SecretDigest.hexadecimal(token)
        // A token that was made up makes nothing wait that writes.
        guard try await work({ $0.object(ofType: StoredSession.self, forPrimaryKey: hash) != nil }) else {
            throw AccountError.invalidSession
        }
        let session: Session?
        do {
            session = try await write { realm in try Self.renew(token, next: next, in: realm, at: self.now()) }
        } catch let error as Realm.Error where error.code == .outOfDiskSpace {
            // The successor can't be stored. The token that the client has stays good, so that the client can go on reading.
            session = try await unstoredSession(token)
        }
        guard let session else { throw AccountError.invalidSession }
        return session
    }

    /// Returns a log-in with the token that it has, and leaves the file as it is. Returns `nil` for a token that isn't good.
    private func unstoredSession(_ token: String) async throws -> Session? {
        struct Unstored: Error { let session: Session }
        do {
            return try await write { realm -> Session? in
                guard let session = try Self.renew(token, next: nil, in: realm, at: self.now()) else { return nil }
                throw Unstored(session: session)
            }
        } catch let unstored as Unstored { return unstored.session }
    }

    /// - Parameter next: Nil: nothing is added.
    private static func renew(_ token: String, next: RefreshToken?, in realm: Realm, at now: Date) throws -> Session? {
        let hash = SecretDigest.hexadecimal(token)
        guard let stored = realm.object(ofType: StoredSession.self, forPrimaryKey: hash) else { return nil }
        let (login, user) = (stored.login, stored.user)
        guard try isGood(stored, now, realm), let owner = owner(of: stored, realm) else { return nil }
        guard !owner.isDisabled else { throw AccountError.userDisabled }
        guard let next else { return Session(token: token, user: AccountUser(owner, realm), login: login) }
        if let parent = realm.object(ofType: StoredSession.self, forPrimaryKey: stored.parent), parent.replaced == nil {
            parent.replaced = now
        }
        add(next, login: login, user: user, parent: newest(after: hash, login, realm), to: realm)
        trim(login, realm)
        return Session(token: next.text, user: AccountUser(owner, realm), login: login)
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
        let isLate = session.replaced.map { now.timeIntervalSince($0) > overlap } ?? false
        if isLate || isForked(session, realm) {
            end(session, realm)
            return false
        }
        return session.expires > now
    }

    /// Returns a Boolean value that indicates whether another successor of the same token was used.
    private static func isForked(_ session: StoredSession, _ realm: Realm) -> Bool {
        let (login, parent, own) = (session.login, session.parent, session.digest)
        // A log-in begins with one token.
        guard !parent.isEmpty else { return false }
        return successors(of: parent, login, realm).contains { $0.digest != own && isUsed($0, realm) }
    }

    /// Returns the last token in use of the line that goes on from a token. While an old token is still good, its new successors belong
    /// there: the siblings of tokens in use would count as thefts.
    private static func newest(after digest: String, _ login: String, _ realm: Realm) -> String {
        var last = digest
        while let next = successors(of: last, login, realm).first(where: { isUsed($0, realm) }) { last = next.digest }
        return last
    }

    private static func successors(of digest: String, _ login: String, _ realm: Realm) -> Results<StoredSession> {
        realm.objects(StoredSession.self).where { $0.login == login && $0.parent == digest }
    }

    private static func isUsed(_ session: StoredSession, _ realm: Realm) -> Bool {
        !successors(of: session.digest, session.login, realm).isEmpty
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

    /// Deletes the oldest tokens of a log-in that has too many.
    private static func trim(_ login: String, _ realm: Realm) {
        let all = realm.objects(StoredSession.self).where { $0.login == login }
        guard all.count > keptTokens.most else { return }
        let old = Array(all.sorted(byKeyPath: "created", ascending: true).prefix(all.count - keptTokens.least))
        realm.delete(old)
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
