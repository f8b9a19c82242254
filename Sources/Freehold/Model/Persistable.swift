public import FreeholdEngine

/// A type that specifies its column.
public protocol _RealmSchemaDiscoverable {
    static var _rlmShape: _PropertyShape { get }
}

/// A type with a stored representation. Most types are stored as themselves.
public protocol _HasPersistedType {
    associatedtype PersistedType
}

/// A type that has a default value.
public protocol _DefaultConstructible {}

/// A type that `@Persisted(indexed: true)` accepts.
public protocol _Indexable {}

/// A type that `@Persisted(primaryKey: true)` accepts. It includes `Bool`, which opening a realm refuses.
public protocol _PrimaryKey {}

/// A type that a `@Persisted` property can have.
///
/// The requirements are for use by the library only. Don't call or implement them.
public protocol _Persistable: _RealmSchemaDiscoverable, _HasPersistedType
where PersistedType: _Persistable, PersistedType.PersistedType.PersistedType == PersistedType.PersistedType {
    /// The content of the wrapper. It is the value itself, or an optional for values that are created on first use.
    associatedtype _Storage = Self

    /// Returns the content of the wrapper of a managed property. It is never read as a value, and is cheap to create.
    static func _rlmPlaceholder() -> _Storage
    /// Returns the content of the wrapper of a new object's property without a default value.
    static func _rlmInitialStorage() -> _Storage
    static func _rlmBox(_ value: Self) -> _Storage
    /// Returns nil if no value has been created yet.
    static func _rlmUnbox(_ storage: _Storage) -> Self?
    /// Returns zero, an empty value, nil, the current time, or a new unique identifier.
    static func _rlmDefaultValue() -> Self
    /// A Boolean value that indicates whether an assignment copies the contents of a collection instead of replacing
    /// the value.
    static var _rlmCopiesOnAssignment: Bool { get }
    static func _rlmAssign(_ current: Self, to new: Self)

    static func _rlmGet(_ object: ObjectBase, _ key: Int) -> Self
    static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: Self)

    /// Returns the value as plain data: numbers as `Int`, `Float` or `Double`, and null as nil.
    static func _rlmAny(_ value: Self) -> Any?
    static func _rlmContent(_ value: Self) -> _StoredContent
    /// Returns the value of a content, or nil if the content has another type.
    static func _rlmFromContent(_ content: _StoredContent) -> Self?
    /// Converts another value, such as an `Int` for an `Int8`, or the text of a `Decimal128`. Returns nil if the value
    /// can't be converted. Objects and collections of objects are converted in another way.
    static func _rlmConvert(_ value: Any) -> _StoredContent?
}

extension _Persistable {
    @inlinable public static var _rlmCopiesOnAssignment: Bool { @inline(__always) get { false } }
    @inlinable public static func _rlmAssign(_ current: Self, to new: Self) {}
}

extension _Persistable where _Storage == Self {
    @inlinable @inline(__always) public static func _rlmInitialStorage() -> Self { _rlmDefaultValue() }
    @inlinable @inline(__always) public static func _rlmBox(_ value: Self) -> Self { value }
    @inlinable @inline(__always) public static func _rlmUnbox(_ storage: Self) -> Self? { storage }
}

/// A type whose optional is persistable too.
public protocol _PersistableInsideOptional: _Persistable where PersistedType: _PersistableInsideOptional {
    /// Prepares a value before an unmanaged object stores it.
    static func _rlmWillHold(_ value: Self)
    static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> Self?
    static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, to value: Self?)
}

extension _PersistableInsideOptional {
    @inlinable @inline(__always) public static func _rlmWillHold(_ value: Self) {}
}

/// A type that collections can contain.
public protocol RealmCollectionValue: Hashable, _RealmSchemaDiscoverable, _HasPersistedType
where PersistedType: RealmCollectionValue {
    static func _rlmDefaultValue() -> Self
    static func _rlmAny(_ value: Self) -> Any?
    static func _rlmContent(_ value: Self) -> _StoredContent
    static func _rlmFromContent(_ content: _StoredContent) -> Self?
    static func _rlmConvert(_ value: Any) -> _StoredContent?
    /// Returns the result of reading an element whose content has another type or isn't a value of the type.
    static func _rlmUnmapped(_ content: _StoredContent) -> Self
}

extension RealmCollectionValue {
    public static func _rlmUnmapped(_ content: _StoredContent) -> Self { _rlmDefaultValue() }
}

/// A type whose optional can be an element of a collection.
public protocol _RealmCollectionValueInsideOptional: RealmCollectionValue
where PersistedType: _RealmCollectionValueInsideOptional {}

/// A type of single plain values in one column: all types except objects and collections.
public protocol _PersistableScalar: _PersistableInsideOptional, _RealmCollectionValueInsideOptional,
    _DefaultConstructible
where _Storage == Self, PersistedType == Self {
    init()
    /// The value in the form of the engine.
    var _rlmStored: Value { get }
    /// Returns nil for null and for values of another type.
    init?(_rlmStored value: Value)
    /// Returns the stored value of a property. Returns `nil` for null, and if the type can't represent the value. In
    /// the second case, `_rlmGet` returns the nearest value.
    static func _rlmExact(_ object: ObjectBase, _ key: Int) -> Self?
    /// Converts a stored value like `init(_rlmStored:)`. A number that doesn't fit into the type becomes `nil`.
    static func _rlmExact(_ value: Value) -> Self?
    /// Converts another value, such as an `Int8` for an `Int`, or the text of a `Decimal128`.
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

/// The type `Optional`, for use in constraints.
public protocol OptionalProtocol: ExpressibleByNilLiteral {
    associatedtype Wrapped
    var _rlmOptional: Wrapped? { get }
    var _rlmAnyWrapped: Any? { get }
}

extension Optional: OptionalProtocol {
    @inlinable public var _rlmOptional: Wrapped? { self }
    @inlinable public var _rlmAnyWrapped: Any? { self.map { $0 as Any } }
}
