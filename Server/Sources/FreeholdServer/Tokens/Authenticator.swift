/// Finds out who a token is of.
public protocol Authenticator: Sendable {
    /// - Returns: nil if the token isn't of the kind that this one knows.
    /// - Throws: `TokenRefusal`
    func identify(_ token: String) async throws -> Identity?
}

/// Who a connection is of.
public struct Identity: Hashable, Sendable {
    public var user: String
    /// In seconds since 1970. Nil: the token is good until somebody takes it back.
    public var expires: Double?
    /// Of an account: the log-in that the token is of. What was opened with it ends with it.
    public var login: String?

    public init(user: String, expires: Double? = nil, login: String? = nil) {
        self.user = user
        self.expires = expires
        self.login = login
    }
}

/// Why a token isn't accepted. The reason is for logs, and says nothing of what is in the token.
public struct TokenRefusal: Error, Hashable, Sendable {
    public let reason: String

    public init(_ reason: String) { self.reason = reason }
}

/// Several ways to say who one is: the first that knows the kind of token decides.
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
