/// The address of a block: its segment and its number in the segment. In LMDB, the block has an 8-byte integer key, which `BlockOrder` calculates.
struct BlockAddress: Hashable, Comparable, Sendable {
    static let numberBits: UInt64 = 40
    static let maximumNumber: UInt64 = 1 << numberBits - 1
    static let maximumSegment: UInt32 = 1 << 24 - 1

    let raw: UInt64

    init(raw: UInt64) { self.raw = raw }

    init(segment: UInt32, number: UInt64) {
        precondition(
            segment <= Self.maximumSegment && number <= Self.maximumNumber,
            "Block \(number) of segment \(segment) is out of range."
        )
        raw = UInt64(segment) << Self.numberBits | number
    }

    var segment: UInt32 { UInt32(truncatingIfNeeded: raw >> Self.numberBits) }
    var number: UInt64 { raw & Self.maximumNumber }

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.raw < rhs.raw }
}
