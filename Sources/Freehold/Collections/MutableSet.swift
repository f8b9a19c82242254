import FreeholdEngine

/// The elements of a to-many property without duplicates.
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
/// Values are equal if their stored forms are: strings if their bytes are equal, and objects if they are the same row.
/// A managed set is sorted by its values, and its objects by their creation. An unmanaged set has no defined order.
///
/// A set of an unmanaged object contains its elements itself. When the object is added to a realm, the same set
/// instance becomes the stored set. It then reads and writes the file, can be changed only inside write transactions,
/// and belongs to the realm's thread. Unmanaged objects that are added to a managed set are added to the realm. Sets
/// can't contain embedded objects.
public final class MutableSet<Element: RealmCollectionValue>: _CollectionBase {
    /// The elements of an unmanaged set.
    @exclusivity(unchecked) var items = UnmanagedSet<Element>()
    /// The contents of all elements of an unmanaged set, if some aren't values of the element type. See
    /// `KeptContents.swift`. `items` is empty then.
    @exclusivity(unchecked) var kept: [_StoredContent]?
    @exclusivity(unchecked) private(set) var home: CollectionHome?

    /// Creates an empty, unmanaged set.
    public override init() {}

    deinit { if !items.elements.isEmpty { Destruction.willDestroy(items.elements) } }

    /// Becomes the set of a row. Its unmanaged content is dropped.
    override func bind(_ table: ManagedTable, _ key: ObjectKey, property: Int) {
        items.removeAll()
        kept = nil
        home = CollectionHome(table, key, property: property)
    }

    override var plainContents: PlainContents? {
        home != nil || kept != nil ? nil : PlainContents.values(items.elements).map { PlainContents($0) }
    }

    /// Returns the place of a managed set, or nil for an unmanaged set. Traps on the wrong thread and if the owner was
    /// deleted.
    func place() -> CollectionPlace? { home?.place(of: typeName) }

    var typeName: String { "MutableSet<\(Element.self)>" }

    /// The realm in which the set is stored, or `nil` for an unmanaged set.
    public var realm: Realm? {
        home?.core.handle { isInvalidated }
    }

    /// A Boolean value that indicates whether the set's object was deleted or its realm invalidated. It is `false` for
    /// unmanaged sets.
    public var isInvalidated: Bool { home.map { _ in !home!.isLive() } ?? false }
}

@available(*, unavailable, message: "A set belongs to its object, and with it to a realm's thread, queue or actor")
extension MutableSet: Sendable {}

// MARK: Reading

extension MutableSet {
    /// The number of elements.
    ///
    /// - Complexity: O(1)
    public var count: Int {
        guard let at = place() else { return kept?.count ?? items.elements.count }
        return at.view.listCount(at.column, at.owner)
    }

    public var isEmpty: Bool { count == 0 }

    /// Returns the i-th element.
    ///
    /// - Precondition: `0 <= i < count`
    /// - Complexity: O(log n)
    public subscript(i: Int) -> Element {
        guard let at = place() else {
            if let kept {
                check(i, of: kept.count, at: nil)
                return Element._element(kept[i], in: nil)
            }
            if i >= items.elements.count, let element: Element = KeyPathRecorder.element(String(i)) { return element }
            check(i, of: items.elements.count, at: nil)
            return items.elements[i]
        }
        check(i, of: at.view.listCount(at.column, at.owner), at: at)
        return at.element(at.view.listValue(at.column, at.owner, at: i))
    }

    private func check(_ i: Int, of count: Int, at: CollectionPlace?) {
        guard i < 0 || i >= count else { return }
        let name = at.map { " \($0.name)" } ?? ""
        programmerError("Index \(i) is out of bounds: \(typeName)\(name) has \(count) elements. Check `count` first.")
    }

    public var first: Element? { isEmpty ? nil : self[0] }

    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

    /// Returns the position of an equal element. For objects, it is the position of the same row.
    ///
    /// - Complexity: O(log n)
    public func index(of element: Element) -> Int? {
        guard let at = place() else { return kept?.index(of: element) ?? items.position(of: element) }
        guard let value = at.sought(Element._rlmContent(element)) else { return nil }
        return at.view.setIndex(at.column, at.owner, of: value)
    }

    /// Returns a Boolean value that indicates whether the set contains the element.
    ///
    /// - Complexity: O(log n)
    public func contains(_ element: Element) -> Bool { index(of: element) != nil }

    /// Returns an iterator over the present elements of the set. Later changes of the set don't affect it.
    public func makeIterator() -> RLMIterator<Element> {
        guard let at = place() else { return RLMIterator(values: unmanagedElements) }
        if let elementTable = at.elementTable {
            return RLMIterator(.array(at.view.listLinks(at.column, at.owner)), elementTable)
        }
        return RLMIterator(values: at.view.listValues(at.column, at.owner).map { at.element($0) })
    }
}

extension MutableSet {
    fileprivate var unmanagedElements: [Element] { kept?.elements() ?? items.elements }
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
            set.bind(other, owner, property: property)
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
        guard let home else { return _ValueSource(unmanagedElements) }
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

    /// Returns a Boolean value that indicates whether both are the managed set of the same row's property, or both are
    /// unmanaged with the same elements. To compare the elements of managed sets, use `isSubset(of:)` in both
    /// directions, or plain sets.
    public static func == (a: MutableSet, b: MutableSet) -> Bool {
        if a.home == nil, b.home == nil {
            return a === b || a.kept == nil && b.kept == nil && a.items.hasSameElements(as: b.items)
        }
        return a.isSame(as: b)
    }

    /// Returns a Boolean value that indicates whether both belong to the same row's property, or are the same unmanaged
    /// instance.
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
    /// Decodes a set from an array.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { items.insert(try container.decode(Element.self)) }
    }
}

extension MutableSet: Encodable where Element: Encodable {
    /// Encodes the set as an array.
    public func encode(to encoder: any Encoder) throws { try ObjectEncoding.encode(elements: self, to: encoder) }
}
