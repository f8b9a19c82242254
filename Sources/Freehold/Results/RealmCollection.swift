public import Foundation

/// What every live collection has: `Results`, `List`, `MutableSet`, `LinkingObjects`.
public protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol, CustomStringConvertible,
    ThreadConfined
where Element: RealmCollectionValue {
    typealias ElementType = Element

    /// The realm of a managed collection.
    var realm: Realm? { get }
    /// Whether the collection can't be used any more: its owner was deleted, or its realm invalidated.
    var isInvalidated: Bool { get }
}

/// A live, ordered collection of stored values.
///
/// `map`, `filter` with a closure and the like are lazy and read the collection each time they are read; wrap them in
/// `Array(…)` to keep what they give. `for … in` walks the elements that were there when it began. A managed
/// collection belongs to its realm's thread.
public protocol RealmCollection<Element>: RealmCollectionBase, Equatable
where Index == Int, Iterator == RLMIterator<Element>, SubSequence == Slice<Self> {
    /// The position of the first equal element; nil if there is none. An unmanaged object is in no managed collection.
    func index(of object: Element) -> Int?
    /// Where a managed collection of objects takes its elements from. For the library only.
    var _source: _CollectionSource? { get }
    /// Where a collection of values takes its elements from. For the library only.
    var _values: _ValueSource<Element>? { get }
}

extension RealmCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public func index(after i: Int) -> Int { i + 1 }
    public func index(before i: Int) -> Int { i - 1 }

    /// The elements at these positions. Traps if one is out of bounds.
    public func objects(at indexes: IndexSet) -> [Element] { indexes.map { self[$0] } }

    public var _values: _ValueSource<Element>? { nil }

    func requireSource(_ operation: String) -> _CollectionSource {
        if let source = _source { return source }
        programmerError("\(operation) was used on an unmanaged collection. Add its object to a realm first.")
    }
}

/// The elements that a collection had when the iteration began.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    /// Nil for values that are in memory, and for what stands for objects.
    @usableFromInline let cursor: _ObjectCursor?
    @usableFromInline let mapped: _MappedCursor<Element>?
    @usableFromInline let values: [Element]
    @usableFromInline var position = 0

    /// Walks objects of a table.
    init(_ keys: KeySequence, _ table: ManagedTable) {
        cursor = _ObjectCursor(keys, table)
        mapped = nil
        values = []
    }

    /// Walks what stands for objects of a table, made one by one.
    init(_ keys: KeySequence, _ table: ManagedTable, _ map: @escaping (ObjectBase) -> Element) {
        cursor = nil
        mapped = _MappedCursor(_ObjectCursor(keys, table), map)
        values = []
    }

    /// Walks values that are in memory.
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
            // The elements of a collection of objects are references to its table's class.
            return cursor.object(at: i).map { unsafeBitCast($0, to: Element.self) }
        }
        if let mapped { return mapped.element(at: i) }
        return i < values.count ? values[i] : nil
    }
}

/// Makes values that stand for the objects of an iteration.
@usableFromInline final class _MappedCursor<Element> {
    private let cursor: _ObjectCursor
    private let map: (ObjectBase) -> Element

    init(_ cursor: _ObjectCursor, _ map: @escaping (ObjectBase) -> Element) {
        self.cursor = cursor
        self.map = map
    }

    @usableFromInline func element(at i: Int) -> Element? { cursor.object(at: i).map(map) }
}
