package import FreeholdEngine

/// What an expression asks of objects, for one user and one class: a condition of the query language.
///
/// Values of the user are constants in it. They are quoted as the language has it, and never read as a query.
public struct RuleCondition: Hashable, Sendable {
    /// As the query language has it: `owner == "ada"`, `TRUEPREDICATE`.
    public let text: String
    /// Whether it is true of all objects, or of none; nil if that depends on the object.
    public let truth: Bool?
    /// What has to be true together, each as the query language has it.
    let parts: [String]

    /// Folds what is always true or false; of equal parts one is kept.
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
    /// The condition that the expression is for a user and a class.
    ///
    /// - Throws: `RuleError` for fields that the class hasn't, and for what can't be asked of a field. It throws for all users or for none.
    /// - Complexity: O(size of the expression and of the user's values in it).
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

    /// Whether an expression of `apply_when` is true of a user. Nil if something that it compares isn't there; an expression that asks
    /// of objects has no answer either.
    ///
    /// - Complexity: O(size of the expression and of the user's values in it).
    public func answer(for user: RuleUser) -> Bool? { node.answer(user) }
}

extension QueryPrinter {
    /// - Parameter isNested: whether it stands among others: chains are in parentheses then.
    fileprivate static func text(_ condition: Condition, isNested: Bool) -> String {
        let text = text(condition) { _ in nil }
        guard isNested else { return text }
        switch condition {
        case .and, .or: return "(\(text))"
        default: return text
        }
    }
}
