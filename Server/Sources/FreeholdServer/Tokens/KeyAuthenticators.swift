import FreeholdSyncCore

/// Users by API keys: `key:` and at least 32 characters. The server knows the keys' hashes only.
public struct KeyAuthenticator: Authenticator {
    private let users: [KeyHash: String]

    /// - Parameter users: by the hashes of their keys.
    public init(_ users: [KeyHash: String]) { self.users = users }

    public func identify(_ token: String) async throws -> Identity? {
        guard token.hasPrefix("key:") else { return nil }
        guard let user = users[KeyHash(of: String(token.dropFirst(4)))] else {
            throw TokenRefusal("nobody has this key")
        }
        return Identity(user: user)
    }
}

/// The hash of a secret that was drawn at random, in hexadecimal digits.
public struct KeyHash: Hashable, Sendable, Codable {
    public let text: String

    public init(text: String) { self.text = text.lowercased() }

    /// - Parameter secret: drawn at random: nobody can try all, so one round of the hash is enough.
    public init(of secret: String) { text = SecretDigest.hexadecimal(secret) }
}

/// Anybody, as whoever chose a secret first: `anonymous:` and at least 32 characters that the client drew. Off unless a server switches it on.
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

/// Anybody, as whoever they say: `user:` and a name. For development on loopback only.
public struct DevelopmentAuthenticator: Authenticator {
    public init() {}

    public func identify(_ token: String) async throws -> Identity? {
        guard token.hasPrefix("user:"), token.utf8.count > 5, token.utf8.count <= 256 else { return nil }
        return Identity(user: String(token.dropFirst(5)))
    }
}
