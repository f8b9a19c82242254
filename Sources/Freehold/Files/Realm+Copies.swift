public import Foundation
import FreeholdEngine

extension Realm {
    /// Writes the realm's version to a new file. In a write transaction, the copy contains the changes made so far.
    ///
    /// The copy has no free space, no history of changes and no journal. Writers can continue during the copy. In a
    /// write transaction, the changed objects are first moved into the database's own transaction, so that they are
    /// written twice.
    ///
    /// - Parameters:
    ///   - fileURL: The URL of the copy. The folder must exist, and the file must not exist.
    ///   - encryptionKey: The 64 bytes with which the copy is encrypted, or `nil` for a plain file. It doesn't depend
    ///     on the encryption of this realm.
    /// - Throws: ``Error/Code/fileExists``, ``Error/Code/fileNotFound`` if the folder doesn't exist,
    ///   ``Error/Code/filePermissionDenied``, ``Error/Code/outOfDiskSpace``, ``Error/Code/invalidInput`` for a key of
    ///   another length, or ``Error/Code/invalidDatabase`` if an encrypted file is damaged. After an error, `fileURL`
    ///   doesn't exist. In a write transaction, the method also throws the ``pendingError``. For a synced realm, it
    ///   throws ``Error/Code/fail`` if the realm has changes that weren't sent. The copy would show them, and lose them
    ///   when it syncs. Wait for the upload, or write a ``backup(to:)``, which includes these changes.
    /// - Complexity: O(size of the data) in time, and constant in memory.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        core.verifyThread()
        do {
            let path = try fileURL.databasePath()
            let key = try encryptionKey.map { try EncryptionKey(checked: $0) }
            try attachment?.willWriteCopy()
            if let transaction = core.transaction {
                if let pendingError { throw pendingError }
                try transaction.copy(to: path, key: key, keepsJournal: false)
            } else {
                try core.committed.copy(to: path, key: key, keepsJournal: false)
            }
        } catch let error as EngineError {
            throw Realm.Error(error, fileURL: fileURL)
        }
    }

    /// Writes the realm's version to the configuration's file. See ``writeCopy(toFile:encryptionKey:)``.
    ///
    /// The method uses only the `fileURL` and `encryptionKey` of the configuration. The copy has this realm's classes
    /// and schema version.
    public func writeCopy(configuration: Configuration) throws {
        guard let fileURL = configuration.fileURL else {
            throw Realm.Error(.invalidInput, "A copy is written to a file. Set the configuration's `fileURL`.")
        }
        try writeCopy(toFile: fileURL, encryptionKey: configuration.encryptionKey)
    }

    /// Writes the newest version of this realm's file, including commits of other threads and processes, to a new file.
    ///
    /// Use this method to back up a file in use. The backup is one version, and reads and writes can continue during
    /// the backup. The space that they free can't be reused before the backup ends, so the file grows by the amount of
    /// their changes. Free space and history aren't copied. After a crash, no incomplete backup exists under this name.
    /// The backup of an encrypted file is encrypted with the same key.
    ///
    /// - Parameter fileURL: The URL of the backup. The folder must exist, and the file must not exist.
    /// - Throws: The errors of ``writeCopy(toFile:encryptionKey:)``.
    /// - Complexity: O(size of the data) in time, and constant in memory.
    public func backup(to fileURL: URL) throws {
        core.verifyThread()
        do {
            let database = core.database
            try database.snapshot().copy(to: try fileURL.databasePath(), key: database.encryptionKey)
        } catch let error as EngineError {
            throw Realm.Error(error, fileURL: fileURL)
        }
    }
}

extension URL {
    /// - Throws: `.invalidInput` if the URL isn't the URL of a file.
    func databasePath() throws(Realm.Error) -> String {
        guard isFileURL, !path.isEmpty else {
            throw Realm.Error(.invalidInput, "\(self) isn't a file URL. Make one with `URL(fileURLWithPath:)`.")
        }
        return path
    }
}
