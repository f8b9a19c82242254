/// The words of a query's text with their kinds, for colours in an editor.
package struct QueryWord: Sendable, Equatable {
    package enum Kind: Sendable {
        case name, text, number, literal, argument, operation, symbol, error
    }

    package let kind: Kind
    /// The range in the text, in bytes of UTF-8.
    package let range: Range<Int>

    /// Returns the words of a text. From an error on, the rest of the text is one word.
    /// - Complexity: O(text)
    package static func of(_ text: String) -> [QueryWord] {
        QueryLexer.tokens(text).compactMap { token in
            let kind: Kind
            switch token.kind {
            case .name: kind = .name
            case .number: kind = .number
            case .text: kind = .text
            case .literal: kind = .literal
            case .argument, .pathArgument: kind = .argument
            case .operation: kind = .operation
            case .wildcard, .symbol: kind = .symbol
            case .broken: kind = .error
            case .end: return nil
            }
            return QueryWord(kind: kind, range: token.start..<max(token.start, token.end))
        }
    }

    /// Returns the name as it is written in a query.
    package static func written(_ name: String) -> String { QueryLexer.written(name) }
}
