/// Why a document, or a part of a patch, doesn't fit a class.
public struct DocumentMisfit: Error, Hashable, Sendable {
    public enum Code: Hashable, Sendable {
        /// There is no such class, or it is embedded.
        case unknownClass
        /// There is no `_id`, or it is of another type.
        case key
        /// A property that isn't optional is missing or null.
        case missing
        /// The class has no such property.
        case unknownField
        /// A value of another type, or one that the type can't hold.
        case type
        /// An operator that isn't known, or that its property doesn't have.
        case operation
        /// Something is larger or deeper than it may be.
        case limit
        /// What is stored isn't of the kind that the class says.
        case stored
        /// An object that was to be inserted is there already.
        case exists
        /// There is no object that could be edited.
        case gone
    }

    public let code: Code
    /// The keys that lead to the place; an element of an array stands with its index.
    public let path: [String]
    /// What is wrong, in a sentence.
    public let reason: String

    public init(_ code: Code, _ path: [String], _ reason: String) {
        self.code = code
        self.path = path
        self.reason = reason
    }
}

extension DocumentMisfit: CustomStringConvertible {
    /// The path and the reason. Long keys are cut.
    public var description: String {
        guard !path.isEmpty else { return reason }
        let shown = path.prefix(20).map { $0.count > 40 ? $0.prefix(40) + "…" : $0[...] }
        return shown.joined(separator: ".") + (path.count > 20 ? "…" : "") + ": " + reason
    }
}
