/// The rules by which a full-text index finds words. The index kind of a column determines its rules.
public enum TextMatching: Sendable, Hashable {
    /// Letters and digits of every script, without regard to case and accents. Scripts without spaces are divided into pairs of characters. Emoji are
    /// words.
    case unicode
    /// Realm's rules: only letters and digits of ASCII and Latin-1. Every other character separates words.
    case latin1
}

extension IndexKind {
    /// The rules for words, or `nil` if the index isn't a full-text index.
    public var textMatching: TextMatching? {
        switch self {
        case .fullText: .unicode
        case .fullTextLatin1: .latin1
        case .none, .values, .places: nil
        }
    }
}

/// A word of a text.
struct TextToken {
    enum Kind {
        case word
        /// Two neighbouring characters of a script without spaces.
        case pair
        /// The last character of a run of such characters.
        case last
    }

    /// The bytes as in an index: a tag byte, followed by the folded word in UTF-8. They are valid during the call.
    let bytes: UnsafeRawBufferPointer
    let kind: Kind
    /// The number of words and unspaced characters before it.
    let position: Int
    /// The range in the text, in bytes.
    let range: Range<Int>
}

/// A receiver of the words of a text.
protocol TokenSink {
    /// - Returns: whether to continue.
    mutating func take(_ token: TextToken) -> Bool
}

/// A tokenizer that finds the words of texts. It isn't thread-safe, because it contains the buffer in which a word is assembled.
///
/// Each character of a run without spaces begins one token: the pair with the next character, or the last character alone. With these tokens, every
/// string of such characters is found. Words are shortened to `wordLength` bytes.
final class TextTokenizer {
    static let wordLength = 64
    private static let bufferLength = wordLength + 64

    let matching: TextMatching
    private let scalars: TextScalar.Table
    private let word: UnsafeMutablePointer<UInt8>

    init(_ matching: TextMatching) {
        self.matching = matching
        scalars = TextScalar.table(matching)
        word = .allocate(capacity: Self.bufferLength)
        word.initialize(repeating: 0, count: Self.bufferLength)
        word[0] = OrderedEncoding.Tag.string
    }

    deinit { word.deallocate() }

    /// For each byte: digits, and ASCII letters in lower case. All other bytes are 0.
    nonisolated(unsafe) static let folded: UnsafePointer<UInt8> = {
        let table = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
        for byte in UInt8.min...UInt8.max {
            switch byte {
            case 48...57, 97...122: table[Int(byte)] = byte
            case 65...90: table[Int(byte)] = byte | 0x20
            default: table[Int(byte)] = 0
            }
        }
        return UnsafePointer(table)
    }()

    /// Calls the body with each token in order, until the body returns false.
    func forEach(_ text: UnsafeRawBufferPointer, _ body: (TextToken) -> Bool) {
        withoutActuallyEscaping(body) { body in
            var sink = TokenBody(body: body)
            forEach(text, &sink)
        }
    }

    /// Passes each token to the sink in order, until the sink returns false.
    func forEach<Sink: TokenSink>(_ text: UnsafeRawBufferPointer, _ sink: inout Sink) {
        withUnsafeMutablePointer(to: &sink) { sink in
            var run = TextRun(word: word, sink: sink)
            let ascii = Self.folded
            let scalars = scalars
            let count = text.count
            var i = 0
            while i < count, !run.isOver {
                let byte = text[i]
                if byte < 0x80 {
                    if ascii[Int(byte)] != 0 {
                        i = run.append(asciiOf: text, from: i, ascii)
                    } else {
                        run.separate(at: i)
                        i &+= 1
                    }
                    continue
                }
                var end = i
                var scalar = Self.decode(text, &end)
                let found = scalars[scalar]
                switch found.kind {
                case .ignored: break
                case .separator: run.separate(at: i)
                case .letter:
                    if found.isSeveral {
                        for part in BaseLetters.of(scalar) { run.append(scalar: part, at: i) }
                    } else {
                        scalar = found.folded
                        // The letters й and ў may consist of two scalars.
                        if scalar == 0x438 || scalar == 0x443, end + 1 < count, text[end] == 0xcc, text[end + 1] == 0x86
                        {
                            scalar = scalar == 0x438 ? 0x439 : 0x45e
                            end += 2
                        }
                        run.append(scalar: scalar, at: i)
                    }
                case .unspaced:
                    scalar = Self.composed(found.isSeveral ? scalar : found.folded, in: text, end: &end)
                    run.append(unspaced: scalar, i..<end)
                case .symbol: run.append(symbol: scalar, nil, i..<end)
                case .flag:
                    let start = i
                    var next = end
                    let second = next < count ? Self.decode(text, &next) : 0
                    if second > 0, scalars[second].kind == .flag { end = next }
                    run.append(symbol: scalar, end == next ? second : nil, start..<end)
                }
                i = end
            }
            if !run.isOver { run.separate(at: count) }
        }
    }

    /// Returns the scalar at `i` and moves `i` to the scalar after it. Each byte that isn't UTF-8 counts as U+FFFD.
    @inline(__always)
    private static func decode(_ text: UnsafeRawBufferPointer, _ i: inout Int) -> UInt32 {
        let byte = UInt32(text[i])
        let length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
        guard byte >= 0xc2, byte < 0xf5, i &+ length <= text.count else {
            if byte < 0x80 {
                i &+= 1
                return byte
            }
            i &+= 1
            return 0xfffd
        }
        var scalar = byte & (0x7f >> UInt32(length))
        for k in 1..<length {
            let next = text[i &+ k]
            guard next & 0xc0 == 0x80 else {
                i &+= 1
                return 0xfffd
            }
            scalar = scalar << 6 | UInt32(next & 0x3f)
        }
        i &+= length
        return scalar
    }

    /// Returns Hangul of several parts, or kana followed by a voicing mark, as one scalar.
    private static func composed(_ scalar: UInt32, in text: UnsafeRawBufferPointer, end: inout Int) -> UInt32 {
        guard end < text.count, text[end] >= 0xe1 else { return scalar }
        var next = end
        let mark = decode(text, &next)
        if scalar &- 0x3041 < 0xbf {
            guard let voiced = voiced(scalar, mark: mark) else { return scalar }
            end = next
            return voiced
        }
        var scalar = scalar
        var tail = mark
        if scalar &- 0x1100 < 19, mark &- 0x1161 < 21 {
            scalar = 0xac00 + ((scalar - 0x1100) * 21 + mark - 0x1161) * 28
            end = next
            guard end < text.count else { return scalar }
            tail = decode(text, &next)
        }
        if scalar &- 0xac00 < 11172, (scalar - 0xac00) % 28 == 0, tail &- 0x11a8 < 27 {
            scalar += tail - 0x11a7
            end = next
        }
        return scalar
    }

    private static func voiced(_ kana: UInt32, mark: UInt32) -> UInt32? {
        // Katakana are 96 code points above hiragana.
        let hiragana = kana >= 0x30a1 ? kana - 0x60 : kana
        switch mark {
        case 0x3099, 0xff9e:
            if hiragana == 0x3046 { return kana + 0x4e }
            let isPlain =
                hiragana >= 0x304b && hiragana <= 0x3061 && hiragana % 2 == 1
                || [0x3064, 0x3066, 0x3068, 0x306f, 0x3072, 0x3075, 0x3078, 0x307b].contains(hiragana)
            return isPlain ? kana + 1 : nil
        case 0x309a, 0xff9f:
            return [0x306f, 0x3072, 0x3075, 0x3078, 0x307b].contains(hiragana) ? kana + 2 : nil
        default: return nil
        }
    }
}

/// A sink for tests and for uses that aren't critical for speed.
private struct TokenBody: TokenSink {
    let body: (TextToken) -> Bool
    mutating func take(_ token: TextToken) -> Bool { body(token) }
}

/// The state of the tokenizer in a word.
private struct TextRun<Sink: TokenSink> {
    let word: UnsafeMutablePointer<UInt8>
    let sink: UnsafeMutablePointer<Sink>
    var isOver = false
    private var position = 0
    /// The number of bytes of the word.
    private var length = 0
    private var start = 0
    private var isCut = false
    /// The previous unspaced character, or 0 without one. `beforeRange` is its range.
    private var before: UInt32 = 0
    private var beforeRange = 0..<0

    init(word: UnsafeMutablePointer<UInt8>, sink: UnsafeMutablePointer<Sink>) {
        self.word = word
        self.sink = sink
    }

    /// Appends the ASCII letters and digits from a place on.
    /// - Returns: their end.
    @inline(__always)
    mutating func append(
        asciiOf text: UnsafeRawBufferPointer,
        from start: Int,
        _ folded: UnsafePointer<UInt8>
    ) -> Int {
        begin(at: start)
        var i = start
        var length = self.length
        while i < text.count {
            let byte = folded[Int(text[i])]
            if byte == 0 { break }
            if length < TextTokenizer.wordLength, !isCut {
                length &+= 1
                word[length] = byte
            } else {
                isCut = true
            }
            i &+= 1
        }
        self.length = length
        return i
    }

    mutating func append(scalar: UInt32, at i: Int) {
        begin(at: i)
        let count = scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
        if length + count > TextTokenizer.wordLength { isCut = true }
        if !isCut { put(scalar) }
    }

    @inline(__always)
    private mutating func begin(at i: Int) {
        if length == 0 {
            if before != 0 { separate(at: i) }
            start = i
        }
    }

    mutating func append(unspaced scalar: UInt32, _ range: Range<Int>) {
        if length > 0 { separate(at: range.lowerBound) }
        if before != 0 { give(before, scalar, kind: .pair, range: beforeRange.lowerBound..<range.upperBound) }
        before = scalar
        beforeRange = range
    }

    mutating func append(symbol scalar: UInt32, _ second: UInt32?, _ range: Range<Int>) {
        separate(at: range.lowerBound)
        give(scalar, second, kind: .word, range: range)
    }

    /// Ends the present word or run of unspaced characters.
    @inline(__always)
    mutating func separate(at end: Int) {
        if length > 0 {
            give(.word, start..<end)
        } else if before != 0 {
            let scalar = before
            before = 0
            give(scalar, nil, kind: .last, range: beforeRange)
        }
    }

    private mutating func give(_ first: UInt32, _ second: UInt32?, kind: TextToken.Kind, range: Range<Int>) {
        put(first)
        if let second { put(second) }
        give(kind, range)
    }

    private mutating func give(_ kind: TextToken.Kind, _ range: Range<Int>) {
        let bytes = UnsafeRawBufferPointer(start: word, count: length &+ 1)
        let token = TextToken(bytes: bytes, kind: kind, position: position, range: range)
        if !isOver, !sink.pointee.take(token) { isOver = true }
        position &+= 1
        length = 0
        isCut = false
    }

    private mutating func put(_ scalar: UInt32) {
        if scalar < 0x80 {
            word[length + 1] = UInt8(scalar)
            length += 1
        } else if scalar < 0x800 {
            word[length + 1] = UInt8(0xc0 | scalar >> 6)
            word[length + 2] = UInt8(0x80 | scalar & 0x3f)
            length += 2
        } else if scalar < 0x10000 {
            word[length + 1] = UInt8(0xe0 | scalar >> 12)
            word[length + 2] = UInt8(0x80 | scalar >> 6 & 0x3f)
            word[length + 3] = UInt8(0x80 | scalar & 0x3f)
            length += 3
        } else {
            word[length + 1] = UInt8(0xf0 | scalar >> 18)
            word[length + 2] = UInt8(0x80 | scalar >> 12 & 0x3f)
            word[length + 3] = UInt8(0x80 | scalar >> 6 & 0x3f)
            word[length + 4] = UInt8(0x80 | scalar & 0x3f)
            length += 4
        }
    }
}
