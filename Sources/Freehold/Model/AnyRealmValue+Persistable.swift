import FreeholdEngine

extension AnyRealmValue: _PersistableInsideOptional, _RealmCollectionValueInsideOptional, _DefaultConstructible,
    _Indexable
{
    public typealias PersistedType = AnyRealmValue
    public typealias _Storage = AnyRealmValue

    public static var _rlmShape: _PropertyShape { _PropertyShape(.any) }

    public static func _rlmDefaultValue() -> AnyRealmValue { .none }
    public static func _rlmPlaceholder() -> AnyRealmValue { .none }

    public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> AnyRealmValue {
        guard let at = object._prepareRead(key), let table = object._table else { return .none }
        let value = at.view._withUnsafeGuaranteedRef { view in
            at.column._withUnsafeGuaranteedRef { view.value($0, object._key) }
        }
        return AnyRealmValue(value, MixedHome(table, object._key, property: key, place: .property))
    }

    /// Sets the value. An unmanaged object in the value is added to the realm. A value that can't be stored is recorded
    /// as an error.
    public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: AnyRealmValue) {
        _ = object._prepareWrite(key)
        guard let table = object._table else { return }
        if let scalar = value.scalar {
            object._writeValue(key, scalar)
            return
        }
        let home = MixedHome(table, object._key, property: key, place: .property)
        // Assigning a collection to its own place changes nothing.
        if let nested = value.nested, nested.isRoot(of: home) { return }
        let content = value.content(depth: 0)
        guard let stored = table.core.store([content], for: table.info.properties[key], of: table) else { return }
        object._writeValue(key, stored[0])
    }

    // Opening a realm refuses optional mixed values.
    public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> AnyRealmValue? { _rlmGet(object, key) }
    public static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, to value: AnyRealmValue?) {
        _rlmSet(object, key, to: value ?? .none)
    }

    /// Returns the content of the value: a number, a string, an object, or a live list or map. Returns nil for null.
    public static func _rlmAny(_ value: AnyRealmValue) -> Any? {
        switch value {
        case .object(let object): object
        case .list(let list): list
        case .dictionary(let map): map
        default: value.scalar?.plainValue
        }
    }

    public static func _rlmContent(_ value: AnyRealmValue) -> _StoredContent { value.content(depth: 0) }

    public static func _rlmFromContent(_ content: _StoredContent) -> AnyRealmValue? {
        switch content {
        case .value(let value): return AnyRealmValue(scalar: value) ?? AnyRealmValue.none
        case .object(let object?): return (object as? Object).map { .object($0) }
        case .object(nil): return AnyRealmValue.none
        case .list(let contents):
            var elements: [AnyRealmValue] = []
            for content in contents {
                guard let element = _rlmFromContent(content) else { return nil }
                elements.append(element)
            }
            return .fromArray(elements)
        case .dictionary(let entries):
            let map = Map<String, AnyRealmValue>()
            for entry in entries {
                guard let value = _rlmFromContent(entry.content) else { return nil }
                map[entry.key] = value
            }
            return .dictionary(map)
        case .values, .computed: return nil
        }
    }

    public static func _rlmConvert(_ value: Any) -> _StoredContent? { content(of: value, depth: 0) }

    /// The nested collection of the value, if the value is stored.
    var nested: NestedCollection? {
        switch self {
        case .list(let list): list.nested
        case .dictionary(let map): map.nested
        default: nil
        }
    }

    /// Creates a value from a stored value, or from an element of a nested collection.
    init(_ value: FreeholdEngine.Value, _ home: MixedHome) {
        switch value {
        case .objectLink(let link): self = (home.table.linked(link) as? Object).map { .object($0) } ?? .none
        case .list(let list):
            let live = List<AnyRealmValue>()
            live.bind(
                home.table,
                home.owner,
                property: home.property,
                nested: NestedCollection(id: list.id, near: home.place)
            )
            self = .list(live)
        case .dictionary(let dictionary):
            let live = Map<String, AnyRealmValue>()
            live.bind(
                home.table,
                home.owner,
                property: home.property,
                nested: NestedCollection(id: dictionary.id, near: home.place)
            )
            self = .dictionary(live)
        default: self = AnyRealmValue(scalar: value) ?? .none
        }
    }
}

extension ManagedTable {
    /// Returns the object to which a mixed value of this table links. The object is dynamic if the realm doesn't have
    /// its class, or if the table has dynamic objects.
    func linked(_ link: ObjectLink) -> ObjectBase? {
        if info.dynamic == nil, let target = core.table(id: link.tableID) { return target.object(link.key) }
        let stored = core.view.schema
        return stored.table(id: link.tableID).flatMap { core.dynamicTable($0, in: stored) }?.object(link.key)
    }
}
