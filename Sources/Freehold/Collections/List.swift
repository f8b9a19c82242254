import CFreeholdShims
import FreeholdEngine

/// The ordered elements of a to-many property.
///
/// ```swift
/// class Person: Object {
///     @Persisted var dogs: List<Dog>
///     @Persisted var nicknames: List<String>
/// }
/// person.dogs.append(dog)
/// ```
///
/// A list of an unmanaged object contains its elements itself. When the object is added to a realm, the same list
/// instance becomes the stored list. It then reads and writes the file, can be changed only inside write transactions,
/// and belongs to the realm's thread. Unmanaged objects that are added to a managed list are added to the realm.
public final class List<Element: RealmCollectionValue>: _CollectionBase {
    /// The elements of an unmanaged list.
    @exclusivity(unchecked) var items = [Element]()
    /// The contents of all elements of an unmanaged list, if some aren't values of the element type. See
    /// `KeptContents.swift`. `items` is empty then.
    @exclusivity(unchecked) var kept: [_StoredContent]?

    // The place of a managed list. The reference to the core keeps the table alive.
    @exclusivity(unchecked) private(set) var core: RealmCore?
    @exclusivity(unchecked) private unowned(unsafe) var table: ManagedTable?
    @exclusivity(unchecked) private(set) var owner = ObjectKey(-1)
    @exclusivity(unchecked) private(set) var property = 0
    /// The identity of a list inside a mixed value, or nil for a property.
    @exclusivity(unchecked) private(set) var nested: NestedCollection?
    /// The state of the table.
    @exclusivity(unchecked) private var state: UnsafeMutablePointer<TableState>?
    /// The fast path by which elements are read and written without reference counting.
    @exclusivity(unchecked) private var shortWay = ShortWay.none
    /// The state version at which the owner was last known to exist.
    @exclusivity(unchecked) private var stamp: UInt64 = 0

    private enum ShortWay {
        /// The paths for lists of objects, and for lists of plain values, which are neither objects nor mixed values.
        case links, plainValues
        case none
    }

    /// Creates an empty, unmanaged list.
    public override init() {}

    deinit { if !items.isEmpty { Destruction.willDestroy(items) } }

    var isManaged: Bool { core != nil }

    /// Becomes the list of a row. Its unmanaged content is dropped.
    override func bind(_ table: ManagedTable, _ key: ObjectKey, property: Int) {
        bind(table, key, property: property, nested: nil)
    }

    override var plainContents: PlainContents? {
        isManaged || kept != nil ? nil : PlainContents.values(items).map { PlainContents($0) }
    }

    func bind(_ table: ManagedTable, _ key: ObjectKey, property: Int, nested: NestedCollection?) {
        if !items.isEmpty { items = [Element]() }
        kept = nil
        self.nested = nested
        core = table.core
        self.table = table
        owner = key
        self.property = property
        stamp = table.state.pointee.version
        shortWay = table.info.isLinkList(property) ? .links : table.info.isPlainList(property) ? .plainValues : .none
        state = table.state
    }

    /// A managed list that can be read.
    struct Place {
        let view: DataView
        let column: Column
        let table: ManagedTable
        let owner: ObjectKey
        let nested: NestedCollection?
    }

    /// Returns the place of a managed list, or nil for an unmanaged list. Traps on the wrong thread and if the owner
    /// was deleted.
    @inline(__always)
    func place() -> Place? {
        guard let table, core != nil else { return nil }
        return place(in: table)
    }

    private func place(in table: ManagedTable) -> Place {
        table.core.verifyThread()
        table.sync()
        if stamp != table.state.pointee.version {
            guard table.isLive(owner, since: stamp) else {
                programmerError(
                    "The \(table.info.className) that this \(typeName) belongs to was deleted from its realm, or the realm was invalidated. Check `isInvalidated` first."
                )
            }
            stamp = table.state.pointee.version
        }
        if let tracker = table.core.tracker { table.track(tracker, object: owner.raw, property: property) }
        let column = table.columns[property]!
        if let nested, nested.value(table, column, of: owner) == nil {
            programmerError(
                "This \(typeName) was inside of \(table.info.className).\(table.info.properties[property].name), where it has been overwritten or removed. Check `isInvalidated` first."
            )
        }
        return Place(view: table.core.view, column: column, table: table, owner: owner, nested: nested)
    }

    /// Returns the place for reads and writes without reference counting, for a managed list of objects. Returns nil
    /// unless the owner is known to exist and the call runs on the realm's thread.
    @inline(__always)
    func linkPlace() -> LinkPlace? {
        shortWay == .links ? quickPlace() : nil
    }

    /// Returns the place for a managed list of plain values, which are neither objects nor mixed values. See
    /// `linkPlace()`.
    @inline(__always)
    func plainPlace() -> LinkPlace? {
        shortWay == .plainValues ? quickPlace() : nil
    }

    @inline(__always)
    private func quickPlace() -> LinkPlace? {
        guard let state, stamp == state.pointee.version, state.pointee.thread == fh_thread_id(),
            let view = state.pointee.view,
            let column = state.pointee.columnReferences.unsafelyUnwrapped[property]
        else { return nil }
        return LinkPlace(view: view, column: column, state: state, owner: owner, property: property)
    }

    /// The table of the elements, for a list of objects.
    var elementTable: ManagedTable? {
        guard let table, table.info.properties[property].shape.type == .object else { return nil }
        return table.target(of: property)
    }

    var typeName: String { "List<\(Element.self)>" }

    var placeProperty: (property: PropertyInfo, table: ManagedTable)? {
        table.map { ($0.info.properties[property], $0) }
    }

    /// The class and property, for errors.
    var placeName: (className: String, property: String)? {
        table.map { ($0.info.className, $0.info.properties[property].name) }
    }

    /// The realm in which the list is stored, or `nil` for an unmanaged list.
    public var realm: Realm? {
        core.flatMap { $0.handle { isInvalidated } }
    }

    /// A Boolean value that indicates whether the list's object was deleted or its realm invalidated. It is `false` for
    /// unmanaged lists.
    public var isInvalidated: Bool {
        guard let table, let core else { return false }
        core.verifyThread()
        table.sync()
        if stamp != table.state.pointee.version {
            guard table.isLive(owner, since: stamp) else { return true }
            stamp = table.state.pointee.version
        }
        guard let nested, let column = table.columns[property] else { return false }
        return nested.value(table, column, of: owner) == nil
    }
}

@available(*, unavailable, message: "A list belongs to its object, and with it to a realm's thread, queue or actor")
extension List: Sendable {}

// MARK: Reading

extension List {
    /// The number of elements.
    ///
    /// - Complexity: O(1)
    public var count: Int {
        guard let at = place() else { return kept?.count ?? items.count }
        return at.count
    }

    /// The i-th element. Assigning a value replaces the element. If the list is managed, an assigned unmanaged object
    /// is added to the realm.
    ///
    /// - Precondition: `0 <= i < count`
    public subscript(i: Int) -> Element {
        @_specialize(where Element == String)
        @_specialize(where Element == Int)
        @_specialize(where Element == Double)
        get {
            if let at = linkPlace() {
                let (object, count) = at.object(i)
                checkElement(i, of: count)
                return unsafeBitCast(object.unsafelyUnwrapped, to: Element.self)
            }
            if let at = plainPlace() {
                if Element.self == Int.self {
                    let (value, count) = at.int(i)
                    checkElement(i, of: count)
                    return unsafeBitCast(Int(value.unsafelyUnwrapped), to: Element.self)
                }
                let (value, count) = at.value(i)
                checkElement(i, of: count)
                let content = _StoredContent.value(value.unsafelyUnwrapped)
                return Element._element(content, in: table?.core)
            }
            guard let at = place() else {
                if let kept {
                    checkElement(i, of: kept.count)
                    return Element._element(kept[i], in: nil)
                }
                if i >= items.count, let element: Element = KeyPathRecorder.element(String(i)) { return element }
                checkElement(i, of: items.count)
                return items[i]
            }
            checkElement(i, of: at.count)
            return element(at.value(i), at: i)
        }
        set { set(i, newValue) }
    }

    public var first: Element? { isEmpty ? nil : self[0] }

    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

    public var isEmpty: Bool { count == 0 }

    /// Returns the position of the first equal element. For objects, it is the position of the first link to the same
    /// row.
    ///
    /// - Complexity: O(n)
    public func index(of element: Element) -> Int? {
        guard let at = place() else { return kept?.index(of: element) ?? items.firstIndex(of: element) }
        switch Element._rlmContent(element) {
        case .value(let value): return at.index(of: value)
        case .object(let object?) where object._core === core && object._state == elementTable?.state:
            return at.view.listIndex(at.column, owner, of: .link(object._key))
        case let content where at.column.type == .mixed:
            return at.table.core.sought(content).flatMap { at.index(of: $0) }
        // The elements of a custom type that is stored as an embedded object are compared with the equality of the
        // type, not by identity.
        case .object where Element.self is any _CustomPersistable.Type: return elements(at).firstIndex(of: element)
        default: return nil
        }
    }

    public func contains(_ element: Element) -> Bool { index(of: element) != nil }

    /// Returns an iterator over the present elements of the list. Later changes of the list don't affect it.
    public func makeIterator() -> RLMIterator<Element> {
        if let at = linkPlace() { return RLMIterator(.array(at.keys), at.target) }
        if let elements = plainPlace()?.elements(Element.self) { return RLMIterator(values: elements) }
        guard let at = place() else { return RLMIterator(values: unmanagedElements) }
        if Element.self is ObjectBase.Type, let elementTable {
            return RLMIterator(.array(at.view.listLinks(at.column, owner)), elementTable)
        }
        return RLMIterator(values: elements(at))
    }

    /// All elements at the time of the call.
    var elements_: [Element] {
        guard let at = place() else { return unmanagedElements }
        return elements(at)
    }

    private var unmanagedElements: [Element] { kept?.elements() ?? items }

    private func elements(_ at: Place) -> [Element] {
        at.values.enumerated().map { element($0.element, at: $0.offset) }
    }

    func element(_ value: Value, at i: Int) -> Element {
        if Element.self is AnyRealmValue.Type, let table {
            let any =
                nested?.element(value, in: table, of: owner, property: property)
                ?? AnyRealmValue(value, MixedHome(table, owner, property: property, place: .element(i)))
            return any as! Element
        }
        let content = table.map { $0.content(of: value, property) } ?? .value(value)
        return Element._element(content, in: table?.core)
    }

    // MARK: Bounds

    func checkElement(_ i: Int, of count: Int) {
        if i < 0 || i >= count { outOfBounds("Index \(i)", count) }
    }

    func checkPosition(_ i: Int, of count: Int) {
        if i < 0 || i > count { outOfBounds("Position \(i)", count) }
    }

    func checkRange(_ range: Range<Int>, _ count: Int) {
        if range.lowerBound < 0 || range.upperBound > count {
            outOfBounds("Range \(range.lowerBound)..<\(range.upperBound)", count)
        }
    }

    @inline(never)
    private func outOfBounds(_ what: String, _ count: Int) -> Never {
        let place = placeName.map { " \($0.className).\($0.property)" } ?? ""
        programmerError("\(what) is out of bounds: \(typeName)\(place) has \(count) elements. Check `count` first.")
    }
}

// MARK: Conformances

extension List: RealmCollection {
    public typealias Index = Int
    public typealias SubSequence = Slice<List<Element>>
    public typealias Iterator = RLMIterator<Element>

    public var _rlmLocation: _Location {
        guard let table else { return .nowhere }
        let (like, owner, property, nested) = (table.likeness, owner, property, nested?.moved())
        return _Location { core in
            guard let other = core.table(like: like), let owner = other.living(owner) else { return nil }
            let list = List()
            list.bind(other, owner, property: property, nested: nested?.moved())
            return list.isInvalidated ? nil : list
        }
    }

    public var _source: _CollectionSource? {
        guard let at = place(), let elementTable else { return nil }
        return _CollectionSource(.list(at.column, owner), of: elementTable, isLive: { !self.isInvalidated }) {
            let location = self._rlmLocation
            return { (location.find($0) as! List?)?._source }
        }
    }

    public var _values: _ValueSource<Element>? {
        if Element._rlmShape.type == .object { return nil }
        guard let core else { return _ValueSource(unmanagedElements) }
        return _ValueSource(
            core,
            isLive: { !self.isInvalidated },
            locate: {
                let location = self._rlmLocation
                return { (location.find($0) as! List?)?._values }
            },
            stored: { self.place()?.stored }
        ) {
            let values = self.place()?.values ?? []
            return ValueSnapshot(values: values) { self.element(values[$0], at: $0) }
        }
    }

    /// Returns a Boolean value that indicates whether both are the managed list of the same row's property, or both are
    /// unmanaged with equal elements.
    public static func == (a: List, b: List) -> Bool {
        if a.core == nil, b.core == nil {
            return a === b || a.kept == nil && b.kept == nil && a.items == b.items
        }
        return a.isSame(as: b)
    }

    /// Returns a Boolean value that indicates whether both belong to the same row's property, or are the same unmanaged
    /// instance.
    func isSame(as other: List) -> Bool {
        if self === other { return true }
        guard let core, core === other.core else { return false }
        return owner == other.owner && property == other.property && table === other.table
            && nested?.id == other.nested?.id
    }

    public var description: String {
        isInvalidated ? "\(typeName) (invalidated)" : ObjectDescription.describe(collection: self)
    }
}

extension List: MutableCollection {
    public subscript(bounds: Range<Int>) -> Slice<List<Element>> {
        get {
            checkRange(bounds, count)
            return Slice(base: self, bounds: bounds)
        }
        set { replaceSubrange(bounds, with: Array(newValue)) }
    }
}

extension List: Decodable where Element: Decodable {
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { items.append(try container.decode(Element.self)) }
    }
}

extension List: Encodable where Element: Encodable {
    public func encode(to encoder: any Encoder) throws {
        try ObjectEncoding.encode(elements: self, to: encoder)
    }
}
