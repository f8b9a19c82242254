import ArgumentParser
import CoreMetrics
import Foundation
import InventoryService
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// Runs the service until SIGTERM or SIGINT.
@main struct InventoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inventory",
        abstract: "Serves an inventory over HTTP, and keeps it in a Freehold file.",
        discussion: """
            Secrets are in the environment: INVENTORY_TOKEN is the token of operators, without which there are no \
            backups by request. INVENTORY_KEY is the key of an encrypted file, as 128 hexadecimal digits.
            """
    )

    @Argument(help: "The folder of the file. It is created if it doesn't exist.") var folder: String
    @Option(help: "The address at which the service listens.") var host = "127.0.0.1"
    @Option(help: "The port, or 0 for one that the system chooses.") var port = 8080
    @Option(help: "The minutes between two backups. Without it, backups are made by request only.")
    var backupMinutes: Int?
    @Option(help: "The number of backups that stay.") var keptBackups = 7
    @Option(help: "The seconds that requests get for their end after SIGTERM or SIGINT.") var patience = 20

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("The port is 0 to 65535.") }
        guard keptBackups > 0, (backupMinutes ?? 1) > 0, patience > 0 else {
            throw ValidationError("Numbers of backups, minutes and seconds are above 0.")
        }
    }

    func run() async throws {
        var settings = ServiceSettings(folder: URL(fileURLWithPath: folder, isDirectory: true))
        settings.host = host
        settings.port = port
        settings.backupInterval = backupMinutes.map { .seconds($0 * 60) }
        settings.keptBackups = keptBackups
        let environment = ProcessInfo.processInfo.environment
        settings.operatorToken = environment["INVENTORY_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        settings.encryptionKey = try environment["INVENTORY_KEY"].map(Self.key)

        let metrics = PrometheusText()
        MetricsSystem.bootstrap(metrics)
        let logger = Logger(label: "inventory")
        let service = try await InventoryService(settings, metrics: metrics, logger: logger) { channel in
            // For scripts: port 0 is one that the system chooses.
            print("Inventory listens at http://\(host):\(channel.localAddress?.port ?? port)")
            fflush(nil)
        }
        var group = ServiceGroupConfiguration(
            services: [service],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        // Requests that take longer are cancelled, and roll back.
        group.maximumGracefulShutdownDuration = .seconds(patience)
        try await ServiceGroup(configuration: group).run()
    }

    private static func key(_ text: String) throws -> Data {
        var (bytes, rest) = (Data(), Substring(text))
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { break }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        guard rest.isEmpty, bytes.count == 64 else {
            throw ValidationError("INVENTORY_KEY has 128 hexadecimal digits.")
        }
        return bytes
    }
}
