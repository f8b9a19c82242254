internal import CFreeholdShims

/// What a file's blocks are wrapped in where they are stored: `StorageWriter.put` wraps, whoever reads a stored block
/// opens it first. The header's block alone always lies bare, since it says what the others are wrapped in.
enum BlockEnvelope: Sendable {
    /// Of format 4, and in memory: a block is stored as it is.
    case bare
    /// Behind the block lie four bytes, the CRC-32C of its address and its bytes: so a flipped bit is noticed, and a block
    /// that lies in another's place.
    case checksum
    /// Encrypted and authenticated; see `SealedBlock`.
    case sealed(FileCipher)

    static let checksumSize = 4

    /// Of an encrypted file.
    var cipher: FileCipher? {
        if case .sealed(let cipher) = self { return cipher }
        return nil
    }

    /// A Boolean value that indicates whether a block can be read where it is stored.
    var opensInPlace: Bool { cipher == nil }

    /// A Boolean value that indicates whether a block that isn't found counts as never stored only after a look at what lies around
    /// its place. For that, a stored block has to show that it belongs to its address, as one with a checksum and a sealed one do.
    var vouchesForGaps: Bool {
        if case .bare = self { return false }
        return true
    }

    /// Returns whether what is stored at an address is what was stored there. The header has means of its own.
    func isSound(_ stored: UnsafeRawBufferPointer, at address: BlockAddress) -> Bool {
        if address == DatabaseHeader.address { return DatabaseHeader.isSound(stored, cipher) }
        if case .sealed(let cipher) = self { return cipher.bytes(stored, at: address) != nil }
        return opened(stored, at: address) != nil
    }

    private func form(at address: BlockAddress) -> BlockEnvelope { address == DatabaseHeader.address ? .bare : self }

    // MARK: Opening

    /// How many bytes a stored block has when it is opened, or `nil` if it can't be one.
    func plainSize(_ stored: UnsafeRawBufferPointer, at address: BlockAddress) -> Int? {
        switch form(at: address) {
        case .bare: stored.count
        case .checksum: stored.count >= Self.checksumSize ? stored.count - Self.checksumSize : nil
        case .sealed: FileCipher.plainSize(stored)
        }
    }

    /// Returns the block, where it lies, of an envelope that opens in place, or `nil` if it isn't what was stored there.
    /// - Complexity: O(bytes), in about the time that it takes to read them.
    func opened(_ stored: UnsafeRawBufferPointer, at address: BlockAddress) -> UnsafeRawBufferPointer? {
        switch form(at: address) {
        case .bare: return stored
        case .checksum:
            guard let expected = Self.checksum(of: stored) else { return nil }
            let size = stored.count - Self.checksumSize
            guard fh_block_checksum(address.raw, stored.baseAddress, size) == expected else { return nil }
            return UnsafeRawBufferPointer(rebasing: stored[..<size])
        case .sealed: return nil
        }
    }

    /// What a block of a file with checksums says that its own is.
    static func checksum(of stored: UnsafeRawBufferPointer) -> UInt32? {
        guard stored.count >= checksumSize else { return nil }
        let size = stored.count - checksumSize
        return UInt32(littleEndian: stored.loadUnaligned(fromByteOffset: size, as: UInt32.self))
    }

    /// Opens a block into memory of the size that `plainSize` says.
    ///
    /// - Returns: false where it isn't what was stored there.
    func open(
        _ stored: UnsafeRawBufferPointer,
        at address: BlockAddress,
        into out: UnsafeMutableRawBufferPointer
    ) -> Bool {
        if case .sealed(let cipher) = form(at: address) { return cipher.open(stored, at: address, into: out) }
        guard let block = opened(stored, at: address) else { return false }
        out.copyMemory(from: block)
        return true
    }

    /// Returns a copy of the block, or `nil` if it isn't what was stored there.
    func bytes(_ stored: UnsafeRawBufferPointer, at address: BlockAddress) -> [UInt8]? {
        if case .sealed(let cipher) = form(at: address) { return cipher.bytes(stored, at: address) }
        return opened(stored, at: address).map(Array.init)
    }

    /// Calls `body` with the block, or `nil` if it isn't what was stored there.
    func withBlock<R>(
        _ stored: UnsafeRawBufferPointer,
        at address: BlockAddress,
        _ body: (UnsafeRawBufferPointer) throws(EngineError) -> R
    ) throws(EngineError) -> R? {
        if case .sealed(let cipher) = form(at: address) {
            guard let bytes = cipher.bytes(stored, at: address) else { return nil }
            return try withUnsafeBytesOf(bytes, body)
        }
        guard let block = opened(stored, at: address) else { return nil }
        return try body(block)
    }

    // MARK: Wrapping

    /// Of an envelope that opens in place.
    func storedSize(_ count: Int, at address: BlockAddress) -> Int {
        if case .checksum = form(at: address) { return count + Self.checksumSize }
        return count
    }

    /// Writes the block into memory of the size that `storedSize` says.
    func wrap(_ bytes: UnsafeRawBufferPointer, at address: BlockAddress, into out: UnsafeMutableRawBufferPointer) {
        out.copyMemory(from: bytes)
        guard case .checksum = form(at: address) else { return }
        let checksum = fh_block_checksum(address.raw, bytes.baseAddress, bytes.count)
        out.storeBytes(of: checksum.littleEndian, toByteOffset: bytes.count, as: UInt32.self)
    }

    // MARK: Damage

    /// What is said where a block isn't what was stored there.
    ///
    /// - Parameter owner: whose it is, if that is known.
    func damage(_ address: BlockAddress, of owner: String? = nil, path: String) -> EngineError {
        if cipher != nil { return FileCipher.damage(address, of: owner, path: path) }
        return Damage.error("\(address.described(owner)) isn't what was stored there", path: path)
    }
}

extension BlockAddress {
    /// For messages.
    ///
    /// - Parameter owner: whose block it is, if that is known.
    func described(_ owner: String?) -> String {
        "block \(number) of segment \(segment)" + (owner.map { " (\($0))" } ?? "")
    }
}

extension DatabaseSchema {
    /// Whose a block is, and which objects' where it holds values of some, or `nil` if nobody's.
    func name(of address: BlockAddress, clusterSpan: Int) -> String? {
        guard case .column(_, _, .leaf)? = owner(of: address.segment), address.number < 1 << 40 else {
            return name(of: address.segment)
        }
        let first = Int64(address.number) * Int64(clusterSpan)
        return name(of: address.segment).map { "\($0) of the objects \(first) to \(first + Int64(clusterSpan) - 1)" }
    }

    /// Whose a segment's blocks are, or `nil` if nobody's.
    func name(of segment: UInt32) -> String? {
        switch segment {
        case Catalogue.segment: return "the schema"
        case Catalogue.historySegment: return "the history"
        case Catalogue.journalStateSegment, Catalogue.journalSegment: return "the journal"
        default: break
        }
        switch owner(of: segment) {
        case .table(let table, let offset)?: return "'\(table.name)', \(offset)"
        case .column(let table, let column, let kind)?: return "'\(table.name).\(column.name)', \(kind)"
        case nil: return nil
        }
    }
}
