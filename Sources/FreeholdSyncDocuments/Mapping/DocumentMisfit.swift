/// The reason why a document, or a part of a patch, doesn't fit a class.
public struct DocumentMisfit: Error, Hashable, Sendable {
    public enum Code: Hashable, Sendable {
        /// The class doesn't exist, or it is embedded.
        case unknownClass
        /// The `_id` is missing, or has a wrong type.
        case key
        /// The key of a new object is too long.
        case longKey
        /// A required property is missing or null.
        case missing
        /// The class doesn't have the property.
        case unknownField
        /// The value has a wrong type, or the type can't represent it.
        case type
        /// The operator is unknown, or isn't possible for the property.
        case operation
        /// A size or a depth exceeds a limit.
        case limit
        /// The stored value isn't of the kind that the class declares.
        case stored
        /// The object that should be inserted exists already.
        case exists
        /// The object that should be edited doesn't exist.
        case gone
    }

    public let code: Code
    /// The keys that lead to the place. An element of an array is represented by its index.
    public let path: [String]
    /// A description of the error, as a sentence.
    public let reason: String

    public init(_ code: Code, _ path: [String], _ reason: String) {
        self.code = code
        self.path = path
        self.reason = reason
    }
}

extension DocumentMisfit: CustomStringConvertible {
    /// The path and the reason. Long keys are shortened.
    public var description: String {
        guard !path.isEmpty else { return reason }
        let shown = path.prefix(20).map { $0.count > 40 ? $0.prefix(40) + "…" : $0[...] }
        return shown.joined(separator: ".") + (path.count > 20 ? "…" : "") + ": " + reason
    }
}
