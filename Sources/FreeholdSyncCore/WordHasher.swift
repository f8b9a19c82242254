#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine

/// The hash function of tables that are searched for each object of each message: SipHash-1-3 over whole words.
///
/// The standard `Hasher` accepts pieces of any length and buffers incomplete words, which costs more than the hash of a
/// name. Types with this hash function implement `_rawHashValue(seed:)`, a requirement of `Hashable` that sets and
/// dictionaries call and that most types leave to the standard library. Clients choose the names, and must not be able
/// to choose names that collide. The key is therefore random for each process.
struct WordHasher {
    private var a: UInt64
    private var b: UInt64
    private var c: UInt64
    private var d: UInt64

    /// A key that is as random as the hashes of the standard library.
    private static let key: (UInt64, UInt64) = {
        func word(_ number: Int) -> UInt64 {
            var hasher = Hasher()
            hasher.combine(number)
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
        return (word(1), word(2))
    }()

    /// - Parameter seed: The seed of a table.
    init(seed: Int) {
        let (first, second) = Self.key
        let low = first ^ UInt64(bitPattern: Int64(seed))
        (a, b) = (low ^ 0x736F_6D65_7073_6575, second ^ 0x646F_7261_6E64_6F6D)
        (c, d) = (low ^ 0x6C79_6765_6E65_7261, second ^ 0x7465_6462_7974_6573)
    }

    @inline(__always)
    private mutating func round() {
        a &+= b
        b = (b << 13 | b >> 51) ^ a
        a = a << 32 | a >> 32
        c &+= d
        d = (d << 16 | d >> 48) ^ c
        a &+= d
        d = (d << 21 | d >> 43) ^ a
        c &+= b
        b = (b << 17 | b >> 47) ^ c
        c = c << 32 | c >> 32
    }

    @inline(__always)
    mutating func combine(_ word: UInt64) {
        d ^= word
        round()
        a ^= word
    }

    mutating func combine(_ text: SyncString) {
        let isDone: Void? = text.string.utf8.withContiguousStorageIfAvailable { combine($0) }
        if isDone == nil { Array(text.string.utf8).withUnsafeBufferPointer { combine($0) } }
    }

    /// The last word has the length in its highest byte, so that no text is the beginning of another one.
    private mutating func combine(_ bytes: UnsafeBufferPointer<UInt8>) {
        let raw = UnsafeRawBufferPointer(bytes)
        var offset = 0
        while offset + 8 <= raw.count {
            combine(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        var last = UInt64(truncatingIfNeeded: raw.count) << 56
        var shift: UInt64 = 0
        while offset < raw.count {
            last |= UInt64(raw[offset]) << shift
            shift += 8
            offset += 1
        }
        combine(last)
    }

    mutating func combine(_ key: PrimaryKey) {
        switch key {
        case .int(let value): combine(UInt64(bitPattern: value))
        case .string(let value): combine(value)
        case .objectId(let value):
            value.withUnsafeBytes { bytes in
                combine(bytes.loadUnaligned(as: UInt64.self))
                combine(UInt64(bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
            }
        case .uuid(let value):
            withUnsafeBytes(of: value.uuid) { bytes in
                combine(bytes.loadUnaligned(as: UInt64.self))
                combine(bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
        case .null: break
        }
    }

    mutating func finished() -> Int {
        c ^= 0xFF
        round()
        round()
        round()
        return Int(truncatingIfNeeded: a ^ b ^ c ^ d)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns whether the bytes are equal. It compares whole words, because most bytes are those of names.
    func isSame(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        let (a, b) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var offset = 0
        while offset + 8 <= a.count {
            let word = a.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard word == b.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
            offset += 8
        }
        while offset < a.count {
            guard a[offset] == b[offset] else { return false }
            offset += 1
        }
        return true
    }
}
