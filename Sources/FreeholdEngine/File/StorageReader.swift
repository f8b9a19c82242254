import CLMDB

/// A read transaction: one version of the file, pinned for the reader's life. Pointers that it hands out stay
/// valid as long as it lives.
///
/// Sendable because `MDB_NOTLS` read transactions may move between threads; calls must not overlap, which the
/// caller sees to.
final class StorageReader: @unchecked Sendable {
    let environment: StorageEnvironment
    let version: UInt64
    fileprivate let transaction: OpaquePointer
    /// Not so once LMDB has failed: then readers share one.
    private let ownsTransaction: Bool

    /// The version's pages; nil where LMDB is trusted with them.
    let trees: PageMap.Trees?
    private var gaps = KnownGaps()

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

    deinit { environment.endRead(transaction, ownsTransaction: ownsTransaction) }

    /// The block as it is stored; nil where none is. Two-aligned inside a tree page, eight-aligned out of line.
    ///
    /// - Throws: `.invalidDatabase` where a page that leads to it is damaged.
    func find(_ address: BlockAddress) throws(EngineError) -> UnsafeRawBufferPointer? {
        guard let trees else { return transaction.block(address, environment) }
        do throws(PageTree.Damage) { return try trees.main.find(address.raw)?.bytes } catch { throw pageDamage }
    }

    /// The same for a file whose blocks are in an envelope: what isn't there was never stored, where the envelope vouches
    /// for that.
    func find(_ address: BlockAddress, _ envelope: BlockEnvelope) throws(EngineError) -> UnsafeRawBufferPointer? {
        guard let trees, envelope.vouchesForGaps else { return try find(address) }
        if gaps.contains(address.raw) { return nil }
        do throws(PageTree.Damage) {
            if let found = try trees.main.find(address.raw) { return found.bytes }
            let gap = try trees.main.gap(at: address.raw)
            for entry in [gap.below, gap.above] {
                guard let entry else { continue }
                let neighbour = BlockAddress(raw: entry.key)
                let isSound =
                    neighbour == DatabaseHeader.address
                    ? DatabaseHeader.hasRightChecksum(entry.bytes)
                    : envelope.opened(entry.bytes, at: neighbour) != nil
                guard isSound else { throw PageTree.Damage() }
            }
            gaps.insert(gap.keys, around: address.raw)
            return nil
        } catch { throw pageDamage }
    }

    /// The same; nil also where that is damaged.
    func get(_ address: BlockAddress) -> UnsafeRawBufferPointer? {
        do throws(EngineError) { return try find(address) } catch { return nil }
    }

    /// The highest number that a block of a segment has; nil where there is none.
    func lastNumber(in segment: UInt32) -> UInt64? {
        var last: UInt64?
        do throws(PageTree.Damage) {
            if let trees {
                last = try trees.main.last(
                    below: BlockAddress(segment: segment, number: .zero).raw + 1 << BlockAddress.numberBits
                )
            } else {
                transaction.forEachBlock(in: segment, environment) { number, _ in
                    last = BlockAddress(segment: segment, number: number).raw
                    return true
                }
            }
        } catch {}
        return last.map { BlockAddress(raw: $0) }.flatMap { $0.segment == segment ? $0.number : nil }
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

    /// Visits a segment's blocks in rising order until `body` gives false.
    ///
    /// - Throws: `.invalidDatabase` where a page is damaged.
    func forEach(segment: UInt32, _ body: (UInt64, UnsafeRawBufferPointer) -> Bool) throws(EngineError) {
        guard let trees else { return transaction.forEachBlock(in: segment, environment, body) }
        do throws(PageTree.Damage) {
            try trees.main.forEach(from: BlockAddress(segment: segment, number: 0).raw) { entry in
                let address = BlockAddress(raw: entry.key)
                return address.segment == segment && body(address.number, entry.bytes)
            }
        } catch { throw pageDamage }
    }
}

/// Blocks by address, in rising order, whose bytes lie in LMDB's map.
typealias BlockRun = [(address: BlockAddress, bytes: UnsafeRawBufferPointer)]

extension StorageReader {
    /// The blocks from an address on, as many as have about a megabyte.
    func run(from address: BlockAddress) throws(EngineError) -> BlockRun {
        guard let trees else { return try transaction.run(from: address, environment) }
        var out: BlockRun = []
        var size = 0
        do throws(PageTree.Damage) {
            try trees.main.forEach(from: address.raw) { entry in
                out.append((BlockAddress(raw: entry.key), entry.bytes))
                size += entry.bytes.count + 64
                return size < 1 << 20
            }
        } catch { throw pageDamage }
        return out
    }

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

extension OpaquePointer {
    /// Of an `MDB_txn`.
    func run(from first: BlockAddress, _ environment: StorageEnvironment) throws(EngineError) -> BlockRun {
        var out: BlockRun = []
        var size = 0
        var cursor: OpaquePointer?
        var code = mdb_cursor_open(self, StorageEnvironment.database, &cursor)
        guard code == 0 else { throw environment.error(code, "A block can't be read.") }
        defer { mdb_cursor_close(cursor) }
        var raw = first.raw
        withUnsafeMutableBytes(of: &raw) { bytes in
            var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
            var value = MDB_val()
            code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
            while code == 0, size < 1 << 20 {
                let address = BlockAddress(raw: key.mv_data.loadUnaligned(as: UInt64.self))
                out.append((address, UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)))
                size += value.mv_size + 64
                code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
            }
        }
        guard code == 0 || code == MDB_NOTFOUND else { throw environment.error(code, "A block can't be read.") }
        return out
    }

    /// Of an `MDB_txn`.
    @inline(__always)
    func block(_ address: BlockAddress, _ environment: StorageEnvironment) -> UnsafeRawBufferPointer? {
        var raw = address.raw
        return withUnsafeMutableBytes(of: &raw) { bytes in
            var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
            var value = MDB_val()
            let code = mdb_get(self, StorageEnvironment.database, &key, &value)
            if code == 0 { return UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size) }
            if code != MDB_NOTFOUND { environment.readFailed(code) }
            return nil
        }
    }

    /// Of an `MDB_txn`.
    func forEachBlock(
        in segment: UInt32,
        _ environment: StorageEnvironment,
        _ body: (UInt64, UnsafeRawBufferPointer) -> Bool
    ) {
        var cursor: OpaquePointer?
        var code = mdb_cursor_open(self, StorageEnvironment.database, &cursor)
        guard code == 0 else { return environment.readFailed(code) }
        defer { mdb_cursor_close(cursor) }
        var raw = BlockAddress(segment: segment, number: 0).raw
        withUnsafeMutableBytes(of: &raw) { bytes in
            var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
            var value = MDB_val()
            code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
            while code == 0 {
                let address = BlockAddress(raw: key.mv_data.loadUnaligned(as: UInt64.self))
                guard address.segment == segment,
                    body(address.number, UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
                else { return }
                code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
            }
            if code != MDB_NOTFOUND { environment.readFailed(code) }
        }
    }
}

extension StorageEnvironment {
    /// LMDB found a damaged page. What was read is incomplete, so nothing may be written on top of it.
    func readFailed(_ code: Int32) {
        markFailed(error(code, "A block can't be read."), isFatal: false)
    }
}
