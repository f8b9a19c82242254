/// The decision about the number of parts in which the leaf of a column of bytes (strings, data, mixed values, collections) is stored.
///
/// A leaf of short values is stored whole up to the limit of a block, because this is the fastest form for scans. Long values are divided, so that a
/// change of one of them writes about a page. Readers accept each number of parts from 2 to 64, so the choice doesn't affect the format.
struct LeafLayout {
    /// The size of parts, which fit into a page.
    static let partSize = BlockLimits.pageSize - BlockLimits.reserved
    /// The size up to which a part grows before its leaf is divided again, unless the leaf has the maximum number of parts.
    static let partLimit = BlockLimits.twoPages
    /// The size up to which a leaf is stored whole.
    static let wholeSize = BlockLimits.twoPages
    /// The size of all parts together below which the leaf is stored whole again.
    static let mergedSize = BlockLimits.pageSize - BlockLimits.reserved
    /// The mean size of a slot in bytes above which values count as long.
    static let wideSlot = 64
    static let mostPartsLog2 = 6

    private let clusterSpan: Int
    private let count: Int
    /// The sum of the bytes of all slots before each slot.
    private let sums: UnsafePointer<Int>
    /// The size of the bitmaps in a leaf for each 64 slots, in bytes.
    private let bitmapBytes: Int
    private let referenceBytes: Int

    /// Returns the logarithm of the number of parts, or 0 for a leaf that is stored whole.
    /// - Complexity: O(slots).
    static func partsLog2(of buffer: LeafBuffer) -> Int {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: buffer.count + 1) { sums in
            var sum = 0
            var references = 0
            for slot in 0..<buffer.count {
                sums[slot] = sum
                let bytes = buffer.byteCount(slot)
                sum += bytes
                if buffer.isReference(slot) { references += bytes }
            }
            sums[buffer.count] = sum
            let layout = LeafLayout(
                clusterSpan: buffer.capacity,
                count: buffer.count,
                sums: sums.baseAddress!,
                bitmapBytes: (buffer.nulls == nil ? 0 : 8) + (references == 0 ? 0 : 8),
                referenceBytes: references
            )
            return layout.partsLog2
        }
    }

    private var partsLog2: Int {
        let whole = size(of: 0..<count)
        if whole <= Self.wholeSize { return 0 }
        let isWide = sums[count] >= Self.wideSlot * count || 2 * referenceBytes >= sums[count]
        if whole <= BlockLimits.maximumSize, !isWide { return 0 }
        // A division into fewer parts can't fit.
        var log2 = 1
        while log2 < Self.mostPartsLog2, whole >> log2 > Self.partSize { log2 += 1 }
        while log2 < Self.mostPartsLog2, !fits(log2) { log2 += 1 }
        return log2
    }

    private func fits(_ log2: Int) -> Bool {
        let span = Leaf.partSpan(clusterSpan: clusterSpan, partsLog2: log2)
        return stride(from: 0, to: count, by: span).allSatisfy { start in
            size(of: start..<min(start + span, count)) <= Self.partSize
        }
    }

    /// Returns an upper bound of the size of the leaf of some slots. The leaf is smaller if it contains no nulls or references.
    private func size(of slots: Range<Int>) -> Int {
        let bytes = sums[slots.upperBound] - sums[slots.lowerBound]
        let width = bytes <= 0xffff ? 2 : 4
        return Leaf.headerSize + LeafEncoder.words(slots.count) * bitmapBytes + ((slots.count + 1) * width + 7) & ~7
            + bytes
    }
}
