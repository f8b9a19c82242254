/// A change by an author, with all data that is needed to apply it elsewhere. It describes what happened, and not how
/// it merges.
///
/// The rules are in sync-design.md: section 5, and section 6 for lists.
public enum Change: Hashable, Sendable {
    /// An object was created. Fields that the change doesn't name have no value yet.
    case create(ObjectName, [NewField])
    /// An object was deleted. Objects that the deletion cascades to have deletions of their own, which follow this one.
    /// Links that became `nil` have no changes.
    case delete(ObjectName, DeletionCause)

    /// A value was assigned to a property, an element, an entry, or an entry of a dictionary inside a mixed value. The
    /// assignment of an embedded object creates an instance.
    case set(Place, SyncValue, Origin)
    /// A number was added to an integer with wrapping: to a property, an element or an entry.
    case increment(Place, Int64)

    /// Elements were inserted into a list, as one run. The first has the number `first`, and each further one the next
    /// number.
    case insert(Place, Gap, first: OwnNumber, [SyncValue])
    /// Elements were removed from a list.
    case remove(Place, [ElementReference])
    /// An element was moved in its list. The move has a number, so that edits can name the element's new place.
    case move(Place, ElementReference, Gap, number: OwnNumber)
    /// All elements that the author could see were removed from a list. `hidden` are the other elements: links to
    /// objects that were missing or not in view.
    case clearList(Place, hidden: [ElementReference])
    /// Like `clearList`, and new elements were inserted in the same step. The gap is between elements that weren't
    /// removed.
    case assignList(Place, hidden: [ElementReference], Gap, first: OwnNumber, [SyncValue])

    case insertIntoSet(Place, [SyncValue])
    case removeFromSet(Place, [SyncValue])
    /// Like `clearList`, for a set.
    case clearSet(Place, hidden: [SyncValue])
    case assignSet(Place, hidden: [SyncValue], [SyncValue])

    /// An entry was removed from a dictionary, or from a dictionary inside a mixed value.
    case removeEntry(Place)
    /// Like `clearList`, for a dictionary property. Inside a mixed value each entry is removed by a change of its own.
    case clearDictionary(Place, hidden: [SyncString])
    case assignDictionary(Place, hidden: [SyncString], SyncDictionary)
}

/// The origin of a written value.
public enum Origin: Hashable, Sendable {
    /// The app wrote it.
    case real
    /// The default of the model, or a migration block. It loses to every real value, regardless of the clocks.
    case byDefault
}

/// The cause of an object's deletion.
public enum DeletionCause: Hashable, Sendable {
    case edit
    /// A delete rule in the author's file, as a consequence of the deletion of this object in the same commit.
    case cascade(of: ObjectName)
}

/// A field of a new object or embedded object.
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

/// The content of a field of a new object.
public enum NewContent: Hashable, Sendable {
    case value(SyncValue)
    /// The first element has the number `first`, and each further one the next number.
    case list(first: OwnNumber, [SyncValue])
    case set([SyncValue])
    case dictionary(SyncDictionary)
}

extension Change {
    /// The object that the change is about.
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
