/// The objects whose value of an indexed column (or of a primary key) is one of some, or lies in ranges.
struct ValuesAccess: IndexAccess {
    let view: DataView
    let table: Table
    let tree: IndexTree
    let subject: String
    let values: EncodedValues
    let ranges: [EncodedRange]
    let isExact: Bool
    let estimate: Int

    init(
        view: DataView,
        table: Table,
        tree: IndexTree,
        subject: String,
        values: EncodedValues,
        ranges: [EncodedRange],
        isExact: Bool
    ) {
        self.view = view
        self.table = table
        self.tree = tree
        self.subject = subject
        self.values = values
        self.ranges = ranges
        self.isExact = isExact
        var estimate = 0
        for range in ranges { estimate += range.withBounds { tree.estimate(lower: $0, upper: $1, in: view) } }
        if !values.isEmpty {
            // Of many values a sample tells.
            let step = max(1, values.count / 12)
            var sampled = 0
            var sum = 0
            for i in stride(from: 0, to: values.count, by: step) {
                sum += values.with(i) { value in
                    let bound = IndexTree.Bound(value, inclusive: true)
                    return tree.estimate(lower: bound, upper: bound, in: view)
                }
                sampled += 1
            }
            estimate += sum * values.count / sampled
        }
        self.estimate = min(estimate, tree.count)
    }

    var operation: QueryPlan.Operation { .index }
    private var isOneRun: Bool { values.count + ranges.count <= 1 && ranges.isEmpty }

    var cost: Double {
        let runs = Double(ranges.count) * 2 + Double(values.count) * 0.4 + 1
        let order = isOneRun ? 0 : AccessCost.order(estimate, view.clusterCount(table) * view.clusterSpan)
        return runs * AccessCost.descent + Double(estimate) * AccessCost.entry + order
    }

    func keys() -> [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(estimate)
        tree.forEach(values, in: view) { keys.append(ObjectKey($0)) }
        for range in ranges {
            range.withBounds { lower, upper in
                tree.keys(lower: lower, upper: upper, in: view) { key in
                    keys.append(ObjectKey(key))
                    return true
                }
            }
        }
        if !isOneRun { keys.restoreOrder(in: table, view, isUnique: true) }
        return keys
    }

    func count() -> Int {
        var total = 0
        tree.forEach(values, in: view) { _ in total &+= 1 }
        for range in ranges { total += range.withBounds { tree.count(lower: $0, upper: $1, in: view) } }
        return total
    }
}

/// A condition on a column's value as its entries in an index.
struct EncodedCondition {
    var values = EncodedValues()
    /// Rising, without overlap; none of them holds one of `values`.
    var ranges: [EncodedRange] = []
    var isExact = true

    /// Nil where the condition can't be told from the entries.
    init?(_ test: ValueTest, _ column: Column) {
        if test.isNegated { return nil }
        var test = test
        test.isMixed = column.type == .mixed
        if column.isOptional || column.type == .mixed, test.matchesNull { append(.null, column.type) }
        switch column.type {
        case .int:
            take(test.intRanges, least: .min, greatest: .max, { $0 == .max ? nil : $0 + 1 }, { $0 - 1 }) {
                OrderedEncoding.int($0, $1)
            }
        case .timestamp:
            take(test.timestampRanges, least: .min, greatest: .max, \.next, \.previous) {
                OrderedEncoding.timestamp(seconds: $0.seconds, nanoseconds: $0.nanoseconds, $1)
            }
        case .bool:
            for value in [false, true] where test.matches(.bool(value)) { append(.bool(value), .bool) }
        case .string, .data:
            guard takeBytes(test, column.type) else { return nil }
        case .objectId, .uuid, .mixed:
            guard takeConstants(test, column.type) else { return nil }
        case .float, .double, .decimal128, .link: return nil
        }
        values.sort()
    }

    private mutating func append(_ value: Value, _ type: ColumnType) {
        _ = OrderedEncoding.with(value, type) { bytes in
            values.append(bytes)
            if OrderedEncoding.needsCheck(bytes) { isExact = false }
        }
    }

    // MARK: Ordered types of fixed width

    private mutating func take<T: Comparable & Sendable>(
        _ set: RangeSet<T>,
        least: T,
        greatest: T,
        _ next: (T) -> T?,
        _ previous: (T) -> T,
        _ encode: (T, UnsafeMutableRawPointer) -> Int
    ) {
        func bytes(_ value: T) -> [UInt8] { OrderedEncoding.with({ encode(value, $0) }) { Array($0) } }
        var ranges = set.ranges
        if set.isNegated {
            ranges = []
            var low: T? = least
            for range in set.ranges {
                if let from = low, from < range.low { ranges.append((from, previous(range.low))) }
                low = next(range.high)
            }
            if let low { ranges.append((low, greatest)) }
        }
        if ranges.count > 16 { values.reserve(ranges.count, 13) }
        for range in ranges {
            if range.low == range.high {
                OrderedEncoding.with({ encode(range.low, $0) }) { values.append($0) }
            } else {
                self.ranges.append(EncodedRange(lower: bytes(range.low), upper: bytes(range.high)))
            }
        }
    }

    // MARK: Strings and data

    private mutating func takeBytes(_ test: ValueTest, _ type: ColumnType) -> Bool {
        let tag = type == .string ? OrderedEncoding.Tag.string : OrderedEncoding.Tag.data
        guard let condition = test.bytesCondition(type) else {
            if test.matchesAnyBytes(type) { ranges.append(.prefix([tag])) }
            return true
        }
        return take(condition, tag)
    }

    private mutating func take(_ condition: BytesCondition, _ tag: UInt8) -> Bool {
        guard condition.fold == nil else { return false }
        let isNegated = condition.isNegated
        switch condition.test {
        case .equal(let bytes):
            if isNegated {
                appendRange(tag, lower: nil, true, upper: bytes, false)
                appendRange(tag, lower: bytes, false, upper: nil, true)
                if bytes.count > OrderedEncoding.cutLength { mergeAll(tag) }
            } else {
                append(bytes, tag)
            }
        case .oneOf(let all) where !isNegated:
            values.reserve(all.count, 16)
            for bytes in all { append(bytes, tag) }
        case .beginsWith(let prefix) where !isNegated: appendPrefix(prefix, tag)
        case .like(let pattern) where !isNegated:
            let prefix = pattern.bytes.prefix { $0 != UInt8(ascii: "*") && $0 != UInt8(ascii: "?") }
            guard !prefix.isEmpty else { return false }
            appendPrefix(Array(prefix), tag)
            isExact = false
        case .range(let lower, let includesLower, let upper, let includesUpper) where !isNegated:
            appendRange(tag, lower: lower, includesLower, upper: upper, includesUpper)
        default: return false
        }
        return true
    }

    private mutating func append(_ bytes: [UInt8], _ tag: UInt8) {
        Self.with(bytes, tag) { encoded in
            values.append(encoded)
            if OrderedEncoding.needsCheck(encoded) { isExact = false }
        }
    }

    private mutating func appendPrefix(_ prefix: [UInt8], _ tag: UInt8) {
        if prefix.count > OrderedEncoding.cutLength { isExact = false }
        ranges.append(.prefix([tag] + prefix.prefix(OrderedEncoding.cutLength)))
    }

    private mutating func mergeAll(_ tag: UInt8) {
        // The value shares its cut form with others: both ranges take in all of these.
        ranges.removeAll { $0.lower?.first == tag || $0.upper?.first == tag }
        ranges.append(.prefix([tag]))
        isExact = false
    }

    private mutating func appendRange(
        _ tag: UInt8,
        lower: [UInt8]?,
        _ includesLower: Bool,
        upper: [UInt8]?,
        _ includesUpper: Bool
    ) {
        if let lower, let upper, upper.lexicographicallyPrecedes(lower) { return }
        var range = EncodedRange.prefix([tag])
        if let lower {
            Self.with(lower, tag) { bytes in
                let bound = OrderedEncoding.bound(bytes, upper: false, inclusive: includesLower)
                (range.lower, range.includesLower) = (bound.bytes, bound.inclusive)
                if OrderedEncoding.needsCheck(bytes) { isExact = false }
            }
        }
        if let upper {
            Self.with(upper, tag) { bytes in
                let bound = OrderedEncoding.bound(bytes, upper: true, inclusive: includesUpper)
                (range.upper, range.includesUpper) = (bound.bytes, bound.inclusive)
                if OrderedEncoding.needsCheck(bytes) { isExact = false }
            }
        }
        ranges.append(range)
    }

    private static func with(_ bytes: [UInt8], _ tag: UInt8, _ body: (UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { source in
            OrderedEncoding.with(
                {
                    tag == OrderedEncoding.Tag.string
                        ? OrderedEncoding.string(source, $0) : OrderedEncoding.data(source, $0)
                },
                body
            )
        }
    }

    // MARK: Types that compare by value only

    private mutating func takeConstants(_ test: ValueTest, _ type: ColumnType) -> Bool {
        switch test.kind {
        case .comparison(.equal, let constant): return takeEqual([constant], type)
        case .oneOf(let constants): return takeEqual(constants, type)
        case .comparison(.notEqual, _): return false
        case .comparison(let op, let constant):
            let isLower = op == .greater || op == .greaterOrEqual
            return takeRange(
                lower: isLower ? constant : nil,
                op != .greater,
                upper: isLower ? nil : constant,
                op != .less,
                type
            )
        case .between(let lower, let upper, let isClosed):
            if lower.isNull || upper.isNull { return true }
            return takeRange(lower: lower, true, upper: upper, isClosed, type)
        case .text(let op, let pattern, let options):
            guard type == .mixed, !pattern.isNull else { return false }
            return take(BytesCondition(op, pattern, options), OrderedEncoding.Tag.string)
                && op != .notEqual
        }
    }

    private mutating func takeEqual(_ constants: [Value], _ type: ColumnType) -> Bool {
        values.reserve(constants.count, 17)
        for constant in constants where !constant.isNull && !constant.holdsNaN {
            if case .link = constant { continue }
            if type == .mixed || constant.type == type { append(constant, type) }
        }
        return true
    }

    private mutating func takeRange(
        lower: Value?,
        _ includesLower: Bool,
        upper: Value?,
        _ includesUpper: Bool,
        _ type: ColumnType
    ) -> Bool {
        let ends = [lower, upper].compactMap { $0 }
        // Without order, or never met.
        guard ends.allSatisfy({ !$0.isNull && !$0.isNaN }) else { return true }
        if type != .mixed {
            guard ends.allSatisfy({ $0.type == type }) else { return true }
        } else {
            // Those have no order.
            guard ends.allSatisfy({ $0.type != nil && $0.type != .mixed && $0.type != .link }) else { return false }
        }
        var tag: UInt8 = 0
        func encoded(_ value: Value) -> [UInt8] { OrderedEncoding.with(value, type) { Array($0) } ?? [] }
        for end in ends {
            let bytes = encoded(end)
            if tag != 0, bytes[0] != tag { return true }
            tag = bytes[0]
        }
        if let lower, let upper, Value.compare(lower, upper) > 0 { return true }
        var range = EncodedRange.prefix([tag])
        func set(_ value: Value, upper: Bool, inclusive: Bool) {
            encoded(value).withUnsafeBytes { bytes in
                var bound = OrderedEncoding.bound(bytes, upper: upper, inclusive: inclusive)
                if OrderedEncoding.needsCheck(bytes) {
                    isExact = false
                    bound.inclusive = bound.inclusive || tag == OrderedEncoding.Tag.number
                }
                if upper {
                    (range.upper, range.includesUpper) = (bound.bytes, bound.inclusive)
                } else {
                    (range.lower, range.includesLower) = (bound.bytes, bound.inclusive)
                }
            }
        }
        if let lower { set(lower, upper: false, inclusive: includesLower) }
        if let upper { set(upper, upper: true, inclusive: includesUpper) }
        // NaN is an entry below all numbers, and none of them.
        if tag == OrderedEncoding.Tag.number { isExact = false }
        ranges.append(range)
        return true
    }
}

extension Timestamp {
    /// Nil after the last.
    fileprivate var next: Timestamp? {
        self == .max ? nil : Timestamp(seconds: seconds, nanoseconds: nanoseconds + 1)
    }

    /// - Precondition: it isn't the least.
    fileprivate var previous: Timestamp { Timestamp(seconds: seconds, nanoseconds: nanoseconds - 1) }
}
