internal import Synchronization

/// A cipher that seals and opens the blocks of one encrypted file. Any thread may use it.
///
/// HKDF-SHA-256 derives several keys from the user's 64 bytes and the file's random id: a key that authenticates the header, a key that stamps blocks
/// for the `FileDigest`, and a key for each write transaction, which seals its blocks.
final class FileCipher: Sendable {
    /// The key of the user.
    let key: EncryptionKey
    private let root: SecretKey
    private let headerKey: SecretKey
    private let stampKey: SecretKey
    /// The keys of transactions whose blocks were read recently.
    private let transactionKeys = Mutex<[TransactionSalt: SecretKey]>([:])
    private static let keysKept = 4096

    init(_ key: EncryptionKey, fileID: [UInt8]) {
        self.key = key
        root = BlockCryptography.extract(key, salt: fileID)
        headerKey = BlockCryptography.expand(root, Self.purpose("header"))
        stampKey = BlockCryptography.expand(root, Self.purpose("stamps"))
    }

    private static func purpose(_ name: String) -> [UInt8] { Array("Freehold 4 \(name)".utf8) }

    // MARK: The header

    func headerCode(_ header: [UInt8]) -> [UInt8] {
        header.withUnsafeBytes { BlockCryptography.code(of: $0, headerKey) }
    }

    func isHeaderCode(_ code: [UInt8], of header: [UInt8]) -> Bool {
        header.withUnsafeBytes { BlockCryptography.isValid(code, of: $0, headerKey) }
    }

    // MARK: Blocks

    func makeKey(_ salt: TransactionSalt) -> SecretKey {
        var purpose = Self.purpose("blocks ")
        withUnsafeBytes(of: salt.low.littleEndian) { purpose += $0 }
        withUnsafeBytes(of: salt.high.littleEndian) { purpose += $0 }
        return BlockCryptography.expand(root, purpose)
    }

    private func knownKey(_ salt: TransactionSalt) -> SecretKey {
        if let known = transactionKeys.withLock({ $0[salt] }) { return known }
        let made = makeKey(salt)
        transactionKeys.withLock { keys in
            if keys.count >= Self.keysKept { keys.removeAll(keepingCapacity: true) }
            keys[salt] = made
        }
        return made
    }

    /// Returns the size in bytes of a stored block after opening, or `nil` if the block is too short.
    static func plainSize(_ stored: UnsafeRawBufferPointer) -> Int? {
        stored.count >= SealedBlock.overhead ? stored.count - SealedBlock.overhead : nil
    }

    /// Opens the block that is stored at an address.
    ///
    /// - Parameter out: memory whose size is that of `plainSize`.
    /// - Returns: false if the block wasn't sealed with this file's key, or was sealed for another address.
    func open(
        _ stored: UnsafeRawBufferPointer,
        at address: BlockAddress,
        into out: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let identity = BlockIdentity(stored) else { return false }
        let sealed = UnsafeRawBufferPointer(rebasing: stored[SealedBlock.nonceOffset...])
        return withUnsafeBytes(of: address.raw.littleEndian) {
            BlockCryptography.open(sealed, knownKey(identity.salt), authenticating: $0, into: out)
        }
    }

    /// Returns the block's own bytes, or `nil` if `open` fails.
    func bytes(_ stored: UnsafeRawBufferPointer, at address: BlockAddress) -> [UInt8]? {
        guard let size = Self.plainSize(stored) else { return nil }
        var isOpen = false
        let bytes = [UInt8](unsafeUninitializedCapacity: max(size, 1)) { buffer, count in
            let out = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: size)
            isOpen = open(stored, at: address, into: out)
            count = isOpen ? size : 0
        }
        return isOpen ? bytes : nil
    }

    /// Returns a number of 256 bits for a block of this identity at this address. It can't be calculated without the key.
    func stamp(_ identity: BlockIdentity, at address: BlockAddress) -> SIMD4<UInt64> {
        let words = (address.raw.littleEndian, identity.low.littleEndian, identity.high.littleEndian)
        let code = withUnsafeBytes(of: words) { BlockCryptography.code(of: $0, stampKey) }
        return code.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }

    static func damage(_ address: BlockAddress, of owner: String? = nil, path: String) -> EngineError {
        let owner = owner.map { " (\($0))" } ?? ""
        return EngineError(
            .invalidDatabase,
            "Block \(address.number) of segment \(address.segment)\(owner) isn't what was written there with this key: "
                + "the file is damaged or was tampered with.",
            path: path
        )
    }
}
