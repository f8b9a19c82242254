/// One edit of what a file shows, with positions as they were when it was made. Positions in lists are stored places: elements that are
/// hidden count.
///
/// The app's work comes as such edits, and what the client takes in goes to the file as such edits.
public enum LocalEdit: Hashable, Sendable {
    /// - defaults: the properties whose values nobody chose.
    case create(ObjectName, [SyncString: MergedContent], defaults: Set<SyncString>)
    case delete(ObjectName, DeletionCause)

    /// A property, element or entry gets a value, or another embedded object.
    case set(LocalPlace, MergedContent, Origin)
    case increment(LocalPlace, Int64)

    case insert(LocalPlace, at: Int, [MergedContent])
    case remove(LocalPlace, at: Int, count: Int)
    /// - to: where it is afterwards.
    case move(LocalPlace, from: Int, to: Int)
    /// Takes all elements out but those at the hidden positions, which rise.
    case clearList(LocalPlace, hidden: [Int])

    case insertIntoSet(LocalPlace, [SyncValue])
    case removeFromSet(LocalPlace, [SyncValue])
    case clearSet(LocalPlace, hidden: [SyncValue])

    /// An entry of a dictionary, or of one inside a mixed value.
    case removeEntry(LocalPlace)
    case clearDictionary(LocalPlace, hidden: [SyncString])
}

/// Where something is in a file: an object, and the way from it.
///
/// A step into an embedded object is the property behind the place that holds it.
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

    /// Nil for what is about the object as a whole.
    public var place: LocalPlace? {
        switch self {
        case .create, .delete: nil
        case .set(let place, _, _), .increment(let place, _), .insert(let place, _, _), .remove(let place, _, _),
            .move(let place, _, _), .clearList(let place, _), .insertIntoSet(let place, _),
            .removeFromSet(let place, _), .clearSet(let place, _), .removeEntry(let place),
            .clearDictionary(let place, _):
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
