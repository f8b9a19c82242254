public import Foundation

/// A kind of log-in.
public enum AccountProvider: String, Sendable, CaseIterable {
    case anonymous = "anon-user"
    case emailPassword = "local-userpass"
    case apiKey = "api-key"
    case token = "custom-token"
}

/// An app with accounts, and its rules for registration.
public struct AccountApp: Hashable, Sendable {
    public enum EmailPassword: String, Sendable {
        /// Registration is closed. Users that the administrator has created can log in.
        case closed
        /// Each new user can log in immediately.
        case autoConfirm = "auto-confirm"
        /// A new user receives a mail, and has to confirm the address.
        case mail
    }

    public var id: String
    public var allowsAnonymous: Bool
    public var emailPassword: EmailPassword
    public var access: NodeApp.Access

    public init(
        id: String,
        allowsAnonymous: Bool = false,
        emailPassword: EmailPassword = .closed,
        access: NodeApp.Access = .nobody
    ) {
        (self.id, self.allowsAnonymous) = (id, allowsAnonymous)
        (self.emailPassword, self.access) = (emailPassword, access)
    }
}

/// A user, with the data that administrators see.
public struct AccountUser: Hashable, Sendable {
    public struct Identity: Hashable, Sendable {
        public var id: String
        public var provider: String
        public var name: String
        public var isConfirmed: Bool
    }

    public var id: String
    public var app: String
    public var identities: [Identity]
    public var isDisabled: Bool
    /// A JSON object.
    public var customData: String
    public var created: Date

    var email: String? { identities.first { $0.provider == AccountProvider.emailPassword.rawValue }?.name }
}

/// An API key without its secret.
public struct AccountKey: Hashable, Sendable {
    public var id: String
    public var user: String
    public var name: String
    public var isDisabled: Bool
}

/// The error of a request. It contains no password and no token.
public struct AccountError: Error, Hashable, Sendable, CustomStringConvertible {
    public let status: Int
    public let code: String
    public let description: String

    init(_ status: Int, _ code: String, _ description: String) {
        (self.status, self.code, self.description) = (status, code, description)
    }

    static let invalidSession = AccountError(401, "InvalidSession", "invalid session")
    static let invalidPassword = AccountError(401, "InvalidPassword", "invalid username/password")
    static let userDisabled = AccountError(401, "UserDisabled", "the user is disabled")
    static let nameInUse = AccountError(409, "AccountNameInUse", "name already in use")
    static let noProvider = AccountError(404, "AuthProviderNotFound", "the app doesn't have this way to log in")
    static let noApp = AccountError(404, "ValueNotFound", "there is no such app")
    static let noUser = AccountError(404, "UserNotFound", "there is no such user")
    static let noKey = AccountError(404, "APIKeyNotFound", "there is no such API key")
    static let invalidCode = AccountError(400, "BadRequest", "the token is wrong, or its time is over")
    static let notConfirmed = AccountError(401, "AuthError", "confirmation required")
    static let tooMany = AccountError(429, "TooManyRequests", "too many attempts: try again later")
    static let unavailable = AccountError(503, "InternalServerError", "the accounts can't be reached")

    static func bad(_ text: String) -> AccountError { AccountError(400, "BadRequest", text) }
    static func missing(_ name: String) -> AccountError {
        AccountError(400, "MissingParameter", "'\(name)' is missing, or isn't of its type")
    }
}
