/// The chunk of a large list that was edited last, decoded: further edits within it change memory only.
///
/// Meanwhile its block, and what the nodes above it say of its length, are behind. Whatever else reads, writes or frees one of
/// these closes it first (`WriteTransaction.block`). The list's slot has the right length throughout. A transaction has two:
/// those of a dictionary's keys and values, or of two lists.
final class OpenChunk {
    let segment: UInt32
    let number: UInt64
    /// The tree's root, which edits within a chunk leave where it is.
    let root: UInt64
    /// The index of its first element.
    let start: Int
    let buffer: LeafBuffer
    @exclusivity(unchecked) var weight: Int
    /// How many elements the tree's nodes say that it has, and the list.
    let countedHere: Int
    let countedInAll: Int
    /// Its block's number, and those of the nodes above it.
    private let stale: UnsafeMutableBufferPointer<UInt64>

    /// - Parameters:
    ///   - tree: as its nodes have it.
    ///   - buffer: changed already.
    ///   - counted: how many elements the chunk has in the nodes.
    init(
        _ number: UInt64,
        of tree: CountedTree,
        start: Int,
        buffer: LeafBuffer,
        weight: Int,
        counted: Int,
        in store: any BlockStore
    ) {
        segment = tree.segment
        self.number = number
        root = tree.root
        self.start = start
        self.buffer = buffer
        self.weight = weight
        countedHere = counted
        countedInAll = tree.count
        let blocks = [number] + tree.nodes(above: start, in: store)
        stale = .allocate(capacity: blocks.count)
        _ = stale.initialize(from: blocks)
    }

    deinit { stale.deallocate() }

    /// Returns whether a block isn't what it should be while the chunk is open.
    @inline(__always)
    func concerns(_ segment: UInt32, _ number: UInt64) -> Bool {
        segment == self.segment && stale.contains(number)
    }

    /// The index behind its last element.
    var end: Int { start + buffer.count }
}

extension WriteTransaction {
    /// Keeps a chunk open, in place of the older one of two.
    func open(_ chunk: OpenChunk) {
        if let older = olderChunk, newerChunk != nil { close(older) }
        olderChunk = newerChunk ?? olderChunk
        newerChunk = chunk
    }

    /// Closes what would differ from that block.
    @inline(__always)
    func closeChunks(_ segment: UInt32, _ number: UInt64) {
        if newerChunk != nil { closeNow(segment, number) }
    }

    @inline(never)
    private func closeNow(_ segment: UInt32, _ number: UInt64) {
        if let chunk = newerChunk, chunk.concerns(segment, number) { close(chunk) }
        if let chunk = olderChunk, chunk.concerns(segment, number) { close(chunk) }
    }

    func closeChunks() {
        if let chunk = olderChunk { close(chunk) }
        if let chunk = newerChunk { close(chunk) }
    }

    func dropChunks() {
        olderChunk = nil
        newerChunk = nil
    }

    /// Stores the chunk's block, and its length in the tree.
    @inline(never)
    private func close(_ chunk: OpenChunk) {
        if chunk === newerChunk { newerChunk = olderChunk }
        olderChunk = nil
        putBlock(chunk.segment, chunk.number, owned: chunk.buffer.encodedWhole()!)
        guard chunk.buffer.count != chunk.countedHere else { return }
        CountedTree(segment: chunk.segment, root: chunk.root, count: chunk.countedInAll)
            .recount(chunkAt: chunk.start, by: chunk.buffer.count - chunk.countedHere, in: self)
    }

    /// Returns the open chunk of a tree.
    @inline(__always)
    func openChunk(_ segment: UInt32, root: UInt64) -> OpenChunk? {
        if let chunk = newerChunk, chunk.segment == segment, chunk.root == root { return chunk }
        if let chunk = olderChunk, chunk.segment == segment, chunk.root == root { return chunk }
        return nil
    }

    /// What an edit within a chunk makes of its weight, or `nil` if the chunk can't be edited in that way.
    ///
    /// - Parameter slots: which go.
    func weight(of chunk: OpenChunk, _ type: ColumnType, without slots: Range<Int>, with values: [Value]) -> Int? {
        let buffer = chunk.buffer
        let count = buffer.count - slots.count + values.count
        guard slots.lowerBound >= 0, slots.upperBound <= buffer.count, count > 0, count <= ChunkBuilder.maximumCount
        else { return nil }
        var weight = chunk.weight
        if buffer.kind == .bytes {
            for slot in slots {
                if !buffer.isNull(slot), buffer.isReference(slot) { return nil }
                weight -= ChunkBuilder.weight(type, byteCount: buffer.byteCount(slot))
            }
            for value in values {
                let bytes = FieldCoding.byteCount(value, type)
                // Long values have blocks of their own.
                if bytes > FieldCoding.longBytes { return nil }
                weight += ChunkBuilder.weight(type, byteCount: bytes)
            }
        } else {
            weight += (values.count - slots.count) * ChunkBuilder.weight(type, byteCount: 0)
        }
        return weight <= ChunkBuilder.maximumWeight ? weight : nil
    }

    func edit(_ chunk: OpenChunk, _ type: ColumnType, _ slots: Range<Int>, with values: [Value], weight: Int) {
        chunk.buffer.replaceSlots(slots, withDefaults: values.count)
        for (i, value) in values.enumerated() {
            store(value, type, in: chunk.buffer, slots.lowerBound + i, chunk.segment)
        }
        chunk.weight = weight
    }

    /// Replaces elements of a large list within its open chunk.
    ///
    /// - Returns: false, with nothing changed, where the edit isn't within it or doesn't leave it a chunk.
    /// - Complexity: O(1) at its end, else O(elements of the chunk).
    func spliceOpen(
        _ place: ListPlace,
        root: UInt64,
        count: Int,
        _ range: Range<Int>,
        with values: [Value]
    ) -> Bool {
        let length = count - range.count + values.count
        guard let chunk = openChunk(place.blobs, root: root), range.lowerBound >= chunk.start,
            // The last few elements move into the slot.
            range.isEmpty || length > 32
        else { return false }
        let slots = range.lowerBound - chunk.start..<range.upperBound - chunk.start
        guard let weight = weight(of: chunk, place.type, without: slots, with: values) else { return false }
        edit(chunk, place.type, slots, with: values, weight: weight)
        storeReference(place.buffer, place.slot, root, UInt64(length))
        return true
    }

    /// Appends a value of fixed size to a list whose last chunk is open: the general way's checks are met then.
    ///
    /// - Precondition: the object lives.
    /// - Returns: false, with nothing changed, where `listInsert` has to see to it.
    package func listAppendOpen(_ column: Column, _ key: ObjectKey, _ value: Value) -> Bool {
        guard newerChunk != nil, column.collection == .list, value.type == column.type, column.type != .link,
            LeafBuffer.kind(of: column.type) != .bytes, !column.hasIndex, journal == nil
        else { return false }
        spillIfOverBudget()
        let (cluster, slot) = locate(key)
        let (_, entry) = openLeaf(column, cluster)
        let at: Int? = entry._withUnsafeGuaranteedRef { entry in
            guard entry.isReference(slot) else { return nil }
            let (root, length) = entry.reference(slot)
            guard let chunk = openChunk(column.segment(.blobs), root: root), chunk.end == Int(length) else {
                return nil
            }
            let at = chunk.buffer.count
            let weight = chunk.weight + ChunkBuilder.weight(column.type, byteCount: 0)
            guard at < ChunkBuilder.maximumCount, weight <= ChunkBuilder.maximumWeight else { return nil }
            store(value, column.type, in: chunk.buffer, at, chunk.segment)
            chunk.weight = weight
            storeReference(entry, slot, root, length + 1)
            return Int(length)
        }
        guard let at else { return false }
        note(column, key, .insert(at: at, count: 1))
        return true
    }
}

extension LeafBuffer {
    /// Where bytes stand among rising ones, or would.
    func place(ofBytes wanted: UnsafeRawBufferPointer) -> (slot: Int, isFound: Bool)? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) >> 1
            if isReference(middle) { return nil }
            let order = Value.compareBytes(bytes(middle), wanted)
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }
}

extension CountedTree {
    /// Returns the nodes on the way to the chunk that holds an element.
    func nodes(above index: Int, in store: any BlockStore) -> [UInt64] {
        var numbers: [UInt64] = []
        var (number, index) = (root, index)
        var level: Int?
        while let node = CountedTreeNode.View(number, level: level, segment: segment, in: store) {
            numbers.append(number)
            guard let (slot, first) = node.slot(containing: index) else {
                CountedTreeNode.View.lost(number, segment, in: store)
                break
            }
            if node.level == 0 { break }
            (number, index, level) = (node.child(slot), index - first, node.level - 1)
        }
        return numbers
    }

    /// Tells the nodes that the chunk that holds an element has so many more elements, or fewer. The blocks stay where they are.
    ///
    /// - Precondition: the chunk keeps at least one element.
    /// - Complexity: O(log n) blocks.
    func recount(chunkAt index: Int, by difference: Int, in store: any MutableBlockStore) {
        var number = root
        var index = index
        var level: Int?
        while var node = CountedTreeNode(number, level: level, segment: segment, in: store) {
            guard let (slot, first) = node.slot(containing: index) else {
                return CountedTreeNode.View.lost(number, segment, in: store)
            }
            let child = node.children[slot]
            _ = node.replace(slot, with: [(child, Int(node.counts[slot]) + difference)])
            node.put(at: number, segment: segment, in: store)
            if node.level == 0 { return }
            (number, index, level) = (child, index - first, node.level - 1)
        }
    }
}
