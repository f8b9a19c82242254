import FreeholdEngine
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
    private let changed = Mutex<@Sendable () -> Void>({})

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

    /// Hears that an app took classes over.
    func onChange(_ body: @escaping @Sendable () -> Void) { changed.withLock { $0 = body } }

    /// Serves an app by these documents from now on. Documents that can't be used leave it as it was.
    ///
    /// - Returns: whether anything is another thing now.
    @discardableResult
    func update(_ id: String, _ documents: AppDocuments) -> Bool {
        do {
            if let app = self[id] { return try app.update(documents, adoptsAlways: adoptsAlways) }
            let app = try ServedApp(id, documents, adoptsAlways: adoptsAlways) { [weak self] app, tables in
                self?.adopt(app, tables)
            }
            apps.withLock { $0[id] = app }
            return true
        } catch {
            logger.error("an app's schema can't be used", metadata: ["app": "\(id)", "reason": "\(error)"])
            // An app that can't be understood is closed.
            guard self[id] == nil, let closed = try? ServedApp(id, AppDocuments(rules: RuleSet())) else { return false }
            apps.withLock { $0[id] = closed }
            return true
        }
    }

    private func adopt(_ app: ServedApp, _ tables: [TableSpec]) {
        logger.notice("classes of a client were taken over", metadata: ["app": "\(app.id)"])
        changed.withLock { $0 }()
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
