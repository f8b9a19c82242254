import Foundation
import Freehold

/// A new refresh token that isn't stored yet.
struct RefreshToken: Sendable {
    /// The text that the client stores. It contains 256 random bits, and the store finds it by its hash. Each text is
    /// therefore valid, including the tokens of earlier versions, which had one part.
    let text: String
    let created: Date
    let expires: Date
}

/// The refresh tokens. Each use of a token creates a new one. The old token stays valid until the new one is used,
/// because an answer may be lost.
extension AccountStore {
    static let sessionTime: TimeInterval = 60 * 24 * 3_600
    /// The time in seconds for which a token stays valid after its successor was used. Other processes of the user may
    /// still send it.
    static let overlap: TimeInterval = 60
    /// The minimum number of refresh tokens that are kept for a log-in, and the number at which the oldest ones are
    /// deleted. A deleted token isn't valid any more.
    static let keptTokens = (least: 32, most: 64)

    struct Session: Sendable {
        var token: String
        var user: AccountUser
        /// The identifier of the log-in in access tokens, so that these end with the log-in.
        var login: String
    }

    /// Begins a log-in.
    ///
    /// - Throws: `AccountError` if the user doesn't exist or is disabled.
    func beginSession(of user: String, token: RefreshToken) async throws -> Session {
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
    /// A token that was replaced more than `overlap` ago ends the whole log-in: two sides have the token, and one of
    /// them isn't the user. The same applies to a token whose sibling, another successor of the same token, was used
    /// before. Then two sides continue from one token.
    ///
    /// - Throws: `AccountError`
    func renewSession(_ token: String, next: RefreshToken) async throws -> Session {
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
        if let parent = realm.object(ofType: StoredSession.self, forPrimaryKey: stored.parent), parent.replaced == nil {
            parent.replaced = now
        }
        add(next, login: login, user: user, parent: newest(after: hash, login, realm), to: realm)
        // If answers are lost, a client has only the token that it presented, however old that is.
        trim(login, keeping: [hash, SecretDigest.hexadecimal(next.text)], realm)
        return Session(token: next.text, user: AccountUser(owner, realm), login: login)
    }

    /// Returns the user of a refresh token.
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

    /// Ends the log-in of a refresh token.
    ///
    /// - Throws: `AccountError`
    func endSession(_ token: String) async throws {
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
    func user(_ id: String, login: String) async throws -> AccountUser? {
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
    func hasUser(_ id: String) async throws -> Bool {
        try await work { realm in realm.object(ofType: StoredUser.self, forPrimaryKey: id) != nil }
    }

    // MARK: Parts

    private static func isGood(_ session: StoredSession, _ now: Date, _ realm: Realm) throws -> Bool {
        let isLate = session.replaced.map { now.timeIntervalSince($0) > overlap } ?? false
        if isLate || isForked(session, realm) {
            end(session, realm, at: now)
            return false
        }
        return session.expires > now
    }

    /// Returns whether another successor of the same token was used.
    private static func isForked(_ session: StoredSession, _ realm: Realm) -> Bool {
        let (login, parent, own) = (session.login, session.parent, session.digest)
        // The first token of a log-in has no siblings.
        guard !parent.isEmpty else { return false }
        return successors(of: parent, login, realm).contains { $0.digest != own && isUsed($0, realm) }
    }

    /// Returns the last used token of the line that continues from a token. While an old token is still valid, its new
    /// successors are added after that token. Otherwise they would be siblings of used tokens and count as thefts.
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

    /// Ends the log-in of a session.
    private static func end(_ session: StoredSession, _ realm: Realm, at now: Date) {
        let login = session.login
        noteEndings([login], of: session.user, realm, at: now)
        realm.delete(realm.objects(StoredSession.self).where { $0.login == login })
    }

    /// Deletes the oldest tokens of a log-in with too many tokens, except some.
    private static func trim(_ login: String, keeping kept: Set<String>, _ realm: Realm) {
        let all = realm.objects(StoredSession.self).where { $0.login == login }
        guard all.count > keptTokens.most else { return }
        let sorted = all.sorted(byKeyPath: "created", ascending: true).lazy.filter { !kept.contains($0.digest) }
        realm.delete(Array(sorted.prefix(all.count - keptTokens.least)))
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
