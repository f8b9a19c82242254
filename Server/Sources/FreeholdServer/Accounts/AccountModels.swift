import Foundation
import Freehold

/// An app that has accounts.
final class StoredApp: Object {
    @Persisted(primaryKey: true) var id = ""
    @Persisted var allowsAnonymous = false
    @Persisted var emailPassword = ""
    @Persisted var access = ""
    @Persisted var created = Date()
    /// Takes clients' new classes over.
    @Persisted var adoptsSchemas = false
    /// Rise with each change of the app's documents, and of what rules know of its users.
    @Persisted var documentsRevision = 0
    @Persisted var usersRevision = 0
    /// Rises when log-ins end.
    @Persisted var endingsRevision = 0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A part of what is said of an app: schema, rules, sinks. In Extended JSON.
final class StoredDocument: Object {
    enum Kind: String { case schema, versions, rules, values, environment, sink, project }

    @Persisted(primaryKey: true) var key = ""
    @Persisted(indexed: true) var app = ""
    @Persisted var kind = ""
    @Persisted var body = "{}"

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class StoredUser: Object {
    @Persisted(primaryKey: true) var id = ""
    @Persisted(indexed: true) var app = ""
    @Persisted var isDisabled = false
    /// At any time.
    @Persisted var hasLoggedIn = false
    /// A JSON object.
    @Persisted var customData = "{}"
    @Persisted var created = Date()
    /// The app's `usersRevision` with which what rules know of the user changed.
    @Persisted var revision = 0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A way in which a user logs in. Its key makes it one of a kind in its app.
final class StoredIdentity: Object {
    @Persisted(primaryKey: true) var key = ""
    @Persisted var app = ""
    @Persisted(indexed: true) var user = ""
    @Persisted var identifier = ""
    @Persisted var provider = ""
    @Persisted var name = ""
    /// A hash, in the form of `PasswordHash`.
    @Persisted var password = ""
    @Persisted var isConfirmed = true

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    /// The provider's name has no slash, and neither has an app's.
    static func key(_ app: String, _ provider: AccountProvider, _ name: String) -> String {
        "\(app)/\(provider.rawValue)/\(name)"
    }
}

/// A refresh token, by its hash.
final class StoredSession: Object {
    @Persisted(primaryKey: true) var digest = ""
    @Persisted(indexed: true) var user = ""
    /// The log-in that it began with: all tokens of one end together.
    @Persisted(indexed: true) var login = ""
    @Persisted var parent = ""
    @Persisted var created = Date()
    @Persisted var expires = Date()
    /// From when on its use is a theft: its successor was used.
    @Persisted var replaced: Date?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class StoredAPIKey: Object {
    @Persisted(primaryKey: true) var id = ""
    @Persisted(indexed: true) var digest = ""
    @Persisted(indexed: true) var user = ""
    @Persisted var app = ""
    @Persisted var name = ""
    @Persisted var isDisabled = false

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What was sent by mail, to confirm an address or to set a new password.
final class StoredCode: Object {
    @Persisted(primaryKey: true) var id = ""
    @Persisted var digest = ""
    @Persisted(indexed: true) var identity = ""
    @Persisted var isReset = false
    @Persisted var expires = Date()

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension Realm.Configuration {
    /// The file of accounts in a server's folder.
    static func accounts(_ folder: String) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent("accounts.realm"),
            schemaVersion: 3,
            objectTypes: [
                StoredApp.self, StoredUser.self, StoredIdentity.self, StoredSession.self, StoredAPIKey.self,
                StoredCode.self, StoredDocument.self,
            ]
        )
    }
}
