import FreeholdSyncCore

/// An authenticator for API keys: `key:` and at least 32 characters. The server only stores the hashes of the keys.
public struct KeyAuthenticator: Authenticator {
    private let users: [KeyHash: String]

    /// - Parameter users: The users, by the hashes of their keys.
    public init(_ users: [KeyHash: String]) { self.users = users }

    public func identify(_ token: String) async throws -> Identity? {
        guard token.hasPrefix("key:") else { return nil }
        guard let user = users[KeyHash(of: String(token.dropFirst(4)))] else {
            throw TokenRefusal("no user has this key")
        }
        return Identity(user: user)
    }
}

/// The hash of a random secret, in hexadecimal digits.
public struct KeyHash: Hashable, Sendable, Codable {
    public let text: String

    public init(text: String) { self.text = text.lowercased() }

    /// - Parameter secret: A random secret. One round of the hash is enough, because an attacker can't try all secrets.
    public init(of secret: String) { text = SecretDigest.hexadecimal(secret) }
}

/// An authenticator for anonymous users: `anonymous:` and at least 32 random characters that the client has chosen. A
/// server has to enable it.
public struct AnonymousAuthenticator: Authenticator {
    public init() {}

    public func identify(_ token: String) async throws -> Identity? {
        guard token.hasPrefix("anonymous:") else { return nil }
        let secret = token.dropFirst(10)
        guard secret.utf8.count >= 32, secret.utf8.count <= 256 else {
            throw TokenRefusal("an anonymous secret has 32 to 256 bytes")
        }
        return Identity(user: "anonymous-" + SecretDigest.hexadecimal(String(secret)).prefix(32))
    }
}

/// An authenticator that accepts the name that a client claims: `user:` and a name. It is only for development on
/// loopback.
public struct DevelopmentAuthenticator: Authenticator {
    public init() {}

    public func identify(_ token: String) async throws -> Identity? {
        guard token.hasPrefix("user:"), token.utf8.count > 5, token.utf8.count <= 256 else { return nil }
        return Identity(user: String(token.dropFirst(5)))
    }
}
