/// A query for a full-text index.
///
/// ```
/// swift database        both words, in any order
/// swift -objective      the first, without the second
/// data*                 words that begin so
/// "object database"     words next to each other, in this order
/// -"object database"    all objects but those with the phrase
/// ```
/// All terms must be present. A term with a separator inside, such as `object-oriented`, is a phrase, and so is one in a script without spaces. If
/// all terms are exclusions, all other objects are found, including those whose string is null. `.latin1` has Realm's rules: quotes count as
/// separators, a term with a separator inside is an error, and an exclusion can't be a prefix.
public struct FullTextQuery: Sendable, Hashable {
    /// The text as it was written.
    public let text: String
    /// The rules for words. They must be those of the index.
    public let matching: TextMatching
    let included: [FullTextTerm]
    let excluded: [FullTextTerm]

    /// - Throws: `QueryError` if the text doesn't contain a word, or if a term is both included and excluded.
    public init(_ text: String, matching: TextMatching = .unicode) throws(QueryError) {
        self.text = text
        self.matching = matching
        var parser = FullTextParser(text, matching)
        var included: [FullTextTerm] = []
        var excluded: [FullTextTerm] = []
        while let (term, isExcluded) = try parser.next() {
            if isExcluded {
                if !excluded.contains(term) { excluded.append(term) }
            } else if !included.contains(term) {
                included.append(term)
            }
        }
        if included.isEmpty, excluded.isEmpty {
            throw QueryError(.constant, "The full-text search '\(text)' has no word. Give one to search for.")
        }
        if let both = included.first(where: { excluded.contains($0) }) {
            throw QueryError(
                .constant,
                "The full-text search '\(text)' both wants and excludes '\(both)'. Leave one of them out."
            )
        }
        self.included = included
        self.excluded = excluded
    }

    /// Creates a query for the index of a column.
    /// - Throws: `QueryError`, also if the column doesn't have a full-text index.
    public init(_ text: String, for column: Column) throws(QueryError) {
        guard let matching = column.indexKind.textMatching else {
            throw QueryError(
                .type,
                "'\(column.name)' has no full-text index. Declare it with @Persisted(fullText: true)."
            )
        }
        try self.init(text, matching: matching)
    }
}

/// A word, or several words next to each other.
struct FullTextTerm: Sendable, Hashable, CustomStringConvertible {
    struct Word: Sendable, Hashable {
        /// The bytes of the word, as in the index.
        let bytes: [UInt8]
        /// The distance of the word from the term's first word, in words.
        let offset: Int
        /// A Boolean value that indicates whether the term matches all words with this prefix.
        let isPrefix: Bool
    }

    /// The words of the term, at least one.
    let words: [Word]

    /// A Boolean value that indicates whether the index entries are sufficient, because the order of words doesn't matter.
    var isSingle: Bool { words.count == 1 }

    var description: String {
        let all = words.map { String(decoding: $0.bytes.dropFirst(), as: UTF8.self) + ($0.isPrefix ? "*" : "") }
        return all.joined(separator: " ")
    }

    /// Returns `nil` if the text doesn't contain a word.
    init?(_ text: some StringProtocol, _ tokenizer: TextTokenizer, isPrefix: Bool) {
        var words: [Word] = []
        var last: TextToken.Kind?
        var text = String(text)
        text.withUTF8 { utf8 in
            tokenizer.forEach(UnsafeRawBufferPointer(utf8)) { token in
                // The pair of the previous characters contains this one.
                if token.kind == .last, last == .pair { return true }
                last = token.kind
                let bytes = Array(token.bytes)
                words.append(Word(bytes: bytes, offset: token.position, isPrefix: token.kind == .last))
                return true
            }
        }
        guard let final = words.last else { return nil }
        if isPrefix, last == .word {
            words[words.count - 1] = Word(bytes: final.bytes, offset: final.offset, isPrefix: true)
        }
        self.words = words
    }
}

/// A parser of the terms of a search string.
private struct FullTextParser {
    private let text: String
    private var rest: Substring
    private let tokenizer: TextTokenizer

    init(_ text: String, _ matching: TextMatching) {
        self.text = text
        rest = text[...]
        tokenizer = TextTokenizer(matching)
    }

    private static let quotes: Set<Character> = ["\"", "“", "”", "„"]

    /// Returns the next term that contains a word.
    mutating func next() throws(QueryError) -> (FullTextTerm, isExcluded: Bool)? {
        while true {
            rest = rest.drop { $0.isWhitespace }
            guard let first = rest.first else { return nil }
            let isExcluded = first == "-"
            if isExcluded { rest = rest.dropFirst() }
            let term = tokenizer.matching == .unicode ? unicodeTerm() : try latinTerm(isExcluded)
            if let term { return (term, isExcluded) }
        }
    }

    private mutating func unicodeTerm() -> FullTextTerm? {
        var isPrefix = false
        let words: Substring
        if let quote = rest.first, Self.quotes.contains(quote) {
            rest = rest.dropFirst()
            // A phrase without a closing quote continues to the end of the text, so that a search can run while the user is typing.
            words = rest.prefix { !Self.quotes.contains($0) }
            rest = rest.dropFirst(words.count + 1)
            isPrefix = words.last == "*"
            if rest.first == "*" {
                isPrefix = true
                rest = rest.dropFirst()
            }
        } else {
            words = rest.prefix { !$0.isWhitespace }
            rest = rest.dropFirst(words.count)
            isPrefix = words.last == "*"
        }
        return FullTextTerm(words, tokenizer, isPrefix: isPrefix)
    }

    private mutating func latinTerm(_ isExcluded: Bool) throws(QueryError) -> FullTextTerm? {
        let written = rest.prefix { !$0.isWhitespace }
        rest = rest.dropFirst(written.count)
        let isPrefix = written.last == "*" && !isExcluded
        let term = FullTextTerm(written, tokenizer, isPrefix: isPrefix)
        if let term, !term.isSingle {
            throw QueryError(
                .constant,
                "The full-text search '\(text)' has a separator inside the term '\(written)'. Search for its words one by one."
            )
        }
        return term
    }
}
