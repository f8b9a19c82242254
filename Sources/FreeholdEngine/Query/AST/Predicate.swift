/// A condition on the objects of a table.
///
/// ```swift
/// let grown = Predicate.comparison(PropertyPath(age), .greater, .int(17))
/// let query = RowQuery(table: people, predicate: .and([grown, .string(PropertyPath(name), .beginsWith, "A")]))
/// ```
/// - Null is a value for `==` and `!=`. `<` and `>` never hold for null. `<=` and `>=` hold between null and null.
/// - `not` is the complement.
/// - Numbers of different types compare by exact value. NaN equals nothing and has no order.
/// - Values of types that don't compare are unequal, and neither is less than the other.
public indirect enum Predicate: Sendable {
    case constant(Bool)
    case comparison(PropertyPath, Comparison, Value)
    /// `lower <= value <= upper`, or `lower <= value < upper`.
    case between(PropertyPath, lower: Value, upper: Value, isClosed: Bool = true)
    case oneOf(PropertyPath, [Value])
    /// A condition on strings or data. The pattern is a string or data. For a null pattern, `like` and `equal` match only null, `notEqual` matches
    /// all values except null, and the other operators match everything.
    case text(PropertyPath, StringOperator, Value, TextOptions)
    /// A comparison of two values of one object. If a side has several values, its quantifier decides. The quantifier of the left side is the outer
    /// one.
    case operands(Operand, Comparison, Operand)
    /// Like `operands`, for conditions on strings or data. The right side is the pattern.
    case texts(Operand, StringOperator, Operand, TextOptions)
    /// A collection, or the collection in a mixed value, has exactly these elements in this order (`equal`), or doesn't (`notEqual`). Sets and
    /// dictionaries have their stored order.
    case elements(PropertyPath, Comparison, [Value])
    /// A search for words in a string with a full-text index.
    case fullText(PropertyPath, FullTextQuery)
    /// The path leads to a place that is inside the shape.
    case within(PropertyPath, GeoTest)
    /// The object is one of the given objects.
    case objects([ObjectKey])
    case and([Predicate])
    case or([Predicate])
    case not(Predicate)
}

public enum StringOperator: Sendable, CaseIterable {
    case equal, notEqual, beginsWith, endsWith, contains
    /// `*` stands for any run of characters and `?` for one code point. There isn't an escape character.
    case like
    /// The whole string matches a regular expression. An invalid pattern matches nothing. The query language rejects it.
    case matches
}

extension Predicate {
    /// Returns a condition on strings, which can ignore case.
    public static func string(
        _ path: PropertyPath,
        _ op: StringOperator,
        pattern: String?,
        ignoringCase: Bool = false
    ) -> Predicate {
        .text(path, op, pattern.map { .string($0) } ?? .null, ignoringCase ? .ignoringCase : [])
    }

    /// Returns the comparison of a value such as the count of a collection with a constant.
    public static func operand(_ operand: Operand, _ op: Comparison, value: Value) -> Predicate {
        .operands(operand, op, .constant(value))
    }
}
