/// The credentials of a user for a log-in.
@frozen
public enum Credentials: Sendable {
    case facebook(accessToken: String)
    case google(serverAuthCode: String)
    case googleId(token: String)
    case apple(idToken: String)
    case emailPassword(email: String, password: String)
    /// A JSON web token of another issuer. The server's configuration has to accept the issuer.
    case jwt(token: String)
    case function(payload: Document)
    case userAPIKey(String)
    case serverAPIKey(String)
    case anonymous
}

/// The name of a kind of credentials.
public struct Provider: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let anonymous = Provider(rawValue: "anon-user")
    public static let usernamePassword = Provider(rawValue: "local-userpass")
    public static let jwt = Provider(rawValue: "custom-token")
    public static let userAPIKey = Provider(rawValue: "api-key")
    public static let serverAPIKey = Provider(rawValue: "api-key")
    public static let facebook = Provider(rawValue: "oauth2-facebook")
    public static let google = Provider(rawValue: "oauth2-google")
    public static let apple = Provider(rawValue: "oauth2-apple")
    public static let function = Provider(rawValue: "custom-function")
}

public typealias RLMIdentityProvider = Provider

extension Credentials {
    public var provider: Provider {
        switch self {
        case .facebook: .facebook
        case .google, .googleId: .google
        case .apple: .apple
        case .emailPassword: .usernamePassword
        case .jwt: .jwt
        case .function: .function
        case .userAPIKey, .serverAPIKey: .userAPIKey
        case .anonymous: .anonymous
        }
    }

    /// Returns the body of a log-in request.
    ///
    /// - Throws: `AppError.unsupported` for functions, and for providers that need Apple, Facebook or Google.
    func fields() throws(AppError) -> Document {
        switch self {
        case .emailPassword(let email, let password): ["username": .string(email), "password": .string(password)]
        case .jwt(let token): ["token": .string(token)]
        case .userAPIKey(let key), .serverAPIKey(let key): ["key": .string(key)]
        case .anonymous: [:]
        case .facebook: throw .unsupported("log-in by Facebook")
        case .google, .googleId: throw .unsupported("log-in by Google")
        case .apple: throw .unsupported("log-in by Apple")
        case .function: throw .unsupported("log-in by a function")
        }
    }
}
