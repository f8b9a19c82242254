/// A check whether values are different, by their hashes.
struct UniqueValues {
    /// The limit of values, because each takes memory.
    static let limit = 4_000_000

    private var hashes: Set<UInt64> = []
    private(set) var count = 0
    /// A duplicate value, and the line of its second occurrence.
    private(set) var repeated: (value: String, line: Int)?
    private(set) var hasMissing = false

    var isOverLimit: Bool { count > Self.limit }
    /// A Boolean value that indicates whether all values were checked and are different.
    var areUnique: Bool { count > 0 && repeated == nil && !hasMissing && !isOverLimit }

    mutating func add(_ value: String?, line: Int) {
        guard let value else {
            hasMissing = true
            return
        }
        count += 1
        guard repeated == nil, !isOverLimit else {
            hashes = []
            return
        }
        var hasher = Hasher()
        hasher.combine(value)
        if !hashes.insert(UInt64(bitPattern: Int64(hasher.finalize()))).inserted { repeated = (value, line) }
    }
}
