/// Kernels that write for each value whether it is in a range. They must remain plain loops over pointers, so that the compiler can vectorise them.
enum RangeKernels {
    enum Mode { case write, union }

    /// Tests `low <= p[i] <= high` with one unsigned comparison.
    @inline(__always)
    private static func unsigned<T: FixedWidthInteger & UnsignedInteger>(
        _ p: UnsafePointer<T>,
        _ n: Int,
        _ low: T,
        _ high: T,
        _ mask: Mask,
        _ mode: Mode
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
        _ n: Int,
        _ set: RangeSet<Int64>,
        _ mask: Mask
    ) {
        if width == 0 { return MaskKernels.set(mask, n, set.contains(base)) }
        if set.ranges.count > 4 { return search(values, width: width, base: base, n, set, mask) }
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
                    MaskKernels.set(mask, n, true)
                    isWritten = true
                    break
                }
            }
            let mode: Mode = isWritten ? .union : .write
            isWritten = true
            switch width {
            case 1: bytes(values, n, UInt8(low), UInt8(high), mask, mode)
            case 2: shorts(values, n, UInt16(low), UInt16(high), mask, mode)
            case 4: words(values, n, UInt32(low), UInt32(high), mask, mode)
            default: longs(values, n, range.low, range.high, mask, mode)
            }
        }
        if !isWritten { MaskKernels.set(mask, n, false) }
        if set.isNegated { MaskKernels.complement(mask, n) }
    }

    private static func bytes(_ p: UnsafeRawPointer, _ n: Int, _ low: UInt8, _ high: UInt8, _ mask: Mask, _ mode: Mode)
    {
        unsigned(p.assumingMemoryBound(to: UInt8.self), n, low, high, mask, mode)
    }

    private static func shorts(
        _ p: UnsafeRawPointer,
        _ n: Int,
        _ low: UInt16,
        _ high: UInt16,
        _ mask: Mask,
        _ mode: Mode
    ) {
        unsigned(p.assumingMemoryBound(to: UInt16.self), n, low, high, mask, mode)
    }

    private static func words(
        _ p: UnsafeRawPointer,
        _ n: Int,
        _ low: UInt32,
        _ high: UInt32,
        _ mask: Mask,
        _ mode: Mode
    ) {
        unsigned(p.assumingMemoryBound(to: UInt32.self), n, low, high, mask, mode)
    }

    private static func longs(
        _ p: UnsafeRawPointer,
        _ n: Int,
        _ low: Int64,
        _ high: Int64,
        _ mask: Mask,
        _ mode: Mode
    ) {
        let p = p.assumingMemoryBound(to: Int64.self)
        let keep: UInt8 = mode == .union ? 1 : 0
        if mode == .write { MaskKernels.set(mask, n, false) }
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
        _ n: Int,
        _ set: RangeSet<Int64>,
        _ mask: Mask
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
        _ n: Int,
        _ set: RangeSet<T>,
        _ mask: Mask
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
            MaskKernels.set(mask, n, false)
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

    static func doubles(_ p: UnsafePointer<Double>, _ n: Int, _ set: RangeSet<Double>, _ mask: Mask) {
        floating(p, n, set, mask)
    }

    static func floats(_ p: UnsafePointer<Float>, _ n: Int, _ set: RangeSet<Float>, _ mask: Mask) {
        floating(p, n, set, mask)
    }
}
