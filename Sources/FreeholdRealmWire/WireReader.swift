/// Reads the values of the binary format, one after the other.
struct WireReader {
    let bytes: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var isAtEnd: Bool { position == bytes.endIndex }
    var remaining: Int { bytes.endIndex - position }
    /// The number of bytes that were read.
    var offset: Int { position - bytes.startIndex }

    func error(_ code: WireError.Code, _ reason: String) -> WireError { WireError(code, reason, offset: offset) }

    @inline(__always)
    mutating func byte() throws(WireError) -> UInt8 {
        guard position < bytes.endIndex else { throw error(.truncated, "The bytes end inside a value") }
        let byte = bytes[position]
        position += 1
        return byte
    }

    mutating func take(_ count: Int) throws(WireError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= remaining else { throw error(.truncated, "The bytes end inside a value") }
        defer { position += count }
        return bytes[position..<position + count]
    }

    // MARK: Integers

    /// Reads groups of seven bits. The last byte has six bits, and a bit for the sign.
    @inline(__always)
    private mutating func groups(atMost limit: Int) throws(WireError) -> (value: UInt64, isNegative: Bool) {
        let first = try byte()
        if first & 0x80 == 0 { return (UInt64(first & 0x3F), first & 0x40 != 0) }
        return try longGroups(first: first, atMost: limit)
    }

    private mutating func longGroups(first: UInt8, atMost limit: Int) throws(WireError) -> (UInt64, Bool) {
        var (value, shift) = (UInt64(first & 0x7F), UInt64(7))
        for _ in 1..<limit {
            let byte = try byte()
            let part = UInt64(byte & (byte & 0x80 == 0 ? 0x3F : 0x7F))
            guard shift < 64, (part << shift) >> shift == part else {
                throw error(.invalidInteger, "An integer is too large")
            }
            value |= part << shift
            if byte & 0x80 == 0 { return (value, byte & 0x40 != 0) }
            shift += 7
        }
        throw error(.invalidInteger, "An integer has too many bytes")
    }

    @inline(__always)
    private mutating func unsigned(atMost limit: Int, below bound: UInt64) throws(WireError) -> UInt64 {
        let (value, isNegative) = try groups(atMost: limit)
        guard !isNegative, value <= bound else { throw error(.invalidInteger, "An integer is out of range") }
        return value
    }

    mutating func uint8() throws(WireError) -> UInt8 { UInt8(try unsigned(atMost: 2, below: 0xFF)) }

    @inline(__always)
    mutating func uint32() throws(WireError) -> UInt32 { UInt32(try unsigned(atMost: 5, below: 0xFFFF_FFFF)) }

    mutating func uint64() throws(WireError) -> UInt64 { try unsigned(atMost: 10, below: .max) }

    mutating func int64() throws(WireError) -> Int64 {
        let (value, isNegative) = try groups(atMost: 10)
        guard value <= UInt64(Int64.max) else { throw error(.invalidInteger, "An integer is out of range") }
        return isNegative ? -Int64(value) - 1 : Int64(value)
    }

    mutating func int32() throws(WireError) -> Int32 {
        let (value, isNegative) = try groups(atMost: 5)
        guard value <= UInt64(Int32.max) else { throw error(.invalidInteger, "An integer is out of range") }
        return isNegative ? -Int32(value) - 1 : Int32(value)
    }

    /// Reads an integer that is an index, or −1. Returns `nil` for −1.
    @inline(__always)
    mutating func indexOrName() throws(WireError) -> UInt32? {
        let (value, isNegative) = try groups(atMost: 5)
        if isNegative, value == 0 { return nil }
        guard !isNegative, let index = UInt32(exactly: value) else {
            throw error(.invalidInteger, "A step of a path is out of range")
        }
        return index
    }

    mutating func bool() throws(WireError) -> Bool { try uint8() != 0 }

    /// Reads a type, which is between −128 and 127.
    mutating func type() throws(WireError) -> Int8 {
        let (value, isNegative) = try groups(atMost: 2)
        guard value <= 127 else { throw error(.invalidInteger, "A type is out of range") }
        return isNegative ? -Int8(value) - 1 : Int8(value)
    }

    // MARK: Values

    mutating func content(atMost limit: Int) throws(WireError) -> ArraySlice<UInt8> {
        let count = try uint64()
        guard count <= UInt64(limit) else { throw error(.tooLarge, "A value has more than \(limit) bytes") }
        return try take(Int(count))
    }

    /// Reads this number of bytes as a big-endian number.
    mutating func bigEndian(_ count: Int) throws(WireError) -> UInt64 {
        var value: UInt64 = 0
        for byte in try take(count) { value = value << 8 | UInt64(byte) }
        return value
    }

    /// Reads this number of bytes as a little-endian number.
    mutating func littleEndian(_ count: Int) throws(WireError) -> UInt64 {
        var value: UInt64 = 0
        for byte in try take(count).reversed() { value = value << 8 | UInt64(byte) }
        return value
    }

    mutating func objectID() throws(WireError) -> WireObjectID {
        let high = try bigEndian(8)
        return WireObjectID(high: high, low: UInt32(try bigEndian(4)))
    }

    mutating func uuid() throws(WireError) -> WireUUID {
        let high = try bigEndian(8)
        return WireUUID(high: high, low: try bigEndian(8))
    }

    mutating func date() throws(WireError) -> WireDate {
        let seconds = try int64()
        let nanoseconds = try int64()
        guard let nanoseconds = Int32(exactly: nanoseconds) else {
            throw error(.invalidValue, "The nanoseconds of a date are out of range")
        }
        let date = WireDate(seconds: seconds, nanoseconds: nanoseconds)
        guard date.isValid else { throw error(.invalidValue, "The nanoseconds of a date don't fit its seconds") }
        return date
    }

    /// Reads a coefficient of 113 bits in plain groups, an exponent and a sign.
    mutating func decimal() throws(WireError) -> WireDecimal {
        var (coefficient, shift) = (UInt128(0), 0)
        while true {
            guard shift < 17 * 7 else { throw error(.invalidInteger, "A decimal has too many bytes") }
            let byte = try byte()
            coefficient |= UInt128(byte & 0x7F) << UInt128(shift)
            if byte & 0x80 == 0 { break }
            shift += 7
        }
        guard coefficient >> 113 == 0 else { throw error(.invalidInteger, "A decimal is too large") }
        let exponent = try int32()
        guard (WireDecimal.leastExponent...WireDecimal.leastExponent + 0x3FFF).contains(exponent) else {
            throw error(.invalidInteger, "The exponent of a decimal is out of range")
        }
        return WireDecimal(
            high: UInt64(truncatingIfNeeded: coefficient >> 64),
            low: UInt64(truncatingIfNeeded: coefficient),
            exponent: exponent,
            isNegative: try bool()
        )
    }
}
