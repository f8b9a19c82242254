import FreeholdEngine

/// The common interface of ``CustomPersistable`` and ``FailableCustomPersistable``.
public protocol _CustomPersistable: _PersistableInsideOptional, _RealmCollectionValueInsideOptional,
    _DefaultConstructible
where _Storage == Self? {
    /// The value that is stored.
    var persistableValue: PersistedType { get }
    static func _rlmMapped(_ persisted: PersistedType) -> Self?
}

/// A type of the program that is stored as another type, either a scalar or an embedded object.
///
/// ```swift
/// struct Celsius: CustomPersistable {
///     typealias PersistedType = Double
///     var degrees: Double
///     init(persistedValue: Double) { degrees = persistedValue }
///     var persistableValue: Double { degrees }
/// }
/// class Reading: Object { @Persisted var temperature: Celsius }
/// ```
///
/// A custom type can be used like its stored type: in optionals, collections, indexes, primary keys and queries. The
/// initial value of a property without a default is made from the default value of the stored type. If the type is
/// mapped to an embedded object and the property has no object, the property reads as the default. Each read creates
/// the value again.
public protocol CustomPersistable: _CustomPersistable {
    /// Creates the value for a stored value.
    init(persistedValue: PersistedType)
}

/// A type of the program that is stored as another type, for which some stored values aren't valid. Otherwise it is
/// like ``CustomPersistable``.
///
/// ```swift
/// extension URL: FailableCustomPersistable {
///     public typealias PersistedType = String
///     public init?(persistedValue: String) { self.init(string: persistedValue) }
///     public var persistableValue: String { absoluteString }
/// }
/// ```
///
/// If the property or the element is optional, an invalid stored value reads as `nil`. Otherwise, reading it is a
/// programmer error, except in a synced realm, where it reads as the default value. Operations that don't need a value
/// of the type show the stored value. A property that isn't optional needs a default value, or a stored type whose
/// default value is valid.
public protocol FailableCustomPersistable: _CustomPersistable {
    /// Creates the value for a stored value, or returns `nil` if the stored value isn't valid.
    init?(persistedValue: PersistedType)
}

extension CustomPersistable {
    public static func _rlmMapped(_ persisted: PersistedType) -> Self? { Self(persistedValue: persisted) }
}

extension FailableCustomPersistable {
    public static func _rlmMapped(_ persisted: PersistedType) -> Self? { Self(persistedValue: persisted) }
}

extension _CustomPersistable where PersistedType: _PersistableScalar {
    /// Compares the stored values. A type that is stored as an embedded object has its own equality.
    public static func == (a: Self, b: Self) -> Bool { a.persistableValue == b.persistableValue }
    public func hash(into hasher: inout Hasher) { hasher.combine(persistableValue) }
}

extension _CustomPersistable {
    private static var isObject: Bool { PersistedType._rlmShape.type == .object }

    public static var _rlmShape: _PropertyShape {
        var shape = PersistedType._rlmShape
        // If no object is stored, the value is the default.
        if shape.type == .object { shape.isOptional = true }
        shape.isMapped = true
        if Self.self is any FailableCustomPersistable.Type { shape.isPartial = true }
        return shape
    }

    @inlinable @inline(__always) public static func _rlmPlaceholder() -> Self? { nil }
    @inlinable public static func _rlmInitialStorage() -> Self? { nil }
    @inlinable public static func _rlmBox(_ value: Self) -> Self? { value }
    @inlinable public static func _rlmUnbox(_ storage: Self?) -> Self? { storage }
    public static func _rlmDefaultValue() -> Self {
        let persisted = (PersistedType.self as any _Persistable.Type).defaultValue as! PersistedType
        guard let value = _rlmMapped(persisted) else {
            programmerError(
                "The default value of \(PersistedType.self) stands for no \(Self.self). Give the property a default value, "
                    + "or declare it as an optional."
            )
        }
        return value
    }

    public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> Self {
        if object._recordsReads(key) {
            // Not every type has a default value, but the property must have one.
            let info = ClassInfo.of(type(of: object))
            return Persisted<Self>.get(info.makeUnmanaged(), info.properties[key])
        }
        if let kept = object._kept(key) { return _fhUnmapped(nil, kept.plain, or: nil) }
        if isObject {
            guard let persisted = PersistedType._rlmGetOptional(object, key) else { return _rlmDefaultValue() }
            return _rlmMapped(persisted) ?? object._fallback(key) ?? _fhUnmapped(nil, persisted, or: nil)
        }
        let persisted = PersistedType._rlmGet(object, key)
        return _rlmMapped(persisted) ?? object._fallback(key) ?? _fhUnmapped(nil, persisted, or: nil)
    }
    public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: Self) {
        let persisted = value.persistableValue
        if isObject {
            PersistedType._rlmSetOptional(object, key, to: persisted)
        } else {
            PersistedType._rlmSet(object, key, to: persisted)
        }
    }
    public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> Self? {
        if object._recordsReads(key) || object._kept(key) != nil { return nil }
        return PersistedType._rlmGetOptional(object, key).flatMap { _rlmMapped($0) }
    }
    public static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, to value: Self?) {
        PersistedType._rlmSetOptional(object, key, to: value?.persistableValue)
    }

    public static func _rlmAny(_ value: Self) -> Any? {
        (PersistedType.self as any RealmCollectionValue.Type).plain(value.persistableValue)
    }
    public static func _rlmContent(_ value: Self) -> _StoredContent {
        (PersistedType.self as any RealmCollectionValue.Type).content(value.persistableValue)
    }
    public static func _rlmFromContent(_ content: _StoredContent) -> Self? {
        if isObject, case .object(nil) = content { return nil }
        let persisted = (PersistedType.self as any RealmCollectionValue.Type).value(from: content)
        return (persisted as? PersistedType).flatMap { _rlmMapped($0) }
    }
    /// Converts a value of the type, or a value of its stored type.
    public static func _rlmConvert(_ value: Any) -> _StoredContent? {
        if let value = value as? Self { return _rlmContent(value) }
        guard let content = (PersistedType.self as any RealmCollectionValue.Type).converted(value),
            _rlmFromContent(content) != nil
        else { return nil }
        return content
    }
    public static func _rlmUnmapped(_ content: _StoredContent) -> Self {
        if isObject, case .object(nil) = content { return _rlmDefaultValue() }
        return _fhUnmapped(nil, content.plain, or: nil)
    }
}

extension _Persistable {
    fileprivate static var defaultValue: Any { _rlmDefaultValue() }
}

// The requirements for the conversion of values and of elements have the same names. These functions select one of
// them.
extension RealmCollectionValue {
    fileprivate static func plain(_ value: Any) -> Any? { (value as? Self).flatMap { _rlmAny($0) } }
    fileprivate static func content(_ value: Any) -> _StoredContent { _rlmContent(value as! Self) }
    fileprivate static func value(from content: _StoredContent) -> Any? { _rlmFromContent(content) }
    fileprivate static func converted(_ value: Any) -> _StoredContent? { _rlmConvert(value) }
}

extension ObjectBase {
    /// Records the read, if a key path is being applied to the object.
    final func _recordsReads(_ key: Int) -> Bool {
        guard _extra?.recorder != nil else { return false }
        _record(key)
        return true
    }
}
