#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Looks for the terms of a query in single texts, without an index. Not thread-safe.
final class FullTextMatcher {
    let query: FullTextQuery
    private let tokenizer: TextTokenizer
    private let terms: [FullTextTerm]
    /// The words of all terms.
    private let words: [FullTextTerm.Word]
    /// By term: its first word.
    private let firstWords: [Int]
    /// By word: where it stands in the text, rising.
    private var positions: [[Int]]
    private var ranges: [[Range<Int>]]

    init(_ query: FullTextQuery) {
        self.query = query
        tokenizer = TextTokenizer(query.matching)
        terms = query.included + query.excluded
        words = terms.flatMap(\.words)
        var firstWords: [Int] = []
        var at = 0
        for term in terms {
            firstWords.append(at)
            at += term.words.count
        }
        self.firstWords = firstWords
        positions = Array(repeating: [], count: words.count)
        ranges = Array(repeating: [], count: words.count)
    }

    /// Whether all terms are there that have to be, and none that mustn't. Null has no words.
    func matches(_ text: UnsafeRawBufferPointer?) -> Bool {
        read(text)
        for term in query.included.indices where !hasTerm(term) { return false }
        return !query.excluded.indices.contains { hasTerm($0 + query.included.count) }
    }

    /// How often each included term is there, and how many words the text has that differ.
    func count(_ text: UnsafeRawBufferPointer?, distinct: TokenSet) -> [Int] {
        distinct.removeAll()
        read(text) { distinct.insert($0) }
        return query.included.indices.map { term in
            var count = 0
            forEachPlace(of: term) { _ in
                count += 1
                return true
            }
            return count
        }
    }

    /// Where the included terms stand in a text, in bytes, rising and without overlaps.
    func places(_ text: UnsafeRawBufferPointer?) -> [Range<Int>] {
        read(text)
        var all: [Range<Int>] = []
        for term in query.included.indices {
            let first = firstWords[term]
            forEachPlace(of: term) { start in
                for (i, word) in terms[term].words.enumerated() {
                    let at = positions[first + i].firstIndex(of: start + word.offset)!
                    all.append(ranges[first + i][at])
                }
                return true
            }
        }
        all.sort { $0.lowerBound < $1.lowerBound }
        var out: [Range<Int>] = []
        for range in all {
            if let last = out.last, range.lowerBound < last.upperBound {
                out[out.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                out.append(range)
            }
        }
        return out
    }

    private func read(_ text: UnsafeRawBufferPointer?, _ note: (UnsafeRawBufferPointer) -> Void = { _ in }) {
        for i in positions.indices {
            positions[i].removeAll(keepingCapacity: true)
            ranges[i].removeAll(keepingCapacity: true)
        }
        guard let text else { return }
        tokenizer.forEach(text) { token in
            note(token.bytes)
            for (i, word) in words.enumerated() where word.fits(token.bytes) {
                positions[i].append(token.position)
                ranges[i].append(token.range)
            }
            return true
        }
    }

    private func hasTerm(_ term: Int) -> Bool {
        var found = false
        forEachPlace(of: term) { _ in
            found = true
            return false
        }
        return found
    }

    /// Calls the body with the positions at which a term stands, less its first word's offset.
    private func forEachPlace(of term: Int, _ body: (Int) -> Bool) {
        let words = terms[term].words
        let first = firstWords[term]
        for position in positions[first] {
            let start = position - words[0].offset
            let isThere = (1..<words.count).allSatisfy { contains(positions[first + $0], start + words[$0].offset) }
            if isThere, !body(start) { return }
        }
    }

    private func contains(_ sorted: [Int], _ value: Int) -> Bool {
        var low = 0
        var high = sorted.count
        while low < high {
            let middle = (low + high) >> 1
            if sorted[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low < sorted.count && sorted[low] == value
    }
}

extension FullTextTerm.Word {
    @inline(__always)
    func fits(_ token: UnsafeRawBufferPointer) -> Bool {
        if token.count < bytes.count || (!isPrefix && token.count > bytes.count) { return false }
        return bytes.withUnsafeBytes { memcmp($0.baseAddress!, token.baseAddress!, $0.count) == 0 }
    }
}
