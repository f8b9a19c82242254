import Foundation
public import Freehold
import FreeholdEngine
import FreeholdSyncCore

/// The sync configuration of a realm: see
/// ``User/flexibleSyncConfiguration(clientResetMode:cancelAsyncOpenOnNonFatalErrors:)``.
public struct SyncConfiguration: Sendable {
    public let user: User
    public var clientResetMode: ClientResetMode
    /// A Boolean value that indicates whether an opening that waits for data throws the first error of the connection,
    /// instead of waiting further.
    public var cancelAsyncOpenOnNonFatalErrors: Bool
    public var initialSubscriptions: InitialSubscriptionsConfiguration?
}

public typealias RLMSyncConfiguration = SyncConfiguration

/// The subscriptions that a new file begins with.
public struct InitialSubscriptionsConfiguration: Sendable {
    /// A closure that appends the subscriptions. It runs inside an update of the subscriptions.
    public let callback: @Sendable (SyncSubscriptionSet) -> Void
    /// A Boolean value that indicates whether the closure runs each time that a process opens the file, and not only
    /// when the file is created.
    public let rerunOnOpen: Bool
}

extension User {
    /// Returns the configuration of a synced realm of this user. The realm has a file of its own with the objects of
    /// the user's subscriptions.
    ///
    /// ```swift
    /// let realm = try Realm(configuration: user.flexibleSyncConfiguration())
    /// try await realm.subscriptions.update {
    ///     realm.subscriptions.append(QuerySubscription<Dog> { $0.age > 3 })
    /// }
    /// ```
    /// A class syncs if it has a primary key that is stored as `_id`.
    ///
    /// - Parameter cancelAsyncOpenOnNonFatalErrors: See ``SyncConfiguration/cancelAsyncOpenOnNonFatalErrors``.
    /// - Parameter clientResetMode: The handling of unsent work if the server has another history.
    public func flexibleSyncConfiguration(
        clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
        cancelAsyncOpenOnNonFatalErrors: Bool = false
    ) -> Realm.Configuration {
        configuration(
            SyncConfiguration(
                user: self,
                clientResetMode: clientResetMode,
                cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors
            )
        )
    }

    /// Returns the configuration of a synced realm, with subscriptions that a new file begins with.
    ///
    /// - Parameters:
    ///   - initialSubscriptions: A closure that appends the subscriptions, inside an update.
    ///   - clientResetMode: The handling of unsent work if the server has another history.
    ///   - cancelAsyncOpenOnNonFatalErrors: See ``SyncConfiguration/cancelAsyncOpenOnNonFatalErrors``.
    ///   - rerunOnOpen: A Boolean value that indicates whether the closure runs each time that a process opens the
    ///     file. A query with a new constant is then added each time. Before it appends a subscription with a name, the
    ///     closure has to check whether that name exists.
    public func flexibleSyncConfiguration(
        clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
        cancelAsyncOpenOnNonFatalErrors: Bool = false,
        initialSubscriptions: @escaping @Sendable (SyncSubscriptionSet) -> Void,
        rerunOnOpen: Bool = false
    ) -> Realm.Configuration {
        configuration(
            SyncConfiguration(
                user: self,
                clientResetMode: clientResetMode,
                cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors,
                initialSubscriptions: InitialSubscriptionsConfiguration(
                    callback: initialSubscriptions,
                    rerunOnOpen: rerunOnOpen
                )
            )
        )
    }

    private func configuration(_ sync: SyncConfiguration) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: app.folder(of: self).appendingPathComponent("flx_sync_default.realm")
        )
        configuration.syncConfiguration = sync
        return configuration
    }

    /// The sessions of this user's open realms.
    public var allSessions: [SyncSession] { app.syncManager.sessions(of: self) }
}

extension Realm.Configuration {
    /// The sync configuration of the realm. `nil` for a realm that doesn't sync.
    public var syncConfiguration: SyncConfiguration? {
        get { service as? SyncConfiguration }
        set { service = newValue }
    }
}

// MARK: Calls by realms

extension SyncConfiguration: FileService {
    package var identity: String { "\(user.app.appId)/\(user.id)" }

    package func check(_ schema: Schema) throws(Realm.Error) {
        var problems: [String] = []
        for object in schema.objectSchema where !object.isEmbedded {
            guard let key = object.primaryKeyProperty else {
                problems.append("class '\(object.className)' has no primary key")
                continue
            }
            if key.columnName != "_id" {
                problems.append("the primary key of class '\(object.className)' isn't stored as '_id'")
            }
        }
        guard !problems.isEmpty else { return }
        throw Realm.Error(
            .invalidSchema,
            "The classes can't be synced: \(problems.joined(separator: "; ")). Declare "
                + "`@Persisted(primaryKey: true) var _id: ObjectId` (or UUID, String, Int), or leave the class out of `objectTypes`."
        )
    }

    /// Creates the user's folder before the first file in it. The app creates all other folders.
    package func prepare(_ configuration: Realm.Configuration) throws {
        let folder = user.app.folder(of: user)
        guard let file = configuration.fileURL?.standardizedFileURL, !configuration.readOnly,
            file.deletingLastPathComponent().path == folder.standardizedFileURL.path
        else { return }
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    /// Converts recorded transactions into commits before a migration changes names.
    ///
    /// A commit contains the version of the schema that its names belong to, so that the server can translate it.
    package func willMigrate(_ database: Database) throws {
        guard try database.snapshot().journalCursors.contains(where: { $0.name == FileClientStore.cursorName }) else {
            return
        }
        var store = try FileClientStore(database)
        _ = try store.transact { try $0.resolveLocalCommits() }
    }

    package func attach(to database: Database, _ configuration: Realm.Configuration) throws -> any FileAttachment {
        try RealmSync(database, configuration, self)
    }
}
