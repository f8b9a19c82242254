/// The class of a code point in full-text search, and its replacement in tokens.
struct TextScalar {
    enum Kind: UInt32 {
        /// A character that ends a word.
        case separator
        /// A character that is omitted without ending a word: an accent, a vowel point, the tatweel or an invisible joiner.
        case ignored
        /// A part of a word: a letter, a digit or a vowel sign.
        case letter
        /// A character of a script that is written without spaces (Chinese, Japanese, Korean, Thai …).
        case unspaced
        /// A separate word: an emoji.
        case symbol
        /// One of the two characters of a flag.
        case flag
    }

    /// The kind from bit 24 on, and the scalar that replaces this one, or this one itself if `several` is set.
    private let bits: UInt32

    private init(_ kind: Kind, _ scalar: UInt32, several: Bool = false) {
        bits = kind.rawValue << 24 | (several ? 1 << 23 : 0) | scalar
    }

    var kind: Kind { Kind(rawValue: bits >> 24)! }
    /// The scalar that replaces this one, unless several do.
    var folded: UInt32 { bits & 0x1f_ffff }
    /// A Boolean value that indicates whether several scalars replace this one: see `BaseLetters`.
    var isSeveral: Bool { bits & 1 << 23 != 0 }

    /// A table for the look-up of scalars, which contains the scalars of most texts. It is created once and never freed.
    struct Table {
        /// The first scalars of Unicode.
        private let low: UnsafePointer<TextScalar>
        private let lowEnd: UInt32
        /// The letter forms from F900 on, or `nil` if all scalars after the first ones are separators.
        private let forms: UnsafePointer<TextScalar>?

        fileprivate init(lowEnd: UInt32, hasForms: Bool, _ make: (UInt32) -> TextScalar) {
            low = Self.stored(0..<lowEnd, make)
            self.lowEnd = lowEnd
            forms = hasForms ? Self.stored(0xf900..<0x10000, make) : nil
        }

        private static func stored(
            _ scalars: Range<UInt32>,
            _ make: (UInt32) -> TextScalar
        ) -> UnsafePointer<TextScalar> {
            let table = UnsafeMutablePointer<TextScalar>.allocate(capacity: scalars.count)
            for (i, scalar) in scalars.enumerated() { (table + i).initialize(to: make(scalar)) }
            return UnsafePointer(table)
        }

        @inline(__always)
        subscript(scalar: UInt32) -> TextScalar {
            if scalar < lowEnd { return low[Int(scalar)] }
            guard let forms else { return TextScalar(.separator, scalar) }
            if scalar &- 0x4e00 < 0x5200 || scalar &- 0xac00 < 0x2ba4 { return TextScalar(.unspaced, scalar) }
            if scalar &- 0xf900 < 0x700 { return forms[Int(scalar &- 0xf900)] }
            return computed(scalar)
        }
    }

    nonisolated(unsafe) private static let unicode = Table(lowEnd: 0x3400, hasForms: true) { computed($0) }
    /// The table for Realm's rules: only letters and digits of ASCII and Latin-1.
    nonisolated(unsafe) private static let latin = Table(lowEnd: 0x100, hasForms: false) { computedLatin($0) }

    static func table(_ matching: TextMatching) -> Table { matching == .unicode ? unicode : latin }

    // MARK: Rules

    private static func computed(_ raw: UInt32) -> TextScalar {
        guard let scalar = Unicode.Scalar(raw) else { return TextScalar(.separator, raw) }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .decimalNumber:
            // Digits of all scripts are equal.
            if let value = properties.numericValue { return TextScalar(.letter, 48 + UInt32(value)) }
            return TextScalar(.letter, raw)
        case .format: return TextScalar(raw == 0x200b ? .separator : .ignored, raw)
        case .nonspacingMark, .enclosingMark, .spacingMark:
            return isIgnored(raw) ? TextScalar(.ignored, raw) : letter(raw)
        case .modifierLetter
        where raw == 0x640 || raw == 0xff9e || raw == 0xff9f
            || (0x2b0..<0x300).contains(raw) && BaseLetters.of(raw) == [raw]:
            return TextScalar(.ignored, raw)
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber,
            .otherNumber:
            return letter(raw)
        case .modifierSymbol: return TextScalar(skinTones.contains(raw) ? .ignored : .separator, raw)
        default:
            if flags.contains(raw) { return TextScalar(.flag, raw) }
            if properties.isEmojiPresentation { return TextScalar(.symbol, raw) }
            return isLetterlike(raw) ? letter(raw) : TextScalar(.separator, raw)
        }
    }

    private static let skinTones: Range<UInt32> = 0x1f3fb..<0x1f400
    private static let flags: Range<UInt32> = 0x1f1e6..<0x1f200

    private static func letter(_ raw: UInt32) -> TextScalar {
        // The letters of formulas and full-width letters are at regular positions.
        if (0x1d400..<0x1d6a4).contains(raw) { return TextScalar(.letter, 97 + (raw - 0x1d400) % 26) }
        if (0xff21..<0xff5b).contains(raw) { return TextScalar(.letter, (raw - 0xfee0) | 0x20) }
        let base = BaseLetters.of(raw)
        let kind: Kind = isUnspaced(base[0]) ? .unspaced : .letter
        return base.count > 1 ? TextScalar(kind, raw, several: true) : TextScalar(kind, base[0])
    }

    /// Returns whether a sign stands for letters, such as № and ℡.
    private static func isLetterlike(_ raw: UInt32) -> Bool {
        (0x2100..<0x2150).contains(raw) && BaseLetters.of(raw) != [raw]
    }

    /// Returns whether the search ignores a mark: accents, the points of Hebrew and Arabic, and dots below Indic letters.
    private static func isIgnored(_ raw: UInt32) -> Bool {
        switch raw {
        case 0x300...0x36f, 0x483...0x489, 0x591...0x5c7, 0x610...0x61a, 0x64b...0x65f, 0x670, 0x6d6...0x6ed,
            0x711, 0x730...0x74a, 0x1ab0...0x1aff, 0x1dc0...0x1dff, 0x20d0...0x20f0, 0x3099...0x309a, 0xfe00...0xfe0f,
            0xfe20...0xfe2f, 0xe0100...0xe01ef:
            true
        case 0x93c, 0x9bc, 0xa3c, 0xabc, 0xb3c, 0xcbc: true
        default: false
        }
    }

    private static func isUnspaced(_ raw: UInt32) -> Bool {
        switch raw {
        // Thai, Lao; Myanmar; Khmer.
        case 0xe00...0xeff, 0x1000...0x109f, 0x1780...0x17ff: true
        // Hangul, kana, ideographs and the characters used with them.
        case 0x1100...0x11ff, 0x2e80...0x2fdf, 0x3005...0x3007, 0x3021...0x3029, 0x3031...0x303c, 0x3041...0x318f,
            0x31a0...0x31bf, 0x31f0...0x31ff, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xa960...0xa97f, 0xac00...0xd7ff,
            0xf900...0xfaff, 0xff66...0xff9d, 0x1aff0...0x1b16f, 0x20000...0x3ffff:
            true
        default: false
        }
    }

    private static func computedLatin(_ raw: UInt32) -> TextScalar {
        switch raw {
        case 0x30...0x39, 0x61...0x7a: return TextScalar(.letter, raw)
        case 0x41...0x5a: return TextScalar(.letter, raw | 0x20)
        case 0xd7, 0xf7, 0xff: return TextScalar(.separator, raw)
        case 0xc0...0xfe:
            let folded = CaseFolding.fold(raw)
            // These letters are separate letters of an alphabet.
            if [0xe5, 0xe6, 0xf8, 0xf0, 0xfe, 0xdf].contains(folded) { return TextScalar(.letter, folded) }
            return TextScalar(.letter, BaseLetters.of(folded)[0])
        default: return TextScalar(.separator, raw)
        }
    }
}
