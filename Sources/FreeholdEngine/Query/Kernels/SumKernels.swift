/// Kernels for the sum of a leaf's values. If there is a mask, only the values whose byte is 1 are added.
enum SumKernels {
    @inline(__always)
    private static func offsets<T: FixedWidthInteger & UnsignedInteger>(
        _ p: UnsafePointer<T>,
        _ mask: Mask?,
        count n: Int
    ) -> UInt64 {
        var sum: UInt64 = 0
        var i = 0
        if let mask {
            while i < n {
                sum &+= UInt64(truncatingIfNeeded: p[i]) & (0 &- UInt64(truncatingIfNeeded: mask[i]))
                i &+= 1
            }
        } else {
            while i < n {
                sum &+= UInt64(truncatingIfNeeded: p[i])
                i &+= 1
            }
        }
        return sum
    }

    static func bytes(_ p: UnsafeRawPointer, _ mask: Mask?, count n: Int) -> UInt64 {
        offsets(p.assumingMemoryBound(to: UInt8.self), mask, count: n)
    }

    static func shorts(_ p: UnsafeRawPointer, _ mask: Mask?, count n: Int) -> UInt64 {
        offsets(p.assumingMemoryBound(to: UInt16.self), mask, count: n)
    }

    static func words(_ p: UnsafeRawPointer, _ mask: Mask?, count n: Int) -> UInt64 {
        offsets(p.assumingMemoryBound(to: UInt32.self), mask, count: n)
    }

    /// Returns a sum as `high << 32 + low`. Neither half overflows within a leaf.
    static func halves(_ p: UnsafePointer<Int64>, _ mask: Mask?, count n: Int) -> (high: Int64, low: Int64) {
        var total: Int64 = 0
        var low: Int64 = 0
        var high: Int64 = 0
        var i = 0
        if let mask {
            while i < n {
                let value = p[i] & (0 &- Int64(truncatingIfNeeded: mask[i]))
                low &+= value & 0xffff_ffff
                high &+= value >> 32
                i &+= 1
            }
            return (high, low)
        }
        while i < n {
            total &+= p[i]
            low &+= p[i] & 0xffff_ffff
            i &+= 1
        }
        i = 0
        while i < n {
            high &+= p[i] >> 32
            i &+= 1
        }
        return (high, low)
    }

    static func doubles(_ p: UnsafePointer<Double>, _ mask: Mask?, count n: Int) -> Double {
        var a = 0.0, b = 0.0, c = 0.0, d = 0.0
        var i = 0
        if let mask {
            while i &+ 4 <= n {
                a += kept(p[i], mask[i])
                b += kept(p[i &+ 1], mask[i &+ 1])
                c += kept(p[i &+ 2], mask[i &+ 2])
                d += kept(p[i &+ 3], mask[i &+ 3])
                i &+= 4
            }
            while i < n {
                a += kept(p[i], mask[i])
                i &+= 1
            }
        } else {
            while i &+ 4 <= n {
                a += p[i]
                b += p[i &+ 1]
                c += p[i &+ 2]
                d += p[i &+ 3]
                i &+= 4
            }
            while i < n {
                a += p[i]
                i &+= 1
            }
        }
        return (a + b) + (c + d)
    }

    static func floats(_ p: UnsafePointer<Float>, _ mask: Mask?, count n: Int) -> Double {
        var a = 0.0, b = 0.0
        var i = 0
        while i &+ 2 <= n {
            a += kept(Double(p[i]), mask?[i] ?? 1)
            b += kept(Double(p[i &+ 1]), mask?[i &+ 1] ?? 1)
            i &+= 2
        }
        if i < n { a += kept(Double(p[i]), mask?[i] ?? 1) }
        return a + b
    }

    /// Returns the value if its byte in the mask is 1, and 0 otherwise, without a branch.
    @inline(__always)
    private static func kept(_ value: Double, _ mask: UInt8) -> Double {
        Double(bitPattern: value.bitPattern & (0 &- UInt64(truncatingIfNeeded: mask)))
    }
}

/// Kernels for the least and the greatest of a leaf's values. If there is a mask, only the values whose byte is 1 count.
///
/// - Precondition: there is at least one such value.
enum ExtremeKernels {
    @inline(__always)
    private static func extremes<T: FixedWidthInteger>(_ p: UnsafePointer<T>, _ mask: Mask?, count n: Int) -> (T, T) {
        var low = T.max
        var high = T.min
        var i = 0
        if let mask {
            while i < n {
                let value = p[i]
                let isIn = mask[i] != 0
                low = isIn && value < low ? value : low
                high = isIn && value > high ? value : high
                i &+= 1
            }
        } else {
            while i < n {
                let value = p[i]
                low = value < low ? value : low
                high = value > high ? value : high
                i &+= 1
            }
        }
        return (low, high)
    }

    static func bytes(_ p: UnsafeRawPointer, _ mask: Mask?, count n: Int) -> (UInt64, UInt64) {
        let (a, b) = extremes(p.assumingMemoryBound(to: UInt8.self), mask, count: n)
        return (UInt64(a), UInt64(b))
    }

    static func shorts(_ p: UnsafeRawPointer, _ mask: Mask?, count n: Int) -> (UInt64, UInt64) {
        let (a, b) = extremes(p.assumingMemoryBound(to: UInt16.self), mask, count: n)
        return (UInt64(a), UInt64(b))
    }

    static func words(_ p: UnsafeRawPointer, _ mask: Mask?, count n: Int) -> (UInt64, UInt64) {
        let (a, b) = extremes(p.assumingMemoryBound(to: UInt32.self), mask, count: n)
        return (UInt64(a), UInt64(b))
    }

    static func longs(_ p: UnsafeRawPointer, _ mask: Mask?, count n: Int) -> (Int64, Int64) {
        extremes(p.assumingMemoryBound(to: Int64.self), mask, count: n)
    }
}
