public import Foundation
public import FreeholdBSON

/// A user of another server that is imported with its id.
///
/// `init(_:)` reads the documents that App Services' Admin API lists, and a form with passwords and keys in addition:
///
///     {"_id": "5f0000000000000000000001", "disabled": false, "custom_data": {"team": "red"},
///      "identities": [
///        {"provider_type": "local-userpass", "email": "ann@example.org", "password_hash": "$2b$10$…"},
///        {"provider_type": "oauth2-google", "id": "1084…"}],
///      "api_keys": [{"name": "backup", "key": "…"}]}
public struct ImportedUser: Hashable, Sendable {
    public struct Identity: Hashable, Sendable {
        public var provider: AccountProvider
        /// The email address, or the user's identifier at the provider.
        public var name: String
        /// The identifier of the identity, 24 hexadecimal digits. `nil` for a new one.
        public var identifier: String?
        /// The hash of the password. Without it, the user has to reset the password.
        public var passwordHash: String?
        public var isConfirmed = true
        /// A JSON object.
        public var profile = "{}"
    }

    public struct Key: Hashable, Sendable {
        public var name: String
        /// The identifier of the key, 24 hexadecimal digits. `nil` for a new one.
        public var identifier: String?
        /// The SHA-256 of the key, in hexadecimal digits.
        public var digest: String
        public var isDisabled = false
    }

    public var id: String
    public var identities: [Identity]
    public var keys: [Key] = []
    public var isDisabled = false
    /// A JSON object. `nil` if the document has no custom data.
    public var customData: String?
    public var created: Date?

    /// The reason why a document can't be imported as a user. It quotes no passwords and no keys.
    public struct Misfit: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
        /// A Boolean value that indicates whether the user is anonymous, and has no other log-in. No server can import such a user, because
        /// only its device has a session, and another server can't check that session.
        public let isAnonymous: Bool

        init(_ description: String, isAnonymous: Bool = false) {
            (self.description, self.isAnonymous) = (description, isAnonymous)
        }
    }

    /// - Throws: `Misfit`
    public init(_ document: BSONDocument) throws(Misfit) {
        guard let id = (document["_id"] ?? document["id"] ?? document["user_id"])?.identifier else {
            throw Misfit("The user's '_id' isn't an id of 24 hexadecimal digits.")
        }
        self.id = id
        var identities: [Identity] = []
        guard let list = document["identities"]?.arrayValue, list.count <= 100 else {
            throw Misfit("The user has no list of 'identities'.")
        }
        for value in list {
            guard let fields = value.documentValue else { throw Misfit("An identity isn't a document.") }
            if let identity = try Identity(fields, of: document) { identities.append(identity) }
        }
        self.identities = identities
        for value in document["api_keys"]?.arrayValue ?? [] {
            guard let fields = value.documentValue else { throw Misfit("An API key isn't a document.") }
            keys.append(try Key(fields))
        }
        guard !identities.isEmpty || !keys.isEmpty else {
            let isAnonymous =
                !list.isEmpty && list.allSatisfy { $0.documentValue?["provider_type"]?.stringValue == "anon-user" }
            throw Misfit(
                isAnonymous ? "The user is anonymous." : "The user has no log-in that can be imported.",
                isAnonymous: isAnonymous
            )
        }
        guard keys.count <= AccountStore.keysPerUser else {
            throw Misfit("A user has at most \(AccountStore.keysPerUser) API keys.")
        }
        isDisabled = document["disabled"]?.boolValue ?? false
        customData = try Self.json(document["custom_data"], "custom_data")
        created = document["creation_date"]?.date ?? document["created"]?.date
    }

    static func json(_ value: BSONValue?, _ name: String) throws(Misfit) -> String? {
        switch value {
        case nil, .null?: return nil
        case .document(let document)?:
            guard let text = try? document.extendedJSON(), text.utf8.count <= AccountUser.mostCustomData else {
                throw Misfit("The user's '\(name)' has more than 4 KiB.")
            }
            return text
        default: throw Misfit("The user's '\(name)' isn't a document.")
        }
    }
}

extension ImportedUser.Identity {
    /// - Returns: `nil` for an identity that can't be proved at this server: an anonymous one, or one of an API key.
    fileprivate init?(_ fields: BSONDocument, of user: BSONDocument) throws(ImportedUser.Misfit) {
        guard let type = fields["provider_type"]?.stringValue else {
            throw ImportedUser.Misfit("An identity has no 'provider_type'.")
        }
        let data = fields["provider_data"]?.documentValue ?? [:]
        guard let provider = AccountProvider(rawValue: type) else {
            throw ImportedUser.Misfit("There are no log-ins of the type '\(type.prefix(64))'.")
        }
        switch provider {
        case .anonymous, .apiKey: return nil
        case .emailPassword:
            let known = fields["email"] ?? data["email"] ?? user["data"]?.documentValue?["email"]
            guard let name = known?.stringValue.flatMap({ try? AccountName.checked($0) }) else {
                throw ImportedUser.Misfit("An identity 'local-userpass' has no valid 'email'.")
            }
            var hash: String?
            if let value = fields["password_hash"] {
                guard let text = value.stringValue, StoredPassword(text: text) != nil else {
                    throw ImportedUser.Misfit(
                        "The 'password_hash' of \(name) has an unknown form, or is too expensive to check."
                    )
                }
                hash = text
            }
            self.init(provider: provider, name: name, identifier: fields["id"]?.identifier, passwordHash: hash)
            isConfirmed = (fields["confirmed"] ?? data["confirmed"])?.boolValue ?? true
        case .token, .customFunction, .google, .facebook, .apple:
            let id = fields["external_id"] ?? data["id"] ?? data["sub"] ?? fields["id"]
            guard let name = id?.stringValue, let external = ExternalUser(id: name, data) else {
                throw ImportedUser.Misfit("An identity '\(type)' has no 'id' of the user at the provider.")
            }
            self.init(provider: provider, name: name, profile: external.profile)
        }
    }
}

extension ImportedUser.Key {
    fileprivate init(_ fields: BSONDocument) throws(ImportedUser.Misfit) {
        guard let name = fields["name"]?.stringValue, (1...256).contains(name.utf8.count) else {
            throw ImportedUser.Misfit("An API key has no 'name'.")
        }
        let digest: String
        if let key = fields["key"]?.stringValue, key.utf8.count >= 20, key.utf8.count <= 1_024 {
            digest = SecretDigest.hexadecimal(key)
        } else if let text = fields["sha256"]?.stringValue?.lowercased(), text.utf8.count == 64,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        {
            digest = text
        } else {
            throw ImportedUser.Misfit(
                "The API key '\(name)' has neither a 'key' of 20 or more characters nor its 'sha256'."
            )
        }
        self.init(name: name, identifier: fields["_id"]?.identifier, digest: digest)
        isDisabled = fields["disabled"]?.boolValue ?? false
    }
}

extension BSONValue {
    /// The value as an id of 24 hexadecimal digits.
    fileprivate var identifier: String? {
        let text: String? =
            switch self {
            case .string(let text): text.lowercased()
            case .objectId(let id): "\(id)".lowercased()
            default: nil
            }
        return text.flatMap { AccountSecret.isIdentifier($0) ? $0 : nil }
    }

    /// The value as a date: a date, or the seconds since 1970.
    fileprivate var date: Date? {
        if case .datetime(let date) = self { return Date(timeIntervalSince1970: Double(date.milliseconds) / 1_000) }
        return asInt64().map { Date(timeIntervalSince1970: Double($0)) }
    }
}
