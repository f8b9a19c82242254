import Foundation
import JWTKit

/// The access tokens and refresh tokens: JWTs that the server signs with the secret of its folder.
struct AccountTokens: Sendable {
    private static let issuer = "freehold-accounts"
    private let keys = JWTKeyCollection()
    /// The text of the file. Other keys of the server are derived from it.
    let secret: String
    let lifetime: TimeInterval
    private let now: @Sendable () -> Date

    struct Claims: JWTPayload {
        let sub: SubjectClaim
        let exp: ExpirationClaim
        let iat: IssuedAtClaim
        let iss: IssuerClaim
        let app: String
        /// The identifier of the log-in.
        let login: String
        let user_data: JSONValue

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    /// The claims of a refresh token. The store finds the log-in by the hash of the whole token. The claims are for
    /// clients, which read the expiry time.
    private struct RefreshClaims: JWTPayload {
        static let kind = "refresh"

        let exp: ExpirationClaim
        let iat: IssuedAtClaim
        let iss: IssuerClaim
        let jti: IDClaim
        let typ: String

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    /// - Parameter secret: See `ServerSecret`.
    init(secret: String, lifetime: TimeInterval, now: @escaping @Sendable () -> Date) async throws {
        (self.lifetime, self.now) = (lifetime, now)
        self.secret = secret
        await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
    }

    func sign(_ session: AccountStore.Session) async throws -> String {
        // Some other clients only read whole seconds.
        let now = now().wholeSecond
        let claims = Claims(
            sub: SubjectClaim(value: session.user.id),
            exp: ExpirationClaim(value: now.addingTimeInterval(max(lifetime.rounded(), 1))),
            iat: IssuedAtClaim(value: now),
            iss: IssuerClaim(value: Self.issuer),
            app: session.user.app,
            login: session.login,
            user_data: JSONValue(object: session.user.customData) ?? .object([:])
        )
        return try await keys.sign(claims)
    }

    /// Returns a new refresh token that isn't stored yet.
    func refreshToken() async throws -> RefreshToken {
        let created = now().wholeSecond
        let expires = created.addingTimeInterval(AccountStore.sessionTime)
        let claims = RefreshClaims(
            exp: ExpirationClaim(value: expires),
            iat: IssuedAtClaim(value: created),
            iss: IssuerClaim(value: Self.issuer),
            jti: IDClaim(value: AccountSecret.make()),
            typ: RefreshClaims.kind
        )
        return RefreshToken(text: try await keys.sign(claims), created: created, expires: expires)
    }

    /// Returns the claims of an access token, or `nil` for a token of another issuer.
    ///
    /// - Throws: `TokenRefusal` if the token has expired, or if it is a refresh token.
    func claims(_ token: String) async throws -> Claims? {
        guard token.utf8.count <= 32_768, token.utf8.filter({ $0 == UInt8(ascii: ".") }).count == 2 else { return nil }
        guard let claims = try? await keys.claims(of: token, as: Claims.self), claims.iss.value == Self.issuer else {
            if let other = try? await keys.claims(of: token, as: RefreshClaims.self), other.typ == RefreshClaims.kind {
                throw TokenRefusal("a refresh token isn't an access token")
            }
            return nil
        }
        guard claims.exp.value > now() else { throw TokenRefusal("the token's time is over") }
        return claims
    }
}

extension Date {
    /// The date rounded down to a whole second of Unix time.
    fileprivate var wholeSecond: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}

/// An authenticator for access tokens of accounts. A token is valid until its log-in ends.
struct AccountAuthenticator: Authenticator {
    let tokens: AccountTokens
    let store: any AccountStorage
    let members: AccountMembers
    let served: ServedApps

    func identify(_ token: String) async throws -> Identity? {
        guard let claims = try await tokens.claims(token) else { return nil }
        guard let user = try await store.user(claims.sub.value, login: claims.login), user.app == claims.app else {
            throw TokenRefusal("the log-in has ended")
        }
        guard served[user.app]?.isBeingTransferred != true else {
            throw TokenRefusal("the app's data is being imported")
        }
        members.note(user.id, user.app)
        served.note(user)
        return Identity(user: user.id, expires: claims.exp.value.timeIntervalSince1970, login: claims.login)
    }
}
