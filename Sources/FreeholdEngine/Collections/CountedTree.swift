/// A counted B+tree: the chunks of a large list in order, found by the index of an element.
///
/// A chunk is a block of the caller's: the tree knows its number and how many elements it holds, never its contents,
/// and neither makes nor frees it. The tree's own nodes are blocks of the same segment. An edit in the middle of a
/// million elements so writes the caller's chunk and a node a level: two or three blocks.
///
/// ```swift
/// let place = tree.locate(index, in: store)          // which chunk to edit
/// tree.replace(chunkAt: index, with: [(place.chunk, place.count + 1)], in: store)
/// ```
///
/// Except on the right edge, where appending leaves full nodes behind it, every node but the root holds at least two
/// fifths of `capacity` entries. Not thread-safe; a value stands for the blocks of its store and dies with an edit
/// through a copy.
struct CountedTree {
    typealias Chunk = (block: UInt64, count: Int)

    let segment: UInt32
    /// The root node's block; 0 where the tree is empty.
    private(set) var root: UInt64
    /// The number of elements in all chunks.
    private(set) var count: Int
    /// Entries a node, at most.
    let capacity: Int

    static let defaultCapacity = CountedTreeNode.maximumCount

    /// The tree with that root and element count, as once read from `root` and `count`.
    ///
    /// - Parameter capacity: at least 4 and the same for all of a tree's life; other than the default only in tests.
    init(segment: UInt32, root: UInt64 = 0, count: Int = 0, capacity: Int = defaultCapacity) {
        precondition(capacity >= 4 && capacity <= CountedTreeNode.maximumCount)
        self.segment = segment
        self.root = root
        self.count = count
        self.capacity = capacity
    }

    /// Returns a new tree of these chunks, with full nodes. - Complexity: O(chunks).
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

    /// Counts elements of which the nodes are told later: see `recount`.
    mutating func countBehind(by difference: Int) { count += difference }

    /// The entries under which a node is joined with a neighbour. Two halves of an overfull node have more.
    var minimumCount: Int { max(2, capacity * 2 / 5) }
}

// MARK: - Reading

extension CountedTree {
    /// Returns the chunk that holds element `index`, the index of its first element, and its count.
    ///
    /// Nil where the tree is damaged.
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

    /// Returns whether the root's entries have as many elements as the tree is said to.
    func isCounted(in store: any BlockStore) -> Bool {
        if root == 0 { return count == 0 }
        guard let top = CountedTreeNode.View(root, level: nil, segment: segment, in: store) else { return false }
        return top.counts.reduce(0) { $0 + Int($1) } == count
    }

    /// Calls `body` with each chunk from the one that holds element `index` on, the index of its first element and its
    /// count, until it returns false. An index from `count` on has no chunk. `body` must not change the store.
    ///
    /// - Complexity: O(log n) blocks and O(1) a chunk.
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
    /// Puts chunks in the place of the one that holds element `index`: none to remove it, one to change its block or
    /// count, more to split it. In an empty tree, index 0 stands for nothing and the chunks become its contents.
    ///
    /// - Precondition: `0 <= index < count`; no chunk is empty.
    /// - Complexity: O(log n) blocks read, written and freed, and one a full node for a long run of chunks. Nothing is
    ///   written where the one chunk given is the one there.
    mutating func replace(chunkAt index: Int, with chunks: [Chunk], in store: any MutableBlockStore) {
        if root == 0 {
            precondition(index == 0, "Index \(index) is out of bounds: there are no elements")
            append(chunks, in: store)
            return
        }
        precondition(index >= 0 && index < count, "Index \(index) is out of bounds: there are \(count) elements")
        edit(.replace(index), chunks, in: store)
    }

    /// Puts chunks behind the last one. - Complexity: as `replace`.
    mutating func append(_ chunks: [Chunk], in store: any MutableBlockStore) {
        if chunks.isEmpty { return }
        if root == 0 {
            setRoot(write(CountedTreeNode(level: 0, chunks), at: nil, packed: true, in: store), level: 0, in: store)
        } else {
            edit(.append, chunks, in: store)
        }
    }

    /// Takes out the chunks that lie wholly in the range of elements, having told `chunk` each of them in order; those
    /// that reach over an end stay, so shorten them first, or afterwards. `chunk` must not change the store.
    ///
    /// - Precondition: the range is within `0 ... count`.
    /// - Complexity: O(chunks + nodes · log n) for the chunks taken out and the nodes they fill.
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
            // Nothing is removed of a damaged tree.
            guard count < before else { return }
            length -= before - count
        }
    }

    /// Frees the nodes, having told `chunk` every chunk in order, and leaves the tree empty. `chunk` must not change
    /// the store: collect the numbers, then free their blocks. - Complexity: O(chunks).
    mutating func removeAll(in store: any MutableBlockStore, chunk: (UInt64) -> Void) {
        var nodes: [UInt64] = []
        if root != 0 { collect(root, nil, &nodes, in: store, chunk) }
        for number in nodes { store.removeBlock(segment, number) }
        root = 0
        count = 0
    }

    private func collect(
        _ number: UInt64,
        _ level: Int?,
        _ nodes: inout [UInt64],
        in store: any BlockStore,
        _ chunk: (UInt64) -> Void
    ) {
        guard let node = CountedTreeNode.View(number, level: level, segment: segment, in: store) else { return }
        nodes.append(number)
        for slot in 0..<node.count {
            let child = node.child(slot)
            if node.level == 0 { chunk(child) } else { collect(child, node.level - 1, &nodes, in: store, chunk) }
        }
    }

    private enum Edit {
        case replace(Int)
        case append
        /// From one leaf node, the chunks of these elements that it holds.
        case remove(Int, length: Int)
    }

    /// What became of an edited node: the nodes now in its place (none, itself, or itself and those split off), and how
    /// many entries it has where it is alone.
    private struct Outcome {
        var nodes: [Chunk]
        var size: Int
    }

    /// Changes nothing of a damaged tree but nodes beside the damage.
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

    /// Makes one node of the short child at `slot` and a neighbour, or shares their entries evenly.
    ///
    /// - Returns: false where one of them is damaged.
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

    /// Stores a node, in several blocks if it is over capacity: full ones but for the last if `packed`, else of equal
    /// size. The first keeps the number; an empty node is freed.
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

    /// Makes these nodes of one level the tree: under new roots if they are several, and without roots of one child.
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
