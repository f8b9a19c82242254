/// The check of a large list's chunks at each use. Their segment also contains nodes and parts of strings, and the blocks don't contain their kind.
extension DataView {
    /// Returns a chunk with `count` elements, each of which is safe to read, or `Leaf.blank` if the chunk is damaged.
    /// - Complexity: O(1). For strings, data and links, O(count).
    func chunk(_ number: UInt64, _ count: Int, of tree: CountedTree, type: ColumnType, isOptional: Bool) -> Leaf {
        if let bytes = block(tree.segment, number) {
            let form = chunkForm(tree.segment, type, isOptional: isOptional, count: count)
            if form.isMet(by: bytes) {
                let leaf = Leaf(bytes.baseAddress!)
                if leaf.count == count { return leaf }
            }
        }
        return damagedChunk(number, tree)
    }

    /// Returns a chunk of which one slot is safe to read, or `Leaf.blank` if the chunk is damaged.
    /// - Complexity: O(1)
    func chunk(
        _ number: UInt64,
        _ count: Int,
        slot: Int,
        of tree: CountedTree,
        type: ColumnType,
        isOptional: Bool
    ) -> Leaf {
        if let bytes = block(tree.segment, number),
            Leaf.isSafe(bytes, slot: slot, count: count, type, isOptional: isOptional)
        {
            return Leaf(bytes.baseAddress!)
        }
        return damagedChunk(number, tree)
    }

    @inline(never)
    private func damagedChunk(_ number: UInt64, _ tree: CountedTree) -> Leaf {
        damaged("block \(number) of segment \(tree.segment) isn't a part of its list")
        return Leaf.blank
    }

    private func chunkForm(_ segment: UInt32, _ type: ColumnType, isOptional: Bool, count: Int) -> LeafForm {
        var form = LeafForm(
            type: type,
            collection: .none,
            isOptional: isOptional,
            limit: max(count, ChunkBuilder.maximumCount),
            keyLimit: .max,
            blobLimit: .max
        )
        guard type == .link || type == .int || LeafBuffer.kind(of: type) == .bytes,
            case .column(let table, let column, let kind)? = schema.owner(of: segment)
        else { return form }
        if LeafBuffer.kind(of: type) == .bytes {
            form.blobLimit = columnState(column).nextBlob
        } else if kind == .backlinkBlobs {
            form.isInverse = true
            form.keyLimit = nextKey(table)
        } else if type == .link, let target = column.targetTableID.flatMap(schema.table(id:)) {
            form.keyLimit = nextKey(target)
        }
        return form
    }
}

extension Leaf {
    var isBlank: Bool { address == Leaf.blank.address }

    /// Returns whether a slot of a leaf with `count` slots is safe to read, and the leaf's header is sound.
    @inline(__always)
    static func isSafe(
        _ bytes: UnsafeRawBufferPointer,
        slot: Int,
        count: Int,
        _ type: ColumnType,
        isOptional: Bool
    ) -> Bool {
        guard bytes.count >= headerSize else { return false }
        let leaf = Leaf(bytes.baseAddress!)
        guard leaf.codec == type.rawValue, leaf.count == count, slot >= 0, slot < count, leaf.partsLog2 == 0,
            leaf.flags & ~(Flag.nulls | Flag.references | Flag.nanoseconds) == 0
        else { return false }
        guard LeafBuffer.kind(of: type) == .bytes else {
            return flaw(in: bytes, type.rawValue, limit: count, isOptional: isOptional) == nil
        }
        guard leaf.width == 2 || leaf.width == 4, !leaf.hasNanoseconds else { return false }
        let bitmaps = (leaf.hasNulls ? 1 : 0) + (leaf.hasReferences ? 1 : 0)
        let start = headerSize + bitmaps * leaf.bitmapSize + ((count + 1) * leaf.width + 7) & ~7
        guard start <= bytes.count else { return false }
        let (from, to) = (leaf.offset(slot), leaf.offset(slot + 1))
        return from <= to && to <= bytes.count - start && (to - from == 16 || !leaf.isReference(slot))
    }
}
