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

/// LMDB's write transaction. On the environment's writer thread only; ends with `commit` or `abort`, at the latest
/// when it goes.
///
/// After an error that a call throws, nothing but `abort` is of use.
final class StorageWriter: BlockSource {
    /// The version that this transaction changes.
    let baseVersion: UInt64
    private let environment: StorageEnvironment
    private var transaction: OpaquePointer?
    private var cursor: OpaquePointer?
    private var failure: EngineError?
    private var demand = PageDemand()
    /// Bytes of the blocks that were stored.
    private(set) var bytesStored = 0
    private let envelope: BlockEnvelope
    /// Of an encrypted file. Made with the first change: what is only looked at needs no key.
    private lazy var sealer = envelope.cipher.map(BlockSealer.init)
    /// What the file holds with this transaction's changes.
    private var account = Account.unread

    private enum Account {
        case unread
        case kept(FileDigest)
        /// The file has none.
        case missing
    }

    /// Noted for readers; `nil` until the digest is read, and if the file has none.
    private var recent: RecentChanges?
    /// The mark of the digest as it is stored.
    private var digestMark = BlockMark.absent

    /// Looks at the pages that a change comes by, or `nil` if LMDB is trusted with them.
    private var check: PageCheck?
    var knownSegments: KnownSegments?
    /// What the commit log will have of this transaction, or `nil` if there is no log.
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
        // What is played has the digests that were stored.
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
        // LMDB's lock belongs to that thread.
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

    /// Returns the block as it is stored, with this transaction's changes; valid until the next change.
    func get(_ address: BlockAddress) -> UnsafeRawBufferPointer? {
        transaction?.block(order.key(address), environment)
    }

    /// The bytes are valid until the next change, which `body` doesn't make.
    func forEachEntry(
        from key: UInt64,
        _ choice: (UInt64) -> KeyChoice,
        _ body: (UInt64, UnsafeRawBufferPointer) -> Bool
    ) throws(EngineError) {
        try open().forEachEntry(environment, from: key, choice, body)
    }

    /// Stores a copy of the bytes in the file's envelope. In rising order of addresses, values that don't fit into LMDB's
    /// tree come to lie as segments do: a column's leaves next to each other, for scans.
    ///
    /// - Throws: `.mapFull`, `.outOfDiskSpace`, `.environmentFailed`, `.limitExceeded`, `.invalidDatabase`.
    func put(_ address: BlockAddress, _ bytes: UnsafeRawBufferPointer) throws(EngineError) {
        _ = try open()
        var digest = FileDigest.covers(address) ? try digest() : nil
        digest?.subtract(stamp(address))
        if address != DatabaseHeader.address, let sealer {
            try store(address, sealer.seal(bytes, at: address), .bare)
        } else {
            try store(address, bytes, envelope)
        }
        guard digest != nil else { return }
        digest?.add(stamp(address))
        account = .kept(digest!)
    }

    /// Of what the file holds with the changes so far, or `nil` if it has none.
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

    /// Of the block as it is stored.
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
        _ envelope: BlockEnvelope
    ) throws(EngineError) {
        try checkPages(address)
        knownSegments = nil
        let raw = order.key(address)
        let size = envelope.storedSize(bytes.count, at: address)
        let code = withUnsafeBytes(of: raw) { key in
            if let code = environment.options.faults?.error(at: .put), code != 0 { return code }
            var key = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
            // LMDB gives the place, so that the envelope's bytes get there without another copy.
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

    /// Removes the block, if there is one.
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

    /// Calls the body with what removes the blocks of some segments among the keys of a range.
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
        // Where a block is passed over the cursor goes on; where one was removed it is set anew, on the page where it is.
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

    /// LMDB refuses everything but an abort after a failed change. Writing pages early is part of changing them, so
    /// a device's errors come up here, too.
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

    // MARK: The end

    /// Does again what a log's record says of a key. In any order's addresses, since the key is all that counts.
    func replay(_ key: UInt64, _ stored: UnsafeRawBufferPointer?) throws(EngineError) {
        let address = order.address(key)
        guard let stored else { return try remove(address) }
        _ = try open()
        try store(address, stored, .bare)
    }

    /// Makes the changes durable, and gives the version that holds them (`baseVersion` where nothing was changed).
    ///
    /// With a commit log others see the version, and it is durable when `CommitLog.waitUntilDurable` has returned.
    ///
    /// - Parameter durably: if false, the blocks are made durable and the root, which is written after them, is not: it
    ///   becomes so with the next commit's blocks. As no page is used again before two roots have been written after it was
    ///   given up, the file is whole at every moment.
    ///
    /// On return the file is as long as its newest version needs. An error leaves the file as it was, unless it is
    /// `.environmentFailed`: then the version may or may not be there when the file is opened again.
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
        // Before the root, so that what is flushed before it has these, too.
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

    /// More pages than the file has with this transaction's.
    private func pageLimit() throws(EngineError) -> UInt64 {
        let (pages, overflows) = environment.environmentInfo().me_last_pgno.asUInt64
            .addingReportingOverflow(demand.takenPages)
        guard !overflows else { throw pageCountDamage }
        return pages
    }

    private var pageCountDamage: EngineError {
        Damage.error("its root says that there are more pages than it has", path: environment.path)
    }

    /// Drops the changes.
    func abort() {
        guard let transaction else { return }
        guard environment.belongsToThisProcess else {
            // LMDB's transaction, and its lock, are the parent's.
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

/// `Array.withUnsafeBytes` with a typed error.
func withUnsafeBytesOf<R>(
    _ bytes: [UInt8],
    _ body: (UnsafeRawBufferPointer) throws(EngineError) -> R
) throws(EngineError) -> R {
    let result: Result<R, EngineError> = bytes.withUnsafeBytes { raw in
        do throws(EngineError) { return .success(try body(raw)) } catch { return .failure(error) }
    }
    return try result.get()
}
