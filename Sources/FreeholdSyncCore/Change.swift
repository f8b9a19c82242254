/// One thing that an author did, with all that is needed to do it elsewhere. It says what happened, not how it merges.
///
/// The rules are those of sync-design.md, section 5. Lists are section 6's.
public enum Change: Hashable, Sendable {
    /// An object was made. Fields that aren't named have no value yet.
    case create(ObjectName, [NewField])
    /// An object was deleted. What a cascade took is named by changes of its own, behind the one that caused it; links that became nil are
    /// named nowhere.
    case delete(ObjectName, DeletionCause)

    /// A value was written whole: to a property, an element, an entry, or an entry of a dictionary inside a mixed value. A
    /// value that is an embedded object makes an instance.
    case set(Place, SyncValue, Origin)
    /// A number was added to an integer, wrapping: to a property, an element or an entry.
    case increment(Place, Int64)

    /// Elements came into a list, as one run. The first has the number `first`, each further one the next.
    case insert(Place, Gap, first: OwnNumber, [SyncValue])
    /// Elements were taken out of a list.
    case remove(Place, [ElementReference])
    /// An element was put elsewhere in its list. The move has a number, so that edits can name where it went.
    case move(Place, ElementReference, Gap, number: OwnNumber)
    /// All that the author could see was taken out of a list. `hidden` are the elements that stood there and that the author
    /// couldn't see: links to objects that were missing or not in view.
    case clearList(Place, hidden: [ElementReference])
    /// `clearList`, and new elements in one step. The gap says where they are among what the author didn't take out.
    case assignList(Place, hidden: [ElementReference], Gap, first: OwnNumber, [SyncValue])

    case insertIntoSet(Place, [SyncValue])
    case removeFromSet(Place, [SyncValue])
    /// As `clearList`.
    case clearSet(Place, hidden: [SyncValue])
    case assignSet(Place, hidden: [SyncValue], [SyncValue])

    /// The entry at the place is gone; so is one of a dictionary inside a mixed value.
    case removeEntry(Place)
    /// As `clearList`, of a property that is a dictionary. Inside a mixed value each entry is removed by a change of its own.
    case clearDictionary(Place, hidden: [SyncString])
    case assignDictionary(Place, hidden: [SyncString], SyncDictionary)
}

/// Why a value was written.
public enum Origin: Hashable, Sendable {
    /// The app wrote it.
    case real
    /// The model's default, or a migration block: it loses to every real value, whatever their clocks.
    case byDefault
}

/// Why an object was deleted.
public enum DeletionCause: Hashable, Sendable {
    case edit
    /// By a delete rule of the author's file, as a consequence of this object's deletion in the same commit.
    case cascade(of: ObjectName)
}

/// A field of an object, or of an embedded one, as it was made.
public struct NewField: Hashable, Sendable {
    public let name: SyncString
    public let content: NewContent
    public let origin: Origin

    public init(_ name: SyncString, _ content: NewContent, _ origin: Origin = .real) {
        self.name = name
        self.content = content
        self.origin = origin
    }
}

/// What a field holds when it is made.
public enum NewContent: Hashable, Sendable {
    case value(SyncValue)
    /// The first element has the number `first`, each further one the next.
    case list(first: OwnNumber, [SyncValue])
    case set([SyncValue])
    case dictionary(SyncDictionary)
}

extension Change {
    /// The object that the change speaks of.
    public var object: ObjectName {
        switch self {
        case .create(let name, _), .delete(let name, _): name
        case .set(let place, _, _), .increment(let place, _), .insert(let place, _, _, _), .remove(let place, _),
            .move(let place, _, _, _), .clearList(let place, _), .assignList(let place, _, _, _, _),
            .insertIntoSet(let place, _), .removeFromSet(let place, _), .clearSet(let place, _),
            .assignSet(let place, _, _), .removeEntry(let place), .clearDictionary(let place, _),
            .assignDictionary(let place, _, _):
            place.object
        }
    }
}
