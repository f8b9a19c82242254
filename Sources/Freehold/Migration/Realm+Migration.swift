public import Foundation
import FreeholdEngine

extension Realm {
    /// Migrates the configuration's file, as opening it would, and closes it again.
    ///
    /// - Throws: `Realm.Error`: ``Error/Code/alreadyOpen`` where a realm of this process shows the file.
    public static func performMigration(for configuration: Configuration = .defaultConfiguration) throws {
        if RealmCache.isOpen(try configuration.source()) {
            throw Error(
                .alreadyOpen,
                "A file that is open can't be migrated. Let go of every realm, object and collection of it first.",
                fileURL: configuration.fileURL
            )
        }
        _ = try RealmCore.open(configuration)
    }

    /// What opening the configuration's file would do to it: the steps of its migration and what they cost. The file
    /// isn't changed, nor made where it doesn't exist. Where it is to be a copy of ``Configuration/seedFilePath``, the plan
    /// is the copy's.
    ///
    /// If a process was killed while it wrote with ``Configuration/usesCommitLog``, the newest commits are in the file's commit log.
    /// They are brought into the file first, as opening it would.
    ///
    /// - Throws: `Realm.Error` for mistakes in the classes, and if the file can't be read. ``Error/Code/invalidDatabase`` if the
    ///   newest commits are in a commit log, and the folder can't be written to or the configuration is read-only.
    /// - Complexity: O(classes), and the commits in the log.
    public static func migrationPlan(for configuration: Configuration = .defaultConfiguration) throws -> MigrationPlan {
        let configuration = configuration.withModes
        _ = try configuration.source()
        let schema = try configuration.checkedSchema()
        func plan(_ file: Configuration, isSeed: Bool = false) throws -> MigrationPlan {
            try RealmCore.look(file, isSeed: isSeed) { try MigrationPlan(configuration, schema, $0) }
        }
        guard let url = configuration.fileURL else { return try plan(configuration) }
        if let seed = configuration.seedFilePath, !fileExists(for: configuration) {
            _ = try seed.databasePath()
            var copied = configuration
            copied.fileURL = seed
            do { return try plan(copied, isSeed: true) } catch {
                // A seed has the same key, or none.
                copied.encryptionKey = nil
                guard let found = try? plan(copied, isSeed: true) else { throw error }
                return found
            }
        }
        let size = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)[.size] as? Int
        if size ?? 0 == 0, !configuration.readOnly {
            return MigrationPlan(action: .create, oldVersion: nil, newVersion: configuration.schemaVersion)
        }
        return try plan(configuration)
    }
}

/// The schema version of a file, which isn't changed, except that commits in its commit log are brought into it.
///
/// Commits are in a log if a process was killed while it wrote with ``Realm/Configuration/usesCommitLog``. If the folder can't be
/// written to, such a file can't be read.
///
/// - Parameter encryptionKey: the 64 bytes that the file is encrypted with, if it is.
/// - Parameter fileURL: the file.
/// - Throws: `Realm.Error`: ``Realm/Error/Code/invalidDatabase`` where there is no file yet, or an empty one, or the key
///   isn't the file's, or its commit log can't be played; ``Realm/Error/Code/fileNotFound`` where there is no such folder; and others where the file can't be
///   read.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
    do {
        let configuration = Realm.Configuration(fileURL: fileURL, encryptionKey: encryptionKey)
        return try RealmCore.look(configuration) { $0.userVersion }
    } catch let error as Realm.Error where error.code == .fileNotFound {
        // As in RealmSwift, which makes the file.
        let folder = fileURL.deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else { throw error }
        throw Realm.Error(
            .invalidDatabase,
            "There is no file yet: it has not been initialized. Open a realm there to make it.",
            fileURL: fileURL
        )
    }
}

extension RealmCore {
    /// Reads the newest version of a file without a realm, and without changing what it holds.
    ///
    /// - Parameter isSeed: whether nobody writes to it, so that nothing need be made beside it.
    fileprivate static func look<R>(
        _ configuration: Realm.Configuration,
        isSeed: Bool = false,
        _ body: (Snapshot) throws -> R
    ) throws -> R {
        var configuration = configuration
        if let url = configuration.fileURL, !configuration.readOnly, !isSeed {
            // As opening it would.
            do { try Database.playCommitLog(at: url.path) } catch { throw Realm.Error(error, fileURL: url) }
        }
        // A database in memory that isn't there is made, and goes at once.
        configuration.readOnly = configuration.fileURL != nil
        var isImmutable = isSeed
        // What is open for writing in this process can be read that way only.
        if let url = configuration.fileURL, Database.isOpen(at: url.path) {
            isImmutable = false
            configuration.readOnly = (try? openDatabase(configuration)) != nil
        }
        do {
            return try body(try openDatabase(configuration, isImmutable: isImmutable).snapshot())
        } catch let error as EngineError {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
    }
}
