/// One edit of what a file shows. Both ways go by such edits: the app's work is read from the file as edits, and what the client
/// downloads is written to the file as edits.
///
/// Positions are those at the moment of the edit, after the edits before it. Elements of lists that aren't shown (`Placeholders` in
/// the engine) have positions, too.
public enum LocalEdit: Hashable, Sendable {
    /// `defaults` names the properties whose values nobody chose: they are the model's.
    case create(ObjectName, [SyncString: MergedContent], defaults: Set<SyncString>)
    case delete(ObjectName, DeletionCause)

    /// A property, element or entry gets a value, or another embedded object.
    case set(LocalPlace, MergedContent, Origin)
    case increment(LocalPlace, Int64)

    case insert(LocalPlace, at: Int, [MergedContent])
    case remove(LocalPlace, at: Int, count: Int)
    /// `to` is the position that the element has afterwards.
    case move(LocalPlace, from: Int, to: Int)
    /// Removes all elements but those at the hidden positions, which are given in rising order.
    case clearList(LocalPlace, hidden: [Int])
    /// `clearList`, and new elements before an index of what is left.
    case assignList(LocalPlace, hidden: [Int], at: Int, [MergedContent])

    case insertIntoSet(LocalPlace, [SyncValue])
    case removeFromSet(LocalPlace, [SyncValue])
    case clearSet(LocalPlace, hidden: [SyncValue])
    case assignSet(LocalPlace, hidden: [SyncValue], [SyncValue])

    /// Removes an entry of a dictionary, or of one inside a mixed value.
    case removeEntry(LocalPlace)
    case clearDictionary(LocalPlace, hidden: [SyncString])
    case assignDictionary(LocalPlace, hidden: [SyncString], [SyncString: MergedContent])
}

/// Where something is in a file: an object, and the steps from it to a property, an element or an entry.
///
/// An embedded object has no step of its own. Its properties follow the step to what holds it: `.element(3), .property("city")`.
public struct LocalPlace: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
        case property(SyncString)
        case element(Int)
        case entry(SyncString)
        /// Into a dictionary inside a mixed value.
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

    /// What is edited; nil if the edit makes or deletes an object as a whole.
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
