/// An authenticator that returns the user of a token.
public protocol Authenticator: Sendable {
    /// Returns the identity for a token.
    ///
    /// - Returns: `nil` if the authenticator doesn't support this kind of token.
    /// - Throws: `TokenRefusal`
    func identify(_ token: String) async throws -> Identity?
}

/// The user of a connection.
public struct Identity: Hashable, Sendable {
    public var user: String
    /// The time at which the token expires, in seconds since 1970. `nil` for a token that is valid until it is revoked.
    public var expires: Double?
    /// The log-in of the token, for a token of an account. Connections that were opened with the token end with the
    /// log-in.
    public var login: String?

    public init(user: String, expires: Double? = nil, login: String? = nil) {
        self.user = user
        self.expires = expires
        self.login = login
    }
}

/// The reason why a token isn't accepted. It is for logs, and contains no part of the token.
public struct TokenRefusal: Error, Hashable, Sendable {
    public let reason: String

    public init(_ reason: String) { self.reason = reason }
}

/// A chain of authenticators. The first one that supports the kind of a token decides.
public struct AuthenticatorChain: Authenticator {
    private let links: [any Authenticator]

    public init(_ links: [any Authenticator]) { self.links = links }

    public func identify(_ token: String) async throws -> Identity? {
        for link in links {
            if let identity = try await link.identify(token) { return identity }
        }
        return nil
    }
}
