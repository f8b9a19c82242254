/// Seals the blocks of one write transaction, and keeps account of what the file then holds.
///
/// On the writer thread only.
final class BlockSealer {
    private let cipher: FileCipher
    private let salt = TransactionSalt()
    private let key: SecretKey
    private var sealed: UInt32 = 0
    private let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: BlockLimits.maximumSize + SealedBlock.overhead,
        alignment: 16
    )
    private(set) var digest: FileDigest

    /// - Parameter digest: of what the file held before.
    init(_ cipher: FileCipher, _ digest: FileDigest) {
        self.cipher = cipher
        self.digest = digest
        key = cipher.makeKey(salt)
    }

    deinit { scratch.deallocate() }

    /// The sealed block, until the next call.
    ///
    /// - Parameter replaced: what is stored there.
    func seal(
        _ plain: UnsafeRawBufferPointer,
        at address: BlockAddress,
        replacing replaced: UnsafeRawBufferPointer?
    ) -> UnsafeRawBufferPointer {
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
        if FileDigest.covers(address) {
            didRemove(replaced, at: address)
            digest.add(cipher.stamp(identity, at: address))
        }
        return UnsafeRawBufferPointer(out)
    }

    func didRemove(_ stored: UnsafeRawBufferPointer?, at address: BlockAddress) {
        guard FileDigest.covers(address), let stored, let identity = BlockIdentity(stored) else { return }
        digest.subtract(cipher.stamp(identity, at: address))
    }
}
