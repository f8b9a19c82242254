/// A builder that divides a sequence of elements into chunks of a large list. Each chunk is a separate leaf of at most two pages.
struct ChunkBuilder {
    static let maximumCount = 1000
    static let maximumWeight = 7900

    let type: ColumnType
    let isOptional: Bool
    let expected: Int
    private(set) var finished: [LeafBuffer] = []
    private var current: LeafBuffer?
    private var weight = 0
    private var limitCount: Int
    private var limitWeight: Int

    /// - Parameter even: the number of elements and their weight, which are distributed evenly over as few chunks as possible, or `nil` to fill each
    ///   chunk.
    init(type: ColumnType, isOptional: Bool, even: (count: Int, weight: Int)? = nil, expected: Int = maximumCount) {
        self.type = type
        self.isOptional = isOptional
        self.expected = min(max(expected, 1), Self.maximumCount)
        limitCount = Self.maximumCount
        limitWeight = Self.maximumWeight
        if let even {
            let chunks = max(
                (even.count + Self.maximumCount - 1) / Self.maximumCount,
                (even.weight + Self.maximumWeight - 1) / Self.maximumWeight,
                1
            )
            limitCount = (even.count + chunks - 1) / chunks
            limitWeight = min(Self.maximumWeight, (even.weight + chunks - 1) / chunks + 2100)
        }
    }

    static func weight(_ type: ColumnType, byteCount: Int) -> Int {
        switch type {
        case .bool: 1
        case .float: 4
        case .int, .double, .link: 8
        case .timestamp: 12
        case .objectId: 12
        case .decimal128, .uuid: 16
        case .string, .data, .mixed: 5 + min(byteCount, FieldCoding.longBytes)
        }
    }

    /// Returns the weight of a chunk's elements, except those in some slots.
    static func weight(of chunk: LeafBuffer, _ type: ColumnType, without slots: Range<Int>) -> Int {
        guard chunk.kind == .bytes else { return (chunk.count - slots.count) * weight(type, byteCount: 0) }
        var sum = 0
        for slot in 0..<slots.lowerBound { sum += min(chunk.byteCount(slot), FieldCoding.longBytes) }
        for slot in slots.upperBound..<chunk.count { sum += min(chunk.byteCount(slot), FieldCoding.longBytes) }
        return sum + (chunk.count - slots.count) * weight(type, byteCount: 0)
    }

    /// Returns a buffer with room for one more element, and the slot of the element.
    mutating func next(byteCount: Int) -> (LeafBuffer, Int) {
        let more = Self.weight(type, byteCount: byteCount)
        if let current {
            if current.count < limitCount, weight + more <= limitWeight {
                weight += more
                return (current, current.count)
            }
            finished.append(current)
        }
        let made = LeafBuffer(type: type, isList: false, isOptional: isOptional, capacity: Self.maximumCount)
        current = made
        weight = more
        return (made, 0)
    }

    mutating func finish() -> [LeafBuffer] {
        if let current { finished.append(current) }
        current = nil
        return finished
    }
}

extension LeafBuffer {
    /// Copies a slot without decoding it, including a reference to long bytes. Both buffers have the same type.
    func copySlot(_ slot: Int, from other: LeafBuffer, _ source: Int) {
        if other.isNull(source) {
            setDefault(slot)
            return
        }
        switch kind {
        case .ints: setInt(slot, other.int(source))
        case .bools: setBool(slot, other.bool(source))
        case .floats: setFloat(slot, other.float(source))
        case .doubles: setDouble(slot, other.double(source))
        case .timestamps:
            let t = other.timestamp(source)
            setTimestamp(slot, seconds: t.seconds, nanoseconds: t.nanoseconds)
        case .fixed12, .fixed16: setFixed(slot, other.fixed(source))
        case .bytes: setBytes(slot, other.bytes(source), isReference: other.isReference(source))
        }
    }
}
