import FreeholdEngine

// Links to objects and embedded objects. A to-one link is declared as an optional. A link that isn't optional compiles,
// but opening a realm refuses it.

extension ObjectBase: _PersistableInsideOptional, _RealmCollectionValueInsideOptional, _DefaultConstructible {
    public typealias PersistedType = ObjectBase
    public typealias _Storage = ObjectBase?

    public static var _rlmShape: _PropertyShape { _PropertyShape(.object, target: self) }

    @inlinable @inline(__always) public static func _rlmPlaceholder() -> ObjectBase? { nil }
    @inlinable public static func _rlmInitialStorage() -> ObjectBase? { nil }
    @inlinable public static func _rlmBox(_ value: ObjectBase) -> ObjectBase? {
        _fhWillHold(value)
        return value
    }
    @inlinable public static func _rlmWillHold(_ value: ObjectBase) { _fhWillHold(value) }
    @inlinable public static func _rlmUnbox(_ storage: ObjectBase?) -> Self? {
        storage.map { unsafeDowncast($0, to: self) }
    }
    public static func _rlmDefaultValue() -> Self {
        self.init(_addOverrideInitOrMakeYourInitConvenience: _HiddenInitializer())
    }

    public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> Self {
        guard let link = _rlmGetOptional(object, key) else {
            programmerError("A link to \(className()) is nil: declare the property as an optional")
        }
        return link
    }
    public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: ObjectBase) {
        _fhWriteLink(object, key, to: value)
    }
    @inlinable @inline(__always) public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> Self? {
        guard let link = _fhReadLink(object, key) else { return nil }
        return unsafeDowncast(link, to: self)
    }
    @inlinable @inline(__always) public static func _rlmSetOptional(
        _ object: ObjectBase,
        _ key: Int,
        to value: ObjectBase?
    ) {
        _fhWriteLink(object, key, to: value)
    }
    public static func _rlmAny(_ value: ObjectBase) -> Any? { value }
    public static func _rlmContent(_ value: ObjectBase) -> _StoredContent { .object(value) }
    public static func _rlmFromContent(_ content: _StoredContent) -> Self? {
        guard case .object(let object?) = content else { return nil }
        return object as? Self
    }
    public static func _rlmConvert(_ value: Any) -> _StoredContent? { nil }
}
