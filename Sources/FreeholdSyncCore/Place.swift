/// A number that a file gives to what it makes in lists and to embedded objects: an insert, a move, an instance.
///
/// Numbers of a file rise and are never given twice. Coalescing never renumbers: the number of what was coalesced away
/// is used up (sync-attack.md, H13).
public typealias OwnNumber = UInt64

/// Names an element of a list, as its author saw it (sync-design.md, section 6).
///
/// What is named is the *slot*: where the element stood. An edit of the element reaches it also after others moved it.
public enum ElementReference: Hashable, Sendable {
    /// The index in the confirmed list of the object at the version that the commit names for it, in stored places: hidden
    /// elements are counted.
    case confirmed(Int)
    /// What the author's insert or move of this number made, in this commit or an earlier one.
    case own(OwnNumber)
}

/// Names an embedded object at a place (sync-design.md, section 5; sync-attack.md, H12).
public enum InstanceReference: Hashable, Sendable {
    /// The one that was there in the confirmed object at the version that the commit names for it.
    case confirmed
    /// The one that the author assigned under this number.
    case own(OwnNumber)
}

/// Between which elements something is put into a list, as the author saw it, in stored places: the hidden neighbour
/// counts (sync-design.md, section 6; sync-attack.md, H10).
public struct Gap: Hashable, Sendable {
    /// Nil at the list's start.
    public let after: ElementReference?
    /// Nil at the list's end.
    public let before: ElementReference?

    public init(after: ElementReference?, before: ElementReference?) {
        self.after = after
        self.before = before
    }
}

/// Where something is: an object, and the way from it.
///
/// The first step is a property. Behind a collection comes an element or an entry, behind a value that is an embedded object
/// the instance, and behind that a property of it. `nested` leads into a dictionary inside a mixed value, once for each depth.
/// Nothing leads into a list inside a mixed value, since that is one register.
public struct Place: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
        case property(SyncString)
        case element(ElementReference)
        /// Of a property that is a dictionary.
        case entry(SyncString)
        case instance(InstanceReference)
        /// An entry of a dictionary that is, or is inside of, a mixed value.
        case nested(SyncString)
    }

    public let object: ObjectName
    public let path: [Step]

    public init(_ object: ObjectName, _ path: [Step]) {
        self.object = object
        self.path = path
    }

    public init(_ object: ObjectName, _ property: SyncString) { self.init(object, [.property(property)]) }

    public func property(_ name: SyncString) -> Place { Place(object, path + [.property(name)]) }
    public func element(_ reference: ElementReference) -> Place { Place(object, path + [.element(reference)]) }
    public func entry(_ key: SyncString) -> Place { Place(object, path + [.entry(key)]) }
    public func nested(_ key: SyncString) -> Place { Place(object, path + [.nested(key)]) }
    public func instance(_ reference: InstanceReference) -> Place { Place(object, path + [.instance(reference)]) }
}
