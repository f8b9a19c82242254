public import Foundation
import Freehold
import Hummingbird
public import Logging
public import NIOCore
public import ServiceLifecycle

/// The settings of a service.
public struct ServiceSettings: Sendable {
    /// The folder of the file and its backups.
    public var folder: URL
    public var host = "127.0.0.1"
    /// The port, or 0 for one that the system chooses.
    public var port = 8080
    /// The secret of operators, or `nil` if the service offers no backups by request.
    public var operatorToken: String?
    /// The 64 bytes of the key of an encrypted file.
    public var encryptionKey: Data?
    /// The time limit of a request's access to the file.
    public var timeout: Duration = .seconds(10)
    /// The time between two backups, or `nil`.
    public var backupInterval: Duration?
    /// The number of backups that stay.
    public var keptBackups = 7
    public var feed = FeedSettings()

    public init(folder: URL) { self.folder = folder }
}

/// The web service: the server and the services around the file, in the order in which they start.
public struct InventoryService: Service {
    let inventory: Inventory
    let feed: ItemFeed
    let backups: Backups
    private let settings: ServiceSettings
    private let metrics: PrometheusText
    private let logger: Logger
    private let onRunning: @Sendable (any Channel) async -> Void

    /// Opens the file.
    ///
    /// - Parameters:
    ///   - metrics: The factory of the process's `MetricsSystem`.
    ///   - onRunning: A closure that receives the listening channel.
    public init(
        _ settings: ServiceSettings,
        metrics: PrometheusText,
        logger: Logger,
        onRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
    ) async throws {
        inventory = try await Inventory(
            folder: settings.folder,
            key: settings.encryptionKey,
            timeout: settings.timeout
        )
        feed = ItemFeed(inventory, settings: settings.feed, logger: logger)
        backups = try Backups(
            inventory,
            folder: settings.folder.appendingPathComponent("backups"),
            interval: settings.backupInterval,
            keep: settings.keptBackups,
            logger: logger
        )
        self.settings = settings
        self.metrics = metrics
        self.logger = logger
        self.onRunning = onRunning
    }

    /// Runs until a graceful shutdown. A shutdown ends the services in the opposite order: the server accepts no
    /// connection, event streams end, other requests are completed, and then the file is closed.
    public func run() async throws {
        let router = Router(context: InventoryContext.self)
        router.addMiddleware {
            MetricsMiddleware()
            ProblemMiddleware()
        }
        ItemRoutes(inventory: inventory).add(to: router)
        EventRoutes(feed: feed).add(to: router)
        AdminRoutes(
            inventory: inventory,
            feed: feed,
            backups: backups,
            metrics: metrics,
            token: settings.operatorToken
        )
        .add(to: router)
        var application = Application(
            router: router,
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port),
                serverName: "inventory"
            ),
            onServerRunning: onRunning,
            logger: logger
        )
        application.addServices(FileService(store: inventory.store), feed, backups)
        application.beforeServerStarts { await feed.waitForStart() }
        try await application.run()
    }
}

/// Keeps the file open until all other services have ended.
private struct FileService: Service {
    let store: Realm.Store

    func run() async throws { try await cancelWhenGracefulShutdown { try await store.run() } }
}
