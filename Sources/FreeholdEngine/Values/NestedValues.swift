/// A link inside a mixed value: to an object of any table.
public struct ObjectLink: Hashable, Sendable, CustomStringConvertible {
    public let tableID: Int
    public let key: ObjectKey

    public init(tableID: Int, key: ObjectKey) {
        self.tableID = tableID
        self.key = key
    }

    public var description: String { "L\(tableID):\(key.raw)" }
}

/// A list inside a mixed value.
///
/// Equality and hash go by the elements; the id only finds a stored list again after its neighbours have moved.
public struct NestedList: Sendable {
    /// Unique among the nested collections of one object's property; 0 before it is stored, which gives it one.
    public var id: UInt64
    public var values: [Value]

    public init(id: UInt64 = 0, _ values: [Value]) {
        self.id = id
        self.values = values
    }
}

/// A dictionary inside a mixed value, its entries by rising key bytes, no key twice.
public struct NestedDictionary: Sendable {
    public struct Entry: Hashable, Sendable {
        public var key: String
        public var value: Value

        public init(_ key: String, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// Unique among the nested collections of one object's property; 0 before it is stored, which gives it one.
    public var id: UInt64
    public internal(set) var entries: [Entry]

    /// - Parameter entries: in any order; of several with one key the last counts.
    /// - Parameter id: tells the dictionary from others in one value; 0 for a new one.
    public init(id: UInt64 = 0, _ entries: [Entry]) {
        self.id = id
        self.entries = []
        self.entries.reserveCapacity(entries.count)
        func rise(_ a: Entry, _ b: Entry) -> Bool { Value.compareBytes(a.key, b.key) < 0 }
        if zip(entries, entries.dropFirst()).allSatisfy(rise) {
            self.entries = entries
        } else {
            // Sorted beforehand, since an insertion moves all that is behind it. The sort is stable.
            for entry in entries.sorted(by: rise) { self[entry.key] = entry.value }
        }
    }

    /// Returns the first entry whose key isn't below the given one.
    /// - Complexity: O(log n)
    public func position(of key: String) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) >> 1
            if Value.compareBytes(entries[middle].key, key) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The value of a key; setting nil removes it.
    public subscript(key: String) -> Value? {
        get {
            let i = position(of: key)
            return i < entries.count && Value.compareBytes(entries[i].key, key) == 0 ? entries[i].value : nil
        }
        set {
            let i = position(of: key)
            let isThere = i < entries.count && Value.compareBytes(entries[i].key, key) == 0
            switch (newValue, isThere) {
            case (let value?, true): entries[i].value = value
            case (let value?, false): entries.insert(Entry(key, value), at: i)
            case (nil, true): entries.remove(at: i)
            case (nil, false): break
            }
        }
    }
}

extension NestedList: Hashable {
    public static func == (a: NestedList, b: NestedList) -> Bool { a.values == b.values }
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension NestedDictionary: Hashable {
    public static func == (a: NestedDictionary, b: NestedDictionary) -> Bool { a.entries == b.entries }
    public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}
