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
            "The PostgreSQL database that has documents, accounts and rules, as postgresql://…; also FREEHOLD_STORE, or 'store' in server.json. The folder can be omitted. Passwords belong in a file that PGPASSFILE names."
    )
    var store: String?

    /// Returns the address of the database, or `nil` if the documents are in the server's folder.
    ///
    /// - Throws: `ValidationError` if the text isn't the address of a database, or if no address is given although the server of the folder uses a
    ///   database.
    func address(_ folder: String) throws -> String? {
        if let named = try namedAddress(folder) { return named }
        try StoreMark(folder: folder).expectFiles()
        return nil
    }

    /// Returns the address of the database that an option, the first argument, the environment or the settings name.
    ///
    /// - Throws: `ValidationError` if the text isn't the address of a database.
    func namedAddress(_ folder: String) throws -> String? {
        try SettingsEnvironment.check()
        let named = Self.isAddress(folder) ? folder : nil
        let address = try store ?? named ?? ProcessInfo.processInfo.environment["FREEHOLD_STORE"] ?? setting(folder)
        guard let address, !address.isEmpty else { return nil }
        guard Self.isAddress(address) else {
            throw ValidationError("A store is a PostgreSQL database: postgresql://USER@HOST/DATABASE")
        }
        #if !PostgreSQL
            throw Self.missing
        #else
            return address
        #endif
    }

    /// The error of commands that need a database in a program that was built without PostgreSQL.
    static let missing = ValidationError(
        "This server was built without PostgreSQL. Build it with '--traits PostgreSQL'."
    )

    /// Returns the server's folder. Returns `nil` if an argument has the address of a database in its place.
    func local(_ folder: String) -> String? { Self.isAddress(folder) ? nil : folder }

    /// Returns the secret that signs the tokens of accounts.
    ///
    /// - Throws: `SettingsError`
    func secret(_ folder: String) async throws -> String {
        guard try address(folder) == nil else { return try await Self.secrets(folder).accounts }
        let settings = try await SettingsReader(folder: folder, needsFile: false)
        return try settings.accountsSecret() ?? ServerSecret.read(folder)
    }

    /// Returns the secrets that the servers of a database share.
    ///
    /// - Throws: `SettingsError`
    private static func secrets(_ folder: String) async throws -> SharedSecrets {
        let local = isAddress(folder) ? nil : folder
        return try SharedSecrets(try await SettingsReader(folder: local).settings(), folder: local)
    }

    private func setting(_ folder: String) throws -> String? {
        let path = "\(folder)/\(SettingsReader.fileName)"
        try SettingsFile.check(at: path)
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return try? BSONDocument(extendedJSON: text)["store"]?.stringValue
    }

    #if PostgreSQL
        /// Opens the database of a server's folder for a command.
        ///
        /// - Throws: `ValidationError` if the documents aren't in a database.
        func database(_ folder: String) async throws -> PostgresStore {
            guard let address = try address(folder) else {
                throw ValidationError("The documents of \(folder) aren't in PostgreSQL: name the database by --store.")
            }
            return try await Self.open(address, secretOf: folder)
        }

        /// - Parameters:
        ///   - folder: The folder of a server that uses the database, or the address of the database for a server without a folder. If `nil`, the
        ///     secrets aren't compared.
        ///   - isRestored: See `PostgresStore.Options.isRestored`.
        static func open(
            _ address: String,
            secretOf folder: String?,
            isRestored: Bool = false
        ) async throws -> PostgresStore {
            var options = PostgresStore.Options(address: address)
            options.compression = ZlibCompression.shared
            // Commands read whole streams.
            options.patience = 600_000
            if let folder { try await secrets(folder).mark(&options) }
            (options.writers, options.readers, options.isRestored) = (1, 1, isRestored)
            return try await PostgresStore.open(options)
        }
    #endif

    /// Returns whether a text is the address of a database.
    static func isAddress(_ text: String) -> Bool { ["postgresql://", "postgres://"].contains(where: text.hasPrefix) }

    /// Opens the store for a command.
    ///
    /// - Parameter makes: A Boolean value that indicates whether the store is created if the folder has no documents.
    /// - Throws: `ValidationError` if the folder has no documents.
    func documents(_ folder: String, makes: Bool = false) async throws -> any Documents {
        #if PostgreSQL
            if let address = try address(folder) {
                return PostgresDocuments(store: try await Self.open(address, secretOf: makes ? folder : nil))
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
    /// Returns the streams with their contents. The closure is called with each place of a stream that can't be read, and with the reason.
    func uses(unreadable: (_ place: String, _ error: any Error) -> Void) async throws -> [StreamFileUse]
    func exists(_ stream: StreamName) async throws -> Bool
    /// See `FileServerStore.forEachDocument(of:className:_:)`.
    func forEachDocument(
        of stream: StreamName,
        className: SyncString?,
        _ body: (_ className: SyncString, _ document: BSONDocument) throws -> Void
    ) async throws
    /// Returns descriptions of the problems of a stream.
    func verify(_ stream: StreamName) async throws -> [String]
    func longKeys(of stream: StreamName) async throws -> [LongKey]
    /// Executes a request, and waits for the answer. It blocks.
    func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer
}

private struct FileDocuments: Documents {
    let store: FileServerStore

    func uses(unreadable: (String, any Error) -> Void) -> [StreamFileUse] { store.streamFiles(unreadable: unreadable) }
    func exists(_ stream: StreamName) -> Bool { store.exists(stream) }
    func forEachDocument(
        of stream: StreamName,
        className: SyncString?,
        _ body: (SyncString, BSONDocument) throws -> Void
    ) throws { try store.forEachDocument(of: stream, className: className, body) }
    func verify(_ stream: StreamName) throws -> [String] { try store.verify(stream) }
    func longKeys(of stream: StreamName) throws -> [LongKey] { try store.longKeys(of: stream) }
    func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer { store.perform(request) }
}
