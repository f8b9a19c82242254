/// A digest of a file's content in 48 bytes: the version, the number of blocks, and the sum of their stamps.
///
/// A block of an older version that replaces a newer one is valid in itself, but its stamp isn't part of the sum. Each transaction updates the sum by
/// adding and subtracting the stamps of the blocks that it writes. `verify` and copies, which read all blocks, compare it.
///
/// For an encrypted file, the version is compared whenever the file is opened, so the digest itself can't be an older one. Stamps can't be calculated
/// without the key, so an attacker can't find other blocks with the same sum.
///
/// The digest doesn't include the header, which has its own code, and the history, whose records are never rewritten.
struct FileDigest: Equatable, Sendable {
    /// The address is after that of the newest record of the history, which every commit writes.
    static let address = BlockAddress(segment: Catalogue.historySegment, number: BlockAddress.maximumNumber)

    static func covers(_ address: BlockAddress) -> Bool {
        address.segment != Catalogue.historySegment && address != DatabaseHeader.address
    }

    var version: UInt64 = 0
    private(set) var count: UInt64 = 0
    private(set) var sum = SIMD4<UInt64>()

    /// - Parameter stamp: the stamp, or `nil` for a missing block.
    mutating func add(_ stamp: SIMD4<UInt64>?) {
        guard let stamp else { return }
        sum &+= stamp
        count &+= 1
    }

    mutating func subtract(_ stamp: SIMD4<UInt64>?) {
        guard let stamp else { return }
        sum &-= stamp
        count &-= 1
    }

    func encoded() -> [UInt8] {
        var w = ByteWriter()
        w.fixed(version)
        w.fixed(count)
        for i in 0..<4 { w.fixed(sum[i]) }
        return w.bytes
    }

    init() {}

    init?(_ bytes: [UInt8]) {
        guard bytes.count == 48 else { return nil }
        let words = bytes.withUnsafeBytes { raw in
            (0..<6).map { UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) }
        }
        version = words[0]
        count = words[1]
        sum = SIMD4(words[2], words[3], words[4], words[5])
    }

    /// Returns the digest of a version.
    ///
    /// - Parameter stored: the digest in its stored form.
    /// - Returns: the digest, or `nil` if the file doesn't have one, or if the digest of a plain file isn't that of the version.
    /// - Throws: `.invalidDatabase` if the digest of an encrypted file isn't that of the version. If an older digest was accepted, restored older
    ///   blocks wouldn't be detected.
    static func find(
        _ stored: UnsafeRawBufferPointer?,
        version: UInt64,
        _ envelope: BlockEnvelope,
        path: String
    ) throws(EngineError) -> FileDigest? {
        if let digest = FileDigest(stored, envelope), digest.version == version { return digest }
        if envelope.cipher != nil { throw envelope.damage(address, path: path) }
        return nil
    }

    /// The message if the sums differ.
    static let mismatch =
        "Blocks are missing, or of another version than the rest: the file was changed by something else."

    /// - Parameter stored: the digest in its stored form.
    init?(_ stored: UnsafeRawBufferPointer?, _ envelope: BlockEnvelope) {
        guard envelope.hasDigest, let stored, let bytes = envelope.bytes(stored, at: Self.address) else { return nil }
        self.init(bytes)
    }
}

// MARK: Plain files

extension BlockEnvelope {
    /// A Boolean value that indicates whether the file has a `FileDigest`.
    var hasDigest: Bool {
        if case .bare = self { return false }
        return true
    }

    /// Returns the stamp of a stored block, or `nil` if the block is too short.
    func stamp(_ stored: UnsafeRawBufferPointer, at address: BlockAddress) -> SIMD4<UInt64>? {
        switch self {
        case .bare: nil
        case .checksum:
            Self.checksum(of: stored).map { SIMD4(PlainStamp.stamp($0, at: address), 0, 0, 0) }
        case .sealed(let cipher): BlockIdentity(stored).map { cipher.stamp($0, at: address) }
        }
    }
}

/// The stamps of a plain file's blocks. A stamp is calculated from the address and the checksum, and can be inverted. If one block belongs to another
/// version, the difference of the sums therefore identifies it.
enum PlainStamp {
    static func stamp(_ checksum: UInt32, at address: BlockAddress) -> UInt64 {
        mix(base(address) &+ UInt64(checksum))
    }

    /// Returns the checksum of the block at this address with this stamp, or `nil` if no checksum has this stamp.
    static func checksum(_ stamp: UInt64, at address: BlockAddress) -> UInt32? {
        UInt32(exactly: unmix(stamp) &- base(address))
    }

    private static func base(_ address: BlockAddress) -> UInt64 { mix(address.raw &+ 0x9E37_79B9_7F4A_7C15) }

    private static let factor: UInt64 = 0xD6E8_FEB8_6659_FD93
    /// The multiplicative inverse of `factor`.
    private static let inverse: UInt64 = {
        var result = factor
        for _ in 0..<5 { result &*= 2 &- factor &* result }
        return result
    }()

    /// Mixes the bits of a number. The function is a bijection.
    private static func mix(_ value: UInt64) -> UInt64 {
        var x = value
        x ^= x >> 32
        x &*= factor
        x ^= x >> 32
        x &*= factor
        return x ^ x >> 32
    }

    private static func unmix(_ value: UInt64) -> UInt64 {
        var x = value
        x ^= x >> 32
        x &*= inverse
        x ^= x >> 32
        x &*= inverse
        return x ^ x >> 32
    }
}

extension FileDigest {
    /// Returns whether the blocks are those of the other digest, except one block that belongs to another version or is additional.
    ///
    /// - Parameter stamp: the stamp of the block in its present state, in a plain file.
    func differs(from expected: FileDigest, by stamp: SIMD4<UInt64>, at address: BlockAddress) -> Bool {
        let rest = sum &- stamp
        if count == expected.count &+ 1 { return rest == expected.sum }
        guard count == expected.count else { return false }
        return PlainStamp.checksum((expected.sum &- rest)[0], at: address) != nil
    }
}
