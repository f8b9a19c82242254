/// An ordered list of keys and their values.
///
/// ```swift
/// var point: BSONDocument = ["x": 1, "y": 2]
/// point["z"] = 3
/// for (key, value) in point { print(key, value) }
/// ```
///
/// Two documents are equal if they have equal keys and values in the same order.
///
/// Subscripts, literals and ``init(_:)-(Dictionary)`` keep each key once. ``append(_:_:)`` and reading with
/// ``BSONDuplicateKeys/keep`` may leave a key more than once; a lookup then finds the first.
public struct BSONDocument: Sendable {
    public typealias Element = (key: String, value: BSONValue)

    var elements: [Element]

    public init() { elements = [] }

    init(elements: [Element]) { self.elements = elements }

    /// The document of these elements, in order. Keys that repeat stay.
    ///
    /// - Complexity: O(*n*).
    public init(_ elements: some Sequence<Element>) { self.elements = Array(elements) }

    /// The document of a dictionary: sorted by the keys' UTF-8, so equal dictionaries make equal documents; nil becomes
    /// null.
    ///
    /// - Complexity: O(*n* log *n*).
    public init(_ dictionary: [String: BSONValue?]) {
        elements = dictionary.map { (key: $0.key, value: $0.value ?? .null) }
        elements.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// The keys in order.
    ///
    /// - Complexity: O(*n*).
    public var keys: [String] { elements.map(\.key) }

    /// The values in order.
    ///
    /// - Complexity: O(*n*).
    public var values: [BSONValue] { elements.map(\.value) }

    /// The elements by key; the first value of a key that repeats. Keys that differ only in how a letter is composed are
    /// one key to Swift.
    ///
    /// - Complexity: O(*n*).
    public var dictionary: [String: BSONValue] {
        Dictionary(elements.lazy.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// The value of a key, the first if the key repeats. Setting replaces it in its place or adds the key at the end;
    /// setting nil takes the key out. After setting, the key is there once or not at all.
    ///
    /// - Complexity: O(*n*).
    public subscript(key: String) -> BSONValue? {
        get { firstIndex(of: key).map { elements[$0].value } }
        set {
            guard let first = firstIndex(of: key) else {
                if let newValue { elements.append((key, newValue)) }
                return
            }
            var place = 0
            elements.removeAll { element in
                defer { place += 1 }
                return (newValue == nil || place != first) && sameText(element.key, key)
            }
            if let newValue { elements[first].value = newValue }
        }
    }

    /// The value of a key, or `fallback` if the key is missing.
    ///
    /// - Complexity: O(*n*).
    public subscript(key: String, default fallback: @autoclosure () -> BSONValue) -> BSONValue {
        get { self[key] ?? fallback() }
        set { self[key] = newValue }
    }

    /// Whether the key is there, also with null.
    ///
    /// - Complexity: O(*n*).
    public func contains(key: String) -> Bool { firstIndex(of: key) != nil }

    /// The place of a key, the first if the key repeats.
    ///
    /// - Complexity: O(*n*).
    public func firstIndex(of key: String) -> Int? { elements.firstIndex { sameText($0.key, key) } }

    /// Adds an element at the end, without looking whether the key is there.
    ///
    /// - Complexity: O(1) on average.
    public mutating func append(_ key: String, _ value: BSONValue) { elements.append((key, value)) }

    /// Takes a key out and returns its value, the first if the key repeats.
    ///
    /// - Complexity: O(*n*).
    @discardableResult public mutating func removeValue(forKey key: String) -> BSONValue? {
        let value = self[key]
        self[key] = nil
        return value
    }

    /// Makes room for this many elements.
    public mutating func reserveCapacity(_ count: Int) { elements.reserveCapacity(count) }
}

extension BSONDocument: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { elements.count }
    public subscript(position: Int) -> Element { elements[position] }
}

extension BSONDocument: ExpressibleByDictionaryLiteral {
    /// The document of a literal, in order. A key that repeats is a programmer error and traps.
    public init(dictionaryLiteral elements: (String, BSONValue)...) {
        var list = ElementList()
        for (key, value) in elements where !list.add(key, value, .refuse) {
            preconditionFailure("Freehold: the key '\(key)' stands twice in the literal of a BSONDocument")
        }
        self.elements = list.elements
    }
}

extension BSONDocument: CustomStringConvertible {
    /// Relaxed Extended JSON; the error's text if the document is nested too deeply for it.
    public var description: String {
        do { return try extendedJSON() } catch { return "\(error)" }
    }
}
