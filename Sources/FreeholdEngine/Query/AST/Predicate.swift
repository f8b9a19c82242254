/// A condition on the objects of a table.
///
/// ```swift
/// let grown = Predicate.comparison(PropertyPath(age), .greater, .int(17))
/// let query = RowQuery(table: people, predicate: .and([grown, .string(PropertyPath(name), .beginsWith, "A")]))
/// ```
/// - Null is a value for `==` and `!=`; `<` and `>` never hold for it; `<=` and `>=` hold between null and null.
/// - `not` is the plain complement.
/// - Numbers of different types compare by exact value. NaN equals nothing and has no order.
/// - Values of types that don't compare are unequal, and neither is less.
public indirect enum Predicate: Sendable {
    case constant(Bool)
    case comparison(PropertyPath, Comparison, Value)
    /// `lower <= value <= upper`, or `lower <= value < upper`.
    case between(PropertyPath, lower: Value, upper: Value, isClosed: Bool = true)
    case oneOf(PropertyPath, [Value])
    /// A condition on strings or data, the pattern one or the other. A null pattern: `like` and `equal` match null only,
    /// `notEqual` all but null, the others match everything.
    case text(PropertyPath, StringOperator, Value, TextOptions)
    /// Between two values of one object. Where a side has several values its quantifier decides: that of the left is
    /// the outer one.
    case operands(Operand, Comparison, Operand)
    /// The same of strings or data, the pattern on the right.
    case texts(Operand, StringOperator, Operand, TextOptions)
    /// A collection, or the one inside a mixed value, has (`equal`) just these elements in this order, or hasn't
    /// (`notEqual`). Sets and dictionaries: in the order in which they are kept.
    case elements(PropertyPath, Comparison, [Value])
    /// Words of a string that has a full-text index.
    case fullText(PropertyPath, FullTextQuery)
    /// The path leads to objects that are places inside the shape.
    case within(PropertyPath, GeoTest)
    /// The object is one of these.
    case objects([ObjectKey])
    case and([Predicate])
    case or([Predicate])
    case not(Predicate)
}

public enum Comparison: Sendable, CaseIterable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

public enum StringOperator: Sendable, CaseIterable {
    case equal, notEqual, beginsWith, endsWith, contains
    /// `*` stands for any run of characters, `?` for one code point; there is no escape.
    case like
    /// All of the string fits a regular expression. A pattern that is none matches nothing: the query language refuses
    /// it.
    case matches
}

/// How strings are compared.
public struct TextOptions: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Upper and lower case are one, in every script that has case.
    public static let ignoringCase = TextOptions(rawValue: 1)
    /// Letters with and without accents are one, composed or not.
    public static let ignoringDiacritics = TextOptions(rawValue: 2)
    /// With `ignoringCase`: only letters of ASCII and Latin-1 have case, as in Realm.
    public static let latinCaseOnly = TextOptions(rawValue: 4)
}

extension Predicate {
    /// A condition on strings, with or without regard to case.
    public static func string(
        _ path: PropertyPath,
        _ op: StringOperator,
        _ pattern: String?,
        ignoringCase: Bool = false
    ) -> Predicate {
        .text(path, op, pattern.map { .string($0) } ?? .null, ignoringCase ? .ignoringCase : [])
    }

    /// Between a value made of a collection, such as its count, and a constant.
    public static func operand(_ operand: Operand, _ op: Comparison, _ value: Value) -> Predicate {
        .operands(operand, op, .constant(value))
    }
}

extension Comparison {
    /// Whether it holds between two values.
    public func holds(_ a: Value, _ b: Value) -> Bool {
        switch self {
        case .equal: Self.areEqual(a, b)
        case .notEqual: !Self.areEqual(a, b)
        case .less: Self.isLess(a, b)
        case .greater: Self.isLess(b, a)
        case .lessOrEqual: Self.isLess(a, b) || Self.areEqual(a, b)
        case .greaterOrEqual: Self.isLess(b, a) || Self.areEqual(a, b)
        }
    }

    private static func areEqual(_ a: Value, _ b: Value) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.null, _), (_, .null): false
        // Unlike in the order, lists and dictionaries are told apart by what is in them.
        case (.list(let a), .list(let b)): a.values.elementsEqual(b.values, by: areEqual)
        case (.dictionary(let a), .dictionary(let b)):
            a.entries.elementsEqual(b.entries) {
                Value.compareBytes($0.key, $1.key) == 0 && areEqual($0.value, $1.value)
            }
        default: comparable(a, b) && Value.compare(a, b) == 0
        }
    }

    private static func isLess(_ a: Value, _ b: Value) -> Bool {
        if a.isNull || b.isNull || a.type == .link || a.type == .mixed { return false }
        return comparable(a, b) && Value.compare(a, b) < 0
    }

    private static func comparable(_ a: Value, _ b: Value) -> Bool {
        if a.isNaN || b.isNaN { return false }
        return a.type == b.type || (a.isNumber && b.isNumber)
    }
}

extension Value {
    /// Whether it equals nothing.
    var holdsNaN: Bool {
        var found = false
        forEachScalar { if $0.isNaN { found = true } }
        return found
    }

    var isNaN: Bool {
        switch self {
        case .float(let value): value.isNaN
        case .double(let value): value.isNaN
        case .decimal128(let value): value.isNaN
        default: false
        }
    }

    var isNumber: Bool {
        switch self {
        case .int, .float, .double, .decimal128: true
        default: false
        }
    }
}
