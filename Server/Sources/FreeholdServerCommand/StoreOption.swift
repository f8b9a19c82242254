import ArgumentParser
import Foundation
import FreeholdBSON
import FreeholdServer
import FreeholdServerStore
import FreeholdSyncCore

#if PostgreSQL
    import FreeholdCompression
    import FreeholdPostgresStore
#endif

/// The option that names the store of documents.
struct StoreOption: ParsableArguments {
    @Option(
        help:
            "The PostgreSQL database that has the documents, as postgresql://…; also FREEHOLD_STORE, or 'store' in server.json. Passwords belong in a file that PGPASSFILE names."
    )
    var store: String?

    /// Returns the address of the database, or `nil` if the documents are in the server's folder.
    ///
    /// - Throws: `ValidationError` if this isn't the address of a database.
    func address(_ folder: String) throws -> String? {
        let address = try store ?? ProcessInfo.processInfo.environment["FREEHOLD_STORE"] ?? setting(folder)
        guard let address, !address.isEmpty else { return nil }
        guard ["postgresql://", "postgres://"].contains(where: address.hasPrefix) else {
            throw ValidationError("A store is a PostgreSQL database: postgresql://USER@HOST/DATABASE")
        }
        #if !PostgreSQL
            throw ValidationError("This server was built without PostgreSQL. Build it with '--traits PostgreSQL'.")
        #else
            return address
        #endif
    }

    private func setting(_ folder: String) throws -> String? {
        let path = "\(folder)/\(SettingsReader.fileName)"
        try SettingsFile.check(at: path)
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return try? BSONDocument(extendedJSON: text)["store"]?.stringValue
    }

    /// Opens the store for a command.
    ///
    /// - Parameter makes: A Boolean value that indicates whether a folder without documents gets a place for them.
    /// - Throws: `ValidationError` if the folder has no documents.
    func documents(_ folder: String, makes: Bool = false) async throws -> any Documents {
        #if PostgreSQL
            if let address = try address(folder) {
                var options = PostgresStore.Options(address: address)
                options.compression = ZlibCompression.shared
                // Commands read whole streams.
                options.patience = 600_000
                if makes { options.secretMark = ServerSecret.mark(of: try ServerSecret.read(folder)) }
                (options.writers, options.readers) = (1, 1)
                return PostgresDocuments(store: try await PostgresStore.open(options))
            }
        #else
            _ = try address(folder)
        #endif
        let sync = folder + "/sync"
        if makes {
            try FileManager.default.createDirectory(atPath: sync, withIntermediateDirectories: true)
        }
        guard FileManager.default.fileExists(atPath: sync) else {
            throw ValidationError("\(folder) has no documents: there is no folder 'sync' in it.")
        }
        // The epoch is for new streams, which only imports create.
        return FileDocuments(store: try FileServerStore(ofServer: folder, epoch: UInt64.random(in: 1 ... .max)))
    }
}

/// The documents of a server, for commands.
protocol Documents: Sendable {
    /// Returns the streams with their contents.
    func uses() async throws -> [StreamFileUse]
    /// Returns the names of the streams.
    func streams() async throws -> [StreamName]
    /// See `FileServerStore.forEachDocument(of:className:_:)`.
    func forEachDocument(
        of stream: StreamName,
        className: SyncString?,
        _ body: (_ className: SyncString, _ document: BSONDocument) throws -> Void
    ) async throws
    /// Returns what is wrong with a stream.
    func verify(_ stream: StreamName) async throws -> [String]
    func longKeys(of stream: StreamName) async throws -> [LongKey]
    /// Executes a request, and waits for the answer. It blocks.
    func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer
}

private struct FileDocuments: Documents {
    let store: FileServerStore

    func uses() throws -> [StreamFileUse] { try store.streamFiles() }
    func streams() throws -> [StreamName] { try store.streams() }
    func forEachDocument(
        of stream: StreamName,
        className: SyncString?,
        _ body: (SyncString, BSONDocument) throws -> Void
    ) throws { try store.forEachDocument(of: stream, className: className, body) }
    func verify(_ stream: StreamName) throws -> [String] { try store.verify(stream) }
    func longKeys(of stream: StreamName) throws -> [LongKey] { try store.longKeys(of: stream) }
    func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer { store.perform(request) }
}
