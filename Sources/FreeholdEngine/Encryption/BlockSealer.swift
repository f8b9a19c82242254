/// Seals the blocks of one write transaction.
///
/// On the writer thread only.
final class BlockSealer {
    private let salt = TransactionSalt()
    private let key: SecretKey
    private var sealed: UInt32 = 0
    private let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: BlockLimits.maximumSize + SealedBlock.overhead,
        alignment: 16
    )

    init(_ cipher: FileCipher) { key = cipher.makeKey(salt) }

    deinit { scratch.deallocate() }

    /// Returns the sealed block, until the next call.
    func seal(_ plain: UnsafeRawBufferPointer, at address: BlockAddress) -> UnsafeRawBufferPointer {
        precondition(sealed < .max, "a transaction of more than 2³² blocks")
        let identity = BlockIdentity(salt, number: sealed)
        sealed += 1
        let size = plain.count + SealedBlock.overhead
        // A size that no block has, where a caller keeps to the limits.
        precondition(size <= scratch.count, "a block over eight pages")
        let out = UnsafeMutableRawBufferPointer(rebasing: scratch[0..<size])
        identity.store(in: out)
        let nonce = UnsafeRawBufferPointer(rebasing: out[SealedBlock.nonceOffset..<SealedBlock.identitySize])
        let rest = UnsafeMutableRawBufferPointer(rebasing: out[SealedBlock.nonceOffset...])
        let isSealed = withUnsafeBytes(of: address.raw.littleEndian) {
            BlockCryptography.seal(plain, key, nonce: nonce, authenticating: $0, into: rest)
        }
        precondition(isSealed, "AES-GCM refuses a block")
        return UnsafeRawBufferPointer(out)
    }
}
