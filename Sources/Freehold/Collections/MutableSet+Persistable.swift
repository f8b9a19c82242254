extension MutableSet: _RealmSchemaDiscoverable, _HasPersistedType, _DefaultConstructible {
    public typealias PersistedType = MutableSet<Element>

    public static var _rlmShape: _PropertyShape {
        var shape = Element._rlmShape
        shape.collection = .set
        return shape
    }
}

extension MutableSet: _Persistable {
    public typealias _Storage = MutableSet<Element>?

    @inlinable @inline(__always) public static func _rlmPlaceholder() -> MutableSet<Element>? { nil }
    @inlinable @inline(__always) public static func _rlmInitialStorage() -> MutableSet<Element>? { nil }
    @inlinable @inline(__always)
    public static func _rlmBox(_ value: MutableSet<Element>) -> MutableSet<Element>? { value }
    @inlinable @inline(__always)
    public static func _rlmUnbox(_ storage: MutableSet<Element>?) -> MutableSet<Element>? { storage }
    @inlinable public static func _rlmDefaultValue() -> MutableSet<Element> { MutableSet() }
    @inlinable public static var _rlmCopiesOnAssignment: Bool { @inline(__always) get { true } }
    public static func _rlmAssign(_ current: MutableSet<Element>, to new: MutableSet<Element>) { current.assign(new) }

    /// Returns the set of the wrapper, which is created on the first read.
    public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> MutableSet<Element> {
        guard let table = object._table else {
            object._record(key)
            return MutableSet()
        }
        // The value is the first field of the wrapper.
        let storage = object._fieldAddress(table.info.properties[key].offset)
            .assumingMemoryBound(to: MutableSet<Element>?.self)
        if let set = storage.pointee { return set }
        object._verifyLive(table)
        let set = MutableSet()
        set.bind(table, object._key, property: key)
        // Several threads may read a frozen object at the same time.
        if !table.core.isFrozen { storage.pointee = set }
        return set
    }

    public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: MutableSet<Element>) {
        _rlmGet(object, key).assign(value)
    }

    public static func _rlmAny(_ value: MutableSet<Element>) -> Any? { value }
    public static func _rlmContent(_ value: MutableSet<Element>) -> _StoredContent { value.content }
    public static func _rlmFromContent(_ content: _StoredContent) -> MutableSet<Element>? { nil }
    public static func _rlmConvert(_ value: Any) -> _StoredContent? { nil }
}

extension MutableSet: ContentCollection {
    var content: _StoredContent {
        guard let at = place() else { return .list(kept ?? items.elements.map { Element._rlmContent($0) }) }
        return .list(at.view.listValues(at.column, at.owner).map { at.table.content(of: $0, at.property) })
    }

    static func convertElement(_ value: Any) -> _StoredContent? { Element._rlmConvert(value) }

    func assignContents(_ content: _StoredContent) -> Bool {
        guard case .list(let contents) = content else { return false }
        var elements: [Element] = []
        elements.reserveCapacity(contents.count)
        for content in contents {
            guard let element = Element._rlmFromContent(content) else {
                guard Element._rlmShape.isPartial else { return false }
                if home != nil {
                    assign(contents, elements: { [] })
                    return true
                }
                guard Element.keeps(contents) else { return false }
                items.removeAll()
                kept = contents
                return true
            }
            elements.append(element)
        }
        assign(contents, elements: { elements })
        return true
    }
}
