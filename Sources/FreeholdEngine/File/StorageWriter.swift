import CFreeholdLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// A write transaction of LMDB. It is used only on the environment's writer thread. It ends with `commit` or `abort`, or at the latest when it is
/// deallocated.
///
/// After a call has thrown an error, only `abort` is possible.
final class StorageWriter: BlockSource {
    /// The version that this transaction changes.
    let baseVersion: UInt64
    private let environment: StorageEnvironment
    private var transaction: OpaquePointer?
    private var cursor: OpaquePointer?
    private var failure: EngineError?
    private var demand = PageDemand()
    /// The number of bytes of the blocks that were stored.
    private(set) var bytesStored = 0
    private let envelope: BlockEnvelope
    /// The sealer, for an encrypted file. It is created with the first change, because reads don't need its key.
    private lazy var sealer = envelope.cipher.map(BlockSealer.init)
    /// The digest of the file with this transaction's changes.
    private var account = Account.unread

    private enum Account {
        case unread
        case kept(FileDigest)
        /// The file doesn't have a digest.
        case missing
    }

    /// The changed blocks, recorded for readers. It is `nil` until the digest is read, and if the file doesn't have a digest.
    private var recent: RecentChanges?
    /// The mark of the stored digest.
    private var digestMark = BlockMark.absent

    /// The check of the pages that a change touches, or `nil` if LMDB's pages aren't checked.
    private var check: PageCheck?
    var knownSegments: KnownSegments?
    /// The record of this transaction for the commit log, or `nil` without a log.
    private var record: CommitLogRecord?

    var order: BlockOrder { environment.order }

    init(
        environment: StorageEnvironment,
        transaction: OpaquePointer,
        envelope: BlockEnvelope,
        record: CommitLogRecord? = nil
    ) throws(EngineError) {
        self.environment = environment
        self.envelope = envelope
        self.record = record
        // The log contains the digests that were stored, so the replay doesn't calculate them.
        if environment.options.isReplay { account = .missing }
        self.transaction = transaction
        baseVersion = mdb_txn_id(transaction).asUInt64 - 1
        do throws(EngineError) { check = try environment.checkPages(ofVersion: baseVersion) } catch {
            mdb_txn_abort(transaction)
            self.transaction = nil
            throw error
        }
        var flags: UInt32 = 0
        mdb_dbi_flags(transaction, StorageEnvironment.database, &flags)
        var code: Int32 = 0
        if flags & UInt32(MDB_INTEGERKEY) == 0 {
            var database: MDB_dbi = 0
            code = mdb_dbi_open(transaction, nil, UInt32(MDB_INTEGERKEY | MDB_CREATE), &database)
        }
        if code == 0 { code = mdb_cursor_open(transaction, StorageEnvironment.database, &cursor) }
        guard code == 0 else {
            mdb_txn_abort(transaction)
            self.transaction = nil
            throw environment.error(code, "Writing can't begin.")
        }
    }

    deinit {
        guard transaction != nil else { return }
        // LMDB's lock belongs to the writer thread.
        try? environment.writer.sync { abort() }
    }

    private func open() throws(EngineError) -> OpaquePointer {
        guard environment.belongsToThisProcess else {
            throw EngineError(
                .environmentClosed,
                "The write transaction was begun before a fork, by the parent process.",
                path: environment.path
            )
        }
        assert(environment.writer.isCurrent, "Writes belong to the environment's writer thread.")
        if let failure { throw failure }
        guard let transaction else { throw EngineError(.environmentClosed, "The write transaction has ended.") }
        return transaction
    }

    // MARK: Blocks

    /// Returns the block in its stored form, with this transaction's changes. It is valid until the next change.
    func get(_ address: BlockAddress) -> UnsafeRawBufferPointer? {
        transaction?.block(order.key(address), environment)
    }

    /// Calls `body` with the chosen entries. The bytes are valid until the next change, and `body` must not make changes.
    func forEachEntry(
        from key: UInt64,
        _ choice: (UInt64) -> KeyChoice,
        _ body: (UInt64, UnsafeRawBufferPointer) -> Bool
    ) throws(EngineError) {
        try open().forEachEntry(environment, from: key, choice, body: body)
    }

    /// Stores a copy of the bytes in the file's envelope. If the addresses ascend, values that don't fit into LMDB's tree are stored in the order of
    /// their segments. The leaves of a column are then neighbours, which makes scans faster.
    ///
    /// - Throws: `.mapFull`, `.outOfDiskSpace`, `.environmentFailed`, `.limitExceeded`, `.invalidDatabase`.
    func put(_ address: BlockAddress, _ bytes: UnsafeRawBufferPointer) throws(EngineError) {
        _ = try open()
        var digest = FileDigest.covers(address) ? try digest() : nil
        digest?.subtract(stamp(address))
        if address != DatabaseHeader.address, let sealer {
            try store(address, sealer.seal(bytes, at: address), envelope: .bare)
        } else {
            try store(address, bytes, envelope: envelope)
        }
        guard digest != nil else { return }
        digest?.add(stamp(address))
        account = .kept(digest!)
    }

    /// Returns the digest of the file with the changes so far, or `nil` if the file doesn't have one.
    private func digest() throws(EngineError) -> FileDigest? {
        switch account {
        case .kept(let digest): return digest
        case .missing: return nil
        case .unread: break
        }
        var found: FileDigest?
        if envelope.hasDigest {
            if get(FileDigest.address) == nil, get(Catalogue.rootAddress) == nil {
                found = FileDigest()
            } else {
                let stored = get(FileDigest.address)
                digestMark = envelope.mark(stored) ?? .absent
                found = try FileDigest.find(stored, version: baseVersion, envelope, path: environment.path)
            }
        }
        account = found.map(Account.kept) ?? .missing
        if found != nil, !environment.options.inMemory {
            let before = environment.recentBlocks(ofVersion: baseVersion)
            recent = RecentChanges(before?.digest == digestMark ? before : nil)
        }
        return found
    }

    /// Returns the stamp of the stored block.
    private func stamp(_ address: BlockAddress) -> SIMD4<UInt64>? {
        get(address).flatMap { envelope.stamp($0, at: address) }
    }

    private func checkPages(_ address: BlockAddress) throws(EngineError) {
        guard check?.isSound(order.key(address)) == false else { return }
        throw Damage.error("a page that leads to its blocks can't be read", path: environment.path)
    }

    private func store(
        _ address: BlockAddress,
        _ bytes: UnsafeRawBufferPointer,
        envelope: BlockEnvelope
    ) throws(EngineError) {
        try checkPages(address)
        knownSegments = nil
        let raw = order.key(address)
        let size = envelope.storedSize(bytes.count, at: address)
        let code = withUnsafeBytes(of: raw) { key in
            if let code = environment.options.faults?.error(at: .put), code != 0 { return code }
            var key = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
            // LMDB returns the memory for the value, so that the envelope's bytes are written without another copy.
            var value = MDB_val(mv_size: size, mv_data: nil)
            let code = mdb_cursor_put(cursor, &key, &value, UInt32(MDB_RESERVE))
            if code == 0 {
                let place = UnsafeMutableRawBufferPointer(start: value.mv_data, count: size)
                envelope.wrap(bytes, at: address, into: place)
                record?.put(raw, UnsafeRawBufferPointer(place))
                if address == FileDigest.address {
                    digestMark = self.envelope.mark(UnsafeRawBufferPointer(place)) ?? .absent
                } else if FileDigest.covers(address) {
                    recent?.note(raw, self.envelope.mark(UnsafeRawBufferPointer(place)) ?? .absent)
                }
            }
            return code
        }
        guard code == 0 else { throw fail(code, "A block can't be stored.") }
        demand.notePut(size, pageSize: environment.pageSize)
        bytesStored &+= size
    }

    /// Removes the block if it is stored.
    func remove(_ address: BlockAddress) throws(EngineError) {
        let transaction = try open()
        if FileDigest.covers(address), var digest = try digest() {
            digest.subtract(stamp(address))
            account = .kept(digest)
        }
        try checkPages(address)
        knownSegments = nil
        var raw = order.key(address)
        let code = withUnsafeMutableBytes(of: &raw) { key in
            if let code = environment.options.faults?.error(at: .put), code != 0 { return code }
            var key = MDB_val(mv_size: key.count, mv_data: key.baseAddress)
            return mdb_del(transaction, StorageEnvironment.database, &key, nil)
        }
        if code == MDB_NOTFOUND { return }
        guard code == 0 else { throw fail(code, "A block can't be removed.") }
        record?.remove(order.key(address))
        if FileDigest.covers(address) { recent?.note(order.key(address), .absent) }
        demand.noteRemoval()
    }

    /// Calls `body` with a closure that removes the blocks of some segments in a range of keys.
    func sweep(
        _ body: (_ remove: (ClosedRange<UInt64>, Set<UInt32>) throws(EngineError) -> Void) throws(EngineError) -> Void
    ) throws(EngineError) {
        let transaction = try open()
        var stat = MDB_stat()
        mdb_stat(transaction, StorageEnvironment.database, &stat)
        guard let pages = PageDemand.treePages(stat, of: try pageLimit()) else { throw pageCountDamage }
        var digest = try digest()
        knownSegments = nil
        var removed = 0
        try body { (keys, segments) throws(EngineError) in
            removed += try remove(keys, of: segments, &digest)
        }
        if removed == 0 { return }
        demand.noteSweep(removed, pages: pages)
        if let digest { account = .kept(digest) }
    }

    private func remove(
        _ keys: ClosedRange<UInt64>,
        of segments: Set<UInt32>,
        _ digest: inout FileDigest?
    ) throws(EngineError) -> Int {
        let order = order
        var removed = 0
        var next = keys.lowerBound
        // After a block that isn't removed, the cursor moves on. After a removal, it is positioned again on the same page.
        var step = MDB_SET_RANGE
        while true {
            var value = MDB_val()
            let code = withUnsafeMutableBytes(of: &next) { bytes in
                var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
                let code = mdb_cursor_get(cursor, &key, &value, step)
                if code == 0 { bytes.copyMemory(from: UnsafeRawBufferPointer(start: key.mv_data, count: bytes.count)) }
                return code
            }
            if code == MDB_NOTFOUND { return removed }
            guard code == 0 else { throw fail(code, "A block can't be removed.") }
            guard next <= keys.upperBound else { return removed }
            let address = order.address(next)
            guard segments.contains(address.segment) else {
                step = MDB_NEXT
                continue
            }
            if FileDigest.covers(address) {
                let bytes = UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
                digest?.subtract(envelope.stamp(bytes, at: address))
            }
            try checkPages(address)
            let fault = environment.options.faults?.error(at: .put) ?? 0
            let deletion = fault != 0 ? fault : mdb_cursor_del(cursor, 0)
            guard deletion == 0 else { throw fail(deletion, "A block can't be removed.") }
            record?.remove(next)
            if FileDigest.covers(address) { recent?.note(next, .absent) }
            removed += 1
            guard next < keys.upperBound else { return removed }
            next += 1
            step = MDB_SET_RANGE
        }
    }

    /// Returns the error of a failed change, after which LMDB refuses everything except an abort. LMDB may write pages as part of a change, so errors
    /// of the device also occur here.
    private func fail(_ code: Int32, _ message: String) -> EngineError {
        let pages = demand.isEmpty ? 1 : demand.overflowPages + 64
        mdb_cursor_close(cursor)
        cursor = nil
        mdb_txn_abort(transaction)
        transaction = nil
        let failure = environment.diagnose(code, message, pages: pages)
        self.failure = failure
        environment.endWrite()
        return failure
    }

    // MARK: Commit and abort

    /// Repeats the change of a key that a log's record contains. The order of addresses doesn't matter, because only the key is used.
    func replay(_ key: UInt64, _ stored: UnsafeRawBufferPointer?) throws(EngineError) {
        let address = order.address(key)
        guard let stored else { return try remove(address) }
        _ = try open()
        try store(address, stored, envelope: .bare)
    }

    /// Makes the changes durable and returns their version (`baseVersion` if nothing was changed).
    ///
    /// With a commit log, other readers see the version immediately, and it is durable when `CommitLog.waitUntilDurable` has returned.
    ///
    /// - Parameter durably: if it is false, the blocks are made durable, but the root, which is written after them, isn't. The root becomes durable
    ///   with the blocks of the next commit. The file is valid at every moment, because a freed page isn't reused before two roots have been written.
    ///
    /// On return, the file is as long as its newest version needs. An error leaves the file unchanged, except `.environmentFailed`: then the version
    /// may or may not be present when the file is opened again.
    ///
    /// - Throws: `.mapFull`, `.outOfDiskSpace`, `.environmentFailed`.
    func commit(durably: Bool = true) throws(EngineError) -> UInt64 {
        _ = try open()
        guard !demand.isEmpty else {
            abort()
            return baseVersion
        }
        if var digest = try digest() {
            digest.version = baseVersion + 1
            let bytes = digest.encoded()
            try withUnsafeBytesOf(bytes) { (raw) throws(EngineError) in try put(FileDigest.address, raw) }
        }
        let marks = recent.map { RecentBlocks.next($0.before, $0.marks, digest: digestMark, version: baseVersion + 1) }
        let transaction = try open()
        let isInMemory = environment.options.inMemory
        var extent = FileExtent(environment, isLogged: record != nil)
        var bound: UInt64 = 0
        if !isInMemory {
            do throws(EngineError) {
                bound = try pageBound(transaction)
                try extent.cover(bound)
            } catch {
                failure = error
                abort()
                throw error
            }
        }
        mdb_cursor_close(cursor)
        cursor = nil
        self.transaction = nil
        environment.pinStandby()
        // The marks are written before the root, so that the flush before the root includes them.
        marks?.write(environment.descriptor, pageSize: environment.pageSize)
        var code = environment.options.faults?.error(at: .commit) ?? 0
        if code == 0 {
            code = environment.commit(transaction, durably: durably, isLogged: record != nil)
        } else {
            mdb_txn_abort(transaction)
        }
        defer { environment.endWrite() }
        guard code == 0 else {
            let failure = environment.diagnose(code, "The changes can't be stored.", pages: Int(bound))
            self.failure = failure
            marks?.erase(environment.descriptor, pageSize: environment.pageSize)
            environment.unpinStandby()
            throw failure
        }
        environment.unpinStandby()
        let info = environment.environmentInfo()
        guard info.me_last_txnid.asUInt64 == baseVersion + 1 else {
            let failure = EngineError(
                .environmentFailed,
                "Version \(baseVersion + 1) was committed, but the file is at \(info.me_last_txnid): another program writes to it without Freehold's lock.",
                path: environment.path
            )
            environment.markFailed(failure, isFatal: false)
            throw failure
        }
        environment.keep(marks)
        if !isInMemory { extent.settle(pages: info.me_last_pgno.asUInt64 + 1) }
        if let record { try environment.commitLog?.append(record, version: baseVersion + 1, environment) }
        return baseVersion + 1
    }

    private func pageBound(_ transaction: OpaquePointer) throws(EngineError) -> UInt64 {
        var main = MDB_stat()
        var free = MDB_stat()
        mdb_stat(transaction, StorageEnvironment.database, &main)
        mdb_stat(transaction, 0, &free)
        guard let bound = demand.pageBound(main, free: free, of: try pageLimit()) else { throw pageCountDamage }
        return bound
    }

    /// Returns a number greater than the file's page numbers, including those that this transaction has taken.
    private func pageLimit() throws(EngineError) -> UInt64 {
        let (pages, overflows) = environment.environmentInfo().me_last_pgno.asUInt64
            .addingReportingOverflow(demand.takenPages)
        guard !overflows else { throw pageCountDamage }
        return pages
    }

    private var pageCountDamage: EngineError {
        Damage.error("its root says that there are more pages than it has", path: environment.path)
    }

    /// Discards the changes.
    func abort() {
        guard let transaction else { return }
        guard environment.belongsToThisProcess else {
            // LMDB's transaction and its lock belong to the parent.
            self.transaction = nil
            return
        }
        mdb_cursor_close(cursor)
        cursor = nil
        mdb_txn_abort(transaction)
        self.transaction = nil
        environment.endWrite()
    }
}

/// Calls `Array.withUnsafeBytes` with a typed error.
func withUnsafeBytesOf<R>(
    _ bytes: [UInt8],
    _ body: (UnsafeRawBufferPointer) throws(EngineError) -> R
) throws(EngineError) -> R {
    let result: Result<R, EngineError> = bytes.withUnsafeBytes { raw in
        do throws(EngineError) { return .success(try body(raw)) } catch { return .failure(error) }
    }
    return try result.get()
}
