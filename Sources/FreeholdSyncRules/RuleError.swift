/// Why a document of rules or a schema is refused, and where.
public struct RuleError: Error, Hashable, Sendable {
    /// The keys that lead to the place; an element of an array stands with its index.
    public let path: [String]
    /// What is wrong, in a sentence.
    public let reason: String

    public init(_ path: [String], _ reason: String) {
        self.path = path
        self.reason = reason
    }
}

extension RuleError: CustomStringConvertible {
    /// The path and the reason. Long keys are cut.
    public var description: String {
        guard !path.isEmpty else { return reason }
        let shown = path.prefix(20).map { $0.count > 40 ? $0.prefix(40) + "…" : $0[...] }
        return shown.joined(separator: ".") + (path.count > 20 ? "…" : "") + ": " + reason
    }
}
