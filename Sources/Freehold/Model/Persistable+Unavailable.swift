import FreeholdEngine

// Types that can't be stored. The message of the compiler contains the type to declare instead.

/// A type that properties can't have. The message of the compiler contains the type to declare instead.
public protocol _NeverPersistable: _Persistable where _Storage == Self, PersistedType == Self {}

extension _NeverPersistable {
    public static var _rlmShape: _PropertyShape { never() }
    public static func _rlmPlaceholder() -> Self { never() }
    public static func _rlmDefaultValue() -> Self { never() }
    public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> Self { never() }
    public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: Self) { never() }
    public static func _rlmAny(_ value: Self) -> Any? { value }
    public static func _rlmContent(_ value: Self) -> _StoredContent { .computed }
    public static func _rlmFromContent(_ content: _StoredContent) -> Self? { nil }
    public static func _rlmConvert(_ value: Any) -> _StoredContent? { nil }

    private static func never() -> Never { programmerError("\(Self.self) can't be the type of a stored property.") }
}

@available(*, unavailable, message: "an array isn't stored: declare a List, as in `@Persisted var names: List<String>`")
extension Array: _RealmSchemaDiscoverable, _HasPersistedType, _Persistable, _NeverPersistable {
    public typealias PersistedType = Self
}

@available(
    *,
    unavailable,
    message: "a Set isn't stored: declare a MutableSet, as in `@Persisted var tags: MutableSet<String>`"
)
extension Set: _RealmSchemaDiscoverable, _HasPersistedType, _Persistable, _NeverPersistable {
    public typealias PersistedType = Self
}

@available(
    *,
    unavailable,
    message: "a dictionary isn't stored: declare a Map, as in `@Persisted var ages: Map<String, Int>`"
)
extension Dictionary: _RealmSchemaDiscoverable, _HasPersistedType, _Persistable, _NeverPersistable {
    public typealias PersistedType = Self
}

@available(*, unavailable, message: "a list isn't optional: declare `List<…>`, which is empty without values")
extension List: _PersistableInsideOptional {
    public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> List? { nil }
    public static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, to value: List?) {}
}

@available(
    *,
    unavailable,
    message: "a set isn't optional: declare `MutableSet<…>`, which is empty without values"
)
extension MutableSet: _PersistableInsideOptional {
    public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> MutableSet? { nil }
    public static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, to value: MutableSet?) {}
}

@available(*, unavailable, message: "a map isn't optional: declare `Map<…>`, which is empty without values")
extension Map: _PersistableInsideOptional {
    public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> Map? { nil }
    public static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, to value: Map?) {}
}
