import FreeholdBSON
import FreeholdEngine

// Tests at the start of a session. A result of `nil` means that a value is missing.

extension ExpressionNode {
    /// Returns the result of an expression that only tests the user. Returns `nil` for a test of an object.
    func answer(_ user: RuleUser) -> Bool? {
        switch self {
        case .truth(let truth): return truth
        case .not(let inner): return inner.answer(user).map { !$0 }
        case .all(let parts): return Self.every(parts) { $0.answer(user) }
        case .any(let parts): return Self.every(parts) { $0.answer(user).map { !$0 } }.map { !$0 }
        case .expansion(let expansion, let test): return test.answer(of: user.value(expansion), user)
        case .field, .query: return nil
        }
    }

    /// Returns false if one result is false. Otherwise returns `nil` if one result is missing.
    static func every<T>(_ parts: [T], _ answer: (T) -> Bool?) -> Bool? {
        var isKnown = true
        for part in parts {
            switch answer(part) {
            case false?: return false
            case true?: break
            case nil: isKnown = false
            }
        }
        return isKnown ? true : nil
    }
}

extension ValueTest {
    /// - Parameter value: The tested value, or `nil` if it is missing.
    func answer(of value: BSONValue?, _ user: RuleUser) -> Bool? {
        switch self {
        case .exists(let exists): return (value != nil) == exists
        case .not(let inner): return inner.answer(of: value, user).map { !$0 }
        case .all(let tests): return ExpressionNode.every(tests) { $0.answer(of: value, user) }
        case .any(let tests):
            return ExpressionNode.every(tests) { $0.answer(of: value, user).map { !$0 } }.map { !$0 }
        case .compare(let relation, let operand):
            guard let value, let other = user.value(operand) else { return nil }
            if case .array = other { return nil }
            guard let other = Value(rule: other) else { return false }
            return Self.candidates(value).contains { relation.holds($0, other) }
        case .isIn(let list):
            guard let value, let others = user.values(list) else { return nil }
            let wanted = others.compactMap { Value(rule: $0) }
            return Self.candidates(value).contains { candidate in
                wanted.contains { ValueTest.Relation.equal.holds(candidate, $0) }
            }
        }
    }

    /// Returns the value, or the elements of an array. One of them has to match.
    private static func candidates(_ value: BSONValue) -> [Value] {
        (value.arrayValue ?? [value]).compactMap { Value(rule: $0) }
    }
}
