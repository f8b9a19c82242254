/// A compiler for the conditions of queries. Tests use a simple one. A server with an engine uses that of the engine.
public protocol ConditionMatcher: Sendable {
    /// Compiles a condition. It is compiled once and then matched often.
    ///
    /// - Throws: `ConditionError`
    func compile(_ className: SyncString, _ text: SyncString) throws(ConditionError) -> any CompiledCondition

    /// Compiles a condition for an app with known classes.
    ///
    /// - Throws: `ConditionError`
    func compile(
        _ className: SyncString,
        _ text: SyncString,
        in schema: ConditionSchema?
    ) throws(ConditionError) -> any CompiledCondition
}

extension ConditionMatcher {
    public func compile(
        _ className: SyncString,
        _ text: SyncString,
        in schema: ConditionSchema?
    ) throws(ConditionError) -> any CompiledCondition { try compile(className, text) }
}

public protocol CompiledCondition: Sendable {
    /// A Boolean value that indicates whether the result can change although the object doesn't.
    var goesThroughLinks: Bool { get }
    /// A property and its possible values in objects that fulfil the condition. `nil` if they are unknown. Then each
    /// change is compared with the condition.
    var equality: ConditionEquality? { get }
    /// The keys of all objects that can fulfil the condition. `nil` if any key is possible.
    var keys: Set<PrimaryKey>? { get }
    /// The maximum number of comparisons for a result.
    var comparisons: Int { get }
    /// Returns whether an object fulfils the condition, within the budget.
    ///
    /// If the budget is exceeded afterwards, the result is meaningless.
    func matches(_ name: ObjectName, _ contents: [SyncString: MergedContent], budget: inout WorkBudget) -> Bool

    /// A Boolean value that indicates whether the condition can fail for an object.
    var canFail: Bool { get }
    /// Returns the reason why the condition fails for an object. Returns `nil` if it doesn't fail, or if the budget is
    /// exceeded.
    func failure(
        _ name: ObjectName,
        _ contents: [SyncString: MergedContent],
        budget: inout WorkBudget
    ) -> ConditionError?
}

extension CompiledCondition {
    public var equality: ConditionEquality? { nil }
    public var keys: Set<PrimaryKey>? { nil }
    public var comparisons: Int { 1 }
    public var canFail: Bool { false }
    public func failure(
        _ name: ObjectName,
        _ contents: [SyncString: MergedContent],
        budget: inout WorkBudget
    ) -> ConditionError? { nil }

    /// Returns whether an object fulfils the condition, without a budget.
    public func matches(_ name: ObjectName, _ contents: [SyncString: MergedContent]) -> Bool {
        var budget = WorkBudget.unlimited
        return matches(name, contents, budget: &budget)
    }

    /// Returns the reason why the condition fails for an object, without a budget. Returns `nil` if it doesn't
    /// fail.
    public func failure(_ name: ObjectName, _ contents: [SyncString: MergedContent]) -> ConditionError? {
        var budget = WorkBudget.unlimited
        return failure(name, contents, budget: &budget)
    }
}

/// The number of objects that are compared with conditions in one page.
public enum ConditionPage {
    /// Returns the number of objects of a page, for the total number of comparisons of the conditions.
    ///
    /// - Parameter limit: The maximum number of objects of a page.
    public static func objects(comparisons: Int, limit: Int) -> Int {
        max(1, min(limit, 100_000 / max(comparisons, 1)))
    }
}

/// A property that has one of the values in each object that fulfils a condition.
public struct ConditionEquality: Hashable, Sendable {
    /// The property that is the primary key of an object.
    public static let key: SyncString = "_id"

    public let property: SyncString
    public let values: [SyncValue]

    /// Returns `nil` if one of the values can be equal to a different value. Only integers, texts, ObjectIds, UUIDs and
    /// links are supported.
    public init?(_ property: SyncString, _ values: [SyncValue]) {
        guard values.allSatisfy(\.isIndexed) else { return nil }
        self.property = property
        self.values = values
    }

    /// Creates an equality for objects with one of the keys.
    public init(keys: Set<PrimaryKey>) {
        property = Self.key
        values = keys.sorted().map { SyncValue($0) }
    }
}

public struct ConditionError: Error, Hashable, Sendable {
    /// The byte offset of the error in the UTF-8 text of the condition.
    public let position: UInt64
    public let text: SyncString

    public init(position: UInt64, text: SyncString) {
        self.position = position
        self.text = text
    }

    /// The error of a comparison with an object that exceeds the budget.
    static let tooExpensive = ConditionError(
        position: 0,
        text: "The condition takes too much work for an object, which is left out: its texts or lists are too long."
    )

    /// - Parameters:
    ///   - characters: The position in characters, as the parser counts them. `nil` for the beginning.
    ///   - condition: The text of the condition.
    public init(_ text: String, at characters: Int?, in condition: SyncString) {
        let whole = condition.string
        let end = whole.index(whole.startIndex, offsetBy: characters ?? 0, limitedBy: whole.endIndex) ?? whole.endIndex
        position = UInt64(whole.utf8.distance(from: whole.startIndex, to: end))
        self.text = SyncString(text)
    }
}
