public import Foundation

/// The common interface of live collections: `Results`, `List`, `MutableSet`, `LinkingObjects`.
public protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol, CustomStringConvertible,
    ThreadConfined
where Element: RealmCollectionValue {
    typealias ElementType = Element

    /// The realm of a managed collection.
    var realm: Realm? { get }
    /// A Boolean value that indicates whether the collection can't be used any more, because its owner was deleted or
    /// its realm was invalidated.
    var isInvalidated: Bool { get }
}

/// A live, ordered collection of stored values.
///
/// `map`, `filter` with a closure and similar methods are lazy, and read the collection on each access. To keep their
/// result, wrap it in `Array(…)`. A `for … in` loop visits the elements that existed at its begin. A managed collection
/// belongs to its realm's thread.
public protocol RealmCollection<Element>: RealmCollectionBase, Equatable
where Index == Int, Iterator == RLMIterator<Element>, SubSequence == Slice<Self> {
    /// Returns the position of the first equal element, or `nil` if none is equal. A managed collection never contains
    /// an unmanaged object.
    func index(of object: Element) -> Int?
    /// The source of the elements, for a managed collection of objects. For use by the library only.
    var _source: _CollectionSource? { get }
    /// The source of the elements, for a collection of values. For use by the library only.
    var _values: _ValueSource<Element>? { get }
}

extension RealmCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public func index(after i: Int) -> Int { i + 1 }
    public func index(before i: Int) -> Int { i - 1 }

    /// Returns the elements at these positions. Traps if a position is out of bounds.
    public func objects(at indexes: IndexSet) -> [Element] { indexes.map { self[$0] } }

    public var _values: _ValueSource<Element>? { nil }

    func requireSource(_ operation: String) -> _CollectionSource {
        if let source = _source { return source }
        programmerError("\(operation) was used on an unmanaged collection. Add its object to a realm first.")
    }
}

/// An iterator over the elements that a collection had when the iteration began.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    /// The cursor, or nil for values in memory and for values that represent objects.
    @usableFromInline let cursor: _ObjectCursor?
    @usableFromInline let mapped: _MappedCursor<Element>?
    @usableFromInline let values: [Element]
    @usableFromInline var position = 0

    /// Creates an iterator over objects of a table.
    init(_ keys: KeySequence, _ table: ManagedTable) {
        cursor = _ObjectCursor(keys, table)
        mapped = nil
        values = []
    }

    /// Creates an iterator over values that represent objects of a table. The values are made one by one.
    init(_ keys: KeySequence, _ table: ManagedTable, map: @escaping (ObjectBase) -> Element) {
        cursor = nil
        mapped = _MappedCursor(_ObjectCursor(keys, table), map)
        values = []
    }

    /// Creates an iterator over values in memory.
    init(values: [Element]) {
        cursor = nil
        mapped = nil
        self.values = values
    }

    @inlinable
    public mutating func next() -> Element? {
        let i = position
        position = i &+ 1
        if let cursor {
            // The elements of a collection of objects are references to the class of its table.
            return cursor.object(at: i).map { unsafeBitCast($0, to: Element.self) }
        }
        if let mapped { return mapped.element(at: i) }
        return i < values.count ? values[i] : nil
    }
}

/// A cursor over the values that represent the objects of an iteration.
@usableFromInline final class _MappedCursor<Element> {
    private let cursor: _ObjectCursor
    private let map: (ObjectBase) -> Element

    init(_ cursor: _ObjectCursor, _ map: @escaping (ObjectBase) -> Element) {
        self.cursor = cursor
        self.map = map
    }

    @usableFromInline func element(at i: Int) -> Element? { cursor.object(at: i).map(map) }
}
