#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A condition on one value, as it stands at the end of a path.
struct ValueTest: Sendable {
    enum Kind: Sendable {
        case comparison(Comparison, Value)
        case between(lower: Value, upper: Value, isClosed: Bool)
        case oneOf([Value])
        /// The pattern is null, a string or data.
        case text(StringOperator, Value, TextOptions)
    }

    let kind: Kind
    /// Of a mixed column, whose data has nothing in common with strings.
    var isMixed = false
    /// Of a string condition.
    private let bytes: BytesCondition?

    init(_ kind: Kind) {
        self.kind = kind
        if case .text(let op, let pattern, let options) = kind, !pattern.isNull {
            bytes = BytesCondition(op, pattern, options)
        } else {
            bytes = nil
        }
    }

    var matchesNull: Bool { matches(.null) }

    func matches(_ value: Value) -> Bool {
        switch kind {
        case .comparison(let op, let constant): return op.holds(value, constant)
        case .between(let lower, let upper, let isClosed):
            return Comparison.greaterOrEqual.holds(value, lower)
                && (isClosed ? Comparison.lessOrEqual : .less).holds(value, upper)
        case .oneOf(let values): return values.contains { Comparison.equal.holds(value, $0) }
        case .text(let op, let pattern, _):
            guard !pattern.isNull, let bytes else {
                switch op {
                case .equal, .like: return value.isNull
                case .notEqual: return !value.isNull
                case .beginsWith, .endsWith, .contains: return true
                }
            }
            if value.isNull { return op == .notEqual }
            guard value.type == .string || (value.type == .data && !isMixed) else { return op == .notEqual }
            return value.withStoredBytes { bytes.matches($0) }
        }
    }
}

/// A test of bytes with what goes around it.
struct BytesCondition: Sendable {
    var test: BytesTest
    /// The test is of the folded bytes.
    var isFolded: Bool
    var isNegated: Bool

    init(_ test: BytesTest, isFolded: Bool = false, isNegated: Bool = false) {
        self.test = test
        self.isFolded = isFolded
        self.isNegated = isNegated
    }

    init(_ op: StringOperator, _ pattern: Value, _ options: TextOptions) {
        let ignoringCase = options.contains(.ignoringCase)
        var bytes = pattern.withStoredBytes { Array($0) }
        if ignoringCase { bytes = bytes.withUnsafeBytes { CaseFolding.folded($0) } }
        let test: BytesTest =
            switch op {
            case .equal, .notEqual: .equal(bytes)
            case .beginsWith: .beginsWith(bytes)
            case .endsWith: .endsWith(bytes)
            case .contains: .contains(bytes)
            case .like: LikePattern.test(bytes)
            }
        self.init(test, isFolded: ignoringCase, isNegated: op == .notEqual)
    }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard isFolded else { return test.matches(bytes) != isNegated }
        return CaseFolding.folded(bytes).withUnsafeBytes { test.matches($0) } != isNegated
    }
}

extension Value {
    /// Of strings and data; no bytes for others.
    func withStoredBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        switch self {
        case .string(var text): text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        case .data(let data): data.withUnsafeBytes { body($0) }
        default: body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }
}
