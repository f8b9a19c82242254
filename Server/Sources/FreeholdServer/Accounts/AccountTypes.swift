public import Foundation
import FreeholdBSON

/// A kind of log-in.
public enum AccountProvider: String, Sendable, CaseIterable {
    case anonymous = "anon-user"
    case emailPassword = "local-userpass"
    case apiKey = "api-key"
    case token = "custom-token"
    /// A log-in by a hook of the app, which returns the user's external id.
    case customFunction = "custom-function"
    case google = "oauth2-google"
    case facebook = "oauth2-facebook"
    case apple = "oauth2-apple"

    /// A Boolean value that indicates whether another service identifies the user. The first log-in creates the user.
    package var isExternal: Bool {
        switch self {
        case .token, .customFunction, .google, .facebook, .apple: true
        case .anonymous, .emailPassword, .apiKey: false
        }
    }

    /// A Boolean value that indicates whether a hook can identify users.
    var takesHooks: Bool { isExternal && self != .token }
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
        /// A hook of the app confirms a new user, or lets the user be confirmed later.
        case hook
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
        /// The profile at the provider, a JSON object.
        public var profile: String

        package init(id: String, provider: String, name: String, isConfirmed: Bool, profile: String = "{}") {
            (self.id, self.provider, self.name) = (id, provider, name)
            (self.isConfirmed, self.profile) = (isConfirmed, profile)
        }
    }

    public var id: String
    public var app: String
    public var identities: [Identity]
    public var isDisabled: Bool
    /// A JSON object.
    public var customData: String
    public var created: Date

    package init(
        id: String,
        app: String,
        identities: [Identity],
        isDisabled: Bool,
        customData: String,
        created: Date
    ) {
        (self.id, self.app, self.identities) = (id, app, identities)
        (self.isDisabled, self.customData, self.created) = (isDisabled, customData, created)
    }

    var email: String? { identities.first { $0.provider == AccountProvider.emailPassword.rawValue }?.name }
}

extension AccountUser {
    /// The data that clients and rules see: the profiles of the identities, and the email address.
    var data: BSONDocument {
        var data = BSONDocument()
        for identity in identities where identity.profile != "{}" {
            for (name, value) in (try? BSONDocument(extendedJSON: identity.profile)) ?? [:] { data[name] = value }
        }
        if let email { data["email"] = .string(email) }
        return data
    }
}

/// An API key without its secret.
public struct AccountKey: Hashable, Sendable {
    public var id: String
    public var user: String
    public var name: String
    public var isDisabled: Bool

    package init(id: String, user: String, name: String, isDisabled: Bool) {
        (self.id, self.user, self.name, self.isDisabled) = (id, user, name, isDisabled)
    }
}

/// The error of a request. It contains no password and no token.
public struct AccountError: Error, Hashable, Sendable, CustomStringConvertible {
    public let status: Int
    public let code: String
    public let description: String

    package init(_ status: Int, _ code: String, _ description: String) {
        (self.status, self.code, self.description) = (status, code, description)
    }

    package static let invalidSession = AccountError(401, "InvalidSession", "invalid session")
    package static let invalidPassword = AccountError(401, "InvalidPassword", "invalid username/password")
    package static let userDisabled = AccountError(401, "UserDisabled", "the user is disabled")
    package static let nameInUse = AccountError(409, "AccountNameInUse", "name already in use")
    package static let noProvider = AccountError(404, "AuthProviderNotFound", "the app doesn't have this way to log in")
    package static let noApp = AccountError(404, "ValueNotFound", "there is no such app")
    package static let noUser = AccountError(404, "UserNotFound", "there is no such user")
    package static let noKey = AccountError(404, "APIKeyNotFound", "there is no such API key")
    package static let invalidCode = AccountError(400, "BadRequest", "the token is wrong, or its time is over")
    package static let notConfirmed = AccountError(401, "AuthError", "confirmation required")
    package static let tooMany = AccountError(429, "TooManyRequests", "too many attempts: try again later")
    package static func appExists(_ id: String) -> AccountError {
        AccountError(409, "ValueAlreadyExists", "there is an app '\(id)' already")
    }
    package static let hasOtherUser = AccountError(409, "AccountNameInUse", "another user has this log-in")
    package static let keyExists = AccountError(409, "APIKeyAlreadyExists", "there is an API key of this name")
    package static let tooManyKeys = bad("a user has at most \(AccountStore.keysPerUser) API keys")
    static let beingTransferred = AccountError(
        503,
        "MaintenanceInProgress",
        "the app's data is being imported: try again later"
    )
    package static let unavailable = AccountError(503, "InternalServerError", "the accounts can't be reached")

    package static func bad(_ text: String) -> AccountError { AccountError(400, "BadRequest", text) }
    package static func missing(_ name: String) -> AccountError {
        AccountError(400, "MissingParameter", "'\(name)' is missing, or isn't of its type")
    }
}
