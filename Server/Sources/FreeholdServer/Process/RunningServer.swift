import FreeholdHTTP
public import FreeholdSyncCore
public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A running server: a node, its listeners and their threads.
///
///     let server = try await RunningServer.start(settings, store: QueuedServerStore(MemoryServerStore(epoch: 1)), logger: logger)
///     print(server.port)
///     await server.stop()
public final class RunningServer: Sendable {
    public let node: ServerNode
    public let port: Int
    public let administratorPort: Int?
    private let listeners: [NodeListener]
    private let settings: ServerSettings
    private let logger: Logger
    private let threads: [MultiThreadedEventLoopGroup]
    private let reloading: Task<Void, Never>?
    private let watching: Task<Void, Never>?
    private let ingest: IngestService?
    private let sql: Task<Void, Never>?
    /// The watch of the file of accounts. `nil` without accounts.
    let watch: AccountWatch?
    /// The last lines of the log.
    private let logs: LogRing

    private init(
        _ node: ServerNode,
        _ listeners: [NodeListener],
        _ settings: ServerSettings,
        _ logger: Logger,
        _ threads: [MultiThreadedEventLoopGroup],
        _ tls: TLSContexts?,
        _ watch: AccountWatch?,
        _ sql: SQLService?,
        _ logs: LogRing
    ) {
        (self.node, self.listeners, self.settings) = (node, listeners, settings)
        (self.logger, self.threads, ingest) = (logger, threads, watch?.ingest)
        self.watch = watch
        self.logs = logs
        self.sql = sql.map { sql in Task { await sql.run() } }
        port = listeners[0].port
        administratorPort = listeners.count > 1 ? listeners[1].port : nil
        watching = watch.map { watch in Task { await watch.run() } }
        reloading = tls.map { tls in
            Task {
                var failures = 0
                while !Task.isCancelled {
                    try? await Task.sleep(for: .seconds(10))
                    do {
                        if try tls.reload() { logger.info("the certificate was read anew") }
                        failures = 0
                    } catch {
                        // The file of the key may follow in a moment. Later, the log has a line an hour.
                        if failures < 2 || failures % 360 == 0 {
                            logger.error("the new certificate can't be used", metadata: ["reason": "\(error)"])
                        }
                        failures += 1
                    }
                }
            }
        }
    }

    /// - Parameters:
    ///   - matcher: The compiler of query conditions.
    ///   - metrics: The metrics that `/metrics` shows.
    /// - Throws: `SettingsError`, `TokenRefusal`, and the system's error if a port can't be opened.
    public static func start(
        _ settings: ServerSettings,
        store: any NodeStore,
        matcher: any ConditionMatcher = QueryMatcher(),
        logger: Logger,
        metrics: PrometheusMetrics = PrometheusMetrics()
    ) async throws -> RunningServer {
        let logs = LogRing()
        let (own, logger) = (settings, logger.safe(keeping: logs))
        let tls = try settings.tls.map { try TLSContexts(certificates: $0.certificates, key: $0.key) }
        let (checked, accounts) = try await settings.withAccounts(logger, tls, metrics: metrics)
        var settings = checked
        settings.node.writers = settings.node.writers ?? accounts.map { WriterSecrets(secret: $0.tokens.secret) }
        let authenticator = try await settings.authenticator(accounts)
        let machine = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: settings.threads ?? System.coreCount)
        let positions = SealedPositions(secret: accounts?.tokens.secret)
        let node = ServerNode(
            settings.node,
            store: store,
            authenticator: authenticator,
            matcher: matcher,
            loop: machine.next(),
            logger: logger,
            metrics: metrics
        )
        let disk = own.accounts.map { DiskMetrics(folder: $0.folder, metrics) }
        let documents = DocumentService(node, positions: positions)
        let administration = accounts.map { accounts in
            AdministratorService(
                node,
                key: AdministratorKey(secret: accounts.tokens.secret),
                accounts: accounts,
                documents: documents,
                logs: logs,
                logger: logger,
                store: store.sql != nil ? .postgresql : store.ingest != nil ? .files : .memory,
                folder: own.accounts?.folder
            )
        }
        var listeners: [NodeListener] = []
        do {
            let listener = try await listening(at: settings.host, settings.port, "port") {
                try await NodeListener.listen(
                    node,
                    host: settings.host,
                    port: settings.port,
                    tls: tls,
                    services: [documents.group] + (accounts.map { [$0.group] } ?? []),
                    observers: [HTTPLog(logger), HTTPMetrics(metrics, prefix: "freehold_http")],
                    group: group
                )
            }
            listeners.append(listener)
            if let port = settings.administratorPort {
                let listener = try await listening(at: settings.administratorHost, port, "admin.port") {
                    try await NodeListener.listenForAdministrator(
                        node,
                        host: settings.administratorHost,
                        port: port,
                        services: administration.map { [$0.group] } ?? [],
                        group: group
                    ) {
                        disk?.measure()
                        return metrics.text()
                    }
                }
                listeners.append(listener)
            }
        } catch {
            for listener in listeners { await listener.close() }
            try? await node.stop().get()
            for threads in [group, machine] { try? await threads.shutdownGracefully() }
            throw error
        }
        var ingest: IngestService?
        if let folder = own.accounts?.folder, let objects = store.ingest {
            let service = IngestService(
                objects,
                folder: folder + "/sinks",
                logger: logger,
                metrics: metrics,
                backoff: own.accounts?.sinkBackoff ?? IngestBackoff()
            ) { [node] in node.hold($0) }
            node.onIngest { [weak service] in service?.ingested($0, $1) }
            ingest = service
        }
        administration?.follow(ingest)
        var sql: SQLService?
        if let database = store.sql, let accounts, let writers = settings.node.writers {
            sql = SQLService(
                database,
                node: node,
                accounts: accounts,
                writers: writers,
                logger: logger,
                metrics: metrics
            )
        }
        let server = RunningServer(
            node,
            listeners,
            settings,
            logger,
            [group, machine],
            tls,
            accounts.map { AccountWatch(node: node, accounts: $0, settings: own, logger: logger, ingest: ingest) },
            sql,
            logs
        )
        logger.info(
            "listening",
            metadata: ["host": "\(settings.host)", "port": "\(server.port)", "tls": "\(tls != nil)"]
        )
        if settings.isDevelopment {
            logger.warning("development: users aren't authenticated, and every user may read and write everything")
        }
        return server
    }

    /// - Parameter key: The setting that contains the port.
    /// - Throws: `SettingsError` with the system's message.
    private static func listening(
        at host: String,
        _ port: Int,
        _ key: String,
        _ listen: () async throws -> NodeListener
    ) async throws -> NodeListener {
        do { return try await listen() } catch let error as IOError {
            let place = ServerSettings.authority(host, port)
            guard error.errnoCode == EADDRINUSE else {
                let reason = String(cString: strerror(error.errnoCode))
                throw SettingsError("The server can't listen at \(place): \(reason).")
            }
            throw SettingsError("Something listens at \(place) already. The setting '\(key)' names another port.")
        }
    }

    /// Stops accepting connections, waits until clients have disconnected, and ends the server.
    ///
    /// - Parameter milliseconds: The time for clients to disconnect, or `nil` for the time in the settings.
    public func stop(after milliseconds: Int64? = nil) async {
        reloading?.cancel()
        watching?.cancel()
        sql?.cancel()
        // During the drain, the administrator's port still reports the state.
        await listeners[0].close()
        let time = milliseconds ?? settings.drainTime
        let drained = node.drain(time)
        logs.releaseAll()
        await listeners[0].drain(within: time)
        watch?.accounts.hooks.shares.stop()
        try? await drained.get()
        await ingest?.stop(after: .milliseconds(max(milliseconds ?? settings.drainTime, 1_000)))
        for listener in listeners.dropFirst() { await listener.close() }
        try? await node.stop().get()
        for group in threads { try? await group.shutdownGracefully() }
        logger.info("ended")
    }

    /// Ends the server immediately, as if the process were killed.
    public func kill() async {
        reloading?.cancel()
        watching?.cancel()
        sql?.cancel()
        await ingest?.stop(after: .zero)
        watch?.accounts.hooks.shares.stop()
        for listener in listeners { await listener.close() }
        try? await node.kill().get()
        logs.releaseAll()
        for group in threads { try? await group.shutdownGracefully() }
    }
}

/// A service that runs a server until the end of the process is requested.
public struct ServerService: Service {
    private let server: RunningServer

    public init(_ server: RunningServer) { self.server = server }

    public func run() async throws {
        try await gracefulShutdown()
        await server.stop()
    }
}
