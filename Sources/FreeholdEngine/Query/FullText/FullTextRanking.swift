#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#else
    internal import Darwin
#endif

/// A ranking of objects for a full-text query by BM25, with k₁ = 1.2 and b = 0.75.
///
/// The weight of a term increases if fewer objects have it, if the string contains it more often, and if the string is shorter. The length of a
/// string is the number of its different words. A phrase has the weight of its rarest word. All words with the prefix of a term count together.
/// Exclusions don't add to the score.
public struct FullTextRanking {
    private static let saturation = 1.2
    private static let lengthWeight = 0.75

    private let search: FullTextSearch
    private let matcher: FullTextMatcher
    private let words = TokenSet()
    /// The weight of each included term.
    private let weights: [Double]
    private let meanLength: Double

    /// Returns `nil` if the column doesn't have a full-text index of the query's kind of words.
    /// - Complexity: O(log n) for each word, and O(its occurrences) for each prefix.
    public init?(_ query: FullTextQuery, _ column: Column, in view: DataView) {
        guard let search = FullTextSearch(view, column, query: query) else { return nil }
        self.search = search
        matcher = FullTextMatcher(query)
        let objects = Double(max(1, view.count(view.schema.table(of: column))))
        meanLength = max(1, Double(search.entryCount) / objects)
        weights = query.included.map { term in
            let count = min(objects, Double(term.words.map { search.documentCount($0) }.min()!))
            return log(1 + (objects - count + 0.5) / (count + 0.5))
        }
    }

    /// Returns the score of an object. It is 0 if the string doesn't contain any of the terms.
    public func score(of key: ObjectKey) -> Double { search.view.withBytes(search.column, key) { score(of: $0) } }

    private func score(of text: UnsafeRawBufferPointer?) -> Double {
        matcher.count(text, distinct: words)
        return score(length: words.count)
    }

    /// Returns the score of the string that was counted last, for a number of different words. The score decreases with the number.
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

    /// Returns the objects with the highest scores, in descending order of scores. Objects with equal scores keep the given order.
    /// - Complexity: O(the lengths of all their strings). With a limit, strings with too few occurrences to be among the best aren't divided into
    ///   words.
    public func best(_ keys: [ObjectKey], limit: Int? = nil) -> [(key: ObjectKey, score: Double)] {
        typealias Ranked = (key: ObjectKey, score: Double, place: Int)
        func isBefore(_ a: Ranked, other b: Ranked) -> Bool {
            a.score == b.score ? a.place < b.place : a.score > b.score
        }
        let limit = max(0, limit ?? keys.count)
        guard limit > 0 else { return [] }
        // A query of exclusions gives all objects the same score.
        if weights.isEmpty { return keys.prefix(limit).map { ($0, 0) } }
        var best: [Ranked] = []
        // The lowest score that is currently among the best. Later objects with the same score follow it.
        var worst: Ranked?
        search.view.forEachText(search.column, keys.count, key: { keys[$0] }) { place, text in
            if let worst {
                matcher.count(text, distinct: nil)
                if score(length: 1) <= worst.score { return }
            }
            let ranked = (keys[place], score(of: text), place)
            if let worst, !isBefore(ranked, other: worst) { return }
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
    /// Returns the ranges of the terms in a text, in UTF-8 bytes, in ascending order and without overlaps. The range of a phrase includes all its
    /// words.
    public func ranges(in text: String) -> [Range<Int>] {
        var text = text
        let matcher = FullTextMatcher(self)
        return text.withUTF8 { matcher.places(UnsafeRawBufferPointer($0)) }
    }
}
