import FreeholdEngine

extension List: _RealmSchemaDiscoverable, _HasPersistedType, _DefaultConstructible {
    public typealias PersistedType = List<Element>

    public static var _rlmShape: _PropertyShape {
        var shape = Element._rlmShape
        shape.collection = .list
        // A custom type that is stored as an object is optional only as a property.
        if shape.type == .object, !(Element.self is any OptionalProtocol.Type) { shape.isOptional = false }
        return shape
    }
}

extension List: _Persistable {
    public typealias _Storage = List<Element>?

    @inlinable @inline(__always) public static func _rlmPlaceholder() -> List<Element>? { nil }
    @inlinable @inline(__always) public static func _rlmInitialStorage() -> List<Element>? { nil }
    @inlinable @inline(__always) public static func _rlmBox(_ value: List<Element>) -> List<Element>? { value }
    @inlinable @inline(__always) public static func _rlmUnbox(_ storage: List<Element>?) -> List<Element>? { storage }
    @inlinable public static func _rlmDefaultValue() -> List<Element> { List() }
    @inlinable public static var _rlmCopiesOnAssignment: Bool { @inline(__always) get { true } }
    public static func _rlmAssign(_ current: List<Element>, to new: List<Element>) { current.assign(new) }

    /// Returns the list of the wrapper, which is created on the first read.
    public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> List<Element> {
        guard let table = object._table else {
            object._record(key)
            return List()
        }
        // The value is the first field of the wrapper.
        let storage = object._fieldAddress(table.info.properties[key].offset)
            .assumingMemoryBound(to: List<Element>?.self)
        if let list = storage.pointee { return list }
        object._verifyLive(table)
        let list = List()
        list.bind(table, object._key, property: key)
        // Several threads may read a frozen object at the same time.
        if !table.core.isFrozen { storage.pointee = list }
        return list
    }

    public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: List<Element>) {
        _rlmGet(object, key).assign(value)
    }

    public static func _rlmAny(_ value: List<Element>) -> Any? { value }
    public static func _rlmContent(_ value: List<Element>) -> _StoredContent { value.content }
    public static func _rlmFromContent(_ content: _StoredContent) -> List<Element>? { nil }
    public static func _rlmConvert(_ value: Any) -> _StoredContent? { nil }
}

extension List: ContentCollection {
    var content: _StoredContent {
        if Element.self is AnyRealmValue.Type, let content = managedContent { return content }
        if let at = place(), Element._rlmShape.type != .any {
            return .list(at.view.listValues(at.column, owner).map { at.table.content(of: $0, property) })
        }
        if let kept { return .list(kept) }
        return .list(elements_.map { Element._rlmContent($0) })
    }

    static func convertElement(_ value: Any) -> _StoredContent? { Element._rlmConvert(value) }

    func assignContents(_ content: _StoredContent) -> Bool {
        guard case .list(let contents) = content else { return false }
        if Element._rlmShape.isPartial, isManaged {
            assign(contents)
            return true
        }
        var elements: [Element] = []
        elements.reserveCapacity(contents.count)
        for content in contents {
            guard let element = Element._rlmFromContent(content) else {
                guard Element.keeps(contents) else { return false }
                items = [Element]()
                kept = contents
                return true
            }
            elements.append(element)
        }
        assign(elements: elements)
        return true
    }
}
