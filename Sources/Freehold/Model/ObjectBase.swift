import FreeholdEngine

/// The base class of all stored objects, such as ``Object``.
///
/// An object is *unmanaged* until it is added to a realm. It is then ordinary memory, which one thread at a time may
/// use. Afterwards it is *managed*: its properties are read from the file and written to it, and it may be used only on
/// the thread, queue or actor of its realm. It becomes invalid when it is deleted.
///
/// Models can override the members ``description``, ``hash`` and ``isEqual(_:)``.
open class ObjectBase {
    // The fields of the fast path of accessors. An object is confined to its realm's thread, or to its owner while it
    // is unmanaged, so `final` members can't violate exclusivity.
    @exclusivity(unchecked) final var _state: UnsafeMutablePointer<TableState>?
    /// The state version at which the object was last known to exist.
    @exclusivity(unchecked) final var _stamp: UInt64 = 0
    @exclusivity(unchecked) final var _rawKey: Int64 = -1
    @exclusivity(unchecked) final var _cluster = 0
    @exclusivity(unchecked) final var _slot = 0
    /// A reference that keeps the realm's core alive, and with it the table and its state.
    @exclusivity(unchecked) final var _core: RealmCore?
    /// The data that few objects have. See ``ObjectExtra``.
    @exclusivity(unchecked) final var _extra: ObjectExtra?

    /// Creates an unmanaged object with the default values of its properties.
    public init() {}

    /// Creates an object of a class that is known only at run time: `type.init()`, or `T()` with a generic `T`.
    ///
    /// `init()` itself isn't `required`, so that models can declare it with `override` or with `required override`. If
    /// the designated initialiser of a class hides `init()`, the compiler reports that this initialiser is missing. Its
    /// label contains the remedy.
    public required convenience init(
        _addOverrideInitOrMakeYourInitConvenience: _HiddenInitializer = _HiddenInitializer()
    ) {
        self.init()
    }

    /// Returns the name of the class without its module and enclosing types. It is the default name of the table.
    open class func className() -> String { ClassDescriptor(self).name }

    /// Returns a Boolean value that indicates whether a realm without a list of classes stores this class.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }

    /// Returns the name of the class in the file, or `nil` for the default.
    ///
    /// Use it for classes that were renamed, that have another name in other systems, whose own name is longer than 57
    /// bytes, or that share their name with another class. A subclass doesn't inherit the name.
    ///
    /// ```swift
    /// class Boat: Object {
    ///     @Persisted var name = ""
    ///     override class func mappedName() -> String? { "naval_ship" }
    /// }
    /// ```
    open class func mappedName() -> String? { nil }

    /// Returns the same as ``mappedName()``. This is the name in RealmSwift.
    open class func _realmObjectName() -> String? { nil }

    /// Returns names of properties with their names in the file. `@Persisted(mapTo:)` sets the name of one property.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// Returns the policy for the names, in the file, of properties without an explicit name, including inherited ones.
    /// `nil` stands for the policy of the realm's configuration.
    open class func propertyNamingPolicy() -> NamingPolicy? { nil }

    /// Returns the names of `@Persisted` properties that aren't stored. They behave like plain properties, also in
    /// managed objects. Properties without `@Persisted` are never stored, and needn't be listed.
    open class func ignoredProperties() -> [String] { [] }

    /// Returns the indexes of several properties, unique or not. A subclass with its own indexes adds them to those of
    /// `super`.
    open class func compoundIndexes() -> [CompoundIndex] { [] }

    /// A text with the object and its properties: links up to a depth of 5, the first 100 elements of collections, and
    /// the first 24 bytes of data.
    open var description: String { ObjectDescription.describe(self) }

    /// The hash of the object. Equal objects have equal hashes. See ``isEqual(_:)``.
    open var hash: Int { _identityHash }

    /// Returns a Boolean value that indicates whether the other value is the same object: the same row of the same
    /// realm for managed objects, or the same instance otherwise.
    open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? ObjectBase else { return false }
        return _isSameRow(as: other)
    }

    /// A Boolean value that indicates whether the object was deleted or its realm was invalidated. It is `false` for
    /// unmanaged objects.
    open var isInvalidated: Bool { _isManaged && !_isLive() }

    /// The description of the class of an unmanaged object.
    var _unmanagedInfo: ClassInfo { ClassInfo.of(type(of: self)) }
}

/// A marker that distinguishes the initialiser for classes known only at run time from `init()`.
public struct _HiddenInitializer {
    @usableFromInline init() {}
}

/// The data that only few objects have.
final class ObjectExtra {
    /// The first error of `init(value:)`, which a later `add` reports.
    var valueError: Realm.Error?
    /// The recorder, for objects to which key paths are applied.
    var recorder: KeyPathRecorder?
    /// The contents of an unmanaged object's properties that aren't values of their types, by property. See
    /// `KeptContents.swift`.
    var kept: [Int: _StoredContent] = [:]
    /// The observers of an unmanaged object.
    var observers: UnmanagedObservers?
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
    /// A Boolean value that indicates whether the object is a row of a realm, or was one before its deletion.
    final var _isManaged: Bool { _core != nil }

    final var _key: ObjectKey { ObjectKey(_rawKey) }

    final var _table: ManagedTable? {
        guard _core != nil, let state = _state else { return nil }
        return state.pointee.table?.takeUnretainedValue()
    }

    final var _info: ClassInfo { _table?.info ?? _unmanagedInfo }

    /// Returns a Boolean value that indicates whether both are the same row of the same core, or the same instance. The
    /// typed and the dynamic object of a row are equal.
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
