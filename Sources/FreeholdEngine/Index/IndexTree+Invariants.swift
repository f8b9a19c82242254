extension IndexTree {
    /// Returns descriptions of the errors in the stored tree, or an empty array for a sound tree.
    /// - Complexity: O(count).
    func checkInvariants(in store: any BlockStore, capacity: Int = BlockLimits.twoPages) -> [String] {
        var check = IndexTreeCheck(tree: self, store: store, capacity: capacity)
        if root == 0 {
            if height != 0 || count != 0 { check.problems.append("An empty tree has height \(height), count \(count)") }
        } else {
            check.visit(root, level: height - 1)
            if check.entries != count { check.problems.append("Count is \(count), entries are \(check.entries)") }
        }
        return check.problems
    }

    /// Returns the number of blocks and the sum of their sizes in bytes.
    func storage(in store: any BlockStore) -> (blocks: Int, bytes: Int) {
        var check = IndexTreeCheck(tree: self, store: store, capacity: .max)
        if root != 0 { check.visit(root, level: height - 1) }
        return (check.visited.count, check.bytes)
    }
}

private struct IndexTreeCheck {
    let tree: IndexTree
    let store: any BlockStore
    let capacity: Int
    var problems: [String] = []
    var visited: Set<UInt64> = []
    var entries = 0
    var bytes = 0
    private var last: (bytes: [UInt8], key: Int64)?

    init(tree: IndexTree, store: any BlockStore, capacity: Int) {
        self.tree = tree
        self.store = store
        self.capacity = capacity
    }

    mutating func visit(_ number: UInt64, level: Int) {
        guard visited.insert(number).inserted else { return problems.append("Block \(number) has two parents") }
        guard let block = store.block(tree.segment, number) else {
            return problems.append("Block \(number) is missing")
        }
        bytes += block.count
        guard block.count >= IndexNode.headerSize, block[7] == IndexNode.format else {
            return problems.append("Block \(number) is not an index node")
        }
        let node = IndexNode(block.baseAddress!)
        if node.level != level { return problems.append("Block \(number) is of level \(node.level), not \(level)") }
        if node.count == 0 { return problems.append("Block \(number) is empty") }
        let longest = node.suffix(node.count - 1)
        let end =
            longest.baseAddress! + longest.count - node.start
            + (node.suffixWidth == IndexNode.offsetsWidth ? IndexNode.tailPadding : 0)
        if end != block.count { return problems.append("Block \(number) ends at \(end), stored are \(block.count)") }
        if block.count > capacity && node.count > 2 {
            problems.append("Block \(number) has \(block.count) bytes of \(capacity)")
        }
        for i in 0..<node.count {
            let bytes = Array(UnsafeRawBufferPointer(start: node.prefix, count: node.prefixLength)) + node.suffix(i)
            let key = node.key(i)
            if level == 0 {
                if let last, !Self.isBelow(last, other: (bytes, key)) {
                    problems.append("Block \(number): entry \(i) is not above the one before")
                }
                last = (bytes, key)
                entries += 1
            } else {
                // All previous entries are below the separator, and all entries of its subtree aren't.
                if let last, !Self.isBelow(last, other: (bytes, key)) {
                    problems.append("Block \(number): separator \(i) is not above its left neighbour's entries")
                }
                let before = entries
                let outer = last
                last = nil
                visit(node.child(i), level: level - 1)
                if entries == before {
                    problems.append("Block \(number): child \(i) is empty")
                    last = outer
                } else if let first = first(node.child(i), level: level - 1), Self.isBelow(first, other: (bytes, key)) {
                    problems.append("Block \(number): separator \(i) is above its child's first entry")
                }
            }
        }
    }

    private func first(_ number: UInt64, level: Int) -> (bytes: [UInt8], key: Int64)? {
        guard let block = store.block(tree.segment, number) else { return nil }
        let node = IndexNode(block.baseAddress!)
        if node.level > 0 { return first(node.child(0), level: level - 1) }
        return (
            Array(UnsafeRawBufferPointer(start: node.prefix, count: node.prefixLength)) + node.suffix(0), node.key(0)
        )
    }

    private static func isBelow(_ a: (bytes: [UInt8], key: Int64), other b: (bytes: [UInt8], key: Int64)) -> Bool {
        a.bytes == b.bytes ? a.key < b.key : a.bytes.lexicographicallyPrecedes(b.bytes)
    }
}
