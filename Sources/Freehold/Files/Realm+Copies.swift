public import Foundation
import FreeholdEngine

extension Realm {
    /// Writes what this realm shows to a new file: its version, in a write transaction with the changes made so far.
    ///
    /// The copy has no free space, no history of changes and no journal. Writers go on meanwhile. In a write transaction the
    /// objects that were changed move into the database's own transaction for it, so that it takes their writing twice.
    ///
    /// - Parameters:
    ///   - fileURL: where nothing is yet, in a folder that exists.
    ///   - encryptionKey: the 64 bytes that the copy is encrypted with, whatever this realm is; nil for a plain file.
    /// - Throws: ``Error/Code/fileExists``, ``Error/Code/fileNotFound`` where there is no such folder,
    ///   ``Error/Code/filePermissionDenied``, ``Error/Code/outOfDiskSpace``, ``Error/Code/invalidInput`` for a key of another
    ///   length, ``Error/Code/invalidDatabase`` where an encrypted file is damaged; then there is nothing at `fileURL`. In
    ///   a write transaction the ``pendingError``, too. For a synced realm, ``Error/Code/fail`` if it has work that wasn't sent: the copy would
    ///   show it, and lose it when it syncs. Wait for the upload, or write a ``backup(to:)``, which has that work.
    /// - Complexity: O(size of the data); the memory that it takes is constant.
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

    /// Writes what this realm shows to the configuration's file; see ``writeCopy(toFile:encryptionKey:)``.
    ///
    /// Only the configuration's `fileURL` and `encryptionKey` count: the copy has this realm's classes and schema version.
    public func writeCopy(configuration: Configuration) throws {
        guard let fileURL = configuration.fileURL else {
            throw Realm.Error(.invalidInput, "A copy is written to a file. Set the configuration's `fileURL`.")
        }
        try writeCopy(toFile: fileURL, encryptionKey: configuration.encryptionKey)
    }

    /// Writes the newest version of this realm's file, also of other threads and processes, to a new file.
    ///
    /// The backup of a file in use: it is one version, while others go on reading and writing. What they free can't be
    /// used again before the backup ends, so the file grows by what they change meanwhile. Free space and history aren't
    /// copied. A crash leaves no half of a backup under this name. Of an encrypted file it is encrypted with the same key.
    ///
    /// - Parameter fileURL: where nothing is yet, in a folder that exists.
    /// - Throws: as ``writeCopy(toFile:encryptionKey:)``.
    /// - Complexity: O(size of the data); the memory that it takes is constant.
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
    /// - Throws: `.invalidInput` where it names no file.
    func databasePath() throws(Realm.Error) -> String {
        guard isFileURL, !path.isEmpty else {
            throw Realm.Error(.invalidInput, "\(self) is no file URL. Make one with `URL(fileURLWithPath:)`.")
        }
        return path
    }
}
