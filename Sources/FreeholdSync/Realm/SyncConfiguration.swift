import Foundation
public import Freehold
import FreeholdEngine
import FreeholdSyncCore

/// How a realm syncs: see ``User/flexibleSyncConfiguration(clientResetMode:cancelAsyncOpenOnNonFatalErrors:)``.
public struct SyncConfiguration: Sendable {
    public let user: User
    public var clientResetMode: ClientResetMode
    /// Whether an opening that waits for data fails with the first error of the connection, instead of waiting on.
    public var cancelAsyncOpenOnNonFatalErrors: Bool
    public var initialSubscriptions: InitialSubscriptionsConfiguration?
}

public typealias RLMSyncConfiguration = SyncConfiguration

/// Subscriptions that a file has from its beginning.
public struct InitialSubscriptionsConfiguration: Sendable {
    /// Runs within an update of the subscriptions.
    public let callback: @Sendable (SyncSubscriptionSet) -> Void
    /// Whether it runs each time that a process opens the file, not only when the file is made.
    public let rerunOnOpen: Bool
}

extension User {
    /// A realm of this user's: a file of its own, that holds what the user subscribes to.
    ///
    /// ```swift
    /// let realm = try Realm(configuration: user.flexibleSyncConfiguration())
    /// try await realm.subscriptions.update {
    ///     realm.subscriptions.append(QuerySubscription<Dog> { $0.age > 3 })
    /// }
    /// ```
    /// Classes that sync have a primary key that is stored as `_id`.
    ///
    /// - Parameter cancelAsyncOpenOnNonFatalErrors: see ``SyncConfiguration/cancelAsyncOpenOnNonFatalErrors``.
    /// - Parameter clientResetMode: what becomes of work that isn't sent when the server has lost its store.
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

    /// The same with subscriptions that the file gets when it is made.
    ///
    /// - Parameters:
    ///   - initialSubscriptions: appends them, within an update.
    ///   - clientResetMode: what becomes of work that isn't sent when the server has lost its store.
    ///   - cancelAsyncOpenOnNonFatalErrors: see ``SyncConfiguration/cancelAsyncOpenOnNonFatalErrors``.
    ///   - rerunOnOpen: whether the block runs each time that a process opens the file. Then a query with a new constant is added
    ///     each time; one with a name has to be looked for first.
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

    /// The sessions of realms that are open.
    public var allSessions: [SyncSession] { app.syncManager.sessions(of: self) }
}

extension Realm.Configuration {
    /// How the realm syncs; nil for one that doesn't.
    public var syncConfiguration: SyncConfiguration? {
        get { service as? SyncConfiguration }
        set { service = newValue }
    }
}

// MARK: What realms ask

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

    /// The user's folder is made with the first file in it; other folders are the app's to make.
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

    /// Rewrites work that isn't sent yet into the form in which it is sent, before the migration changes names.
    ///
    /// It then says which version of the schema its names are of, and the server translates it.
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
