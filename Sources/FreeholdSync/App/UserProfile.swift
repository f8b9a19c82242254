import Foundation
import FreeholdBSON

/// The data about a user that the providers of the user's log-ins supplied.
public struct UserProfile: Hashable, Sendable {
    public let metadata: Document

    public var name: String? { text("name") }
    public var email: String? { text("email") }
    public var pictureURL: String? { text("picture_url") }
    public var firstName: String? { text("first_name") }
    public var lastName: String? { text("last_name") }
    public var gender: String? { text("gender") }
    public var birthday: String? { text("birthday") }
    public var minAge: String? { text("min_age") }
    public var maxAge: String? { text("max_age") }

    private func text(_ name: String) -> String? { (metadata[name] ?? nil)?.stringValue }
}

/// A kind of credentials with which a user logs in.
public struct RLMUserIdentity: Hashable, Sendable {
    /// The raw value of a ``Provider``.
    public let providerType: String
    public let identifier: String
}

public enum RLMUserState: Int, Hashable, Sendable {
    case loggedOut
    case loggedIn
    case removed
}

public typealias UserState = RLMUserState

/// The tokens of a user, as the file of users stores them.
struct UserTokens: Codable, Hashable, Sendable {
    var access: String
    var refresh: String
}

/// The claims of a JSON web token. A client doesn't verify them. The server does.
struct TokenClaims {
    let fields: Document

    init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, token.utf8.count < 1 << 16 else { return nil }
        var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        while text.utf8.count % 4 != 0 { text += "=" }
        guard let data = Data(base64Encoded: String(text)),
            case let document? = try? BSONDocument(extendedJSON: String(decoding: data, as: UTF8.self))
        else { return nil }
        fields = Document(document)
    }

    /// The time at which the token expires.
    var expiry: Date? {
        ((fields["exp"] ?? nil)?.asDouble()).map { Date(timeIntervalSince1970: $0) }
    }

    var userData: Document { (fields["user_data"] ?? nil)?.documentValue ?? [:] }
}
