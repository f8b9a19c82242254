/// What index trees and large lists stand on: numbered blocks of bytes in segments.
///
/// Pointers handed out stay valid until the store's next change (for a snapshot: for its life).
protocol BlockStore: AnyObject {
    /// Returns the block's bytes, or `nil` if none is stored. 8-aligned.
    func block(_ segment: UInt32, _ number: UInt64) -> UnsafeRawBufferPointer?
    /// A block isn't what it is referred to as. Returns only where somebody can throw.
    func damaged(_ what: @autoclosure () -> String)
}

extension BlockStore {
    func damaged(_ what: @autoclosure () -> String) { fatalError("Damaged blocks: \(what())") }
}

/// A store inside a write transaction.
protocol MutableBlockStore: BlockStore {
    /// Stores a copy of the bytes, at most `BlockLimits.maximumSize` of them.
    func putBlock(_ segment: UInt32, _ number: UInt64, _ bytes: UnsafeRawBufferPointer)
    func removeBlock(_ segment: UInt32, _ number: UInt64)
    /// Returns a number (from 1) that no block of the segment has.
    func allocateBlock(_ segment: UInt32) -> UInt64
}

enum BlockLimits {
    /// LMDB's page on every supported machine.
    static let pageSize = 4096
    /// What LMDB's header of a page takes, and what sealing an encrypted block adds: so that neither needs a page more.
    static let reserved = 16 + SealedBlock.overhead
    /// What an out-of-line value of two pages holds.
    static let twoPages = 2 * pageSize - reserved
    /// Eight pages: larger values would fragment the file.
    static let maximumSize = 8 * pageSize - reserved
}
