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

/// The elements of an unmanaged set, in no order but with positions.
struct UnmanagedSet<Element: RealmCollectionValue> {
    private(set) var elements: [Element] = []
    private var positions: [UniqueElement<Element>: Int] = [:]

    func hasSameElements(as other: UnmanagedSet) -> Bool {
        elements.count == other.elements.count && elements.allSatisfy { other.position(of: $0) != nil }
    }

    func position(of element: Element) -> Int? { positions[UniqueElement(element)] }

    /// - Returns: whether it is new.
    @discardableResult
    mutating func insert(_ element: Element) -> Bool {
        let key = UniqueElement(element)
        guard positions[key] == nil else { return false }
        positions[key] = elements.count
        elements.append(element)
        return true
    }

    /// The last element takes its position. - Returns: whether it was there.
    @discardableResult
    mutating func remove(_ element: Element) -> Bool {
        guard let i = positions.removeValue(forKey: UniqueElement(element)) else { return false }
        let last = elements.removeLast()
        if i < elements.count {
            elements[i] = last
            positions[UniqueElement(last)] = i
        }
        return true
    }

    mutating func removeAll() {
        elements = []
        positions = [:]
    }
}

/// The entries of an unmanaged map. Keys are the same if their bytes are, as they are in a file.
struct UnmanagedMap<Element> {
    private(set) var entries: [UnmanagedMapKey: Element] = [:]

    var count: Int { entries.count }

    subscript(name: String) -> Element? {
        get { entries[UnmanagedMapKey(name: name)] }
        set { entries[UnmanagedMapKey(name: name)] = newValue }
    }

    /// By rising bytes. - Complexity: O(n log n)
    var sorted: [(key: String, value: Element)] {
        entries.map { (key: $0.key.name, value: $0.value) }.sorted { Value.compareBytes($0.key, $1.key) < 0 }
    }

    mutating func removeAll() { entries = [:] }
}

extension UnmanagedMap: Equatable where Element: Equatable {}
