package import FreeholdEngine

/// A service of a configuration that works on a realm's file next to the program, such as sync.
package protocol FileService: Sendable {
    /// An identifier that is equal for services that are interchangeable for a realm.
    var identity: String { get }

    /// Checks the classes.
    ///
    /// - Throws: An error if the service doesn't support the classes.
    func check(_ schema: Schema) throws(Realm.Error)

    /// Prepares the file before it is opened or created.
    func prepare(_ configuration: Realm.Configuration) throws

    /// Prepares for a migration, before the classes of an open file change to another `schemaVersion`. The pending
    /// changes in the file still use the old names.
    func willMigrate(_ database: Database) throws

    /// Starts work on an open file that has the configuration's schema. The returned attachment lives as long as a
    /// realm of the process has the file open. The method is called once during that time, by one thread at a time.
    func attach(to database: Database, _ configuration: Realm.Configuration) throws -> any FileAttachment
}

/// A service that works on a file.
package protocol FileAttachment: AnyObject, Sendable {
    /// Inspects a transaction of a realm before it is committed.
    ///
    /// - Throws: An error to roll the transaction back.
    func willCommit(_ transaction: WriteTransaction) throws(Realm.Error)

    /// Prepares for a copy of the file that omits the data of the service, before the copy is written.
    ///
    /// - Throws: An error if the copy would lose data.
    func willWriteCopy() throws(Realm.Error)

    /// Waits until the conditions of an asynchronous opening are met.
    ///
    /// - Parameter isNew: A Boolean value that indicates whether the file was created by this opening.
    /// - Throws: `Realm.Error` and other errors; `CancellationError`.
    func awaitOpening(_ behavior: Realm.OpenBehavior, isNew: Bool) async throws
}

extension Realm {
    /// The service that works on the realm's file, or nil if no configuration with a service opened it in this process.
    package var attachment: (any FileAttachment)? { core.file.attachment }

    package var database: Database { core.database }

    /// The open write transaction, or nil.
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
    /// Notifies the configuration's service if the file is about to get another `schemaVersion`.
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

    /// Starts the configuration's service, unless the file already has one.
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

/// Ends the process. See `programmerError`.
package func misused(_ message: String) -> Never { programmerError(message) }
