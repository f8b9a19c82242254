#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// A matcher that searches single texts for the terms of a query, without an index. It isn't thread-safe.
///
/// The matcher searches for the bytes of the terms first. If a text contains characters outside ASCII, it is then divided into words.
final class FullTextMatcher {
    private let tokenizer: TextTokenizer
    /// The included terms, followed by the excluded terms.
    private let terms: [FullTextTerm]
    private let includedCount: Int
    /// The byte search of each term, or `nil` if ASCII texts can't contain the term.
    private let plain: [PlainTerm?]
    /// The index of each term's first word among all words.
    private let firstWords: [Int]
    private let tests: WordTests
    /// The words of the terms that occur in the text, in ascending order of positions.
    private var hits: [WordHit] = []
    /// The number of occurrences of each included term in the text.
    private(set) var counts: [Int]

    /// - Parameter phrasesOnly: whether single words and prefixes are ignored because an index has answered them.
    init(_ query: FullTextQuery, phrasesOnly: Bool = false) {
        tokenizer = TextTokenizer(query.matching)
        let included = query.included.filter { !phrasesOnly || !$0.isSingle }
        terms = included + query.excluded.filter { !phrasesOnly || !$0.isSingle }
        includedCount = included.count
        plain = terms.map { PlainTerm($0) }
        var firstWords: [Int] = []
        var at = 0
        for term in terms {
            firstWords.append(at)
            at += term.words.count
        }
        self.firstWords = firstWords
        tests = WordTests(terms.flatMap(\.words))
        counts = Array(repeating: 0, count: included.count)
    }

    deinit { for term in plain { term?.deallocate() } }

    /// Returns whether the text has all included terms and no excluded term. Null doesn't contain words.
    func matches(_ text: UnsafeRawBufferPointer?) -> Bool {
        guard let text else { return includedCount == 0 }
        let isASCII = FoldKernels.isASCII(text)
        var isRead = false
        for i in terms.indices {
            var isThere = plain[i].map { $0.count(in: text, limit: 1) > 0 } ?? false
            if !isThere, !isASCII {
                if !isRead { read(text) }
                isRead = true
                isThere = count(of: i, limit: 1) > 0
            }
            if isThere != (i < includedCount) { return false }
        }
        return true
    }

    /// Counts the included terms in a text: see `counts`.
    /// - Parameter distinct: receives the text's words, if it isn't `nil`.
    func count(_ text: UnsafeRawBufferPointer?, distinct: TokenSet?) {
        distinct?.removeAll()
        if let text, !FoldKernels.isASCII(text) {
            read(text, distinct)
            for i in 0..<includedCount { counts[i] = count(of: i) }
            return
        }
        for i in 0..<includedCount { counts[i] = text.flatMap { plain[i]?.count(in: $0) } ?? 0 }
        if let distinct, let text {
            var sink = TokenCollector(set: distinct)
            tokenizer.forEach(text, &sink)
        }
    }

    /// Returns the ranges of the included terms in a text, in bytes, in ascending order and without overlaps.
    func places(_ text: UnsafeRawBufferPointer?) -> [Range<Int>] {
        guard let text else { return [] }
        read(text)
        var all: [Range<Int>] = []
        for term in 0..<includedCount {
            forEachPlace(of: term) { start in
                for (i, word) in terms[term].words.enumerated() {
                    all.append(hits[hit(firstWords[term] + i, at: start + word.offset)!].range)
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

    private func read(_ text: UnsafeRawBufferPointer, _ distinct: TokenSet? = nil) {
        hits.removeAll(keepingCapacity: true)
        withExtendedLifetime((tests, distinct)) {
            var sink = WordHits(tests: UnsafeBufferPointer(tests.tests), distinct: distinct.map { .passUnretained($0) })
            swap(&sink.hits, &hits)
            tokenizer.forEach(text, &sink)
            swap(&sink.hits, &hits)
        }
    }

    private func count(of term: Int, limit: Int = .max) -> Int {
        var count = 0
        forEachPlace(of: term) { _ in
            count += 1
            return count < limit
        }
        return count
    }

    /// Calls the body with the position of each occurrence of a term, until it returns false.
    private func forEachPlace(of term: Int, _ body: (Int) -> Bool) {
        let words = terms[term].words
        let first = firstWords[term]
        for hit in hits where hit.word == first {
            let isThere = (1..<words.count).allSatisfy {
                self.hit(first + $0, at: hit.position + words[$0].offset) != nil
            }
            if isThere, !body(hit.position) { return }
        }
    }

    /// Returns the index of the hit of a word at a position.
    private func hit(_ word: Int, at position: Int) -> Int? {
        var low = 0
        var high = hits.count
        while low < high {
            let middle = (low + high) >> 1
            if hits[middle].position < position { low = middle + 1 } else { high = middle }
        }
        while low < hits.count, hits[low].position == position {
            if hits[low].word == word { return low }
            low += 1
        }
        return nil
    }
}

/// An occurrence of a term's word in a text.
private struct WordHit {
    let word: Int
    let position: Int
    let range: Range<Int>
}

/// The words of the terms, prepared so that the first bytes of a token exclude most of them.
private final class WordTests {
    struct Test {
        /// The first eight bytes, or fewer if the word is shorter.
        let head: UInt64
        let mask: UInt64
        let bytes: UnsafeMutablePointer<UInt8>
        let count: Int
        let isPrefix: Bool

        @inline(__always)
        func fits(_ token: UnsafeRawBufferPointer) -> Bool {
            // The tokenizer's buffer is longer than any token, so that reading eight bytes is safe.
            guard token.baseAddress!.loadUnaligned(as: UInt64.self) & mask == head else { return false }
            if token.count < count || (!isPrefix && token.count > count) { return false }
            return count <= 8 || memcmp(bytes, token.baseAddress!, count) == 0
        }
    }

    let tests: UnsafeMutableBufferPointer<Test>

    init(_ words: [FullTextTerm.Word]) {
        tests = .allocate(capacity: words.count)
        for (i, word) in words.enumerated() {
            let count = word.bytes.count
            let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: max(count, 8))
            bytes.initialize(repeating: 0, count: max(count, 8))
            for (k, byte) in word.bytes.enumerated() { bytes[k] = byte }
            let mask = count >= 8 ? UInt64.max : (1 << UInt64(count * 8)) - 1
            let head = UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self)
            tests.initializeElement(
                at: i,
                to: Test(
                    head: head,
                    mask: UInt64(littleEndian: mask),
                    bytes: bytes,
                    count: count,
                    isPrefix: word.isPrefix
                )
            )
        }
    }

    deinit {
        for test in tests { test.bytes.deallocate() }
        tests.deallocate()
    }
}

/// A sink that records the words of a text that belong to terms, and optionally all different words. It doesn't retain the referenced objects.
private struct WordHits: TokenSink {
    let tests: UnsafeBufferPointer<WordTests.Test>
    let distinct: Unmanaged<TokenSet>?
    var hits: [WordHit] = []

    @inline(__always)
    mutating func take(_ token: TextToken) -> Bool {
        if let distinct { distinct._withUnsafeGuaranteedRef { $0.insert(token.bytes) } }
        for i in tests.indices where tests[i].fits(token.bytes) {
            hits.append(WordHit(word: i, position: token.position, range: token.range))
        }
        return true
    }
}
