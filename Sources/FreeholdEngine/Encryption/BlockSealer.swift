/// A sealer of the blocks of one write transaction.
///
/// It is used only on the writer thread.
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

    /// Returns the sealed block, which is valid until the next call.
    func seal(_ plain: UnsafeRawBufferPointer, at address: BlockAddress) -> UnsafeRawBufferPointer {
        precondition(sealed < .max, "a transaction of more than 2³² blocks")
        let identity = BlockIdentity(salt, number: sealed)
        sealed += 1
        let size = plain.count + SealedBlock.overhead
        // Callers keep to the limits, so no block has this size.
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
