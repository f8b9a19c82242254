/// What an encrypted file holds, in 48 bytes: the version, how many blocks, and the sum of their stamps.
///
/// A block of an older version that somebody puts back in its place is sealed rightly, but its stamp isn't in the sum. The
/// sum is kept by adding and subtracting what a transaction writes, and is compared by `verify` and copies, which see all
/// blocks. The version is compared by each opening: the digest itself can't be an older one. Whoever hasn't the key knows
/// no stamp, so that he can find no other blocks with the same sum.
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

    mutating func add(_ stamp: SIMD4<UInt64>) {
        sum &+= stamp
        count &+= 1
    }

    mutating func subtract(_ stamp: SIMD4<UInt64>) {
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

    /// - Throws: `.invalidDatabase` where the digest isn't that of the reader's version: an older one, put back in its
    ///   place, would vouch for older blocks.
    @discardableResult
    static func check(_ reader: StorageReader, _ cipher: FileCipher) throws(EngineError) -> FileDigest {
        guard let digest = FileDigest(reader.get(address), cipher), digest.version == reader.version else {
            throw FileCipher.damage(address, path: reader.environment.path)
        }
        return digest
    }

    /// What is said where the sums differ.
    static let mismatch = "Blocks are missing, or of another version than the rest: the file was tampered with."

    /// - Parameter stored: as it lies in the file.
    init?(_ stored: UnsafeRawBufferPointer?, _ cipher: FileCipher) {
        guard let stored, let bytes = cipher.bytes(stored, at: Self.address) else { return nil }
        self.init(bytes)
    }
}
