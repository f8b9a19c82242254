import CFreeholdLMDB

/// A read transaction: one version of the file, pinned for the reader's life. Pointers that it hands out stay
/// valid as long as it lives.
///
/// Sendable because `MDB_NOTLS` read transactions may move between threads; calls must not overlap, which the
/// caller sees to.
final class StorageReader: BlockSource, @unchecked Sendable {
    let environment: StorageEnvironment
    let version: UInt64
    fileprivate let transaction: OpaquePointer
    /// Not so once LMDB has failed: then readers share one.
    private let ownsTransaction: Bool

    /// The version's pages; nil where LMDB is trusted with them.
    let trees: PageMap.Trees?
    private var gaps = KnownGaps()
    var knownSegments: KnownSegments?

    init(
        environment: StorageEnvironment,
        transaction: OpaquePointer,
        ownsTransaction: Bool,
        trees: PageMap.Trees? = nil
    ) {
        self.trees = trees
        self.environment = environment
        self.transaction = transaction
        self.ownsTransaction = ownsTransaction
        version = mdb_txn_id(transaction).asUInt64
    }

    var order: BlockOrder { environment.order }

    deinit { environment.endRead(transaction, ownsTransaction: ownsTransaction) }

    /// The block as it is stored; nil where none is. Two-aligned inside a tree page, eight-aligned out of line.
    ///
    /// - Throws: `.invalidDatabase` where a page that leads to it is damaged.
    func find(_ address: BlockAddress) throws(EngineError) -> UnsafeRawBufferPointer? {
        let key = order.key(address)
        guard let trees else { return transaction.block(key, environment) }
        do throws(PageTree.Damage) { return try trees.main.find(key)?.bytes } catch { throw pageDamage }
    }

    /// The same for a file whose blocks are in an envelope: what isn't there was never stored, where the envelope vouches
    /// for that.
    func find(_ address: BlockAddress, _ envelope: BlockEnvelope) throws(EngineError) -> UnsafeRawBufferPointer? {
        guard let trees, envelope.vouchesForGaps else { return try find(address) }
        let order = order
        let key = order.key(address)
        if gaps.contains(key, of: address.segment) { return nil }
        do throws(PageTree.Damage) {
            if let found = try trees.main.find(key) { return found.bytes }
            let gap = try trees.main.gap(at: key)
            for entry in [gap.below, gap.above] {
                guard let entry else { continue }
                let neighbour = order.address(entry.key)
                let isSound =
                    neighbour == DatabaseHeader.address
                    ? DatabaseHeader.hasRightChecksum(entry.bytes)
                    : envelope.opened(entry.bytes, at: neighbour) != nil
                guard isSound else { throw PageTree.Damage() }
            }
            gaps.insert(gap.keys, of: address.segment)
            return nil
        } catch { throw pageDamage }
    }

    /// The same; nil also where that is damaged.
    func get(_ address: BlockAddress) -> UnsafeRawBufferPointer? {
        do throws(EngineError) { return try find(address) } catch { return nil }
    }

    /// The highest number that a block of a segment has; nil where there is none.
    /// - Complexity: as `forEach`'s.
    func lastNumber(in segment: UInt32) throws(EngineError) -> UInt64? {
        let order = order
        guard !order.isInterleaved(segment), let trees, let keys = order.keys(of: segment).last else {
            var last: UInt64?
            for keys in order.keys(of: segment) {
                try forEachEntry(from: keys.lowerBound) { key in
                    if key > keys.upperBound { return .end }
                    let address = order.address(key)
                    if address.segment == segment { last = address.number }
                    return .pass
                } _: { _, _ in
                    true
                }
            }
            return last
        }
        do throws(PageTree.Damage) {
            if try trees.main.find(keys.upperBound) != nil { return BlockAddress.maximumNumber }
            guard let last = try trees.main.last(below: keys.upperBound), keys.contains(last) else { return nil }
            return order.address(last).number
        } catch { throw pageDamage }
    }

    private var pageDamage: EngineError {
        Damage.error("a page that leads to its blocks can't be read", path: environment.path)
    }

    /// The block itself, opened.
    ///
    /// - Throws: `.invalidDatabase` where it isn't what was stored there.
    func withBlock<R>(
        _ address: BlockAddress,
        _ envelope: BlockEnvelope,
        _ body: (UnsafeRawBufferPointer?) -> R
    ) throws(EngineError) -> R {
        guard let stored = try find(address, envelope) else { return body(nil) }
        let result: R? = try envelope.withBlock(stored, at: address) { (block) throws(EngineError) in body(block) }
        guard let result else { throw envelope.damage(address, path: environment.path) }
        return result
    }

    func forEachEntry(
        from key: UInt64,
        _ choice: (UInt64) -> KeyChoice,
        _ body: (UInt64, UnsafeRawBufferPointer) -> Bool
    ) throws(EngineError) {
        guard let trees else { return try transaction.forEachEntry(environment, from: key, choice, body) }
        do throws(PageTree.Damage) {
            try trees.main.forEach(from: key, choice) { body($0.key, $0.bytes) }
        } catch { throw pageDamage }
    }
}

extension StorageReader {
    /// Pages of the file that hold nothing of this version: they are used for later ones.
    ///
    /// - Parameter limit: the file's pages: where its list of free ones is damaged, it can name more.
    /// - Throws: `.invalidDatabase` where the list can't be read.
    func freePageCount(limit: UInt64) throws(EngineError) -> UInt64 {
        if let trees { return try freePageCount(trees, limit: limit) }
        var cursor: OpaquePointer?
        var code = mdb_cursor_open(transaction, 0, &cursor)
        guard code == 0 else { throw environment.error(code, "The list of free pages can't be read.") }
        defer { mdb_cursor_close(cursor) }
        var key = MDB_val()
        var value = MDB_val()
        var count: UInt64 = 0
        while count < limit {
            code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
            guard code == 0 else { break }
            // A page number is a word; how many there are stands before them.
            let words = UInt64(value.mv_size / 8)
            guard words > 0 else { continue }
            count += min(value.mv_data.loadUnaligned(as: UInt64.self), words - 1)
        }
        guard code == 0 || code == MDB_NOTFOUND else {
            throw environment.error(code, "The list of free pages can't be read.")
        }
        return min(count, limit)
    }

    private func freePageCount(_ trees: PageMap.Trees, limit: UInt64) throws(EngineError) -> UInt64 {
        var count: UInt64 = 0
        do throws(PageTree.Damage) {
            try trees.free.forEach { entry in
                let words = UInt64(entry.bytes.count / 8)
                if words > 0 { count += min(entry.bytes.loadUnaligned(as: UInt64.self), words - 1) }
                return count < limit
            }
        } catch { throw Damage.error("its list of free pages can't be read", path: environment.path) }
        return min(count, limit)
    }
}

extension StorageEnvironment {
    /// LMDB found a damaged page. What was read is incomplete, so nothing may be written on top of it.
    func readFailed(_ code: Int32) {
        markFailed(error(code, "A block can't be read."), isFatal: false)
    }
}

extension StorageReader {
    /// Bytes of the pages that commits from a version on have freed, as far as they aren't used again; 0 in memory.
    /// - Complexity: O(commits since).
    func bytesFreed(since version: UInt64) throws(EngineError) -> Int {
        guard let trees else { return 0 }
        var pages = 0
        do throws(PageTree.Damage) {
            try trees.free.forEach(from: version) { entry in
                let words = entry.bytes.count / 8
                if words > 0 { pages += min(Int(clamping: entry.bytes.loadUnaligned(as: UInt64.self)), words - 1) }
                return true
            }
        } catch { throw Damage.error("its list of free pages can't be read", path: environment.path) }
        return pages.multipliedReportingOverflow(by: environment.pageSize).partialValue
    }
}
