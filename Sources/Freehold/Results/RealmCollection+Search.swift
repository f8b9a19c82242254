import FreeholdEngine

extension RealmCollection where Element: ObjectBase {
    /// Returns the objects whose string contains the words, with a score for each. The best match is first.
    ///
    /// ```swift
    /// for hit in try articles.search(\.body, for: "swift data*", limit: 20) {
    ///     print(hit.object.title, hit.score, hit.excerpt())
    /// }
    /// ```
    ///
    /// The syntax of the search is that of ``Query/matches(_:)``. The scores are those of BM25 (k₁ 1.2, b 0.75). A word
    /// has more weight if fewer objects of the class contain it, if it occurs more often in the string, and if the
    /// string is shorter. Objects with equal scores keep the order of the collection. The result isn't live.
    ///
    /// - Parameters:
    ///   - property: A string with `@Persisted(fullText: true)`, optional or not, or an enum of strings.
    ///   - search: The search, for example a text that the user has typed.
    ///   - limit: The largest number of objects to return.
    /// - Throws: `QueryError` if the search has no words, a word is both required and excluded, or the property has no
    ///   full-text index.
    /// - Precondition: The collection is managed, and the call runs on its realm's thread.
    /// - Complexity: O(the strings of all objects found), in addition to the search.
    public func search<T>(
        _ property: KeyPath<Element, T>,
        for search: String,
        limit: Int? = nil
    ) throws(QueryError) -> [SearchHit<Element>] where T: _HasPersistedType, T.PersistedType: _QueryString {
        try self.search(_name(for: property), for: search, limit: limit)
    }

    /// Searches a property that is given by its name, in Swift or in the file. See `search(_:for:limit:)` with a key
    /// path.
    public func search(
        _ property: String,
        for search: String,
        limit: Int? = nil
    ) throws(QueryError) -> [SearchHit<Element>] {
        let source = requireSource("search")
        let path = NamedPath().appending(property)
        let condition = Condition.fullText(path, .value(.string(search)))
        let compiler = QueryCompiler(source.table)
        guard case .fullText(let found, let query) = try compiler.predicate(condition), let column = found.column,
            found.steps.isEmpty
        else {
            throw QueryError(.type, "A ranked search needs a property of the objects themselves, not '\(property)'.")
        }
        let view = source.core.view
        guard let ranking = FullTextRanking(query, column, in: view) else { return [] }
        let keys = try ResultsQuery(source.adding(WrittenQuery(condition))).allKeys()
        return ranking.best(keys, limit: limit).map { key, score in
            SearchHit(
                object: unsafeDowncast(source.table.object(key), to: Element.self),
                score: score,
                text: view.readString(column, key) ?? "",
                query: query
            )
        }
    }
}

/// An object that a ranked full-text search found. It keeps its state from the time of the search, but the object is
/// live. It belongs to the realm's thread.
public struct SearchHit<Element: ObjectBase> {
    public let object: Element
    /// The score, which is greater than 0 and has no upper limit. It is comparable only within one search. It is 0 if
    /// the search has only excluded terms.
    public let score: Double
    /// The string that was searched.
    public let text: String
    private let query: FullTextQuery

    init(object: Element, score: Double, text: String, query: FullTextQuery) {
        self.object = object
        self.score = score
        self.text = text
        self.query = query
    }

    /// The ranges of the words in ``text``, in order, without overlaps. For a phrase, the range covers the whole
    /// phrase.
    ///
    /// - Complexity: O(length).
    public var ranges: [Range<String.Index>] {
        let utf8 = text.utf8
        var out: [Range<String.Index>] = []
        for range in query.ranges(in: text) {
            let from = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
            let to = utf8.index(utf8.startIndex, offsetBy: range.upperBound)
            // Ranges cover whole characters. One emoji can consist of several characters that are words.
            let start = from.samePosition(in: text) ?? text.index(before: text.index(after: from))
            let end = to.samePosition(in: text) ?? text.index(after: to)
            if let last = out.last, start < last.upperBound {
                out[out.count - 1] = last.lowerBound..<Swift.max(last.upperBound, end)
            } else {
                out.append(start..<end)
            }
        }
        return out
    }

    /// Returns the part of the string around the first words found, with marks around each word.
    ///
    /// - Parameters:
    ///   - length: The approximate maximum number of characters of the string.
    ///   - mark: Returns the form in which a found word is shown.
    public func excerpt(length: Int = 120, mark: (Substring) -> String = { "**\($0)**" }) -> String {
        let ranges = self.ranges
        var start = text.startIndex
        if let first = ranges.first?.lowerBound {
            let before = text.index(first, offsetBy: -(length / 4), limitedBy: text.startIndex) ?? text.startIndex
            // The excerpt starts at the beginning of a word.
            start =
                before == text.startIndex
                ? before : text[before..<first].firstIndex { $0.isWhitespace }.map { text.index(after: $0) } ?? first
        }
        var end = text.index(start, offsetBy: max(0, length), limitedBy: text.endIndex) ?? text.endIndex
        if end < text.endIndex, let space = text[start..<end].lastIndex(where: { $0.isWhitespace }) { end = space }
        var out = start == text.startIndex ? "" : "… "
        var at = start
        for range in ranges where range.lowerBound >= at && range.upperBound <= end {
            out += text[at..<range.lowerBound] + mark(text[range])
            at = range.upperBound
        }
        out += text[at..<end]
        return end < text.endIndex ? out + " …" : out
    }
}
