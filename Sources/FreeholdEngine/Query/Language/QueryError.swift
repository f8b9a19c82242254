#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The reason why a query can't be run: it isn't valid in the query language, or it doesn't fit the classes.
public struct QueryError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// The text isn't in the query language.
        case syntax
        /// A property or class of that name doesn't exist.
        case unknownName
        /// Types that can't be compared, an operator that the type doesn't have, or an invalid path.
        case type
        /// An argument is missing or can't be used.
        case argument
        /// A number, string or other constant that is invalid in itself.
        case constant
    }

    public var code: Code
    /// A sentence that describes the error.
    public var message: String
    /// The query's text, if the query was parsed from text.
    public var text: String?
    /// The position of the error in the text, in characters from 0.
    public var position: Int?
    /// The elements of the language that are valid at the position.
    public var expected: [String]
    /// Existing names that are similar to the unknown one, the nearest first.
    public var suggestions: [String]

    public init(
        _ code: Code,
        _ message: String,
        text: String? = nil,
        position: Int? = nil,
        expected: [String] = [],
        suggestions: [String] = []
    ) {
        self.code = code
        self.message = message
        self.text = text
        self.position = position
        self.expected = expected
        self.suggestions = suggestions
    }

    public var description: String {
        var lines = [message]
        if !expected.isEmpty { lines[0] += " Expected: \(expected.joined(separator: ", "))." }
        if !suggestions.isEmpty { lines[0] += " Did you mean \(suggestions.joined(separator: ", "))?" }
        if let text, let position {
            let (excerpt, column) = Self.excerpt(text, position)
            lines.append("  \(excerpt)")
            lines.append("  \(String(repeating: " ", count: column))^ at character \(position + 1)")
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the part of a long text around the position, and the position in that part.
    private static func excerpt(_ text: String, _ position: Int) -> (String, column: Int) {
        let (before, after) = (100, 60)
        let start = position > before + 20 ? position - before : 0
        var rest = text.dropFirst(start)
        let isCut = rest.count > position - start + after + 20
        if isCut { rest = rest.prefix(position - start + after) }
        return ((start > 0 ? "…" : "") + rest + (isCut ? "…" : ""), position - start + (start > 0 ? 1 : 0))
    }
}

extension QueryError: LocalizedError {
    /// The text of ``description``.
    public var errorDescription: String? { description }
}
