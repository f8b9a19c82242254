/// Kernels that write for each value whether it is in a range. They must remain plain loops over pointers, so that the compiler can vectorise them.
enum RangeKernels {
    enum Mode { case write, union }

    /// Tests `low <= p[i] <= high` with one unsigned comparison.
    @inline(__always)
    private static func unsigned<T: FixedWidthInteger & UnsignedInteger>(
        _ p: UnsafePointer<T>,
        count n: Int,
        low: T,
        high: T,
        into mask: Mask,
        mode: Mode
    ) {
        let span = high &- low
        var i = 0
        if mode == .write {
            while i < n {
                mask[i] = (p[i] &- low) <= span ? 1 : 0
                i &+= 1
            }
        } else {
            while i < n {
                mask[i] |= (p[i] &- low) <= span ? 1 : 0
                i &+= 1
            }
        }
    }

    /// Tests the integers of a leaf that begin at `values`. They are stored as `base` plus offsets of `width` bytes.
    static func ints(
        _ values: UnsafeRawPointer,
        width: Int,
        base: Int64,
        count n: Int,
        in set: RangeSet<Int64>,
        into mask: Mask
    ) {
        if width == 0 { return MaskKernels.set(mask, count: n, to: set.contains(base)) }
        if set.ranges.count > 4 { return search(values, width: width, base: base, count: n, in: set, into: mask) }
        var isWritten = false
        let limit: UInt64 = width == 8 ? .max : (1 << UInt64(width * 8)) - 1
        for range in set.ranges {
            var low: UInt64 = 0
            var high = limit
            if width == 8 {
                low = UInt64(bitPattern: range.low)
                high = UInt64(bitPattern: range.high)
            } else {
                if range.high < base { continue }
                if range.low > base { low = UInt64(bitPattern: range.low &- base) }
                high = min(limit, UInt64(bitPattern: range.high &- base))
                if low > limit { continue }
                if low == 0, high == limit {
                    MaskKernels.set(mask, count: n, to: true)
                    isWritten = true
                    break
                }
            }
            let mode: Mode = isWritten ? .union : .write
            isWritten = true
            switch width {
            case 1: bytes(values, count: n, low: UInt8(low), high: UInt8(high), into: mask, mode: mode)
            case 2: shorts(values, count: n, low: UInt16(low), high: UInt16(high), into: mask, mode: mode)
            case 4: words(values, count: n, low: UInt32(low), high: UInt32(high), into: mask, mode: mode)
            default: longs(values, count: n, low: range.low, high: range.high, into: mask, mode: mode)
            }
        }
        if !isWritten { MaskKernels.set(mask, count: n, to: false) }
        if set.isNegated { MaskKernels.complement(mask, n) }
    }

    private static func bytes(_ p: UnsafeRawPointer, count n: Int, low: UInt8, high: UInt8, into mask: Mask, mode: Mode)
    {
        unsigned(p.assumingMemoryBound(to: UInt8.self), count: n, low: low, high: high, into: mask, mode: mode)
    }

    private static func shorts(
        _ p: UnsafeRawPointer,
        count n: Int,
        low: UInt16,
        high: UInt16,
        into mask: Mask,
        mode: Mode
    ) {
        unsigned(p.assumingMemoryBound(to: UInt16.self), count: n, low: low, high: high, into: mask, mode: mode)
    }

    private static func words(
        _ p: UnsafeRawPointer,
        count n: Int,
        low: UInt32,
        high: UInt32,
        into mask: Mask,
        mode: Mode
    ) {
        unsigned(p.assumingMemoryBound(to: UInt32.self), count: n, low: low, high: high, into: mask, mode: mode)
    }

    private static func longs(
        _ p: UnsafeRawPointer,
        count n: Int,
        low: Int64,
        high: Int64,
        into mask: Mask,
        mode: Mode
    ) {
        let p = p.assumingMemoryBound(to: Int64.self)
        let keep: UInt8 = mode == .union ? 1 : 0
        if mode == .write { MaskKernels.set(mask, count: n, to: false) }
        var i = 0
        if low == .min {
            while i < n {
                mask[i] = (p[i] <= high ? 1 : 0) | (mask[i] & keep)
                i &+= 1
            }
        } else if high == .max {
            while i < n {
                mask[i] = (p[i] >= low ? 1 : 0) | (mask[i] & keep)
                i &+= 1
            }
        } else {
            let span = UInt64(bitPattern: high &- low)
            while i < n {
                mask[i] = (UInt64(bitPattern: p[i] &- low) <= span ? 1 : 0) | (mask[i] & keep)
                i &+= 1
            }
        }
    }

    private static func search(
        _ values: UnsafeRawPointer,
        width: Int,
        base: Int64,
        count n: Int,
        in set: RangeSet<Int64>,
        into mask: Mask
    ) {
        for i in 0..<n {
            let value: Int64 =
                switch width {
                case 1: base &+ Int64(values.load(fromByteOffset: i, as: UInt8.self))
                case 2: base &+ Int64(values.load(fromByteOffset: i << 1, as: UInt16.self))
                case 4: base &+ Int64(values.load(fromByteOffset: i << 2, as: UInt32.self))
                default: values.load(fromByteOffset: i << 3, as: Int64.self)
                }
            mask[i] = set.contains(value) ? 1 : 0
        }
    }

    @inline(__always)
    private static func floating<T: BinaryFloatingPoint>(
        _ p: UnsafePointer<T>,
        count n: Int,
        in set: RangeSet<T>,
        into mask: Mask
    ) {
        if let first = set.ranges.first {
            let low = first.low
            let high = first.high
            var i = 0
            while i < n {
                // `&` avoids the branch of `&&`.
                mask[i] = (p[i] >= low ? 1 : 0) & (p[i] <= high ? 1 : 0)
                i &+= 1
            }
        } else {
            MaskKernels.set(mask, count: n, to: false)
        }
        for range in set.ranges.dropFirst() {
            let low = range.low
            let high = range.high
            var i = 0
            while i < n {
                mask[i] |= (p[i] >= low ? 1 : 0) & (p[i] <= high ? 1 : 0)
                i &+= 1
            }
        }
        if set.isNegated { MaskKernels.complement(mask, n) }
    }

    static func doubles(_ p: UnsafePointer<Double>, count n: Int, in set: RangeSet<Double>, into mask: Mask) {
        floating(p, count: n, in: set, into: mask)
    }

    static func floats(_ p: UnsafePointer<Float>, count n: Int, in set: RangeSet<Float>, into mask: Mask) {
        floating(p, count: n, in: set, into: mask)
    }
}
