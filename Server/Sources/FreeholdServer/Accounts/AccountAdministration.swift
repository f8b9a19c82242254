import Foundation

/// The operations of the administrator's commands, in addition to those of the store.
extension AccountStore {
    /// Creates a confirmed user with an e-mail address and a password.
    ///
    /// - Parameter customData: A JSON object.
    /// - Throws: `AccountError` if the app doesn't exist, the name is in use, or the password is too short.
    @discardableResult
    public func createUser(
        app: String,
        email: String,
        password: String,
        customData: String = "{}"
    ) async throws -> AccountUser {
        try await (self as any AccountStorage).createUser(
            app: app,
            email: email,
            password: password,
            customData: customData
        )
    }
}

extension AccountStorage {
    /// See `AccountStore.createUser(app:email:password:customData:)`.
    @discardableResult
    package func createUser(
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
        return try await createUser(
            NewUser(app: app, provider: .emailPassword, name: name, password: hash, customData: customData)
        )
    }
}
