/// The decoded chunk of a large list that was edited last. Further edits inside it change only memory.
///
/// Meanwhile its block, and its length in the nodes above it, are out of date. All other operations that read, write or free one of these blocks
/// close the chunk first (`WriteTransaction.block`). The slot of the list always has the correct length. A transaction has two open chunks: those of
/// the keys and values of a dictionary, or those of two lists.
final class OpenChunk {
    let segment: UInt32
    let number: UInt64
    /// The root of the tree, which edits inside a chunk don't change.
    let root: UInt64
    /// The index of its first element.
    let start: Int
    let buffer: LeafBuffer
    @exclusivity(unchecked) var weight: Int
    /// The number of elements of the chunk in the tree's nodes. `countedInAll` is the number of elements of the list.
    let countedHere: Int
    let countedInAll: Int
    /// The number of its block, and the numbers of the nodes above it.
    private let stale: UnsafeMutableBufferPointer<UInt64>

    /// - Parameters:
    ///   - tree: the tree in the state of its nodes.
    ///   - buffer: the chunk with the change.
    ///   - counted: the number of elements of the chunk in the nodes.
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

    /// Returns whether a block is out of date while the chunk is open.
    @inline(__always)
    func concerns(_ segment: UInt32, _ number: UInt64) -> Bool {
        segment == self.segment && stale.contains(number)
    }

    /// The index after its last element.
    var end: Int { start + buffer.count }
}

extension WriteTransaction {
    /// Keeps a chunk open, and closes the older one of two open chunks.
    func open(_ chunk: OpenChunk) {
        if let older = olderChunk, newerChunk != nil { close(older) }
        olderChunk = newerChunk ?? olderChunk
        newerChunk = chunk
    }

    /// Closes the open chunks because of which that block is out of date.
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

    /// Returns the weight of a chunk after an edit inside it, or `nil` if the edit isn't possible in the open chunk.
    ///
    /// - Parameter slots: the slots that are removed.
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
                // Long values are stored in separate blocks.
                if bytes > FieldCoding.longBytes { return nil }
                weight += ChunkBuilder.weight(type, byteCount: bytes)
            }
        } else {
            weight += (values.count - slots.count) * ChunkBuilder.weight(type, byteCount: 0)
        }
        return weight <= ChunkBuilder.maximumWeight ? weight : nil
    }

    func edit(_ chunk: OpenChunk, _ type: ColumnType, slots: Range<Int>, with values: [Value], weight: Int) {
        chunk.buffer.replaceSlots(slots, withDefaults: values.count)
        for (i, value) in values.enumerated() {
            store(value, type, in: chunk.buffer, slot: slots.lowerBound + i, blobs: chunk.segment)
        }
        chunk.weight = weight
    }

    /// Replaces elements of a large list inside its open chunk.
    ///
    /// - Returns: false, without changes, if the edit isn't inside the chunk, or if the result isn't a valid chunk.
    /// - Complexity: O(1) at the chunk's end, otherwise O(elements of the chunk).
    func spliceOpen(
        _ place: ListPlace,
        root: UInt64,
        count: Int,
        _ range: Range<Int>,
        with values: [Value]
    ) -> Bool {
        let length = count - range.count + values.count
        guard let chunk = openChunk(place.blobs, root: root), range.lowerBound >= chunk.start,
            // A list with few elements moves into the slot.
            range.isEmpty || length > 32
        else { return false }
        let slots = range.lowerBound - chunk.start..<range.upperBound - chunk.start
        guard let weight = weight(of: chunk, place.type, without: slots, with: values) else { return false }
        edit(chunk, place.type, slots: slots, with: values, weight: weight)
        storeReference(place.buffer, place.slot, block: root, length: UInt64(length))
        return true
    }

    /// Appends a value of fixed size to a list whose last chunk is open. The checks of the general function aren't necessary in this case.
    ///
    /// - Precondition: the object exists.
    /// - Returns: false, without changes, if the caller has to use `listInsert`.
    package func listAppendOpen(_ column: Column, _ key: ObjectKey, value: Value) -> Bool {
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
            store(value, column.type, in: chunk.buffer, slot: at, blobs: chunk.segment)
            chunk.weight = weight
            storeReference(entry, slot, block: root, length: length + 1)
            return Int(length)
        }
        guard let at else { return false }
        note(column, key, operation: .insert(at: at, count: 1))
        return true
    }
}

extension LeafBuffer {
    /// Returns the place of a byte string among ascending ones, or the place where it would be inserted.
    func place(ofBytes wanted: UnsafeRawBufferPointer) -> (slot: Int, isFound: Bool)? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) >> 1
            if isReference(middle) { return nil }
            let order = Value.compareBytes(bytes(middle), with: wanted)
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }
}

extension CountedTree {
    /// Returns the nodes on the path to the chunk that contains an element.
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

    /// Changes the counts in the nodes above a chunk by a difference. The nodes keep their blocks.
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
