package import FreeholdEngine

/// The condition of an expression for one user and one class, in the query language.
///
/// The values of the user are constants in it. They are quoted by the rules of the language, and never parsed as a
/// query.
public struct RuleCondition: Hashable, Sendable {
    /// The text in the query language, such as `owner == "ada"` or `TRUEPREDICATE`.
    public let text: String
    /// A Boolean value that indicates whether the condition is true for all objects, or for none. `nil` if it depends
    /// on the object.
    public let truth: Bool?
    /// The parts that must be true together, in the query language.
    let parts: [String]

    /// Creates a condition. Parts that are always true or always false are folded, and equal parts are kept once.
    package init(_ condition: Condition) {
        func parts(_ all: [Condition]) -> [String] {
            var seen: Set<String> = []
            return all.map { part in QueryPrinter.text(part, isNested: all.count > 1) }
                .filter { seen.insert($0).inserted }
        }
        switch condition {
        case .truth(let truth):
            self.truth = truth
            self.parts = [QueryPrinter.text(condition) { _ in nil }]
            text = self.parts[0]
        case .or(let all, _):
            truth = nil
            text = parts(all).joined(separator: " || ")
            self.parts = [text]
        case .and(let all, _):
            truth = nil
            self.parts = parts(all)
            text = self.parts.joined(separator: " && ")
        default:
            truth = nil
            text = QueryPrinter.text(condition) { _ in nil }
            self.parts = [text]
        }
    }

    public static let always = RuleCondition(.truth(true))
    public static let never = RuleCondition(.truth(false))
}

extension RuleCondition: CustomStringConvertible {
    public var description: String { text }
}

extension RuleExpression {
    /// Returns the condition of the expression for a user and a class.
    ///
    /// - Throws: `RuleError` for fields that the class doesn't have, and for tests that aren't possible for a field. It
    ///   throws for all users or for none.
    /// - Complexity: O(size of the expression and of the user's values in it)
    public func condition(
        for user: RuleUser,
        className: String,
        schema: RuleSchema
    ) throws(RuleError) -> RuleCondition {
        RuleCondition(try compiled(user, className, schema))
    }

    func compiled(_ user: RuleUser, _ className: String, _ schema: RuleSchema) throws(RuleError) -> Condition {
        try ConditionCompiler(user: user, className: className, schema: schema).condition(node)
    }

    /// Returns whether an expression of `apply_when` is true for a user. Returns `nil` if a compared value is missing,
    /// or if the expression is about objects.
    ///
    /// - Complexity: O(size of the expression and of the user's values in it)
    public func answer(for user: RuleUser) -> Bool? { node.answer(user) }
}

extension QueryPrinter {
    /// - Parameter isNested: A Boolean value that indicates whether the condition is a part of another one. Then chains
    ///   are put in parentheses.
    fileprivate static func text(_ condition: Condition, isNested: Bool) -> String {
        let text = text(condition) { _ in nil }
        guard isNested else { return text }
        switch condition {
        case .and, .or: return "(\(text))"
        default: return text
        }
    }
}
