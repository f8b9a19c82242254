/// A view of an object that shows some of its properties, under names and in shapes of its own.
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
/// Nothing is stored for a projection, and nothing copied: its properties read and write those of its object, with the
/// same rules (writes in write transactions, use on the realm's thread). It is as live, frozen, managed or invalid as
/// that is. Two projections of one object are equal. See <doc:ClassProjections>.
open class Projection<Root: ObjectBase>: ProjectionObservable {
    /// What is projected.
    public let rootObject: Root

    /// A projection of an object, managed or not.
    ///
    /// - Precondition: each projected property is about one stored property of the class.
    /// - Complexity: O(1); the first of a class is looked at by reflection.
    public required init(projecting object: Root) {
        rootObject = object
        // What is read to learn what the class projects is no object yet.
        if object._extra?.recorder == nil { ProjectionSchema.check(type(of: self)) }
    }

    /// The name of the object's class.
    public static func className() -> String { Root.className() }

    /// The class, and each projected property with what it stands for and its value.
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
    /// Whether both are of the same object.
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
    /// The realm that the object is in; nil for unmanaged and for deleted ones.
    public final var realm: Realm? { rootObject.realm }

    /// Whether the object was deleted, or its realm invalidated.
    public final var isInvalidated: Bool { rootObject.isInvalidated }

    public final var _rlmLocation: _Location {
        let type = type(of: self)
        return rootObject._rlmLocation.map { (root: Root) in type.init(projecting: root) }
    }
}

extension Projection: _ConfinedCollection { final var _core: RealmCore? { rootObject._core } }

extension ObjectKeyIdentifiable where Self: ProjectionObservable {
    /// The row for managed objects, the instance for others. Not stable between runs.
    public var id: UInt64 { UInt64(truncatingIfNeeded: rootObject._identityHash) }
}

// MARK: As an element of results

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

/// A class of projections, whatever its root.
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
        // A class's own initialiser may have read something.
        recorder.restart(at: root)
        return projection
    }

    static var recordedName: String { "\(self)" }
}

extension RealmCollectionValue {
    /// What makes an element count as modified: of projections only what they project.
    static func observedKeyPaths(_ keyPaths: [String]?) -> [String]? {
        guard let projection = self as? any AnyProjection.Type else { return keyPaths }
        return ProjectionSchema.of(projection).watched(keyPaths).map(\.path)
    }
}
