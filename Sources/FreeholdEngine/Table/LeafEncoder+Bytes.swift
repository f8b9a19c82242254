/// A slot of a string, data or list column that is about to be written into a leaf.
struct LeafEntry {
    /// The bytes. For a reference, these are its 16 bytes. The pointer may be `nil` if `length` is 0.
    var pointer: UnsafeRawPointer?
    var length: Int
    var isReference: Bool

    init(_ pointer: UnsafeRawPointer?, _ length: Int, isReference: Bool = false) {
        self.pointer = pointer
        self.length = length
        self.isReference = isReference
    }
}

extension LeafEncoder {
    struct BytesShape: Equatable {
        /// The number of bytes of an offset, which is 2 or 4.
        var width: Int
        /// The size of the whole leaf in bytes.
        var size: Int
        var hasReferences: Bool
    }

    static func bytesShape(_ entries: UnsafePointer<LeafEntry>, _ nulls: Bitmap?, count: Int) -> BytesShape {
        var total = 0
        var references = false
        for i in 0..<count where !isNull(nulls, i) {
            total += entries[i].length
            references = references || entries[i].isReference
        }
        let width = total <= 0xffff ? 2 : 4
        let size =
            Leaf.headerSize + nullsSize(nulls, count: count) + (references ? words(count) * 8 : 0)
            + ((count + 1) * width + 7) & ~7 + total
        return BytesShape(width: width, size: size, hasReferences: references)
    }

    /// Returns the size of the leaf that `encodeBytes` would create. If it exceeds `BlockLimits.maximumSize`, the leaf has to be split.
    static func encodedSizeBytes(entries: UnsafePointer<LeafEntry>, nulls: Bitmap?, count: Int) -> Int {
        bytesShape(entries, nulls, count: count).size
    }

    /// Encodes strings, data or inline lists.
    /// - Returns: the leaf, or `nil` if it would exceed `limit` bytes.
    static func encodeBytes(
        entries: UnsafePointer<LeafEntry>,
        nulls: Bitmap?,
        count: Int,
        codec: UInt8,
        limit: Int = BlockLimits.maximumSize
    ) -> UnsafeMutableRawBufferPointer? {
        let shape = bytesShape(entries, nulls, count: count)
        guard shape.size <= limit else { return nil }
        let nullBytes = nullsSize(nulls, count: count)
        let (leaf, at) = begin(
            codec: codec,
            width: shape.width,
            flags: shape.hasReferences ? Leaf.Flag.references : 0,
            count: count,
            base: 0,
            nulls: nulls,
            valuesSize: shape.size - Leaf.headerSize - nullBytes
        )
        var out = leaf.baseAddress! + at
        if shape.hasReferences {
            let bits = out.assumingMemoryBound(to: UInt64.self)
            for w in 0..<words(count) { bits[w] = 0 }
            for i in 0..<count where entries[i].isReference && !isNull(nulls, i) {
                bits[i >> 6] |= 1 << UInt64(i & 63)
            }
            out += words(count) * 8
        }
        let offsetsSize = ((count + 1) * shape.width + 7) & ~7
        out.initializeMemory(as: UInt8.self, repeating: 0, count: offsetsSize)
        let area = out + offsetsSize
        var end = 0
        for i in 0..<count {
            if !isNull(nulls, i), entries[i].length > 0 {
                (area + end).copyMemory(from: entries[i].pointer!, byteCount: entries[i].length)
                end += entries[i].length
            }
            if shape.width == 2 {
                out.storeBytes(of: UInt16(end), toByteOffset: (i + 1) << 1, as: UInt16.self)
            } else {
                out.storeBytes(of: UInt32(end), toByteOffset: (i + 1) << 2, as: UInt32.self)
            }
        }
        return leaf
    }
}
