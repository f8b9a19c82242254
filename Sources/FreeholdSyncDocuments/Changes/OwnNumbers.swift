public import FreeholdSyncCore

/// Numbers that a file gives to elements and embedded objects: they rise, and none is given twice.
public struct OwnNumbers: Hashable, Sendable {
    /// The last number that was given.
    public private(set) var last: OwnNumber

    /// - Parameter last: the last number that the file gave before.
    public init(last: OwnNumber = 0) { self.last = last }

    /// Numbers of one commit, for a file of which nobody keeps the last number: a commit has 2³² of its own.
    public init(ofCommit number: UInt64) { last = number << 32 }

    /// - Returns: the first of so many.
    mutating func take(_ count: Int = 1) -> OwnNumber {
        let first = last + 1
        last += OwnNumber(max(count, 1))
        return first
    }
}
