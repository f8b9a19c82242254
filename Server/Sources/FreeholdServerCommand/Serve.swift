import ArgumentParser
import Configuration
import Foundation
import FreeholdServer
import FreeholdServerStore
import FreeholdSyncCore
import Logging
import ServiceLifecycle

#if PostgreSQL
    import FreeholdCompression
    import FreeholdPostgresAccounts
    import FreeholdPostgresStore
#endif

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves until the process receives SIGTERM or SIGINT. Then clients have time to disconnect.",
        discussion: """
            Settings come from the flags, the environment (FREEHOLD_PORT,
            FREEHOLD_ADMIN_PORT, …) and the folder's server.json, the first that has one.

            Examples:
              freehold-server serve /srv/freehold
              freehold-server serve /srv/freehold --host 0.0.0.0 --port 443
              FREEHOLD_DRAIN_SECONDS=30 freehold-server serve /srv/freehold
              freehold-server serve /srv/freehold --development
              freehold-server serve --store postgresql://freehold@db/freehold

            Documents are stored in the folder's 'sync', as files that Freehold opens,
            and accounts and rules in 'accounts.realm'. With --store all of them are in a
            PostgreSQL database, which several servers can share. No folder is needed
            then: FREEHOLD_ACCOUNTS_SECRET_FILE names the secret that the servers share.
            """
    )

    @Argument(help: "A folder that 'init' created. With --store it can be omitted.") var folder: String
    @Option(help: "The address to listen at.") var host: String?
    @Option(help: "The port to listen at. 0 selects a free one.") var port: Int?
    @Flag(
        help:
            "Lets every user register, accepts users without a check ('user:NAME'), lets every user use every app, and listens on loopback only."
    )
    var development = false
    @Flag(help: "Stores documents in memory only. They are lost when the process ends.") var inMemory = false
    @OptionGroup var store: StoreOption
    @Option(help: "The least level that is logged: trace, debug, info, notice, warning, error or critical.")
    var logLevel = "info"

    func run() async throws {
        guard let level = Logger.Level(rawValue: logLevel) else {
            throw ValidationError("There is no level '\(logLevel)'.")
        }
        // The log may be a file on a full disk.
        StandardStream.ignoreSignals()
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        var flags: [String: ConfigValue] = [:]
        if let host { flags["host"] = ConfigValue(.string(host), isSecret: false) }
        if let port { flags["port"] = ConfigValue(.int(port), isSecret: false) }
        if development { flags["development"] = ConfigValue(.bool(true), isSecret: false) }
        var settings = try await SettingsReader(folder: store.local(folder), flags: flags).settings()
        let logger = Logger(label: "freehold-server")
        ProcessLimits.returnsLargeBlocks()
        let limits = ProcessLimits.raised()
        if limits.connections < settings.node.limits.connections {
            settings.node.limits.connections = limits.connections
            logger.notice(
                "fewer connections than the settings allow: the process may have too few files open (ulimit -n)",
                metadata: ["connections": "\(limits.connections)", "descriptors": "\(limits.descriptors)"]
            )
        }
        let documents = try await nodeStore(&settings)
        let server = try await RunningServer.start(settings, store: documents, logger: logger)
        markStore(logger)
        if inMemory { logger.notice("documents are kept in memory only") }
        // `print` isn't used here, because it buffers lines if the output isn't a terminal.
        let authority = ServerSettings.authority(settings.host, server.port)
        let address = "\(settings.tls == nil ? "ws" : "wss")://\(authority)\(settings.node.path)"
        var lines = "Freehold listens at \(address)\n"
        if !["0.0.0.0", "::", "[::]"].contains(settings.host) {
            lines += "Apps connect to \(settings.tls == nil ? "http" : "https")://\(authority)\n"
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [ServiceGroupConfiguration.ServiceConfiguration(service: ServerService(server))],
                logger: logger
            )
        )
        let watch = DrainWatch([SIGTERM, SIGINT], drainTime: settings.drainTime, logger) {
            Task { await group.triggerGracefulShutdown() }
        }
        defer { withExtendedLifetime(watch) {} }
        // A supervisor may send a signal as soon as it reads these lines.
        StandardStream.output.write(lines)
        try await group.run()
    }

    /// Writes a mark to the folder that the server uses a database: see `StoreMark`. If the folder is read-only, the
    /// mark isn't written.
    private func markStore(_ logger: Logger) {
        do {
            guard let local = store.local(folder), let address = try store.address(folder) else { return }
            try StoreMark(folder: local).write(address)
        } catch {
            logger.notice("the file 'store' can't be written", metadata: ["reason": "\(Failure.text(error))"])
        }
    }

    /// Opens the store of documents. If the store is a database, the accounts are opened, too.
    private func nodeStore(_ settings: inout ServerSettings) async throws -> any NodeStore {
        let epoch = UInt64.random(in: 1 ... .max)
        guard let address = try store.address(folder) else {
            if inMemory { return QueuedServerStore(MemoryServerStore(epoch: epoch)) }
            return FileNodeStore(try FileServerStore(ofServer: folder, epoch: epoch))
        }
        guard !inMemory else { throw ValidationError("Documents are kept either in memory or in a database.") }
        #if PostgreSQL
            var options = PostgresStore.Options(address: address)
            options.compression = ZlibCompression.shared
            let secrets = try SharedSecrets(settings, folder: store.local(folder))
            secrets.mark(&options)
            let database = try await PostgresStore.open(options)
            options.name = "freehold-accounts"
            let accounts = try await PostgresAccountStore.open(options)
            try await StoreOption.refuseForgotten(store.local(folder), accounts)
            if let local = store.local(folder) { try await StoreMark(folder: local).expectStreams(in: database) }
            settings.accounts?.secret = secrets.accounts
            settings.accounts?.storage = accounts
            return PostgresNodeStore(store: database)
        #else
            throw StoreOption.missing
        #endif
    }
}
