/// The handling of duplicate keys in a document that is read.
public enum BSONDuplicateKeys: Hashable, Sendable {
    /// Throws ``BSONError/Code/duplicateKey``. This is the default, because two readers that use different values of a
    /// duplicate key interpret a document differently, which can be exploited.
    case refuse
    /// Keeps all elements, in order. A look-up finds the first.
    case keep
    /// Keeps the position of the first and the value of the last.
    case last
}

/// The elements of a document that is being read. Checks for existing keys take O(1) on average.
struct ElementList {
    private(set) var elements: [BSONDocument.Element] = []
    /// One bit for the hash of each key. A key whose bit isn't set is certainly new.
    private var filter: UInt64 = 0
    /// The positions of the keys, which are used if the list is longer than `linearCount`.
    private var places: [ExactText: Int] = [:]

    private static let linearCount = 16

    init() {}

    mutating func reserveCapacity(_ count: Int) { elements.reserveCapacity(count) }

    /// Adds an element. Returns false if the key exists and duplicates are refused.
    mutating func add(_ key: String, _ value: BSONValue, policy: BSONDuplicateKeys) -> Bool {
        if policy != .keep, let place = place(of: key) {
            guard policy == .last else { return false }
            elements[place].value = value
            return true
        }
        elements.append((key, value))
        return true
    }

    /// Returns the position of the key. A new key is recorded at the end.
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
