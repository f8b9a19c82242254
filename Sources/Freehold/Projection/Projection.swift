/// A view of an object that shows some of its properties, with its own names and types.
///
/// ```swift
/// class PersonProjection: Projection<Person> {
///     @Projected(\Person.firstName) var firstName
///     @Projected(\Person.address?.city) var homeCity
///     @Projected(\Person.friends.projectTo.firstName) var firstFriendsName: ProjectedCollection<String>
/// }
/// for person in realm.objects(PersonProjection.self).where({ $0.homeCity == "Paris" }) { print(person.firstName) }
/// ```
///
/// A projection stores and copies no data. Its properties read and write those of its object, with the same rules for
/// write transactions and threads. It is live, frozen, managed or invalid if its object is. Two projections of one
/// object are equal. See <doc:ClassProjections>.
open class Projection<Root: ObjectBase>: ProjectionObservable {
    /// The projected object.
    public let rootObject: Root

    /// Creates a projection of a managed or unmanaged object.
    ///
    /// - Precondition: Each projected property reads exactly one stored property of the class.
    /// - Complexity: O(1). The first projection of a class is inspected by reflection.
    public required init(projecting object: Root) {
        rootObject = object
        // A recording object, which is read to find the projected properties, isn't a real object.
        if object._extra?.recorder == nil { ProjectionSchema.check(type(of: self)) }
    }

    /// Returns the name of the object's class.
    public static func className() -> String { Root.className() }

    /// A text with the name of the class, and the name, key path and value of each projected property.
    open var description: String {
        if isInvalidated { return "[invalid object]" }
        let type: any AnyProjection.Type = type(of: self)
        var lines = ""
        for property in ProjectionSchema.of(type).properties {
            let value = ObjectDescription.text(
                of: rootObject._unmapped(at: property.path) ?? property.value(of: rootObject),
                depth: ObjectDescription.maximumDepth
            )
            lines += "\t\(property.name)(\\.\(property.path)) = \(ObjectDescription.indented(value));\n"
        }
        return "\(type)<\(Root.className())> {\n\(lines)}"
    }
}

extension Projection: Hashable, CustomStringConvertible {
    /// Returns a Boolean value that indicates whether both project the same object.
    public static func == (a: Projection, b: Projection) -> Bool { a.rootObject == b.rootObject }
    public func hash(into hasher: inout Hasher) { hasher.combine(rootObject) }
}

@available(
    *,
    unavailable,
    message: "A projection belongs to its object, and with it to a realm's thread, queue or actor"
)
extension Projection: Sendable {}

extension Projection: ThreadConfined {
    /// The realm of the object, or `nil` for an unmanaged or deleted object.
    public final var realm: Realm? { rootObject.realm }

    /// A Boolean value that indicates whether the object was deleted or its realm invalidated.
    public final var isInvalidated: Bool { rootObject.isInvalidated }

    public final var _rlmLocation: _Location {
        let type = type(of: self)
        return rootObject._rlmLocation.map { (root: Root) in type.init(projecting: root) }
    }
}

extension Projection: _ConfinedCollection { final var _core: RealmCore? { rootObject._core } }

extension ObjectKeyIdentifiable where Self: ProjectionObservable {
    /// An identifier of the row, for a managed object, or of the instance otherwise. It isn't stable between runs of
    /// the program.
    public var id: UInt64 { UInt64(truncatingIfNeeded: rootObject._identityHash) }
}

// MARK: Elements of results

extension Projection: RealmCollectionValue {
    public typealias PersistedType = Root

    public static var _rlmShape: _PropertyShape {
        var shape = Root._rlmShape
        shape.isMapped = true
        shape.isProjection = true
        return shape
    }
    public static func _rlmDefaultValue() -> Self { self.init(projecting: Root._rlmDefaultValue()) }
    public static func _rlmAny(_ value: Projection) -> Any? { value }
    public static func _rlmContent(_ value: Projection) -> _StoredContent { .object(value.rootObject) }
    public static func _rlmFromContent(_ content: _StoredContent) -> Self? {
        guard case .object(let object?) = content, let root = object as? Root else { return nil }
        return self.init(projecting: root)
    }
    public static func _rlmConvert(_ value: Any) -> _StoredContent? { nil }
}

extension Projection: RealmFetchable where Root: Object {}

/// A class of projections with any root.
protocol AnyProjection: RecordedRoot {
    static var rootClass: ObjectBase.Type { get }
    var root: ObjectBase { get }
    static func projecting(_ root: ObjectBase) -> Self
}

extension Projection: AnyProjection {
    static var rootClass: ObjectBase.Type { Root.self }
    final var root: ObjectBase { rootObject }
    static func projecting(_ root: ObjectBase) -> Self { self.init(projecting: unsafeDowncast(root, to: Root.self)) }

    static func recorded(by recorder: KeyPathRecorder) -> Self {
        let root = unsafeDowncast(recorder.object(of: ClassInfo.of(Root.self)), to: Root.self)
        let projection = self.init(projecting: root)
        // The class's own initialiser may have read properties.
        recorder.restart(at: root)
        return projection
    }

    static var recordedName: String { "\(self)" }
}

extension RealmCollectionValue {
    /// Returns the key paths on which a change makes an element count as modified. For projections, these are only the
    /// projected ones.
    static func observedKeyPaths(_ keyPaths: [String]?) -> [String]? {
        guard let projection = self as? any AnyProjection.Type else { return keyPaths }
        return ProjectionSchema.of(projection).watched(keyPaths).map(\.path)
    }
}
