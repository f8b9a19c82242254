/// A set of object keys with 64 keys in a word. It is efficient for neighbouring keys, such as those of new objects. A million of them take half a
/// megabyte.
struct KeyBits: Sendable {
    private var words: [Int64: UInt64] = [:]

    var isEmpty: Bool { words.isEmpty }

    func contains(_ key: Int64) -> Bool {
        guard let word = words[key >> 6] else { return false }
        return word & Self.bit(key) != 0
    }

    mutating func insert(_ key: Int64) { words[key >> 6, default: 0] |= Self.bit(key) }

    /// - Returns: whether the set contained the key.
    @discardableResult
    mutating func remove(_ key: Int64) -> Bool {
        guard let index = words.index(forKey: key >> 6) else { return false }
        let word = words.values[index]
        guard word & Self.bit(key) != 0 else { return false }
        let rest = word & ~Self.bit(key)
        if rest == 0 { words.remove(at: index) } else { words.values[index] = rest }
        return true
    }

    /// Returns the keys in ascending order.
    /// - Complexity: O(*n* log *n*).
    func sorted() -> [Int64] {
        words.sorted { $0.key < $1.key }.flatMap { base, word in
            (0..<64).filter { word & (1 << UInt64($0)) != 0 }.map { base << 6 | Int64($0) }
        }
    }

    private static func bit(_ key: Int64) -> UInt64 { 1 << UInt64(truncatingIfNeeded: key & 63) }
}
