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
    /// isn't changed, nor made where it doesn't exist.
    ///
    /// - Throws: `Realm.Error` for mistakes in the classes, and where the file can't be read.
    /// - Complexity: O(classes).
    public static func migrationPlan(for configuration: Configuration = .defaultConfiguration) throws -> MigrationPlan {
        let configuration = configuration.withModes
        _ = try configuration.source()
        let schema = try configuration.checkedSchema()
        let isThere = configuration.fileURL.map { FileManager.default.fileExists(atPath: $0.path) } ?? true
        if !isThere {
            return MigrationPlan(action: .create, oldVersion: nil, newVersion: configuration.schemaVersion)
        }
        return try RealmCore.look(configuration) { try MigrationPlan(configuration, schema, $0) }
    }
}

/// The schema version of a file, which isn't changed.
///
/// - Parameter encryptionKey: must be nil: files aren't encrypted yet.
/// - Throws: `Realm.Error`: ``Realm/Error/Code/fileNotFound`` and others where the file can't be read.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
    if encryptionKey != nil {
        throw Realm.Error(.invalidDatabase, "The file isn't encrypted. Leave out the key.", fileURL: fileURL)
    }
    return try RealmCore.look(Realm.Configuration(fileURL: fileURL)) { $0.userVersion }
}

extension RealmCore {
    /// Reads the newest version of a file without a realm, and without changing it.
    fileprivate static func look<R>(_ configuration: Realm.Configuration, _ body: (Snapshot) throws -> R) throws -> R {
        var configuration = configuration
        configuration.readOnly = true
        // What is open for writing in this process can be read that way only.
        if let url = configuration.fileURL, Database.isOpen(at: url.path) {
            configuration.readOnly = (try? openDatabase(configuration)) != nil
        }
        do {
            return try body(try openDatabase(configuration).snapshot())
        } catch let error as EngineError {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
    }
}
