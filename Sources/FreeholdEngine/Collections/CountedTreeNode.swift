/// A node of a `CountedTree`, in memory. It is stored in little-endian order:
/// ```
/// 0 u8 level (0: its children are chunks)   1 u8 zero   2 u16 entries n   4 u32 zero
/// 8 u64 × n: the children's block numbers, then u32 × n: the elements under each
/// ```
struct CountedTreeNode {
    let level: Int
    private(set) var children: [UInt64]
    private(set) var counts: [UInt32]

    static let headerSize = 8
    /// A number of levels that no tree exceeds.
    static let levels = 40
    static let entrySize = 12
    /// The maximum number of entries in one page.
    static let maximumCount = (BlockLimits.pageSize - BlockLimits.reserved - headerSize) / entrySize

    init(level: Int, _ entries: [CountedTree.Chunk]) {
        self.level = level
        children = entries.map(\.block)
        counts = entries.map { Self.stored($0.count) }
    }

    private init(level: Int, children: [UInt64], counts: [UInt32]) {
        self.level = level
        self.children = children
        self.counts = counts
    }

    /// Reads a stored node for a change, or returns `nil` if the node is missing or damaged.
    init?(_ number: UInt64, level: Int?, segment: UInt32, in store: any BlockStore) {
        guard let view = View(number, level: level, segment: segment, in: store) else { return nil }
        let total = view.counts.reduce(0) { $0 + Int($1) }
        guard !view.counts.contains(0), total <= UInt32.max else {
            View.lost(number, segment, in: store)
            return nil
        }
        self.level = view.level
        children = Array(view.children)
        counts = Array(view.counts)
    }

    private static func stored(_ count: Int) -> UInt32 {
        precondition(count > 0 && count <= UInt32.max, "A chunk of a list holds 1 to 4,294,967,295 elements")
        return UInt32(count)
    }

    var count: Int { children.count }

    var total: Int { counts.reduce(0) { $0 + Int($1) } }

    func entry(_ number: UInt64) -> CountedTree.Chunk { (number, total) }

    /// Returns `nil` if the node has fewer elements.
    func slot(containing index: Int) -> (slot: Int, first: Int)? {
        counts.withUnsafeBufferPointer { View.slot(containing: index, $0) }
    }

    /// Returns false if the entry is unchanged.
    mutating func replace(_ slot: Int, with entries: [CountedTree.Chunk]) -> Bool {
        if entries.count == 1 {
            let count = Self.stored(entries[0].count)
            if children[slot] == entries[0].block && counts[slot] == count { return false }
            children[slot] = entries[0].block
            counts[slot] = count
        } else {
            replace(slot..<slot + 1, with: entries)
        }
        return true
    }

    mutating func replace(_ slots: Range<Int>, with entries: [CountedTree.Chunk]) {
        children.replaceSubrange(slots, with: entries.lazy.map(\.block))
        counts.replaceSubrange(slots, with: entries.lazy.map { Self.stored($0.count) })
    }

    mutating func insert(_ entries: [CountedTree.Chunk], at slot: Int) {
        replace(slot..<slot, with: entries)
    }

    /// Removes entries from `slot` on that contain at most this number of elements.
    mutating func remove(from slot: Int, elements: Int) {
        var end = slot
        var left = elements
        while end < count && Int(counts[end]) <= left {
            left -= Int(counts[end])
            end += 1
        }
        children.removeSubrange(slot..<end)
        counts.removeSubrange(slot..<end)
    }

    mutating func append(_ other: CountedTreeNode) {
        children += other.children
        counts += other.counts
    }

    func part(_ slots: Range<Int>) -> CountedTreeNode {
        CountedTreeNode(level: level, children: Array(children[slots]), counts: Array(counts[slots]))
    }

    func put(at number: UInt64, segment: UInt32, in store: any MutableBlockStore) {
        let size = Self.headerSize + Self.entrySize * count
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { bytes in
            bytes.storeBytes(of: UInt64(level) | UInt64(count) << 16, as: UInt64.self)
            let childBytes = UnsafeMutableRawBufferPointer(rebasing: bytes[Self.headerSize...])
            children.withUnsafeBytes { childBytes.copyMemory(from: $0) }
            let countBytes = UnsafeMutableRawBufferPointer(rebasing: bytes[(Self.headerSize + 8 * count)...])
            counts.withUnsafeBytes { countBytes.copyMemory(from: $0) }
            store.putBlock(segment, number, bytes: UnsafeRawBufferPointer(bytes))
        }
    }

    /// A stored node that is read in place. It is valid until the store's next change.
    struct View {
        let level: Int
        let children: UnsafeBufferPointer<UInt64>
        let counts: UnsafeBufferPointer<UInt32>

        /// Reads a node of a level, or of any level if `level` is `nil`. Returns `nil` if the block is missing, malformed or not a node of the level.
        init?(_ number: UInt64, level: Int?, segment: UInt32, in store: any BlockStore) {
            guard let view = View(checking: store.block(segment, number)), level == nil || view.level == level else {
                Self.lost(number, segment, in: store)
                return nil
            }
            self = view
        }

        @inline(never)
        static func lost(_ number: UInt64, _ segment: UInt32, in store: any BlockStore) {
            store.damaged("block \(number) of segment \(segment) isn't a node of a list")
        }

        /// Returns `nil` if the bytes aren't a node.
        init?(checking bytes: UnsafeRawBufferPointer?) {
            guard let bytes, let base = bytes.baseAddress, bytes.count >= headerSize else { return nil }
            let header = base.load(as: UInt64.self)
            let count = Int(header >> 16 & 0xFFFF)
            guard count > 0 && header & 0xFFFF_FFFF_0000_FF00 == 0 && bytes.count == headerSize + entrySize * count
            else { return nil }
            level = Int(header & 0xFF)
            guard level < CountedTreeNode.levels else { return nil }
            let childBase = base + headerSize
            let countBase = childBase + 8 * count
            children = UnsafeBufferPointer(start: childBase.assumingMemoryBound(to: UInt64.self), count: count)
            counts = UnsafeBufferPointer(start: countBase.assumingMemoryBound(to: UInt32.self), count: count)
        }

        var count: Int { children.count }
        func child(_ slot: Int) -> UInt64 { children[slot] }
        func count(_ slot: Int) -> Int { Int(counts[slot]) }

        /// Returns the child that contains the element at `index` of the node, and the index of the child's first element. Returns `nil` if the node
        /// has fewer elements.
        func slot(containing index: Int) -> (slot: Int, first: Int)? { Self.slot(containing: index, counts) }

        static func slot(containing index: Int, _ counts: UnsafeBufferPointer<UInt32>) -> (slot: Int, first: Int)? {
            var first = 0
            var slot = 0
            let stride = 16
            // Several counts are added without a comparison in between.
            while slot + stride <= counts.count {
                var sum = 0
                for i in slot..<slot + stride { sum &+= Int(counts[i]) }
                if index < first + sum { break }
                first += sum
                slot += stride
            }
            while slot < counts.count {
                let next = first + Int(counts[slot])
                if index < next { return (slot, first) }
                first = next
                slot += 1
            }
            return nil
        }
    }
}
