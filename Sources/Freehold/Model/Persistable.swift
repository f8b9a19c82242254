public import FreeholdEngine

/// A type that says what column it needs.
public protocol _RealmSchemaDiscoverable {
    static var _rlmShape: _PropertyShape { get }
}

/// A type with a representation that is stored; most types are their own.
public protocol _HasPersistedType {
    associatedtype PersistedType
}

/// A type that has a default value.
public protocol _DefaultConstructible {}

/// A type that `@Persisted(indexed: true)` accepts.
public protocol _Indexable {}

/// A type that `@Persisted(primaryKey: true)` accepts. `Bool` does too; opening a realm then refuses it.
public protocol _PrimaryKey {}

/// A type that a `@Persisted` property can have.
///
/// The requirements are the library's own; don't call or implement them.
public protocol _Persistable: _RealmSchemaDiscoverable, _HasPersistedType
where PersistedType: _Persistable, PersistedType.PersistedType.PersistedType == PersistedType.PersistedType {
    /// What the wrapper holds: the value itself, or an optional where a value is made on first use.
    associatedtype _Storage = Self

    /// What the wrapper of a managed property holds: never read as a value, cheap to make.
    static func _rlmPlaceholder() -> _Storage
    /// What the wrapper of a new object's property holds when no default value is given.
    static func _rlmInitialStorage() -> _Storage
    static func _rlmBox(_ value: Self) -> _Storage
    /// Nil if no value has been made yet.
    static func _rlmUnbox(_ storage: _Storage) -> Self?
    /// Zero, empty, nil, the current time, a new unique identifier.
    static func _rlmDefaultValue() -> Self
    /// Whether assignment copies contents (of collections) rather than replacing the value.
    static var _rlmCopiesOnAssignment: Bool { get }
    static func _rlmAssign(_ current: Self, _ new: Self)

    static func _rlmGet(_ object: ObjectBase, _ key: Int) -> Self
    static func _rlmSet(_ object: ObjectBase, _ key: Int, _ value: Self)

    /// The value as plain data: numbers as `Int`, `Float`, `Double`; nil for null.
    static func _rlmAny(_ value: Self) -> Any?
    static func _rlmContent(_ value: Self) -> _StoredContent
    /// Nil if the content is of another type.
    static func _rlmFromContent(_ content: _StoredContent) -> Self?
    /// What some other value stands for: an `Int` for an `Int8`, the text of a `Decimal128`. Nil if nothing; objects
    /// and collections of them are converted without asking.
    static func _rlmConvert(_ value: Any) -> _StoredContent?
}

extension _Persistable {
    @inlinable public static var _rlmCopiesOnAssignment: Bool { @inline(__always) get { false } }
    @inlinable public static func _rlmAssign(_ current: Self, _ new: Self) {}
}

extension _Persistable where _Storage == Self {
    @inlinable @inline(__always) public static func _rlmInitialStorage() -> Self { _rlmDefaultValue() }
    @inlinable @inline(__always) public static func _rlmBox(_ value: Self) -> Self { value }
    @inlinable @inline(__always) public static func _rlmUnbox(_ storage: Self) -> Self? { storage }
}

/// A type whose optional is persistable too.
public protocol _PersistableInsideOptional: _Persistable where PersistedType: _PersistableInsideOptional {
    /// Is called before an unmanaged object holds the value.
    static func _rlmWillHold(_ value: Self)
    static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> Self?
    static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, _ value: Self?)
}

extension _PersistableInsideOptional {
    @inlinable @inline(__always) public static func _rlmWillHold(_ value: Self) {}
}

/// A type that collections can hold.
public protocol RealmCollectionValue: Hashable, _RealmSchemaDiscoverable, _HasPersistedType
where PersistedType: RealmCollectionValue {
    static func _rlmDefaultValue() -> Self
    static func _rlmAny(_ value: Self) -> Any?
    static func _rlmContent(_ value: Self) -> _StoredContent
    static func _rlmFromContent(_ content: _StoredContent) -> Self?
    static func _rlmConvert(_ value: Any) -> _StoredContent?
    /// What a read gives for an element whose content is of another type, or stands for no value.
    static func _rlmUnmapped(_ content: _StoredContent) -> Self
}

extension RealmCollectionValue {
    public static func _rlmUnmapped(_ content: _StoredContent) -> Self { _rlmDefaultValue() }
}

/// A type whose optional can be an element of a collection.
public protocol _RealmCollectionValueInsideOptional: RealmCollectionValue
where PersistedType: _RealmCollectionValueInsideOptional {}

/// One plain value in one column: everything but objects and collections.
public protocol _PersistableScalar: _PersistableInsideOptional, _RealmCollectionValueInsideOptional,
    _DefaultConstructible
where _Storage == Self, PersistedType == Self {
    init()
    /// The value in the engine's terms.
    var _rlmStored: Value { get }
    /// Nil for null, or a value of another type.
    init?(_rlmStored value: Value)
    /// Returns the stored value of a property. Returns `nil` for null, and if the type can't represent it, for which `_rlmGet` returns the
    /// nearest value.
    static func _rlmExact(_ object: ObjectBase, _ key: Int) -> Self?
    /// Like `init(_rlmStored:)`, except that a number that doesn't fit into the type is `nil`.
    static func _rlmExact(_ value: Value) -> Self?
    /// The value that some other value stands for: an `Int` from an `Int8`, a `Decimal128` from its text.
    init?(_rlmConverting value: Any)
}

extension _PersistableScalar {
    public static func _rlmAny(_ value: Self) -> Any? { value._rlmStored.plainValue }
    public static func _rlmContent(_ value: Self) -> _StoredContent { .value(value._rlmStored) }
    public static func _rlmFromContent(_ content: _StoredContent) -> Self? {
        guard case .value(let value) = content else { return nil }
        return Self(_rlmStored: value)
    }
    @inlinable public static func _rlmExact(_ object: ObjectBase, _ key: Int) -> Self? { _rlmGetOptional(object, key) }
    @inlinable public static func _rlmExact(_ value: Value) -> Self? { Self(_rlmStored: value) }
    public static func _rlmConvert(_ value: Any) -> _StoredContent? {
        Self(_rlmConverting: value).map { .value($0._rlmStored) }
    }
    @inlinable public static func _rlmDefaultValue() -> Self { Self() }
    @inlinable @inline(__always) public static func _rlmPlaceholder() -> Self { Self() }
}

/// `Optional`, in constraints.
public protocol OptionalProtocol: ExpressibleByNilLiteral {
    associatedtype Wrapped
    var _rlmOptional: Wrapped? { get }
    var _rlmAnyWrapped: Any? { get }
}

extension Optional: OptionalProtocol {
    @inlinable public var _rlmOptional: Wrapped? { self }
    @inlinable public var _rlmAnyWrapped: Any? { self.map { $0 as Any } }
}
