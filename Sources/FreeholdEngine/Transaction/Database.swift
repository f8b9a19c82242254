internal import Synchronization

/// The state that all handles of one file in this process share.
final class DatabaseCore: Sendable {
    let storage: StorageEnvironment
    let header: DatabaseHeader
    let envelope: BlockEnvelope
    let clusterSpan: Int
    let memoryBudget: Int
    let isDraft: Bool
    private let openedBytesKept: Int
    /// A lock that serialises changes of the snapshots' caches. It is held for single look-ups only.
    let fillLock = Mutex(())
    let toldOfJournal = JournalWarning.Told()
    private let latest = Mutex(Latest())
    private let schemas = Mutex<(revision: UInt64, schema: DatabaseSchema)?>(nil)

    /// The newest version that is in use in this process.
    private struct Latest {
        weak var pin: SnapshotPin?
    }

    init(storage: StorageEnvironment, header: DatabaseHeader, envelope: BlockEnvelope, _ options: Database.Options) {
        self.storage = storage
        self.header = header
        self.envelope = envelope
        clusterSpan = header.clusterSpan
        memoryBudget = options.memoryBudget
        isDraft = options.isDraft
        openedBytesKept = options.openedBytesKept
    }

    /// The cipher, for an encrypted file.
    var cipher: FileCipher? { envelope.cipher }

    /// Returns whether a version holds too many decrypted bytes to be shared with new readers.
    func isFull(_ pin: SnapshotPin) -> Bool {
        cipher != nil && pin.openedBytes.load(ordering: .relaxed) > openedBytesKept
    }

    /// Returns the schema of that revision, if it was the last one that was read. Versions that other processes commit often have the same schema.
    func knownSchema(_ revision: UInt64) -> DatabaseSchema? {
        schemas.withLock { $0?.revision == revision ? $0?.schema : nil }
    }

    func noteSchema(_ schema: DatabaseSchema, _ revision: UInt64) { schemas.withLock { $0 = (revision, schema) } }

    var writerLock: WriterLock { storage.writerLock }
    var path: String { storage.path }

    func newest(_ lease: EnvironmentLease) throws(EngineError) -> Snapshot {
        // A forked child has a copy of the parent's snapshots but not its reader slots, so `beginRead` throws an error.
        if storage.belongsToThisProcess, let held = latest.withLock({ $0.pin }),
            held.reader.version >= storage.lastVersion, !isFull(held)
        {
            return Snapshot(held, core: self, lease: lease)
        }
        let reader = try storage.beginRead()
        let made = try Snapshot(core: self, lease: lease, reader: reader, parent: nil, changes: [:])
        return latest.withLock { latest in
            if let other = latest.pin, other.reader.version >= made.version, !isFull(other) {
                return Snapshot(other, core: self, lease: lease)
            }
            latest.pin = made.pin
            return made
        }
    }

    /// Returns the newest version as the base of a write transaction. The caller holds the writer lock.
    ///
    /// If a writer was killed after its commit was written to the file and before LMDB published it to readers, readers still receive the previous
    /// version. LMDB corrects this when its write lock is taken the next time. A write must continue from that commit.
    func newestToWriteOn(_ lease: EnvironmentLease) throws(EngineError) -> Snapshot {
        let found = try newest(lease)
        if found.version >= storage.lastVersion { return found }
        try storage.writer.sync { () throws(EngineError) in try storage.beginWrite(envelope).abort() }
        return try newest(lease)
    }

    /// Opens the version of a commit of this process, before the writer lock is released.
    ///
    /// - Parameter slot: the slot that `reserveRead` returned.
    func openCommitted(
        in slot: StorageEnvironment.ReaderSlot,
        base: Snapshot,
        lease: EnvironmentLease,
        changes: [UInt32: [UInt64]],
        emptied: Set<UInt32>,
        version: UInt64
    ) throws(EngineError) -> Snapshot {
        let reader = try storage.beginReserved(slot)
        guard reader.version == version else {
            throw EngineError(
                .invalidDatabase,
                "Version \(reader.version) stands where \(version) was committed.",
                path: path
            )
        }
        return try Snapshot(core: self, lease: lease, reader: reader, parent: base, changes: changes, emptied: emptied)
    }

    /// Returns the newest version that is in use in this process. It doesn't need another reader slot.
    func held(_ lease: EnvironmentLease) -> Snapshot? {
        guard storage.belongsToThisProcess, let pin = latest.withLock({ $0.pin }), !isFull(pin) else { return nil }
        return Snapshot(pin, core: self, lease: lease)
    }

    func publish(_ snapshot: Snapshot, _ record: ChangeRecord) {
        latest.withLock { $0.pin = snapshot.pin }
        let observers = observers.withLock { Array($0.values) }
        for observer in observers { observer(snapshot, record) }
    }

    // MARK: Commit observers

    typealias CommitObserver = @Sendable (Snapshot, ChangeRecord) -> Void
    private let observers = Mutex<[Int: CommitObserver]>([:])
    private let nextObserver = Mutex(0)

    func observe(_ body: @escaping CommitObserver) -> Int {
        let id = nextObserver.withLock { n -> Int in
            n += 1
            return n
        }
        observers.withLock { $0[id] = body }
        return id
    }

    func removeObserver(_ id: Int) { observers.withLock { $0[id] = nil } }
}

/// A database in a file. It provides snapshots for reading and transactions for writing.
///
/// ```swift
/// let database = try Database.open(at: "people.realm")
/// let transaction = try database.beginWrite()
/// try transaction.applySchema([TableSpec("Person", columns: [ColumnSpec("name", .string)])])
/// let people = transaction.schema.table(named: "Person")!
/// let key = try transaction.create(people)
/// try transaction.set(people.columns[0], key, .string("Ada"))
/// let snapshot = try transaction.commit()
/// ```
/// Any thread may use it. All handles of a file in a process share one environment. It closes when the last handle, snapshot and transaction have
/// been released.
public final class Database: Sendable {
    public struct Options: Sendable {
        /// The address space to reserve in bytes, which is the maximum size of the file. If it is `nil`, 32 GiB are reserved. Less is reserved if the
        /// process's limit is lower or more than 256 files are open (4 GiB with 2,000 files), but at least twice the size of the file.
        public var mapSize: Int?
        /// The maximum number of live snapshots in all processes.
        public var maximumReaders = 1024
        public var readOnly = false
        /// A Boolean value that indicates whether a file that is opened read-only is known not to change, so that a lock file isn't needed.
        package var isImmutable = false
        /// The maximum size of the changes that a write transaction holds in memory before they move into LMDB's transaction, in bytes.
        public var memoryBudget = 64 << 20
        /// A Boolean value that indicates whether the file isn't opened elsewhere before it is complete. If it is true, changes that exceed the
        /// memory budget are committed from time to time, because LMDB keeps all pages of a transaction in memory. A cancelled transaction leaves an
        /// unusable file.
        package var isDraft = false
        /// The encryption key of an existing or new file, or `nil` for a plain file. It isn't supported for databases in memory.
        public var encryptionKey: EncryptionKey?
        /// For encrypted files, the maximum number of decrypted bytes that a snapshot may hold and still be shared with new readers.
        public var openedBytesKept = 256 << 20
        /// A Boolean value that indicates whether commits use a commit log beside the file. Commits are then faster, and several threads share
        /// flushes. An existing file receives the required feature when it isn't open elsewhere. Freehold versions that don't support logs then
        /// refuse it. It has no effect on databases in memory. See `CommitLog`.
        public var commitLog = false
        /// The length of the commit log in bytes.
        package var commitLogCapacity = CommitLogFile.capacity
        /// The number of objects in a cluster of a new file, 1…1024.
        package var clusterSpan = Catalogue.defaultClusterSpan
        /// The format of a new file. A file of an older format is upgraded when it is opened for writing and isn't open elsewhere.
        public var formatVersion = Catalogue.formatVersion
        var faults: FaultInjector?

        public init() {}
    }

    let lease: EnvironmentLease
    let core: DatabaseCore
    public let isReadOnly: Bool

    private init(lease: EnvironmentLease, core: DatabaseCore, isReadOnly: Bool) {
        self.lease = lease
        self.core = core
        self.isReadOnly = isReadOnly
    }

    /// Opens a file, and creates it if it is missing.
    ///
    /// - Throws: `.fileNotFound`, `.permissionDenied`, `.invalidDatabase`, `.unsupportedFormat`, `.mapFull` and other errors. A refused file is left
    ///   unchanged.
    public static func open(at path: String, options: Options = Options()) throws(EngineError) -> Database {
        var storage = StorageOptions(
            mapSize: options.mapSize,
            maximumReaders: options.maximumReaders,
            readOnly: options.readOnly,
            immutable: options.isImmutable
        )
        storage.faults = options.faults
        storage.logCapacity = options.commitLogCapacity
        if let database = try make(
            EnvironmentRegistry.shared.open(path: path, options: storage),
            options,
            upgrades: true
        ) {
            return database
        }
        // From here on, this call doesn't keep the file open.
        upgrade(path, key: options.encryptionKey)
        if options.commitLog { allowCommitLog(path, key: options.encryptionKey) }
        return try make(EnvironmentRegistry.shared.open(path: path, options: storage), options, upgrades: false)!
    }

    /// Applies the commits that killed processes left in the file's commit log, so that the file can be opened read-only.
    ///
    /// A file without such a log is left unchanged, and so is a file in a folder without write permission. An attempt to open such a file reports the
    /// problem.
    ///
    /// - Throws: `.invalidDatabase` if the log is missing, belongs to another file, or is damaged.
    package static func playCommitLog(at path: String) throws(EngineError) {
        if isOpen(at: path) { return }
        do throws(EngineError) { try CommitLogRecovery.runIfNeeded(path) } catch {
            if error.code == .invalidDatabase { throw error }
        }
    }

    /// Returns whether this process has the file open.
    package static func isOpen(at path: String) -> Bool { EnvironmentRegistry.shared.isOpen(path: path) }

    /// Opens the in-memory database with that name. It is deleted when its last user has been released.
    public static func inMemory(identifier: String, options: Options = Options()) throws(EngineError) -> Database {
        if options.encryptionKey != nil {
            throw EngineError(.invalidArgument, "A database in memory can't be encrypted. Leave out the key.")
        }
        var storage = StorageOptions(mapSize: options.mapSize, maximumReaders: options.maximumReaders, inMemory: true)
        storage.faults = options.faults
        let lease = try EnvironmentRegistry.shared.openInMemory(identifier: identifier, options: storage)
        return try make(lease, options, upgrades: false)!
    }

    /// - Parameter upgrades: whether a file of an older format has to be upgraded before it is used.
    /// - Returns: `nil` if the file has to be upgraded.
    private static func make(
        _ lease: EnvironmentLease,
        _ options: Options,
        upgrades: Bool
    ) throws(EngineError) -> Database? {
        let environment = lease.environment
        func checkKey(_ core: DatabaseCore) throws(EngineError) {
            if core.cipher?.key == options.encryptionKey { return }
            throw EngineError(
                .fileInUse,
                "The file is open in this process with another encryption key, or without one.",
                detail: .keyIsWrong,
                path: environment.path
            )
        }
        if let core = environment.attached(DatabaseCore.self) {
            try checkKey(core)
            return Database(lease: lease, core: core, isReadOnly: options.readOnly)
        }
        let header = try readOrCreateHeader(environment, environment.writerLock, options: options)
        if let core = environment.attached(DatabaseCore.self) { try checkKey(core) }
        let envelope = try header.envelope(options.encryptionKey, path: environment.path)
        environment.order = header.order
        let lacksLog = options.commitLog && !header.requiredFeatures.contains(.commitLog)
        if upgrades, !options.readOnly, header.formatVersion < options.formatVersion || lacksLog,
            environment.attached(DatabaseCore.self) == nil
        {
            return nil
        }
        if header.requiredFeatures.contains(.commitLog) { environment.commitLog?.allow(isWanted: options.commitLog) }
        var isFirst = false
        let core = environment.attachment {
            isFirst = true
            return DatabaseCore(storage: environment, header: header, envelope: envelope, options)
        }
        if isFirst, Diagnostics.wants(.files) { core.tellOpened(isReadOnly: options.readOnly) }
        return Database(lease: lease, core: core, isReadOnly: options.readOnly)
    }

    private static func readOrCreateHeader(
        _ environment: StorageEnvironment,
        _ lock: WriterLock,
        options: Options
    ) throws(EngineError) -> DatabaseHeader {
        func read() throws(EngineError) -> DatabaseHeader? {
            let reader = try environment.beginRead()
            let stored = try reader.find(DatabaseHeader.address)
            if stored == nil, reader.version == 0 { return nil }
            return try DatabaseHeader.decode(stored, path: environment.path)
        }
        if let header = try read() { return header }
        if options.readOnly {
            throw EngineError(.invalidDatabase, "The file is empty, and opened read-only.", path: environment.path)
        }
        try lock.acquire()
        defer { lock.release() }
        if let header = try read() { return header }
        if let header = try createHeader(environment, options) { return header }
        // The process that created the header was killed before LMDB published it to readers.
        guard let header = try read() else {
            throw EngineError(.invalidDatabase, "The file's header is missing.", path: environment.path)
        }
        return header
    }

    /// - Returns: `nil` if a header exists.
    private static func createHeader(
        _ environment: StorageEnvironment,
        _ options: Options
    ) throws(EngineError) -> DatabaseHeader? {
        var new = DatabaseHeader.new(
            clusterSpan: options.clusterSpan,
            formatVersion: options.formatVersion,
            isInMemory: environment.options.inMemory
        )
        if options.commitLog, !environment.options.inMemory, new.formatVersion > 4 {
            new.requiredFeatures.insert(.commitLog)
        }
        let (header, envelope) = try new.sealed(options.encryptionKey, path: environment.path)
        var root = CatalogueRoot()
        let schema = DatabaseSchema(tables: []).encoded()
        root.schemaBlocks = 1
        root.schemaLength = UInt32(schema.count)
        let blocks: [(UInt64, [UInt8])] = [
            (Catalogue.headerBlock, header.encoded()), (Catalogue.rootBlock, root.encoded()),
            (Catalogue.firstSchemaBlock, schema),
        ]
        environment.order = header.order
        return try environment.writer.sync { () throws(EngineError) in
            let writer = try environment.beginWrite(envelope)
            guard writer.baseVersion == 0 else {
                writer.abort()
                return nil
            }
            for (number, bytes) in blocks {
                let address = BlockAddress(segment: Catalogue.segment, number: number)
                do throws(EngineError) {
                    try withUnsafeBytesOf(bytes) { (raw) throws(EngineError) in try writer.put(address, raw) }
                } catch {
                    writer.abort()
                    throw error
                }
            }
            _ = try writer.commit()
            return header
        }
    }

    public var path: String { core.path }

    /// The encryption key of the file.
    public var encryptionKey: EncryptionKey? { core.cipher?.key }

    /// A Boolean value that indicates whether this process opened the file. It is false in a forked child, which has to open the file itself.
    package var belongsToThisProcess: Bool { core.storage.belongsToThisProcess }

    /// The newest committed version, including commits of other processes. Reading it is fast.
    public var lastVersion: UInt64 { core.storage.lastVersion }

    /// Returns the newest version. Its users share one snapshot.
    /// - Throws: `.readersFull`, `.mapResized`, `.environmentClosed`.
    public func snapshot() throws(EngineError) -> Snapshot { try core.newest(lease) }

    /// Returns the newest version that is in use in this process, or `nil` if no version is. Unlike `snapshot()`, it can't fail because of other
    /// processes.
    package func heldSnapshot() -> Snapshot? { core.held(lease) }

    /// Returns a write transaction that can't be committed, for callers that can't be notified otherwise that no transaction began. All changes are
    /// made in memory, on a version that may be older than the newest, and `commit` throws the failure.
    package func failedWrite(on base: Snapshot, _ failure: EngineError) -> WriteTransaction {
        WriteTransaction(base: base, failure: failure)
    }

    /// Begins a write transaction if that is possible without waiting. Returns `nil` if another writer is active or waiting.
    package func beginWriteNow() throws(EngineError) -> WriteTransaction? {
        try checkWritable()
        let timing = Diagnostics.start(.writes).map { WriteTiming(asked: $0) }
        return try core.writerLock.tryAcquire() ? try begin(timing) : nil
    }

    /// Returns when all previous commits have reached the disk, including those that `WriteTransaction.commit(durably:)` left to the system. It
    /// blocks the thread. Any thread may call it.
    ///
    /// - Throws: `.io`, `.environmentClosed`. After `.io`, all writes are refused.
    public func makeDurable() throws(EngineError) { try core.storage.sync() }

    /// Releases the memory in which this process maps the file's pages. Functions that read or write all of a large file once call it from time to
    /// time. The system releases this memory only when memory is short.
    package func releasePages() { core.storage.releasePages() }

    /// Begins a write transaction on the newest version. It blocks until all previous writers of this process and of other processes have ended. The
    /// waiters of a process are served in order.
    /// - Throws: `.readOnly`, `.environmentFailed`, `.io`.
    public func beginWrite() throws(EngineError) -> WriteTransaction {
        try beginWrite(until: nil)
    }

    /// Like `beginWrite()`, but suspends instead of blocking.
    public func beginWriteAsync() async throws(EngineError) -> WriteTransaction {
        try await beginWriteAsync(until: nil)
    }

    /// Like `beginWrite()`, with a deadline.
    /// - Throws: `.busy` if other writers are active at the deadline; like `beginWrite()`.
    package func beginWrite(until deadline: ContinuousClock.Instant?) throws(EngineError) -> WriteTransaction {
        try checkWritable()
        let timing = Diagnostics.start(.writes).map { WriteTiming(asked: $0) }
        do throws(EngineError) { try core.writerLock.acquire(until: deadline) } catch {
            tell(timing, error)
            throw error
        }
        return try begin(timing)
    }

    /// Like `beginWriteAsync()`, with a deadline.
    /// - Throws: `.busy` if other writers are active at the deadline; `.cancelled` if the task is cancelled while it waits.
    package func beginWriteAsync(
        until deadline: ContinuousClock.Instant?
    ) async throws(EngineError) -> WriteTransaction {
        try checkWritable()
        let timing = Diagnostics.start(.writes).map { WriteTiming(asked: $0) }
        do throws(EngineError) { try await core.writerLock.acquireAsync(until: deadline) } catch {
            tell(timing, error)
            throw error
        }
        return try begin(timing)
    }

    func tell(_ timing: WriteTiming?, _ error: EngineError) {
        guard var timing, error.code == .busy || error.code == .cancelled else { return }
        timing.waiting = core.writerLock.waitingCount
        timing.tell(error.code == .busy ? .busy : .cancelled, core)
    }

    func checkWritable() throws(EngineError) {
        if isReadOnly {
            throw EngineError(.readOnly, "The database was opened read-only.", path: core.path)
        }
    }

    /// Begins a transaction. The caller holds the writer lock. This function releases the lock if the transaction cannot begin.
    func begin(_ timing: WriteTiming?) throws(EngineError) -> WriteTransaction {
        do throws(EngineError) {
            let transaction = WriteTransaction(base: try core.newestToWriteOn(lease))
            if timing != nil {
                transaction.timing = timing
                transaction.timing!.began = .now
            }
            return transaction
        } catch {
            core.writerLock.release()
            throw error
        }
    }

    /// Calls `body` on the committing thread after each commit of this process, before the next writer begins. It must
    /// not write.
    /// - Returns: a number for `removeCommitObserver`.
    func addCommitObserver(_ body: @escaping @Sendable (Snapshot, ChangeRecord) -> Void) -> Int {
        core.observe(body)
    }

    func removeCommitObserver(_ id: Int) { core.removeObserver(id) }

    /// Returns the readers of all processes and the versions that they hold.
    public func readers() -> [ReaderInfo] { core.storage.readerList() }

    /// The size of the file in bytes.
    package var fileBytes: UInt64 { core.storage.fileSize }

    /// The number of writers of this process that wait for another writer, in any process.
    package var waitingWriterCount: Int { core.writerLock.waitingCount }

    /// The number of versions from the oldest that is in use up to the newest. The pages of all these versions can't be reused.
    public var activeVersionCount: UInt64 {
        let newest = lastVersion
        let oldest = core.storage.readerList().map(\.version).filter { $0 > 0 }.min() ?? newest
        return newest - min(oldest, newest) + 1
    }

    /// Releases the reader slots of processes that have ended.
    /// - Returns: the number of released slots.
    public func clearStaleReaders() -> Int { core.storage.clearStaleReaders() }
}
