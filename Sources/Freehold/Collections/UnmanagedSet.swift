import FreeholdEngine

/// What tells elements of an unmanaged set apart, as it does in a file: values by their stored form (so that strings
/// are the same if their bytes are, and NaN is the same as itself), objects and mixed values by their own equality.
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

/// Up to so many elements are looked through: quicker than a hash table, whose code is generic where elements are.
private let fewElements = 8

private func hasEqualBytes(_ a: String, _ b: String) -> Bool {
    a.utf8.count == b.utf8.count && Value.compareBytes(a, b) == 0
}

/// The elements of an unmanaged set, in no order but with positions.
struct UnmanagedSet<Element: RealmCollectionValue> {
    private(set) var elements: [Element] = []
    /// Empty while there are few elements.
    private var positions: [UniqueElement<Element>: Int] = [:]

    func hasSameElements(as other: UnmanagedSet) -> Bool {
        elements.count == other.elements.count && elements.allSatisfy { other.position(of: $0) != nil }
    }

    func position(of element: Element) -> Int? {
        if elements.count > fewElements { return positions[UniqueElement(element)] }
        if Element.self == String.self {
            let sought = unsafeBitCast(element, to: String.self)
            return unsafeBitCast(elements, to: [String].self).firstIndex { hasEqualBytes($0, sought) }
        }
        if Element.self == Int.self {
            return unsafeBitCast(elements, to: [Int].self).firstIndex(of: unsafeBitCast(element, to: Int.self))
        }
        if elements.isEmpty { return nil }
        let sought = UniqueElement(element)
        return elements.firstIndex { UniqueElement($0) == sought }
    }

    /// - Returns: whether it is new.
    @discardableResult
    mutating func insert(_ element: Element) -> Bool {
        guard position(of: element) == nil else { return false }
        elements.append(element)
        if elements.count == fewElements + 1 {
            for (i, element) in elements.enumerated() { positions[UniqueElement(element)] = i }
        } else if elements.count > fewElements {
            positions[UniqueElement(element)] = elements.count - 1
        }
        return true
    }

    /// The last element takes its position. - Returns: whether it was there.
    @discardableResult
    mutating func remove(_ element: Element) -> Bool {
        guard let i = position(of: element) else { return false }
        let last = elements.removeLast()
        if i < elements.count { elements[i] = last }
        if elements.count <= fewElements {
            positions = [:]
        } else {
            positions[UniqueElement(element)] = nil
            if i < elements.count { positions[UniqueElement(last)] = i }
        }
        return true
    }

    mutating func removeAll() {
        elements = []
        positions = [:]
    }
}

/// The entries of an unmanaged map, in no order. Keys are the same if their bytes are, as they are in a file.
struct UnmanagedMap<Element> {
    private(set) var keys: [String] = []
    private(set) var values: [Element] = []
    /// Empty while there are few entries.
    private var positions: [UnmanagedMapKey: Int] = [:]

    var count: Int { keys.count }

    private func position(of name: String) -> Int? {
        if keys.count > fewElements { return positions[UnmanagedMapKey(name: name)] }
        return keys.firstIndex { hasEqualBytes($0, name) }
    }

    subscript(name: String) -> Element? {
        get { position(of: name).map { values[$0] } }
        set {
            switch (position(of: name), newValue) {
            case (let i?, let value?): values[i] = value
            case (let i?, nil): remove(at: i)
            case (nil, let value?): append(name, value)
            case (nil, nil): break
            }
        }
    }

    private mutating func append(_ name: String, _ value: Element) {
        keys.append(name)
        values.append(value)
        if keys.count == fewElements + 1 {
            for (i, key) in keys.enumerated() { positions[UnmanagedMapKey(name: key)] = i }
        } else if keys.count > fewElements {
            positions[UnmanagedMapKey(name: name)] = keys.count - 1
        }
    }

    /// The last entry takes its position.
    private mutating func remove(at i: Int) {
        let removed = keys[i]
        let (key, value) = (keys.removeLast(), values.removeLast())
        if i < keys.count { (keys[i], values[i]) = (key, value) }
        if keys.count <= fewElements {
            positions = [:]
        } else {
            positions[UnmanagedMapKey(name: removed)] = nil
            if i < keys.count { positions[UnmanagedMapKey(name: key)] = i }
        }
    }

    /// By rising bytes. - Complexity: O(n log n)
    var sorted: [(key: String, value: Element)] {
        zip(keys, values).map { (key: $0, value: $1) }.sorted { Value.compareBytes($0.key, $1.key) < 0 }
    }

    mutating func removeAll() { self = UnmanagedMap() }
}

extension UnmanagedMap: Equatable where Element: Equatable {
    static func == (a: Self, b: Self) -> Bool {
        a.count == b.count && zip(a.keys, a.values).allSatisfy { b[$0] == $1 }
    }
}
