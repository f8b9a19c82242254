/// What a file holds, in 48 bytes: the version, how many blocks, and the sum of their stamps.
///
/// A block of an older version that comes back in its place is whole, but its stamp isn't in the sum. The sum is kept by adding
/// and subtracting what a transaction writes, and is compared by `verify` and copies, which see all blocks.
///
/// Of an encrypted file, the version is compared by each opening: the digest itself can't be an older one. Whoever hasn't the
/// key knows no stamp, so that he can find no other blocks with the same sum.
///
/// The header isn't in it, which has a code of its own, nor the history, whose records are never rewritten.
struct FileDigest: Equatable, Sendable {
    /// Behind the newest record of the history, which is written by every commit.
    static let address = BlockAddress(segment: Catalogue.historySegment, number: BlockAddress.maximumNumber)

    static func covers(_ address: BlockAddress) -> Bool {
        address.segment != Catalogue.historySegment && address != DatabaseHeader.address
    }

    var version: UInt64 = 0
    private(set) var count: UInt64 = 0
    private(set) var sum = SIMD4<UInt64>()

    /// - Parameter stamp: nil of a block that isn't there.
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
    /// - Parameter stored: as it lies in the file.
    /// - Returns: nil where the file has none, or of a plain one that counts no longer.
    /// - Throws: `.invalidDatabase` where an encrypted file's isn't that of the version: an older one, put back in its place,
    ///   would vouch for older blocks.
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

    /// What is said where the sums differ.
    static let mismatch =
        "Blocks are missing, or of another version than the rest: the file was changed by something else."

    /// - Parameter stored: as it lies in the file.
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

    /// What the digest counts a stored block as, or `nil` if it can't be one.
    func stamp(_ stored: UnsafeRawBufferPointer, at address: BlockAddress) -> SIMD4<UInt64>? {
        switch self {
        case .bare: nil
        case .checksum:
            Self.checksum(of: stored).map { SIMD4(PlainStamp.stamp($0, at: address), 0, 0, 0) }
        case .sealed(let cipher): BlockIdentity(stored).map { cipher.stamp($0, at: address) }
        }
    }
}

/// The stamps of a plain file's blocks: of the address and the checksum, which a stamp gives back, so that one block that is
/// of another version than the rest is found by what the sum lacks.
enum PlainStamp {
    static func stamp(_ checksum: UInt32, at address: BlockAddress) -> UInt64 {
        mix(base(address) &+ UInt64(checksum))
    }

    /// Returns the checksum that a block of this address has if this is its stamp, or `nil` if none has it.
    static func checksum(_ stamp: UInt64, at address: BlockAddress) -> UInt32? {
        UInt32(exactly: unmix(stamp) &- base(address))
    }

    private static func base(_ address: BlockAddress) -> UInt64 { mix(address.raw &+ 0x9E37_79B9_7F4A_7C15) }

    private static let factor: UInt64 = 0xD6E8_FEB8_6659_FD93
    /// `factor` times this is 1.
    private static let inverse: UInt64 = {
        var result = factor
        for _ in 0..<5 { result &*= 2 &- factor &* result }
        return result
    }()

    /// Gives no value twice.
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
    /// Returns whether these are the blocks that the other counts, but for one, which is of another version or too many.
    ///
    /// - Parameter stamp: of the block, a plain file's, as it is.
    func differs(from expected: FileDigest, by stamp: SIMD4<UInt64>, at address: BlockAddress) -> Bool {
        let rest = sum &- stamp
        if count == expected.count &+ 1 { return rest == expected.sum }
        guard count == expected.count else { return false }
        return PlainStamp.checksum((expected.sum &- rest)[0], at: address) != nil
    }
}
