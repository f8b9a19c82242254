internal import Synchronization

/// What all handles of one file in this process share.
final class DatabaseCore: Sendable {
    let storage: StorageEnvironment
    let header: DatabaseHeader
    let envelope: BlockEnvelope
    let clusterSpan: Int
    let memoryBudget: Int
    let isDraft: Bool
    private let openedBytesKept: Int
    /// Serialises the filling of snapshots' caches. Held for single look-ups only.
    let fillLock = Mutex(())
    let toldOfJournal = JournalWarning.Told()
    private let latest = Mutex(Latest())
    private let schemas = Mutex<(revision: UInt64, schema: DatabaseSchema)?>(nil)

    /// The newest version that anybody holds.
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

    /// Of an encrypted file.
    var cipher: FileCipher? { envelope.cipher }

    /// Returns whether a version holds so many opened blocks of an encrypted file that nobody shall share them any longer.
    func isFull(_ pin: SnapshotPin) -> Bool {
        cipher != nil && pin.openedBytes.load(ordering: .relaxed) > openedBytesKept
    }

    /// Returns the schema of that revision, if it was the last to be read: versions that somebody else commits bring no new one.
    func knownSchema(_ revision: UInt64) -> DatabaseSchema? {
        schemas.withLock { $0?.revision == revision ? $0?.schema : nil }
    }

    func noteSchema(_ schema: DatabaseSchema, _ revision: UInt64) { schemas.withLock { $0 = (revision, schema) } }

    var writerLock: WriterLock { storage.writerLock }
    var path: String { storage.path }

    func newest(_ lease: EnvironmentLease) throws(EngineError) -> Snapshot {
        // A forked child has the parent's snapshots in memory, but not its reader slots: `beginRead` refuses it.
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

    /// Returns the newest version, to be written on. Holding the writer lock.
    ///
    /// A writer may have been killed when its commit was in the file and readers hadn't been told of it, so that they still
    /// get the version before. LMDB makes that good for whoever takes its lock next; what is written must go on from
    /// the commit that is there then.
    func newestToWriteOn(_ lease: EnvironmentLease) throws(EngineError) -> Snapshot {
        let found = try newest(lease)
        if found.version >= storage.lastVersion { return found }
        try storage.writer.sync { () throws(EngineError) in try storage.beginWrite(envelope).abort() }
        return try newest(lease)
    }

    /// After a commit of this process, before the writer lock is released.
    ///
    /// - Parameter slot: what `reserveRead` gave.
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

    /// Returns the newest version that somebody in this process holds, which needs no reader's slot.
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

/// A database in a file: open it, read snapshots of it, write to it in transactions.
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
/// Any thread may use it. All handles of a file in a process share one environment, which closes when the last
/// handle, snapshot and transaction are gone.
public final class Database: Sendable {
    public struct Options: Sendable {
        /// Bytes of address space to reserve: the largest that the file can grow. nil: 32 GiB, less where the process may not
        /// have that or has more than 256 files open (4 GiB with 2,000), and room for twice what the file holds.
        public var mapSize: Int?
        /// Snapshots that can live at once, in all processes.
        public var maximumReaders = 1024
        public var readOnly = false
        /// A Boolean value that indicates whether a file that is opened read-only is known not to change, so that no lock file is needed.
        package var isImmutable = false
        /// Bytes of changes that a write transaction holds in memory before they move into LMDB's.
        public var memoryBudget = 64 << 20
        /// A Boolean value that indicates whether nobody opens the file before it is complete. Then what moves into LMDB's transaction past the
        /// memory budget is committed now and then, since LMDB keeps all pages of a transaction in memory. A transaction that is cancelled leaves a
        /// file of no use.
        package var isDraft = false
        /// What the file is encrypted with, or is to be where it is made, or `nil` for a plain one. Not in memory.
        public var encryptionKey: EncryptionKey?
        /// Of an encrypted file: the bytes of opened blocks with which a version is still shared with those who come.
        public var openedBytesKept = 256 << 20
        /// A Boolean value that indicates whether commits go into a commit log beside the file: faster, and shared flushes for many threads. A file
        /// that isn't new gets what it needs for that when nobody else has it open, and is then refused by versions of Freehold that don't know of
        /// logs. Not in memory. See `CommitLog`.
        public var commitLog = false
        /// Its length in bytes.
        package var commitLogCapacity = CommitLogFile.capacity
        /// Objects a cluster of a new file, 1…1024.
        package var clusterSpan = Catalogue.defaultClusterSpan
        /// Of a new file. One of an older format becomes one of this when it is opened for writing and nobody else has
        /// it open.
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

    /// Opens a file, making it if it isn't there.
    ///
    /// - Throws: `.fileNotFound`, `.permissionDenied`, `.invalidDatabase`, `.unsupportedFormat`, `.mapFull`, … A file
    ///   that is refused is left as it was.
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
        // Nothing of this call keeps the file open any longer.
        upgrade(path, key: options.encryptionKey)
        if options.commitLog { allowCommitLog(path, key: options.encryptionKey) }
        return try make(EnvironmentRegistry.shared.open(path: path, options: storage), options, upgrades: false)!
    }

    /// Brings into a file what killed processes left in its commit log, so that it can be opened read-only.
    ///
    /// A file without such a log stays as it is, as does one whose folder can't be written: its opening says what is the matter.
    ///
    /// - Throws: `.invalidDatabase` where the log is missing, another file's, or damaged.
    package static func playCommitLog(at path: String) throws(EngineError) {
        if isOpen(at: path) { return }
        do throws(EngineError) { try CommitLogRecovery.runIfNeeded(path) } catch {
            if error.code == .invalidDatabase { throw error }
        }
    }

    /// Returns whether this process has the file open.
    package static func isOpen(at path: String) -> Bool { EnvironmentRegistry.shared.isOpen(path: path) }

    /// Opens the in-memory database of that name: it goes when the last that uses it goes.
    public static func inMemory(identifier: String, options: Options = Options()) throws(EngineError) -> Database {
        if options.encryptionKey != nil {
            throw EngineError(.invalidArgument, "A database in memory can't be encrypted. Leave out the key.")
        }
        var storage = StorageOptions(mapSize: options.mapSize, maximumReaders: options.maximumReaders, inMemory: true)
        storage.faults = options.faults
        let lease = try EnvironmentRegistry.shared.openInMemory(identifier: identifier, options: storage)
        return try make(lease, options, upgrades: false)!
    }

    /// - Parameter upgrades: whether a file of an older format is to be upgraded before it is used.
    /// - Returns: nil where it is.
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
                path: environment.path
            )
        }
        if let core = environment.attached(DatabaseCore.self) {
            try checkKey(core)
            return Database(lease: lease, core: core, isReadOnly: options.readOnly)
        }
        let header = try readOrCreateHeader(environment, environment.writerLock, options)
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
        _ options: Options
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
        // Who made it was killed before it could tell readers.
        guard let header = try read() else {
            throw EngineError(.invalidDatabase, "The file's header isn't there.", path: environment.path)
        }
        return header
    }

    /// - Returns: nil where there is one.
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

    /// What the file is encrypted with.
    public var encryptionKey: EncryptionKey? { core.cipher?.key }

    /// False in a child process that was forked after the opening: it has to open the file itself.
    package var belongsToThisProcess: Bool { core.storage.belongsToThisProcess }

    /// The newest committed version, also by other processes. Cheap.
    public var lastVersion: UInt64 { core.storage.lastVersion }

    /// Returns the newest version, shared with all that hold it.
    /// - Throws: `.readersFull`, `.mapResized`, `.environmentClosed`.
    public func snapshot() throws(EngineError) -> Snapshot { try core.newest(lease) }

    /// Returns the newest version that somebody in this process holds, or `nil` if nobody does. Unlike `snapshot()` it can't fail for others' sake.
    package func heldSnapshot() -> Snapshot? { core.held(lease) }

    /// A write transaction that can't be committed, for who can't be told otherwise that none began: all changes are made
    /// in memory, on a version that need not be the newest, and `commit` throws the failure.
    package func failedWrite(on base: Snapshot, _ failure: EngineError) -> WriteTransaction {
        WriteTransaction(base: base, failure: failure)
    }

    /// `beginWrite` where that takes no waiting, or `nil` if others write, or wait to.
    package func beginWriteNow() throws(EngineError) -> WriteTransaction? {
        try checkWritable()
        let timing = Diagnostics.start(.writes).map { WriteTiming(asked: $0) }
        return try core.writerLock.tryAcquire() ? try begin(timing) : nil
    }

    /// Returns when all commits until now have reached the disk: those that `WriteTransaction.commit(durably:)` left to the
    /// system, too. Blocks the thread; any may call it.
    ///
    /// - Throws: `.io`, `.environmentClosed`; after the former nothing more is written.
    public func makeDurable() throws(EngineError) { try core.storage.sync() }

    /// Gives back the memory in which this process sees the file's pages. Whoever reads or writes all of a large file once calls
    /// it now and then: the system would only do so when it lacks memory.
    package func releasePages() { core.storage.releasePages() }

    /// Begins a write transaction on the newest version. Blocks until every other writer, of this process and others,
    /// is done; waiters of a process are served in order.
    /// - Throws: `.readOnly`, `.environmentFailed`, `.io`.
    public func beginWrite() throws(EngineError) -> WriteTransaction {
        try beginWrite(until: nil)
    }

    /// The same, suspending instead of blocking.
    public func beginWriteAsync() async throws(EngineError) -> WriteTransaction {
        try await beginWriteAsync(until: nil)
    }

    /// The same, waiting until a moment at most.
    /// - Throws: `.busy` if other writers are at work then; as the one above.
    package func beginWrite(until deadline: ContinuousClock.Instant?) throws(EngineError) -> WriteTransaction {
        try checkWritable()
        let timing = Diagnostics.start(.writes).map { WriteTiming(asked: $0) }
        do throws(EngineError) { try core.writerLock.acquire(until: deadline) } catch {
            tell(timing, error)
            throw error
        }
        return try begin(timing)
    }

    /// The same, suspending until a moment at most.
    /// - Throws: `.busy` if other writers are at work then; `.cancelled` if the task is cancelled while it waits.
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

    /// Begins a transaction as the holder of the writer lock. Gives the lock up if that fails.
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

    /// Who holds which version, in all processes.
    public func readers() -> [ReaderInfo] { core.storage.readerList() }

    /// Bytes of the file.
    package var fileBytes: UInt64 { core.storage.fileSize }

    /// How many writers of this process wait for another one, of whatever process.
    package var waitingWriterCount: Int { core.writerLock.waitingCount }

    /// How many versions lie between the oldest that somebody holds and the newest, both counted. The pages that all of
    /// these use can't be used again.
    public var activeVersionCount: UInt64 {
        let newest = lastVersion
        let oldest = core.storage.readerList().map(\.version).filter { $0 > 0 }.min() ?? newest
        return newest - min(oldest, newest) + 1
    }

    /// Frees the reader slots of processes that died. - Returns: how many.
    public func clearStaleReaders() -> Int { core.storage.clearStaleReaders() }
}
