import FreeholdEngine

extension Optional: _RealmSchemaDiscoverable where Wrapped: _RealmSchemaDiscoverable {
    public static var _rlmShape: _PropertyShape {
        var shape = Wrapped._rlmShape
        shape.isOptional = true
        return shape
    }
}

extension Optional: _HasPersistedType where Wrapped: _HasPersistedType {
    public typealias PersistedType = Wrapped.PersistedType?
}

extension Optional: _Indexable where Wrapped: _Indexable {}
extension Optional: _PrimaryKey where Wrapped: _PrimaryKey {}

extension Optional: _Persistable where Wrapped: _PersistableInsideOptional {
    public typealias _Storage = Wrapped?

    @inlinable @inline(__always) public static func _rlmPlaceholder() -> Wrapped? { nil }
    @inlinable @inline(__always) public static func _rlmBox(_ value: Wrapped?) -> Wrapped? {
        if let value { Wrapped._rlmWillHold(value) }
        return value
    }
    @inlinable @inline(__always) public static func _rlmDefaultValue() -> Wrapped? { nil }
    @inlinable @inline(__always) public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> Wrapped? {
        Wrapped._rlmGetOptional(object, key)
    }
    @inlinable @inline(__always) public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: Wrapped?) {
        Wrapped._rlmSetOptional(object, key, to: value)
    }
    public static func _rlmAny(_ value: Wrapped?) -> Any? { value.flatMap { Wrapped._rlmAny($0) } }
    public static func _rlmContent(_ value: Wrapped?) -> _StoredContent {
        guard let value else { return Wrapped._rlmShape.type == .object ? .object(nil) : .value(.null) }
        return Wrapped._rlmContent(value)
    }
    public static func _rlmFromContent(_ content: _StoredContent) -> Wrapped?? {
        switch content {
        case .value(.null), .object(nil): .some(nil)
        default: Wrapped._rlmFromContent(content).map { .some($0) }
        }
    }
    public static func _rlmConvert(_ value: Any) -> _StoredContent? { Wrapped._rlmConvert(value) }
}

extension Optional: RealmCollectionValue where Wrapped: _RealmCollectionValueInsideOptional {
    public static func _rlmDefaultValue() -> Wrapped? { nil }
    public static func _rlmAny(_ value: Wrapped?) -> Any? { value.flatMap { Wrapped._rlmAny($0) } }
    public static func _rlmContent(_ value: Wrapped?) -> _StoredContent {
        guard let value else { return Wrapped._rlmShape.type == .object ? .object(nil) : .value(.null) }
        return Wrapped._rlmContent(value)
    }
    public static func _rlmFromContent(_ content: _StoredContent) -> Wrapped?? {
        switch content {
        case .value(.null), .object(nil): .some(nil)
        default: Wrapped._rlmFromContent(content).map { .some($0) }
        }
    }
    public static func _rlmConvert(_ value: Any) -> _StoredContent? { Wrapped._rlmConvert(value) }
}
