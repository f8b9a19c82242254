/// Varints: numbers with seven bits per byte, lowest bits first. The highest bit is set in all bytes except the last.
extension [UInt8] {
    package mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    package mutating func appendVarint(_ value: Int) { appendVarint(UInt64(value)) }

    /// Appends the number with the lowest byte first.
    package mutating func appendFixed(_ value: UInt64, width: Int) {
        for index in 0..<width { append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }

    package mutating func appendText(_ text: SyncString) {
        appendVarint(text.string.utf8.count)
        append(contentsOf: text.string.utf8)
    }
}

extension Int64 {
    /// The zigzag form, in which small numbers of either sign are small: 0, −1, 1, −2, … become 0, 1, 2, 3, ….
    package var zigzag: UInt64 { UInt64(bitPattern: self << 1 ^ self >> 63) }

    package init(zigzag: UInt64) { self = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1) }
}

extension UInt64 {
    /// The number of bytes of the number as a varint.
    var varintWidth: Int { Swift.max((70 - leadingZeroBitCount) / 7, 1) }
}

/// Reads a range of bytes from its start to its end. All reads are checked against the end of the range.
package struct ByteCursor {
    package let bytes: UnsafeRawBufferPointer
    package var position: Int
    package let end: Int

    package init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    package init(_ bytes: UnsafeRawBufferPointer) { self.init(bytes, 0..<bytes.count) }

    package var remaining: Int { end - position }

    package func error(_ code: CodecError.Code, _ reason: String) -> CodecError {
        CodecError(code, reason, offset: position)
    }

    package mutating func byte() throws(CodecError) -> UInt8 {
        guard position < end else { throw error(.truncated, "The bytes end too early") }
        defer { position += 1 }
        return bytes[position]
    }

    package mutating func varint() throws(CodecError) -> UInt64 {
        guard position < end else { throw error(.truncated, "The bytes end within a number") }
        let first = bytes[position]
        if first < 0x80 {
            position += 1
            return UInt64(first)
        }
        var (value, shift) = (UInt64(0), UInt64(0))
        while true {
            let byte = try byte()
            guard shift < 63 || byte <= 1 else { throw error(.invalidNumber, "A number has more than 64 bits") }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { break }
            shift += 7
        }
        return value
    }

    /// Reads the number of following items, each of which takes at least one byte.
    package mutating func count() throws(CodecError) -> Int {
        let value = try varint()
        guard value <= UInt64(remaining) else { throw error(.truncated, "\(value) is more than what is left") }
        return Int(value)
    }

    package mutating func fixed(width: Int) throws(CodecError) -> UInt64 {
        guard remaining >= width else { throw error(.truncated, "The bytes end within a number") }
        defer { position += width }
        if width == 1 { return UInt64(bytes[position]) }
        if width == 8 { return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)) }
        var value: UInt64 = 0
        for index in 0..<width { value |= UInt64(bytes[position + index]) << UInt64(8 * index) }
        return value
    }

    /// Returns the range of the next bytes, and moves the position after them.
    package mutating func take(_ count: Int) throws(CodecError) -> Range<Int> {
        guard count <= remaining else { throw error(.truncated, "\(count) bytes are more than what is left") }
        defer { position += count }
        return position..<position + count
    }

    /// Reads a length, and returns the range of as many bytes.
    package mutating func section() throws(CodecError) -> Range<Int> { try take(count()) }

    package mutating func text() throws(CodecError) -> SyncString {
        let range = try section()
        return try bytes.text(range)
    }
}

extension UnsafeRawBufferPointer {
    func text(_ range: Range<Int>) throws(CodecError) -> SyncString {
        guard let text = String(exactUTF8: UnsafeRawBufferPointer(rebasing: self[range])) else {
            throw CodecError(.invalidUTF8, "A text isn't UTF-8", offset: range.lowerBound)
        }
        return SyncString(text)
    }
}

extension String {
    /// Returns `nil` if the bytes aren't UTF-8.
    init?(exactUTF8 bytes: UnsafeRawBufferPointer) {
        var highBits: UInt8 = 0
        for byte in bytes { highBits |= byte }
        self.init(decoding: bytes, as: UTF8.self)
        // Decoding replaces invalid bytes, so that the result differs.
        if highBits >= 0x80 { guard utf8.elementsEqual(bytes) else { return nil } }
    }
}
