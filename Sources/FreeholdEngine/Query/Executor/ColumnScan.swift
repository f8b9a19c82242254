#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A scan for a condition on one column's values, leaf by leaf.
class ColumnScan: PlanNode {
    let column: Column
    let condition: ValueTest
    private let matchesNull: Bool
    private let matchesDefault: Bool

    init(view: DataView, column: Column, condition: ValueTest) {
        self.column = column
        self.condition = condition
        matchesNull = condition.matchesNull
        matchesDefault = condition.matches(column.defaultValue)
        super.init(view: view)
    }

    /// - Parameter matchesEmpty: whether slots without a stored value match.
    init(view: DataView, column: Column, condition: ValueTest, matchesEmpty: Bool) {
        self.column = column
        self.condition = condition
        matchesNull = matchesEmpty
        matchesDefault = matchesEmpty
        super.init(view: view)
    }

    override func test(_ key: ObjectKey) -> Bool { condition.matches(view.value(column, key)) }

    override func fill(_ cluster: Int, _ mask: Mask, count n: Int) {
        view.forEachLeaf(column, cluster: cluster, count: n) { leaf, start, m in
            if let leaf {
                fill(leaf, mask + start, count: m)
            } else {
                MaskKernels.set(mask + start, count: m, to: matchesDefault)
            }
        }
    }

    final func fill(_ leaf: Leaf, _ mask: Mask, count n: Int) {
        let stored = min(leaf.count, n)
        if stored > 0 {
            fillValues(leaf, mask, count: stored)
            if let nulls = leaf.nullBitmap { MaskKernels.set(mask, where: nulls, count: stored, to: matchesNull) }
        }
        if stored < n { MaskKernels.set(mask + stored, count: n - stored, to: matchesDefault) }
    }

    /// Writes `mask[0 ..< n]`, with any value for null slots. `0 < n <= leaf.count`.
    func fillValues(_ leaf: Leaf, _ mask: Mask, count n: Int) { fatalError("abstract") }
}

extension DataView {
    /// Calls `body` with each leaf that contains slots among the first `n` of a cluster, the leaf's first slot, and its number of slots. The leaf is
    /// `nil` if nothing is stored.
    @inline(__always)
    func forEachLeaf(_ column: Column, cluster: Int, count n: Int, body: (Leaf?, _ start: Int, _ n: Int) -> Void) {
        guard let address = leaf(column, cluster: cluster) else { return body(nil, 0, n) }
        let leaf = Leaf(address)
        guard leaf.isSplit else { return body(leaf, 0, n) }
        let span = Leaf.partSpan(clusterSpan: clusterSpan, partsLog2: leaf.partsLog2)
        var start = 0
        var part = 0
        while start < n {
            let m = min(span, n - start)
            body(leafPart(column, cluster: cluster, part: part).map { Leaf($0) }, start, m)
            start += m
            part += 1
        }
    }
}

extension Column {
    /// The value of slots that aren't stored.
    var defaultValue: Value {
        if isOptional { return .null }
        switch type {
        case .bool: return .bool(false)
        case .int: return .int(0)
        case .float: return .float(0)
        case .double: return .double(0)
        case .string: return .string("")
        case .data: return .data(.init())
        case .timestamp: return .timestamp(Timestamp(seconds: 0, nanoseconds: 0))
        case .decimal128: return Value.leafValue(.decimal128, zeroBits)
        case .objectId: return .objectId(ObjectId())
        case .uuid: return Value.leafValue(.uuid, zeroBits)
        case .link, .mixed: return .null
        }
    }
}

nonisolated(unsafe) private let zeroBits: UnsafeRawPointer = {
    // Sixteen zero bytes that are never written or deallocated.
    let p = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
    p.initializeMemory(as: UInt8.self, repeating: 0, count: 16)
    return UnsafeRawPointer(p)
}()

extension Value {
    /// Returns a fixed-width value from its bytes in a leaf.
    static func leafValue(_ type: ColumnType, _ p: UnsafeRawPointer) -> Value {
        switch type {
        case .decimal128:
            .decimal128(
                Decimal128(
                    lo: p.loadUnaligned(as: UInt64.self),
                    hi: p.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                )
            )
        case .objectId: .objectId(ObjectId(bytes: UnsafeRawBufferPointer(start: p, count: 12)))
        default:
            .uuid(
                .init(
                    uuid: p.loadUnaligned(
                        as: (
                            UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
                            UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
                        ).self
                    )
                )
            )
        }
    }
}

/// A scan for a condition on integers, or on links in their stored form.
final class IntScan: ColumnScan {
    private let set: RangeSet<Int64>
    private let many: IntSet?

    init(view: DataView, column: Column, condition: ValueTest, set: RangeSet<Int64>) {
        self.set = set
        many = set.singles.map { IntSet($0) }
        super.init(view: view, column: column, condition: condition)
    }

    override var cost: Int { many == nil ? 2 : 20 }

    override func fillValues(_ leaf: Leaf, _ mask: Mask, count n: Int) {
        if let many, leaf.width > 0 { return leaf.fill(mask, n, in: many, isNegated: set.isNegated) }
        RangeKernels.ints(leaf.packedInts(n), in: set, into: mask)
    }
}

final class DoubleScan: ColumnScan {
    private lazy var set = condition.doubleRanges
    private lazy var many = set.singles.map { Self.bits($0) }

    override var cost: Int { 4 }

    /// Returns the bits of the values as doubles. Positive and negative zero have the same bits.
    static func bits<T: BinaryFloatingPoint>(_ values: [T]) -> IntSet {
        IntSet(values.map { Int64(bitPattern: (Double($0) + 0).bitPattern) }.sorted())
    }

    override func fillValues(_ leaf: Leaf, _ mask: Mask, count n: Int) {
        let p = leaf.valuesPointer.assumingMemoryBound(to: Double.self)
        if let many {
            return many.fill(mask, n, isNegated: set.isNegated) { Int64(bitPattern: (p[$0] + 0).bitPattern) }
        }
        RangeKernels.doubles(p, count: n, in: set, into: mask)
    }
}

final class FloatScan: ColumnScan {
    private lazy var set = condition.floatRanges
    private lazy var many = set.singles.map { DoubleScan.bits($0) }

    override var cost: Int { 3 }

    override func fillValues(_ leaf: Leaf, _ mask: Mask, count n: Int) {
        let p = leaf.valuesPointer.assumingMemoryBound(to: Float.self)
        if let many {
            return many.fill(mask, n, isNegated: set.isNegated) { Int64(bitPattern: (Double(p[$0]) + 0).bitPattern) }
        }
        RangeKernels.floats(p, count: n, in: set, into: mask)
    }
}

final class BoolScan: ColumnScan {
    private lazy var matchesTrue = condition.matches(.bool(true))
    private lazy var matchesFalse = condition.matches(.bool(false))

    override var cost: Int { 1 }

    override func fillValues(_ leaf: Leaf, _ mask: Mask, count n: Int) {
        let bits = leaf.valuesPointer.assumingMemoryBound(to: UInt64.self)
        MaskKernels.fill(mask, from: bits, n, ifSet: matchesTrue, ifClear: matchesFalse)
    }
}

final class TimestampScan: ColumnScan {
    private lazy var set = condition.timestampRanges
    /// The ranges in whole seconds, for leaves without nanoseconds.
    private lazy var seconds = RangeSet(
        ranges: set.ranges.compactMap { range -> (low: Int64, high: Int64)? in
            guard range.low.nanoseconds == 0 || range.low.seconds < .max else { return nil }
            let low = range.low.nanoseconds > 0 ? range.low.seconds + 1 : range.low.seconds
            return low <= range.high.seconds ? (low, range.high.seconds) : nil
        },
        isNegated: set.isNegated
    )

    private lazy var manySeconds = seconds.singles.map { IntSet($0) }
    private lazy var many = set.singles.map { times in
        WordsSet(times.map { (UInt64(bitPattern: $0.seconds), UInt64(bitPattern: Int64($0.nanoseconds))) })
    }

    override var cost: Int { 5 }

    override func fillValues(_ leaf: Leaf, _ mask: Mask, count n: Int) {
        guard let nanoseconds = leaf.nanosecondsPointer else {
            if let manySeconds, leaf.width > 0 {
                return leaf.fill(mask, n, in: manySeconds, isNegated: set.isNegated)
            }
            return RangeKernels.ints(leaf.packedInts(n), in: seconds, into: mask)
        }
        if let many {
            for i in 0..<n {
                let second = UInt64(bitPattern: leaf.int(i))
                let nanosecond = UInt64(bitPattern: Int64(Int32(bitPattern: nanoseconds[i])))
                mask[i] = many.contains(second, and: nanosecond) != set.isNegated ? 1 : 0
            }
            return
        }
        for i in 0..<n {
            let value = Timestamp(seconds: leaf.int(i), nanoseconds: Int32(bitPattern: nanoseconds[i]))
            mask[i] = set.contains(value) ? 1 : 0
        }
    }
}

/// A scan for a condition on mixed values, value by value. Strings are read in place.
final class MixedScan: ColumnScan {
    /// The condition on the bytes of strings.
    private lazy var bytes: BytesCondition? = {
        if case .text(_, let pattern, _) = condition.kind, pattern.type != .string { return nil }
        return condition.bytesCondition(.string)
    }()
    private lazy var matchesAnyString = condition.matches(.string(""))

    override var cost: Int { 1000 }

    override func fillValues(_ leaf: Leaf, _ mask: Mask, count n: Int) {
        let blobs = column.segment(.blobs)
        for i in 0..<n {
            let stored = leaf.bytes(i)
            let matches: Bool
            if !leaf.isReference(i), let text = MixedCoding.stringBytes(stored) {
                matches = bytes?.matches(text) ?? matchesAnyString
            } else if leaf.isReference(i), !view.hasLongBytes(blobs, leaf.reference(i)) {
                matches = false
            } else {
                matches = condition.matches(view.value(.mixed, leaf, slot: i, isOptional: true, blobs: blobs))
            }
            mask[i] = matches ? 1 : 0
        }
    }
}

/// A scan for a condition on decimals, object ids and UUIDs, value by value. The equality of ids is tested by their bits.
final class FixedScan: ColumnScan {
    private lazy var width = column.type == .objectId ? 12 : 16
    private lazy var many: WordsSet? = {
        guard column.type != .decimal128, case .oneOf(let values) = condition.kind, values.count > 8 else { return nil }
        return WordsSet(values.compactMap { $0.type == column.type ? Self.words($0) : nil })
    }()

    override var cost: Int { column.type == .decimal128 ? 200 : 20 }

    private static func words(_ id: Value) -> (UInt64, UInt64) {
        var words: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) { FieldCoding.copyFixed(id, to: $0.baseAddress!) }
        return words
    }

    @inline(__always)
    private static func words(_ p: UnsafeRawPointer, _ width: Int) -> (UInt64, UInt64) {
        (
            p.loadUnaligned(as: UInt64.self),
            width == 12
                ? UInt64(p.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
                : p.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        )
    }

    override func fillValues(_ leaf: Leaf, _ mask: Mask, count n: Int) {
        let width = width
        let p = leaf.valuesPointer
        if column.type != .decimal128, case .comparison(let op, let constant) = condition.kind,
            op == .equal || op == .notEqual, constant.type == column.type
        {
            let (lo, hi) = Self.words(constant)
            let matches: UInt8 = (op == .equal) != condition.isNegated ? 1 : 0
            for i in 0..<n {
                let (a, b) = Self.words(p + i &* width, width)
                mask[i] = (a == lo ? 1 : 0) & (b == hi ? 1 : 0) ^ matches ^ 1
            }
            return
        }
        if let many {
            let found: UInt8 = condition.isNegated ? 0 : 1
            for i in 0..<n {
                let (a, b) = Self.words(p + i &* width, width)
                mask[i] = many.contains(a, and: b) ? found : found ^ 1
            }
            return
        }
        for i in 0..<n { mask[i] = condition.matches(.leafValue(column.type, p + i * width)) ? 1 : 0 }
    }
}

extension Leaf {
    /// Sets `mask[i]` to whether the set contains the i-th integer. The width must not be 0.
    func fill(_ mask: Mask, _ n: Int, in set: IntSet, isNegated: Bool) {
        let base = base
        let p = valuesPointer
        switch width {
        case 1: set.fill(mask, n, isNegated: isNegated) { base &+ Int64(p.load(fromByteOffset: $0, as: UInt8.self)) }
        case 2:
            set.fill(mask, n, isNegated: isNegated) { base &+ Int64(p.load(fromByteOffset: $0 << 1, as: UInt16.self)) }
        case 4:
            set.fill(mask, n, isNegated: isNegated) { base &+ Int64(p.load(fromByteOffset: $0 << 2, as: UInt32.self)) }
        default: set.fill(mask, n, isNegated: isNegated) { p.load(fromByteOffset: $0 << 3, as: Int64.self) }
        }
    }
}

extension Leaf {
    /// The first integers of the leaf, as the kernels read them.
    @inline(__always)
    fileprivate func packedInts(_ count: Int) -> RangeKernels.PackedInts {
        RangeKernels.PackedInts(values: valuesPointer, width: width, base: base, count: count)
    }
}
