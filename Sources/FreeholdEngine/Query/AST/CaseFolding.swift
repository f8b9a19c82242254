/// Folding of letter case, code point by code point (Unicode's simple folding), for comparisons that ignore case.
enum CaseFolding {
    /// Folded forms of the code points under 0x600, where nearly all cased text lies.
    private static let table: [UInt32] = (0..<0x600).map { compute($0) }

    static func fold(_ scalar: UInt32) -> UInt32 { scalar < 0x600 ? table[Int(scalar)] : compute(scalar) }

    /// The lower case of the upper case: that puts together what differs in case only, such as σ and ς.
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

    static func folded(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var out: [UInt8] = []
        append(bytes, to: &out)
        return out
    }

    /// Appends the folded form of UTF-8 bytes. Bytes that aren't UTF-8 are kept as they are.
    static func append(_ bytes: UnsafeRawBufferPointer, to out: inout [UInt8]) {
        var i = 0
        while i < bytes.count {
            let byte = bytes[i]
            if byte < 0x80 {
                out.append(foldASCII(byte))
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
            let target = fold(scalar)
            if target == scalar {
                for k in 0..<length { out.append(bytes[i + k]) }
            } else {
                out.append(contentsOf: Unicode.Scalar(target)!.utf8)
            }
            i += length
        }
    }
}
