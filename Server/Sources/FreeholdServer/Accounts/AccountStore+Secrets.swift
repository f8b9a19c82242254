package import Foundation
import Freehold

/// The API keys, and the codes that are sent by mail.
extension AccountStore {
    package static let keysPerUser = 20
    package static let codeTime: TimeInterval = 3_600

    // MARK: API keys

    /// Creates an API key.
    ///
    /// - Returns: The key, and its secret. The store can't return the secret again.
    /// - Throws: `AccountError`
    public func createKey(_ name: String, of user: String) async throws -> (key: AccountKey, secret: String) {
        let (now, secret) = (now(), AccountSecret.make())
        return try await write { realm in
            guard let owner = realm.object(ofType: StoredUser.self, forPrimaryKey: user) else {
                throw AccountError.invalidSession
            }
            let keys = realm.objects(StoredAPIKey.self).where { $0.user == user }
            guard keys.count < Self.keysPerUser else {
                throw AccountError.tooManyKeys
            }
            guard keys.where({ $0.name == name }).isEmpty else {
                throw AccountError.keyExists
            }
            let stored = StoredAPIKey()
            (stored.id, stored.digest) = (AccountSecret.identifier(now), SecretDigest.hexadecimal(secret))
            (stored.user, stored.app, stored.name) = (user, owner.app, name)
            realm.add(stored)
            return (AccountKey(stored), secret)
        }
    }

    public func keys(of user: String) async throws -> [AccountKey] {
        try await work { realm in
            realm.objects(StoredAPIKey.self).where { $0.user == user }.sorted(byKeyPath: "id").map(AccountKey.init)
        }
    }

    /// Enables or disables a key.
    ///
    /// - Throws: `AccountError` if the user doesn't have the key.
    public func setKey(_ id: String, of user: String, isDisabled: Bool) async throws {
        try await write { realm in try Self.key(id, user, realm).isDisabled = isDisabled }
    }

    /// Deletes a key.
    ///
    /// - Throws: `AccountError` if the user doesn't have the key.
    public func deleteKey(_ id: String, of user: String) async throws {
        try await write { realm in realm.delete(try Self.key(id, user, realm)) }
    }

    /// Returns the user of a key. Returns `nil` for an unknown or disabled key.
    package func user(ofKey secret: String, app: String) async throws -> String? {
        let hash = SecretDigest.hexadecimal(secret)
        return try await work { realm in
            let key = realm.objects(StoredAPIKey.self).where { $0.digest == hash }.first
            guard let key, !key.isDisabled, key.app == app else { return nil }
            return key.user
        }
    }

    private static func key(_ id: String, _ user: String, _ realm: Realm) throws -> StoredAPIKey {
        guard let key = realm.object(ofType: StoredAPIKey.self, forPrimaryKey: id), key.user == user else {
            throw AccountError.noKey
        }
        return key
    }

    // MARK: Mail

    /// Creates a code for a mail. Earlier codes of the same kind become invalid.
    ///
    /// - Returns: The code, or `nil` if no account has the address.
    package func createCode(_ app: String, _ email: String, isReset: Bool) async throws -> (id: String, token: String)?
    {
        let (now, token, id) = (now(), AccountSecret.make(), AccountSecret.identifier())
        let identity = StoredIdentity.key(app, .emailPassword, email)
        return try await write { realm in
            guard realm.object(ofType: StoredIdentity.self, forPrimaryKey: identity) != nil else { return nil }
            realm.delete(realm.objects(StoredCode.self).where { $0.identity == identity && $0.isReset == isReset })
            let code = StoredCode()
            (code.id, code.digest, code.identity) = (id, SecretDigest.hexadecimal(token), identity)
            (code.isReset, code.expires) = (isReset, now.addingTimeInterval(Self.codeTime))
            realm.add(code)
            return (id, token)
        }
    }

    /// Confirms an address.
    ///
    /// - Throws: `AccountError.invalidCode`
    package func confirm(_ app: String, id: String, token: String) async throws {
        let now = now()
        try await write { realm in
            let (code, identity) = try Self.code(app, id, token, isReset: false, now, realm)
            identity.isConfirmed = true
            realm.delete(code)
        }
    }

    /// Returns whether `reset` would accept the code. It is called before the password is hashed.
    package func isResetCode(_ app: String, id: String, token: String) async throws -> Bool {
        let now = now()
        return try await work { realm in
            do { _ = try Self.code(app, id, token, isReset: true, now, realm) } catch { return false }
            return true
        }
    }

    /// Sets a new password, and ends all log-ins of the user.
    ///
    /// - Parameter password: The hash of the password.
    /// - Throws: `AccountError.invalidCode`
    package func reset(_ app: String, id: String, token: String, password: String) async throws {
        let now = now()
        try await write { realm in
            let (code, identity) = try Self.code(app, id, token, isReset: true, now, realm)
            identity.password = password
            // The code was sent to the address, so it also confirms the address.
            identity.isConfirmed = true
            Self.endSessions(of: identity.user, realm, at: now)
            realm.delete(code)
        }
    }

    /// Replaces the hash of a password by another hash of the same password. Does nothing if the stored hash isn't
    /// `old` any more.
    package func replacePassword(of name: String, in app: String, _ old: String, by new: String) async throws {
        let key = StoredIdentity.key(app, .emailPassword, name)
        try await write { realm in
            guard let identity = realm.object(ofType: StoredIdentity.self, forPrimaryKey: key), identity.password == old
            else { return }
            identity.password = new
        }
    }

    /// Deletes a new user that wasn't confirmed.
    ///
    /// - Parameter code: The identifier of the code that was created for the confirmation.
    package func deleteUnconfirmed(_ app: String, code: String) async throws {
        let now = now()
        try await write { realm in
            guard let code = realm.object(ofType: StoredCode.self, forPrimaryKey: code),
                let identity = realm.object(ofType: StoredIdentity.self, forPrimaryKey: code.identity),
                identity.app == app, !identity.isConfirmed,
                let user = realm.object(ofType: StoredUser.self, forPrimaryKey: identity.user), !user.hasLoggedIn
            else { return }
            let id = user.id
            guard realm.objects(StoredIdentity.self).where({ $0.user == id }).count == 1 else { return }
            Self.delete(user, realm, at: now)
        }
    }

    private static func code(
        _ app: String,
        _ id: String,
        _ token: String,
        isReset: Bool,
        _ now: Date,
        _ realm: Realm
    ) throws -> (StoredCode, StoredIdentity) {
        guard let code = realm.object(ofType: StoredCode.self, forPrimaryKey: id), code.isReset == isReset,
            AccountSecret.equal(code.digest, SecretDigest.hexadecimal(token)), code.expires > now,
            let identity = realm.object(ofType: StoredIdentity.self, forPrimaryKey: code.identity), identity.app == app
        else { throw AccountError.invalidCode }
        return (code, identity)
    }
}

extension AccountKey {
    init(_ stored: StoredAPIKey) {
        self.init(id: stored.id, user: stored.user, name: stored.name, isDisabled: stored.isDisabled)
    }
}
