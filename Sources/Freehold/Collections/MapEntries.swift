import FreeholdEngine

/// The type of the keys of a ``Map``, which are strings.
public protocol _MapKey: Hashable, Sendable {
    init(_rlmMapKey name: String)
    var _rlmMapKey: String { get }
}

extension String: _MapKey {
    public init(_rlmMapKey name: String) { self = name }
    public var _rlmMapKey: String { self }
}

/// A live collection of values by keys, such as ``Map``.
public protocol RealmKeyedCollection: Sequence, CustomStringConvertible {
    associatedtype Key: _MapKey
    associatedtype Value: RealmCollectionValue

    /// The realm of a managed collection.
    var realm: Realm? { get }
    /// A Boolean value that indicates whether the collection can't be used any more, because its owner was deleted or
    /// its realm was invalidated.
    var isInvalidated: Bool { get }
    var count: Int { get }
    var keys: [Key] { get }
    var values: [Value] { get }
    subscript(key: Key) -> Value? { get set }
}

/// An entry of a map, which an iteration returns.
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue>: Hashable {
    public let key: Key
    public let value: Value

    public init(key: Key, value: Value) {
        self.key = key
        self.value = value
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// An iterator over the entries that a map had when the iteration began, in ascending order of the bytes of their keys.
public struct RLMMapIterator<Element>: IteratorProtocol {
    private let count: Int
    private let element: (Int) -> Element
    private var position = 0

    init(count: Int, element: @escaping (Int) -> Element) {
        self.count = count
        self.element = element
    }

    public mutating func next() -> Element? {
        guard position < count else { return nil }
        defer { position += 1 }
        return element(position)
    }
}

/// A sequence of the entries of a map as pairs.
///
/// ```swift
/// for (name, age) in dog.ages.asKeyValueSequence() { … }
/// ```
public struct KeyValueSequence<Key: _MapKey, Value: RealmCollectionValue>: Sequence {
    let map: Map<Key, Value>

    public func makeIterator() -> RLMMapIterator<(key: Key, value: Value)> {
        map.iterator { (key: $0, value: $1) }
    }
}
