import FreeholdEngine

/// The protocol of property types for `@Persisted(originProperty:)`. ``LinkingObjects`` is the only one.
public protocol LinkingObjectsProtocol {
    associatedtype Element
    static var _rlmOriginType: Element.Type { get }
    var _rlmOriginProperty: String { get }
    init(fromType: Element.Type, property: String)
}

/// The objects whose property links to one object, which is the inverse of a relationship. The property is a link, or a
/// list, set or map of links, or contains mixed values with links at any depth.
///
/// ```swift
/// class Dog: Object {
///     @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
/// }
/// ```
///
/// Linking objects aren't stored. They are always up to date, and can't be changed. They are empty for unmanaged
/// objects. An object with several links is contained once for each link.
public struct LinkingObjects<Element: ObjectBase & RealmCollectionValue> {
    let property: String
    /// The target of the links, or nil for an unmanaged object.
    let target: ObjectBase?
    /// The index of the target's property that has this value.
    private let key: Int

    /// Creates the inverse of a property of another class.
    public init(fromType: Element.Type, property: String) {
        self.property = property
        target = nil
        key = 0
    }

    init(property: String, target: ObjectBase, _ key: Int) {
        self.property = property
        self.target = target
        self.key = key
    }

    /// The data that is needed to read the links.
    private struct Source {
        let view: DataView
        /// The column that contains the links, and its table.
        let column: Column
        let table: ManagedTable
        /// The target of the links.
        let key: ObjectKey
    }

    /// Returns the source, or nil if the target is unmanaged.
    private func source() -> Source? {
        guard let target, let table = target._table else { return nil }
        target._verifyLive(table)
        let (origin, column) = table.inverse(of: key, from: property)
        table.core.tracker?.accessTable(origin.table.id)
        return Source(view: table.core.view, column: column, table: origin, key: target._key)
    }

    public var realm: Realm? { target?.realm }
    public var isInvalidated: Bool { target?.isInvalidated ?? false }

    /// The number of links to the object.
    ///
    /// - Complexity: O(1)
    public var count: Int {
        guard let at = source() else { return 0 }
        return at.view.backlinkCount(at.column, at.key)
    }

    /// Returns the i-th object.
    ///
    /// - Precondition: `0 <= i < count`
    public subscript(i: Int) -> Element {
        let at = source()
        let count = at.map { $0.view.backlinkCount($0.column, $0.key) } ?? 0
        guard let at, i >= 0, i < count else {
            if at == nil, let element: Element = KeyPathRecorder.element(String(i)) { return element }
            programmerError(
                "Index \(i) is out of bounds: LinkingObjects<\(Element.self)> has \(count) elements. Check `count` first."
            )
        }
        return object(at.view.backlink(at.column, at.key, at: i), at.table)
    }

    public var isEmpty: Bool { count == 0 }
    public var first: Element? { isEmpty ? nil : self[0] }
    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

    /// Returns the position of the object's first link, or `nil` if it has none.
    ///
    /// - Complexity: O(n)
    public func index(of object: Element) -> Int? {
        guard let at = source(), object._core === at.table.core, object._state == at.table.state else { return nil }
        return at.view.backlinks(at.column, at.key).firstIndex(of: object._key)
    }

    /// Returns an iterator over the objects that link to the target at the time of the call.
    public func makeIterator() -> RLMIterator<Element> {
        guard let at = source() else { return RLMIterator(values: []) }
        return RLMIterator(.array(at.view.backlinks(at.column, at.key)), at.table)
    }

    private func object(_ key: ObjectKey, _ table: ManagedTable) -> Element {
        unsafeDowncast(table.object(key), to: Element.self)
    }
}

extension LinkingObjects: RealmCollection {
    public typealias Index = Int
    public typealias SubSequence = Slice<LinkingObjects<Element>>
    public typealias Iterator = RLMIterator<Element>

    public var _rlmLocation: _Location {
        guard let target else { return .nowhere }
        let (property, key) = (property, key)
        return target._rlmLocation.map { (target: ObjectBase) in
            LinkingObjects(property: property, target: target, key)
        }
    }

    public var _source: _CollectionSource? {
        guard let at = source() else { return nil }
        return _CollectionSource(.backlinks(at.column, at.key), of: at.table, isLive: { !isInvalidated }) {
            let location = _rlmLocation
            return { (location.find($0) as! LinkingObjects?)?._source }
        }
    }

    /// Returns a Boolean value that indicates whether both have the same property and the same target.
    public static func == (a: LinkingObjects, b: LinkingObjects) -> Bool {
        a.property == b.property && a.target == b.target
    }

    public var description: String {
        isInvalidated ? "LinkingObjects<\(Element.self)> (invalidated)" : ObjectDescription.describe(collection: self)
    }
}

@available(
    *,
    unavailable,
    message: "Linking objects belong to their object, and with it to a realm's thread, queue or actor"
)
extension LinkingObjects: Sendable {}

extension LinkingObjects: LinkingObjectsProtocol {
    public static var _rlmOriginType: Element.Type { Element.self }
    public var _rlmOriginProperty: String { property }
}

extension LinkingObjects: _RealmSchemaDiscoverable, _HasPersistedType {
    public typealias PersistedType = LinkingObjects<Element>
    public static var _rlmShape: _PropertyShape {
        _PropertyShape(.linkingObjects, collection: .list, target: Element.self)
    }
}

extension LinkingObjects: _Persistable {
    public typealias _Storage = LinkingObjects<Element>?

    public static func _rlmPlaceholder() -> LinkingObjects<Element>? { nil }
    public static func _rlmInitialStorage() -> LinkingObjects<Element>? { nil }
    public static func _rlmBox(_ value: LinkingObjects<Element>) -> LinkingObjects<Element>? { value }
    public static func _rlmUnbox(_ storage: LinkingObjects<Element>?) -> LinkingObjects<Element>? { storage }
    public static func _rlmDefaultValue() -> LinkingObjects<Element> {
        LinkingObjects(fromType: Element.self, property: "")
    }

    public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> LinkingObjects<Element> {
        guard let table = object._table else {
            object._record(key)
            return _rlmDefaultValue()
        }
        return LinkingObjects(property: table.info.properties[key].origin ?? "", target: object, key)
    }

    public static var _rlmCopiesOnAssignment: Bool { true }
    public static func _rlmAssign(_ current: LinkingObjects<Element>, to new: LinkingObjects<Element>) {
        readOnly(current.property)
    }
    public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: LinkingObjects<Element>) {
        let property = object._info.properties[key]
        readOnly(property.origin ?? property.name)
    }

    private static func readOnly(_ property: String) -> Never {
        programmerError(
            "LinkingObjects<\(Element.self)> can't be assigned: change \(Element.className()).\(property) instead"
        )
    }

    public static func _rlmAny(_ value: LinkingObjects<Element>) -> Any? { value }
    public static func _rlmContent(_ value: LinkingObjects<Element>) -> _StoredContent { .computed }
    public static func _rlmFromContent(_ content: _StoredContent) -> LinkingObjects<Element>? { nil }
    public static func _rlmConvert(_ value: Any) -> _StoredContent? { nil }
}
