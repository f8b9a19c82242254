#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A condition on one column's values, leaf by leaf.
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

    override func test(_ key: ObjectKey) -> Bool { condition.matches(view.value(column, key)) }

    override func fill(_ cluster: Int, _ mask: Mask, _ n: Int) {
        guard let address = view.leaf(column, cluster: cluster) else {
            return MaskKernels.set(mask, n, matchesDefault)
        }
        let leaf = Leaf(address)
        guard leaf.isSplit else { return fill(leaf, mask, n) }
        let span = Leaf.partSpan(clusterSpan: view.clusterSpan, partsLog2: leaf.partsLog2)
        var start = 0
        var part = 0
        while start < n {
            let m = min(span, n - start)
            if let address = view.leafPart(column, cluster: cluster, part: part) {
                fill(Leaf(address), mask + start, m)
            } else {
                MaskKernels.set(mask + start, m, matchesDefault)
            }
            start += m
            part += 1
        }
    }

    private func fill(_ leaf: Leaf, _ mask: Mask, _ n: Int) {
        let stored = min(leaf.count, n)
        if stored > 0 {
            fillValues(leaf, mask, stored)
            if let nulls = leaf.nullBitmap { MaskKernels.set(mask, where: nulls, stored, matchesNull) }
        }
        if stored < n { MaskKernels.set(mask + stored, n - stored, matchesDefault) }
    }

    /// Writes `mask[0 ..< n]`, for null slots anything; `0 < n <= leaf.count`.
    func fillValues(_ leaf: Leaf, _ mask: Mask, _ n: Int) { fatalError("abstract") }
}

extension Column {
    /// What slots hold that aren't stored.
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
    // Sixteen zero bytes, never written or freed.
    let p = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
    p.initializeMemory(as: UInt8.self, repeating: 0, count: 16)
    return UnsafeRawPointer(p)
}()

extension Value {
    /// A fixed-width value from its bytes in a leaf.
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

/// Integers, and links as they are stored.
final class IntScan: ColumnScan {
    private let set: RangeSet<Int64>

    init(view: DataView, column: Column, condition: ValueTest, set: RangeSet<Int64>) {
        self.set = set
        super.init(view: view, column: column, condition: condition)
    }

    override var cost: Int { 2 }

    override func fillValues(_ leaf: Leaf, _ mask: Mask, _ n: Int) {
        RangeKernels.ints(leaf.valuesPointer, width: leaf.width, base: leaf.base, n, set, mask)
    }
}

final class DoubleScan: ColumnScan {
    private lazy var set = condition.doubleRanges

    override var cost: Int { 4 }

    override func fillValues(_ leaf: Leaf, _ mask: Mask, _ n: Int) {
        RangeKernels.doubles(leaf.valuesPointer.assumingMemoryBound(to: Double.self), n, set, mask)
    }
}

final class FloatScan: ColumnScan {
    private lazy var set = condition.floatRanges

    override var cost: Int { 3 }

    override func fillValues(_ leaf: Leaf, _ mask: Mask, _ n: Int) {
        RangeKernels.floats(leaf.valuesPointer.assumingMemoryBound(to: Float.self), n, set, mask)
    }
}

final class BoolScan: ColumnScan {
    private lazy var matchesTrue = condition.matches(.bool(true))
    private lazy var matchesFalse = condition.matches(.bool(false))

    override var cost: Int { 1 }

    override func fillValues(_ leaf: Leaf, _ mask: Mask, _ n: Int) {
        let bits = leaf.valuesPointer.assumingMemoryBound(to: UInt64.self)
        MaskKernels.fill(mask, from: bits, n, ifSet: matchesTrue, ifClear: matchesFalse)
    }
}

final class TimestampScan: ColumnScan {
    private lazy var set = condition.timestampRanges
    /// Of whole seconds, for leaves without nanoseconds.
    private lazy var seconds = RangeSet(
        ranges: set.ranges.compactMap { range -> (low: Int64, high: Int64)? in
            guard range.low.nanoseconds == 0 || range.low.seconds < .max else { return nil }
            let low = range.low.nanoseconds > 0 ? range.low.seconds + 1 : range.low.seconds
            return low <= range.high.seconds ? (low, range.high.seconds) : nil
        },
        isNegated: set.isNegated
    )

    override var cost: Int { 5 }

    override func fillValues(_ leaf: Leaf, _ mask: Mask, _ n: Int) {
        guard let nanoseconds = leaf.nanosecondsPointer else {
            return RangeKernels.ints(leaf.valuesPointer, width: leaf.width, base: leaf.base, n, seconds, mask)
        }
        for i in 0..<n {
            let value = Timestamp(seconds: leaf.int(i), nanoseconds: Int32(bitPattern: nanoseconds[i]))
            mask[i] = set.contains(value) ? 1 : 0
        }
    }
}

/// Mixed values, one by one.
final class MixedScan: ColumnScan {
    override var cost: Int { 1000 }

    override func fillValues(_ leaf: Leaf, _ mask: Mask, _ n: Int) {
        let blobs = column.segment(.blobs)
        for i in 0..<n {
            mask[i] = condition.matches(view.value(.mixed, leaf, i, isOptional: true, blobs: blobs)) ? 1 : 0
        }
    }
}

/// Decimals, object ids and UUIDs: value by value, but equality of ids by their bits.
final class FixedScan: ColumnScan {
    override var cost: Int { column.type == .decimal128 ? 200 : 20 }

    override func fillValues(_ leaf: Leaf, _ mask: Mask, _ n: Int) {
        let width = column.type == .objectId ? 12 : 16
        let p = leaf.valuesPointer
        if column.type != .decimal128, case .comparison(let op, let constant) = condition.kind,
            op == .equal || op == .notEqual, constant.type == column.type
        {
            var words: (UInt64, UInt64) = (0, 0)
            withUnsafeMutableBytes(of: &words) { bytes in
                switch constant {
                case .objectId(let id): id.copyBytes(to: bytes.baseAddress!)
                case .uuid(let id): bytes.storeBytes(of: id.uuid, as: type(of: id.uuid))
                default: break
                }
            }
            let lo = words.0
            let hi = words.1
            let matches: UInt8 = op == .equal ? 1 : 0
            for i in 0..<n {
                let a = p.loadUnaligned(fromByteOffset: i * width, as: UInt64.self)
                let b =
                    width == 12
                    ? UInt64(p.loadUnaligned(fromByteOffset: i * 12 + 8, as: UInt32.self))
                    : p.loadUnaligned(fromByteOffset: i * 16 + 8, as: UInt64.self)
                mask[i] = (a == lo ? 1 : 0) & (b == hi ? 1 : 0) ^ matches ^ 1
            }
            return
        }
        for i in 0..<n { mask[i] = condition.matches(.leafValue(column.type, p + i * width)) ? 1 : 0 }
    }
}
