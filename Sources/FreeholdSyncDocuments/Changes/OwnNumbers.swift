public import FreeholdSyncCore

/// The numbers that a file assigns to elements and embedded objects. They increase, and none is assigned twice.
public struct OwnNumbers: Hashable, Sendable {
    /// The last assigned number.
    public private(set) var last: OwnNumber

    /// - Parameter last: The last number that the file has assigned before.
    public init(last: OwnNumber = 0) { self.last = last }

    /// Creates the numbers of one commit, for a file whose last number isn't stored. Each commit has 2³² numbers of its
    /// own.
    public init(ofCommit number: UInt64) { last = number << 32 }

    /// Assigns numbers.
    ///
    /// - Returns: The first of them.
    mutating func take(_ count: Int = 1) -> OwnNumber {
        let first = last + 1
        last += OwnNumber(max(count, 1))
        return first
    }
}
