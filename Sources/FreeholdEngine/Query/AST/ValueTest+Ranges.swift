#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A set of values of an ordered type: a union of closed ranges, or the complement of one.
struct RangeSet<T: Comparable & Sendable>: Sendable {
    /// The ranges in ascending order, without overlap.
    var ranges: [(low: T, high: T)]
    var isNegated = false

    static var none: RangeSet { RangeSet(ranges: []) }

    func contains(_ value: T) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) >> 1
            if value < ranges[middle].low {
                high = middle
            } else if value > ranges[middle].high {
                low = middle + 1
            } else {
                return !isNegated
            }
        }
        return isNegated
    }

    /// The values in ascending order, if there are many ranges and each has one value.
    var singles: [T]? {
        ranges.count > 8 && ranges.allSatisfy { $0.low == $0.high } ? ranges.map { $0.high } : nil
    }

    static func union(_ ranges: [(low: T, high: T)]) -> RangeSet {
        var out: [(low: T, high: T)] = []
        for range in ranges.sorted(by: { $0.low < $1.low }) {
            if let last = out.last, range.low <= last.high {
                out[out.count - 1].high = max(last.high, range.high)
            } else {
                out.append(range)
            }
        }
        return RangeSet(ranges: out)
    }
}

/// The values of a type in the order of their ordinals. A binary search for a constant of another type among these values makes comparisons between
/// number types exact.
private struct OrdinalDomain {
    let first: Int64
    let last: Int64
    let value: (Int64) -> Value

    /// Returns the least ordinal whose value compares with the constant as `>= 0` (or `> 0`), or `nil` if there is none.
    func least(_ constant: Value, above: Bool) -> Int64? {
        func holds(_ ordinal: Int64) -> Bool {
            let c = Value.compare(value(ordinal), with: constant)
            return above ? c > 0 : c >= 0
        }
        guard holds(last) else { return nil }
        var low = first
        var high = last
        while low < high {
            let middle = Int64(bitPattern: UInt64(bitPattern: low) &+ UInt64(bitPattern: high &- low) >> 1)
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    func range(_ op: Comparison, _ constant: Value) -> (low: Int64, high: Int64)? {
        let from = op == .less || op == .lessOrEqual ? first : least(constant, above: op == .greater)
        guard let from else { return nil }
        if op == .greater || op == .greaterOrEqual { return (from, last) }
        guard let next = least(constant, above: op != .less) else { return (from, last) }
        return next <= from ? nil : (from, next - 1)
    }
}

extension ValueTest {
    var intRanges: RangeSet<Int64> {
        ordinals(OrdinalDomain(first: .min, last: .max) { .int($0) }) { $0.isNumber && !$0.isNaN }
    }

    /// The ranges of doubles. None of them contains NaN.
    var doubleRanges: RangeSet<Double> {
        let domain = OrdinalDomain(first: Self.ordinal(-Double.infinity), last: Self.ordinal(Double.infinity)) {
            .double(Self.double($0))
        }
        return map(ordinals(domain) { $0.isNumber && !$0.isNaN }) { Self.double($0) }
    }

    var floatRanges: RangeSet<Float> {
        let domain = OrdinalDomain(first: Self.ordinal(-Float.infinity), last: Self.ordinal(Float.infinity)) {
            .float(Self.float($0))
        }
        return map(ordinals(domain) { $0.isNumber && !$0.isNaN }) { Self.float($0) }
    }

    var timestampRanges: RangeSet<Timestamp> {
        func range(_ op: Comparison, _ constant: Value) -> (low: Timestamp, high: Timestamp)? {
            guard case .timestamp(let t) = constant else { return nil }
            switch op {
            case .equal, .notEqual: return (t, t)
            case .lessOrEqual: return (.min, t)
            case .greaterOrEqual: return (t, .max)
            case .less: return t == .min ? nil : (.min, Timestamp(seconds: t.seconds, nanoseconds: t.nanoseconds - 1))
            case .greater:
                return t == .max ? nil : (Timestamp(seconds: t.seconds, nanoseconds: t.nanoseconds + 1), .max)
            }
        }
        return ranges(range)
    }

    /// The ranges of a link column's stored values: 0 for null, otherwise key + 1.
    var storedLinkRanges: RangeSet<Int64> {
        if case .text = kind {
            // A link isn't a text, so the test depends only on whether the link is null.
            let others = matches(.link(ObjectKey(0)))
            let ranges: [(low: Int64, high: Int64)] = matchesNull == others ? [] : [(0, 0)]
            return RangeSet(ranges: ranges, isNegated: others)
        }
        func range(_ op: Comparison, _ constant: Value) -> (low: Int64, high: Int64)? {
            if op == .less || op == .greater { return nil }
            switch constant {
            case .null: return (0, 0)
            case .link(let key): return (key.raw + 1, key.raw + 1)
            default: return nil
            }
        }
        return ranges(range)
    }

    private func ordinals(_ domain: OrdinalDomain, _ isComparable: @escaping (Value) -> Bool) -> RangeSet<Int64> {
        ranges { op, constant in
            isComparable(constant) ? domain.range(op == .notEqual ? .equal : op, constant) : nil
        }
    }

    private func ranges<T>(_ range: (Comparison, Value) -> (low: T, high: T)?) -> RangeSet<T> {
        var set = kindRanges(range)
        if isNegated { set.isNegated.toggle() }
        return set
    }

    private func kindRanges<T>(_ range: (Comparison, Value) -> (low: T, high: T)?) -> RangeSet<T> {
        switch kind {
        case .comparison(let op, let constant):
            return RangeSet(
                ranges: range(op, constant).map { [$0] } ?? [],
                isNegated: op == .notEqual
            )
        case .between(let lower, let upper, let isClosed):
            guard let a = range(.greaterOrEqual, lower), let b = range(isClosed ? .lessOrEqual : .less, upper)
            else { return .none }
            let low = max(a.low, b.low)
            let high = min(a.high, b.high)
            return low <= high ? RangeSet(ranges: [(low, high)]) : .none
        case .oneOf(let values): return .union(values.compactMap { range(.equal, $0) })
        case .text(let op, let pattern, _):
            let all = pattern.isNull ? Self.matchesNullPattern(op, .bool(true)) : op == .notEqual
            return RangeSet(ranges: [], isNegated: all)
        }
    }

    private func map<T>(_ set: RangeSet<Int64>, _ convert: (Int64) -> T) -> RangeSet<T> {
        RangeSet(ranges: set.ranges.map { (convert($0.low), convert($0.high)) }, isNegated: set.isNegated)
    }

    // Returns the ordinal of a double. Ordinals have the order of the numbers: the bits of negative numbers are inverted, except the sign.
    private static func ordinal(_ value: Double) -> Int64 {
        let bits = Int64(bitPattern: value.bitPattern)
        return bits < 0 ? bits ^ .max : bits
    }

    private static func double(_ ordinal: Int64) -> Double {
        Double(bitPattern: UInt64(bitPattern: ordinal < 0 ? ordinal ^ .max : ordinal))
    }

    private static func ordinal(_ value: Float) -> Int64 {
        let bits = Int32(bitPattern: value.bitPattern)
        return Int64(bits < 0 ? bits ^ .max : bits)
    }

    private static func float(_ ordinal: Int64) -> Float {
        let bits = Int32(ordinal)
        return Float(bitPattern: UInt32(bitPattern: bits < 0 ? bits ^ .max : bits))
    }

    /// Returns the condition on the bytes of strings or data that aren't null, or `nil` if all of them have the same result (`matchesAnyBytes`).
    func bytesCondition(_ type: ColumnType) -> BytesCondition? {
        var condition = kindBytesCondition(type)
        if isNegated { condition?.isNegated.toggle() }
        return condition
    }

    private func kindBytesCondition(_ type: ColumnType) -> BytesCondition? {
        func bytes(_ value: Value) -> [UInt8]? { value.type == type ? value.withStoredBytes { Array($0) } : nil }
        switch kind {
        case .text(let op, let pattern, let options):
            return pattern.type == .string || pattern.type == .data
                ? BytesCondition(op, pattern, options: options) : nil
        case .oneOf(let values):
            return BytesCondition(.oneOf(BytesSet(values.compactMap(bytes))))
        case .between(let lower, let upper, let isClosed):
            guard let a = bytes(lower), let b = bytes(upper) else { return nil }
            return BytesCondition(.range(lower: a, includingLower: true, upper: b, includingUpper: isClosed))
        case .comparison(let op, let constant):
            guard let b = bytes(constant) else { return nil }
            switch op {
            case .equal: return BytesCondition(.equal(b))
            case .notEqual: return BytesCondition(.equal(b), isNegated: true)
            case .less, .lessOrEqual:
                return BytesCondition(
                    .range(lower: nil, includingLower: true, upper: b, includingUpper: op == .lessOrEqual)
                )
            case .greater, .greaterOrEqual:
                return BytesCondition(
                    .range(lower: b, includingLower: op == .greaterOrEqual, upper: nil, includingUpper: true)
                )
            }
        }
    }

    /// Returns whether strings (or data) that aren't null match, if the test has no `bytesCondition`.
    func matchesAnyBytes(_ type: ColumnType) -> Bool { matches(type == .string ? .string("") : .data(.init())) }
}
