/// The parts in which the leaf of a buffer is stored, with the parts that the buffer has decoded.
///
/// Readers, `verify` and earlier versions of the program rely on these invariants of a split leaf:
/// - The leaf's block is a head. It states the number of covered slots (`count`) and that there are `1 << log2` parts, with `log2` from 1 to 6.
/// - Part `p` covers the slots from `p * span` on, where `span` is the cluster's span divided by the number of parts, rounded up. It is the block
///   `cluster << 6 | p` of the column's segment of parts, and a separate leaf that is never split.
/// - Each part whose first slot is below the head's count is stored, and has as many slots as there are below that count. The other parts aren't
///   stored. A part in the middle is therefore stored even if all its values are defaults.
/// - Parts change without a change of their head. The head changes only with the count and with the number of parts. Equal heads, or the same block
///   of a head, therefore don't imply that the values are equal.
/// - A part is an ordinary block: a snapshot's directory finds the version's part by its number, and copies, compactions, checksums and digests treat
///   it like other blocks.
struct LeafParts {
    /// The source of the parts' stored bytes. The bytes are valid until the next change of the transaction's blocks.
    struct Source {
        /// The transaction to which the buffer belongs. The reference isn't counted, so that reading the fields of `LeafParts` doesn't count
        /// references.
        unowned(unsafe) let store: any BlockStore
        let segment: UInt32
        let cluster: Int

        func leaf(_ part: Int) -> Leaf? { bytes(part).map { Leaf($0.baseAddress!) } }

        func bytes(_ part: Int) -> UnsafeRawBufferPointer? {
            store.block(segment, UInt64(cluster) << 6 | UInt64(part))
        }
    }

    /// The number of slots of a part, or 0 if the leaf isn't stored in parts.
    private(set) var span = 0
    private(set) var log2 = 0
    /// A bitmap of the parts whose values are read from their stored blocks.
    private(set) var undecoded: UInt64 = 0
    /// A bitmap of the parts with slots that may differ from the stored ones. These parts are decoded.
    private(set) var changed: UInt64 = 0
    /// The number of slots that the stored head covers.
    private(set) var count = 0
    private var source: Source?

    /// Creates the state of a leaf that isn't stored in parts.
    init() {}

    /// Creates the state of a stored leaf. No part is decoded.
    init(_ head: Leaf, clusterSpan: Int, _ source: Source) {
        self.init(log2: head.partsLog2, count: head.count, clusterSpan: clusterSpan, source)
        undecoded = Self.bits(below: used)
    }

    /// Creates the state of a decoded leaf that was just stored in parts.
    init(log2: Int, count: Int, clusterSpan: Int, _ source: Source) {
        self.log2 = log2
        self.count = count
        self.source = source
        span = Leaf.partSpan(clusterSpan: clusterSpan, partsLog2: log2)
    }

    private static func bits(below count: Int) -> UInt64 { count >= 64 ? ~0 : 1 << UInt64(count) - 1 }

    /// The number of parts that the head's count needs.
    private var used: Int { (count + span - 1) / span }

    /// Returns whether the slot's value is read from its stored block.
    @inline(__always)
    func isUndecoded(_ slot: Int) -> Bool {
        undecoded != 0 && undecoded >> UInt64(truncatingIfNeeded: slot / span) & 1 != 0
    }

    /// Returns the stored leaf of an undecoded slot and the slot's number in it, or `nil` if the slot has the default.
    @inline(never)
    func stored(_ slot: Int) -> (leaf: Leaf, slot: Int)? {
        let (part, inPart) = slot.quotientAndRemainder(dividingBy: span)
        guard let leaf = source?.leaf(part), inPart < leaf.count else { return nil }
        return (leaf, inPart)
    }

    /// Records that a part is decoded. Returns the leaf to decode, or `nil` if there is nothing to decode.
    mutating func takeUndecoded(_ part: Int) -> Leaf? {
        guard undecoded >> UInt64(part) & 1 != 0 else { return nil }
        undecoded &= ~(1 << UInt64(part))
        return source?.leaf(part)
    }

    mutating func noteChanged(_ part: Int) { changed |= 1 << UInt64(part) }

    /// Records that the changes are stored.
    mutating func noteStored(count: Int) {
        self.count = count
        changed = 0
    }

    /// Returns the parts to store for a leaf that now covers `count` slots: the changed parts, the parts after the stored end, and the part that
    /// contained the stored end, because each part except the last covers all its slots.
    func parts(toStoreFor count: Int) -> UInt64 {
        guard count > self.count else { return changed }
        let first = self.count / span
        let end = (count + span - 1) / span
        return changed | Self.bits(below: end) & ~Self.bits(below: first)
    }

    /// Returns the stored size of all parts except some in bytes, or `nil` if it exceeds the limit.
    func storedSize(without parts: UInt64, limit: Int) -> Int? {
        var size = 0
        for part in 0..<used where parts >> UInt64(part) & 1 == 0 {
            size += source?.bytes(part)?.count ?? 0
            if size > limit { return nil }
        }
        return size
    }

    /// Traps if a part is both undecoded and changed, or isn't a part of the leaf.
    func checkInvariants() {
        precondition(undecoded & changed == 0, "A part is changed and not decoded.")
        precondition(span > 0 || (undecoded == 0 && changed == 0 && log2 == 0), "A leaf without parts has some.")
        precondition(span == 0 || (1...6).contains(log2), "A leaf has \(1 << log2) parts.")
        precondition(span == 0 || undecoded & ~Self.bits(below: used) == 0, "A part behind the end is undecoded.")
    }
}
