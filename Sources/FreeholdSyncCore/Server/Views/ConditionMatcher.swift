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
    /// Whether an object fulfils the condition.
    func matches(_ name: ObjectName, _ contents: [SyncString: MergedContent]) -> Bool
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
