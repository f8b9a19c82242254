import CFreeholdLMDB

/// A read transaction: one version of the file, pinned for the reader's life. Pointers into the version remain valid as long as the reader lives.
///
/// The class is Sendable because `MDB_NOTLS` read transactions may move between threads. The caller ensures that calls don't overlap.
final class StorageReader: BlockSource, @unchecked Sendable {
    let environment: StorageEnvironment
    let version: UInt64
    fileprivate let transaction: OpaquePointer
    /// The value is false after LMDB has failed, because readers then share one transaction.
    private let ownsTransaction: Bool

    /// The version's pages, or `nil` if they are read without checks.
    let trees: PageMap.Trees?
    private var gaps = KnownGaps()
    /// The keys of blocks beside gaps that were checked and found unchanged.
    private var soundNeighbours = RecentKeys()
    private var recent = Recent.unread
    /// The leaves of the tree that were compared with the recent blocks.
    private var freshLeaves: Set<UInt64> = []

    private enum Recent {
        case unread
        case read(RecentBlocks?)
    }

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

    /// Returns the block in its stored form, or `nil` if it isn't stored. It is aligned to two bytes inside a tree page, and to eight bytes out of
    /// line.
    ///
    /// - Throws: `.invalidDatabase` if a page that leads to it is damaged.
    func find(_ address: BlockAddress) throws(EngineError) -> UnsafeRawBufferPointer? {
        let key = order.key(address)
        guard let trees else { return transaction.block(key, environment) }
        do throws(PageTree.Damage) { return try trees.main.find(key)?.bytes } catch { throw pageDamage }
    }

    /// Like `find(_:)`, for a file whose blocks have an envelope. If the envelope vouches for gaps, a missing block is known to have never been
    /// stored, and a block that the last commits replaced isn't returned.
    func find(_ address: BlockAddress, _ envelope: BlockEnvelope) throws(EngineError) -> UnsafeRawBufferPointer? {
        guard let trees, envelope.vouchesForGaps else { return try find(address) }
        let key = order.key(address)
        let recent = try recentBlocks(trees.main, envelope)
        let mark = recent?.mark(of: key)
        if mark == nil, gaps.contains(key, of: address.segment) { return nil }
        let leaf: PageTree.LeafPlace?
        do throws(PageTree.Damage) { leaf = try trees.main.leaf(of: key) } catch { throw pageDamage }
        // A mark of the block itself is sufficient. Otherwise the marks of its neighbours show whether the leaf belongs to the version. The digest
        // and the history don't need marks, because these blocks contain their version.
        if let recent, mark == nil, FileDigest.covers(address) { try check(leaf, against: recent, envelope) }
        var found: UnsafeRawBufferPointer?
        if let leaf {
            do throws(PageTree.Damage) { found = try trees.main.find(key, inLeaf: leaf.number)?.bytes } catch {
                throw pageDamage
            }
        }
        if let mark, envelope.mark(found) != mark {
            throw Damage.error(
                "\(address.described(nil)) isn't what its last commits left there",
                path: environment.path
            )
        }
        if found == nil, mark == nil, let leaf {
            let gap = try soundGap(at: key, trees.main, envelope)
            // The other leaves were examined less thoroughly.
            gaps.insert(gap.clamped(to: leaf.keys), of: address.segment)
        }
        return found
    }

    /// Examines the neighbours of a key that isn't stored.
    ///
    /// - Returns: the range of keys that aren't stored.
    /// - Throws: `.invalidDatabase` if the key may have been stored.
    private func soundGap(
        at key: UInt64,
        _ tree: PageTree,
        _ envelope: BlockEnvelope
    ) throws(EngineError) -> ClosedRange<UInt64> {
        do throws(PageTree.Damage) {
            let gap = try tree.gap(at: key)
            for entry in [gap.below, gap.above] {
                guard let entry, !soundNeighbours.contains(entry.key) else { continue }
                guard envelope.isSound(entry.bytes, at: order.address(entry.key)) else { throw PageTree.Damage() }
                soundNeighbours.insert(entry.key)
            }
            return gap.keys
        } catch { throw pageDamage }
    }

    // MARK: Recent blocks

    /// Returns the marks of this version's recent blocks. Returns `nil` if the file doesn't have marks of this version.
    private func recentBlocks(
        _ tree: PageTree,
        _ envelope: BlockEnvelope
    ) throws(EngineError) -> RecentBlocks? {
        switch recent {
        case .read(let blocks): return blocks
        case .unread: break
        }
        guard envelope.hasDigest, let found = environment.recentBlocks(ofVersion: version) else {
            recent = .read(nil)
            return nil
        }
        let digest: UnsafeRawBufferPointer?
        do throws(PageTree.Damage) { digest = try tree.find(order.key(FileDigest.address))?.bytes } catch {
            throw pageDamage
        }
        if envelope.mark(digest) == found.digest {
            recent = .read(found)
            return found
        }
        // A Freehold version that doesn't write marks can have created this version, after one that does was interrupted while creating it.
        guard FileDigest(digest, envelope)?.version == version else { throw staleDamage }
        recent = .read(nil)
        return nil
    }

    /// Compares a leaf of the tree with the marks of its blocks, once for each leaf.
    ///
    /// - Parameter leaf: the leaf, or `nil` for an empty tree.
    /// - Throws: `.invalidDatabase` if one of the blocks doesn't belong to the version.
    private func check(
        _ leaf: PageTree.LeafPlace?,
        against recent: RecentBlocks,
        _ envelope: BlockEnvelope
    ) throws(EngineError) {
        if let leaf, freshLeaves.contains(leaf.number) { return }
        let entries = leaf.map(recent.entries) ?? recent.entries[...]
        for entry in entries {
            var stored: UnsafeRawBufferPointer?
            if let leaf {
                do throws(PageTree.Damage) {
                    stored = try trees?.main.find(entry.key, inLeaf: leaf.number)?.bytes
                } catch {
                    throw pageDamage
                }
            }
            guard envelope.mark(stored) == entry.mark else { throw staleDamage }
        }
        if let leaf { freshLeaves.insert(leaf.number) }
    }

    private var staleDamage: EngineError {
        Damage.error("blocks of its last commits are missing, or older ones were put back", path: environment.path)
    }

    /// Like `find(_:)`, but also returns `nil` if a page is damaged.
    func get(_ address: BlockAddress) -> UnsafeRawBufferPointer? {
        do throws(EngineError) { return try find(address) } catch { return nil }
    }

    /// Returns the highest number that a block of a segment has, or `nil` if there is none.
    /// - Complexity: like `forEach`.
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

    /// Calls `body` with the block without its envelope, or with `nil` if it isn't stored.
    ///
    /// - Throws: `.invalidDatabase` if the block was changed.
    func withBlock<R>(
        _ address: BlockAddress,
        _ envelope: BlockEnvelope,
        body: (UnsafeRawBufferPointer?) -> R
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
        guard let trees else { return try transaction.forEachEntry(environment, from: key, choice, body: body) }
        do throws(PageTree.Damage) {
            try trees.main.forEach(from: key, choice) { body($0.key, $0.bytes) }
        } catch { throw pageDamage }
    }
}

extension StorageReader {
    /// Returns the number of the file's pages that don't belong to this version and are available for later versions.
    ///
    /// - Parameter limit: the number of the file's pages. A damaged list of free pages can state more.
    /// - Throws: `.invalidDatabase` if the list can't be read.
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
            // A page number is a word. The first word is their count.
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
    /// Records that LMDB found a damaged page. The data that was read is incomplete, so writes must not be based on it.
    func readFailed(_ code: Int32) {
        markFailed(error(code, "A block can't be read."), isFatal: false)
    }
}

extension StorageReader {
    /// Returns the size of the pages that commits from a version on have freed and that aren't in use again, in bytes. For a database in memory,
    /// returns 0.
    /// - Complexity: O(commits since the version).
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
