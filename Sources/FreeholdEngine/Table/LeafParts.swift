/// The parts in which the leaf of a buffer is stored, and which of them the buffer has decoded.
///
/// Invariants of a split leaf, on which readers, `verify` and programs of earlier versions rely:
/// - The leaf's block is a head. It says how many slots are covered (`count`), and that there are `1 << log2` parts, `log2` from 1 to 6.
/// - Part `p` covers the slots from `p * span` on, where `span` is the cluster's span divided by the number of parts, rounded up.
///   It is block `cluster << 6 | p` of the column's segment of parts: a leaf of its own, never split.
/// - Each part whose first slot is below the head's count is stored, and has as many slots as lie below that count. No other part
///   is stored. So a part in the middle is stored even if all its values are defaults.
/// - The parts change without their head. The head changes with the count and with the number of parts only. So two heads that are
///   equal, or are one block, say nothing of the values.
/// - A part is a block like others: a snapshot's directory finds the version's part by its number, and copies, compactions,
///   checksums and digests treat it as a block.
struct LeafParts {
    /// The stored bytes of the parts. They are valid until the next change of the transaction's blocks.
    struct Source {
        /// The transaction that the buffer belongs to. It isn't counted, so that the fields of `LeafParts` are read without counting.
        unowned(unsafe) let store: any BlockStore
        let segment: UInt32
        let cluster: Int

        func leaf(_ part: Int) -> Leaf? { bytes(part).map { Leaf($0.baseAddress!) } }

        func bytes(_ part: Int) -> UnsafeRawBufferPointer? {
            store.block(segment, UInt64(cluster) << 6 | UInt64(part))
        }
    }

    /// The slots of a part; 0 if the leaf isn't stored in parts.
    private(set) var span = 0
    private(set) var log2 = 0
    /// The parts whose values are read where they are stored, a bit each.
    private(set) var undecoded: UInt64 = 0
    /// The parts with slots that may differ from what is stored, a bit each. They are decoded.
    private(set) var changed: UInt64 = 0
    /// The slots that the stored head covers.
    private(set) var count = 0
    private var source: Source?

    /// A leaf that isn't stored in parts.
    init() {}

    /// The parts of a stored leaf. None of them is decoded.
    init(_ head: Leaf, clusterSpan: Int, _ source: Source) {
        self.init(log2: head.partsLog2, count: head.count, clusterSpan: clusterSpan, source)
        undecoded = Self.bits(below: used)
    }

    /// The parts in which a decoded leaf was just stored.
    init(log2: Int, count: Int, clusterSpan: Int, _ source: Source) {
        self.log2 = log2
        self.count = count
        self.source = source
        span = Leaf.partSpan(clusterSpan: clusterSpan, partsLog2: log2)
    }

    private static func bits(below count: Int) -> UInt64 { count >= 64 ? ~0 : 1 << UInt64(count) - 1 }

    /// The number of parts that the head's count needs.
    private var used: Int { (count + span - 1) / span }

    /// A Boolean value that indicates whether the slot's value is read where it is stored.
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

    /// Notes that a part is decoded now. Returns the leaf to decode, or `nil` if there is nothing to decode.
    mutating func takeUndecoded(_ part: Int) -> Leaf? {
        guard undecoded >> UInt64(part) & 1 != 0 else { return nil }
        undecoded &= ~(1 << UInt64(part))
        return source?.leaf(part)
    }

    mutating func noteChanged(_ part: Int) { changed |= 1 << UInt64(part) }

    /// Notes that what was changed is stored.
    mutating func noteStored(count: Int) {
        self.count = count
        changed = 0
    }

    /// Returns the parts to store for a leaf that covers so many slots now: the changed ones, those behind the stored end, and the one in which that
    /// end was, because each part but the last covers all its slots.
    func parts(toStoreFor count: Int) -> UInt64 {
        guard count > self.count else { return changed }
        let first = self.count / span
        let end = (count + span - 1) / span
        return changed | Self.bits(below: end) & ~Self.bits(below: first)
    }

    /// Returns the bytes that all parts but some take as stored, or `nil` if these are more than the limit.
    func storedSize(without parts: UInt64, limit: Int) -> Int? {
        var size = 0
        for part in 0..<used where parts >> UInt64(part) & 1 == 0 {
            size += source?.bytes(part)?.count ?? 0
            if size > limit { return nil }
        }
        return size
    }

    /// Traps if a part is both undecoded and changed, or isn't one of the leaf.
    func checkInvariants() {
        precondition(undecoded & changed == 0, "A part is changed and not decoded.")
        precondition(span > 0 || (undecoded == 0 && changed == 0 && log2 == 0), "A leaf without parts has some.")
        precondition(span == 0 || (1...6).contains(log2), "A leaf has \(1 << log2) parts.")
        precondition(span == 0 || undecoded & ~Self.bits(below: used) == 0, "A part behind the end is undecoded.")
    }
}
