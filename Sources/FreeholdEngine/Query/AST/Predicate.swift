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

public enum StringOperator: Sendable, CaseIterable {
    case equal, notEqual, beginsWith, endsWith, contains
    /// `*` stands for any run of characters, `?` for one code point; there is no escape.
    case like
    /// All of the string fits a regular expression. A pattern that is none matches nothing: the query language refuses
    /// it.
    case matches
}

extension Predicate {
    /// Returns a condition on strings, with or without regard to case.
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
