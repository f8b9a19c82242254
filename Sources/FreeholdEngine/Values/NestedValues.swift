/// A link inside a mixed value to an object of any table.
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
/// Equality and hash depend on the elements. The id is used only to find a stored list after its neighbours have moved.
public struct NestedList: Sendable {
    /// The id, which is unique among the nested collections of one object's property. It is 0 before the list is stored.
    public var id: UInt64
    public var values: [Value]

    public init(id: UInt64 = 0, _ values: [Value]) {
        self.id = id
        self.values = values
    }
}

/// A dictionary inside a mixed value. Its entries are in ascending order of the keys' bytes, and its keys are unique.
public struct NestedDictionary: Sendable {
    public struct Entry: Hashable, Sendable {
        public var key: String
        public var value: Value

        public init(_ key: String, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// The id, which is unique among the nested collections of one object's property. It is 0 before the dictionary is stored.
    public var id: UInt64
    public internal(set) var entries: [Entry]

    /// - Parameter entries: the entries in any order. If a key occurs several times, the last entry counts.
    /// - Parameter id: the id that distinguishes the dictionary from others in one value, or 0 for a new one.
    public init(id: UInt64 = 0, _ entries: [Entry]) {
        self.id = id
        self.entries = []
        self.entries.reserveCapacity(entries.count)
        func rise(_ a: Entry, other b: Entry) -> Bool { Value.compareBytes(a.key, with: b.key) < 0 }
        if zip(entries, entries.dropFirst()).allSatisfy(rise) {
            self.entries = entries
        } else {
            // The entries are sorted first, because an insertion moves all following entries. The sort is stable.
            for entry in entries.sorted(by: rise) { self[entry.key] = entry.value }
        }
    }

    /// Returns the position of the first entry whose key is at least the given one.
    /// - Complexity: O(log n)
    public func position(of key: String) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) >> 1
            if Value.compareBytes(entries[middle].key, with: key) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The value of a key. Setting `nil` removes the entry.
    public subscript(key: String) -> Value? {
        get {
            let i = position(of: key)
            return i < entries.count && Value.compareBytes(entries[i].key, with: key) == 0 ? entries[i].value : nil
        }
        set {
            let i = position(of: key)
            let isThere = i < entries.count && Value.compareBytes(entries[i].key, with: key) == 0
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
