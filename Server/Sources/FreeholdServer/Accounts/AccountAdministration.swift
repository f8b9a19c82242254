import Foundation

/// What the administrator's commands do beside what the store does.
extension AccountStore {
    /// Makes a user who logs in by email and password, confirmed.
    ///
    /// - Parameter customData: a JSON object.
    /// - Throws: `AccountError` if there is no such app, or the name is taken, or the password too short.
    @discardableResult
    public func createUser(
        app: String,
        email: String,
        password: String,
        customData: String = "{}"
    ) async throws -> AccountUser {
        guard try await self.app(app) != nil else { throw AccountError.noApp }
        try AccountUser.check(customData: customData)
        let (name, password) = try (AccountName.checked(email), AccountName.checkedPassword(password))
        let stored = try await storedName(app, name)
        guard try await identity(app, .emailPassword, stored) == nil else { throw AccountError.nameInUse }
        let hash = try await PasswordHasher().hash(password)
        return try await createUser(app, .emailPassword, name, password: hash, customData: customData)
    }
}
