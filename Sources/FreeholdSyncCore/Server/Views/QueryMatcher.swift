import FreeholdEngine

/// Understands conditions of the query language as far as an object alone answers them: its key, its properties, those of its embedded objects,
/// and the elements of its collections, with all operators except `MATCHES`, `TEXT` and `geoWithin`.
///
/// It finds what the same query finds in a file of Freehold. If the schema is known, types of properties decide how constants are compared with
/// them. If not, a constant is compared with a value as with a property of the value's type, and a property that is missing is null.
///
/// Conditions through links are refused: by the schema when they are compiled, else as soon as there is an object with a link at that place
/// (`CompiledCondition.failure`). Such an object isn't in the view.
public struct QueryMatcher: ConditionMatcher {
    /// The most comparisons of a condition. The constants of one `IN` are one comparison.
    public static let greatestComparisons = 10_000

    public init() {}

    public func compile(_ className: SyncString, _ text: SyncString) throws(ConditionError) -> any CompiledCondition {
        try compile(className, text, in: nil)
    }

    public func compile(
        _ className: SyncString,
        _ text: SyncString,
        in schema: ConditionSchema?
    ) throws(ConditionError) -> any CompiledCondition {
        let query = try WrittenQuery(text)
        let source = ConditionSource(text, schema, schema?.table(className.string))
        let condition = CompiledQuery(text: text, test: try ObjectTest(query.condition, in: source))
        guard condition.comparisons <= Self.greatestComparisons else {
            throw source.unserved("A condition of more than \(Self.greatestComparisons) comparisons")
        }
        return condition
    }
}

private struct CompiledQuery: CompiledCondition {
    let text: SyncString
    let test: ObjectTest
    let keys: Set<PrimaryKey>?
    let equality: ConditionEquality?
    let canFail: Bool
    let comparisons: Int

    init(text: SyncString, test: ObjectTest) {
        (self.text, self.test, keys) = (text, test, test.keys)
        equality = keys.map { ConditionEquality(keys: $0) } ?? test.equality
        (canFail, comparisons) = (test.canFail, test.comparisons)
    }

    var goesThroughLinks: Bool { false }

    func matches(_ name: ObjectName, _ contents: [SyncString: MergedContent], budget: inout WorkBudget) -> Bool {
        test.answer(ConditionRoot(name: name, fields: contents), budget: &budget) == true
    }

    func failure(
        _ name: ObjectName,
        _ contents: [SyncString: MergedContent],
        budget: inout WorkBudget
    ) -> ConditionError? {
        let failure = test.failure(ConditionRoot(name: name, fields: contents), budget: &budget)
        return budget.isOver ? nil : failure.map { ConditionError($0.text, at: $0.position, in: text) }
    }
}

/// What a condition is asked of.
struct ConditionRoot {
    /// Nil for embedded objects.
    let name: ObjectName?
    let fields: [SyncString: MergedContent]

    /// What a property holds. The key isn't among what is stored of an object.
    func content(_ property: SyncString) -> MergedContent? {
        if let name, property == ConditionEquality.key { return .value(SyncValue(name.key)) }
        return fields[property]
    }
}
