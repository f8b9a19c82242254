#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import JWTKit

extension JWTKeyCollection {
    /// Returns the claims of a token that was signed by one of the keys, with the algorithm in the token's header.
    ///
    /// JWTKit checks the signature with the algorithm of the key, and doesn't compare it with the header's `alg`. A
    /// header with another algorithm is a contradiction (RFC 8725, section 3.1), so such a token is refused.
    ///
    /// - Throws: `TokenRefusal` for a header that doesn't fit, and the errors of JWTKit.
    func claims<Claims: JWTPayload>(of token: String, as type: Claims.Type = Claims.self) async throws -> Claims {
        guard let header = TokenHeader(token) else { throw TokenRefusal("the token's header can't be read") }
        let key = try await getKey(for: header.kid.map { JWKIdentifier(string: $0) }, alg: header.alg)
        guard key.name == header.alg else { throw TokenRefusal("the token names another algorithm than its key has") }
        return try await verify(token, as: type)
    }
}

/// The claim `aud`: a text, or a list of texts. JWTKit's claim ends the process for an empty list.
struct TokenAudiences: Codable, Sendable {
    let values: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(String.self) {
            values = [value]
        } else {
            values = try container.decode([String].self)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(values)
    }
}

/// The fields of a token's header that decide about the check of its signature.
private struct TokenHeader: Decodable {
    let alg: String
    let kid: String?

    /// Returns `nil` if the first part of the token isn't a header with an algorithm.
    init?(_ token: String) {
        var text = token.prefix { $0 != "." }.replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: String(text)),
            let header = try? JSONDecoder().decode(TokenHeader.self, from: data)
        else { return nil }
        self = header
    }
}
