/// Case folding by code point (Unicode's simple folding), for comparisons that ignore case.
enum CaseFolding {
    /// The folded forms of the code points below 0x600, which include nearly all cased text.
    private static let table: [UInt32] = (0..<0x600).map { compute($0) }

    static func fold(_ scalar: UInt32) -> UInt32 { scalar < 0x600 ? table[Int(scalar)] : compute(scalar) }

    /// Folds only the letters of ASCII and Latin-1, like Realm.
    @inline(__always)
    static func foldLatin(_ scalar: UInt32) -> UInt32 {
        let isUpper = scalar &- 0x41 < 26 || (scalar &- 0xc0 < 0x1f && scalar != 0xd7)
        return isUpper ? scalar | 0x20 : scalar
    }

    /// Returns the lower case of the upper case. This makes characters equal that differ only in case, such as σ and ς.
    private static func compute(_ raw: UInt32) -> UInt32 {
        guard let scalar = Unicode.Scalar(raw), raw != 0x131 else { return raw }
        let upper = only(scalar.properties.uppercaseMapping) ?? scalar
        return (only(upper.properties.lowercaseMapping) ?? scalar).value
    }

    private static func only(_ text: String) -> Unicode.Scalar? {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, scalars.count == 1 else { return nil }
        return first
    }

    @inline(__always)
    static func foldASCII(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 0x20 : byte }

    static func folded(_ bytes: UnsafeRawBufferPointer) -> [UInt8] { TextFold(.ignoringCase)!.folded(bytes) }
}

/// The folding of two texts before a comparison, which makes ignored differences equal.
struct TextFold: Sendable, Hashable {
    let ignoresCase: Bool
    let ignoresAccents: Bool
    /// A Boolean value that indicates whether case is folded only in ASCII and Latin-1.
    let isLatin: Bool

    /// Returns `nil` if texts are compared unchanged.
    init?(_ options: TextOptions) {
        ignoresCase = options.contains(.ignoringCase)
        ignoresAccents = options.contains(.ignoringDiacritics)
        isLatin = options.contains(.latinCaseOnly)
        if !ignoresCase && !ignoresAccents { return nil }
    }

    func folded(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var out: [UInt8] = []
        append(bytes, to: &out)
        return out
    }

    /// Appends the folded form of UTF-8 bytes. Bytes that aren't UTF-8 are unchanged.
    func append(_ bytes: UnsafeRawBufferPointer, to out: inout [UInt8]) {
        var i = 0
        while i < bytes.count {
            let byte = bytes[i]
            if byte < 0x80 {
                out.append(ignoresCase ? CaseFolding.foldASCII(byte) : byte)
                i += 1
                continue
            }
            let length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
            guard byte >= 0xc2, byte < 0xf5, i + length <= bytes.count,
                (1..<length).allSatisfy({ bytes[i + $0] & 0xc0 == 0x80 })
            else {
                out.append(byte)
                i += 1
                continue
            }
            var scalar = UInt32(byte) & (0x7f >> UInt32(length))
            for k in 1..<length { scalar = scalar << 6 | UInt32(bytes[i + k] & 0x3f) }
            if ignoresAccents {
                Accents.forEachBase(of: scalar) { Self.append(foldCase($0), to: &out) }
            } else {
                Self.append(foldCase(scalar), to: &out)
            }
            i += length
        }
    }

    @inline(__always)
    private func foldCase(_ scalar: UInt32) -> UInt32 {
        guard ignoresCase else { return scalar }
        return isLatin ? CaseFolding.foldLatin(scalar) : CaseFolding.fold(scalar)
    }

    /// Appends a scalar in the form of UTF-8, including scalars that UTF-8 doesn't allow.
    @inline(__always)
    private static func append(_ scalar: UInt32, to out: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | (scalar >> shift & 0x3f)) }
        if scalar < 0x80 {
            out.append(UInt8(scalar))
        } else if scalar < 0x800 {
            out.append(UInt8(0xc0 | scalar >> 6))
            out.append(tail(0))
        } else if scalar < 0x10000 {
            out.append(UInt8(0xe0 | scalar >> 12))
            out.append(tail(6))
            out.append(tail(0))
        } else {
            out.append(UInt8(0xf0 | scalar >> 18 & 7))
            out.append(tail(12))
            out.append(tail(6))
            out.append(tail(0))
        }
    }
}
