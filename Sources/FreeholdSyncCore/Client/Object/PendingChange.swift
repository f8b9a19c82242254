/// A change of an own commit that the confirmed state doesn't hold yet.
public struct PendingChange: Hashable, Sendable {
    /// The commit's number, and the index of the change in it.
    public internal(set) var commit: UInt64
    public let index: Int
    public let change: Change
    /// The version of the object that its author saw. Nil if nothing of it was confirmed.
    public let seen: StreamVersion?
    /// Of a clear or an assignment of a set or dictionary: what it takes away.
    let taken: TakenKeys
    /// The version that the commit took. Nil until it is answered.
    public internal(set) var version: StreamVersion?
    /// The object went by the work of others after this change was made.
    package var isBeforeErasure = false

    /// Returns a pending change with the same place in its commit.
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

/// Values of a set or keys of a dictionary.
struct TakenKeys: Hashable, Sendable {
    var elements: Set<SetElement> = []
    var keys: Set<SyncString> = []
}

extension Change {
    /// Whether elements of lists may have numbers that this change gave them.
    var makesElements: Bool {
        switch self {
        case .insert, .move, .assignList: true
        case .create(_, let fields): fields.contains { $0.content.hasElements }
        case .set(_, .embedded, _), .assignDictionary: true
        default: false
        }
    }

    /// Nil for what is about the object as a whole.
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
    /// Whether elements of lists, or embedded objects that may have lists, are in it.
    fileprivate var hasElements: Bool {
        switch self {
        case .value(.embedded), .list, .dictionary: true
        case .value, .set: false
        }
    }
}
