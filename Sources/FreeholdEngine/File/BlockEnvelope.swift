internal import CFreeholdShims

/// The form in which a file's blocks are stored. `StorageWriter.put` wraps blocks, and readers of stored blocks open them first. Only the header's
/// block is always stored bare, because it states the envelope of the other blocks.
enum BlockEnvelope: Sendable {
    /// The block is stored unchanged, in format 4 and in memory.
    case bare
    /// The block is followed by four bytes, the CRC-32C of its address and its bytes. It detects flipped bits and blocks that are stored at the wrong
    /// address.
    case checksum
    /// The block is encrypted and authenticated; see `SealedBlock`.
    case sealed(FileCipher)

    static let checksumSize = 4

    /// The cipher, for an encrypted file.
    var cipher: FileCipher? {
        if case .sealed(let cipher) = self { return cipher }
        return nil
    }

    /// A Boolean value that indicates whether a block can be read where it is stored.
    var opensInPlace: Bool { cipher == nil }

    /// A Boolean value that indicates whether a reader must check the neighbours of a missing block before it treats the block as never stored. This
    /// requires that a stored block shows that it belongs to its address. Blocks with a checksum and sealed blocks do.
    var vouchesForGaps: Bool {
        if case .bare = self { return false }
        return true
    }

    /// Returns whether a block is unchanged since it was stored at the address. The header has its own check.
    func isSound(_ stored: UnsafeRawBufferPointer, at address: BlockAddress) -> Bool {
        if address == DatabaseHeader.address { return DatabaseHeader.isSound(stored, cipher) }
        if case .sealed(let cipher) = self { return cipher.bytes(stored, at: address) != nil }
        return opened(stored, at: address) != nil
    }

    private func form(at address: BlockAddress) -> BlockEnvelope { address == DatabaseHeader.address ? .bare : self }

    // MARK: Opening

    /// Returns the size in bytes of a stored block after opening, or `nil` if the block is too short.
    func plainSize(_ stored: UnsafeRawBufferPointer, at address: BlockAddress) -> Int? {
        switch form(at: address) {
        case .bare: stored.count
        case .checksum: stored.count >= Self.checksumSize ? stored.count - Self.checksumSize : nil
        case .sealed: FileCipher.plainSize(stored)
        }
    }

    /// Returns the stored block without its envelope, for an envelope that opens in place, or `nil` if the block was changed.
    /// - Complexity: O(bytes), about as fast as reading them.
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

    /// Returns the checksum that a stored block of a file with checksums contains.
    static func checksum(of stored: UnsafeRawBufferPointer) -> UInt32? {
        guard stored.count >= checksumSize else { return nil }
        let size = stored.count - checksumSize
        return UInt32(littleEndian: stored.loadUnaligned(fromByteOffset: size, as: UInt32.self))
    }

    /// Opens a block into memory whose size is that of `plainSize`.
    ///
    /// - Returns: false if the block was changed.
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

    /// Returns a copy of the block, or `nil` if the block was changed.
    func bytes(_ stored: UnsafeRawBufferPointer, at address: BlockAddress) -> [UInt8]? {
        if case .sealed(let cipher) = form(at: address) { return cipher.bytes(stored, at: address) }
        return opened(stored, at: address).map(Array.init)
    }

    /// Calls `body` with the block. Returns `nil` if the block was changed.
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

    /// Returns the stored size of a block, for an envelope that opens in place.
    func storedSize(_ count: Int, at address: BlockAddress) -> Int {
        if case .checksum = form(at: address) { return count + Self.checksumSize }
        return count
    }

    /// Writes the block into memory whose size is that of `storedSize`.
    func wrap(_ bytes: UnsafeRawBufferPointer, at address: BlockAddress, into out: UnsafeMutableRawBufferPointer) {
        out.copyMemory(from: bytes)
        guard case .checksum = form(at: address) else { return }
        let checksum = fh_block_checksum(address.raw, bytes.baseAddress, bytes.count)
        out.storeBytes(of: checksum.littleEndian, toByteOffset: bytes.count, as: UInt32.self)
    }

    // MARK: Damage

    /// Returns the error for a block that was changed.
    ///
    /// - Parameter owner: a description of the block's owner, if it is known.
    func damage(_ address: BlockAddress, of owner: String? = nil, path: String) -> EngineError {
        if cipher != nil { return FileCipher.damage(address, of: owner, path: path) }
        return Damage.error("\(address.described(owner)) isn't what was stored there", path: path)
    }
}

extension BlockAddress {
    /// Returns the address as text, for messages.
    ///
    /// - Parameter owner: a description of the block's owner, if it is known.
    func described(_ owner: String?) -> String {
        "block \(number) of segment \(segment)" + (owner.map { " (\($0))" } ?? "")
    }
}

extension DatabaseSchema {
    /// Returns a description of a block's owner, and of its objects if the block contains values of objects. Returns `nil` if the block doesn't have
    /// an owner.
    func name(of address: BlockAddress, clusterSpan: Int) -> String? {
        guard case .column(_, _, .leaf)? = owner(of: address.segment), address.number < 1 << 40 else {
            return name(of: address.segment)
        }
        let first = Int64(address.number) * Int64(clusterSpan)
        return name(of: address.segment).map { "\($0) of the objects \(first) to \(first + Int64(clusterSpan) - 1)" }
    }

    /// Returns a description of the owner of a segment's blocks, or `nil` if the segment doesn't have an owner.
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
