import ArgumentParser
import Foundation
import FreeholdServer
import FreeholdServerStore
import FreeholdSyncCore

#if PostgreSQL
    import FreeholdPostgresStore
#endif

/// The file `store` in the folder of a server that uses a database. It contains the address of the database without a password.
///
/// If the file exists, a command or a server that can't find the database ends with an error. Otherwise it would use the files of the folder, which
/// are empty or out of date.
struct StoreMark {
    private static let fileName = "store"
    let folder: String

    private var path: String { "\(folder)/\(Self.fileName)" }

    /// The address of the database, or `nil` if the server uses files.
    var address: String? {
        (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// - Throws: `ValidationError` if the server of the folder uses a database.
    func expectFiles() throws {
        guard let address else { return }
        throw ValidationError(
            "The server of \(folder) stores its data in the database \(address). Name it by --store, by FREEHOLD_STORE, or by the setting 'store' in \(SettingsReader.fileName). To use the files of the folder again, remove \(path)."
        )
    }

    /// Writes the mark that the server uses a database.
    func write(_ address: String) throws {
        let text = StoreAddress.withoutPassword(address)
        guard self.address != text else { return }
        try Data((text + "\n").utf8).write(to: URL(filePath: path), options: .atomic)
    }

    /// Removes the mark, so that the server uses files.
    func remove() throws {
        guard address != nil else { return }
        try FileManager.default.removeItem(atPath: path)
    }

    #if PostgreSQL
        /// Checks that a database contains the streams of the folder's files. A server with a database without them would show no documents to its
        /// users.
        ///
        /// - Throws: `CommandFailure`
        func expectStreams(in database: PostgresStore) async throws {
            guard address == nil, FileManager.default.fileExists(atPath: "\(folder)/sync") else { return }
            let files = try FileServerStore(ofServer: folder, epoch: 1).streams()
            let missing = files.isEmpty ? [] : Set(files).subtracting(try await database.streams())
            guard missing.isEmpty else {
                throw CommandFailure(
                    "\(folder)/sync has \(missing.count) streams of documents that the database lacks. Copy them with: freehold-server migrate-store \(folder) postgresql://… If they aren't needed any more, move \(folder)/sync away."
                )
            }
        }
    #endif
}
