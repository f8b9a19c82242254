/// A B+tree of packed blocks (see `IndexNode`) in one segment. Its entries are pairs of an encoded value and an object key, in this order.
///
/// A value may have several keys, if the rules of the caller allow it. The tree itself is three numbers that the caller stores. Its blocks are in the
/// store. Readers don't need a lock, because they only read blocks.
struct IndexTree: Equatable, Sendable {
    /// The maximum size of an entry's value in bytes.
    static let maximumLength = max(OrderedEncoding.maximumLength, CompoundEncoding.maximumLength)

    let segment: UInt32
    /// The number of the root block, or 0 for an empty tree.
    private(set) var root: UInt64
    /// The number of levels: 0 for an empty tree, 1 if the root is a leaf.
    private(set) var height: Int
    /// The number of entries.
    private(set) var count: Int

    init(segment: UInt32, root: UInt64 = 0, height: Int = 0, count: Int = 0) {
        self.segment = segment
        self.root = root
        self.height = height
        self.count = count
    }

    var isEmpty: Bool { root == 0 }

    /// Returns a node of a level, or of any level if `level` is `nil`. Returns `nil` if the node is missing or on another level. The form of the node
    /// was checked when it was first read.
    @inline(__always)
    func node(_ number: UInt64, level: Int? = nil, in store: any BlockStore) -> IndexNode? {
        guard let block = store.block(segment, number) else { return lost(number, in: store) }
        let node = IndexNode(block.baseAddress!)
        if let level, node.level != level { return lost(number, in: store) }
        return node
    }

    @inline(never)
    private func lost(_ number: UInt64, in store: any BlockStore) -> IndexNode? {
        Self.lost(segment, number, in: store)
        return nil
    }

    static func lost(_ segment: UInt32, _ number: UInt64, in store: any BlockStore) {
        store.damaged("the index in segment \(segment) has lost its block \(number)")
    }

    /// Returns the least object key of a value.
    /// - Complexity: O(log count).
    func find(_ bytes: UnsafeRawBufferPointer, in store: any BlockStore) -> Int64? {
        guard root != 0, let node = node(root, in: store) else { return nil }
        return find(bytes, from: node, in: store)
    }

    private func find(_ bytes: UnsafeRawBufferPointer, from top: IndexNode, in store: any BlockStore) -> Int64? {
        var node = top
        while node.level > 0 {
            var at = node.lowerBound(bytes)
            // If the value itself separates two children, its first entries may be at the end of the left child.
            if at < node.count, node.isEqual(at, bytes) {
                if at > 0, let left = self.node(node.child(at - 1), level: node.level - 1, in: store),
                    let key = find(bytes, from: left, in: store)
                {
                    return key
                }
            } else if at > 0 {
                at &-= 1
            }
            guard let child = self.node(node.child(at), level: node.level - 1, in: store) else { return nil }
            node = child
        }
        let at = node.lowerBound(bytes)
        return at < node.count && node.isEqual(at, bytes) ? node.key(at) : nil
    }

    /// Returns whether the tree contains the value with this object key.
    /// - Complexity: O(log count).
    func contains(_ bytes: UnsafeRawBufferPointer, _ key: Int64, in store: any BlockStore) -> Bool {
        guard root != 0, var node = node(root, in: store) else { return false }
        while node.level > 0 {
            let at = max(0, node.upperBound(bytes, key) - 1)
            guard let child = self.node(node.child(at), level: node.level - 1, in: store) else { return false }
            node = child
        }
        let at = node.lowerBound(bytes, key)
        return at < node.count && node.key(at) == key && node.isEqual(at, bytes)
    }

    /// Removes all entries and frees all blocks.
    /// - Complexity: O(blocks).
    mutating func removeAll(in store: any MutableBlockStore) {
        if root != 0 { removeBlocks(root, level: nil, in: store) }
        set(root: 0, height: 0, count: 0)
    }

    private func removeBlocks(_ number: UInt64, level: Int?, in store: any MutableBlockStore) {
        guard let node = node(number, level: level, in: store) else { return }
        if node.level > 0 {
            let below = node.level - 1
            let children = (0..<node.count).map { node.child($0) }
            for child in children { removeBlocks(child, level: below, in: store) }
        }
        store.removeBlock(segment, number)
    }

    mutating func set(root: UInt64, height: Int, count: Int) {
        self.root = root
        self.height = height
        self.count = count
    }
}
