public import FreeholdBSON

/// A condition of a role. It is an expression of App Services (`{"owner": "%%user.id"}`), `true`, `false`, or a
/// condition of the query language in which `%%user.…` and `%%values.…` stand for values
/// (`"owner == %%user.id OR isPublic == true"`).
///
/// An expression is true, false, or has no result. A comparison with a missing value of the user or of the app's values
/// has no result, and neither has its opposite. An expression without a result gives no right. `$exists` tests whether
/// a value is present.
///
/// | | |
/// |---|---|
/// | operators | `$eq $ne $gt $gte $lt $lte $in $nin $all $exists $and $or $not $nor`, also written with `%` |
/// | values | `%%user.id`, `.type`, `.data.…`, `.custom_data.…`, `.identities.…`, `%%values.…`, `%%environment.…`, `%%true`, `%%false` |
/// | conversions | `{"%stringToOid": …}`, `%oidToString`, `%stringToUuid`, `%uuidToString` |
///
/// Two expressions are equal if their documents are equal.
public struct RuleExpression: Sendable {
    /// The expression in the form in which it was written.
    public let source: BSONValue
    let node: ExpressionNode

    init(source: BSONValue, node: ExpressionNode) {
        self.source = source
        self.node = node
    }

    /// Creates an expression that may test the fields of objects.
    ///
    /// - Throws: `RuleError` with the path inside the expression.
    /// - Complexity: O(size of the value)
    public init(_ value: BSONValue, limits: RuleLimits = RuleLimits()) throws(RuleError) {
        self = try ExpressionParser(limits: limits, scope: .object).expression(value, [])
    }

    /// Creates an expression of `apply_when`, which may only test the user.
    ///
    /// - Throws: `RuleError` with the path inside the expression.
    /// - Complexity: O(size of the value)
    public init(ofUser value: BSONValue, limits: RuleLimits = RuleLimits()) throws(RuleError) {
        self = try ExpressionParser(limits: limits, scope: .user).expression(value, [])
    }

    public static let always = RuleExpression(source: [:], node: .all([]))
    public static let never = RuleExpression(source: false, node: .truth(false))
}

extension RuleExpression: Hashable {
    public static func == (a: RuleExpression, b: RuleExpression) -> Bool { a.source == b.source }
    public func hash(into hasher: inout Hasher) { hasher.combine(source) }
}

/// A parsed expression.
indirect enum ExpressionNode: Sendable {
    case truth(Bool)
    case all([ExpressionNode])
    case any([ExpressionNode])
    case not(ExpressionNode)
    /// A test of an object's field, by its path.
    case field([String], ValueTest)
    /// A test of a value that is known at the start of a session.
    case expansion(Expansion, ValueTest)
    case query(QueryTemplate)
}

/// A test of a value.
indirect enum ValueTest: Sendable {
    case compare(Relation, Operand)
    case isIn(OperandList)
    case exists(Bool)
    case all([ValueTest])
    case any([ValueTest])
    case not(ValueTest)

    enum Relation: Sendable {
        case equal, less, lessOrEqual, greater, greaterOrEqual
    }
}

/// A value that is known at the start of a session.
indirect enum Operand: Sendable {
    case value(BSONValue)
    case expansion(Expansion)
    case converted(Conversion, Operand)
}

enum OperandList: Sendable {
    case list([Operand])
    case expansion(Expansion)
}

enum Conversion: String, Sendable {
    case stringToOid, oidToString, stringToUuid, uuidToString
}
