/// A part of a leaf that is about to be stored in its block.
struct EncodedPart {
    let number: Int
    /// The bytes, which the receiver deallocates.
    let bytes: UnsafeMutableRawBufferPointer
}

extension LeafBuffer {
    /// Returns the parts to store for a leaf that keeps its division, or `nil` if it has to be encoded completely: it isn't stored in parts, a part
    /// exceeds its limit, or all parts together have become small.
    /// - Complexity: O(slots of these parts), and O(parts) for a leaf that has become small.
    func encodedChanges() -> [EncodedPart]? {
        guard parts.span != 0 else { return nil }
        let wanted = parts.parts(toStoreFor: count)
        let limit = parts.log2 < LeafLayout.mostPartsLog2 ? LeafLayout.partLimit : BlockLimits.maximumSize
        var out: [EncodedPart] = []
        var size = 0
        var rest = wanted
        while rest != 0 {
            let number = rest.trailingZeroBitCount
            rest &= rest - 1
            decode(number)
            guard let bytes = encodedBytes(of: number, span: parts.span, limit: limit) else {
                out.deallocate()
                return nil
            }
            out.append(EncodedPart(number: number, bytes: bytes))
            size += bytes.count
        }
        let isSmall =
            size <= LeafLayout.mergedSize
            && parts.storedSize(without: wanted, limit: LeafLayout.mergedSize - size) != nil
        if isSmall {
            out.deallocate()
            return nil
        }
        return out
    }

    /// Returns the parts of a leaf that is encoded completely, or `nil` if it is stored whole. It decodes the whole leaf.
    func encodedParts() -> (log2: Int, parts: [EncodedPart])? {
        decodeAll()
        guard kind == .bytes else { return nil }
        let log2 = LeafLayout.partsLog2(of: self)
        guard log2 > 0 else { return nil }
        let span = Leaf.partSpan(clusterSpan: capacity, partsLog2: log2)
        let parts = (0..<(count + span - 1) / span).map { number in
            guard let bytes = encodedBytes(of: number, span: span, limit: BlockLimits.maximumSize) else {
                fatalError("An entry over the limit was stored in a leaf: no division makes it fit.")
            }
            return EncodedPart(number: number, bytes: bytes)
        }
        return (log2, parts)
    }

    private func encodedBytes(of part: Int, span: Int, limit: Int) -> UnsafeMutableRawBufferPointer? {
        let start = part * span
        return encodedBytes(from: start, count: min(span, count - start), limit: limit)
    }

    /// Returns the leaf of some slots, or `nil` if it exceeds the limit.
    func encodedBytes(from start: Int, count n: Int, limit: Int) -> UnsafeMutableRawBufferPointer? {
        withUnsafeTemporaryAllocation(of: LeafEntry.self, capacity: max(n, 1)) { list in
            for i in 0..<n { list.initializeElement(at: i, to: leafEntry(start + i)) }
            guard let nulls else {
                return LeafEncoder.encodeBytes(
                    entries: list.baseAddress!,
                    nulls: nil,
                    count: n,
                    codec: codec,
                    limit: limit
                )
            }
            if start == 0 {
                return LeafEncoder.encodeBytes(
                    entries: list.baseAddress!,
                    nulls: nulls,
                    count: n,
                    codec: codec,
                    limit: limit
                )
            }
            let words = LeafEncoder.words(max(n, 1))
            return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: words) { bits in
                for w in 0..<words { bits[w] = 0 }
                for i in 0..<n where isNull(start + i) { bits[i >> 6] |= 1 << UInt64(i & 63) }
                return LeafEncoder.encodeBytes(
                    entries: list.baseAddress!,
                    nulls: bits.baseAddress!,
                    count: n,
                    codec: codec,
                    limit: limit
                )
            }
        }
    }

    /// Traps if the state of the parts is contradictory.
    func checkInvariants() {
        parts.checkInvariants()
        precondition(parts.count <= count, "The stored leaf covers \(parts.count) slots, more than \(count).")
        precondition(parts.changed == 0 || isDirty, "A part has changed in an unchanged leaf.")
    }
}

extension [EncodedPart] {
    func deallocate() { for part in self { part.bytes.deallocate() } }
}
