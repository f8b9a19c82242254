/// A counted B+tree. It contains the chunks of a large list in order, and finds them by the index of an element.
///
/// A chunk is a block of the caller. The tree knows its number and its number of elements, but not its contents, and doesn't create or free it. The
/// tree's own nodes are blocks of the same segment. An edit in the middle of a million elements therefore writes the caller's chunk and one node for
/// each level, which are two or three blocks.
///
/// ```swift
/// let place = tree.locate(index, in: store)          // which chunk to edit
/// tree.replace(chunkAt: index, with: [(place.chunk, place.count + 1)], in: store)
/// ```
///
/// Every node except the root contains at least two fifths of `capacity` entries. Nodes on the right edge may have fewer, because appends leave full
/// nodes behind. It isn't thread-safe. A value refers to the blocks of its store and becomes invalid if a copy of it is edited.
struct CountedTree {
    typealias Chunk = (block: UInt64, count: Int)

    let segment: UInt32
    /// The block of the root node, or 0 if the tree is empty.
    private(set) var root: UInt64
    /// The number of elements in all chunks.
    private(set) var count: Int
    /// The maximum number of entries in a node.
    let capacity: Int

    static let defaultCapacity = CountedTreeNode.maximumCount

    /// Creates a tree with a root and an element count that were read from `root` and `count` before.
    ///
    /// - Parameter capacity: the maximum number of entries in a node, at least 4. It must never change for a tree. Only tests use another value than
    ///   the default.
    init(segment: UInt32, root: UInt64 = 0, count: Int = 0, capacity: Int = defaultCapacity) {
        precondition(capacity >= 4 && capacity <= CountedTreeNode.maximumCount)
        self.segment = segment
        self.root = root
        self.count = count
        self.capacity = capacity
    }

    /// Returns a new tree of these chunks, with full nodes.
    /// - Complexity: O(chunks).
    static func make(
        segment: UInt32,
        chunks: [Chunk],
        in store: any MutableBlockStore,
        capacity: Int = defaultCapacity
    ) -> CountedTree {
        var tree = CountedTree(segment: segment, capacity: capacity)
        tree.append(chunks, in: store)
        return tree
    }

    /// Changes the element count before the nodes are updated: see `recount`.
    mutating func countBehind(by difference: Int) { count += difference }

    /// The minimum number of entries. A node with fewer entries is merged with a neighbour. Each half of an overfull node has more.
    var minimumCount: Int { max(2, capacity * 2 / 5) }
}

// MARK: - Reading

extension CountedTree {
    /// Returns the chunk that contains the element at `index`, the index of the chunk's first element, and its count.
    ///
    /// Returns `nil` if the tree is damaged.
    ///
    /// - Precondition: `0 <= index < count`.
    /// - Complexity: O(log n) blocks.
    func locate(_ index: Int, in store: any BlockStore) -> (chunk: UInt64, start: Int, count: Int)? {
        precondition(index >= 0 && index < count, "Index \(index) is out of bounds: there are \(count) elements")
        var number = root
        var start = 0
        var level: Int?
        while let node = CountedTreeNode.View(number, level: level, segment: segment, in: store) {
            guard let (slot, first) = node.slot(containing: index - start) else {
                CountedTreeNode.View.lost(number, segment, in: store)
                return nil
            }
            start += first
            number = node.child(slot)
            if node.level == 0 { return (number, start, node.count(slot)) }
            level = node.level - 1
        }
        return nil
    }

    /// Returns whether the counts of the root's entries add up to the tree's count.
    func isCounted(in store: any BlockStore) -> Bool {
        if root == 0 { return count == 0 }
        guard let top = CountedTreeNode.View(root, level: nil, segment: segment, in: store) else { return false }
        return top.counts.reduce(0) { $0 + Int($1) } == count
    }

    /// Calls `body` with each chunk, the index of its first element and its count, until `body` returns false. The first chunk is the one that
    /// contains the element at `index`. If `index` is `count` or more, `body` isn't called. `body` must not change the store.
    ///
    /// - Complexity: O(log n) blocks, and O(1) for each chunk.
    func forEachChunk(
        from index: Int = 0,
        in store: any BlockStore,
        _ body: (_ chunk: UInt64, _ start: Int, _ count: Int) -> Bool
    ) {
        precondition(index >= 0, "Index \(index) is out of bounds")
        guard index < count else { return }
        guard let top = CountedTreeNode.View(root, level: nil, segment: segment, in: store) else { return }
        guard top.counts.reduce(0, { $0 + Int($1) }) == count else {
            return CountedTreeNode.View.lost(root, segment, in: store)
        }
        _ = walk(root, level: top.level, elements: count, start: 0, from: index, in: store, body)
    }

    private func walk(
        _ number: UInt64,
        level: Int,
        elements: Int,
        start: Int,
        from index: Int,
        in store: any BlockStore,
        _ body: (UInt64, Int, Int) -> Bool
    ) -> Bool {
        guard let node = CountedTreeNode.View(number, level: level, segment: segment, in: store) else { return false }
        guard node.counts.reduce(0, { $0 + Int($1) }) == elements,
            var (slot, first) = index > start ? node.slot(containing: index - start) : (0, 0)
        else {
            CountedTreeNode.View.lost(number, segment, in: store)
            return false
        }
        while slot < node.count {
            let count = node.count(slot)
            let goesOn =
                node.level == 0
                ? body(node.child(slot), start + first, count)
                : walk(
                    node.child(slot),
                    level: level - 1,
                    elements: count,
                    start: start + first,
                    from: index,
                    in: store,
                    body
                )
            guard goesOn else { return false }
            first += count
            slot += 1
        }
        return true
    }
}

// MARK: - Editing

extension CountedTree {
    /// Replaces the chunk that contains the element at `index` by the given chunks: by none to remove it, by one to change its block or count, and by
    /// several to split it. In an empty tree, the index is 0, and the chunks become the tree's contents.
    ///
    /// - Precondition: `0 <= index < count`; no chunk is empty.
    /// - Complexity: O(log n) blocks are read, written and freed. For many chunks, one more block is written for each full node. Nothing is written
    ///   if the only chunk is equal to the present one.
    mutating func replace(chunkAt index: Int, with chunks: [Chunk], in store: any MutableBlockStore) {
        if root == 0 {
            precondition(index == 0, "Index \(index) is out of bounds: there are no elements")
            append(chunks, in: store)
            return
        }
        precondition(index >= 0 && index < count, "Index \(index) is out of bounds: there are \(count) elements")
        edit(.replace(index), chunks, in: store)
    }

    /// Appends chunks.
    /// - Complexity: like `replace`.
    mutating func append(_ chunks: [Chunk], in store: any MutableBlockStore) {
        if chunks.isEmpty { return }
        if root == 0 {
            setRoot(write(CountedTreeNode(level: 0, chunks), at: nil, packed: true, in: store), level: 0, in: store)
        } else {
            edit(.append, chunks, in: store)
        }
    }

    /// Removes the chunks that are completely inside the range of elements, after calling `chunk` with each of them in order. Chunks that reach
    /// beyond the range remain, so shorten them before or afterwards. `chunk` must not change the store.
    ///
    /// - Precondition: the range is within `0 ... count`.
    /// - Complexity: O(chunks + nodes · log n) for the removed chunks and the nodes that they fill.
    mutating func removeChunks(in range: Range<Int>, in store: any MutableBlockStore, chunk: (UInt64) -> Void) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "Range \(range) is out of bounds")
        var first = range.lowerBound
        var length = 0
        forEachChunk(from: range.lowerBound, in: store) { number, start, count in
            if start < range.lowerBound { return true }
            if start + count > range.upperBound { return false }
            if length == 0 { first = start }
            chunk(number)
            length += count
            return true
        }
        while length > 0 {
            let before = count
            edit(.remove(first, length: length), [], in: store)
            // In a damaged tree, nothing was removed.
            guard count < before else { return }
            length -= before - count
        }
    }

    /// Calls `chunk` with every chunk in order, frees the nodes, and leaves the tree empty. `chunk` must not change the store: collect the numbers,
    /// and free the blocks afterwards.
    /// - Complexity: O(chunks).
    mutating func removeAll(in store: any MutableBlockStore, chunk: (UInt64) -> Void) {
        var nodes: [UInt64] = []
        if root != 0 { collect(root, nil, into: &nodes, in: store, chunk: chunk) }
        for number in nodes { store.removeBlock(segment, number) }
        root = 0
        count = 0
    }

    private func collect(
        _ number: UInt64,
        _ level: Int?,
        into nodes: inout [UInt64],
        in store: any BlockStore,
        chunk: (UInt64) -> Void
    ) {
        guard let node = CountedTreeNode.View(number, level: level, segment: segment, in: store) else { return }
        nodes.append(number)
        for slot in 0..<node.count {
            let child = node.child(slot)
            if node.level == 0 {
                chunk(child)
            } else {
                collect(child, node.level - 1, into: &nodes, in: store, chunk: chunk)
            }
        }
    }

    private enum Edit {
        case replace(Int)
        case append
        /// A removal of the chunks of these elements from one leaf node.
        case remove(Int, length: Int)
    }

    /// The result of an edit of a node: the nodes in its place (none, the node itself, or the node and those split off), and the number of its
    /// entries if it is the only one.
    private struct Outcome {
        var nodes: [Chunk]
        var size: Int
    }

    /// Edits the tree. In a damaged tree, only nodes beside the damage can change.
    private mutating func edit(_ edit: Edit, _ chunks: [Chunk], in store: any MutableBlockStore) {
        guard let level = CountedTreeNode.View(root, level: nil, segment: segment, in: store)?.level,
            let outcome = apply(edit, chunks, to: root, level: level, onEdge: true, in: store)
        else { return }
        setRoot(outcome, level: level, in: store)
    }

    private func apply(
        _ edit: Edit,
        _ chunks: [Chunk],
        to number: UInt64,
        level: Int,
        onEdge: Bool,
        in store: any MutableBlockStore
    ) -> Outcome? {
        guard var node = CountedTreeNode(number, level: level, segment: segment, in: store) else { return nil }
        let slot: Int
        let inner: Edit
        func place(_ index: Int) -> (slot: Int, first: Int)? {
            if let found = node.slot(containing: index) { return found }
            CountedTreeNode.View.lost(number, segment, in: store)
            return nil
        }
        switch edit {
        case .replace(let index):
            guard let (found, first) = place(index) else { return nil }
            slot = found
            inner = .replace(index - first)
        case .append:
            slot = node.count - 1
            inner = .append
        case .remove(let index, let length):
            guard let (found, first) = place(index) else { return nil }
            slot = found
            inner = .remove(index - first, length: length)
        }
        let atEnd = onEdge && slot == node.count - 1
        if node.level == 0 {
            switch edit {
            case .append:
                node.insert(chunks, at: node.count)
            case .remove(_, let length):
                node.remove(from: slot, elements: length)
            case .replace:
                guard node.replace(slot, with: chunks) else {
                    return Outcome(nodes: [node.entry(number)], size: node.count)
                }
            }
        } else {
            let child = node.children[slot]
            guard let outcome = apply(inner, chunks, to: child, level: level - 1, onEdge: atEnd, in: store) else {
                return nil
            }
            let isShort = outcome.nodes.count == 1 && outcome.size < minimumCount && !atEnd && node.count > 1
            guard node.replace(slot, with: outcome.nodes) || isShort else {
                return Outcome(nodes: [node.entry(number)], size: node.count)
            }
            if isShort { guard join(slot, of: &node, in: store) else { return nil } }
        }
        return write(node, at: number, packed: atEnd, in: store)
    }

    /// Merges the short child at `slot` with a neighbour, or distributes their entries evenly.
    ///
    /// - Returns: false if one of them is damaged.
    private func join(_ slot: Int, of parent: inout CountedTreeNode, in store: any MutableBlockStore) -> Bool {
        let left = slot > 0 ? slot - 1 : slot
        let numbers = (parent.children[left], parent.children[left + 1])
        let level = parent.level - 1
        guard var joined = CountedTreeNode(numbers.0, level: level, segment: segment, in: store),
            let right = CountedTreeNode(numbers.1, level: level, segment: segment, in: store)
        else { return false }
        joined.append(right)
        if joined.count <= capacity {
            store.removeBlock(segment, numbers.1)
            joined.put(at: numbers.0, segment: segment, in: store)
            parent.replace(left..<left + 2, with: [joined.entry(numbers.0)])
        } else {
            let half = joined.count / 2
            let first = joined.part(0..<half)
            let second = joined.part(half..<joined.count)
            first.put(at: numbers.0, segment: segment, in: store)
            second.put(at: numbers.1, segment: segment, in: store)
            parent.replace(left..<left + 2, with: [first.entry(numbers.0), second.entry(numbers.1)])
        }
        return true
    }

    /// Stores a node. If it exceeds the capacity, it is divided into several blocks: full ones except the last if `packed` is true, otherwise blocks
    /// of equal size. The first block keeps the number. An empty node is freed.
    private func write(
        _ node: CountedTreeNode,
        at number: UInt64?,
        packed: Bool,
        in store: any MutableBlockStore
    ) -> Outcome {
        if node.count == 0 {
            if let number { store.removeBlock(segment, number) }
            return Outcome(nodes: [], size: 0)
        }
        let parts = (node.count + capacity - 1) / capacity
        var nodes: [Chunk] = []
        nodes.reserveCapacity(parts)
        var start = 0
        for part in 0..<parts {
            let end =
                packed
                ? min(start + capacity, node.count)
                : node.count / parts * (part + 1) + min(part + 1, node.count % parts)
            let piece = parts == 1 ? node : node.part(start..<end)
            let target = (part == 0 ? number : nil) ?? store.allocateBlock(segment)
            piece.put(at: target, segment: segment, in: store)
            nodes.append(piece.entry(target))
            start = end
        }
        return Outcome(nodes: nodes, size: parts == 1 ? node.count : 0)
    }

    /// Makes these nodes of one level the tree. Several nodes receive new roots, and roots with a single child are removed.
    private mutating func setRoot(_ outcome: Outcome, level: Int, in store: any MutableBlockStore) {
        var nodes = outcome.nodes
        var level = level
        while nodes.count > 1 {
            level += 1
            nodes = write(CountedTreeNode(level: level, nodes), at: nil, packed: true, in: store).nodes
        }
        root = nodes.first?.block ?? 0
        count = nodes.first?.count ?? 0
        while root != 0 {
            guard let node = CountedTreeNode.View(root, level: nil, segment: segment, in: store), node.level > 0,
                node.count == 1
            else { return }
            let child = node.child(0)
            store.removeBlock(segment, root)
            root = child
        }
    }
}
