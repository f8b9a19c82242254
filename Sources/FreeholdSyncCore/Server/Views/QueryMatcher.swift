import FreeholdEngine

/// Compiles conditions of the query language that can be decided with one object: its key, its properties, those of its
/// embedded objects, and the elements of its collections. All operators are supported except `MATCHES`, `TEXT` and
/// `geoWithin`.
///
/// It finds the same objects as the same query in a Freehold file. With a known schema, the types of properties decide
/// how constants are compared. Without one, a constant is compared with a value as with a property of the value's type,
/// and a missing property is null.
///
/// Conditions through links are refused. With a schema they are refused at compilation. Without one they are refused as
/// soon as an object has a link at that place (`CompiledCondition.failure`). Such an object isn't in the view.
public struct QueryMatcher: ConditionMatcher {
    /// The maximum number of comparisons of a condition. The constants of one `IN` count as one comparison.
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

/// The object or embedded object that a condition tests.
struct ConditionRoot {
    /// The name of the object. `nil` for embedded objects.
    let name: ObjectName?
    let fields: [SyncString: MergedContent]

    /// Returns the content of a property. The stored fields don't include the primary key.
    func content(_ property: SyncString) -> MergedContent? {
        if let name, property == ConditionEquality.key { return .value(SyncValue(name.key)) }
        return fields[property]
    }
}
