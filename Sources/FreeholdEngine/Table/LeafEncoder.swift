/// An encoder of leaves. It converts plain values to bytes in the format of `Leaf`.
///
/// Every `encode` function returns memory that is aligned to 16 bytes and that the caller deallocates. `nulls` is a bitmap of `(count + 63) / 64`
/// words in which the bits of null slots are set. The values of these slots are ignored. A bitmap without a set bit is omitted.
enum LeafEncoder {
    typealias Bitmap = UnsafePointer<UInt64>

    /// The form of integers: `base` and the number of bytes of an offset from it.
    struct IntShape: Equatable {
        var width: Int
        var base: Int64
    }

    /// Returns the form with the smallest width. The base is the least value if that reduces the width, otherwise 0.
    static func intShape(_ values: UnsafePointer<Int64>, _ nulls: Bitmap?, count: Int) -> IntShape {
        var low = Int64.max
        var high = Int64.min
        if let nulls, anyBit(nulls, count: count) {
            for i in 0..<count where !bit(nulls, i) {
                low = min(low, values[i])
                high = max(high, values[i])
            }
        } else {
            var i = 0
            while i < count {
                let value = values[i]
                low = value < low ? value : low
                high = value > high ? value : high
                i &+= 1
            }
        }
        guard low <= high else { return IntShape(width: 0, base: 0) }
        let width = widthOf(UInt64(bitPattern: high &- low))
        if width == 8 { return IntShape(width: 8, base: 0) }
        if width != 0, low >= 0, widthOf(UInt64(high)) == width { return IntShape(width: width, base: 0) }
        return IntShape(width: width, base: low)
    }

    static func encodedSizeInts(
        values: UnsafePointer<Int64>,
        nulls: Bitmap?,
        count: Int
    ) -> Int {
        Leaf.headerSize + nullsSize(nulls, count: count) + count * intShape(values, nulls, count: count).width
    }

    /// Encodes integers, or links (as key + 1, or 0 for null).
    static func encodeInts(
        values: UnsafePointer<Int64>,
        nulls: Bitmap?,
        count: Int,
        codec: UInt8 = ColumnType.int.rawValue
    ) -> UnsafeMutableRawBufferPointer {
        let shape = intShape(values, nulls, count: count)
        let (leaf, at) = begin(
            codec: codec,
            width: shape.width,
            flags: 0,
            count: count,
            base: shape.base,
            nulls: nulls,
            valuesSize: count * shape.width
        )
        storeInts(values, nulls, count: count, shape: shape, at: leaf.baseAddress! + at)
        return leaf
    }

    /// Encodes Booleans from a bitmap of `(count + 63) / 64` words.
    static func encodeBools(values: Bitmap, nulls: Bitmap?, count: Int) -> UnsafeMutableRawBufferPointer {
        let (leaf, at) = begin(
            codec: ColumnType.bool.rawValue,
            width: 0,
            flags: 0,
            count: count,
            base: 0,
            nulls: nulls,
            valuesSize: words(count) * 8
        )
        let out = (leaf.baseAddress! + at).assumingMemoryBound(to: UInt64.self)
        for w in 0..<words(count) {
            out[w] = values[w] & ~(nulls?[w] ?? 0) & lastWordMask(w, count: count)
        }
        return leaf
    }

    static func encodeFloats(
        values: UnsafePointer<Float>,
        nulls: Bitmap?,
        count: Int
    ) -> UnsafeMutableRawBufferPointer {
        encodeFixed(values: values, width: 4, nulls: nulls, count: count, codec: ColumnType.float.rawValue)
    }

    static func encodeDoubles(
        values: UnsafePointer<Double>,
        nulls: Bitmap?,
        count: Int
    ) -> UnsafeMutableRawBufferPointer {
        encodeFixed(values: values, width: 8, nulls: nulls, count: count, codec: ColumnType.double.rawValue)
    }

    /// Encodes values of `width` raw bytes each: object ids (12), UUIDs and decimals (16).
    static func encodeFixed(
        values: UnsafeRawPointer,
        width: Int,
        nulls: Bitmap?,
        count: Int,
        codec: UInt8
    ) -> UnsafeMutableRawBufferPointer {
        let (leaf, at) = begin(
            codec: codec,
            width: width,
            flags: 0,
            count: count,
            base: 0,
            nulls: nulls,
            valuesSize: count * width
        )
        let out = leaf.baseAddress! + at
        if count > 0 { out.copyMemory(from: values, byteCount: count * width) }
        if let nulls, anyBit(nulls, count: count) {
            for i in 0..<count where bit(nulls, i) {
                (out + i * width).initializeMemory(as: UInt8.self, repeating: 0, count: width)
            }
        }
        return leaf
    }

    static func encodedSizeTimestamps(
        seconds: UnsafePointer<Int64>,
        nanoseconds: UnsafePointer<Int32>,
        nulls: Bitmap?,
        count: Int
    ) -> Int {
        let width = intShape(seconds, nulls, count: count).width
        return Leaf.headerSize + nullsSize(nulls, count: count) + (count * width + 7) & ~7
            + (anyNanoseconds(nanoseconds, nulls, count: count) ? count * 4 : 0)
    }

    static func encodeTimestamps(
        seconds: UnsafePointer<Int64>,
        nanoseconds: UnsafePointer<Int32>,
        nulls: Bitmap?,
        count: Int
    ) -> UnsafeMutableRawBufferPointer {
        let shape = intShape(seconds, nulls, count: count)
        let precise = anyNanoseconds(nanoseconds, nulls, count: count)
        let secondsSize = (count * shape.width + 7) & ~7
        let (leaf, at) = begin(
            codec: ColumnType.timestamp.rawValue,
            width: shape.width,
            flags: precise ? Leaf.Flag.nanoseconds : 0,
            count: count,
            base: shape.base,
            nulls: nulls,
            valuesSize: secondsSize + (precise ? count * 4 : 0)
        )
        let out = leaf.baseAddress! + at
        storeInts(seconds, nulls, count: count, shape: shape, at: out)
        let used = count * shape.width
        (out + used).initializeMemory(as: UInt8.self, repeating: 0, count: secondsSize - used)
        if precise {
            let p = (out + secondsSize).assumingMemoryBound(to: UInt32.self)
            for i in 0..<count { p[i] = isNull(nulls, i) ? 0 : UInt32(bitPattern: nanoseconds[i]) }
        }
        return leaf
    }

    /// Returns the head of a leaf that is stored in `1 << partsLog2` parts.
    static func encodeSplitHead(codec: UInt8, count: Int, partsLog2: Int) -> UnsafeMutableRawBufferPointer {
        let (leaf, _) = begin(
            codec: codec,
            width: 0,
            flags: Leaf.Flag.split,
            count: count,
            base: 0,
            nulls: nil,
            valuesSize: 0
        )
        leaf.storeBytes(of: UInt8(partsLog2), toByteOffset: 3, as: UInt8.self)
        return leaf
    }
}

// MARK: Shared steps

extension LeafEncoder {
    /// Allocates a leaf and writes its header and null bitmap.
    /// - Returns: the leaf, and the position after the bitmap.
    static func begin(
        codec: UInt8,
        width: Int,
        flags: UInt8,
        count: Int,
        base: Int64,
        nulls: Bitmap?,
        valuesSize: Int
    ) -> (UnsafeMutableRawBufferPointer, Int) {
        let nullBytes = nullsSize(nulls, count: count)
        let leaf = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Leaf.headerSize + nullBytes + valuesSize,
            alignment: 16
        )
        leaf.storeBytes(of: codec, toByteOffset: 0, as: UInt8.self)
        leaf.storeBytes(of: UInt8(width), toByteOffset: 1, as: UInt8.self)
        leaf.storeBytes(of: flags | (nullBytes > 0 ? Leaf.Flag.nulls : 0), toByteOffset: 2, as: UInt8.self)
        leaf.storeBytes(of: 0, toByteOffset: 3, as: UInt8.self)
        leaf.storeBytes(of: UInt32(count), toByteOffset: 4, as: UInt32.self)
        leaf.storeBytes(of: base, toByteOffset: 8, as: Int64.self)
        if let nulls, nullBytes > 0 {
            copyBitmap(nulls, count: count, to: leaf.baseAddress! + Leaf.headerSize)
        }
        return (leaf, Leaf.headerSize + nullBytes)
    }

    /// Copies a bitmap and clears the bits from `count` on.
    static func copyBitmap(_ bits: Bitmap, count: Int, to out: UnsafeMutableRawPointer) {
        let p = out.assumingMemoryBound(to: UInt64.self)
        for w in 0..<words(count) { p[w] = bits[w] & lastWordMask(w, count: count) }
    }

    private static func storeInts(
        _ values: UnsafePointer<Int64>,
        _ nulls: Bitmap?,
        count: Int,
        shape: IntShape,
        at out: UnsafeMutableRawPointer
    ) {
        switch shape.width {
        case 0: return
        case 1: narrow(values, count: count, base: shape.base, into: out.assumingMemoryBound(to: UInt8.self))
        case 2: narrow(values, count: count, base: shape.base, into: out.assumingMemoryBound(to: UInt16.self))
        case 4: narrow(values, count: count, base: shape.base, into: out.assumingMemoryBound(to: UInt32.self))
        default: out.copyMemory(from: values, byteCount: count * 8)
        }
        if let nulls, anyBit(nulls, count: count) {
            for i in 0..<count where bit(nulls, i) {
                (out + i * shape.width).initializeMemory(as: UInt8.self, repeating: 0, count: shape.width)
            }
        }
    }

    @inline(__always)
    private static func narrow<T: FixedWidthInteger>(
        _ values: UnsafePointer<Int64>,
        count: Int,
        base: Int64,
        into out: UnsafeMutablePointer<T>
    ) {
        var i = 0
        while i < count {
            out[i] = T(truncatingIfNeeded: values[i] &- base)
            i &+= 1
        }
    }

    private static func anyNanoseconds(_ nanoseconds: UnsafePointer<Int32>, _ nulls: Bitmap?, count: Int) -> Bool {
        for i in 0..<count where nanoseconds[i] != 0 && !isNull(nulls, i) { return true }
        return false
    }

    static func widthOf(_ range: UInt64) -> Int {
        if range == 0 { return 0 }
        if range <= 0xff { return 1 }
        if range <= 0xffff { return 2 }
        return range <= 0xffff_ffff ? 4 : 8
    }

    @inline(__always) static func words(_ count: Int) -> Int { (count + 63) >> 6 }

    @inline(__always) static func bit(_ bits: Bitmap, _ i: Int) -> Bool { bits[i >> 6] >> UInt64(i & 63) & 1 != 0 }

    @inline(__always) static func isNull(_ nulls: Bitmap?, _ i: Int) -> Bool {
        guard let nulls else { return false }
        return bit(nulls, i)
    }

    static func lastWordMask(_ word: Int, count: Int) -> UInt64 {
        let left = count - word << 6
        return left >= 64 ? ~0 : (1 << UInt64(left)) - 1
    }

    static func anyBit(_ bits: Bitmap, count: Int) -> Bool {
        for w in 0..<words(count) where bits[w] & lastWordMask(w, count: count) != 0 { return true }
        return false
    }

    static func nullsSize(_ nulls: Bitmap?, count: Int) -> Int {
        guard let nulls, anyBit(nulls, count: count) else { return 0 }
        return words(count) * 8
    }
}
