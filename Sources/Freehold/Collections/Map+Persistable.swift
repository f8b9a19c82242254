import FreeholdEngine

extension Map: _RealmSchemaDiscoverable, _HasPersistedType, _DefaultConstructible {
    public typealias PersistedType = Map<Key, Value>

    public static var _rlmShape: _PropertyShape {
        var shape = Value._rlmShape
        shape.collection = .map
        return shape
    }
}

extension Map: _Persistable {
    public typealias _Storage = Map<Key, Value>?

    @inlinable @inline(__always) public static func _rlmPlaceholder() -> Map<Key, Value>? { nil }
    @inlinable @inline(__always) public static func _rlmInitialStorage() -> Map<Key, Value>? { nil }
    @inlinable @inline(__always) public static func _rlmBox(_ value: Map<Key, Value>) -> Map<Key, Value>? { value }
    @inlinable @inline(__always)
    public static func _rlmUnbox(_ storage: Map<Key, Value>?) -> Map<Key, Value>? { storage }
    @inlinable public static func _rlmDefaultValue() -> Map<Key, Value> { Map() }
    @inlinable public static var _rlmCopiesOnAssignment: Bool { @inline(__always) get { true } }
    public static func _rlmAssign(_ current: Map<Key, Value>, to new: Map<Key, Value>) { current.assign(new) }

    /// Returns the map of the wrapper, which is created on the first read.
    public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> Map<Key, Value> {
        guard let table = object._table else {
            object._record(key)
            return Map()
        }
        // The value is the first field of the wrapper.
        let storage = object._fieldAddress(table.info.properties[key].offset)
            .assumingMemoryBound(to: Map<Key, Value>?.self)
        if let map = storage.pointee { return map }
        object._verifyLive(table)
        let map = Map()
        map.bind(table, object._key, property: key)
        // Several threads may read a frozen object at the same time.
        if !table.core.isFrozen { storage.pointee = map }
        return map
    }

    public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: Map<Key, Value>) {
        _rlmGet(object, key).assign(value)
    }

    public static func _rlmAny(_ value: Map<Key, Value>) -> Any? { value }
    public static func _rlmContent(_ value: Map<Key, Value>) -> _StoredContent { value.content }
    public static func _rlmFromContent(_ content: _StoredContent) -> Map<Key, Value>? { nil }
    public static func _rlmConvert(_ value: Any) -> _StoredContent? { nil }
}

extension Map: ContentCollection {
    var content: _StoredContent {
        guard let at = place() else {
            if let kept { return .dictionary(kept.sorted.map { _StoredEntry($0.key, $0.value) }) }
            return .dictionary(items.sorted.map { _StoredEntry($0.key, Value._rlmContent($0.value)) })
        }
        return .dictionary(
            at.entries.map { key, value in
                _StoredEntry(key, at.table.content(of: value, at.property))
            }
        )
    }

    static func convertElement(_ value: Any) -> _StoredContent? { Value._rlmConvert(value) }

    func assignContents(_ content: _StoredContent) -> Bool {
        guard case .dictionary(let entries) = content else { return false }
        var values: [(String, Value)] = []
        values.reserveCapacity(entries.count)
        for entry in entries {
            if let value = Value._rlmFromContent(entry.content) {
                values.append((entry.key, value))
            } else if case .object(nil) = entry.content, Value.self is any _CustomPersistable.Type {
                // A custom type that is stored as an object reads as its default if no object is stored.
                values.append((entry.key, Value._rlmUnmapped(entry.content)))
            } else {
                guard Value._rlmShape.isPartial else { return false }
                if home != nil {
                    assign(entries, values: { [] })
                    return true
                }
                guard Value.keeps(entries.map(\.content)) else { return false }
                var all = UnmanagedMap<_StoredContent>()
                for entry in entries { all.set(entry.content, entry.key) }
                items.removeAll()
                kept = all
                return true
            }
        }
        assign(entries, values: { values })
        return true
    }
}
