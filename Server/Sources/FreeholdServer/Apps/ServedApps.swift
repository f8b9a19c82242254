import FreeholdSyncCore
import FreeholdSyncRules
import Logging
import Synchronization

/// The apps whose classes and rules a node knows. Any thread may use it.
final class ServedApps: Sendable {
    private let apps = Mutex<[String: ServedApp]>([:])
    private let adoptsAlways: Bool
    private let store: AccountStore?
    private let logger: Logger
    /// Hears which app's sessions have to bind anew; nil for none.
    private let changed = Mutex<@Sendable (_ bindsAnew: String?) -> Void>({ _ in })

    /// - Parameters:
    ///   - adoptsAlways: takes clients' classes over, whatever an app's documents say.
    ///   - store: where classes that were taken over are kept.
    init(adoptsAlways: Bool, store: AccountStore?, logger: Logger) {
        (self.adoptsAlways, self.store, self.logger) = (adoptsAlways, store, logger)
    }

    var all: [ServedApp] { apps.withLock { Array($0.values) } }

    /// By app.
    var sinks: [SyncString: [SinkSettings]] {
        Dictionary(uniqueKeysWithValues: all.map { (SyncString($0.id), $0.sinks) })
    }

    subscript(id: String) -> ServedApp? { apps.withLock { $0[id] } }

    /// Hears that an app took classes over, and which one's sessions have to bind anew for it.
    func onChange(_ body: @escaping @Sendable (_ bindsAnew: String?) -> Void) { changed.withLock { $0 = body } }

    /// Serves an app by these documents from now on. Documents that can't be used leave it as it was.
    ///
    /// - Returns: what is another thing now.
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
            // An app that can't be understood is closed.
            guard self[id] == nil, let closed = try? ServedApp(id, AppDocuments(rules: RuleSet())) else { return .none }
            apps.withLock { $0[id] = closed }
            return .rights
        }
    }

    private func adopt(_ app: ServedApp, _ versions: SchemaVersions) {
        logger.notice("classes of a client were taken over", metadata: ["app": "\(app.id)"])
        // Apps of other versions are shown no more than before, but by another lens.
        changed.withLock { $0 }(versions.isPlain ? nil : app.id)
        let tables = versions.newest.tables
        guard let store else { return }
        Task { [logger] in
            do { try await store.adopt(tables, app: app.id) } catch {
                logger.error("classes can't be kept", metadata: ["app": "\(app.id)", "reason": "\(error)"])
            }
        }
    }

    /// What the log-in that just came says of its user.
    func note(_ user: AccountUser) { self[user.app]?.note(RuleUser(user)) }
}
