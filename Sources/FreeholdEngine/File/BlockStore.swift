/// The storage of index trees and large lists: numbered blocks of bytes in segments.
///
/// A pointer remains valid until the next change of the store. For a snapshot, it remains valid for the life of the snapshot.
protocol BlockStore: AnyObject {
    /// Returns the block's bytes, or `nil` if the block isn't stored. The bytes are aligned to eight bytes.
    func block(_ segment: UInt32, _ number: UInt64) -> UnsafeRawBufferPointer?
    /// Reports that a block doesn't have the expected form. The function returns only if a caller can throw the error.
    func damaged(_ what: @autoclosure () -> String)
}

extension BlockStore {
    func damaged(_ what: @autoclosure () -> String) { fatalError("Damaged blocks: \(what())") }
}

/// A store inside a write transaction.
protocol MutableBlockStore: BlockStore {
    /// Stores a copy of the bytes, which are at most `BlockLimits.maximumSize`.
    func putBlock(_ segment: UInt32, _ number: UInt64, bytes: UnsafeRawBufferPointer)
    func removeBlock(_ segment: UInt32, _ number: UInt64)
    /// Returns a number (from 1) that isn't in use in the segment.
    func allocateBlock(_ segment: UInt32) -> UInt64
}

enum BlockLimits {
    /// The size of LMDB's pages on all supported machines.
    static let pageSize = 4096
    /// The size of LMDB's page header plus the overhead of sealed blocks. Blocks that leave this space don't need an additional page for either.
    static let reserved = 16 + SealedBlock.overhead
    /// The maximum size of an out-of-line value of two pages.
    static let twoPages = 2 * pageSize - reserved
    /// The maximum size of a block, which is eight pages. Larger values would fragment the file.
    static let maximumSize = 8 * pageSize - reserved
}
