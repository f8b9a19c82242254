/// Understands the conditions of queries. Tests hand in a simple one; a server that has an engine, the engine's.
public protocol ConditionMatcher: Sendable {
    /// Understands a condition once; it is matched often.
    ///
    /// - Throws: `ConditionError`
    func compile(_ className: SyncString, _ text: SyncString) throws(ConditionError) -> any CompiledCondition

    /// Understands a condition of an app whose classes are known.
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
    /// The answer can change although the object doesn't.
    var goesThroughLinks: Bool { get }
    /// What every object that fulfils the condition holds. Nil if that can't be told: then each change is compared with the condition.
    var equality: ConditionEquality? { get }
    /// The keys of all objects that can fulfil the condition. Nil if any key can.
    var keys: Set<PrimaryKey>? { get }
    /// The number of comparisons that an answer can take.
    var comparisons: Int { get }
    /// Returns whether an object fulfils the condition, as far as the budget allows it to be found out.
    ///
    /// If the budget is over afterwards, the result says nothing.
    func matches(_ name: ObjectName, _ contents: [SyncString: MergedContent], budget: inout WorkBudget) -> Bool

    /// A Boolean value that indicates whether there can be objects about which the condition has no answer.
    var canFail: Bool { get }
    /// Returns why the condition has no answer about an object; `nil` if it has one, or if the budget is over.
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

    /// Returns whether an object fulfils the condition, however much work that takes.
    public func matches(_ name: ObjectName, _ contents: [SyncString: MergedContent]) -> Bool {
        var budget = WorkBudget.unlimited
        return matches(name, contents, budget: &budget)
    }

    /// Returns why the condition has no answer about an object; `nil` if it has one.
    public func failure(_ name: ObjectName, _ contents: [SyncString: MergedContent]) -> ConditionError? {
        var budget = WorkBudget.unlimited
        return failure(name, contents, budget: &budget)
    }
}

/// How many objects are compared with conditions in one go.
public enum ConditionPage {
    /// The number of objects of a page for conditions with so many comparisons together.
    ///
    /// - Parameter limit: the most objects of a page.
    public static func objects(comparisons: Int, limit: Int) -> Int {
        max(1, min(limit, 100_000 / max(comparisons, 1)))
    }
}

/// A property that has one of these values wherever a condition holds.
public struct ConditionEquality: Hashable, Sendable {
    /// The property that is an object's key.
    public static let key: SyncString = "_id"

    public let property: SyncString
    public let values: [SyncValue]

    /// Nil if there is a value that others can be equal to: only integers, texts, ObjectIds, UUIDs and links are served.
    public init?(_ property: SyncString, _ values: [SyncValue]) {
        guard values.allSatisfy(\.isIndexed) else { return nil }
        self.property = property
        self.values = values
    }

    /// Objects with one of these keys.
    public init(keys: Set<PrimaryKey>) {
        property = Self.key
        values = keys.sorted().map { SyncValue($0) }
    }
}

public struct ConditionError: Error, Hashable, Sendable {
    /// Where in the condition's UTF-8.
    public let position: UInt64
    public let text: SyncString

    public init(position: UInt64, text: SyncString) {
        self.position = position
        self.text = text
    }

    /// Comparing a condition with an object takes more work than allowed.
    static let tooExpensive = ConditionError(
        position: 0,
        text: "The condition takes too much work for an object, which is left out: its texts or lists are too long."
    )

    /// - Parameters:
    ///   - characters: the position as the parser counts. Nil for the beginning.
    ///   - condition: the condition's text.
    public init(_ text: String, at characters: Int?, in condition: SyncString) {
        let whole = condition.string
        let end = whole.index(whole.startIndex, offsetBy: characters ?? 0, limitedBy: whole.endIndex) ?? whole.endIndex
        position = UInt64(whole.utf8.distance(from: whole.startIndex, to: end))
        self.text = SyncString(text)
    }
}
