import FreeholdBSON

/// A user of another service.
struct ExternalUser: Sendable {
    /// The user's identifier at the service.
    let id: String
    /// A JSON object with the fields of `profileFields`.
    let profile: String

    /// The fields of a profile that clients and rules can see.
    static let profileFields = [
        "name", "email", "first_name", "last_name", "picture", "gender", "birthday", "min_age", "max_age",
    ]

    /// - Parameter fields: The fields of the profile. Other fields than `profileFields`, and texts that are too long,
    ///   are ignored.
    /// - Returns: `nil` if `id` isn't a valid identifier.
    init?(id: String, _ fields: BSONDocument) {
        guard (1...256).contains(id.utf8.count), !id.utf8.contains(0) else { return nil }
        var profile: BSONDocument = [:]
        for name in Self.profileFields {
            guard let text = fields[name]?.stringValue, (1...512).contains(text.utf8.count) else { continue }
            profile.append(name, .string(text))
        }
        guard let text = try? profile.extendedJSON() else { return nil }
        (self.id, self.profile) = (id, text)
    }
}

/// Log-ins by providers that identify the user.
extension AccountService {
    /// Returns the user that a log-in's credentials name.
    ///
    /// - Throws: `AccountError` if the app doesn't have this kind of log-in, or if the credentials aren't valid.
    func externalUser(
        of provider: AccountProvider,
        app: AccountApp,
        for request: AccountRequest,
        fields: BSONDocument
    ) async throws -> ExternalUser {
        let (hook, settings) = (hook(app.id, .logIn(provider)), served[app.id]?.provider(provider))
        guard hook != nil || settings != nil else { throw AccountError.noProvider }
        if provider != .customFunction, let token = fields["id_token"] {
            guard let settings else {
                throw AccountError.bad("the app doesn't take id tokens of this provider: its keys aren't configured")
            }
            guard let token = token.stringValue else { throw AccountError.missing("id_token") }
            return try await providerKeys.user(of: token, settings)
        }
        guard let hook else {
            throw AccountError.bad("the app only takes an 'id_token' of this provider, and no code or access token")
        }
        var payload = fields
        payload["options"] = nil
        switch try await call(hook, request, ["payload": .document(payload)]) {
        case .refused(_, let text): throw AccountError(401, "AuthError", text)
        case .value(.string(let id)):
            guard let user = ExternalUser(id: id, [:]) else { throw AccountError.hookFailed }
            return user
        case .value(let value):
            guard let answer = value.documentValue, let id = answer["id"]?.stringValue,
                let user = ExternalUser(id: id, answer)
            else { throw AccountError.hookFailed }
            return user
        }
    }
}
