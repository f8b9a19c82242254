package import FreeholdEngine

/// What works on a realm's file beside the program: sync. It belongs to a configuration.
package protocol FileService: Sendable {
    /// Equal for services that are the same to a realm.
    var identity: String { get }

    /// - Throws: where the classes can't be served.
    func check(_ schema: Schema) throws(Realm.Error)

    /// Called before the file is opened, or made.
    func prepare(_ configuration: Realm.Configuration) throws

    /// Called before the classes of a file that is open become those of another `schemaVersion`: what waits in it has the names of now.
    func willMigrate(_ database: Database) throws

    /// Begins work on a file that is open, and has the configuration's schema. What is returned lives as long as a realm of the process has
    /// the file open. Called once for that time, by one thread at a time.
    func attach(to database: Database, _ configuration: Realm.Configuration) throws -> any FileAttachment
}

/// A service at work on a file.
package protocol FileAttachment: AnyObject, Sendable {
    /// Looks at a transaction of a realm before it is committed.
    ///
    /// - Throws: to have it rolled back.
    func willCommit(_ transaction: WriteTransaction) throws(Realm.Error)

    /// Called before a copy of the file is written that leaves out what the service keeps in it.
    ///
    /// - Throws: if the copy would lose something.
    func willWriteCopy() throws(Realm.Error)

    /// Waits for what an opening is to wait for.
    ///
    /// - Parameter isNew: the file wasn't there before.
    /// - Throws: `Realm.Error` and others; `CancellationError`.
    func awaitOpening(_ behavior: Realm.OpenBehavior, isNew: Bool) async throws
}

extension Realm {
    /// What works on the realm's file, since a configuration with a service opened it in this process.
    package var attachment: (any FileAttachment)? { core.file.attachment }

    package var database: Database { core.database }

    /// The transaction that is open.
    package var openTransaction: WriteTransaction? { core.transaction }

    package var isFrozenRealm: Bool { core.isFrozen }
}

extension FileService {
    func checkAndPrepare(_ schema: Schema, _ configuration: Realm.Configuration) throws(Realm.Error) {
        try check(schema)
        do { try prepare(configuration) } catch {
            throw Realm.Error(.fileAccess, "\(error)", fileURL: configuration.fileURL, cause: error)
        }
    }
}

extension RealmFile {
    /// Tells the configuration's service if the file is about to get another `schemaVersion`.
    func willOpen(_ configuration: Realm.Configuration) throws(Realm.Error) {
        guard let service = configuration.service, !configuration.readOnly else { return }
        do {
            guard try database.snapshot().userVersion != configuration.schemaVersion else { return }
            try service.willMigrate(database)
        } catch let error as EngineError {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        } catch {
            throw Realm.Error(.fail, "\(error)", fileURL: configuration.fileURL, cause: error)
        }
    }

    var attachment: (any FileAttachment)? { atWork.withLock { $0 } }

    /// Has the configuration's service begin, unless one is at work already.
    func attach(_ configuration: Realm.Configuration) throws(Realm.Error) {
        guard let service = configuration.service, !configuration.readOnly else { return }
        let database = database
        do {
            try atWork.withLock { known in
                if known == nil { known = try service.attach(to: database, configuration) }
            }
        } catch let error as Realm.Error {
            throw error
        } catch let error as EngineError {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        } catch {
            throw Realm.Error(.fail, "\(error)", fileURL: configuration.fileURL, cause: error)
        }
    }
}

/// Ends the process: see `programmerError`.
package func misused(_ message: String) -> Never { programmerError(message) }
