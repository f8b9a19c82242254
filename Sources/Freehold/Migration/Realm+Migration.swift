public import Foundation
import FreeholdEngine

extension Realm {
    /// Migrates the configuration's file like its opening would, and closes it again.
    ///
    /// - Throws: `Realm.Error`, including ``Error/Code/alreadyOpen`` if a realm of this process shows the file.
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

    /// Returns the changes that opening the configuration's file would make: the steps of its migration and their cost.
    /// The file isn't changed, and isn't created if it doesn't exist. If opening would copy
    /// ``Configuration/seedFilePath``, the plan is that of the copy.
    ///
    /// If a process was killed while it wrote with ``Configuration/usesCommitLog``, the newest commits are in the
    /// file's commit log. The method first writes them to the file, like opening would.
    ///
    /// - Throws: `Realm.Error` for mistakes in the classes, and if the file can't be read.
    ///   ``Error/Code/invalidDatabase`` if the newest commits are in a commit log, and the folder can't be written to
    ///   or the configuration is read-only.
    /// - Complexity: O(classes), and the commits in the log.
    public static func migrationPlan(for configuration: Configuration = .defaultConfiguration) throws -> MigrationPlan {
        let configuration = configuration.withModes
        _ = try configuration.source()
        let schema = try configuration.checkedSchema()
        func plan(_ file: Configuration, isSeed: Bool = false) throws -> MigrationPlan {
            try RealmCore.look(file, isSeed: isSeed) { try MigrationPlan(configuration, schema, in: $0) }
        }
        guard let url = configuration.fileURL else { return try plan(configuration) }
        if let seed = configuration.seedFilePath, !fileExists(for: configuration) {
            _ = try seed.databasePath()
            var copied = configuration
            copied.fileURL = seed
            do { return try plan(copied, isSeed: true) } catch {
                // A seed is encrypted with the same key, or isn't encrypted.
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

/// Returns the schema version of a file. The file isn't changed, except that commits in its commit log are written to
/// it.
///
/// The log contains commits if a process was killed while it wrote with ``Realm/Configuration/usesCommitLog``. Such a
/// file can't be read if the folder isn't writable.
///
/// - Parameter encryptionKey: The 64 bytes with which the file is encrypted, or `nil`.
/// - Parameter fileURL: The URL of the file.
/// - Throws: `Realm.Error`. The code is ``Realm/Error/Code/invalidDatabase`` if the file doesn't exist or is empty, the
///   key is wrong, or the commit log can't be replayed. It is ``Realm/Error/Code/fileNotFound`` if the folder doesn't
///   exist. Other codes report that the file can't be read.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
    do {
        let configuration = Realm.Configuration(fileURL: fileURL, encryptionKey: encryptionKey)
        return try RealmCore.look(configuration) { $0.userVersion }
    } catch let error as Realm.Error where error.code == .fileNotFound {
        // RealmSwift creates the file in this case.
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
    /// Reads the newest version of a file without a realm, and without changing its content.
    ///
    /// - Parameter isSeed: A Boolean value that indicates whether the file isn't written by any process, so that no
    ///   lock file is needed.
    fileprivate static func look<R>(
        _ configuration: Realm.Configuration,
        isSeed: Bool = false,
        _ body: (Snapshot) throws -> R
    ) throws -> R {
        var configuration = configuration
        if let url = configuration.fileURL, !configuration.readOnly, !isSeed {
            // Opening would do the same.
            do { try Database.playCommitLog(at: url.path) } catch { throw Realm.Error(error, fileURL: url) }
        }
        // A missing database in memory is created, and released immediately.
        configuration.readOnly = configuration.fileURL != nil
        var isImmutable = isSeed
        // A file that is open for writing in this process can be read only by the same open database.
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
