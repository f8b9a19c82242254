/// Why a query can't be run: it isn't written in the language, or doesn't fit the classes.
public struct QueryError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// The text isn't in the query language.
        case syntax
        /// There is no property or class of that name.
        case unknownName
        /// Types that can't be compared, an operator that the type doesn't have, a path that is none.
        case type
        /// An argument is missing or can't be used.
        case argument
        /// A number, string or other constant that isn't right in itself.
        case constant
    }

    public var code: Code
    /// What is wrong, in a sentence.
    public var message: String
    /// The query's text, where it had one.
    public var text: String?
    /// Where in the text, in characters from 0.
    public var position: Int?
    /// What could stand there instead.
    public var expected: [String]
    /// Names that may have been meant, the nearest first.
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
            lines.append("  \(text)")
            lines.append("  \(String(repeating: " ", count: position))^ at character \(position + 1)")
        }
        return lines.joined(separator: "\n")
    }
}
