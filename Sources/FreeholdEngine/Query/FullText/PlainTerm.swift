/// A search for a term by its bytes, which doesn't divide the text into words. The owner deallocates it.
///
/// Each result is an occurrence of the term in any text. In texts outside ASCII, other scalars may also match the term, so the search finds all
/// occurrences only in ASCII texts.
struct PlainTerm {
    /// The folded bytes of the words, one after the other.
    private let bytes: UnsafeMutablePointer<UInt8>
    private let words: UnsafeMutablePointer<Word>
    private let wordCount: Int
    /// The minimum length of an occurrence in bytes.
    private let length: Int
    private let folded = Self.table

    /// The bytes as the tokenizer folds them, or FF for parts of other scalars, which may belong to a word.
    nonisolated(unsafe) private static let table: UnsafePointer<UInt8> = {
        let table = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
        for byte in 0..<256 { table[byte] = byte < 0x80 ? TextTokenizer.folded[byte] : 0xff }
        return UnsafePointer(table)
    }()

    private struct Word {
        let start: Int
        let end: Int
        /// A Boolean value that indicates whether letters may follow.
        let isOpen: Bool
    }

    /// Returns `nil` if ASCII texts can't contain the term.
    init?(_ term: FullTextTerm) {
        let table = TextTokenizer.folded
        let letters = term.words.flatMap { $0.bytes.dropFirst() }
        guard letters.allSatisfy({ table[Int($0)] == $0 && $0 != 0 }) else { return nil }
        wordCount = term.words.count
        length = letters.count + wordCount - 1
        bytes = .allocate(capacity: letters.count)
        for (i, byte) in letters.enumerated() { bytes[i] = byte }
        words = .allocate(capacity: wordCount)
        var start = 0
        for (i, word) in term.words.enumerated() {
            let end = start + word.bytes.count - 1
            // Long words are shortened in the index and in comparisons.
            words[i] = Word(start: start, end: end, isOpen: word.isPrefix || end - start == TextTokenizer.wordLength)
            start = end
        }
    }

    func deallocate() {
        bytes.deallocate()
        words.deallocate()
    }

    /// Returns the number of occurrences of the term in a text, but at most `limit`.
    /// - Complexity: O(the text's length), eight bytes at a time.
    func count(in text: UnsafeRawBufferPointer, limit: Int = .max) -> Int {
        guard text.count >= length, limit > 0 else { return 0 }
        let lastStart = text.count &- length
        // The distance from the first word's first byte to its last byte.
        let last = words[0].end &- 1
        // This bit makes letters of both cases equal. Other bytes that it makes equal are distinguished when the match is checked.
        let bit: UInt64 = 0x2020_2020_2020_2020
        let ones: UInt64 = 0x0101_0101_0101_0101
        let first = UInt64(bytes[0]) &* ones | bit
        let second = UInt64(bytes[last]) &* ones | bit
        var count = 0
        var i = 0
        while i <= lastStart {
            var from = i
            var ignored = 0
            if i &+ last &+ 8 > text.count {
                // The last eight bytes are read again, and the bytes that were already examined are ignored.
                from = text.count &- last &- 8
                ignored = i &- from
                guard from >= 0 else { return countShort(text, i...lastStart, found: count, limit: limit) }
            }
            let heads = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: from, as: UInt64.self)) | bit
            let tails = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: from &+ last, as: UInt64.self)) | bit
            let differences = (heads ^ first) | (tails ^ second)
            // The high bit is set for each byte that is 0, and for some others.
            var places = (differences &- ones) & ~differences & (ones << 7)
            places &= UInt64.max << UInt64(ignored &* 8)
            while places != 0 {
                let at = from &+ places.trailingZeroBitCount >> 3
                places &= places &- 1
                if at <= lastStart, isTerm(text, at: at) {
                    count &+= 1
                    if count == limit { return count }
                }
            }
            i = from &+ 8
        }
        return count
    }

    private func countShort(
        _ text: UnsafeRawBufferPointer,
        _ starts: ClosedRange<Int>,
        found: Int,
        limit: Int
    ) -> Int {
        var count = found
        for at in starts where count < limit && isTerm(text, at: at) { count += 1 }
        return count
    }

    private func isTerm(_ text: UnsafeRawBufferPointer, at start: Int) -> Bool {
        if start > 0, folded[Int(text[start &- 1])] != 0 { return false }
        var at = start
        for i in 0..<wordCount {
            let word = words[i]
            if at &+ word.end &- word.start > text.count { return false }
            for k in word.start..<word.end {
                if folded[Int(text[at])] != bytes[k] { return false }
                at &+= 1
            }
            if word.isOpen {
                if i == wordCount &- 1 { return true }
                while at < text.count, folded[Int(text[at])] &- 1 < 0xfe { at &+= 1 }
                if at < text.count, text[at] >= 0x80 { return false }
            } else if at < text.count, folded[Int(text[at])] != 0 {
                return false
            }
            if i < wordCount &- 1 { while at < text.count, folded[Int(text[at])] == 0 { at &+= 1 } }
        }
        return true
    }
}
