internal import CFreeholdShims
internal import Synchronization

/// The memory addresses of 512 consecutive blocks of a segment. The pointers are filled in when they are first needed, and never change.
///
/// Blocks that LMDB keeps inside its pages are copied, because a rewrite of a neighbour moves them. All blocks of an encrypted file are decrypted
/// copies. Blocks out of line are used in the map, where they remain as long as a version that contains them is pinned. The directories of all
/// versions in which none of a chunk's blocks changed share the chunk. The chunks of all versions in which a block didn't change share the block's
/// copy.
///
/// Entries are published with release and read with acquire. The database's fill lock serialises changes.
final class DirectoryChunk: @unchecked Sendable {
    static let shift = LeafChunk.shift
    static let capacity = LeafChunk.capacity
    /// The limit below which values are copied, because they may be inside a page. Longer values are always out of line.
    static let inPageLimit = 2048

    /// `capacity` pointers, followed by `capacity` lengths, followed by a bit for each block that the version doesn't have.
    let memory: UnsafeMutableRawPointer
    /// A Boolean value that indicates whether all blocks are copies, as for an encrypted file.
    private let holdsCopiesOnly: Bool

    init(holdsCopiesOnly: Bool) {
        self.holdsCopiesOnly = holdsCopiesOnly
        memory = .allocate(byteCount: Self.size, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.size)
    }

    private static let absentOffset = capacity * (MemoryLayout<UnsafeRawPointer?>.stride + MemoryLayout<UInt32>.stride)
    private static let size = absentOffset + capacity / 8

    /// Creates a chunk with the same entries.
    init(copying other: DirectoryChunk) {
        holdsCopiesOnly = other.holdsCopiesOnly
        memory = .allocate(byteCount: Self.size, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.size)
        (memory + Self.absentOffset).copyMemory(from: other.memory + Self.absentOffset, byteCount: Self.capacity / 8)
        for slot in 0..<Self.capacity {
            guard let pointer = other.pointer(slot) else { continue }
            pointers[slot] = pointer
            lengths[slot] = other.lengths[slot]
            if isCopy(slot) { BlockCopies.retain(pointer) }
        }
    }

    deinit {
        for slot in 0..<Self.capacity where isCopy(slot) {
            if let copy = pointers[slot] { BlockCopies.release(copy) }
        }
        memory.deallocate()
    }

    private func isCopy(_ slot: Int) -> Bool { holdsCopiesOnly || lengths[slot] < UInt32(Self.inPageLimit) }

    private var pointers: UnsafeMutablePointer<UnsafeRawPointer?> {
        memory.assumingMemoryBound(to: UnsafeRawPointer?.self)
    }

    private var lengths: UnsafeMutablePointer<UInt32> {
        (memory + Self.capacity * MemoryLayout<UnsafeRawPointer?>.stride).assumingMemoryBound(to: UInt32.self)
    }

    @inline(__always)
    func pointer(_ slot: Int) -> UnsafeRawPointer? { fh_load_acquire(pointers + slot) }

    @inline(__always)
    func length(_ slot: Int) -> Int { Int(lengths[slot]) }

    /// The bits of missing blocks. They are words of the size of pointers, so that they can be read and written like pointers.
    private var absent: UnsafeMutablePointer<UnsafeRawPointer?> {
        (memory + Self.absentOffset).assumingMemoryBound(to: UnsafeRawPointer?.self)
    }

    /// Returns whether a block is known to be missing.
    /// - Parameter memory: the memory of a chunk.
    static func isAbsent(_ slot: Int, _ memory: UnsafeRawPointer) -> Bool {
        let words = (memory + absentOffset).assumingMemoryBound(to: UnsafeRawPointer?.self)
        return UInt(bitPattern: fh_load_acquire(words + slot / UInt.bitWidth)) >> UInt(slot % UInt.bitWidth) & 1 != 0
    }

    /// Records whether a block is missing. The caller holds the fill lock.
    func markAbsent(_ slot: Int, _ isAbsent: Bool) {
        let word = absent + slot / UInt.bitWidth
        let bit: UInt = 1 << UInt(slot % UInt.bitWidth)
        let bits = UInt(bitPattern: word.pointee)
        fh_store_release(word, UnsafeRawPointer(bitPattern: isAbsent ? bits | bit : bits & ~bit))
    }

    /// Stores a block. The caller holds the fill lock.
    func fill(_ slot: Int, _ bytes: UnsafeRawBufferPointer) {
        guard pointers[slot] == nil else { return }
        var pointer = bytes.baseAddress!
        if bytes.count < Self.inPageLimit {
            let copy = BlockCopies.make(bytes.count)
            copy.copyMemory(from: bytes)
            pointer = UnsafeRawPointer(copy.baseAddress!)
        }
        lengths[slot] = UInt32(bytes.count)
        fh_store_release(pointers + slot, pointer)
    }

    /// Takes ownership of a copy that `BlockCopies.make` returned. The caller holds the fill lock.
    ///
    /// - Returns: false if another thread has stored the block. The caller then still owns the copy.
    func adopt(_ slot: Int, _ copy: UnsafeMutableRawBufferPointer) -> Bool {
        guard pointers[slot] == nil else { return false }
        lengths[slot] = UInt32(copy.count)
        fh_store_release(pointers + slot, UnsafeRawPointer(copy.baseAddress!))
        return true
    }

    /// Removes an entry of a chunk that isn't shared yet.
    func clear(_ slot: Int) {
        if let old = pointers[slot], isCopy(slot) { BlockCopies.release(old) }
        pointers[slot] = nil
        lengths[slot] = 0
        markAbsent(slot, false)
    }
}

/// The layout for reading `DataView.leafChunks`: chunk `cluster >> shift` begins with the pointers of `capacity` leaves. Chunks are small because a
/// commit copies the chunks of the blocks that it changed.
public enum LeafChunk {
    @_transparent public static var shift: Int { 7 }
    @_transparent public static var capacity: Int { 1 << shift }
}

/// Copies of blocks with reference counts, aligned to 16 bytes.
enum BlockCopies {
    private static let headerSize = 16

    static func make(_ size: Int) -> UnsafeMutableRawBufferPointer {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: headerSize + max(size, 16), alignment: 16)
        memory.storeBytes(of: 1, as: Int64.self)
        return UnsafeMutableRawBufferPointer(start: memory + headerSize, count: size)
    }

    private static func counter(_ copy: UnsafeRawPointer) -> UnsafeMutablePointer<Int64> {
        UnsafeMutableRawPointer(mutating: copy - headerSize).assumingMemoryBound(to: Int64.self)
    }

    static func retain(_ copy: UnsafeRawPointer) { fh_retain(counter(copy)) }

    static func release(_ copy: UnsafeRawPointer) {
        if fh_release(counter(copy)) { UnsafeMutableRawPointer(mutating: copy - headerSize).deallocate() }
    }
}

/// The pointers of one segment's blocks in one version. It is a fixed array of chunks, which are created when they are first needed.
final class SegmentDirectory: @unchecked Sendable {
    let chunkCount: Int
    /// The memory of each chunk, which begins with its pointers. It is read without a lock.
    let chunks: UnsafeMutablePointer<UnsafeRawPointer?>
    /// The chunks. They are accessed under the fill lock.
    private var owners: [DirectoryChunk?]
    private let holdsCopiesOnly: Bool

    init(blockCount: Int, holdsCopiesOnly: Bool) {
        self.holdsCopiesOnly = holdsCopiesOnly
        chunkCount = max(1, (blockCount + DirectoryChunk.capacity - 1) >> DirectoryChunk.shift)
        chunks = .allocate(capacity: chunkCount)
        chunks.initialize(repeating: nil, count: chunkCount)
        owners = Array(repeating: nil, count: chunkCount)
    }

    deinit { chunks.deallocate() }

    /// Returns the next version's directory. Chunks without changed blocks are shared, and the others are copied without the changed blocks. The
    /// caller holds the fill lock.
    func successor(blockCount: Int, changed: [UInt64]) -> SegmentDirectory {
        let next = SegmentDirectory(blockCount: blockCount, holdsCopiesOnly: holdsCopiesOnly)
        var copied: Set<Int> = []
        for number in changed {
            let c = Int(number >> UInt64(DirectoryChunk.shift))
            guard c < chunkCount, c < next.chunkCount, let owner = owners[c] else { continue }
            if copied.insert(c).inserted { next.owners[c] = DirectoryChunk(copying: owner) }
            next.owners[c]!.clear(Int(number) & (DirectoryChunk.capacity - 1))
        }
        for c in 0..<min(chunkCount, next.chunkCount) {
            if !copied.contains(c) { next.owners[c] = owners[c] }
            if let owner = next.owners[c] { next.chunks[c] = UnsafeRawPointer(owner.memory) }
        }
        return next
    }

    /// Returns a block that has been loaded before. It doesn't take a lock.
    @inline(__always)
    func cached(_ number: UInt64) -> UnsafeRawBufferPointer? {
        let c = Int(truncatingIfNeeded: number >> UInt64(DirectoryChunk.shift))
        guard c < chunkCount, let memory = fh_load_acquire(chunks + c) else { return nil }
        let slot = Int(truncatingIfNeeded: number) & (DirectoryChunk.capacity - 1)
        let pointers = memory.assumingMemoryBound(to: UnsafeRawPointer?.self)
        guard let pointer = fh_load_acquire(pointers + slot) else { return nil }
        let lengths = (memory + DirectoryChunk.capacity * MemoryLayout<UnsafeRawPointer?>.stride)
            .assumingMemoryBound(to: UInt32.self)
        return UnsafeRawBufferPointer(start: pointer, count: Int(lengths[slot]))
    }

    /// Returns whether the block is known to be missing in the version. It doesn't take a lock.
    func isAbsent(_ number: UInt64) -> Bool {
        let c = Int(truncatingIfNeeded: number >> UInt64(DirectoryChunk.shift))
        guard c < chunkCount, let memory = fh_load_acquire(chunks + c) else { return false }
        return DirectoryChunk.isAbsent(Int(truncatingIfNeeded: number) & (DirectoryChunk.capacity - 1), memory)
    }

    /// Records that a block is missing. The caller holds the fill lock.
    func markAbsent(_ number: UInt64) {
        owner(of: number).markAbsent(Int(number) & (DirectoryChunk.capacity - 1), true)
    }

    /// Returns whether the directory has a place for the block.
    func covers(_ number: UInt64) -> Bool { number >> UInt64(DirectoryChunk.shift) < UInt64(chunkCount) }

    /// Stores a block. The caller holds the fill lock.
    func fill(_ number: UInt64, _ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        owner(of: number).fill(Int(number) & (DirectoryChunk.capacity - 1), bytes)
        return cached(number)!
    }

    /// Takes ownership of a copy that `BlockCopies.make` returned. The caller holds the fill lock.
    ///
    /// - Returns: whether the copy is used. Otherwise another thread has stored the block, and the copy is released.
    func adopt(_ number: UInt64, _ copy: UnsafeMutableRawBufferPointer) -> Bool {
        let isTaken = owner(of: number).adopt(Int(number) & (DirectoryChunk.capacity - 1), copy)
        if !isTaken { BlockCopies.release(UnsafeRawPointer(copy.baseAddress!)) }
        return isTaken
    }

    private func owner(of number: UInt64) -> DirectoryChunk {
        let c = Int(number >> UInt64(DirectoryChunk.shift))
        precondition(c < chunkCount, "a block beyond its segment's end")
        if let existing = owners[c] { return existing }
        let made = DirectoryChunk(holdsCopiesOnly: holdsCopiesOnly)
        owners[c] = made
        fh_store_release(chunks + c, UnsafeRawPointer(made.memory))
        return made
    }
}
