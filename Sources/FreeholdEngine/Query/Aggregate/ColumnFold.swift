/// An aggregate of a column's values, calculated leaf by leaf.
struct ColumnFold {
    let column: Column
    private let aggregate: Aggregate
    private let view: DataView
    private let scratch: MaskBuffer
    /// The aggregate of values of types without kernels, and of single values.
    private var others: ValueFold
    private var ints = IntFold()
    private var doubles = DoubleFold()

    init(_ aggregate: Aggregate, _ column: Column, in view: DataView) {
        self.aggregate = aggregate
        self.column = column
        self.view = view
        scratch = MaskBuffer(span: view.clusterSpan)
        others = ValueFold(aggregate, of: column.type)
    }

    mutating func add(_ value: Value) { others.add(value) }

    mutating func add(_ cluster: Int, present: UnsafePointer<UInt64>) {
        let span = view.clusterSpan
        let mask = MaskBuffer(span: span)
        MaskKernels.fill(mask.mask, from: present, span, ifSet: true, ifClear: false)
        add(cluster, mask.mask, count: span)
    }

    /// Adds the first `n` slots of a cluster. If there is a mask, only the slots whose byte is 1 are added.
    mutating func add(_ cluster: Int, _ mask: Mask?, count n: Int) {
        guard let address = view.leaf(column, cluster: cluster) else { return addDefaults(mask, n) }
        let leaf = Leaf(address)
        guard leaf.isSplit else { return add(leaf, mask, count: n) }
        let span = Leaf.partSpan(clusterSpan: view.clusterSpan, partsLog2: leaf.partsLog2)
        var start = 0
        while start < n {
            let m = min(span, n - start)
            if let address = view.leafPart(column, cluster: cluster, part: start / span) {
                add(Leaf(address), mask.map { $0 + start }, count: m)
            } else {
                addDefaults(mask.map { $0 + start }, m)
            }
            start += m
        }
    }

    private mutating func addDefaults(_ mask: Mask?, _ n: Int) {
        if column.isOptional { return }
        let value = column.defaultValue
        let count = mask.map { MaskKernels.count($0, n) } ?? n
        if count == 0 { return }
        switch column.type {
        // Zeros are counted, but they don't change a sum.
        case .int, .float, .double:
            others.add(value, times: count)
        default: for _ in 0..<count { others.add(value) }
        }
    }

    private mutating func add(_ leaf: Leaf, _ mask: Mask?, count n: Int) {
        let stored = min(leaf.count, n)
        if stored < n { addDefaults(mask.map { $0 + stored }, n - stored) }
        if stored == 0 { return }
        var mask = mask
        if let nulls = leaf.nullBitmap {
            if let mask {
                scratch.mask.update(from: mask, count: stored)
            } else {
                MaskKernels.set(scratch.mask, count: stored, to: true)
            }
            MaskKernels.set(scratch.mask, where: nulls, count: stored, to: false)
            mask = scratch.mask
        }
        let isSum = aggregate == .sum || aggregate == .average
        switch column.type {
        case .int: ints.add(leaf, mask, count: stored, isSum: isSum)
        case .double:
            doubles.add(leaf.valuesPointer.assumingMemoryBound(to: Double.self), mask, count: stored, isSum: isSum)
        case .float:
            doubles.add(leaf.valuesPointer.assumingMemoryBound(to: Float.self), mask, count: stored, isSum: isSum)
        case .timestamp:
            for i in 0..<stored where mask.map({ $0[i] != 0 }) ?? true {
                let (seconds, nanoseconds) = leaf.timestamp(i)
                others.add(.timestamp(Timestamp(seconds: seconds, nanoseconds: nanoseconds)))
            }
        case .decimal128:
            for i in 0..<stored where mask.map({ $0[i] != 0 }) ?? true {
                others.add(.leafValue(.decimal128, leaf.fixed16(i)))
            }
        case .mixed:
            let blobs = column.segment(.blobs)
            for i in 0..<stored where mask.map({ $0[i] != 0 }) ?? true {
                others.add(view.value(.mixed, leaf, slot: i, isOptional: true, blobs: blobs))
            }
        default: break
        }
    }

    var result: Value {
        var fold = others
        if ints.count > 0 { fold.merge(ints) }
        if doubles.count > 0 { fold.merge(doubles, isFloat: column.type == .float) }
        return fold.result
    }
}

/// The count and sum, or the least and greatest, of integers.
struct IntFold {
    var count = 0
    var sum: Int64 = 0
    var wideSum: Int128 = 0
    var least = Int64.max
    var greatest = Int64.min

    mutating func add(_ leaf: Leaf, _ mask: Mask?, count n: Int, isSum: Bool) {
        let matches = mask.map { MaskKernels.count($0, n) } ?? n
        if matches == 0 { return }
        count += matches
        let values = leaf.valuesPointer
        if isSum {
            if leaf.width == 8 {
                let p = values.assumingMemoryBound(to: Int64.self)
                let (high, low) = SumKernels.halves(p, mask, count: n)
                wideSum += Int128(high) << 32 + Int128(low)
                sum &+= Int64(truncatingIfNeeded: Int128(high) << 32 + Int128(low))
                return
            }
            let offsets =
                switch leaf.width {
                case 1: SumKernels.bytes(values, mask, count: n)
                case 2: SumKernels.shorts(values, mask, count: n)
                case 4: SumKernels.words(values, mask, count: n)
                default: UInt64(0)
                }
            let total = Int128(leaf.base) * Int128(matches) + Int128(offsets)
            wideSum += total
            sum &+= Int64(truncatingIfNeeded: total)
            return
        }
        if leaf.width == 0 {
            least = min(least, leaf.base)
            greatest = max(greatest, leaf.base)
            return
        }
        var low: Int64
        var high: Int64
        if leaf.width == 8 {
            (low, high) = ExtremeKernels.longs(values, mask, count: n)
        } else {
            let (a, b) =
                switch leaf.width {
                case 1: ExtremeKernels.bytes(values, mask, count: n)
                case 2: ExtremeKernels.shorts(values, mask, count: n)
                default: ExtremeKernels.words(values, mask, count: n)
                }
            low = leaf.base &+ Int64(a)
            high = leaf.base &+ Int64(b)
        }
        least = min(least, low)
        greatest = max(greatest, high)
    }
}

/// The count and sum, or the least and greatest, of doubles. Floats are added as doubles.
struct DoubleFold {
    var count = 0
    var sum = 0.0
    /// The least of the values that aren't NaN.
    var least: Double?
    var greatest: Double?

    mutating func add<T: BinaryFloatingPoint>(_ p: UnsafePointer<T>, _ mask: Mask?, count n: Int, isSum: Bool) {
        count += mask.map { MaskKernels.count($0, n) } ?? n
        if isSum {
            if let doubles = p as? UnsafePointer<Double> {
                sum += SumKernels.doubles(doubles, mask, count: n)
            } else if let floats = p as? UnsafePointer<Float> {
                sum += SumKernels.floats(floats, mask, count: n)
            }
            return
        }
        for i in 0..<n where (mask?[i] ?? 1) != 0 {
            let x = Double(p[i])
            if x.isNaN { continue }
            if least == nil || x < least! { least = x }
            if greatest == nil || x > greatest! { greatest = x }
        }
    }
}
