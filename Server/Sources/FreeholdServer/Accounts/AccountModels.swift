import Foundation
import Freehold

/// An app with accounts.
final class StoredApp: Object {
    @Persisted(primaryKey: true) var id = ""
    @Persisted var allowsAnonymous = false
    @Persisted var emailPassword = ""
    @Persisted var access = ""
    @Persisted var created = Date()
    /// A Boolean value that indicates whether new classes of clients are adopted.
    @Persisted var adoptsSchemas = false
    /// The number of changes of the app's documents, and the number of changes of its users that rules can see.
    @Persisted var documentsRevision = 0
    @Persisted var usersRevision = 0
    /// The number of changes by which log-ins ended: see `StoredEnding`.
    @Persisted var endingsRevision = 0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A document of an app: a schema, rules or sinks, in Extended JSON.
final class StoredDocument: Object {
    enum Kind: String {
        case schema, versions, rules, values, environment, sink, project, hook, provider, transfer, sql
    }

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
    /// A Boolean value that indicates whether the user has ever logged in.
    @Persisted var hasLoggedIn = false
    /// A JSON object.
    @Persisted var customData = "{}"
    @Persisted var created = Date()
    /// The app's `usersRevision` at the last change of the user that rules can see.
    @Persisted var revision = 0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A way in which a user logs in. Its key is unique in its app.
final class StoredIdentity: Object {
    @Persisted(primaryKey: true) var key = ""
    @Persisted var app = ""
    @Persisted(indexed: true) var user = ""
    @Persisted var identifier = ""
    @Persisted var provider = ""
    @Persisted var name = ""
    /// The hash of the password, in the format of `PasswordHash`.
    @Persisted var password = ""
    @Persisted var isConfirmed = true
    /// The profile at the provider, a JSON object.
    @Persisted var profile = "{}"

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    /// Returns the key of an identity. The names of providers and apps contain no slash.
    static func key(_ app: String, _ provider: AccountProvider, _ name: String) -> String {
        "\(app)/\(provider.rawValue)/\(name)"
    }
}

/// A refresh token, by its hash.
final class StoredSession: Object {
    @Persisted(primaryKey: true) var digest = ""
    @Persisted(indexed: true) var user = ""
    /// The identifier of the log-in with which the session began. All tokens of a log-in end together.
    @Persisted(indexed: true) var login = ""
    @Persisted var parent = ""
    @Persisted var created = Date()
    @Persisted var expires = Date()
    /// The time at which a successor of the token was used. A use of the token after that time counts as theft.
    @Persisted var replaced: Date?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A note that a log-in has ended.
///
/// Each transaction that ends log-ins of an app raises the app's `endingsRevision` by 1 and adds a note for each of them. If a revision has no
/// note, a server of an earlier version ended log-ins, or the notes were deleted because of their age.
final class StoredEnding: Object {
    @Persisted(primaryKey: true) var login = ""
    @Persisted var app = ""
    @Persisted(indexed: true) var revision = 0
    @Persisted(indexed: true) var created = Date()

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

/// A code that was sent by mail, to confirm an address or to set a new password.
final class StoredCode: Object {
    @Persisted(primaryKey: true) var id = ""
    @Persisted var digest = ""
    @Persisted(indexed: true) var identity = ""
    @Persisted var isReset = false
    @Persisted var expires = Date()

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A device that receives push messages, by the token that its operating system gave it.
final class StoredPush: Object {
    /// The hash of the app, the service and the token. A token belongs to one log-in.
    @Persisted(primaryKey: true) var key = ""
    @Persisted(indexed: true) var app = ""
    @Persisted(indexed: true) var user = ""
    @Persisted(indexed: true) var login = ""
    @Persisted var service = ""
    @Persisted var token = ""
    @Persisted var created = Date()

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension Realm.Configuration {
    /// Returns the configuration of the file of accounts in a server's folder.
    static func accounts(_ folder: String) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent("accounts.realm"),
            schemaVersion: 4,
            objectTypes: [
                StoredApp.self, StoredUser.self, StoredIdentity.self, StoredSession.self, StoredAPIKey.self,
                StoredCode.self, StoredDocument.self, StoredEnding.self, StoredPush.self,
            ]
        )
    }
}
