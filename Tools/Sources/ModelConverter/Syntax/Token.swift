/// A part of Swift source that isn't white space or a comment.
struct Token: Equatable {
    enum Kind: Equatable {
        /// A name or a keyword. In backticks it is never a keyword.
        case word(quoted: Bool)
        case number
        /// A string literal without interpolation, or a regular expression.
        case literal
        /// A part of a string literal with interpolations: up to `\(`, from `)` to `\(`, or from `)` to the end.
        case literalPart
        /// One character: a bracket, a comma, or a character of an operator.
        case mark
        /// `#if`, `#elseif`, `#else`, `#endif` or `#sourceLocation`, with the remaining line.
        case directive
        /// `#keyPath`, `#available` and other names after a number sign.
        case hash
    }

    let kind: Kind
    /// The offsets in bytes.
    let start: Int
    let end: Int
    /// The characters. For a word in backticks, they don't include the backticks.
    let text: String
    /// A Boolean value that indicates whether the token is the first one of its line.
    let startsLine: Bool

    func isMark(_ mark: String) -> Bool { kind == .mark && text == mark }

    /// Returns a Boolean value that indicates whether the token is this word without backticks.
    func isWord(_ word: String) -> Bool { kind == .word(quoted: false) && text == word }

    /// The name of a declaration or its use.
    var name: String? {
        if case .word = kind { return text }
        return nil
    }
}
