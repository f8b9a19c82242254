import FreeholdSyncCore
import FreeholdSyncRules
import Logging
import Synchronization

/// The apps whose classes and rules a node serves. Any thread may use it.
final class ServedApps: Sendable {
    private let apps = Mutex<[String: ServedApp]>([:])
    private let adoptsAlways: Bool
    private let store: (any AccountStorage)?
    private let logger: Logger
    /// A closure that receives the app whose sessions have to bind again, or `nil` for none.
    private let changed = Mutex<@Sendable (_ bindsAnew: String?) -> Void>({ _ in })

    /// - Parameters:
    ///   - adoptsAlways: A Boolean value that indicates whether classes of clients are adopted regardless of an app's
    ///     documents.
    ///   - store: The store for adopted classes.
    init(adoptsAlways: Bool, store: (any AccountStorage)?, logger: Logger) {
        (self.adoptsAlways, self.store, self.logger) = (adoptsAlways, store, logger)
    }

    var all: [ServedApp] { apps.withLock { Array($0.values) } }

    /// The sinks, by app.
    var sinks: [SyncString: [SinkSettings]] {
        Dictionary(uniqueKeysWithValues: all.map { (SyncString($0.id), $0.sinks) })
    }

    subscript(id: String) -> ServedApp? { apps.withLock { $0[id] } }

    /// Sets a closure that is called when an app has adopted classes. It receives the app whose sessions have to bind
    /// again.
    func onChange(_ body: @escaping @Sendable (_ bindsAnew: String?) -> Void) { changed.withLock { $0 = body } }

    /// Replaces the documents of an app. Invalid documents leave the app unchanged.
    ///
    /// - Returns: The effect on the app.
    @discardableResult
    func update(_ id: String, _ documents: AppDocuments) -> ServedApp.Update {
        do {
            if let app = self[id] { return try app.update(documents, adoptsAlways: adoptsAlways) }
            let app = try ServedApp(id, documents, adoptsAlways: adoptsAlways) { [weak self] app, versions in
                self?.adopt(app, versions)
            }
            apps.withLock { $0[id] = app }
            return .rights
        } catch {
            logger.error("an app's schema can't be used", metadata: ["app": "\(id)", "reason": "\(error)"])
            // A new app with invalid documents is closed.
            guard self[id] == nil, let closed = try? ServedApp(id, AppDocuments(rules: RuleSet())) else { return .none }
            apps.withLock { $0[id] = closed }
            return .rights
        }
    }

    private func adopt(_ app: ServedApp, _ versions: SchemaVersions) {
        logger.notice("classes of a client were taken over", metadata: ["app": "\(app.id)"])
        // Apps of other versions don't receive additional objects, but the lens of their sessions has changed.
        changed.withLock { $0 }(versions.isPlain ? nil : app.id)
        let tables = versions.newest.tables
        guard let store else { return }
        Task { [logger] in
            do { try await store.adopt(tables, app: app.id) } catch {
                logger.error("classes can't be kept", metadata: ["app": "\(app.id)", "reason": "\(error)"])
            }
        }
    }

    /// Records the data of a user after a log-in.
    func note(_ user: AccountUser) { self[user.app]?.note(RuleUser(user)) }
}
