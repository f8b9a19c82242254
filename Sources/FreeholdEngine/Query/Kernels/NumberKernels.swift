/// The numbers of a cluster's slots, as integers or doubles, with a mask of the null slots.
final class NumberBuffer {
    let ints: UnsafeMutablePointer<Int64>
    let doubles: UnsafeMutablePointer<Double>
    let nulls: Mask
    /// A Boolean value that indicates whether `nulls` has been written. If it is false, no number is null.
    var hasNulls = false

    init(span: Int) {
        let room = (span + 63) & ~63 + 64
        // Each slot has room for one number of either kind.
        ints = .allocate(capacity: room)
        ints.initialize(repeating: 0, count: room)
        doubles = .allocate(capacity: room)
        doubles.initialize(repeating: 0, count: room)
        nulls = .allocate(capacity: room)
        nulls.initialize(repeating: 0, count: room)
    }

    deinit {
        ints.deallocate()
        doubles.deallocate()
        nulls.deallocate()
    }

    /// Writes zeros to `nulls` unless it has been written.
    func needNulls(_ n: Int) {
        if hasNulls { return }
        MaskKernels.set(nulls, count: n, to: false)
        hasNulls = true
    }

    func convertToDoubles(_ n: Int) {
        var i = 0
        while i < n {
            doubles[i] = Double(ints[i])
            i &+= 1
        }
    }
}

/// Kernels over two arrays of numbers. They must remain plain loops over pointers, so that the compiler can vectorise them.
enum NumberKernels {
    @inline(__always)
    private static func compareAny<T: Comparable>(
        _ op: Comparison,
        left a: UnsafePointer<T>,
        right b: UnsafePointer<T>,
        count n: Int,
        into mask: Mask
    ) {
        var i = 0
        switch op {
        case .equal:
            while i < n {
                mask[i] = a[i] == b[i] ? 1 : 0
                i &+= 1
            }
        case .notEqual:
            while i < n {
                mask[i] = a[i] == b[i] ? 0 : 1
                i &+= 1
            }
        case .less:
            while i < n {
                mask[i] = a[i] < b[i] ? 1 : 0
                i &+= 1
            }
        case .lessOrEqual:
            while i < n {
                mask[i] = a[i] <= b[i] ? 1 : 0
                i &+= 1
            }
        case .greater:
            while i < n {
                mask[i] = b[i] < a[i] ? 1 : 0
                i &+= 1
            }
        case .greaterOrEqual:
            while i < n {
                mask[i] = b[i] <= a[i] ? 1 : 0
                i &+= 1
            }
        }
    }

    static func compare(
        _ op: Comparison,
        left a: UnsafePointer<Int64>,
        right b: UnsafePointer<Int64>,
        count n: Int,
        into mask: Mask
    ) {
        compareAny(op, left: a, right: b, count: n, into: mask)
    }

    static func compare(
        _ op: Comparison,
        left a: UnsafePointer<Double>,
        right b: UnsafePointer<Double>,
        count n: Int,
        into mask: Mask
    ) {
        compareAny(op, left: a, right: b, count: n, into: mask)
    }

    /// Compares integers with doubles by their exact values.
    static func compare(
        _ op: Comparison,
        left a: UnsafePointer<Int64>,
        right b: UnsafePointer<Double>,
        count n: Int,
        into mask: Mask
    ) {
        for i in 0..<n {
            guard !b[i].isNaN else {
                mask[i] = op == .notEqual ? 1 : 0
                continue
            }
            mask[i] = op.holds(order: Value.compare(a[i], with: b[i])) ? 1 : 0
        }
    }

    /// Corrects the results for slots in which one or both sides are null.
    static func applyNulls(_ op: Comparison, left a: Mask, right b: Mask, count n: Int, into mask: Mask) {
        let ofBoth: UInt8 = op == .equal || op == .lessOrEqual || op == .greaterOrEqual ? 1 : 0
        let ofOne: UInt8 = op == .notEqual ? 1 : 0
        var i = 0
        while i < n {
            let both = a[i] & b[i]
            let one = a[i] ^ b[i]
            mask[i] = (mask[i] & ((both | one) ^ 1)) | (both & ofBoth) | (one & ofOne)
            i &+= 1
        }
    }

    static func apply(
        _ op: ArithmeticOperator,
        to a: UnsafeMutablePointer<Double>,
        with b: UnsafePointer<Double>,
        count n: Int
    ) {
        var i = 0
        switch op {
        case .add:
            while i < n {
                a[i] += b[i]
                i &+= 1
            }
        case .subtract:
            while i < n {
                a[i] -= b[i]
                i &+= 1
            }
        case .multiply:
            while i < n {
                a[i] *= b[i]
                i &+= 1
            }
        case .divide:
            while i < n {
                a[i] /= b[i]
                i &+= 1
            }
        }
    }

    /// - Parameter nulls: receives a 1 for each slot in which an integer was divided by zero.
    static func apply(
        _ op: ArithmeticOperator,
        to a: UnsafeMutablePointer<Int64>,
        with b: UnsafePointer<Int64>,
        count n: Int,
        nulls: Mask
    ) {
        var i = 0
        switch op {
        case .add:
            while i < n {
                a[i] &+= b[i]
                i &+= 1
            }
        case .subtract:
            while i < n {
                a[i] &-= b[i]
                i &+= 1
            }
        case .multiply:
            while i < n {
                a[i] &*= b[i]
                i &+= 1
            }
        case .divide:
            while i < n {
                if let quotient = op.apply(to: a[i], and: b[i]) { a[i] = quotient } else { nulls[i] = 1 }
                i &+= 1
            }
        }
    }

    /// Writes the integers of a leaf to `out`.
    static func widen(_ leaf: Leaf, _ n: Int, to out: UnsafeMutablePointer<Int64>) {
        let base = leaf.base
        let p = leaf.valuesPointer
        switch leaf.width {
        case 0: out.update(repeating: base, count: n)
        case 1: widen(p.assumingMemoryBound(to: UInt8.self), base: base, count: n, into: out)
        case 2: widen(p.assumingMemoryBound(to: UInt16.self), base: base, count: n, into: out)
        case 4: widen(p.assumingMemoryBound(to: UInt32.self), base: base, count: n, into: out)
        default: out.update(from: p.assumingMemoryBound(to: Int64.self), count: n)
        }
    }

    @inline(__always)
    private static func widen<T: FixedWidthInteger>(
        _ p: UnsafePointer<T>,
        base: Int64,
        count n: Int,
        into out: UnsafeMutablePointer<Int64>
    ) {
        var i = 0
        while i < n {
            out[i] = base &+ Int64(truncatingIfNeeded: p[i])
            i &+= 1
        }
    }

    static func widen(_ p: UnsafePointer<Float>, _ n: Int, to out: UnsafeMutablePointer<Double>) {
        var i = 0
        while i < n {
            out[i] = Double(p[i])
            i &+= 1
        }
    }
}
