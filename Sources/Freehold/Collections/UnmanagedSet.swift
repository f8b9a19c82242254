import FreeholdEngine

/// An element of an unmanaged set. Two elements are equal under the same conditions as in a stored set: values are
/// compared by their stored form, strings by their bytes, and NaN equals itself. Objects and mixed values are compared
/// with `==`.
struct UniqueElement<Element: RealmCollectionValue>: Hashable {
    private enum Form: Hashable {
        case value(Value)
        case element(Element)
    }

    private let form: Form

    init(_ element: Element) {
        if case .value(let value) = Element._rlmContent(element), Element._rlmShape.type != .any {
            form = .value(value)
        } else {
            form = .element(element)
        }
    }
}

private func hasEqualBytes(_ a: String, _ b: String) -> Bool {
    a.utf8.count == b.utf8.count && Value.compareBytes(a, with: b) == 0
}

/// The elements of an unmanaged set. Each element has a position, but the order isn't defined.
struct UnmanagedSet<Element: RealmCollectionValue> {
    // In generic code, `[]` looks up the metadata of the storage class, and `[Element]()` doesn't.
    private(set) var elements = [Element]()
    private var positions = PositionTable()

    func hasSameElements(as other: UnmanagedSet) -> Bool {
        elements.count == other.elements.count && elements.allSatisfy { other.position(of: $0) != nil }
    }

    private static func hash(_ element: Element) -> Int { UniqueElement(element).hashValue }

    @inline(__always)
    func position(of element: Element) -> Int? {
        if Element.self == String.self {
            let (elements, sought) = (
                unsafeBitCast(elements, to: [String].self), unsafeBitCast(element, to: String.self)
            )
            return position(of: element) { hasEqualBytes(elements[$0], sought) }
        }
        if Element.self == Int.self {
            let (elements, sought) = (unsafeBitCast(elements, to: [Int].self), unsafeBitCast(element, to: Int.self))
            return position(of: element) { elements[$0] == sought }
        }
        if elements.isEmpty { return nil }
        let sought = UniqueElement(element)
        return position(of: element) { UniqueElement(elements[$0]) == sought }
    }

    @inline(__always)
    private func position(of element: Element, _ isSought: (Int) -> Bool) -> Int? {
        positions.position(count: elements.count, hash: Self.hash(element), isSought)
    }

    /// Inserts an element.
    ///
    /// - Returns: `true` if the element is new.
    @discardableResult
    @inline(__always)
    mutating func insert(_ element: Element) -> Bool {
        guard position(of: element) == nil else { return false }
        elements.append(element)
        positions.append(count: elements.count) { Self.hash(elements[$0]) }
        return true
    }

    /// Removes an element. The last element takes over its position.
    ///
    /// - Returns: `true` if the element was present.
    @discardableResult
    mutating func remove(_ element: Element) -> Bool {
        guard let i = position(of: element) else { return false }
        let last = elements.removeLast()
        if i < elements.count { elements[i] = last }
        positions.remove(i, count: elements.count, hash: Self.hash(element), lastHash: Self.hash(last))
        return true
    }

    mutating func removeAll() {
        guard !elements.isEmpty else { return }
        elements = [Element]()
        positions = PositionTable()
    }
}

/// The entries of an unmanaged map, in no defined order. Keys are equal if their bytes are, like in a file.
struct UnmanagedMap<Element> {
    private(set) var keys: [String] = []
    private(set) var values = [Element]()
    private var positions = PositionTable()

    var count: Int { keys.count }

    /// Returns the hash of the bytes. Strings with equal bytes are equal.
    private static func hash(_ name: String) -> Int { name.hashValue }

    private func position(of name: String) -> Int? {
        positions.position(count: keys.count, hash: Self.hash(name)) { hasEqualBytes(keys[$0], name) }
    }

    subscript(name: String) -> Element? {
        @inline(__always) get { position(of: name).map { values[$0] } }
        @inline(__always) set { if let newValue { set(newValue, name) } else { remove(name) } }
    }

    @inline(__always)
    mutating func set(_ value: Element, _ name: String) {
        if let i = position(of: name) {
            values[i] = value
        } else {
            keys.append(name)
            values.append(value)
            positions.append(count: keys.count) { Self.hash(keys[$0]) }
        }
    }

    /// Removes an entry. The last entry takes over its position.
    private mutating func remove(_ name: String) {
        guard let i = position(of: name) else { return }
        let (key, value) = (keys.removeLast(), values.removeLast())
        if i < keys.count { (keys[i], values[i]) = (key, value) }
        positions.remove(i, count: keys.count, hash: Self.hash(name), lastHash: Self.hash(key))
    }

    /// The entries in ascending order of the bytes of their keys.
    ///
    /// - Complexity: O(n log n)
    var sorted: [(key: String, value: Element)] {
        zip(keys, values).map { (key: $0, value: $1) }.sorted { Value.compareBytes($0.key, with: $1.key) < 0 }
    }

    mutating func removeAll() {
        guard !keys.isEmpty else { return }
        (keys, values) = ([], [Element]())
        positions = PositionTable()
    }
}

extension UnmanagedMap: Equatable where Element: Equatable {
    static func == (a: Self, b: Self) -> Bool {
        a.count == b.count && zip(a.keys, a.values).allSatisfy { b[$0] == $1 }
    }
}
