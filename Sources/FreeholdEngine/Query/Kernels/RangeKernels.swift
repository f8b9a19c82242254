/// Kernels that write for each value whether it is in a range. They must remain plain loops over pointers, so that the compiler can vectorise them.
enum RangeKernels {
    /// Integers that are stored one after the other, as `base` plus unsigned offsets of `width` bytes. With a width of 8 the base isn't added, and with
    /// a width of 0 all integers equal the base.
    struct PackedInts {
        let values: UnsafeRawPointer
        let width: Int
        let base: Int64
        let count: Int
    }

    private enum Mode { case write, union }

    /// The bytes of a mask for the first `count` values. A test either replaces them or adds its matches to them.
    private struct Output {
        let mask: Mask
        let count: Int
        let mode: Mode
    }

    /// Tests `low <= p[i] <= high` with one unsigned comparison.
    @inline(__always)
    private static func unsigned<T: FixedWidthInteger & UnsignedInteger>(
        _ p: UnsafePointer<T>,
        from low: T,
        through high: T,
        into output: Output
    ) {
        let mask = output.mask
        let n = output.count
        let span = high &- low
        var i = 0
        if output.mode == .write {
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

    /// Tests the integers of a leaf.
    static func ints(_ ints: PackedInts, in set: RangeSet<Int64>, into mask: Mask) {
        let (values, width, base, n) = (ints.values, ints.width, ints.base, ints.count)
        if width == 0 { return MaskKernels.set(mask, count: n, to: set.contains(base)) }
        if set.ranges.count > 4 { return search(ints, in: set, into: mask) }
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
            let output = Output(mask: mask, count: n, mode: isWritten ? .union : .write)
            isWritten = true
            switch width {
            case 1: bytes(values, from: UInt8(low), through: UInt8(high), into: output)
            case 2: shorts(values, from: UInt16(low), through: UInt16(high), into: output)
            case 4: words(values, from: UInt32(low), through: UInt32(high), into: output)
            default: longs(values, from: range.low, through: range.high, into: output)
            }
        }
        if !isWritten { MaskKernels.set(mask, count: n, to: false) }
        if set.isNegated { MaskKernels.complement(mask, n) }
    }

    private static func bytes(_ p: UnsafeRawPointer, from low: UInt8, through high: UInt8, into output: Output) {
        unsigned(p.assumingMemoryBound(to: UInt8.self), from: low, through: high, into: output)
    }

    private static func shorts(_ p: UnsafeRawPointer, from low: UInt16, through high: UInt16, into output: Output) {
        unsigned(p.assumingMemoryBound(to: UInt16.self), from: low, through: high, into: output)
    }

    private static func words(_ p: UnsafeRawPointer, from low: UInt32, through high: UInt32, into output: Output) {
        unsigned(p.assumingMemoryBound(to: UInt32.self), from: low, through: high, into: output)
    }

    private static func longs(_ p: UnsafeRawPointer, from low: Int64, through high: Int64, into output: Output) {
        let mask = output.mask
        let n = output.count
        let p = p.assumingMemoryBound(to: Int64.self)
        let keep: UInt8 = output.mode == .union ? 1 : 0
        if output.mode == .write { MaskKernels.set(mask, count: n, to: false) }
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

    private static func search(_ ints: PackedInts, in set: RangeSet<Int64>, into mask: Mask) {
        let (values, width, base) = (ints.values, ints.width, ints.base)
        for i in 0..<ints.count {
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
