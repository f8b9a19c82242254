/// Decides in how many parts the leaf of a column of bytes (strings, data, mixed values, collections) is stored.
///
/// A leaf of narrow values is stored whole up to the limit of a block, because scans read it fastest so. Wide values are divided so
/// that a change of one of them writes about a page. Programs read each number of parts from 2 to 64, so that the choice is free.
struct LeafLayout {
    /// Parts are made to fit a page.
    static let partSize = BlockLimits.pageSize - BlockLimits.reserved
    /// The size up to which a part grows before its leaf is divided anew, unless there are the most parts already.
    static let partLimit = BlockLimits.twoPages
    /// A leaf up to this size is stored whole.
    static let wholeSize = BlockLimits.twoPages
    /// A leaf in parts that have become smaller than this together is stored whole again.
    static let mergedSize = BlockLimits.pageSize - BlockLimits.reserved
    /// The mean bytes of a slot from which on values are wide.
    static let wideSlot = 64
    static let mostPartsLog2 = 6

    private let clusterSpan: Int
    private let count: Int
    /// The bytes of all slots before each slot.
    private let sums: UnsafePointer<Int>
    /// The bytes of bitmaps in a leaf, for each 64 slots.
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
        // No division into fewer parts can fit.
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

    /// Returns the size of the leaf of some slots, at most: without nulls or references among them it is smaller.
    private func size(of slots: Range<Int>) -> Int {
        let bytes = sums[slots.upperBound] - sums[slots.lowerBound]
        let width = bytes <= 0xffff ? 2 : 4
        return Leaf.headerSize + LeafEncoder.words(slots.count) * bitmapBytes + ((slots.count + 1) * width + 7) & ~7
            + bytes
    }
}
