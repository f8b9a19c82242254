/// A condition on a column's value, expressed as values and ranges of index entries.
struct EncodedCondition {
    var values = EncodedValues()
    /// The ranges in ascending order, without overlap. None of them contains one of `values`.
    var ranges: [EncodedRange] = []
    var isExact = true
    /// A Boolean value that indicates whether the bytes have the form of compound indexes.
    private let isPart: Bool

    /// Returns `nil` if the entries don't show whether the condition is met.
    init?(_ test: ValueTest, _ column: Column, isPart: Bool = false) {
        self.isPart = isPart
        if test.isNegated { return nil }
        var test = test
        test.isMixed = column.type == .mixed
        if column.isOptional || column.type == .mixed, test.matchesNull { append(.null, column.type) }
        switch column.type {
        case .int:
            take(test.intRanges, least: .min, greatest: .max, next: { $0 == .max ? nil : $0 + 1 }, previous: { $0 - 1 })
            {
                OrderedEncoding.int($0, $1)
            }
        case .timestamp:
            take(test.timestampRanges, least: .min, greatest: .max, next: \.next, previous: \.previous) {
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

    /// Creates the condition that the value is one of many values of the column's own type. Returns `nil` for other values. This initialiser is fast
    /// for thousands of values.
    init?(oneOf constants: [Value], _ column: Column) {
        isPart = false
        guard column.type != .mixed, OrderedEncoding.isIndexable(column.type), column.type != .link else { return nil }
        values.reserve(constants.count, length: 17)
        withUnsafeTemporaryAllocation(byteCount: OrderedEncoding.maximumLength, alignment: 8) { room in
            for constant in constants {
                // Null is compared like a value.
                guard constant.isNull ? column.isOptional : constant.type == column.type else { continue }
                let length = OrderedEncoding.encode(constant, room.baseAddress!)!
                let bytes = UnsafeRawBufferPointer(rebasing: room[0..<length])
                if OrderedEncoding.needsCheck(bytes) { isExact = false }
                values.append(bytes)
            }
        }
        guard column.type != .int || constants.allSatisfy({ $0.isNull || $0.type == .int || !$0.isNumber }) else {
            return nil
        }
        values.sort()
    }

    private mutating func append(_ value: Value, _ type: ColumnType) {
        let bytes = encoded(value, type)
        bytes.withUnsafeBytes { values.append($0) }
        if needsCheck(bytes) { isExact = false }
    }

    private func encoded(_ value: Value, _ type: ColumnType) -> [UInt8] {
        guard isPart else { return OrderedEncoding.with(value, type) { Array($0) } ?? [] }
        var out: [UInt8] = []
        CompoundEncoding.append(value, type, to: &out)
        return out
    }

    /// Returns whether entries with these bytes may belong to different values.
    private func needsCheck(_ bytes: [UInt8]) -> Bool {
        if isPart { return bytes[0] == OrderedEncoding.Tag.number || bytes[0] >= OrderedEncoding.Tag.list }
        return bytes.withUnsafeBytes { OrderedEncoding.needsCheck($0) }
    }

    private func bound(_ bytes: [UInt8], upper: Bool, inclusive: Bool) -> (bytes: [UInt8], inclusive: Bool) {
        if isPart { return (bytes, inclusive) }
        return bytes.withUnsafeBytes { OrderedEncoding.bound($0, upper: upper, inclusive: inclusive) }
    }

    // MARK: Ordered types of fixed width

    private mutating func take<T: Comparable & Sendable>(
        _ set: RangeSet<T>,
        least: T,
        greatest: T,
        next: (T) -> T?,
        previous: (T) -> T,
        encode: (T, UnsafeMutableRawPointer) -> Int
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
        if ranges.count > 16 { values.reserve(ranges.count, length: 13) }
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
                appendRange(tag, lower: nil, includesLower: true, upper: bytes, includesUpper: false)
                appendRange(tag, lower: bytes, includesLower: false, upper: nil, includesUpper: true)
                if bytes.count > OrderedEncoding.cutLength, !isPart { mergeAll(tag) }
            } else {
                append(bytes, tag)
            }
        case .oneOf(let all) where !isNegated:
            values.reserve(all.count, length: 16)
            for bytes in all { append(bytes, tag) }
        case .beginsWith(let prefix) where !isNegated: appendPrefix(prefix, tag)
        case .like(let pattern) where !isNegated:
            guard !pattern.prefix.isEmpty else { return false }
            appendPrefix(pattern.prefix, tag)
            isExact = false
        case .range(let lower, let includesLower, let upper, let includesUpper) where !isNegated:
            appendRange(tag, lower: lower, includesLower: includesLower, upper: upper, includesUpper: includesUpper)
        default: return false
        }
        return true
    }

    private mutating func append(_ bytes: [UInt8], _ tag: UInt8) {
        let encoded = encoded(bytes, tag)
        encoded.withUnsafeBytes { values.append($0) }
        if needsCheck(encoded) { isExact = false }
    }

    private mutating func appendPrefix(_ prefix: [UInt8], _ tag: UInt8) {
        if isPart {
            var bytes = [tag]
            prefix.withUnsafeBytes { CompoundEncoding.appendEscaped($0, to: &bytes) }
            return ranges.append(.prefix(bytes))
        }
        if prefix.count > OrderedEncoding.cutLength { isExact = false }
        ranges.append(.prefix([tag] + prefix.prefix(OrderedEncoding.cutLength)))
    }

    private mutating func mergeAll(_ tag: UInt8) {
        // Other values have the same shortened form, so the range must include all of them.
        ranges.removeAll { $0.lower?.first == tag || $0.upper?.first == tag }
        ranges.append(.prefix([tag]))
        isExact = false
    }

    private mutating func appendRange(
        _ tag: UInt8,
        lower: [UInt8]?,
        includesLower: Bool,
        upper: [UInt8]?,
        includesUpper: Bool
    ) {
        if let lower, let upper, upper.lexicographicallyPrecedes(lower) { return }
        var range = EncodedRange.prefix([tag])
        if let lower {
            let bytes = encoded(lower, tag)
            (range.lower, range.includesLower) = bound(bytes, upper: false, inclusive: includesLower)
            if needsCheck(bytes) { isExact = false }
        }
        if let upper {
            let bytes = encoded(upper, tag)
            (range.upper, range.includesUpper) = bound(bytes, upper: true, inclusive: includesUpper)
            if needsCheck(bytes) { isExact = false }
        }
        ranges.append(range)
    }

    /// Returns the encoding of a string or data.
    private func encoded(_ bytes: [UInt8], _ tag: UInt8) -> [UInt8] {
        bytes.withUnsafeBytes { source in
            if isPart {
                var out = [tag]
                CompoundEncoding.appendEscaped(source, to: &out)
                return out + [0, 0]
            }
            let isString = tag == OrderedEncoding.Tag.string
            return OrderedEncoding.with({
                isString ? OrderedEncoding.string(source, $0) : OrderedEncoding.data(source, $0)
            }) { Array($0) }
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
                includesLower: op != .greater,
                upper: isLower ? nil : constant,
                includesUpper: op != .less,
                type: type
            )
        case .between(let lower, let upper, let isClosed):
            if lower.isNull || upper.isNull { return true }
            return takeRange(lower: lower, includesLower: true, upper: upper, includesUpper: isClosed, type: type)
        case .text(let op, let pattern, let options):
            guard type == .mixed, pattern.type == .string || pattern.type == .data, op != .notEqual else {
                return false
            }
            let tag = pattern.type == .string ? OrderedEncoding.Tag.string : OrderedEncoding.Tag.data
            return take(BytesCondition(op, pattern, options: options), tag)
        }
    }

    private mutating func takeEqual(_ constants: [Value], _ type: ColumnType) -> Bool {
        values.reserve(constants.count, length: 17)
        for constant in constants where !constant.isNull && !constant.holdsNaN {
            if case .link = constant { continue }
            if type == .mixed || constant.type == type { append(constant, type) }
        }
        return true
    }

    private mutating func takeRange(
        lower: Value?,
        includesLower: Bool,
        upper: Value?,
        includesUpper: Bool,
        type: ColumnType
    ) -> Bool {
        let ends = [lower, upper].compactMap { $0 }
        // The bounds have no order, or no value is between them.
        guard ends.allSatisfy({ !$0.isNull && !$0.isNaN }) else { return true }
        if type != .mixed {
            guard ends.allSatisfy({ $0.type == type }) else { return true }
        } else {
            // Bounds of these types have no order.
            guard ends.allSatisfy({ $0.type != nil && $0.type != .mixed && $0.type != .link }) else { return false }
        }
        var tag: UInt8 = 0
        for end in ends {
            let bytes = encoded(end, type)
            if tag != 0, bytes[0] != tag { return true }
            tag = bytes[0]
        }
        if let lower, let upper, Value.compare(lower, with: upper) > 0 { return true }
        var range = EncodedRange.prefix([tag])
        func set(_ value: Value, upper: Bool, inclusive: Bool) {
            let bytes = encoded(value, type)
            var bound = bound(bytes, upper: upper, inclusive: inclusive)
            if needsCheck(bytes) {
                isExact = false
                bound.inclusive = bound.inclusive || tag == OrderedEncoding.Tag.number
            }
            if upper {
                (range.upper, range.includesUpper) = bound
            } else {
                (range.lower, range.includesLower) = bound
            }
        }
        if let lower { set(lower, upper: false, inclusive: includesLower) }
        if let upper { set(upper, upper: true, inclusive: includesUpper) }
        // NaN has an entry below all numbers, but it isn't in the range.
        if tag == OrderedEncoding.Tag.number { isExact = false }
        ranges.append(range)
        return true
    }
}

extension Timestamp {
    /// The following timestamp, or `nil` for the last one.
    fileprivate var next: Timestamp? {
        self == .max ? nil : Timestamp(seconds: seconds, nanoseconds: nanoseconds + 1)
    }

    /// - Precondition: the timestamp isn't the first one.
    fileprivate var previous: Timestamp { Timestamp(seconds: seconds, nanoseconds: nanoseconds - 1) }
}
