extension IndexTree {
    /// Merges the pending changes into the tree and removes them.
    ///
    /// Only the blocks of changed entries are rewritten. The addition of an existing entry and the removal of a missing entry have no effect.
    /// - Parameters:
    ///   - capacity: the maximum size of a block in bytes. Tests use small sizes.
    ///   - stretch: the number of changes that are merged before `pause` is called, or `nil` for a number that rewrites about 2,000 blocks.
    ///   - pause: a closure that is called with the tree, when the tree is complete and none of its blocks is in use.
    /// - Complexity: O(changes × log(count) + visited blocks).
    mutating func apply(
        _ changes: IndexChanges,
        in store: any MutableBlockStore,
        capacity: Int = BlockLimits.twoPages,
        stretch: Int? = nil,
        pause: (IndexTree) -> Void = { _ in }
    ) {
        changes.sort()
        // Most blocks contain more entries.
        let blocks = min(changes.count, count / 128)
        let stretch = stretch ?? max(1, changes.count / (blocks / 2048 + 1))
        var from = 0
        while from < changes.count {
            // The last stretch includes the remainder of the division.
            let to = changes.count - from < 2 * stretch ? changes.count : from + stretch
            let writer = IndexTreeWriter(changes, store, segment: segment, capacity: capacity)
            let (root, height) = writer.apply(from..<to, root: root, height: height)
            set(root: root, height: height, count: count + writer.added)
            from = to
            if from < changes.count { pause(self) }
        }
        changes.removeAll()
    }
}

/// A merge of sorted changes into an index tree.
final class IndexTreeWriter {
    private let changes: IndexChanges
    private let store: any MutableBlockStore
    private let segment: UInt32
    private let capacity: Int
    /// The number of added entries minus the number of removed entries.
    private(set) var added = 0
    /// The bytes of the separators that are passed to the next level.
    private let arena = IndexArena()
    /// The leaf that is being merged: its packed copy, its decoded bytes, and the merged entries.
    private let packed = IndexBlockBuffer()
    private let decoded = IndexArena()
    private let entries = IndexEntryBuffer()
    private let output = IndexBlockBuffer()

    /// The way in which blocks are filled if the entries need more than one.
    enum Fill {
        /// Each block is filled completely. Entries were appended, and more are expected.
        case full
        /// All blocks have about the same size. Entries were added in between.
        case even
    }

    /// The result of a merge into a subtree.
    struct Outcome {
        /// The blocks that replace the subtree, or `nil` if its block and separator haven't changed.
        var replacement: [IndexEntry]?
        /// The blocks that may be merged with a neighbour.
        var underfull: [UInt64] = []
    }

    init(_ changes: IndexChanges, _ store: any MutableBlockStore, segment: UInt32, capacity: Int) {
        self.changes = changes
        self.store = store
        self.segment = segment
        self.capacity = capacity
    }

    /// - Parameter range: the range of the changes.
    func apply(_ range: Range<Int>, root: UInt64, height: Int) -> (root: UInt64, height: Int) {
        var height = height
        var nodes: [IndexEntry]
        if root == 0 {
            nodes = mergeLeaf(nil, from: range.lowerBound, to: range.upperBound, isLast: true).replacement ?? []
            height = 1
        } else {
            let outcome = merge(root, height - 1, from: range.lowerBound, to: range.upperBound, isLast: true)
            nodes =
                outcome.replacement ?? [
                    IndexEntry(bytes: UnsafeRawPointer(bitPattern: 8)!, length: 0, key: 0, child: root)
                ]
        }
        if nodes.isEmpty { return (0, 0) }
        while nodes.count > 1 {
            nodes = nodes.withUnsafeBufferPointer { write($0, level: height, fill: .full, reuse: nil) }
            height += 1
        }
        var root = nodes[0].child
        while height > 1 {
            guard let node = node(root, height - 1), node.count == 1 else { break }
            let child = node.child(0)
            store.removeBlock(segment, root)
            root = child
            height -= 1
        }
        return (root, height)
    }

    private func node(_ number: UInt64, _ level: Int) -> IndexNode? {
        block(number, level).map { IndexNode($0.baseAddress!) }
    }

    /// Returns a node's bytes, or `nil` if the node is missing or on another level than expected. In this case nothing is changed there, and the
    /// damage has been recorded.
    private func block(_ number: UInt64, _ level: Int) -> UnsafeRawBufferPointer? {
        if let block = store.block(segment, number), IndexNode(block.baseAddress!).level == level { return block }
        IndexTree.lost(segment, number, in: store)
        return nil
    }

    /// Merges the changes `from ..< to` into the subtree. `isLast` indicates that the subtree is the tree's right edge.
    private func merge(_ number: UInt64, _ level: Int, from: Int, to: Int, isLast: Bool) -> Outcome {
        level == 0
            ? mergeLeaf(number, from: from, to: to, isLast: isLast)
            : mergeInner(number, level, from: from, to: to, isLast: isLast)
    }

    // MARK: Leaves

    private func mergeLeaf(_ number: UInt64?, from: Int, to: Int, isLast: Bool) -> Outcome {
        entries.removeAll()
        decoded.removeAll()
        var blocks: [IndexEntry] = []
        var number = number
        guard let old = number else {
            for i in from..<to where changes.records[i].isInsert {
                add(changes.records[i])
                flushIfLong(&blocks, &number)
            }
            return finishLeaf(&blocks, &number, old: nil, fill: .full)
        }
        guard let stored = block(old, 0) else { return Outcome() }
        let node = IndexNode(packed.copy(stored))
        var at = 0
        var fill: Fill?
        for i in from..<to {
            let record = changes.records[i]
            let bytes = changes.bytes(record)
            // Entries ascend, unless they are damaged.
            let place = at < node.count ? max(at, node.lowerBound(bytes, record.key)) : at
            if fill == nil { fill = isLast && place == node.count ? .full : .even }
            copy(node, at..<place)
            at = place
            let isThere = at < node.count && node.key(at) == record.key && node.isEqual(at, bytes)
            if record.isInsert {
                if !isThere { add(record) }
            } else if isThere {
                at += 1
                added -= 1
            }
            flushIfLong(&blocks, &number)
        }
        copy(node, at..<node.count)
        return finishLeaf(&blocks, &number, old: old, fill: fill ?? .even)
    }

    @inline(__always)
    private func add(_ record: IndexChanges.Record) {
        let bytes = changes.bytes(record)
        entries.append(IndexEntry(bytes: bytes.baseAddress!, length: bytes.count, key: record.key))
        added += 1
    }

    /// Copies entries of a node.
    /// - Precondition: the node is a copy with eight readable bytes after it.
    private func copy(_ node: IndexNode, _ range: Range<Int>) {
        guard node.level == 0, node.suffixWidth <= 8, node.prefixLength <= 8 else {
            for i in range { entries.append(decode(node, i, into: decoded)) }
            return
        }
        // Two words are copied for each entry. The excess bytes are overwritten later or are after the end.
        let prefix = node.prefix.loadUnaligned(as: UInt64.self)
        let prefixLength = node.prefixLength
        let width = node.suffixWidth
        for i in range {
            let p = decoded.reserve(16)
            p.storeBytes(of: prefix, as: UInt64.self)
            let suffix = node.suffixes.loadUnaligned(fromByteOffset: i &* width, as: UInt64.self)
            p.storeBytes(of: suffix, toByteOffset: prefixLength, as: UInt64.self)
            decoded.commit(prefixLength &+ width)
            entries.append(IndexEntry(bytes: UnsafeRawPointer(p), length: prefixLength &+ width, key: node.key(i)))
        }
    }

    @inline(__always)
    private func decode(_ node: IndexNode, _ i: Int, into arena: IndexArena) -> IndexEntry {
        let p = arena.reserve(IndexTree.maximumLength)
        let length = node.copyBytes(i, to: p)
        arena.commit(length)
        return IndexEntry(
            bytes: UnsafeRawPointer(p),
            length: length,
            key: node.key(i),
            child: node.level > 0 ? node.child(i) : 0
        )
    }

    /// Writes full blocks during a long run of changes, so that the memory use remains limited.
    private func flushIfLong(_ blocks: inout [IndexEntry], _ number: inout UInt64?) {
        guard entries.count >= 1 << 15 else { return }
        var start = 0
        while true {
            let (end, shape) = fit(entries.buffer, start, level: 0, limit: capacity)
            // Half of the entries remain for the distribution at the end.
            if end > entries.count / 2 { break }
            blocks.append(put(entries.buffer, start..<end, shape: shape, reuse: number))
            number = nil
            start = end
        }
        entries.removeFirst(start)
    }

    private func finishLeaf(
        _ blocks: inout [IndexEntry],
        _ number: inout UInt64?,
        old: UInt64?,
        fill: Fill
    ) -> Outcome {
        if entries.count > 0 { blocks += write(entries.buffer, level: 0, fill: fill, reuse: number) }
        if blocks.isEmpty, let old { store.removeBlock(segment, old) }
        return outcome(blocks, old)
    }

    private func outcome(_ blocks: [IndexEntry], _ old: UInt64?) -> Outcome {
        var outcome = Outcome()
        for entry in blocks where (store.block(segment, entry.child)?.count ?? capacity) < capacity / 4 {
            outcome.underfull.append(entry.child)
        }
        if blocks.count != 1 || blocks[0].child != old { outcome.replacement = blocks }
        return outcome
    }

    // MARK: Inner nodes

    private func mergeInner(_ number: UInt64, _ level: Int, from: Int, to: Int, isLast: Bool) -> Outcome {
        let buffer = IndexBlockBuffer()
        guard let stored = block(number, level) else { return Outcome() }
        let node = IndexNode(buffer.copy(stored))
        var edits: [(index: Int, children: [IndexEntry])] = []
        var underfull: [UInt64] = []
        var next = from
        var least = 0
        while next < to {
            let record = changes.records[next]
            let bytes = changes.bytes(record)
            let found = max(0, node.upperBound(bytes, record.key) - 1)
            // Separators ascend, unless they are damaged.
            let index = max(found, min(least, node.count - 1))
            least = index + 1
            let end =
                index + 1 < node.count
                ? max(next + 1, firstChange(from: next, to: to, atOrAbove: decode(node, index + 1, into: arena))) : to
            let outcome = merge(
                node.child(index),
                level - 1,
                from: next,
                to: end,
                isLast: isLast && index == node.count - 1
            )
            underfull += outcome.underfull
            // A separator must remain a lower bound of its subtree.
            let isLower =
                index == 0 && node.lowerBound(bytes, record.key) == 0 && !isFirst(node, bytes, key: record.key)
            if isLower || outcome.replacement != nil {
                var separator = decode(node, index, into: arena)
                let number = separator.child
                if isLower {
                    separator = IndexEntry(bytes: bytes.baseAddress!, length: bytes.count, key: record.key)
                }
                separator.child = number
                var children = outcome.replacement ?? [separator]
                if !children.isEmpty {
                    separator.child = children[0].child
                    children[0] = separator
                }
                edits.append((index, children))
            }
            next = end
        }
        if edits.isEmpty && underfull.isEmpty { return Outcome() }

        var children: [IndexEntry] = []
        children.reserveCapacity(node.count + 8)
        var at = 0
        for edit in edits {
            for i in at..<edit.index { children.append(decode(node, i, into: arena)) }
            children += edit.children
            at = edit.index + 1
        }
        for i in at..<node.count { children.append(decode(node, i, into: arena)) }
        let merged = joinUnderfull(underfull, &children, level: level - 1)
        if edits.isEmpty && !merged { return Outcome() }
        if children.isEmpty {
            store.removeBlock(segment, number)
            return Outcome(replacement: [])
        }
        let appended = isLast && edits.count == 1 && edits[0].index == node.count - 1
        let blocks = children.withUnsafeBufferPointer {
            write($0, level: level, fill: appended ? .full : .even, reuse: number)
        }
        return outcome(blocks, number)
    }

    private func isFirst(_ node: IndexNode, _ bytes: UnsafeRawBufferPointer, key: Int64) -> Bool {
        node.key(0) == key && node.isEqual(0, bytes)
    }

    /// Returns the index of the first change at or above an entry, by a search with doubling steps.
    private func firstChange(from: Int, to: Int, atOrAbove entry: IndexEntry) -> Int {
        let leading = IndexNode.leading(entry.bytes + 1, entry.length - 1)
        let tag = entry.bytes.load(as: UInt8.self)
        func isBelow(_ i: Int) -> Bool {
            let record = changes.records[i]
            if record.tag != tag { return record.tag < tag }
            if record.leading != leading { return record.leading < leading }
            return changes.bytes(record).isBelow(record.key, entry.buffer, otherKey: entry.key)
        }
        var low = from
        var step = 1
        while low + step < to, isBelow(low + step) {
            low += step
            step *= 2
        }
        var high = min(to, low + step)
        while low < high {
            let middle = (low + high) / 2
            if isBelow(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Merges blocks that are less than a quarter full with a neighbour under the same parent, if both together leave free space.
    private func joinUnderfull(_ underfull: [UInt64], _ children: inout [IndexEntry], level: Int) -> Bool {
        var changed = false
        for number in underfull {
            guard let at = children.firstIndex(where: { $0.child == number }) else { continue }
            guard let size = block(number, level)?.count else { continue }
            let room = capacity * 3 / 4
            for left in [at - 1, at] where left >= 0 && left + 1 < children.count {
                let other = left == at ? at + 1 : left
                guard let neighbour = block(children[other].child, level), size + neighbour.count <= room else {
                    continue
                }
                let right = children[left + 1]
                entries.removeAll()
                decoded.removeAll()
                for half in [left, left + 1] {
                    guard let node = node(children[half].child, level) else { return changed }
                    for i in 0..<node.count { entries.append(decode(node, i, into: decoded)) }
                    // The first separator of a node can be too low. The parent's separator is a valid bound for both nodes.
                    if level > 0, half == left + 1 {
                        let index = entries.count - node.count
                        let child = entries[index].child
                        entries[index] = right
                        entries[index].child = child
                    }
                }
                let (end, shape) = fit(entries.buffer, 0, level: level, limit: capacity)
                guard end == entries.count else { continue }
                _ = put(entries.buffer, 0..<end, shape: shape, reuse: children[left].child)
                store.removeBlock(segment, right.child)
                children.remove(at: left + 1)
                changed = true
                break
            }
        }
        return changed
    }

    // MARK: Writing blocks

    /// Packs entries into blocks, the first with the given number, and returns a separator for each.
    private func write(
        _ entries: UnsafeBufferPointer<IndexEntry>,
        level: Int,
        fill: Fill,
        reuse: UInt64?
    ) -> [IndexEntry] {
        var parts: [(range: Range<Int>, shape: IndexNodeShape)] = []
        func divide(limit: Int, most: Int) {
            parts.removeAll()
            var start = 0
            while start < entries.count {
                let isLast = parts.count == most - 1
                let (end, shape) = fit(entries, start, level: level, limit: isLast ? capacity : limit)
                parts.append((start..<end, shape))
                start = end
            }
        }
        divide(limit: capacity, most: .max)
        if fill == .even && parts.count > 1 {
            let total = parts.reduce(0) { $0 + $1.shape.size }
            divide(limit: min(capacity, total / parts.count + 16), most: parts.count)
        }
        var separators: [IndexEntry] = []
        separators.reserveCapacity(parts.count)
        for part in parts {
            separators.append(put(entries, part.range, shape: part.shape, reuse: separators.isEmpty ? reuse : nil))
        }
        return separators
    }

    /// Returns the end of the entries from `start` on that fit into `limit` bytes. One entry of a leaf and two entries of an inner node always fit.
    private func fit(
        _ entries: UnsafeBufferPointer<IndexEntry>,
        _ start: Int,
        level: Int,
        limit: Int
    ) -> (end: Int, shape: IndexNodeShape) {
        // In most cases all entries fit, which can be tested faster. An entry takes at least one byte.
        if entries.count - start <= limit {
            let shape = IndexNodeShape(level: level, all: UnsafeBufferPointer(rebasing: entries[start...]))
            if shape.size <= limit { return (entries.count, shape) }
        }
        let least = start + (level == 0 ? 1 : 2)
        let first = entries[start]
        var shape = IndexNodeShape(level: level)
        var i = start
        while i < entries.count {
            var larger = shape
            larger.add(entries[i], first: first)
            if i >= least && larger.size > limit { break }
            shape = larger
            i += 1
        }
        return (i, shape)
    }

    private func put(
        _ entries: UnsafeBufferPointer<IndexEntry>,
        _ range: Range<Int>,
        shape: IndexNodeShape,
        reuse: UInt64?
    ) -> IndexEntry {
        let number = reuse ?? store.allocateBlock(segment)
        let p = output.reserve(shape.size)
        let size = IndexNode.encode(UnsafeBufferPointer(rebasing: entries[range]), shape, to: p)
        store.putBlock(segment, number, bytes: UnsafeRawBufferPointer(start: p, count: size))
        var separator = entries[range.lowerBound]
        separator.bytes = arena.copy(separator.buffer)
        separator.child = number
        return separator
    }
}
