#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#else
    internal import Darwin
#endif

/// How well objects fit a full-text search: BM25 with k₁ = 1.2 and b = 0.75.
///
/// A term counts for more the fewer objects have it, the more often it is in the string, and the shorter the string is.
/// The length of a string is the number of its different words. A phrase counts as if its rarest word were it; of a
/// beginning of words all that begin so count together. Exclusions add nothing.
public struct FullTextRanking {
    private static let saturation = 1.2
    private static let lengthWeight = 0.75

    private let search: FullTextSearch
    private let matcher: FullTextMatcher
    private let words = TokenSet()
    /// Of each term that has to be there.
    private let weights: [Double]
    private let meanLength: Double

    /// Nil where the column has no full-text index of the query's kind of words.
    /// - Complexity: O(log n) for each word, O(its occurrences) for a beginning.
    public init?(_ query: FullTextQuery, _ column: Column, in view: DataView) {
        guard let search = FullTextSearch(view, column, query) else { return nil }
        self.search = search
        matcher = FullTextMatcher(query)
        let objects = Double(max(1, view.count(view.schema.table(of: column))))
        meanLength = max(1, Double(search.entryCount) / objects)
        weights = query.included.map { term in
            let count = min(objects, Double(term.words.map { search.documentCount($0) }.min()!))
            return log(1 + (objects - count + 0.5) / (count + 0.5))
        }
    }

    /// How well an object fits; 0 where it has none of the terms.
    public func score(of key: ObjectKey) -> Double { search.view.withBytes(search.column, key) { score(of: $0) } }

    private func score(of text: UnsafeRawBufferPointer?) -> Double {
        matcher.count(text, distinct: words)
        return score(length: words.count)
    }

    /// Returns the score of the string last counted, if it has so many different words: less for more.
    private func score(length: Int) -> Double {
        let length = Double(length) / meanLength
        let norm = Self.saturation * (1 - Self.lengthWeight + Self.lengthWeight * length)
        var score = 0.0
        for (i, weight) in weights.enumerated() where matcher.counts[i] > 0 {
            let count = Double(matcher.counts[i])
            score += weight * count * (Self.saturation + 1) / (count + norm)
        }
        return score
    }

    /// Returns the best of some objects, the best first; those that fit alike in the order given.
    /// - Complexity: O(the lengths of all their strings). With a limit, those that the terms are in too seldom to be among
    ///   the best aren't taken apart into words.
    public func best(_ keys: [ObjectKey], limit: Int? = nil) -> [(key: ObjectKey, score: Double)] {
        typealias Ranked = (key: ObjectKey, score: Double, place: Int)
        func isBefore(_ a: Ranked, _ b: Ranked) -> Bool { a.score == b.score ? a.place < b.place : a.score > b.score }
        let limit = max(0, limit ?? keys.count)
        guard limit > 0 else { return [] }
        // Exclusions alone tell nobody from another.
        if weights.isEmpty { return keys.prefix(limit).map { ($0, 0) } }
        var best: [Ranked] = []
        // With the worst that can still be among them, which comes before all that fit no better.
        var worst: Ranked?
        search.view.forEachText(search.column, keys.count, key: { keys[$0] }) { place, text in
            if let worst {
                matcher.count(text, distinct: nil)
                if score(length: 1) <= worst.score { return }
            }
            let ranked = (keys[place], score(of: text), place)
            if let worst, !isBefore(ranked, worst) { return }
            best.append(ranked)
            if best.count >= limit + max(limit, 64) {
                best.sort(by: isBefore)
                best.removeLast(best.count - limit)
                worst = best.last
            }
        }
        best.sort(by: isBefore)
        return best.prefix(limit).map { ($0.key, $0.score) }
    }
}

extension FullTextQuery {
    /// Where the terms stand in a text, in UTF-8 bytes, rising and without overlaps. Of a phrase, where all of it is.
    public func ranges(in text: String) -> [Range<Int>] {
        var text = text
        let matcher = FullTextMatcher(self)
        return text.withUTF8 { matcher.places(UnsafeRawBufferPointer($0)) }
    }
}
