import FreeholdEngine

/// The root of everything that can be stored: ``Object`` and what comes beside it.
///
/// An object is *unmanaged* (ordinary memory, of any thread's, one at a time) until it is added to a realm. From
/// then on it is *managed*: its properties are read from and written to the file, and it may be used only on the
/// thread, queue or actor of its realm. It becomes invalid when it is deleted.
///
/// What models override is declared here: ``description``, ``hash``, ``isEqual(_:)``.
open class ObjectBase {
    // Plain fields of the accessor's hot path. An object is confined to its realm's thread (or to its owner while
    // it is unmanaged), so that exclusivity can't be violated by what is `final` here.
    @exclusivity(unchecked) final var _state: UnsafeMutablePointer<TableState>?
    /// The state version at which the object was last known to live.
    @exclusivity(unchecked) final var _stamp: UInt64 = 0
    @exclusivity(unchecked) final var _rawKey: Int64 = -1
    @exclusivity(unchecked) final var _cluster = 0
    @exclusivity(unchecked) final var _slot = 0
    /// Keeps the realm's core, and with it the table and its state, alive.
    @exclusivity(unchecked) final var _core: RealmCore?
    /// What few objects have: see ``ObjectExtra``.
    @exclusivity(unchecked) final var _extra: ObjectExtra?

    /// An unmanaged object with the default values of its properties.
    public init() {}

    /// Makes an object of a class known only at run time: `type.init()`, or `T()` of a generic `T`.
    ///
    /// `init()` itself isn't `required`, so that models can declare it with `override` as well as with
    /// `required override`. A class whose own designated initialiser hides `init()` is told so by the label, in the
    /// compiler's message that this one is missing.
    public required convenience init(
        _addOverrideInitOrMakeYourInitConvenience: _HiddenInitializer = _HiddenInitializer()
    ) {
        self.init()
    }

    /// The name of the class, without its module and the types it is nested in: the default name of its table.
    open class func className() -> String { ClassDescriptor(self).name }

    /// Whether a realm that is opened without a list of classes stores this one.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }

    /// The name of the class in the file, where it isn't that of the class.
    ///
    /// For classes that were renamed, that other systems call otherwise, whose own name is over 57 bytes, or that share
    /// their name with another class. A subclass doesn't inherit the name.
    ///
    /// ```swift
    /// class Boat: Object {
    ///     @Persisted var name = ""
    ///     override class func mappedName() -> String? { "naval_ship" }
    /// }
    /// ```
    open class func mappedName() -> String? { nil }

    /// RealmSwift's spelling of ``mappedName()``.
    open class func _realmObjectName() -> String? { nil }

    /// Names of properties, and the names that they have in the file. `@Persisted(mapTo:)` says the same of one.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// How the properties are called in the file that aren't mapped one by one, inherited ones with them. Nil for what
    /// the realm's configuration says.
    open class func propertyNamingPolicy() -> NamingPolicy? { nil }

    /// Names of properties that aren't stored, although they are declared with `@Persisted`. They behave as plain
    /// ones, in managed objects too. Properties without `@Persisted` are never stored, and need no mention.
    open class func ignoredProperties() -> [String] { [] }

    /// Indexes of several properties together, unique or not. A subclass that declares its own adds those of `super`.
    open class func compoundIndexes() -> [CompoundIndex] { [] }

    /// The object and its properties in text: links to a depth of 5, the first 100 elements of collections, the
    /// first 24 bytes of data.
    open var description: String { ObjectDescription.describe(self) }

    /// Equal objects have one hash: see ``isEqual(_:)``.
    open var hash: Int { _identityHash }

    /// Whether the other value is the same object: for managed objects the same row of the same realm, else the
    /// same instance.
    open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? ObjectBase else { return false }
        return _isSameRow(as: other)
    }

    /// Whether the object was deleted from its realm, or its realm was invalidated. False for unmanaged objects.
    open var isInvalidated: Bool { _isManaged && !_isLive() }

    /// What is known of the class of an unmanaged object.
    var _unmanagedInfo: ClassInfo { ClassInfo.of(type(of: self)) }
}

/// What tells the initialiser that is called of classes known only at run time from `init()`.
public struct _HiddenInitializer {
    @usableFromInline init() {}
}

/// What only few objects carry.
final class ObjectExtra {
    /// The first error of `init(value:)`, for the `add` to come.
    var valueError: Realm.Error?
    /// Set on the instances that key paths are applied to.
    var recorder: KeyPathRecorder?
}

extension ObjectBase: Hashable {
    public static func == (a: ObjectBase, b: ObjectBase) -> Bool { a.isEqual(b) }
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension ObjectBase: CustomStringConvertible {}

@available(
    *,
    unavailable,
    message:
        "A managed object belongs to the thread of its realm: pass its primary key, or read and write with Realm.read and Realm.write"
)
extension ObjectBase: Sendable {}

extension ObjectBase {
    /// Whether the object is a row of a realm (or was, before its deletion).
    final var _isManaged: Bool { _core != nil }

    final var _key: ObjectKey { ObjectKey(_rawKey) }

    final var _table: ManagedTable? {
        guard _core != nil, let state = _state else { return nil }
        return state.pointee.table?.takeUnretainedValue()
    }

    final var _info: ClassInfo { _table?.info ?? _unmanagedInfo }

    /// Same row of the same core, or the same instance. A row's typed and dynamic objects are equal.
    final func _isSameRow(as other: ObjectBase) -> Bool {
        if self === other { return true }
        guard let core = _core, core === other._core, _rawKey == other._rawKey else { return false }
        return _state == other._state || _table?.table.id == other._table?.table.id
    }

    final var _identityHash: Int {
        var hasher = Hasher()
        if let table = _table, let core = _core {
            hasher.combine(ObjectIdentifier(core))
            hasher.combine(table.table.id)
            hasher.combine(_rawKey)
        } else {
            hasher.combine(ObjectIdentifier(self))
        }
        return hasher.finalize()
    }

    final var _unmanagedError: Realm.Error? {
        get { _extra?.valueError }
        set {
            if newValue == nil && _extra == nil { return }
            if _extra == nil { _extra = ObjectExtra() }
            _extra!.valueError = newValue
        }
    }
}
