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
    import FreeholdPostgresStore
#endif

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves until the process gets SIGTERM or SIGINT; then clients get time to leave.",
        discussion: """
            Settings come from the flags, the environment (FREEHOLD_PORT,
            FREEHOLD_ADMIN_PORT, …) and the folder's server.json, the first that has one.

            Examples:
              freehold-server serve /srv/freehold
              freehold-server serve /srv/freehold --host 0.0.0.0 --port 443
              FREEHOLD_DRAIN_SECONDS=30 freehold-server serve /srv/freehold
              freehold-server serve /srv/freehold --development
              freehold-server serve /srv/freehold --store postgresql://freehold@db/freehold

            Documents are stored in the folder's 'sync', as files that Freehold opens,
            or with --store in a PostgreSQL database. Accounts, rules and settings
            are stored in the folder in both cases.
            """
    )

    @Argument(help: "A folder that 'init' made.") var folder: String
    @Option(help: "The address to listen at.") var host: String?
    @Option(help: "The port to listen at; 0 takes a free one.") var port: Int?
    @Flag(
        help:
            "Lets every user register, accepts users without a check ('user:NAME'), lets every user use every app, and listens on loopback only."
    )
    var development = false
    @Flag(help: "Keeps documents in memory only: they are lost when the process ends.") var inMemory = false
    @OptionGroup var store: StoreOption
    @Option(help: "What is logged: trace, debug, info, notice, warning, error or critical.") var logLevel = "info"

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
        var settings = try await SettingsReader(folder: folder, flags: flags).settings()
        let logger = Logger(label: "freehold-server")
        let limits = ProcessLimits.raised()
        if limits.connections < settings.node.limits.connections {
            settings.node.limits.connections = limits.connections
            logger.notice(
                "fewer connections than the settings allow: the process may have too few files open (ulimit -n)",
                metadata: ["connections": "\(limits.connections)", "descriptors": "\(limits.descriptors)"]
            )
        }
        let store = try await nodeStore()
        let server = try await RunningServer.start(settings, store: store, logger: logger)
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

    private func nodeStore() async throws -> any NodeStore {
        let epoch = UInt64.random(in: 1 ... .max)
        guard let address = try store.address(folder) else {
            if inMemory { return QueuedServerStore(MemoryServerStore(epoch: epoch)) }
            return FileNodeStore(try FileServerStore(ofServer: folder, epoch: epoch))
        }
        guard !inMemory else { throw ValidationError("Documents are kept either in memory or in a database.") }
        #if PostgreSQL
            var options = PostgresStore.Options(address: address)
            options.compression = ZlibCompression.shared
            options.secretMark = ServerSecret.mark(of: try ServerSecret.read(folder))
            return PostgresNodeStore(store: try await PostgresStore.open(options))
        #else
            throw ValidationError("This server can't use \(address).")
        #endif
    }
}
