import CFreeholdShims
import CFreeholdLMDB
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// The identity of a file, as the operating system defines it.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }
}

/// The LMDB environment of one file in this process. It is the only interface between the engine and its storage.
///
/// Any thread may begin reads. Writes belong to the thread `writer`. Live readers keep the environment open. A `close` takes effect when the last of
/// them ends. After a fork, the child may only open the file again.
final class StorageEnvironment: Sendable {
    /// The only LMDB database of the file, which is the main one.
    static let database: MDB_dbi = 1

    /// The path without symbolic links, because LMDB derives the name of its lock file from it.
    let path: String
    let options: StorageOptions
    let pageSize: Int
    let identity: FileIdentity
    let writerLock: WriterLock
    /// The handle of LMDB's environment, set once when the file is opened and freed in `finishClosing`. LMDB synchronises the data that threads
    /// share. LMDB synchronises the data that threads share.
    nonisolated(unsafe) let handle: OpaquePointer
    /// The descriptor of the data file that LMDB opened.
    let descriptor: Int32
    /// The commit log, or `nil` if the file can't have one.
    let commitLog: CommitLog?

    private let generation = ForkGeneration.current
    private let state = Mutex(State())
    /// The number of write transactions that this process began.
    private let writes = Atomic<Int>(0)
    private let isByCluster = Atomic<Bool>(false)

    /// The order of the file's blocks. The reader of the header sets it before any block except the header is read or written. The header's key is
    /// the same in both orders.
    var order: BlockOrder {
        get { isByCluster.load(ordering: .relaxed) ? .byCluster : .bySegment }
        set { isByCluster.store(newValue == .byCluster, ordering: .relaxed) }
    }

    private struct State {
        /// The presence lock, held while the file is open.
        var presence: PresenceLock?
        /// The number of readers and flushing threads. They keep the file open and prevent its map from moving.
        var users = 0
        /// The time at which each read transaction of this process began.
        var beginnings: [UInt: (version: UInt64, time: Timestamp)] = [:]
        var writing = false
        var closeRequested = false
        var closed = false
        var lastVersion: UInt64 = 0
        /// The reason why writes are refused.
        var failure: EngineError?
        /// The pages that readers read and that are checked before the first write, or `nil` if LMDB's pages aren't checked.
        var pages: PageMap?
        /// A Boolean value that indicates whether the pages have been checked for writing.
        var hasCheckedPages = false
        /// A Boolean value that indicates whether LMDB refuses even new readers. In this case, readers share the pinned version.
        var isFatal = false
        /// A read transaction for `isFatal`. It pins the superseded version during each commit, and is idle otherwise.
        var standby: OpaquePointer?
        var writer: WriterThread?
        /// The recent blocks of the newest version that this process committed.
        var recentBlocks: RecentBlocks?
        var attachment: (any AnyObject & Sendable)?
        var idleHandler: (@Sendable () -> Void)?
    }

    /// The number of files that this process has open.
    static let openFiles = Atomic<Int>(0)

    init(
        handle: OpaquePointer,
        path: String,
        options: StorageOptions,
        pageSize: Int,
        descriptor: Int32,
        identity: FileIdentity,
        writerLock: WriterLock,
        presence: PresenceLock?
    ) {
        self.handle = handle
        self.path = path
        self.options = options
        self.pageSize = pageSize
        self.descriptor = descriptor
        self.identity = identity
        self.writerLock = writerLock
        commitLog =
            options.isShared && !options.readOnly && !options.isAlone
            ? CommitLog(capacity: options.logCapacity) : nil
        Self.openFiles.add(1, ordering: .relaxed)
        state.withLock {
            $0.presence = presence
            $0.pages = mapPages()
        }
    }

    /// Returns a map of the pages. It isn't needed for memory and for private copies, because only this process accesses them. If the process has too
    /// little address space for a second map, the pages aren't checked.
    private func mapPages() -> PageMap? {
        if options.inMemory || options.isPrivate { return nil }
        let size = environmentInfo().me_mapsize
        guard Self.canReserve(size.asUInt64 * 2) else { return nil }
        return PageMap(descriptor, size: Int(size), pageSize: pageSize)
    }

    func releasePages() { state.withLock { $0.pages?.release() } }

    deinit { close() }

    func error(_ code: Int32, _ message: String) -> EngineError { .system(code, message, path: path) }

    private var closedError: EngineError {
        generation.isCurrent
            ? EngineError(.environmentClosed, "The file has been closed.", path: path)
            : EngineError(
                .environmentClosed,
                "The file was opened before a fork: open it again in the child process.",
                path: path
            )
    }

    /// A Boolean value that indicates whether the environment belongs to this process and isn't closed.
    var isOpen: Bool { generation.isCurrent && state.withLock { !$0.closed && !$0.closeRequested } }

    var belongsToThisProcess: Bool { generation.isCurrent }

    /// The newest version in the file, including versions of other processes. While a commit is being flushed, this may already be the version that
    /// it creates. The version that `beginRead` pins is always committed. In a forked child, it is 0.
    var lastVersion: UInt64 {
        guard generation.isCurrent else { return 0 }
        return state.withLock { $0.closed || $0.isFatal ? $0.lastVersion : environmentInfo().me_last_txnid.asUInt64 }
    }

    /// The thread that performs all writes.
    var writer: WriterThread {
        state.withLock { state in
            if let writer = state.writer { return writer }
            let writer = WriterThread()
            state.writer = writer
            return writer
        }
    }

    /// Returns the object that the layer above stores for this environment. It is released when the environment closes.
    func attachment<T: AnyObject & Sendable>(_ make: () -> T) -> T {
        state.withLock { state in
            if let found = state.attachment as? T { return found }
            let made = make()
            state.attachment = made
            return made
        }
    }

    /// Returns the object that `attachment` created, if it was called.
    func attached<T: AnyObject & Sendable>(_ type: T.Type) -> T? { state.withLock { $0.attachment as? T } }

    /// Runs `body` while the environment can't close and its map can't move. Returns `nil` if the environment is closed. `body` may only use LMDB.
    func whileOpen<R>(_ body: () -> sending R) -> R? {
        guard generation.isCurrent else { return nil }
        return state.withLock { $0.closed || $0.closeRequested ? nil : body() }
    }

    /// Returns LMDB's information. The caller is the writer, or holds the state's lock.
    func environmentInfo() -> MDB_envinfo {
        var info = MDB_envinfo()
        mdb_env_info(handle, &info)
        return info
    }

    // MARK: Reading

    /// Pins the newest version.
    ///
    /// - Throws: `.readersFull`, `.mapResized`, `.environmentClosed`.
    func beginRead() throws(EngineError) -> StorageReader {
        guard generation.isCurrent else { throw closedError }
        if let code = options.faults?.error(at: .read), code != 0 { throw error(code, "Reading can't begin.") }
        return try state.withLock { state throws(EngineError) in
            guard !state.closed, !state.closeRequested else { throw closedError }
            if state.isFatal {
                guard let standby = state.standby else {
                    throw state.failure ?? closedError
                }
                state.users += 1
                return StorageReader(
                    environment: self,
                    transaction: standby,
                    ownsTransaction: false,
                    trees: state.pages?.trees(ofVersion: mdb_txn_id(standby).asUInt64)
                )
            }
            let transaction = try beginTransaction(&state)
            state.users += 1
            return makeReader(transaction, &state)
        }
    }

    private func beginTransaction(_ state: inout State) throws(EngineError) -> OpaquePointer {
        var transaction: OpaquePointer?
        var code = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
        if code == MDB_READERS_FULL {
            mdb_reader_check(handle, nil)
            code = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
        }
        if code == MDB_MAP_RESIZED, state.users == 0, !state.writing {
            try remap(&state)
            code = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
        }
        guard code == 0, let transaction else { throw error(code, "Reading can't begin.") }
        return transaction
    }

    private func makeReader(_ transaction: OpaquePointer, _ state: inout State) -> StorageReader {
        var trees = state.pages?.trees(ofVersion: mdb_txn_id(transaction).asUInt64)
        // Two commits can take place in between. In this case, a newer version is available.
        for _ in 0..<100 where trees == nil && state.pages != nil {
            mdb_txn_reset(transaction)
            guard mdb_txn_renew(transaction) == 0 else { break }
            trees = state.pages?.trees(ofVersion: mdb_txn_id(transaction).asUInt64)
        }
        state.beginnings[UInt(bitPattern: transaction)] = (mdb_txn_id(transaction).asUInt64, Timestamp.now)
        return StorageReader(environment: self, transaction: transaction, ownsTransaction: true, trees: trees)
    }

    /// A reader slot that doesn't pin a version yet.
    struct ReaderSlot: Sendable {
        fileprivate let bits: UInt
        fileprivate var transaction: OpaquePointer { OpaquePointer(bitPattern: bits)! }
    }

    /// Takes a reader slot for a future version, so that a committing thread can always read the version that it committed. The caller has to pass it
    /// to `beginReserved` or `giveUp`.
    ///
    /// - Throws: like `beginRead`.
    func reserveRead() throws(EngineError) -> ReaderSlot {
        guard generation.isCurrent else { throw closedError }
        return try state.withLock { state throws(EngineError) in
            guard !state.closed, !state.closeRequested, !state.isFatal else { throw state.failure ?? closedError }
            let transaction = try beginTransaction(&state)
            mdb_txn_reset(transaction)
            state.users += 1
            return ReaderSlot(bits: UInt(bitPattern: transaction))
        }
    }

    func giveUp(_ slot: ReaderSlot) { endRead(slot.transaction, ownsTransaction: true) }

    /// Pins the newest version with a slot that was reserved. If that fails, the slot is released.
    func beginReserved(_ slot: ReaderSlot) throws(EngineError) -> StorageReader {
        let code = mdb_txn_renew(slot.transaction)
        guard code == 0 else {
            giveUp(slot)
            throw error(code, "Reading can't begin.")
        }
        return state.withLock { makeReader(slot.transaction, &$0) }
    }

    /// The time at which this process's first reader of each version began.
    var firstBeginnings: [UInt64: Timestamp] {
        state.withLock { state in
            Dictionary(state.beginnings.values.map { ($0.version, $0.time) }) { min($0, $1) }
        }
    }

    /// Ends a read transaction. Readers call it when they end.
    func endRead(_ transaction: OpaquePointer, ownsTransaction: Bool) {
        guard generation.isCurrent else { return }
        let next = state.withLock { state in
            if ownsTransaction {
                mdb_txn_abort(transaction)
                state.beginnings[UInt(bitPattern: transaction)] = nil
            }
            state.users -= 1
            return afterUse(&state)
        }
        follow(next)
    }

    /// Maps the file again after another process has enlarged it. All pointers become invalid, so live transactions must not exist.
    private func remap(_ state: inout State) throws(EngineError) {
        guard case .valid(let header) = try FileHeader.read(descriptor) else {
            throw error(MDB_MAP_RESIZED, "The map can't follow the file.")
        }
        var size = max(UInt64(environmentInfo().me_mapsize), header.mapSize)
        if !Self.canReserve(size) { size = header.requiredSize * 2 }
        guard Self.canReserve(size) else { throw error(MDB_MAP_RESIZED, "The map can't follow the file.") }
        let code = mdb_env_set_mapsize(handle, Int(size))
        guard code == 0 else {
            // LMDB doesn't have a map after this failure, and must not be used any more.
            state.closed = true
            throw error(MDB_MAP_RESIZED, "The map can't follow the file.")
        }
        state.pages = mapPages()
    }

    /// Returns the marks of a version's recent blocks. Returns `nil` if the file doesn't have marks of that version.
    func recentBlocks(ofVersion version: UInt64) -> RecentBlocks? {
        if options.inMemory { return nil }
        let known = state.withLock { $0.recentBlocks }
        if let known, known.version == version { return known }
        return RecentBlocks.read(descriptor, version: version, pageSize: pageSize)
    }

    // MARK: Writing

    /// Keeps the marks of a committed version for its readers.
    func keep(_ recent: RecentBlocks?) { state.withLock { $0.recentBlocks = recent } }

    /// Checks the pages of the version that is about to be changed, once for each opening of the file, because LMDB trusts them.
    ///
    /// - Returns: a check to be made before each change, if the file is too large for a complete check.
    /// - Throws: `.invalidDatabase`.
    func checkPages(ofVersion version: UInt64) throws(EngineError) -> PageCheck? {
        let (trees, hasChecked) = state.withLock { ($0.pages?.trees(ofVersion: version), $0.hasCheckedPages) }
        guard let trees else { return nil }
        var check = PageCheck(trees)
        if hasChecked {
            check.isWhole = true
            return check
        }
        check.checkBeforeWriting()
        if let problem = check.problems.first { throw Damage.error(problem, path: path) }
        if check.isWhole { state.withLock { $0.hasCheckedPages = true } }
        return check
    }

    /// Begins LMDB's write transaction. It is called only on the thread `writer`, while the caller holds `writerLock`.
    ///
    /// - Parameter envelope: the form in which blocks are stored.
    /// - Throws: `.readOnly`, `.environmentFailed`, `.environmentClosed`, `.mapResized`.
    func beginWrite(_ envelope: BlockEnvelope = .bare) throws(EngineError) -> StorageWriter {
        guard generation.isCurrent else { throw closedError }
        guard !options.readOnly else {
            throw EngineError(.readOnly, "The file was opened read-only.", path: path)
        }
        assert(writer.isCurrent, "Writes belong to the environment's writer thread.")
        clearStaleReadersNowAndThen()
        if let code = options.faults?.error(at: .write), code != 0 { throw error(code, "Writing can't begin.") }
        try state.withLock { state throws(EngineError) in
            guard !state.closed, !state.closeRequested else { throw closedError }
            if let failure = state.failure { throw failure }
            precondition(!state.writing, "A write transaction is open already.")
            state.writing = true
        }
        writer.hold()
        do throws(EngineError) {
            let isLogged = try commitLog?.prepare(self) ?? false
            var transaction: OpaquePointer?
            var code = mdb_txn_begin(handle, nil, 0, &transaction)
            if code == MDB_MAP_RESIZED {
                try state.withLock { state throws(EngineError) in
                    guard state.users == 0 else { throw error(code, "Writing can't begin.") }
                    try remap(&state)
                }
                code = mdb_txn_begin(handle, nil, 0, &transaction)
            }
            guard code == 0, let transaction else { throw error(code, "Writing can't begin.") }
            return try StorageWriter(
                environment: self,
                transaction: transaction,
                envelope: envelope,
                record: isLogged ? commitLog?.makeRecord() : nil
            )
        } catch {
            endWrite()
            throw error
        }
    }

    /// Clears the slots of killed processes in every 16th write. These slots continue to pin the versions that the processes read, so that the file
    /// grows with every commit. LMDB searches for such slots only when its table is full, or when a process ended during a commit. This search makes
    /// one system call for each other process that reads.
    private func clearStaleReadersNowAndThen() {
        guard options.isShared, writes.add(1, ordering: .relaxed).newValue % 16 == 0 else { return }
        mdb_reader_check(handle, nil)
    }

    /// Ends a write transaction. Writers call it when they end.
    func endWrite() {
        writer.letGo()
        let next = state.withLock { state in
            state.writing = false
            return afterUse(&state)
        }
        follow(next)
    }

    /// Refuses all writes until the file is opened again.
    func markFailed(_ reason: EngineError, isFatal: Bool) {
        state.withLock { state in
            if state.failure == nil {
                state.failure = EngineError(
                    .environmentFailed,
                    "An earlier write failed (\(reason.message)); reads go on. Close the file in this process and reopen it to write.",
                    path: path,
                    underlying: reason.underlying
                )
            }
            guard isFatal, !state.isFatal else { return }
            state.isFatal = true
            if let standby = state.standby { state.lastVersion = UInt64(mdb_txn_id(standby)) }
        }
    }

    /// Pins the version that a commit is about to supersede. This takes no space, because a commit never reuses the pages of the version that it
    /// supersedes.
    func pinStandby() {
        state.withLock { state in
            if let standby = state.standby {
                if mdb_txn_renew(standby) != 0 {
                    mdb_txn_abort(standby)
                    state.standby = nil
                }
            } else {
                mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &state.standby)
            }
        }
    }

    func unpinStandby() {
        state.withLock { state in
            if let standby = state.standby, !state.isFatal { mdb_txn_reset(standby) }
        }
    }

    /// Commits LMDB's write transaction. It is called on the writer thread.
    ///
    /// - Parameter isLogged: whether the log makes the commit durable. In this case, nothing is flushed here.
    func commit(_ transaction: OpaquePointer, durably: Bool, isLogged: Bool) -> Int32 {
        if isLogged {
            mdb_env_set_flags(handle, UInt32(MDB_NOSYNC), 1)
            defer { mdb_env_set_flags(handle, UInt32(MDB_NOSYNC), 0) }
            return mdb_txn_commit(transaction)
        }
        if options.isReplay { return mdb_txn_commit(transaction) }
        #if canImport(Darwin)
            if !options.inMemory, !options.isPrivate { return commitInOrder(transaction, durably: durably) }
        #endif
        return durably ? mdb_txn_commit(transaction) : commitLeavingRoot(transaction)
    }

    /// Commits with a flush of the blocks. The system writes the root later.
    private func commitLeavingRoot(_ transaction: OpaquePointer) -> Int32 {
        mdb_env_set_flags(handle, UInt32(MDB_NOMETASYNC), 1)
        defer { mdb_env_set_flags(handle, UInt32(MDB_NOMETASYNC), 0) }
        return mdb_txn_commit(transaction)
    }

    #if canImport(Darwin)
        /// Commits with an order barrier. LMDB's flush leaves the blocks in the drive's cache, and the drive could write the root before them.
        /// Therefore the system holds the root back until the drive has received an order barrier. The barrier is sent through a file without pending
        /// writes.
        private func commitInOrder(_ transaction: OpaquePointer, durably: Bool) -> Int32 {
            var code = commitLeavingRoot(transaction)
            if code == 0, let other = writerLock.fileDescriptor { code = fh_order(other) }
            return code == 0 && durably ? fh_flush(descriptor) : code
        }
    #endif

    /// Flushes the data that commits have left to the system. Readers and the writer continue meanwhile.
    ///
    /// - Throws: `.io`, `.environmentClosed`.
    func sync() throws(EngineError) {
        guard generation.isCurrent else { throw closedError }
        if options.readOnly { return }
        guard beginUse() else { throw closedError }
        defer { endUse() }
        if try commitLog?.makeDurable(self) == true { return }
        var code = options.faults?.error(at: .sync) ?? 0
        if code == 0 { code = mdb_env_sync(handle, 1) }
        if code == 0 { code = fh_flush(descriptor) }
        if code == 0 { return }
        let reason = error(code, "The file can't be flushed.")
        // It is unknown what the disk contains.
        markFailed(reason, isFatal: false)
        throw reason
    }

    /// Runs `body` while the environment can't close. Returns `nil` if the environment is closed.
    func usingFile<R>(_ body: () -> R) -> R? {
        guard generation.isCurrent, beginUse() else { return nil }
        defer { endUse() }
        return body()
    }

    private func beginUse() -> Bool {
        state.withLock { state in
            guard !state.closed, !state.closeRequested else { return false }
            state.users += 1
            return true
        }
    }

    private func endUse() {
        let next = state.withLock { state in
            state.users -= 1
            return afterUse(&state)
        }
        follow(next)
    }

    // MARK: The commit log

    /// Waits until a version that this process committed is on the disk.
    ///
    /// - Throws: `.environmentFailed` if it is unknown whether the version is on the disk.
    func waitUntilDurable(_ version: UInt64) throws(EngineError) { try commitLog?.waitUntilDurable(version, self) }

    /// Begins a read transaction that pins the newest version for the log. The caller holds the writer lock. Any thread may call it, except after a
    /// process was killed during a commit: then only the writer thread may.
    func pinForLog() throws(EngineError) -> (pin: UInt, version: UInt64) {
        for isLast in [false, true] {
            let pin = try state.withLock { state throws(EngineError) in try beginTransaction(&state) }
            let version = mdb_txn_id(pin).asUInt64
            if version == environmentInfo().me_last_txnid.asUInt64 { return (UInt(bitPattern: pin), version) }
            mdb_txn_abort(pin)
            if isLast { break }
            // Readers don't see the last commit yet. LMDB corrects this when its write lock is taken.
            var transaction: OpaquePointer?
            let code = mdb_txn_begin(handle, nil, 0, &transaction)
            guard code == 0 else { throw error(code, "Writing can't begin.") }
            mdb_txn_abort(transaction)
        }
        throw error(MDB_BAD_TXN, "The newest version can't be pinned.")
    }

    func unpin(_ pin: UInt) { mdb_txn_abort(OpaquePointer(bitPattern: pin)) }

    /// Returns the head of a generation of the log. The caller holds the writer lock.
    func logHead(_ mark: CommitLogMark, version: UInt64) throws(EngineError) -> CommitLogHead {
        guard let first = try FileHeader.meta(descriptor, at: 0),
            let second = try FileHeader.meta(descriptor, at: pageSize)
        else { throw error(EIO, "The file's roots can't be read.") }
        guard let size = bytes(ofPages: 0, behind: environmentInfo().me_last_pgno) else {
            throw Damage.error("its root says that there are more pages than it has", path: path)
        }
        return CommitLogHead(
            mark: mark,
            version: version,
            fileSize: size,
            pageSize: UInt32(pageSize),
            roots: [first, second]
        )
    }

    // MARK: Closing

    private enum Next { case nothing, close, idle(@Sendable () -> Void) }

    private func afterUse(_ state: inout State) -> Next {
        guard state.users == 0, !state.writing else { return .nothing }
        if state.closeRequested, !state.closed {
            prepareToClose(&state)
            return .close
        }
        guard let handler = state.idleHandler else { return .nothing }
        state.idleHandler = nil
        return .idle(handler)
    }

    private func follow(_ next: Next) {
        switch next {
        case .nothing: break
        case .close: finishClosing()
        case .idle(let handler): handler()
        }
    }

    private func prepareToClose(_ state: inout State) {
        if !state.isFatal { state.lastVersion = environmentInfo().me_last_txnid.asUInt64 }
        state.closed = true
    }

    /// Closes the file: immediately, or when the last reader and the writer have ended. New transactions can't begin after the call.
    func close() {
        guard generation.isCurrent else { return }
        let next: Next = state.withLock { state in
            guard !state.closed else { return .nothing }
            state.closeRequested = true
            return afterUse(&state)
        }
        follow(next)
    }

    /// Closes the file if it isn't in use. Otherwise, `whenIdle` is called as soon as it isn't.
    func closeIfIdle(whenIdle: @escaping @Sendable () -> Void) -> Bool {
        let closing = state.withLock { state in
            guard !state.closed else { return false }
            guard state.users == 0, !state.writing else {
                state.idleHandler = whenIdle
                return false
            }
            state.closeRequested = true
            prepareToClose(&state)
            return true
        }
        if closing { finishClosing() }
        return closing
    }

    private func finishClosing() {
        let (writer, standby, attachment) = state.withLock { state in
            defer {
                state.writer = nil
                state.pages = nil
                state.standby = nil
                state.attachment = nil
            }
            return (state.writer, state.standby.map { UInt(bitPattern: $0) }, state.attachment)
        }
        writer?.stop()
        let isUnplayed = commitLog?.close(self) ?? false
        if let standby { mdb_txn_abort(OpaquePointer(bitPattern: standby)) }
        mdb_env_close(handle)
        Self.openFiles.subtract(1, ordering: .relaxed)
        writerLock.close()
        withExtendedLifetime(attachment) {}
        state.withLock { $0.presence = nil }
        // The owner of the log was killed. Other processes that have the file open play the log when they write or close the file.
        if isUnplayed, !PresenceLock.isUsed(path) { try? CommitLogRecovery.run(path) }
        // Without an attachment the file was only examined, and its closing isn't reported.
        if attachment != nil, Diagnostics.wants(.files) { Diagnostics.send(.closed(path: path)) }
    }
}

extension FixedWidthInteger {
    var asUInt64: UInt64 { UInt64(truncatingIfNeeded: self) }
}
