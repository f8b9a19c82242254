/// A change of an own commit that the confirmed state doesn't contain yet.
public struct PendingChange: Hashable, Sendable {
    /// The number of the commit, and the index of the change in the commit.
    public internal(set) var commit: UInt64
    public let index: Int
    public let change: Change
    /// The version of the object that the author saw. `nil` if the object wasn't confirmed.
    public let seen: StreamVersion?
    /// The removed values or keys, for a clear or an assignment of a set or a dictionary.
    let taken: TakenKeys
    /// The version that the commit received. `nil` until the server has answered it.
    public internal(set) var version: StreamVersion?
    /// A Boolean value that indicates whether another file's work deleted the object after this change.
    package var isBeforeErasure = false

    /// Returns a pending change with the same place in the commit.
    func with(_ change: Change) -> PendingChange {
        PendingChange(
            commit: commit,
            index: index,
            change: change,
            seen: seen,
            taken: taken,
            version: version,
            isBeforeErasure: isBeforeErasure
        )
    }
}

/// Removed values of a set, or removed keys of a dictionary.
struct TakenKeys: Hashable, Sendable {
    var elements: Set<SetElement> = []
    var keys: Set<SyncString> = []
}

extension Change {
    /// A Boolean value that indicates whether the change can give numbers to elements of lists.
    var makesElements: Bool {
        switch self {
        case .insert, .move, .assignList: true
        case .create(_, let fields): fields.contains { $0.content.hasElements }
        case .set(_, .embedded, _), .assignDictionary: true
        default: false
        }
    }

    /// The place of the change. `nil` if the change is about a whole object.
    package var place: Place? {
        switch self {
        case .create, .delete: nil
        case .set(let place, _, _), .increment(let place, _), .insert(let place, _, _, _), .remove(let place, _),
            .move(let place, _, _, _), .clearList(let place, _), .assignList(let place, _, _, _, _),
            .insertIntoSet(let place, _), .removeFromSet(let place, _), .clearSet(let place, _),
            .assignSet(let place, _, _), .removeEntry(let place), .clearDictionary(let place, _),
            .assignDictionary(let place, _, _):
            place
        }
    }
}

extension NewContent {
    /// A Boolean value that indicates whether the content can have elements of lists, at any depth.
    fileprivate var hasElements: Bool {
        switch self {
        case .value(.embedded), .list, .dictionary: true
        case .value, .set: false
        }
    }
}
