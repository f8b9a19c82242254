#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// The encoding of values as bytes. The unsigned order of the bytes (by `memcmp`, with prefixes first) is the order of the values.
///
/// The encoding is a tag byte followed by the payload:
///
/// | Tag | Type | Payload |
/// |---|---|---|
/// | 08 | null | – |
/// | 10 | bool | 1 byte |
/// | 20 | number of a mixed column | 8 bytes: the nearest double, big-endian, bits flipped so that they order |
/// | 28 | int of an int column | 8 bytes, big-endian, sign bit flipped |
/// | 30 | string | UTF-8 |
/// | 40 | data | bytes |
/// | 50 | timestamp | 8 bytes of seconds like an int, 4 big-endian bytes of nanoseconds |
/// | 60 | objectId | 12 bytes |
/// | 70 | uuid | 16 bytes |
/// | 78 | link of a mixed column | 4 big-endian bytes of the table's id, object key like an int |
/// | 80 | link | object key like an int |
/// | 90, A0 | list, dictionary of a mixed column | – |
///
/// The tags 20…2F are reserved for numbers. An int column has a separate tag, because its values aren't compared with other number types. In a mixed
/// column, all numbers including integers have the tag 20, so that equal numbers of different types have equal bytes. Different numbers can have the
/// same nearest double, and lists and dictionaries don't have a payload. For these values, the row has to be checked (`needsCheck`).
///
/// A string or data value of more than 64 bytes is shortened to its first 64 bytes, followed by an 8-byte hash of the whole, big-endian. Shortened
/// values are ordered by their first 64 bytes and then by the hash. They follow a complete value of the same 64 bytes. Only shortened values are
/// longer than 65 bytes including the tag, so `needsCheck` tests the length. An entry with such bytes may belong to another value, and the row has to
/// be checked.
///
/// The format is stored in files. Tags, lengths and the hash never change.
enum OrderedEncoding {
    enum Tag {
        static let null: UInt8 = 0x08
        static let bool: UInt8 = 0x10
        static let number: UInt8 = 0x20
        static let int: UInt8 = 0x28
        static let string: UInt8 = 0x30
        static let data: UInt8 = 0x40
        static let timestamp: UInt8 = 0x50
        static let objectId: UInt8 = 0x60
        static let uuid: UInt8 = 0x70
        static let objectLink: UInt8 = 0x78
        static let link: UInt8 = 0x80
        static let list: UInt8 = 0x90
        static let dictionary: UInt8 = 0xA0
    }

    /// The number of bytes of a string that are stored.
    static let cutLength = 64
    /// The size of the tag, a shortened string and the hash.
    static let maximumLength = 1 + cutLength + 8

    /// Returns whether entries with these bytes may belong to other values, so that the row has to be checked.
    @inline(__always)
    static func needsCheck(_ encoded: UnsafeRawBufferPointer) -> Bool {
        encoded.count > 1 + cutLength || encoded[0] == Tag.number || encoded[0] >= Tag.list
    }

    // MARK: Writing. Each function returns the length. `out` has room for `maximumLength` bytes.

    static func null(_ out: UnsafeMutableRawPointer) -> Int {
        out.storeBytes(of: Tag.null, as: UInt8.self)
        return 1
    }

    static func bool(_ value: Bool, _ out: UnsafeMutableRawPointer) -> Int {
        out.storeBytes(of: Tag.bool, as: UInt8.self)
        out.storeBytes(of: value ? 1 : 0, toByteOffset: 1, as: UInt8.self)
        return 2
    }

    @inline(__always)
    static func int(_ value: Int64, _ out: UnsafeMutableRawPointer) -> Int {
        out.storeBytes(of: Tag.int, as: UInt8.self)
        out.storeBytes(of: orderedBits(value).bigEndian, toByteOffset: 1, as: UInt64.self)
        return 9
    }

    /// Returns the integer of an encoded integer, or the least integer for other values.
    static func decodedInt(_ encoded: UnsafeRawBufferPointer) -> Int64 {
        guard encoded.count == 9, encoded[0] == Tag.int else { return .min }
        let bits = UInt64(bigEndian: encoded.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
        return Int64(bitPattern: bits ^ (1 << 63))
    }

    static func link(_ key: Int64, _ out: UnsafeMutableRawPointer) -> Int {
        out.storeBytes(of: Tag.link, as: UInt8.self)
        out.storeBytes(of: orderedBits(key).bigEndian, toByteOffset: 1, as: UInt64.self)
        return 9
    }

    /// - Parameter nanoseconds: a number in 0 ..< 1,000,000,000.
    static func timestamp(seconds: Int64, nanoseconds: Int32, _ out: UnsafeMutableRawPointer) -> Int {
        out.storeBytes(of: Tag.timestamp, as: UInt8.self)
        out.storeBytes(of: orderedBits(seconds).bigEndian, toByteOffset: 1, as: UInt64.self)
        out.storeBytes(of: UInt32(bitPattern: nanoseconds).bigEndian, toByteOffset: 9, as: UInt32.self)
        return 13
    }

    static func string(_ utf8: UnsafeRawBufferPointer, _ out: UnsafeMutableRawPointer) -> Int {
        bytes(utf8, tag: Tag.string, out)
    }

    static func data(_ data: UnsafeRawBufferPointer, _ out: UnsafeMutableRawPointer) -> Int {
        bytes(data, tag: Tag.data, out)
    }

    /// - Parameter bytes: 12 bytes.
    static func objectId(_ bytes: UnsafeRawPointer, _ out: UnsafeMutableRawPointer) -> Int {
        out.storeBytes(of: Tag.objectId, as: UInt8.self)
        memcpy(out + 1, bytes, 12)
        return 13
    }

    /// - Parameter bytes: 16 bytes.
    static func uuid(_ bytes: UnsafeRawPointer, _ out: UnsafeMutableRawPointer) -> Int {
        out.storeBytes(of: Tag.uuid, as: UInt8.self)
        memcpy(out + 1, bytes, 16)
        return 17
    }

    private static func bytes(
        _ value: UnsafeRawBufferPointer,
        tag: UInt8,
        _ out: UnsafeMutableRawPointer
    ) -> Int {
        out.storeBytes(of: tag, as: UInt8.self)
        guard value.count > 0 else { return 1 }
        memcpy(out + 1, value.baseAddress!, min(value.count, cutLength))
        guard value.count > cutLength else { return 1 + value.count }
        out.storeBytes(of: hash(value).bigEndian, toByteOffset: 1 + cutLength, as: UInt64.self)
        return maximumLength
    }

    /// Returns the bits of a signed number, changed so that their unsigned order is the order of the numbers.
    @inline(__always)
    static func orderedBits(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ (1 << 63) }

    /// Returns the hash that replaces the rest of a shortened value. Each little-endian word of 8 bytes (the last one padded with zeros) is XORed
    /// into the hash, which is then multiplied and folded. The length is the seed.
    static func hash(_ value: UnsafeRawBufferPointer) -> UInt64 {
        var h = 0x9E37_79B9_7F4A_7C15 ^ UInt64(value.count)
        @inline(__always) func mix(_ word: UInt64) {
            h = (h ^ word) &* 0xD6E8_FEB8_6659_FD93
            h ^= h >> 32
        }
        var i = 0
        while i + 8 <= value.count {
            mix(UInt64(littleEndian: value.loadUnaligned(fromByteOffset: i, as: UInt64.self)))
            i += 8
        }
        if i < value.count {
            var word: UInt64 = 0
            var shift: UInt64 = 0
            while i < value.count {
                word |= UInt64(value[i]) << shift
                shift += 8
                i += 1
            }
            mix(word)
        }
        mix(0)
        return h
    }
}

extension OrderedEncoding {
    @inline(__always)
    static func with<R>(
        _ write: (UnsafeMutableRawPointer) -> Int,
        _ body: (UnsafeRawBufferPointer) throws -> R
    ) rethrows -> R {
        try withUnsafeTemporaryAllocation(byteCount: maximumLength, alignment: 8) { buffer in
            let count = write(buffer.baseAddress!)
            return try body(UnsafeRawBufferPointer(rebasing: buffer[0..<count]))
        }
    }

    @inline(__always)
    static func withInt<R>(_ value: Int64, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try with({ int(value, $0) }, body)
    }

    static func withString<R>(
        _ utf8: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws -> R
    ) rethrows -> R {
        try with({ string(utf8, $0) }, body)
    }

    /// Returns the least bytes above every value with this prefix, which are the exclusive upper bound of the prefix. Returns `nil` if all bytes are
    /// FF, which can't be a tag.
    static func successor(ofPrefix prefix: UnsafeRawBufferPointer) -> [UInt8]? {
        var bytes = Array(prefix)
        while let last = bytes.popLast() {
            if last < 0xFF {
                bytes.append(last + 1)
                return bytes
            }
        }
        return nil
    }

    /// Returns encoded bytes as the bound of a range. Shortened values with one prefix aren't in the order of the values, so the bound must include
    /// all of them. A lower bound loses its hash, an upper bound becomes the successor of the prefix, and the rows have to be checked.
    static func bound(_ encoded: UnsafeRawBufferPointer, upper: Bool, inclusive: Bool) -> (
        bytes: [UInt8], inclusive: Bool
    ) {
        guard encoded.count > 1 + cutLength else { return (Array(encoded), inclusive) }
        let prefix = UnsafeRawBufferPointer(rebasing: encoded[0..<(1 + cutLength)])
        if upper { return (successor(ofPrefix: prefix)!, false) }
        return (Array(prefix), true)
    }
}
