import FreeholdEngine

extension FileNodes {
    /// Reads decimals. They are stored in the narrowest of the three encodings of IEEE 754 (32, 64 and 128 bits) that
    /// can represent all values of the leaf. A leaf of width 0 is all null or, if it is marked, all zero.
    func readDecimals(_ ref: UInt64, expected: Int?, into values: inout [Value]) throws(RealmFileError) {
        let node = try node(ref)
        let n = try count(node.count, expected, at: node.offset)
        guard n > 0 else { return }
        switch (node.kind, node.width) {
        case (.bytes, 0), (.bits, 0):
            let value: Value = node.isMarked ? .decimal128(Decimal128(lo: 0, hi: 0x3040_0000_0000_0000)) : .null
            for _ in 0..<n { values.append(value) }
        case (.bytes, 4):
            for i in 0..<n {
                let bits = UInt32(littleEndian: node.data.loadUnaligned(fromByteOffset: i * 4, as: UInt32.self))
                values.append(Self.decimal(bits))
            }
        case (.bytes, 8):
            for i in 0..<n {
                let bits = UInt64(littleEndian: node.data.loadUnaligned(fromByteOffset: i * 8, as: UInt64.self))
                values.append(Self.decimal(bits))
            }
        case (.bytes, 16):
            for i in 0..<n {
                let lo = UInt64(littleEndian: node.data.loadUnaligned(fromByteOffset: i * 16, as: UInt64.self))
                let hi = UInt64(littleEndian: node.data.loadUnaligned(fromByteOffset: i * 16 + 8, as: UInt64.self))
                values.append(Self.decimal(lo: lo, hi: hi))
            }
        default: throw .damaged("an array of decimals has a width that decimals can't have", at: node.offset)
        }
    }

    /// Returns a decimal. Null is stored as one NaN that no calculation returns.
    static func decimal(lo: UInt64, hi: UInt64) -> Value {
        lo == 0xaa && hi == 0x7c00_0000_0000_0000 ? .null : .decimal128(Decimal128(lo: lo, hi: hi))
    }

    /// Returns a number of 32 bits with 7 digits. Realm stores only numbers with a coefficient of up to 23 bits in this
    /// form. The form for longer coefficients, for infinity and for NaN therefore represents null.
    private static func decimal(_ bits: UInt32) -> Value {
        if bits & 0x6000_0000 == 0x6000_0000 { return .null }
        return decimal(
            negative: bits >> 31 != 0,
            exponent: Int(bits >> 23 & 0xff) - 101,
            coefficient: UInt64(bits & 0x7f_ffff)
        )
    }

    /// Returns a number of 64 bits with 16 digits and a coefficient of up to 53 bits, with the same rule for null.
    private static func decimal(_ bits: UInt64) -> Value {
        if bits & 0x6000_0000_0000_0000 == 0x6000_0000_0000_0000 { return .null }
        return decimal(
            negative: bits >> 63 != 0,
            exponent: Int(bits >> 53 & 0x3ff) - 398,
            coefficient: bits & 0x1f_ffff_ffff_ffff
        )
    }

    private static func decimal(negative: Bool, exponent: Int, coefficient: UInt64) -> Value {
        let hi = UInt64(exponent + 6176) << 49 | (negative ? 1 << 63 : 0)
        return .decimal128(Decimal128(lo: coefficient, hi: hi))
    }
}
