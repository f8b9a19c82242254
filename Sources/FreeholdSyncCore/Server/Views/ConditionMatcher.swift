/// Understands the conditions of queries. Tests hand in a simple one; a server that has an engine, the engine's.
public protocol ConditionMatcher: Sendable {
    /// Understands a condition once; it is matched often.
    ///
    /// - Throws: `ConditionError`
    func compile(_ className: SyncString, _ text: SyncString) throws(ConditionError) -> any CompiledCondition
}

public protocol CompiledCondition: Sendable {
    /// The answer can change although the object doesn't.
    var goesThroughLinks: Bool { get }
    /// What every object that fulfils the condition holds. Nil if that can't be told: then each change is compared with the condition.
    var equality: ConditionEquality? { get }
    /// Whether an object fulfils the condition.
    func matches(_ name: ObjectName, _ contents: [SyncString: MergedContent]) -> Bool
}

extension CompiledCondition {
    public var equality: ConditionEquality? { nil }
}

/// A property that has one of these values wherever a condition holds.
public struct ConditionEquality: Hashable, Sendable {
    public let property: SyncString
    public let values: [SyncValue]

    /// Nil if there is a value that others can be equal to: only integers, texts, ObjectIds, UUIDs and links are served.
    public init?(_ property: SyncString, _ values: [SyncValue]) {
        guard values.allSatisfy(\.isIndexed) else { return nil }
        self.property = property
        self.values = values
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
}
