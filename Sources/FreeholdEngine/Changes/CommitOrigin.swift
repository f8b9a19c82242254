/// The origin of a commit. It is passed to observers and stored in the file's history.
public enum CommitOrigin: Hashable, Sendable {
    /// The program itself.
    case local
    /// A component that applies changes from elsewhere, such as a sync client. It chooses its number. Its commits aren't written to the journal,
    /// because they would be sent back to their source.
    case applier(UInt32)

    init(code: UInt64) { self = code == 0 ? .local : .applier(UInt32(truncatingIfNeeded: code - 1)) }

    var code: UInt64 {
        switch self {
        case .local: 0
        case .applier(let number): UInt64(number) + 1
        }
    }
}

/// The reason for a change in a transaction.
public enum ChangeCause: UInt8, Sendable, CaseIterable {
    /// The program made the change.
    case edit = 0
    /// A link or an element was removed, or became null, because its target was deleted.
    case followsDeletion = 1
    /// An object was deleted with another one, by a link's delete rule or because it lost its last owner.
    case cascade = 2
}
