import Foundation
import FreeholdBSON
import JWTKit

/// The requests of log-ins.
extension AccountService {
    func login(_ app: AccountApp, _ provider: AccountProvider, _ request: AccountRequest) async throws
        -> AccountAnswer
    {
        let fields = try request.fields()
        // The limits are checked before any lookup, so that a client with too many attempts learns nothing.
        switch provider {
        case .anonymous:
            guard app.allowsAnonymous else { throw AccountError.noProvider }
            try await limiter.attempt(account: nil, address: request.address)
            guard !request.isLink else { throw AccountError.bad("an anonymous user can't be linked to another") }
            let user = try await store.createUser(
                NewUser(app: app.id, provider: .anonymous, name: AccountSecret.make())
            )
            return try await begin(user.id, fields)
        case .emailPassword:
            let (name, password) = try (fields.text("username"), fields.text("password"))
            let account = StoredIdentity.key(app.id, .emailPassword, AccountName.normal(name))
            try await limiter.attempt(account: account, address: request.address)
            let stored = try await store.storedName(app.id, name)
            try await check(app, stored, password)
            try await limiter.succeeded(account: account)
            return try await finish(app, .emailPassword, stored, request, fields)
        case .apiKey:
            let key = try fields.text("key")
            try await limiter.attempt(account: nil, address: request.address)
            guard !request.isLink else { throw AccountError.bad("an API key belongs to one user") }
            guard let user = try await store.user(ofKey: key, app: app.id) else { throw AccountError.invalidSession }
            return try await begin(user, fields)
        case .token:
            guard let otherTokens, members.takesOutside(app.id) else { throw AccountError.noProvider }
            let token = try fields.text("token", limit: 16_384)
            try await limiter.attempt(account: nil, address: request.address)
            guard let identity = try await otherTokens.identify(token), identity.user.utf8.count <= 256 else {
                throw AccountError.invalidSession
            }
            // This creates a user, or finds the user with the identity.
            _ = try await store.createUser(NewUser(app: app.id, provider: .token, name: identity.user))
            return try await finish(app, .token, identity.user, request, fields)
        case .customFunction, .google, .facebook, .apple:
            try await limiter.attempt(account: nil, address: request.address)
            let external = try await externalUser(of: provider, app: app, for: request, fields: fields)
            _ = try await store.createUser(
                NewUser(app: app.id, provider: provider, name: external.id, profile: external.profile)
            )
            return try await finish(app, provider, external.id, request, fields)
        }
    }

    /// Checks the password of an account.
    ///
    /// - Parameter name: The name in the form in which it is stored.
    /// - Throws: `AccountError`
    private func check(_ app: AccountApp, _ name: String, _ password: String) async throws {
        let known = try await store.identity(app.id, .emailPassword, name)
        guard try await hasher.matches(password, known?.password), let known else {
            throw AccountError.invalidPassword
        }
        guard known.isConfirmed else { throw AccountError.notConfirmed }
        // A hash of another server is replaced by one of the usual form.
        guard PasswordHash(text: known.password) == nil, let hash = try? await hasher.hash(password) else { return }
        try? await store.replacePassword(of: name, in: app.id, known.password, by: hash)
    }

    /// Logs the owner of an identity in, or adds the identity to the user of the request's access token.
    private func finish(
        _ app: AccountApp,
        _ provider: AccountProvider,
        _ name: String,
        _ request: AccountRequest,
        _ fields: BSONDocument
    ) async throws -> AccountAnswer {
        if request.isLink {
            let user = try await self.user(request)
            guard user.app == app.id else { throw AccountError.invalidSession }
            try await store.link(user.id, provider, name)
            return try await begin(user.id, fields)
        }
        guard let identity = try await store.identity(app.id, provider, name) else { throw AccountError.invalidSession }
        return try await begin(identity.user, fields)
    }

    private func begin(_ user: String, _ fields: BSONDocument) async throws -> AccountAnswer {
        let session = try await store.beginSession(of: user, token: try await tokens.refreshToken())
        let given = fields["options"]?.documentValue?["device"]?.documentValue?["deviceId"]?.stringValue
        let device = given.flatMap { AccountSecret.isIdentifier($0) ? $0 : nil } ?? AccountSecret.identifier()
        let answer: BSONDocument = [
            "access_token": .string(try await tokens.sign(session)), "refresh_token": .string(session.token),
            "user_id": .string(session.user.id), "device_id": .string(device),
        ]
        return AccountAnswer(200, .document(answer))
    }

    /// Returns the user of a request's access token.
    ///
    /// - Throws: `AccountError.invalidSession`
    func user(_ request: AccountRequest) async throws -> AccountUser { try await session(request.bearer).user }

    /// Returns the user and the log-in of an access token.
    ///
    /// - Throws: `AccountError.invalidSession`
    func session(_ token: String?) async throws -> (user: AccountUser, login: String) {
        guard let token, let claims = try await tokens.claims(token),
            let user = try await store.user(claims.sub.value, login: claims.login), user.app == claims.app
        else { throw AccountError.invalidSession }
        return (user, claims.login)
    }
}

/// The names of accounts: e-mail addresses in their normal form.
package enum AccountName {
    /// Returns the form in which addresses are stored: letters with accents are one character (NFC), regardless of the
    /// input.
    static func normal(_ name: String) -> String { forms(name)[0] }

    /// Returns the forms under which an address may be stored, the usual one first. Earlier versions stored the
    /// composition of the input.
    package static func forms(_ name: String) -> [String] {
        let lower = name.trimmingCharacters(in: .whitespaces).lowercased()
        return [lower.precomposedStringWithCanonicalMapping, lower, lower.decomposedStringWithCanonicalMapping]
    }

    /// The characters other than spaces that structure the header of a mail.
    private static let separators = Set<Unicode.Scalar>(",;:<>()[]\\\"".unicodeScalars)

    private static func isUsual(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .privateUse,
            .unassigned:
            false
        default: !separators.contains(scalar)
        }
    }

    /// Returns the form in which a new address is stored.
    ///
    /// - Throws: `AccountError` if the text isn't a valid address.
    static func checked(_ name: String) throws -> String {
        let name = normal(name)
        let parts = name.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), name.utf8.count <= 254,
            name.unicodeScalars.allSatisfy(isUsual)
        else { throw AccountError(400, "InvalidEmail", "this isn't an e-mail address") }
        return name
    }

    /// Returns a valid password unchanged.
    ///
    /// - Throws: `AccountError` if the password is too short or too long.
    static func checkedPassword(_ password: String) throws -> String {
        guard (6...128).contains(password.count), password.utf8.count <= 512 else {
            throw AccountError.bad("a password has 6 to 128 characters")
        }
        return password
    }
}
