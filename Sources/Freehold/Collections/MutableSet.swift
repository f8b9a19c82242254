import FreeholdEngine

/// The elements of a to-many property, each of them once.
///
/// ```swift
/// class Dog: Object {
///     @Persisted var tags: MutableSet<String>
///     @Persisted var friends: MutableSet<Dog>
/// }
/// dog.tags.insert("brown")
/// let common = dog.tags.intersection(other.tags)
/// ```
///
/// Values are the same if they are stored alike: strings if their bytes are equal, objects if they are the same row.
/// A managed set is kept in the order of its values (objects in that of their making); an unmanaged one has no order.
///
/// A set of an unmanaged object holds its elements itself. When the object is added to a realm, the same set becomes
/// the stored one: it then reads and writes the file, changes only inside write transactions, and belongs to the
/// realm's thread. Unmanaged objects that are put into a managed set are added to the realm. Embedded objects can't be
/// in sets.
public final class MutableSet<Element: RealmCollectionValue>: _CollectionBase {
    /// The elements of an unmanaged set.
    @exclusivity(unchecked) var items = UnmanagedSet<Element>()
    @exclusivity(unchecked) private(set) var home: CollectionHome?

    /// An empty, unmanaged set.
    public override init() {}

    deinit { if !items.elements.isEmpty { Destruction.willDestroy(items.elements) } }

    /// Becomes the set of a row; what it held is dropped.
    override func bind(_ table: ManagedTable, _ key: ObjectKey, _ property: Int) {
        items.removeAll()
        home = CollectionHome(table, key, property)
    }

    override var plainContents: PlainContents? {
        home != nil ? nil : PlainContents.values(items.elements).map { PlainContents($0) }
    }

    /// Traps on the wrong thread and when the owner was deleted. Nil for an unmanaged set.
    func place() -> CollectionPlace? { home?.place(of: typeName) }

    var typeName: String { "MutableSet<\(Element.self)>" }

    /// The realm that the set is stored in; nil for an unmanaged set.
    public var realm: Realm? {
        home?.core.handle { isInvalidated }
    }

    /// Whether the set's object was deleted or its realm invalidated. False for unmanaged sets.
    public var isInvalidated: Bool { home.map { _ in !home!.isLive() } ?? false }
}

@available(*, unavailable, message: "A set belongs to its object, and with it to a realm's thread, queue or actor")
extension MutableSet: Sendable {}

// MARK: Reading

extension MutableSet {
    /// - Complexity: O(1)
    public var count: Int {
        guard let at = place() else { return items.elements.count }
        return at.view.listCount(at.column, at.owner)
    }

    public var isEmpty: Bool { count == 0 }

    /// The i-th element.
    ///
    /// - Precondition: `0 <= i < count`
    /// - Complexity: O(log n)
    public subscript(i: Int) -> Element {
        guard let at = place() else {
            if i >= items.elements.count, let element: Element = KeyPathRecorder.element(String(i)) { return element }
            check(i, items.elements.count, nil)
            return items.elements[i]
        }
        check(i, at.view.listCount(at.column, at.owner), at)
        return at.element(at.view.listValue(at.column, at.owner, at: i))
    }

    private func check(_ i: Int, _ count: Int, _ at: CollectionPlace?) {
        guard i < 0 || i >= count else { return }
        let name = at.map { " \($0.name)" } ?? ""
        programmerError("Index \(i) is out of bounds: \(typeName)\(name) has \(count) elements. Check `count` first.")
    }

    public var first: Element? { isEmpty ? nil : self[0] }

    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

    /// The position of an equal element; for objects, of the same row.
    ///
    /// - Complexity: O(log n)
    public func index(of element: Element) -> Int? {
        guard let at = place() else { return items.position(of: element) }
        guard let value = at.sought(Element._rlmContent(element)) else { return nil }
        return at.view.setIndex(at.column, at.owner, of: value)
    }

    /// - Complexity: O(log n)
    public func contains(_ element: Element) -> Bool { index(of: element) != nil }

    /// Walks the elements that are in the set now, whatever happens to it meanwhile.
    public func makeIterator() -> RLMIterator<Element> {
        guard let at = place() else { return RLMIterator(values: items.elements) }
        if let elementTable = at.elementTable {
            return RLMIterator(.array(at.view.listLinks(at.column, at.owner)), elementTable)
        }
        return RLMIterator(values: at.view.listValues(at.column, at.owner).map { at.element($0) })
    }
}

// MARK: Conformances

extension MutableSet: RealmCollection {
    public typealias Index = Int
    public typealias SubSequence = Slice<MutableSet<Element>>
    public typealias Iterator = RLMIterator<Element>

    public var _rlmLocation: _Location {
        guard let home else { return .nowhere }
        let (like, owner, property) = (home.table.likeness, home.owner, home.property)
        return _Location { core in
            guard let other = core.table(like: like), let owner = other.living(owner) else { return nil }
            let set = MutableSet()
            set.bind(other, owner, property)
            return set
        }
    }

    public var _source: _CollectionSource? {
        guard let at = place(), let elementTable = at.elementTable else { return nil }
        return _CollectionSource(.list(at.column, at.owner), of: elementTable, isLive: { !self.isInvalidated }) {
            let location = self._rlmLocation
            return { (location.find($0) as! MutableSet?)?._source }
        }
    }

    public var _values: _ValueSource<Element>? {
        if Element._rlmShape.type == .object { return nil }
        guard let home else { return _ValueSource(items.elements) }
        return _ValueSource(
            home.core,
            isLive: { !self.isInvalidated },
            locate: {
                let location = self._rlmLocation
                return { (location.find($0) as! MutableSet?)?._values }
            },
            stored: { self.place()?.stored }
        ) {
            let at = self.place()
            let values = at.map { $0.view.listValues($0.column, $0.owner) } ?? []
            return ValueSnapshot(values: values) { at!.element(values[$0]) }
        }
    }

    /// Whether both are managed and the same set (of the same row's property), or both unmanaged with the same
    /// elements. To compare the elements of managed ones use `isSubset(of:)` both ways, or plain sets.
    public static func == (a: MutableSet, b: MutableSet) -> Bool {
        if a.home == nil, b.home == nil { return a === b || a.items.hasSameElements(as: b.items) }
        return a.isSame(as: b)
    }

    /// Whether both are of the same row's property, or the same unmanaged instance.
    func isSame(as other: MutableSet) -> Bool {
        if self === other { return true }
        guard let home, let place = other.home else { return false }
        return home.isSame(as: place)
    }

    public var description: String {
        isInvalidated ? "\(typeName) (invalidated)" : ObjectDescription.describe(collection: self)
    }
}

extension MutableSet: Decodable where Element: Decodable {
    /// From an array.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { items.insert(try container.decode(Element.self)) }
    }
}

extension MutableSet: Encodable where Element: Encodable {
    /// As an array.
    public func encode(to encoder: any Encoder) throws { try ObjectEncoding.encode(elements: self, to: encoder) }
}
