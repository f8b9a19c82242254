#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// Values as bytes whose unsigned order (`memcmp`, a prefix before what it begins) is the order of the values.
///
/// A tag byte, then the payload:
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
/// The tags 20…2F belong to numbers. A column of one numeric type needs no order against the others, so an int has a
/// tag of its own; a column of mixed values gives all its numbers, ints too, the one tag 20, so that equal ones find
/// each other. Different numbers can have one nearest double, and lists and dictionaries have no payload: of those, too,
/// the row decides (`needsCheck`).
///
/// A string or data value of more than 64 bytes is cut: its first 64 bytes, then an 8-byte hash of the whole,
/// big-endian. Cut values order by their first 64 bytes, behind a whole value of just these, and among each other by
/// hash. Only they are longer than 65 bytes with the tag, so the length is the flag that `needsCheck` reads: an entry
/// found under such bytes may belong to another value, and the row decides.
///
/// The format is stored in files: tags, lengths and the hash never change.
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

    /// Bytes of a string that are kept.
    static let cutLength = 64
    /// Tag, cut string, hash.
    static let maximumLength = 1 + cutLength + 8

    /// Returns whether entries found under these bytes may belong to other values: look at the row.
    @inline(__always)
    static func needsCheck(_ encoded: UnsafeRawBufferPointer) -> Bool {
        encoded.count > 1 + cutLength || encoded[0] == Tag.number || encoded[0] >= Tag.list
    }

    // MARK: Writing. Each returns the length; `out` has room for `maximumLength` bytes.

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

    /// Returns the integer of an encoded one; the least integer for other values.
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

    /// - Parameter nanoseconds: 0 ..< 1,000,000,000.
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

    /// - Parameter bytes: 12 of them.
    static func objectId(_ bytes: UnsafeRawPointer, _ out: UnsafeMutableRawPointer) -> Int {
        out.storeBytes(of: Tag.objectId, as: UInt8.self)
        memcpy(out + 1, bytes, 12)
        return 13
    }

    /// - Parameter bytes: 16 of them.
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

    /// Returns the bits of a signed number whose unsigned order is the number's.
    @inline(__always)
    static func orderedBits(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ (1 << 63) }

    /// Returns the hash that stands for the rest of a cut value. Each little-endian word of 8 bytes (the last filled up with zeros) is XORed in, then
    /// multiplied and folded; the length is the seed.
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

    /// Returns the least bytes above every value that begins with these: the exclusive upper bound of a prefix. Nil where the bytes are all FF (no
    /// tag is).
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

    /// Encoded bytes as the bound of a range. Cut values of one prefix are not in the order of the values, so the bound
    /// takes in all of them: a lower bound loses its hash, an upper bound becomes the successor of the prefix, and the
    /// rows found need checking.
    static func bound(_ encoded: UnsafeRawBufferPointer, upper: Bool, inclusive: Bool) -> (
        bytes: [UInt8], inclusive: Bool
    ) {
        guard encoded.count > 1 + cutLength else { return (Array(encoded), inclusive) }
        let prefix = UnsafeRawBufferPointer(rebasing: encoded[0..<(1 + cutLength)])
        if upper { return (successor(ofPrefix: prefix)!, false) }
        return (Array(prefix), true)
    }
}
