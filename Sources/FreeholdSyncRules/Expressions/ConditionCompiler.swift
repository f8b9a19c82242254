import FreeholdBSON
import FreeholdEngine

/// Compiles an expression into a condition of the query language, for one user and one class.
///
/// Negations are moved to the leaves. A leaf without a result is false, with or without a negation. A missing value
/// therefore never gives a right.
struct ConditionCompiler {
    let user: RuleUser
    let className: String
    let schema: RuleSchema

    /// Returns the condition for a node.
    ///
    /// - Throws: `RuleError` for fields that the class doesn't have, and for tests that aren't possible for a field. It
    ///   throws for all users or for none.
    func condition(_ node: ExpressionNode, isNegated: Bool = false) throws(RuleError) -> Condition {
        switch node {
        case .truth(let truth): return .truth(truth != isNegated)
        case .not(let inner): return try condition(inner, isNegated: !isNegated)
        case .all(let parts): return try combined(parts, isNegated, isAll: true)
        case .any(let parts): return try combined(parts, isNegated, isAll: false)
        case .expansion(let expansion, let test):
            return .truth(test.answer(of: user.value(expansion), user).map { $0 != isNegated } ?? false)
        case .field(let names, let test):
            return try condition(
                test,
                of: ResolvedField(names, className, schema, [names.joined(separator: ".")]),
                isNegated
            )
        case .query(let template):
            try template.check(className, schema)
            return template.condition(user, isNegated: isNegated)
        }
    }

    private func combined(_ parts: [ExpressionNode], _ isNegated: Bool, isAll: Bool) throws(RuleError) -> Condition {
        var conditions: [Condition] = []
        for part in parts { conditions.append(try condition(part, isNegated: isNegated)) }
        return isAll != isNegated ? .every(conditions) : .some(of: conditions)
    }

    private func condition(_ test: ValueTest, of field: ResolvedField, _ isNegated: Bool) throws(RuleError) -> Condition
    {
        switch test {
        case .not(let inner): return try condition(inner, of: field, !isNegated)
        case .all(let tests), .any(let tests):
            var conditions: [Condition] = []
            for test in tests { conditions.append(try condition(test, of: field, isNegated)) }
            if case .all = test { return isNegated ? .some(of: conditions) : .every(conditions) }
            return isNegated ? .every(conditions) : .some(of: conditions)
        case .exists(let exists): return try field.exists.negated(exists == isNegated)
        case .compare(let relation, let operand):
            try field.checkComparable()
            guard let value = user.value(operand), value.arrayValue == nil else { return .truth(false) }
            return field.compares(relation, value).negated(isNegated)
        case .isIn(let list):
            try field.checkComparable()
            guard let values = user.values(list) else { return .truth(false) }
            return field.isIn(values).negated(isNegated)
        }
    }
}

extension Condition {
    fileprivate func negated(_ isNegated: Bool) -> Condition {
        guard isNegated else { return self }
        switch self {
        case .truth(let truth): return .truth(!truth)
        case .not(let inner): return inner
        default: return .not(self)
        }
    }
}
