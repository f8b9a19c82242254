public import Foundation
import Freehold
import HTTPTypes
public import Logging
public import ServiceLifecycle
import Synchronization

/// Backups of the file, by request and at intervals.
public final class Backups: Service {
    private let inventory: Inventory
    private let folder: URL
    private let interval: Duration?
    private let keep: Int
    private let logger: Logger
    /// Two backups at a time would only keep two versions of the file.
    private let isBusy = Mutex(false)

    /// - Parameters:
    ///   - folder: A folder with nothing else in it. Copies of it belong on another machine.
    ///   - interval: The time between two backups, or `nil` for backups by request only.
    ///   - keep: The number of backups that stay.
    public init(_ inventory: Inventory, folder: URL, interval: Duration?, keep: Int, logger: Logger) throws {
        precondition(keep > 0, "At least one backup is kept.")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.inventory = inventory
        self.folder = folder
        self.interval = interval
        self.keep = keep
        self.logger = logger
    }

    public func run() async throws {
        guard let interval else { return try await gracefulShutdown() }
        await cancelWhenGracefulShutdown {
            while true {
                // The stop of the service ends the wait.
                guard (try? await Task.sleep(for: interval)) != nil else { return }
                do {
                    let backup = try await self.make()
                    self.logger.info("a backup was made", metadata: ["name": "\(backup.name)"])
                } catch {
                    // The service continues. Alert on the absence of new backups.
                    self.logger.error("a backup failed", metadata: ["error": "\(error)"])
                }
            }
        }
    }

    /// Writes the newest version of the file to a new file, while requests read and write. The name has the time and
    /// the version.
    ///
    /// - Throws: `Problem` if another backup is being written.
    func make() async throws -> BackupInfo {
        let wasBusy = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return isBusy
        }
        if wasBusy { throw Problem(.conflict, "busy", detail: "Another backup is being written.") }
        defer { isBusy.withLock { $0 = false } }
        let folder = folder
        let stamp = Date().formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
        let backup = try await inventory.store.read { realm in
            let name = "inventory-\(stamp)-\(realm.version).realm"
            let url = folder.appendingPathComponent(name)
            // The same version in the same second is the same backup.
            if !FileManager.default.fileExists(atPath: url.path) { try realm.backup(to: url) }
            return BackupInfo(name: name, bytes: try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
        }
        try removeOld()
        return backup
    }

    /// The names of the backups, the newest first.
    func list() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix("inventory-") && $0.hasSuffix(".realm") }
            .sorted(by: >)
    }

    private func removeOld() throws {
        for name in try list().dropFirst(keep) {
            try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }
}

/// The description of a backup.
struct BackupInfo: Codable, Sendable, Equatable {
    var name: String
    var bytes: Int
}
