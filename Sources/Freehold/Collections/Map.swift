import FreeholdEngine

/// A collection of values by string keys, for properties that are dictionaries.
///
/// ```swift
/// class Dog: Object {
///     @Persisted var ages: Map<String, Int>
///     @Persisted var friends: Map<String, Dog?>
/// }
/// dog.ages["in human years"] = 21
/// dog.ages["in human years"] = nil           // removes the entry
/// ```
///
/// If values can be null, an entry with a null value differs from a missing entry. `map[key]` is then a double
/// optional, and `map[key] = .some(nil)` stores null. Values that are objects are declared as optionals, because the
/// value becomes null when its object is deleted.
///
/// Keys can't contain `.` and can't begin with `$`. They are equal if their bytes are. Entries are in the order of the
/// bytes of their keys.
///
/// A map of an unmanaged object contains its entries itself. When the object is added to a realm, the same map instance
/// becomes the stored map. It then reads and writes the file, can be changed only inside write transactions, and
/// belongs to the realm's thread. Unmanaged objects that are added to a managed map are added to the realm.
public final class Map<Key: _MapKey, Value: RealmCollectionValue>: _CollectionBase {
    /// The entries of an unmanaged map.
    @exclusivity(unchecked) var items = UnmanagedMap<Value>()
    /// The contents of all values of an unmanaged map, if some aren't values of the type. See `KeptContents.swift`.
    /// `items` is empty then.
    @exclusivity(unchecked) var kept: UnmanagedMap<_StoredContent>?
    @exclusivity(unchecked) private(set) var home: CollectionHome?

    /// Creates an empty, unmanaged map.
    public override init() {}

    deinit { if items.count > 0 { Destruction.willDestroy(items.values) } }

    /// Becomes the map of a row. Its unmanaged content is dropped.
    override func bind(_ table: ManagedTable, _ key: ObjectKey, property: Int) {
        bind(table, key, property: property, nested: nil)
    }

    override var plainContents: PlainContents? {
        home != nil || kept != nil ? nil : items.plainEntries.map { PlainContents($0) }
    }

    func bind(_ table: ManagedTable, _ key: ObjectKey, property: Int, nested: NestedCollection?) {
        items.removeAll()
        kept = nil
        home = CollectionHome(table, key, property: property, nested: nested)
    }

    /// Returns the place of a managed map, or nil for an unmanaged map. Traps on the wrong thread and if the owner was
    /// deleted.
    func place() -> CollectionPlace? { home?.place(of: typeName) }

    var typeName: String { "Map<\(Key.self), \(Value.self)>" }

    /// The realm in which the map is stored, or `nil` for an unmanaged map.
    public var realm: Realm? {
        home?.core.handle { isInvalidated }
    }

    /// A Boolean value that indicates whether the map's object was deleted or its realm invalidated. It is `false` for
    /// unmanaged maps.
    public var isInvalidated: Bool { home.map { _ in !home!.isLive() } ?? false }
}

@available(*, unavailable, message: "A map belongs to its object, and with it to a realm's thread, queue or actor")
extension Map: Sendable {}

// MARK: Reading

extension Map: RealmKeyedCollection {
    /// The number of entries.
    ///
    /// - Complexity: O(1)
    public var count: Int {
        guard let at = place() else { return kept?.count ?? items.count }
        return at.entryCount
    }

    public var isEmpty: Bool { count == 0 }

    /// The keys in ascending order of their bytes.
    ///
    /// - Complexity: O(n)
    public var keys: [Key] {
        guard let at = place() else {
            return (kept?.sorted.map(\.key) ?? items.sorted.map(\.key)).map { Key(_rlmMapKey: $0) }
        }
        return at.keys.map { Key(_rlmMapKey: $0) }
    }

    /// The values in the order of the keys.
    ///
    /// - Complexity: O(n)
    public var values: [Value] {
        guard let at = place() else { return unmanagedEntries.map(\.value) }
        return at.entries.map { at.element($0.value, forKey: $0.key) }
    }

    /// The value of a key, or `nil` if the map doesn't contain the key. Setting `nil` removes the entry.
    ///
    /// For an invalid key, or a value that can't be stored, the write throws.
    ///
    /// - Complexity: O(log n)
    public subscript(key: Key) -> Value? {
        get {
            guard let at = place() else {
                if let kept { return kept[key._rlmMapKey].map { Value._element($0, in: nil) } }
                if let value = items[key._rlmMapKey] { return value }
                return KeyPathRecorder.element(KeyPathRecorder.place(key._rlmMapKey))
            }
            let name = key._rlmMapKey
            return at.value(forKey: name).map { at.element($0, forKey: name) }
        }
        @_specialize(where Key == String, Value == String)
        @_specialize(where Key == String, Value == Int)
        @_specialize(where Key == String, Value == Double)
        set {
            if let newValue { set(newValue, key) } else { removeObject(for: key) }
        }
    }

    /// The value of a key, or a default value if the map doesn't contain the key. `map[key, default: 0] += 1` stores
    /// the result.
    public subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
        get { self[key] ?? value() }
        set { set(newValue, key) }
    }

    /// Returns the value of a key, or `nil` if the map doesn't contain the key.
    public func object(forKey key: Key) -> Value? { self[key] }

    /// Returns a Boolean value that indicates whether an entry matches a condition.
    ///
    /// - Complexity: O(n)
    public func contains(where predicate: (_ key: Key, _ value: Value) throws -> Bool) rethrows -> Bool {
        for entry in self where try predicate(entry.key, entry.value) { return true }
        return false
    }

    /// Returns an iterator over the present entries of the map. Later changes of the map don't affect it.
    public func makeIterator() -> RLMMapIterator<SingleMapEntry<Key, Value>> {
        iterator { SingleMapEntry(key: $0, value: $1) }
    }

    /// Returns the entries as pairs of key and value.
    public func asKeyValueSequence() -> KeyValueSequence<Key, Value> { KeyValueSequence(map: self) }

    func iterator<T>(_ make: @escaping (Key, Value) -> T) -> RLMMapIterator<T> {
        guard let at = place() else {
            let entries = unmanagedEntries
            return RLMMapIterator(count: entries.count) { make(Key(_rlmMapKey: entries[$0].key), entries[$0].value) }
        }
        let entries = at.entries
        // Elements are created one by one. The table lives as long as the core.
        let core = at.table.core
        return RLMMapIterator(count: entries.count) { i in
            withExtendedLifetime(core) {
                make(Key(_rlmMapKey: entries[i].key), at.element(entries[i].value, forKey: entries[i].key))
            }
        }
    }

    /// The entries of an unmanaged map, by ascending keys.
    var unmanagedEntries: [(key: String, value: Value)] {
        kept?.sorted.map { ($0.key, Value._element($0.value, in: nil)) } ?? items.sorted
    }

    public var description: String {
        isInvalidated ? "\(typeName) (invalidated)" : ObjectDescription.describe(map: self)
    }
}

extension Map: ThreadConfined {
    public var _rlmLocation: _Location {
        guard let home else { return .nowhere }
        let (like, owner, property) = (home.table.likeness, home.owner, home.property)
        let nested = home.nested?.moved()
        return _Location { core in
            guard let other = core.table(like: like), let owner = other.living(owner) else { return nil }
            let map = Map()
            map.bind(other, owner, property: property, nested: nested?.moved())
            return map.isInvalidated ? nil : map
        }
    }
}

extension Map: Equatable {
    /// Returns a Boolean value that indicates whether both are the managed map of the same row's property, or both are
    /// unmanaged with equal entries.
    public static func == (a: Map, b: Map) -> Bool {
        if a.home == nil, b.home == nil {
            return a === b || a.kept == nil && b.kept == nil && a.items == b.items
        }
        return a.isSame(as: b)
    }

    /// Returns a Boolean value that indicates whether both belong to the same row's property, or are the same unmanaged
    /// instance.
    func isSame(as other: Map) -> Bool {
        if self === other { return true }
        guard let home, let place = other.home else { return false }
        return home.isSame(as: place)
    }
}

extension Map: Decodable where Key: Decodable, Value: Decodable {
    /// Decodes a map from a dictionary.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        // The values are decoded as a dictionary, so that a decoder's strategy for keys doesn't change the keys.
        let values = try decoder.singleValueContainer().decode([String: Value].self)
        for (key, value) in values { items[key] = value }
    }
}

extension Map: Encodable where Key: Encodable, Value: Encodable {
    /// Encodes the map as a dictionary.
    public func encode(to encoder: any Encoder) throws {
        let elements =
            partialContents.map { contents in
                contents.map { EncodedElement(value: Value._rlmFromContent($0), content: $0) }
            } ?? values.map { EncodedElement(value: $0, content: .null) }
        let entries = zip(keys.lazy.map(\._rlmMapKey), elements)
        var container = encoder.singleValueContainer()
        try container.encode(Dictionary(entries, uniquingKeysWith: { $1 }))
    }
}

/// A value or an object, which is encoded with the strategies of the encoder.
private struct EncodedElement<Value: Encodable>: Encodable {
    /// The value, or nil if the content isn't a value of the type.
    let value: Value?
    let content: _StoredContent

    func encode(to encoder: any Encoder) throws {
        guard let value else { return try EncodedContent(content).encode(to: encoder) }
        if let object = value as? any ObjectBase & Encodable {
            try ObjectEncoding.encode(object, to: encoder)
        } else {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }
}
