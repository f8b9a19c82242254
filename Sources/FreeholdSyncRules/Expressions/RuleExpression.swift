public import FreeholdBSON

/// A condition of a role: App Services' expressions (`{"owner": "%%user.id"}`), `true`, `false`, or a condition of the query language
/// in which `%%user.…` and `%%values.…` may stand for values (`"owner == %%user.id OR isPublic == true"`).
///
/// Expressions have three answers: true, false and none. A comparison with something of the user or the app's values that isn't there
/// has no answer, nor has its opposite; what has no answer gives no right. Ask `$exists` whether something is there.
///
/// | | |
/// |---|---|
/// | operators | `$eq $ne $gt $gte $lt $lte $in $nin $all $exists $and $or $not $nor`, also written with `%` |
/// | values | `%%user.id`, `.type`, `.data.…`, `.custom_data.…`, `.identities.…`, `%%values.…`, `%%environment.…`, `%%true`, `%%false` |
/// | conversions | `{"%stringToOid": …}`, `%oidToString`, `%stringToUuid`, `%uuidToString` |
///
/// Two expressions are equal if their documents are.
public struct RuleExpression: Sendable {
    /// The expression as it was written.
    public let source: BSONValue
    let node: ExpressionNode

    init(source: BSONValue, node: ExpressionNode) {
        self.source = source
        self.node = node
    }

    /// An expression that may ask of objects' fields.
    ///
    /// - Throws: `RuleError`, with the path inside the expression.
    /// - Complexity: O(size of the value).
    public init(_ value: BSONValue, limits: RuleLimits = RuleLimits()) throws(RuleError) {
        self = try ExpressionParser(limits: limits, scope: .object).expression(value, [])
    }

    /// An expression of `apply_when`, which asks of the user only.
    ///
    /// - Throws: `RuleError`, with the path inside the expression.
    /// - Complexity: O(size of the value).
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

/// An expression that was understood.
indirect enum ExpressionNode: Sendable {
    case truth(Bool)
    case all([ExpressionNode])
    case any([ExpressionNode])
    case not(ExpressionNode)
    /// Of an object's field, by its path.
    case field([String], ValueTest)
    /// Of something that is known when a session begins.
    case expansion(Expansion, ValueTest)
    case query(QueryTemplate)
}

/// What is asked of a value.
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

/// A value that is known when a session begins.
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
