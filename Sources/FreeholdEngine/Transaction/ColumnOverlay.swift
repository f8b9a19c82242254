/// The changes of a write transaction to one column: the decoded leaves by cluster, and the slots that were set.
final class ColumnOverlay {
    let column: Column
    /// The segment of the leaves, which is the column's own or that of its inverse.
    let leafSegment: UInt32
    let partsSegment: UInt32
    private(set) var buffers: [Int: LeafBuffer] = [:]
    @exclusivity(unchecked) private var lastCluster = -1
    @exclusivity(unchecked) private var lastBuffer: Unmanaged<LeafBuffer>?

    /// The slots of older objects whose value was set, as words of a bitmap by cluster.
    private(set) var modified: [Int: UnsafeMutablePointer<UInt64>] = [:]
    @exclusivity(unchecked) private var lastModifiedCluster = -1
    @exclusivity(unchecked) private var lastModified: UnsafeMutablePointer<UInt64>?
    private let words: Int
    /// The changes of the inverse, for a link column.
    @exclusivity(unchecked) var backlinks: BacklinkChanges?

    /// The amounts that were added to integers of objects that aren't in `modified`. Only files with a journal need them.
    private(set) var added: [ObjectKey: Int64] = [:]

    /// The first key of the objects that this transaction created. Their changes aren't recorded.
    let firstNewKey: Int64
    /// A Boolean value that indicates whether the column links to an embedded table. It is set when the transaction opens the column under a schema.
    /// A table can become embedded, or top-level, without a change of the tables that link to it.
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

    /// Adds the changes that another overlay of the column has recorded.
    func takeModified(_ other: ColumnOverlay) {
        swap(&modified, &other.modified)
        swap(&added, &other.added)
    }

    /// Calls the closure with the objects in `modified`, in ascending order.
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

    /// Replaces the mark of a value that was just set, and wasn't marked before, by the record of an addition.
    func noteAdded(_ key: ObjectKey, cluster: Int, slot: Int, amount: Int64) {
        modified[cluster]?[slot >> 6] &= ~(1 << UInt64(slot & 63))
        added[key, default: 0] &+= amount
    }

    @inline(__always)
    func cached(_ cluster: Int) -> LeafBuffer? { unretained(cluster)?._withUnsafeGuaranteedRef { $0 } }

    /// Returns the buffer without retaining it. It lives until this overlay releases it.
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
    func noteModified(_ key: ObjectKey, cluster: Int, slot: Int) {
        if key.raw < firstNewKey { markModified(cluster: cluster, slot: slot) }
    }

    @inline(__always)
    func markModified(cluster: Int, slot: Int) {
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

/// The changes of a write transaction to one table.
final class TableOverlay {
    var table: Table
    @exclusivity(unchecked) var state: TableState
    let baseState: TableState
    /// The first key of the objects that this transaction created.
    let firstNewKey: Int64
    /// The number of live objects of each cluster, with `TableCache.presenceFlag`.
    @exclusivity(unchecked) var counts: [UInt16]
    /// The clusters whose count has changed.
    @exclusivity(unchecked) var changedCounts: Set<Int> = []
    /// The presence bitmaps of clusters in which objects were deleted.
    @exclusivity(unchecked) var presence: [Int: UnsafeMutablePointer<UInt64>] = [:]
    @exclusivity(unchecked) var changedPresence: Set<Int> = []
    @exclusivity(unchecked) var lastDeletionCluster = -1
    /// The overlays of the columns, by column index.
    @exclusivity(unchecked) var columns: [ColumnOverlay?]
    /// The objects of an embedded table that this transaction created and that have no links yet.
    @exclusivity(unchecked) var unowned = KeyBits()
    var isEmbedded: Bool
    /// A Boolean value that indicates whether placeholders for objects of the table may exist.
    @exclusivity(unchecked) var hasPlaceholders = false
    /// The inverses of link columns that point to the table, by the link column's first segment.
    var backlinks: [UInt32: ColumnOverlay] = [:]
    @exclusivity(unchecked) var indexes: [IndexOverlay?]
    /// The overlays of the compound indexes, by first segment.
    var compounds: [UInt32: CompoundOverlay] = [:]
    /// The end of the clusters that lost all objects at once: see `WriteTransaction.empty(_:)`.
    var emptiedClusters = 0
    var listEdits: [ListEdit] = []
    var listEditsOverflow = false
    /// The first key of the objects that don't have entries in search indexes yet (except in the primary key's index).
    @exclusivity(unchecked) var unindexedFrom: Int64
    /// The decoded state. After a change, it is decoded again when it is requested.
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
    /// The words, for a full-text index.
    let words: TextWords?
    @exclusivity(unchecked) var tree: IndexTree
    let changes = IndexChanges()
    /// An upper bound of the integers in the index and among the pending changes. Primary keys above it need no look-up.
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
        /// +1 for an added link, −1 for a removed link.
        var delta: Int64
    }

    let column: Column
    /// The changes that aren't in the leaves yet.
    @exclusivity(unchecked) var pending: [Change] = []
    /// All changes of the transaction, for its record. It is empty after an overflow.
    var log: [Change] = []
    var logOverflow = false
    static let logLimit = 1 << 20

    init(column: Column) { self.column = column }

    @inline(__always)
    func add(target: Int64, origin: Int64, delta: Int64) {
        pending.append(Change(target: target, origin: origin, delta: delta))
    }
}
