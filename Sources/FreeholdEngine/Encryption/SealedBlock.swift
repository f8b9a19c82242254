/// The stored form of an encrypted block.
///
/// | bytes | |
/// |---|---|
/// | 0 ..< 12 | drawn at random by the write transaction that sealed it; its key is derived from them |
/// | 12 ..< 16 | its number in that transaction |
/// | 16 ..< n − 16 | the ciphertext, as long as the block |
/// | n − 16 ..< n | the tag |
///
/// AES-GCM's nonce is bytes 4 ..< 16. Blocks with the same key differ in their number. No two transactions have the same key, whether they were
/// committed, aborted or killed, or made on two copies of the file.
enum SealedBlock {
    static let overhead = 32
    static let nonceOffset = 4
    static let identitySize = 16
}

/// The random bytes of a write transaction.
struct TransactionSalt: Hashable, Sendable {
    let low: UInt64
    let high: UInt32

    static let size = 12

    init() {
        var generator = SystemRandomNumberGenerator()
        low = generator.next()
        high = UInt32(truncatingIfNeeded: generator.next())
    }

    fileprivate init(low: UInt64, high: UInt32) {
        self.low = low
        self.high = high
    }
}

/// The first 16 bytes of a sealed block. No other block ever has the same bytes.
struct BlockIdentity: Hashable, Sendable {
    let low: UInt64
    let high: UInt64

    init(_ salt: TransactionSalt, number: UInt32) {
        low = salt.low
        high = UInt64(salt.high) | UInt64(number) << 32
    }

    /// Returns `nil` if there are too few bytes for a sealed block.
    init?(_ stored: UnsafeRawBufferPointer) {
        guard stored.count >= SealedBlock.overhead else { return nil }
        low = UInt64(littleEndian: stored.loadUnaligned(as: UInt64.self))
        high = UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    var salt: TransactionSalt { TransactionSalt(low: low, high: UInt32(truncatingIfNeeded: high)) }

    func store(in out: UnsafeMutableRawBufferPointer) {
        out.storeBytes(of: low.littleEndian, as: UInt64.self)
        out.storeBytes(of: high.littleEndian, toByteOffset: 8, as: UInt64.self)
    }
}
