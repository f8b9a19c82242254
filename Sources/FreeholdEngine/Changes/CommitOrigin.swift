/// Who made a commit: told to observers, and kept in the file's history.
public enum CommitOrigin: Hashable, Sendable {
    /// A program's own work.
    case local
    /// Somebody who brings in what was done elsewhere, such as a sync client, by a number that it chooses. What an applier
    /// commits isn't journalled: it would be sent back to where it came from.
    case applier(UInt32)

    init(code: UInt64) { self = code == 0 ? .local : .applier(UInt32(truncatingIfNeeded: code - 1)) }

    var code: UInt64 {
        switch self {
        case .local: 0
        case .applier(let number): UInt64(number) + 1
        }
    }
}

/// Why a transaction changed something.
public enum ChangeCause: UInt8, Sendable, CaseIterable {
    /// The program did it.
    case edit = 0
    /// A link or an element went, or became null, because the object that it led to was deleted.
    case followsDeletion = 1
    /// An object went with another: by a link's delete rule, or because nothing owns it any more.
    case cascade = 2
}
