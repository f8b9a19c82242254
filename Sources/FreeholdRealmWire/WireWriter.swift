/// Writes the values of the binary format, one after the other.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ byte: UInt8) { bytes.append(byte) }
    mutating func append(contentsOf more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

    // MARK: Integers

    @inline(__always)
    mutating func unsigned(_ value: some UnsignedInteger & FixedWidthInteger) { groups(UInt64(value), sign: 0) }

    @inline(__always)
    mutating func signed(_ value: some SignedInteger & FixedWidthInteger) {
        let value = Int64(value)
        groups(UInt64(bitPattern: value < 0 ? -(value + 1) : value), sign: value < 0 ? 0x40 : 0)
    }

    mutating func bool(_ value: Bool) { bytes.append(value ? 1 : 0) }

    @inline(__always)
    private mutating func groups(_ value: UInt64, sign: UInt8) {
        var value = value
        while value > 0x3F {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: value) | sign)
    }

    // MARK: Values

    mutating func content(_ content: [UInt8]) {
        unsigned(UInt64(content.count))
        bytes.append(contentsOf: content)
    }

    mutating func bigEndian(_ value: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    mutating func littleEndian(_ value: some FixedWidthInteger & UnsignedInteger) { bigEndian(value.byteSwapped) }

    mutating func objectID(_ id: WireObjectID) {
        bigEndian(id.high)
        bigEndian(id.low)
    }

    mutating func uuid(_ id: WireUUID) {
        bigEndian(id.high)
        bigEndian(id.low)
    }

    mutating func decimal(_ decimal: WireDecimal) {
        var coefficient = decimal.coefficient
        while coefficient > 0x3F {
            bytes.append(UInt8(truncatingIfNeeded: coefficient) | 0x80)
            coefficient >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: coefficient))
        signed(decimal.exponent)
        bool(decimal.isNegative)
    }
}
