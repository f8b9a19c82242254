import Foundation

/// The accounts and the configuration of a server's apps. `AccountStore` has them in a file, and the module FreeholdPostgresAccounts in a database
/// that several servers share.
///
/// Each method that changes something is one transaction: if it throws, nothing is changed, except after `AccountStorageFailure` and
/// `AccountError.unavailable`, whose outcome isn't known. The comments of `AccountStore` describe the errors of each method.
///
/// Any thread may use it.
package protocol AccountStorage: Sendable {
    // Apps
    func createApp(_ app: AccountApp) async throws
    func apps() async throws -> [AccountApp]
    func app(_ id: String) async throws -> AccountApp?
    func changeApp(_ id: String, _ body: @escaping @Sendable (inout AccountApp) -> Void) async throws
    func deleteApp(_ id: String) async throws
    func documents(of app: String) async throws -> AppDocuments
    @discardableResult
    func changeDocuments(
        of app: String,
        _ body: @escaping @Sendable (inout AppDocuments) throws -> Void
    ) async throws -> AppDocuments

    // Users
    func users(of app: String) async throws -> [AccountUser]
    /// Returns users in ascending order of their ids.
    ///
    /// - Parameters:
    ///   - text: A part of a name with which the user logs in, or the user's whole id. Empty for all users.
    ///   - after: The last id of the previous page, or `nil` for the first page.
    ///   - limit: The maximum number of users.
    func users(of app: String, matching text: String, after: String?, limit: Int) async throws -> [AccountUser]
    func user(_ id: String) async throws -> AccountUser?
    func users(_ ids: [String], changedSince revision: Int) async throws -> [AccountUser]
    func hasUser(_ id: String) async throws -> Bool
    func createUser(_ new: NewUser) async throws -> AccountUser
    func storedName(_ app: String, _ address: String) async throws -> String
    func identity(
        _ app: String,
        _ provider: AccountProvider,
        _ name: String
    ) async throws -> (user: String, password: String, isConfirmed: Bool)?
    func link(_ user: String, _ provider: AccountProvider, _ name: String) async throws
    func setDisabled(_ isDisabled: Bool, user: String) async throws
    func deleteUser(_ id: String) async throws
    func setCustomData(_ customData: String, user: String) async throws

    // Log-ins
    func beginSession(of user: String, token: RefreshToken) async throws -> AccountStore.Session
    func renewSession(_ token: String, next: RefreshToken) async throws -> AccountStore.Session
    func owner(ofRefreshToken token: String) async throws -> AccountUser
    func endSession(_ token: String) async throws
    func logOut(user: String) async throws
    func user(_ id: String, login: String) async throws -> AccountUser?
    func ended(among logins: Set<String>) async throws -> Set<String>

    // API keys and codes
    func createKey(_ name: String, of user: String) async throws -> (key: AccountKey, secret: String)
    func keys(of user: String) async throws -> [AccountKey]
    func setKey(_ id: String, of user: String, isDisabled: Bool) async throws
    func deleteKey(_ id: String, of user: String) async throws
    func user(ofKey secret: String, app: String) async throws -> String?
    func createCode(_ app: String, _ email: String, isReset: Bool) async throws -> (id: String, token: String)?
    func confirm(_ app: String, id: String, token: String) async throws
    func isResetCode(_ app: String, id: String, token: String) async throws -> Bool
    func reset(_ app: String, id: String, token: String, password: String) async throws

    func replacePassword(of name: String, in app: String, _ old: String, by new: String) async throws
    func deleteUnconfirmed(_ app: String, code: String) async throws

    // Push registrations and imports
    func register(app: String, user: String, login: String, service: String, token: String) async throws
    func unregister(login: String, service: String) async throws
    func pushRegistrations(of app: String, user: String?) async throws -> [PushRegistration]
    func importUsers(_ users: [ImportedUser], app: String, isDry: Bool) async throws -> UserImportReport

    // Servers
    /// Returns the changes since a position, and the new position. The changes are `nil` if nothing has changed. Without a position, all apps and
    /// users count as changed.
    func changes(
        after position: (any AccountPosition)?
    ) async throws -> (changes: AccountChanges?, position: any AccountPosition)
    /// Returns the counts of attempts. If the storage supports it, all servers that use the storage share the counts.
    func limiter(_ limits: AttemptLimiter.Limits) -> any AttemptCounting
}

/// A user with one identity, which a storage creates.
package struct NewUser: Sendable {
    package var app: String
    package var provider: AccountProvider
    /// The email address, or the user's identifier at the provider.
    package var name: String
    /// The hash of the password.
    package var password: String
    package var isConfirmed: Bool
    /// A JSON object.
    package var customData: String
    /// The profile at the provider. It replaces the profile of an existing identity. `nil` for no profile, and for no change.
    package var profile: String?

    package init(
        app: String,
        provider: AccountProvider,
        name: String,
        password: String = "",
        isConfirmed: Bool = true,
        customData: String = "{}",
        profile: String? = nil
    ) {
        (self.app, self.provider, self.name, self.password) = (app, provider, name, password)
        (self.isConfirmed, self.customData, self.profile) = (isConfirmed, customData, profile)
    }
}

extension AccountStorage {
    package func importUsers(_ users: [ImportedUser], app: String) async throws -> UserImportReport {
        try await importUsers(users, app: app, isDry: false)
    }

    /// Returns the registrations of all users of an app.
    package func pushRegistrations(of app: String) async throws -> [PushRegistration] {
        try await pushRegistrations(of: app, user: nil)
    }
}

/// A position in the sequence of changes of accounts. Each storage defines its own type.
package protocol AccountPosition: Sendable {}

/// The changes in a storage of accounts since a position.
package struct AccountChanges: Sendable {
    /// The apps that are new, or whose settings or documents may have changed.
    package var documents: Set<String>
    /// The users whose data for rules may have changed, by app.
    package var users: [String: ChangedUsers] = [:]
    /// The log-ins that may have ended.
    package var ended = EndedLogins.these([])

    package init(documents: Set<String> = []) { self.documents = documents }
}

/// The users of an app whose data may have changed.
package enum ChangedUsers: Hashable, Sendable {
    /// The users that have changed since a revision of the app.
    case since(Int)
    case these(Set<String>)
    case all
}

/// The reason why a storage of accounts doesn't answer. The client receives `AccountError.unavailable`, and the log the reason.
package struct AccountStorageFailure: Error, Hashable, CustomStringConvertible {
    package let description: String
    package let isFullDisk: Bool

    /// - Parameter description: A text without passwords, tokens and names.
    package init(_ description: String, isFullDisk: Bool = false) {
        (self.description, self.isFullDisk) = (description, isFullDisk)
    }
}

/// The counts of log-ins and similar attempts.
package protocol AttemptCounting: Sendable {
    /// Counts an attempt. It is called before the work of the attempt, so that simultaneous attempts count as well.
    ///
    /// - Throws: `AccountError.tooMany`
    func attempt(account: String?, address: String) async throws
    /// Removes the count of an account after a log-in with the right password.
    func succeeded(account: String) async throws
}
