/// What a write transaction has changed of one column: decoded leaves by cluster, and which slots it touched.
final class ColumnOverlay {
    let column: Column
    /// The leaf segment: the column's own, or its inverse's.
    let leafSegment: UInt32
    let partsSegment: UInt32
    private(set) var buffers: [Int: LeafBuffer] = [:]
    @exclusivity(unchecked) private var lastCluster = -1
    @exclusivity(unchecked) private var lastBuffer: Unmanaged<LeafBuffer>?

    /// Slots of objects that were there before, whose value was set: words of a bitmap by cluster.
    private(set) var modified: [Int: UnsafeMutablePointer<UInt64>] = [:]
    @exclusivity(unchecked) private var lastModifiedCluster = -1
    @exclusivity(unchecked) private var lastModified: UnsafeMutablePointer<UInt64>?
    private let words: Int
    /// Of a link column: its inverse's changes.
    @exclusivity(unchecked) var backlinks: BacklinkChanges?

    /// In files with a journal: what was added to integers of objects that aren't in `modified`.
    private(set) var added: [ObjectKey: Int64] = [:]

    /// Objects from this key on are made by this transaction: their changes aren't recorded.
    let firstNewKey: Int64
    /// A link column to an embedded table. Set when the transaction opens it under a schema: a table can become embedded,
    /// or top-level, while those that link to it stay as they are.
    @exclusivity(unchecked) var ownsTargets = false
    /// A Boolean value that indicates whether objects of the table may have links to placeholders: see `WriteTransaction.hasHiddenLinks`.
    @exclusivity(unchecked) var hasHiddenLinks = false

    init(column: Column, isBacklink: Bool, clusterSpan: Int, firstNewKey: Int64) {
        self.column = column
        self.firstNewKey = firstNewKey
        leafSegment = column.segment(isBacklink ? .backlinkLeaf : .leaf)
        partsSegment = column.segment(isBacklink ? .backlinkParts : .parts)
        words = (clusterSpan + 63) >> 6
    }

    deinit { for bits in modified.values { bits.deallocate() } }

    /// Goes on with what another overlay of the column has noted.
    func takeModified(_ other: ColumnOverlay) {
        swap(&modified, &other.modified)
        swap(&added, &other.added)
    }

    /// Calls the closure with the objects in `modified`, rising.
    func forEachModified(clusterSpan: Int, _ body: (ObjectKey) -> Void) {
        for (cluster, bits) in modified.sorted(by: { $0.key < $1.key }) {
            for w in 0..<words {
                var word = bits[w]
                while word != 0 {
                    body(ObjectKey(Int64(cluster * clusterSpan + (w << 6) + word.trailingZeroBitCount)))
                    word &= word - 1
                }
            }
        }
    }

    /// Turns the mark of a value that was just set, and wasn't marked before, into that of an add.
    func noteAdded(_ key: ObjectKey, _ cluster: Int, _ slot: Int, _ amount: Int64) {
        modified[cluster]?[slot >> 6] &= ~(1 << UInt64(slot & 63))
        added[key, default: 0] &+= amount
    }

    @inline(__always)
    func cached(_ cluster: Int) -> LeafBuffer? { unretained(cluster)?._withUnsafeGuaranteedRef { $0 } }

    /// Returns the buffer, kept alive by this overlay until it is dropped.
    @inline(__always)
    func unretained(_ cluster: Int) -> Unmanaged<LeafBuffer>? {
        if cluster == lastCluster { return lastBuffer }
        return lookup(cluster)
    }

    @inline(never)
    private func lookup(_ cluster: Int) -> Unmanaged<LeafBuffer>? {
        guard let found = buffers[cluster] else { return nil }
        lastCluster = cluster
        lastBuffer = Unmanaged.passUnretained(found)
        return lastBuffer
    }

    func insert(_ buffer: LeafBuffer, _ cluster: Int) {
        buffers[cluster] = buffer
        lastCluster = cluster
        lastBuffer = Unmanaged.passUnretained(buffer)
    }

    func drop(_ cluster: Int) {
        buffers[cluster] = nil
        if cluster == lastCluster {
            lastCluster = -1
            lastBuffer = nil
        }
    }

    @inline(__always)
    func noteModified(_ key: ObjectKey, _ cluster: Int, _ slot: Int) {
        if key.raw < firstNewKey { markModified(cluster, slot) }
    }

    @inline(__always)
    func markModified(_ cluster: Int, _ slot: Int) {
        if cluster != lastModifiedCluster { openModified(cluster) }
        lastModified.unsafelyUnwrapped[slot >> 6] |= 1 << UInt64(slot & 63)
    }

    @inline(never)
    private func openModified(_ cluster: Int) {
        if let found = modified[cluster] {
            lastModified = found
        } else {
            let bits = UnsafeMutablePointer<UInt64>.allocate(capacity: words)
            bits.initialize(repeating: 0, count: words)
            modified[cluster] = bits
            lastModified = bits
        }
        lastModifiedCluster = cluster
    }
}

/// What a write transaction has changed of one table.
final class TableOverlay {
    var table: Table
    @exclusivity(unchecked) var state: TableState
    let baseState: TableState
    /// Objects from this key on are made by this transaction.
    let firstNewKey: Int64
    /// Live objects by cluster, with `TableCache.presenceFlag`.
    @exclusivity(unchecked) var counts: [UInt16]
    /// Clusters whose count changed.
    @exclusivity(unchecked) var changedCounts: Set<Int> = []
    /// Presence bitmaps of clusters in which objects were deleted.
    @exclusivity(unchecked) var presence: [Int: UnsafeMutablePointer<UInt64>] = [:]
    @exclusivity(unchecked) var changedPresence: Set<Int> = []
    @exclusivity(unchecked) var lastDeletionCluster = -1
    /// By column index.
    @exclusivity(unchecked) var columns: [ColumnOverlay?]
    /// Of an embedded table: objects made by this transaction that nothing links to yet.
    @exclusivity(unchecked) var unowned = KeyBits()
    var isEmbedded: Bool
    /// A Boolean value that indicates whether there may be placeholders for objects of the table.
    @exclusivity(unchecked) var hasPlaceholders = false
    /// The inverses of link columns that point here, by the link column's first segment.
    var backlinks: [UInt32: ColumnOverlay] = [:]
    @exclusivity(unchecked) var indexes: [IndexOverlay?]
    /// By first segment.
    var compounds: [UInt32: CompoundOverlay] = [:]
    /// Clusters below this one lost all objects at once: see `WriteTransaction.empty(_:)`.
    var emptiedClusters = 0
    var listEdits: [ListEdit] = []
    var listEditsOverflow = false
    /// Objects from this key on have no entries in search indexes yet (but in the primary key's).
    @exclusivity(unchecked) var unindexedFrom: Int64
    /// Decoded anew when asked for after a change.
    @exclusivity(unchecked) var cache: TableCache?

    init(table: Table, state: TableState, counts: [UInt16]) {
        self.table = table
        isEmbedded = table.isEmbedded
        self.state = state
        baseState = state
        firstNewKey = state.nextKey
        unindexedFrom = state.nextKey
        self.counts = counts
        columns = Array(repeating: nil, count: table.storedColumns.count)
        indexes = Array(repeating: nil, count: table.storedColumns.count)
    }

    deinit { for bits in presence.values { bits.deallocate() } }
}

/// The pending changes of one index and its tree.
final class IndexOverlay {
    let column: Column
    let isMixed: Bool
    /// Of a full-text index.
    let words: TextWords?
    @exclusivity(unchecked) var tree: IndexTree
    let changes = IndexChanges()
    /// No integer above it is in the index or pending: rising primary keys need no look-up.
    @exclusivity(unchecked) var greatestInt: Int64

    init(column: Column, tree: IndexTree, greatestInt: Int64) {
        self.column = column
        isMixed = column.type == .mixed
        words = column.indexKind.textMatching.map { TextWords($0) }
        self.tree = tree
        self.greatestInt = greatestInt
    }
}

/// The pending changes of the inverse of one link column.
final class BacklinkChanges {
    struct Change {
        var target: Int64
        var origin: Int64
        /// +1 a link gained, −1 one lost.
        var delta: Int64
    }

    let column: Column
    /// Not yet in the leaves.
    @exclusivity(unchecked) var pending: [Change] = []
    /// All of the transaction's, for its record; empty after an overflow.
    var log: [Change] = []
    var logOverflow = false
    static let logLimit = 1 << 20

    init(column: Column) { self.column = column }

    @inline(__always)
    func add(target: Int64, origin: Int64, delta: Int64) {
        pending.append(Change(target: target, origin: origin, delta: delta))
    }
}
