#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import JWTKit

/// An authenticator for signed tokens (JWT) of a trusted issuer. `sub` is the user, and `exp` is required.
public struct JWTAuthenticator: Authenticator {
    /// A key that signs tokens.
    public enum Key: Sendable {
        /// For HS256: a secret of at least 32 bytes that the issuer and the server share.
        case secret(String)
        /// For ES256: a public key in PEM.
        case publicKey(String)
        /// A set of public keys or secrets in JSON (RFC 7517), for each algorithm that JWTKit supports.
        case keySet(String)
    }

    /// The required values of claims. `nil` for any value.
    public struct Expectations: Hashable, Sendable {
        public var issuer: String?
        public var audience: String?

        public init(issuer: String? = nil, audience: String? = nil) {
            (self.issuer, self.audience) = (issuer, audience)
        }
    }

    /// A collection for each key, because keys without a name would replace each other in one collection.
    private let keys: [JWTKeyCollection]
    private let expectations: Expectations

    /// - Throws: `TokenRefusal` if a key is invalid.
    public init(_ keys: [Key], _ expectations: Expectations = Expectations()) async throws {
        self.expectations = expectations
        var collections: [JWTKeyCollection] = []
        for key in keys {
            let collection = JWTKeyCollection()
            do {
                switch key {
                case .secret(let secret):
                    guard secret.utf8.count >= 32 else {
                        throw TokenRefusal("a secret for tokens has fewer than 32 bytes")
                    }
                    await collection.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
                case .publicKey(let pem): await collection.add(ecdsa: try ES256PublicKey(pem: pem))
                case .keySet(let json): try await collection.add(jwksJSON: json)
                }
            } catch let refusal as TokenRefusal {
                throw refusal
            } catch {
                throw TokenRefusal("a key for tokens can't be read: \(type(of: error))")
            }
            collections.append(collection)
        }
        self.keys = collections
    }

    public func identify(_ token: String) async throws -> Identity? {
        // A JWT has three parts with dots between them. The signature check finds all other errors.
        guard token.utf8.count <= 16_384, token.utf8.filter({ $0 == UInt8(ascii: ".") }).count == 2 else { return nil }
        var verified: Claims?
        var refusal = TokenRefusal("no key for tokens is known")
        for collection in keys where verified == nil {
            do { verified = try await collection.claims(of: token) } catch let other as TokenRefusal {
                refusal = other
            } catch {
                refusal = TokenRefusal((error as? JWTError).map { "\($0.errorType)" } ?? "the token isn't one")
            }
        }
        guard let claims = verified else { throw refusal }
        let now = Date()
        if let from = claims.nbf?.value, from > now.addingTimeInterval(60) {
            throw TokenRefusal("the token isn't good yet")
        }
        if let issuer = expectations.issuer, claims.iss?.value != issuer {
            throw TokenRefusal("another issuer's token")
        }
        if let audience = expectations.audience, claims.aud?.values.contains(audience) != true {
            throw TokenRefusal("a token for another audience")
        }
        guard !claims.sub.value.isEmpty else { throw TokenRefusal("the token has no user") }
        return Identity(user: claims.sub.value, expires: claims.exp.value.timeIntervalSince1970)
    }

    private struct Claims: JWTPayload {
        let sub: SubjectClaim
        let exp: ExpirationClaim
        let nbf: NotBeforeClaim?
        let iss: IssuerClaim?
        let aud: TokenAudiences?

        func verify(using algorithm: some JWTAlgorithm) async throws { try exp.verifyNotExpired() }
    }
}
