public import FreeholdSyncCore

/// The numbers that a file assigns to elements and embedded objects. They increase, and none is assigned twice. The numbers of a submission start
/// from the beginning, because the server adds the number of its commit.
public struct OwnNumbers: Hashable, Sendable {
    /// The last assigned number.
    public private(set) var last: OwnNumber

    /// - Parameter last: The last number that the file has assigned before.
    public init(last: OwnNumber = 0) { self.last = last }

    /// Assigns numbers.
    ///
    /// - Returns: The first of them.
    mutating func take(_ count: Int = 1) -> OwnNumber {
        let first = last + 1
        last += OwnNumber(max(count, 1))
        return first
    }
}
