#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A condition on one value at the end of a path.
package struct ValueTest: Sendable {
    package enum Kind: Sendable {
        case comparison(Comparison, Value)
        case between(lower: Value, upper: Value, isClosed: Bool)
        case oneOf([Value])
        /// The pattern is null, a string or data. Patterns of other types match no text.
        case text(StringOperator, Value, TextOptions)
    }

    package let kind: Kind
    /// A Boolean value that indicates whether the column is mixed. In mixed columns, data and strings are never equal.
    package var isMixed = false
    /// A Boolean value that indicates whether the result is negated.
    private(set) var isNegated = false
    /// The condition on bytes, for a string operator.
    private let bytes: BytesCondition?
    /// The set of values, if there are many.
    private let set: ValueSet?

    package init(_ kind: Kind) {
        self.kind = kind
        var bytes: BytesCondition?
        var set: ValueSet?
        switch kind {
        case .text(let op, let pattern, let options):
            if pattern.type == .string || pattern.type == .data {
                bytes = BytesCondition(op, pattern, options: options)
            }
        case .oneOf(let values): if values.count > 8 { set = ValueSet(values) }
        default: break
        }
        self.bytes = bytes
        self.set = set
    }

    /// The complement of the test.
    package var negated: ValueTest {
        var test = self
        test.isNegated.toggle()
        return test
    }

    var matchesNull: Bool { matches(.null) }

    package func matches(_ value: Value) -> Bool { matchesKind(value) != isNegated }

    private func matchesKind(_ value: Value) -> Bool {
        switch kind {
        case .comparison(let op, let constant): return op.holds(between: value, and: constant)
        case .between(let lower, let upper, let isClosed):
            return Comparison.greaterOrEqual.holds(between: value, and: lower)
                && (isClosed ? Comparison.lessOrEqual : .less).holds(between: value, and: upper)
        case .oneOf(let values):
            return set?.contains(value) ?? values.contains { Comparison.equal.holds(between: value, and: $0) }
        case .text(let op, let pattern, _):
            guard let bytes else { return pattern.isNull ? Self.matchesNullPattern(op, value) : op == .notEqual }
            guard value.type == .string || value.type == .data, !isMixed || value.type == pattern.type else {
                return op == .notEqual
            }
            return value.withStoredBytes { bytes.matches($0) }
        }
    }

    /// Returns whether a value meets a string condition whose right side is null.
    static func matchesNullPattern(_ op: StringOperator, _ value: Value) -> Bool {
        switch op {
        case .equal, .like, .matches: value.isNull
        case .notEqual: !value.isNull
        case .beginsWith, .endsWith, .contains: true
        }
    }
}

/// A large set of values with which a value is compared.
struct ValueSet: Sendable {
    /// A value that is hashed and compared like `Comparison.equal`.
    private struct Element: Hashable, Sendable {
        let value: Value
        static func == (a: Element, b: Element) -> Bool { Comparison.equal.holds(between: a.value, and: b.value) }
        func hash(into hasher: inout Hasher) { value.hashEqual(into: &hasher) }
    }

    private let elements: Set<Element>

    init(_ values: [Value]) {
        // A value that contains NaN equals nothing.
        elements = Set(values.lazy.filter { !$0.holdsNaN }.map { Element(value: $0) })
    }

    func contains(_ value: Value) -> Bool { !value.holdsNaN && elements.contains(Element(value: value)) }
}

/// A test of bytes, with its case folding and its negation.
struct BytesCondition: Sendable {
    var test: BytesTest
    /// The folding that is applied to the bytes before the test.
    var fold: TextFold?
    var isNegated: Bool

    init(_ test: BytesTest, fold: TextFold? = nil, isNegated: Bool = false) {
        self.test = test
        self.fold = fold
        self.isNegated = isNegated
    }

    /// - Parameter pattern: a value that isn't null.
    init(_ op: StringOperator, _ pattern: Value, options: TextOptions) {
        self = pattern.withStoredBytes { BytesCondition(op, $0, fold: TextFold(options)) }
    }

    init(_ op: StringOperator, _ pattern: UnsafeRawBufferPointer, fold: TextFold?) {
        if op == .matches {
            self.init(expression: pattern, fold)
            return
        }
        let bytes = fold?.folded(pattern) ?? Array(pattern)
        let test: BytesTest =
            switch op {
            case .equal, .notEqual: .equal(bytes)
            case .beginsWith: .beginsWith(bytes)
            case .endsWith: .endsWith(bytes)
            case .contains: .contains(bytes)
            case .like, .matches: LikePattern.test(bytes)
            }
        self.init(test, fold: fold, isNegated: op == .notEqual)
    }

    /// Creates the condition of a regular expression. Accents are removed from the pattern and from the text. The expression itself handles case.
    private init(expression pattern: UnsafeRawBufferPointer, _ fold: TextFold?) {
        let accents = fold?.ignoresAccents == true ? TextFold(.ignoringDiacritics) : nil
        let text = String(decoding: accents?.folded(pattern) ?? Array(pattern), as: UTF8.self)
        let expression = try? RegularExpression(text, ignoresCase: fold?.ignoresCase == true)
        self.init(expression.map { .matches($0) } ?? .oneOf(BytesSet([])), fold: accents)
    }

    /// Returns whether bytes match a pattern that is used once.
    static func matches(
        _ bytes: UnsafeRawBufferPointer,
        _ op: StringOperator,
        pattern: UnsafeRawBufferPointer,
        fold: TextFold?
    ) -> Bool {
        if fold == nil, op == .equal || op == .notEqual {
            return (Value.compareBytes(bytes, with: pattern) == 0) == (op == .equal)
        }
        return BytesCondition(op, pattern, fold: fold).matches(bytes)
    }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let fold else { return test.matches(bytes) != isNegated }
        if bytes.count <= 512, FoldKernels.isASCII(bytes) {
            guard fold.ignoresCase, let source = bytes.baseAddress else { return test.matches(bytes) != isNegated }
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { room in
                let source = source.assumingMemoryBound(to: UInt8.self)
                _ = FoldKernels.foldASCII(source, bytes.count, into: room.baseAddress!)
                return test.matches(UnsafeRawBufferPointer(room)) != isNegated
            }
        }
        return fold.folded(bytes).withUnsafeBytes { test.matches($0) } != isNegated
    }
}

extension Value {
    /// Calls `body` with the bytes of a string or data value, or without bytes for other types.
    func withStoredBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        switch self {
        case .string(var text): text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        case .data(let data): data.withUnsafeBytes { body($0) }
        default: body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }
}
