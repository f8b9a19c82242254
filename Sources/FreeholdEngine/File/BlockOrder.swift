/// The order of a file's blocks in LMDB's tree. It maps each address to one key, and each key to one address. The order is a property of the file's
/// format.
enum BlockOrder: Sendable {
    /// The order up to format 4: the key is the address itself.
    case bySegment
    /// The order since format 5. Each group of 256 segments has 2^48 keys, which only its segments use:
    ///
    /// | keys | |
    /// |---|---|
    /// | 2^46 | leaves (`ColumnSegment.leaf`, `backlinkLeaf`): number · 64 + which of the segments |
    /// | 192 times 2^40 | the other segments, one after the other: the first kind of all columns, the second, … |
    ///
    /// The leaves that contain one object are therefore neighbours, and an insertion changes one page of LMDB's tree instead of one for each column.
    /// Block 0 is the last block of its segment. The states of tables, which are blocks 0, therefore follow the newest cluster. They are followed by
    /// the history (segment 1). The catalogue's blocks aren't rotated, so the header has key 0 in both orders.
    case byCluster

    init(formatVersion: UInt32) { self = formatVersion > 4 ? .byCluster : .bySegment }

    /// The number of bits for the keys of a group. The keys of a group belong only to the segments of that group.
    static let groupBits: UInt64 = 48
    private static let segmentsInGroup: UInt64 = 256
    private static let rankBits: UInt64 = 6
    private static let slotBits: UInt64 = 5
    private static let slots: UInt64 = 1 << slotBits
    private static let leafKeys: UInt64 = 1 << (BlockAddress.numberBits + rankBits)
    private static let groupKeys: UInt64 = 1 << groupBits

    static func group(of segment: UInt32) -> UInt64 { UInt64(segment) / segmentsInGroup }

    /// Returns the first key of a group.
    static func start(ofGroup group: UInt64) -> UInt64 { group << groupBits }

    /// Returns the keys of a group that belong to its leaves, or `nil` if each segment has keys of its own.
    func leaves(ofGroup group: UInt64) -> ClosedRange<UInt64>? {
        guard self == .byCluster else { return nil }
        let first = Self.start(ofGroup: group)
        return first...first + (Self.leafKeys - 1)
    }

    /// Returns whether the keys of the segment are between keys of other segments.
    func isInterleaved(_ segment: UInt32) -> Bool { self == .byCluster && ColumnSegment.isLeaf(segment) }

    @inline(__always)
    func key(_ address: BlockAddress) -> UInt64 {
        guard self == .byCluster else { return address.raw }
        let segment = UInt64(address.segment)
        let (group, slot, offset) = (segment >> 8, segment >> 3 & (Self.slots - 1), segment & 7)
        if offset & 3 == 0 {
            let number = segment == 0 ? address.number : (address.number &- 1) & BlockAddress.maximumNumber
            let rank = (offset >> 2) << Self.slotBits | slot
            return group << Self.groupBits | number << Self.rankBits | rank
        }
        let kind = offset - 1 - offset >> 2
        return group << Self.groupBits | Self.leafKeys
            + ((kind << Self.slotBits | slot) << BlockAddress.numberBits | address.number)
    }

    @inline(__always)
    func address(_ key: UInt64) -> BlockAddress {
        guard self == .byCluster else { return BlockAddress(raw: key) }
        let (group, low) = (key >> Self.groupBits, key & (Self.groupKeys - 1))
        if low < Self.leafKeys {
            let slot = low & (Self.slots - 1)
            let offset = (low >> Self.slotBits & 1) << 2
            let segment = group << 8 | slot << 3 | offset
            let turned = low >> Self.rankBits
            let number = segment == 0 ? turned : (turned + 1) & BlockAddress.maximumNumber
            return BlockAddress(raw: segment << BlockAddress.numberBits | number)
        }
        let place = low - Self.leafKeys
        let (slot, kind) = (place >> BlockAddress.numberBits & (Self.slots - 1), place >> 45)
        let offset = kind + 1 + kind / 3
        return BlockAddress(
            raw: (group << 8 | slot << 3 | offset) << BlockAddress.numberBits | place & BlockAddress.maximumNumber
        )
    }

    /// Returns the ranges of keys of a segment's blocks from a number on, in ascending order of numbers. If the segment is interleaved, the ranges
    /// also contain keys of other segments.
    func keys(of segment: UInt32, from number: UInt64 = 0) -> [ClosedRange<UInt64>] {
        func key(_ number: UInt64) -> UInt64 { self.key(BlockAddress(segment: segment, number: number)) }
        let last = key(BlockAddress.maximumNumber)
        guard isInterleaved(segment), segment != 0, number == 0 else { return [key(number)...last] }
        return [key(0)...key(0), key(1)...last]
    }
}
