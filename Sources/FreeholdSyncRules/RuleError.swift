/// The reason why a document of rules or a schema is refused, with the place of the error.
public struct RuleError: Error, Hashable, Sendable {
    /// The keys that lead to the place. An element of an array is represented by its index.
    public let path: [String]
    /// A description of the error, as a sentence.
    public let reason: String

    public init(_ path: [String], _ reason: String) {
        self.path = path
        self.reason = reason
    }
}

extension RuleError: CustomStringConvertible {
    /// The path and the reason. Long keys are shortened.
    public var description: String {
        guard !path.isEmpty else { return reason }
        let shown = path.prefix(20).map { $0.count > 40 ? $0.prefix(40) + "…" : $0[...] }
        return shown.joined(separator: ".") + (path.count > 20 ? "…" : "") + ": " + reason
    }
}
