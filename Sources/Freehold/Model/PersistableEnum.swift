import FreeholdEngine

/// An enum whose raw value is stored.
///
/// ```swift
/// enum Status: String, PersistableEnum { case pending, done }
/// class Task: Object {
///     @Persisted var status = Status.pending
///     @Persisted var earlier: List<Status>
/// }
/// ```
///
/// Stands wherever its raw type may: optional, in collections, as an indexed property, as a primary key. Without a
/// default value a property starts with the first case. A stored raw value that no case has reads as nil where the
/// property, or the collection's element, is optional. Else reading it is a programmer error, except in a synced realm: there
/// another version of the app may have stored it, and it reads as the property's default value, or as the element type's.
/// Everything that doesn't need a value of the enum shows the raw value: `print`, `object["status"]`, `value(forKey:)`, copies in a realm,
/// JSON.
public protocol PersistableEnum: _PersistableInsideOptional, _RealmCollectionValueInsideOptional, _DefaultConstructible,
    RawRepresentable, CaseIterable, Comparable, MinMaxType, RealmEnum
where RawValue: _PersistableScalar & Comparable, PersistedType == RawValue, _Storage == Self {}

/// The older name of an enum that can be stored.
public protocol RealmEnum {}

extension PersistableEnum {
    /// By raw value.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    public static var _rlmShape: _PropertyShape {
        var shape = RawValue._rlmShape
        shape.isPartial = true
        return shape
    }

    @inlinable public static func _rlmPlaceholder() -> Self { _rlmDefaultValue() }
    @inlinable public static func _rlmDefaultValue() -> Self {
        guard let first = allCases.first else { _fhNoCases(Self.self) }
        return first
    }
    @inlinable @inline(__always) public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> Self {
        guard let raw = RawValue._rlmExact(object, key), let value = Self(rawValue: raw) else {
            return _rlmUnknown(object, key)
        }
        return value
    }
    @inline(never) public static func _rlmUnknown(_ object: ObjectBase, _ key: Int) -> Self {
        if let value: Self = object._fallback(key) { return value }
        return _fhUnmapped(
            object,
            object._extra?.recorder == nil ? RawValue._rlmGet(object, key) : nil,
            _rlmDefaultValue()
        )
    }
    @inlinable @inline(__always) public static func _rlmSet(_ object: ObjectBase, _ key: Int, _ value: Self) {
        RawValue._rlmSet(object, key, value.rawValue)
    }
    @inlinable @inline(__always) public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> Self? {
        guard let raw = RawValue._rlmExact(object, key) else { return nil }
        return Self(rawValue: raw)
    }
    @inlinable public static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, _ value: Self?) {
        RawValue._rlmSetOptional(object, key, value?.rawValue)
    }

    public static func _rlmAny(_ value: Self) -> Any? { RawValue._rlmAny(value.rawValue) }
    public static func _rlmContent(_ value: Self) -> _StoredContent { RawValue._rlmContent(value.rawValue) }
    public static func _rlmFromContent(_ content: _StoredContent) -> Self? {
        guard case .value(let value) = content else { return nil }
        return RawValue._rlmExact(value).flatMap { Self(rawValue: $0) }
    }
    /// A case, or the raw value of one.
    public static func _rlmConvert(_ value: Any) -> _StoredContent? {
        if let value = value as? Self { return _rlmContent(value) }
        guard let content = RawValue._rlmConvert(value), _rlmFromContent(content) != nil else { return nil }
        return content
    }
    public static func _rlmUnmapped(_ content: _StoredContent) -> Self { _fhUnmapped(nil, content.plain, nil) }
}

@usableFromInline @inline(never)
func _fhNoCases(_ type: Any.Type) -> Never {
    programmerError("\(type) has no cases, so that it has no default value. Declare one.")
}

/// What a stored value reads as that no Swift value stands for. Key paths are applied to objects without values.
@usableFromInline @inline(never)
func _fhUnmapped<T>(_ object: ObjectBase?, _ value: Any?, _ fallback: @autoclosure () -> T?) -> T {
    if object?._extra?.recorder != nil, let fallback = fallback() { return fallback }
    programmerError(
        "The stored value \(value.map { PlainValue.describe($0) } ?? "null") stands for no \(T.self). Declare the "
            + "property (or the element) as an optional, which reads such values as nil."
    )
}
