/// Finds a term in texts by their bytes: without taking the texts apart into words. Its owner deallocates it.
///
/// What it finds is there, in any text. Other scalars than those of ASCII can stand for the term, too, so that only in a
/// text of ASCII alone it finds all.
struct PlainTerm {
    /// The folded words, one after the other.
    private let bytes: UnsafeMutablePointer<UInt8>
    private let words: UnsafeMutablePointer<Word>
    private let wordCount: Int
    /// The fewest bytes that it takes.
    private let length: Int
    private let folded = Self.table

    /// As the tokenizer folds them; FF for parts of other scalars, which may belong to a word.
    nonisolated(unsafe) private static let table: UnsafePointer<UInt8> = {
        let table = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
        for byte in 0..<256 { table[byte] = byte < 0x80 ? TextTokenizer.folded[byte] : 0xff }
        return UnsafePointer(table)
    }()

    private struct Word {
        let start: Int
        let end: Int
        /// Letters may follow.
        let isOpen: Bool
    }

    /// Nil where no such text has the term.
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
            // Words are cut in an index and when they are compared.
            words[i] = Word(start: start, end: end, isOpen: word.isPrefix || end - start == TextTokenizer.wordLength)
            start = end
        }
    }

    func deallocate() {
        bytes.deallocate()
        words.deallocate()
    }

    /// How often the term is found in a text; `limit` if it is there more often.
    /// - Complexity: O(the text's length), eight bytes at a time.
    func count(in text: UnsafeRawBufferPointer, limit: Int = .max) -> Int {
        guard text.count >= length, limit > 0 else { return 0 }
        let lastStart = text.count &- length
        // The first word's first byte, and how far behind is its last.
        let last = words[0].end &- 1
        // With this bit letters of both cases are one; what else it confuses is told apart at the place.
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
                // The last eight bytes again, without those already seen.
                from = text.count &- last &- 8
                ignored = i &- from
                guard from >= 0 else { return countShort(text, i...lastStart, count, limit) }
            }
            let heads = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: from, as: UInt64.self)) | bit
            let tails = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: from &+ last, as: UInt64.self)) | bit
            let differences = (heads ^ first) | (tails ^ second)
            // The high bit of each byte that is 0, and of some others.
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
        _ found: Int,
        _ limit: Int
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
