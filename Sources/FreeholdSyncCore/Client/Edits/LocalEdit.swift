/// One edit of the content that a file shows. Both directions use such edits: the app's work is read from the file as
/// edits, and downloaded changes are written to the file as edits.
///
/// A position is the one at the time of the edit, after all edits before it. Elements of lists that aren't shown
/// (`Placeholders` in the engine) have positions, too.
public enum LocalEdit: Hashable, Sendable {
    /// Creates an object. `defaults` names the properties that still have the default value of the model.
    case create(ObjectName, [SyncString: MergedContent], defaults: Set<SyncString>)
    case delete(ObjectName, DeletionCause)

    /// Assigns a value, or a new embedded object, to a property, an element or an entry.
    case set(LocalPlace, MergedContent, Origin)
    case increment(LocalPlace, Int64)

    case insert(LocalPlace, at: Int, [MergedContent])
    case remove(LocalPlace, at: Int, count: Int)
    /// Moves an element. `to` is the position of the element after the move.
    case move(LocalPlace, from: Int, to: Int)
    /// Removes all elements except those at the hidden positions, which are given in rising order.
    case clearList(LocalPlace, hidden: [Int])
    /// Like `clearList`, and then inserts new elements before index `at` of the elements that are left.
    case assignList(LocalPlace, hidden: [Int], at: Int, [MergedContent])

    case insertIntoSet(LocalPlace, [SyncValue])
    case removeFromSet(LocalPlace, [SyncValue])
    case clearSet(LocalPlace, hidden: [SyncValue])
    case assignSet(LocalPlace, hidden: [SyncValue], [SyncValue])

    /// Removes an entry of a dictionary, or of a dictionary inside a mixed value.
    case removeEntry(LocalPlace)
    case clearDictionary(LocalPlace, hidden: [SyncString])
    case assignDictionary(LocalPlace, hidden: [SyncString], [SyncString: MergedContent])
}

/// A place in a file: an object, and the steps from it to a property, an element or an entry.
///
/// An embedded object has no step of its own. The steps to its properties follow the step to the property, element or
/// entry that holds it, such as `.element(3), .property("city")`.
public struct LocalPlace: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
        case property(SyncString)
        case element(Int)
        case entry(SyncString)
        /// The entry with this key, in a dictionary inside a mixed value.
        case nested(SyncString)
    }

    public let object: ObjectName
    public let path: [Step]

    public init(_ object: ObjectName, _ path: [Step]) {
        self.object = object
        self.path = path
    }

    public init(_ object: ObjectName, _ property: SyncString) { self.init(object, [.property(property)]) }

    public func property(_ name: SyncString) -> LocalPlace { LocalPlace(object, path + [.property(name)]) }
    public func element(_ index: Int) -> LocalPlace { LocalPlace(object, path + [.element(index)]) }
    public func entry(_ key: SyncString) -> LocalPlace { LocalPlace(object, path + [.entry(key)]) }
    public func nested(_ key: SyncString) -> LocalPlace { LocalPlace(object, path + [.nested(key)]) }
}

extension LocalEdit {
    public var object: ObjectName { place?.object ?? name }

    /// The place that is edited. `nil` if the edit creates or deletes a whole object.
    public var place: LocalPlace? {
        switch self {
        case .create, .delete: nil
        case .set(let place, _, _), .increment(let place, _), .insert(let place, _, _), .remove(let place, _, _),
            .move(let place, _, _), .clearList(let place, _), .insertIntoSet(let place, _),
            .removeFromSet(let place, _), .clearSet(let place, _), .removeEntry(let place),
            .clearDictionary(let place, _), .assignList(let place, _, _, _), .assignSet(let place, _, _),
            .assignDictionary(let place, _, _):
            place
        }
    }

    private var name: ObjectName {
        switch self {
        case .create(let name, _, _), .delete(let name, _): name
        default: place!.object
        }
    }
}
