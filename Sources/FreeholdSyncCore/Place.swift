/// A number that a file assigns to its inserts and moves in lists, and to its embedded objects.
///
/// The numbers of a file increase, and no number is assigned twice. Coalescing doesn't change numbers: the numbers of
/// removed work stay unused (sync-attack.md, H13).
public typealias OwnNumber = UInt64

/// A reference to an element of a list, as its author saw it (sync-design.md, section 6).
///
/// It names the *slot* of the element. An edit therefore also reaches an element that another file has moved.
public enum ElementReference: Hashable, Sendable {
    /// The index in the confirmed list, at the object's version that the commit names. The index counts all stored
    /// elements, including hidden ones.
    case confirmed(Int)
    /// The slot that the author's insert or move with this number created, in this commit or an earlier one.
    case own(OwnNumber)
    /// The slot that the commit of a version created with a number of its author. Only front ends of the server write it.
    case made(Made)
}

/// A reference to an embedded object at a place (sync-design.md, section 5; sync-attack.md, H12).
public enum InstanceReference: Hashable, Sendable {
    /// The embedded object in the confirmed object, at the version that the commit names.
    case confirmed
    /// The embedded object that the author assigned with this number.
    case own(OwnNumber)
    /// The embedded object at the place, if the author saw it or its file assigned it. Only front ends of the server write it.
    case known
}

/// The neighbours between which an element is inserted, as the author saw the stored list. A hidden element can be a
/// neighbour (sync-design.md, section 6; sync-attack.md, H10).
public struct Gap: Hashable, Sendable {
    /// The left neighbour. `nil` at the start of the list.
    public let after: ElementReference?
    /// The right neighbour. `nil` at the end of the list.
    public let before: ElementReference?

    public init(after: ElementReference?, before: ElementReference?) {
        self.after = after
        self.before = before
    }
}

/// A place in an object, as the steps from the object to it.
///
/// The first step is a property. A collection is followed by a step to an element or an entry. A value that is an
/// embedded object is followed by a step to the instance, and then by a step to a property of it. `nested` is a step
/// into a dictionary inside a mixed value, one for each level. No step leads into a list inside a mixed value, because
/// that list is one register.
public struct Place: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
        case property(SyncString)
        case element(ElementReference)
        /// The entry with this key, of a dictionary property.
        case entry(SyncString)
        case instance(InstanceReference)
        /// The entry with this key, of a dictionary that is a mixed value or inside of one.
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
