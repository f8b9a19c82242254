/// A writer of little-endian integers, lengths and strings, for the catalogue, states and the history.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func u8(_ v: UInt8) { bytes.append(v) }

    mutating func fixed<T: FixedWidthInteger>(_ v: T) {
        withUnsafeBytes(of: v.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Writes a number in groups of seven bits, the lowest first.
    mutating func varint(_ v: UInt64) {
        var rest = v
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Writes a signed number, so that numbers close to zero take few bytes.
    mutating func signed(_ v: Int64) {
        varint(UInt64(bitPattern: (v << 1) ^ (v >> 63)))
    }

    mutating func string(_ s: String) {
        varint(UInt64(s.utf8.count))
        bytes.append(contentsOf: s.utf8)
    }

    /// Writes the number of bytes and then the bytes, in the form of `string`.
    mutating func prefixed(_ other: UnsafeRawBufferPointer) {
        varint(UInt64(other.count))
        bytes.append(contentsOf: other)
    }

    mutating func raw(_ other: [UInt8]) { bytes.append(contentsOf: other) }

    /// Returns the written bytes and removes them.
    mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}

/// A reader of the bytes that `ByteWriter` writes. It returns `nil` for a short or malformed input and never traps.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset >= bytes.count }
    var remaining: Int { bytes.count - offset }

    func peek() -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

    mutating func u8() -> UInt8? {
        guard offset < bytes.count else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func fixed<T: FixedWidthInteger>(_ type: T.Type = T.self) -> T? {
        let size = MemoryLayout<T>.size
        guard offset + size <= bytes.count else { return nil }
        defer { offset += size }
        return T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    mutating func varint() -> UInt64? {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = u8() {
            if shift > 63 { return nil }
            result |= UInt64(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return result }
            shift += 7
        }
        return nil
    }

    /// Returns a count or an id, or `nil` if the bytes are damaged or the number is too large.
    mutating func number() -> Int? { varint().flatMap { Int(exactly: $0) } }

    mutating func signed() -> Int64? {
        guard let v = varint() else { return nil }
        return Int64(bitPattern: v >> 1) ^ -Int64(bitPattern: v & 1)
    }

    mutating func raw(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= bytes.count - offset else { return nil }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    mutating func string() -> String? {
        guard let length = varint(), length <= UInt64(bytes.count - offset) else { return nil }
        defer { offset += Int(length) }
        return String(decoding: bytes[offset..<offset + Int(length)], as: UTF8.self)
    }
}
