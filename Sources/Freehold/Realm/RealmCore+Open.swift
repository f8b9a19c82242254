import Foundation
import FreeholdEngine

extension RealmCore {
    /// Returns the core of the configuration's file for the thread, queue or actor. If no core exists there, a new one
    /// is made.
    ///
    /// - Parameter standIn: A version that another realm of the configuration shows. The new core uses it if the newest
    ///   version isn't available, because all reader slots are in use or another process has grown the file beyond this
    ///   process's map.
    static func open(
        _ configuration: Realm.Configuration,
        _ confinement: Confinement = .current,
        standIn: Snapshot? = nil
    ) throws(Realm.Error) -> RealmCore {
        let configuration = configuration.withModes
        let source = try configuration.source()
        let key = confinement.key!
        if let core = RealmCache.core(source, key) {
            try core.checkFits(configuration)
            core.confinement.join(confinement)
            return core
        }
        // Invalid models must not create a file.
        let schema: Schema
        do { schema = try configuration.checkedSchema() } catch {
            throw error.with(fileURL: configuration.fileURL)
        }
        try configuration.service?.checkAndPrepare(schema, configuration)
        try configuration.checkAsymmetric(schema, stored: nil)
        try configuration.prepareFile()
        let database = try openDatabase(configuration)
        try configuration.checkAsymmetric(schema, stored: database)
        let file = try RealmFile.of(database, configuration)
        // Another path may lead to the same file.
        if let core = RealmCache.core(.database(database.identity), key) {
            try core.checkFits(configuration)
            core.confinement.join(confinement)
            return core
        }
        try file.willOpen(configuration)
        let core = try make(file, configuration, in: schema, confinement: confinement, standIn: standIn)
        try file.attach(configuration)
        Log.write(.detail, .storage, message: "Opened \(core.name), to be used on \(confinement.described).")
        Log.write(
            .trace,
            .storage,
            message: "\(core) has \(schema.classes.count) classes and shows version \(core.snapshotVersion!)."
        )
        RealmCache.insert(core, [source, .database(database.identity)])
        core.watch()
        return core
    }

    /// Returns the core for the queue, actor or thread of the caller.
    static func here(
        _ configuration: Realm.Configuration,
        _ file: RealmFile,
        standIn: Snapshot? = nil
    ) throws(Realm.Error) -> RealmCore {
        if let core = RealmCache.here(.database(file.database.identity)) {
            try core.checkKey(configuration)
            return core
        }
        return try open(configuration, standIn: standIn)
    }

    private static func make(
        _ file: RealmFile,
        _ configuration: Realm.Configuration,
        in schema: Schema,
        confinement: Confinement,
        standIn: Snapshot?
    ) throws(Realm.Error) -> RealmCore {
        do {
            let snapshot: Snapshot
            do { snapshot = try prepare(file, configuration, in: schema) } catch let error as EngineError {
                guard let standIn, error.code == .readersFull || error.code == .mapResized else { throw error }
                snapshot = standIn
            }
            return RealmCore(
                file: file,
                configuration: configuration,
                schema: schema,
                snapshot: snapshot,
                confinement: confinement
            )
        } catch let error as Realm.Error {
            throw error.with(fileURL: configuration.fileURL)
        } catch let error as EngineError {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        } catch {
            throw Realm.Error(.fail, "\(error)", fileURL: configuration.fileURL, cause: error)
        }
    }

    /// Checks that the configuration has the key of the open file.
    private func checkKey(_ configuration: Realm.Configuration) throws(Realm.Error) {
        if try configuration.key() == database.encryptionKey { return }
        throw Realm.Error(
            .alreadyOpen,
            "The file is open here with another `encryptionKey`, or without one.",
            fileURL: configuration.fileURL
        )
    }

    private func checkFits(_ configuration: Realm.Configuration) throws(Realm.Error) {
        try checkKey(configuration)
        var difference: String?
        if configuration.readOnly != self.configuration.readOnly {
            difference = "`readOnly` is \(self.configuration.readOnly) there"
        } else if configuration.schemaVersion != self.configuration.schemaVersion {
            difference = "`schemaVersion` is \(self.configuration.schemaVersion) there"
        } else if configuration.naming != self.configuration.naming {
            difference = "the naming policies are others there"
        } else if configuration.textMatching != self.configuration.textMatching {
            difference = "`textMatching` is .\(self.configuration.textMatching) there"
        } else if configuration.observationTracking != self.configuration.observationTracking {
            difference = "`observationTracking` is \(self.configuration.observationTracking) there"
        } else if let schema = configuration.schema, schema != self.schema {
            difference = "`schema` is another there"
        } else if let missing = configuration.objectTypes?.first(where: { table(for: $0) == nil }) {
            difference = "`objectTypes` lacks \(missing.className()) there"
        }
        guard let difference else { return }
        throw Realm.Error(
            .alreadyOpen,
            "The file is open here with other settings: \(difference). Let go of that realm first, or open "
                + "this one with the same settings.",
            fileURL: configuration.fileURL
        )
    }
}

// MARK: The database

extension RealmCore {
    /// Opens the database.
    ///
    /// - Parameter isImmutable: A Boolean value that indicates whether a file that is opened read-only is known not to
    ///   change.
    static func openDatabase(
        _ configuration: Realm.Configuration,
        isImmutable: Bool = false
    ) throws(Realm.Error) -> Database {
        var options = Database.Options()
        if let mapSize = configuration.mapSize { options.mapSize = mapSize }
        if let readers = configuration.maximumReaders { options.maximumReaders = readers }
        options.readOnly = configuration.readOnly
        options.isImmutable = isImmutable
        options.commitLog = configuration.usesCommitLog
        options.encryptionKey = try configuration.key()
        do {
            if let identifier = configuration.inMemoryIdentifier {
                return try Database.inMemory(identifier: identifier, options: options)
            }
            let path = FilePaths.of(configuration.fileURL!).path
            do throws(EngineError) { return try Database.open(at: path, options: options) } catch {
                // The check for a missing default folder is made only after this error.
                guard error.code == .fileNotFound, !configuration.readOnly else { throw error }
                try configuration.makeDefaultDirectory()
                return try Database.open(at: path, options: options)
            }
        } catch let error as EngineError {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        } catch {
            throw Realm.Error(.fileAccess, "\(error)", fileURL: configuration.fileURL, cause: error)
        }
    }
}

extension Realm.Configuration {
    /// A copy in which `readOnly` and `schemaMode` agree.
    var withModes: Self {
        var out = self
        if schemaMode == .readOnly || schemaMode == .immutable { out.readOnly = true }
        if readOnly, schemaMode != .immutable { out.schemaMode = .readOnly }
        return out
    }

    /// Returns the encryption key.
    ///
    /// - Throws: `.invalidInput` if the key doesn't have 64 bytes.
    func key() throws(Realm.Error) -> EncryptionKey? {
        try encryptionKey.map { (bytes) throws(Realm.Error) in try EncryptionKey(checked: bytes) }
    }

    /// Returns the source for the cache.
    ///
    /// - Throws: An error if the fields contradict each other or don't name a source.
    func source() throws(Realm.Error) -> RealmCache.Source {
        _ = try key()
        if schemaVersion == .max {
            throw Realm.Error(.invalidInput, "Schema version \(UInt64.max) is reserved. Choose a lower one.")
        }
        if readOnly, deleteRealmIfMigrationNeeded {
            throw Realm.Error(
                .invalidInput,
                "A read-only file can't be deleted. Clear `readOnly` or `deleteRealmIfMigrationNeeded`."
            )
        }
        if readOnly, shouldCompactOnLaunch != nil {
            throw Realm.Error(
                .invalidInput,
                "A read-only file can't be compacted. Clear `readOnly` or `shouldCompactOnLaunch`."
            )
        }
        if schema != nil, objectTypes != nil || naming != .plain {
            throw Realm.Error(
                .invalidInput,
                "The configuration has a `schema`, which says all classes and names. Leave out `objectTypes` and naming "
                    + "policies, or give them to `Schema(classes:)`."
            )
        }
        if let inMemoryIdentifier {
            if inMemoryIdentifier.isEmpty {
                throw Realm.Error(.invalidInput, "`inMemoryIdentifier` is empty. Give the database a name.")
            }
            if readOnly {
                throw Realm.Error(.invalidInput, "An in-memory realm can't be read-only. Clear `readOnly`.")
            }
            if encryptionKey != nil {
                throw Realm.Error(.invalidInput, "An in-memory realm can't be encrypted. Clear `encryptionKey`.")
            }
            return .memory(inMemoryIdentifier)
        }
        let paths = fileURL.map { FilePaths.of($0) }
        guard let fileURL, let paths, !paths.path.isEmpty else {
            throw Realm.Error(.invalidInput, "The configuration names no file. Set `fileURL` or `inMemoryIdentifier`.")
        }
        guard paths.isFile else {
            throw Realm.Error(.invalidInput, "\(fileURL) isn't a file URL. Make one with `URL(fileURLWithPath:)`.")
        }
        return .path(paths.standardized)
    }

    /// Returns the schema of the configuration, after a check.
    func checkedSchema() throws(Realm.Error) -> Schema {
        guard let schema else {
            let found = try SchemaCache.schema(of: objectTypes, naming)
            return objectTypes == nil && service == nil ? found.withoutAsymmetricClasses : found
        }
        return try SchemaBuilder.check(schema)
    }

    /// Checks the use of asymmetric classes. Their objects are sent by the process that syncs the file, so a file that
    /// doesn't sync can't have such classes. Any program may write to a file that syncs.
    ///
    /// - Parameter stored: The database, or nil before the file is opened.
    func checkAsymmetric(_ schema: Schema, stored: Database?) throws(Realm.Error) {
        guard service == nil, let object = schema.objectSchema.first(where: \.isAsymmetric) else { return }
        if let stored {
            let known = try? stored.snapshot().schema.table(named: object.className)
            if known?.isAsymmetric == true { return }
        } else if let fileURL, inMemoryIdentifier == nil, FileManager.default.fileExists(atPath: fileURL.path) {
            return
        }
        throw Realm.Error(
            .invalidSchema,
            "Asymmetric table '\(object.className)' not allowed in a local Realm. Open it with a configuration that syncs, or "
                + "leave the class out of `objectTypes`.",
            className: object.className,
            fileURL: fileURL
        )
    }

    /// Creates the default folder if it is missing. A missing folder at another place is an error of the caller.
    func makeDefaultDirectory() throws {
        let folder = Self.defaultDirectory.standardizedFileURL
        guard let fileURL, fileURL.standardizedFileURL.deletingLastPathComponent().path == folder.path else { return }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
}

extension EncryptionKey {
    /// - Throws: `.invalidInput` if the data doesn't have 64 bytes.
    init(checked bytes: Data) throws(Realm.Error) {
        guard let key = EncryptionKey(bytes) else {
            throw Realm.Error(
                .invalidInput,
                "The encryption key has \(bytes.count) bytes. It must have \(EncryptionKey.byteCount)."
            )
        }
        self = key
    }
}
