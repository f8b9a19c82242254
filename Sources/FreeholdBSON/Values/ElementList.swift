/// What a reader does with a key that repeats in a document.
public enum BSONDuplicateKeys: Hashable, Sendable {
    /// Throws ``BSONError/Code/duplicateKey``. The default: readers that pick different values of a repeated key can be
    /// made to disagree about what a document says.
    case refuse
    /// Keeps all, in order. A lookup finds the first.
    case keep
    /// Keeps the place of the first and the value of the last.
    case last
}

/// Elements of a document that is being read: knows whether a key was there, in O(1) on average.
struct ElementList {
    private(set) var elements: [BSONDocument.Element] = []
    /// One bit for each key's hash: a key whose bit is missing is surely new.
    private var filter: UInt64 = 0
    /// The places of the keys; filled once the list is longer than `linearCount`.
    private var places: [ExactText: Int] = [:]

    private static let linearCount = 16

    init() {}

    mutating func reserveCapacity(_ count: Int) { elements.reserveCapacity(count) }

    /// Adds an element; false if the key is there and that is refused.
    mutating func add(_ key: String, _ value: BSONValue, _ policy: BSONDuplicateKeys) -> Bool {
        if policy != .keep, let place = place(of: key) {
            guard policy == .last else { return false }
            elements[place].value = value
            return true
        }
        elements.append((key, value))
        return true
    }

    /// Where the key stands; a new key is noted as standing at the end.
    private mutating func place(of key: String) -> Int? {
        let bit = Self.bit(of: key)
        if filter & bit == 0 {
            filter |= bit
            if elements.count >= Self.linearCount {
                indexElements()
                places[ExactText(text: key)] = elements.count
            }
            return nil
        }
        if elements.count < Self.linearCount {
            return elements.firstIndex { sameText($0.key, key) }
        }
        indexElements()
        if let place = places[ExactText(text: key)] { return place }
        places[ExactText(text: key)] = elements.count
        return nil
    }

    private mutating func indexElements() {
        guard places.isEmpty else { return }
        places.reserveCapacity(2 * elements.count)
        for (index, element) in elements.enumerated() { places[ExactText(text: element.key)] = index }
    }

    private static func bit(of key: String) -> UInt64 {
        var key = key
        return key.withUTF8 { bytes in
            var hash: UInt64 = UInt64(bytes.count)
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15 }
            return 1 << (hash >> 58)
        }
    }
}
