import FreeholdEngine

/// An enum that is stored as its raw value.
///
/// ```swift
/// enum Status: String, PersistableEnum { case pending, done }
/// class Task: Object {
///     @Persisted var status = Status.pending
///     @Persisted var earlier: List<Status>
/// }
/// ```
///
/// The enum can be used like its raw type: in optionals, collections, indexed properties and primary keys. The initial
/// value of a property without a default is the first case.
///
/// A stored raw value without a case reads as `nil` if the property, or the element of the collection, is optional.
/// Otherwise, reading it is a programmer error, except in a synced realm, because another version of the app may have
/// stored the value there. It then reads as the default value of the property, or of the element type. Operations that
/// don't need a value of the enum show the raw value: `print`, `object["status"]`, `value(forKey:)`, JSON and copies,
/// managed or not.
public protocol PersistableEnum: _PersistableInsideOptional, _RealmCollectionValueInsideOptional, _DefaultConstructible,
    RawRepresentable, CaseIterable, Comparable, MinMaxType, RealmEnum
where RawValue: _PersistableScalar & Comparable, PersistedType == RawValue, _Storage == Self {}

/// An older name of a protocol for enums that can be stored.
public protocol RealmEnum {}

extension PersistableEnum {
    /// Compares the raw values.
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
            object._extra?.recorder == nil ? object._kept(key)?.plain ?? RawValue._rlmGet(object, key) : nil,
            or: _rlmDefaultValue()
        )
    }
    @inlinable @inline(__always) public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: Self) {
        RawValue._rlmSet(object, key, to: value.rawValue)
    }
    @inlinable @inline(__always) public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> Self? {
        guard let raw = RawValue._rlmExact(object, key) else { return nil }
        return Self(rawValue: raw)
    }
    @inlinable public static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, to value: Self?) {
        RawValue._rlmSetOptional(object, key, to: value?.rawValue)
    }

    public static func _rlmAny(_ value: Self) -> Any? { RawValue._rlmAny(value.rawValue) }
    public static func _rlmContent(_ value: Self) -> _StoredContent { RawValue._rlmContent(value.rawValue) }
    public static func _rlmFromContent(_ content: _StoredContent) -> Self? {
        guard case .value(let value) = content else { return nil }
        return RawValue._rlmExact(value).flatMap { Self(rawValue: $0) }
    }
    /// Converts a case, or the raw value of a case.
    public static func _rlmConvert(_ value: Any) -> _StoredContent? {
        if let value = value as? Self { return _rlmContent(value) }
        guard let content = RawValue._rlmConvert(value), _rlmFromContent(content) != nil else { return nil }
        return content
    }
    public static func _rlmUnmapped(_ content: _StoredContent) -> Self { _fhUnmapped(nil, content.plain, or: nil) }
}

@usableFromInline @inline(never)
func _fhNoCases(_ type: Any.Type) -> Never {
    programmerError("\(type) has no cases, so that it has no default value. Declare one.")
}

/// Returns the result of reading a stored value that isn't a value of the Swift type. Key paths are applied to objects
/// without values.
@usableFromInline @inline(never)
func _fhUnmapped<T>(_ object: ObjectBase?, _ value: Any?, or fallback: @autoclosure () -> T?) -> T {
    if object?._extra?.recorder != nil, let fallback = fallback() { return fallback }
    programmerError(
        "The stored value \(value.map { PlainValue.describe($0) } ?? "null") stands for no \(T.self). Declare the "
            + "property (or the element) as an optional, which reads such values as nil."
    )
}
