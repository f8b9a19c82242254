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
/// Subscripts, literals and ``init(_:)-([String:BSONValue?])`` keep each key once. ``append(_:_:)``, and reading with
/// ``BSONDuplicateKeys/keep``, can create a duplicate key. A look-up then finds the first one.
public struct BSONDocument: Sendable {
    public typealias Element = (key: String, value: BSONValue)

    var elements: [Element]

    public init() { elements = [] }

    init(elements: [Element]) { self.elements = elements }

    /// Creates a document from these elements, in order. Duplicate keys are kept.
    ///
    /// - Complexity: O(*n*).
    public init(_ elements: some Sequence<Element>) { self.elements = Array(elements) }

    /// Creates a document from a dictionary. It is sorted by the UTF-8 of the keys, so equal dictionaries create equal
    /// documents. `nil` becomes null.
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

    /// The elements by key. For a duplicate key, it is the first value. Swift treats keys that differ only in the
    /// composition of a letter as one key.
    ///
    /// - Complexity: O(*n*).
    public var dictionary: [String: BSONValue] {
        Dictionary(elements.lazy.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// The value of a key, or the first value of a duplicate key. Setting it replaces the value in its place, or adds
    /// the key at the end. Setting `nil` removes the key. After setting, the key exists at most once.
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

    /// Returns a Boolean value that indicates whether the document contains the key, also with a null value.
    ///
    /// - Complexity: O(*n*).
    public func contains(key: String) -> Bool { firstIndex(of: key) != nil }

    /// Returns the position of a key, or the first position of a duplicate key.
    ///
    /// - Complexity: O(*n*).
    public func firstIndex(of key: String) -> Int? { elements.firstIndex { sameText($0.key, key) } }

    /// Adds an element at the end, without a check for an existing key.
    ///
    /// - Complexity: O(1) on average.
    public mutating func append(_ key: String, _ value: BSONValue) { elements.append((key, value)) }

    /// Removes a key and returns its value, or the first value of a duplicate key.
    ///
    /// - Complexity: O(*n*).
    @discardableResult public mutating func removeValue(forKey key: String) -> BSONValue? {
        let value = self[key]
        self[key] = nil
        return value
    }

    /// Reserves space for the number of elements.
    public mutating func reserveCapacity(_ count: Int) { elements.reserveCapacity(count) }
}

extension BSONDocument: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { elements.count }
    public subscript(position: Int) -> Element { elements[position] }
}

extension BSONDocument: ExpressibleByDictionaryLiteral {
    /// Creates a document from a literal, in order. A duplicate key is a programmer error and traps.
    public init(dictionaryLiteral elements: (String, BSONValue)...) {
        var list = ElementList()
        for (key, value) in elements where !list.add(key, value, policy: .refuse) {
            preconditionFailure("Freehold: the key '\(key)' stands twice in the literal of a BSONDocument")
        }
        self.elements = list.elements
    }
}

extension BSONDocument: CustomStringConvertible {
    /// The document in relaxed Extended JSON, or the text of the error if it is nested too deeply.
    public var description: String {
        do { return try extendedJSON() } catch { return "\(error)" }
    }
}
