import FreeholdEngine

extension RealmCollection where Element: ObjectBase {
    /// The objects whose string has the words, with how well they fit: the best first.
    ///
    /// ```swift
    /// for hit in try articles.search(\.body, for: "swift data*", limit: 20) {
    ///     print(hit.object.title, hit.score, hit.excerpt())
    /// }
    /// ```
    ///
    /// The search is written as for ``Query/matches(_:)``. Scores are BM25's (k₁ 1.2, b 0.75): a word counts for more the
    /// fewer of the class's objects have it, the more often it is in the string, and the shorter the string is. Objects that
    /// fit alike keep the collection's order. What is found is no live collection.
    ///
    /// - Parameters:
    ///   - property: a string with `@Persisted(fullText: true)`, optional or not, or an enum of strings.
    ///   - search: what the user has typed, say.
    ///   - limit: the most objects that are wanted.
    /// - Throws: `QueryError` where the search has no word or one both wanted and excluded, or the property no full-text
    ///   index.
    /// - Precondition: a managed collection, on its realm's thread.
    /// - Complexity: O(the strings of all objects found), beside the search.
    public func search<T>(
        _ property: KeyPath<Element, T>,
        for search: String,
        limit: Int? = nil
    ) throws(QueryError) -> [SearchHit<Element>] where T: _HasPersistedType, T.PersistedType: _QueryString {
        try self.search(_name(for: property), for: search, limit: limit)
    }

    /// The same by the property's name, in Swift or in the file.
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

/// An object that a ranked full-text search found: what it was then, but for the object, which is live. Belongs to the
/// realm's thread.
public struct SearchHit<Element: ObjectBase> {
    public let object: Element
    /// How well it fits: above 0, without an upper limit, comparable within one search only. 0 where the search has
    /// exclusions only.
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

    /// Where the words stand in ``text``, in order, without overlaps. Of a phrase, where all of it is.
    /// - Complexity: O(length).
    public var ranges: [Range<String.Index>] {
        let utf8 = text.utf8
        var out: [Range<String.Index>] = []
        for range in query.ranges(in: text) {
            let from = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
            let to = utf8.index(utf8.startIndex, offsetBy: range.upperBound)
            // Whole characters: one emoji can be made of several that are words.
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

    /// The part of the string around the first words found, with marks about each.
    ///
    /// - Parameters:
    ///   - length: about the most characters of the string.
    ///   - mark: how a word that was found is shown.
    public func excerpt(length: Int = 120, mark: (Substring) -> String = { "**\($0)**" }) -> String {
        let ranges = self.ranges
        var start = text.startIndex
        if let first = ranges.first?.lowerBound {
            let before = text.index(first, offsetBy: -(length / 4), limitedBy: text.startIndex) ?? text.startIndex
            // From the beginning of a word.
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
