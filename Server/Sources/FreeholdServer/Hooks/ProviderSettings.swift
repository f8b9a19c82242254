import FreeholdBSON

/// The keys and claims by which an app's server checks the id tokens of a provider.
public struct ProviderSettings: Hashable, Sendable {
    /// The place of the provider's public keys, a JSON Web Key Set.
    public enum Keys: Hashable, Sendable {
        /// The absolute path of a file. It is read again after it has changed.
        case file(String)
        /// An address from which the server requests the keys.
        case address(String)
    }

    public var provider: AccountProvider
    public var keys: Keys
    /// The accepted values of the claim `aud`, such as the client ids of an app's platforms.
    public var audiences: [String]
    /// The accepted values of the claim `iss`.
    public var issuers: [String]

    /// - Parameters:
    ///   - keys: The place of the keys, or `nil` for the address at which the provider publishes its keys.
    ///   - issuers: The accepted issuers. If empty, the issuers of the provider are accepted.
    public init(_ provider: AccountProvider, keys: Keys? = nil, audiences: [String], issuers: [String] = []) {
        (self.provider, self.audiences) = (provider, audiences)
        self.keys = keys ?? .address(provider.keySetAddress ?? "")
        self.issuers = issuers.isEmpty ? provider.issuers : issuers
    }

    /// Checks the settings.
    ///
    /// - Throws: `IngestFailure` if no token can be checked with these settings.
    public func check() throws(IngestFailure) {
        guard provider.keySetAddress != nil else {
            throw IngestFailure(
                "'\(provider.rawValue)' has no id tokens: oauth2-google, oauth2-apple and oauth2-facebook have."
            )
        }
        switch keys {
        case .file(let path):
            guard path.hasPrefix("/"), path.utf8.count <= 1_000, !path.utf8.contains(0) else {
                throw IngestFailure("The file of keys is a path that begins with '/'.")
            }
        case .address(let address): _ = try HookAddress(address)
        }
        let texts = audiences + issuers
        guard !audiences.isEmpty, !issuers.isEmpty, texts.count <= 64,
            texts.allSatisfy({ (1...512).contains($0.utf8.count) })
        else { throw IngestFailure("A provider needs at least one audience and one issuer.") }
    }

    var document: BSONDocument {
        var document: BSONDocument = ["provider": .string(provider.rawValue)]
        switch keys {
        case .file(let path): document.append("file", .string(path))
        case .address(let address): document.append("address", .string(address))
        }
        document.append("audiences", .array(audiences.map { .string($0) }))
        document.append("issuers", .array(issuers.map { .string($0) }))
        return document
    }

    /// Returns `nil` for a document that doesn't contain settings of a provider.
    init?(_ document: BSONDocument) {
        func texts(_ key: String) -> [String] { document[key]?.arrayValue?.compactMap(\.stringValue) ?? [] }
        guard let provider = document["provider"]?.stringValue.flatMap(AccountProvider.init(rawValue:)) else {
            return nil
        }
        let keys: Keys
        if let path = document["file"]?.stringValue {
            keys = .file(path)
        } else if let address = document["address"]?.stringValue {
            keys = .address(address)
        } else {
            return nil
        }
        self.init(provider, keys: keys, audiences: texts("audiences"), issuers: texts("issuers"))
    }
}

extension ProviderSettings: CustomStringConvertible {
    public var description: String {
        let place =
            switch keys {
            case .file(let path): path
            case .address(let address): String(address.prefix { $0 != "?" })
            }
        let list = { (texts: [String]) in texts.joined(separator: ",") }
        return "\(provider.rawValue)\tkeys=\(place)\taudience=\(list(audiences))\tissuer=\(list(issuers))"
    }
}

extension AccountProvider {
    /// The address at which the provider publishes the keys of its id tokens. `nil` for a provider without id tokens.
    public var keySetAddress: String? {
        switch self {
        case .google: "https://www.googleapis.com/oauth2/v3/certs"
        case .apple: "https://appleid.apple.com/auth/keys"
        case .facebook: "https://limited.facebook.com/.well-known/oauth/openid/jwks/"
        default: nil
        }
    }

    /// The values of the claim `iss` in the provider's id tokens.
    var issuers: [String] {
        switch self {
        case .google: ["https://accounts.google.com", "accounts.google.com"]
        case .apple: ["https://appleid.apple.com"]
        case .facebook: ["https://www.facebook.com", "https://limited.facebook.com"]
        default: []
        }
    }
}
