/// The sizes of the rows that a node keeps for a stream. They bound the rows by bytes instead of their number.
///
/// Sizes are estimates: an object is measured when it is read or created, and grows by the size of each commit that changes it.
struct RowWeights: Sendable {
    private var sizes: [ObjectName: Int] = [:]
    /// The names of `sizes`, in the order in which they were added.
    private var order: ArraySlice<ObjectName> = []
    /// The sum of the sizes.
    private(set) var bytes = 0

    /// Sets the size of an object.
    mutating func set(_ name: ObjectName, to size: Int) {
        if let old = sizes.updateValue(size, forKey: name) {
            bytes += size - old
        } else {
            order.append(name)
            bytes += size
        }
    }

    /// Adds to the size of an object that is known.
    ///
    /// - Returns: false if the object isn't known.
    mutating func grow(_ name: ObjectName, by size: Int) -> Bool {
        guard let old = sizes[name] else { return false }
        sizes[name] = old + size
        bytes += size
        return true
    }

    /// Removes the oldest rows until the remaining ones have at most `most` bytes.
    ///
    /// - Complexity: O(removed rows)
    mutating func trim(_ rows: inout [ObjectName: MergedObject?], to most: Int) {
        while bytes > most, let name = order.popFirst() {
            guard let size = sizes.removeValue(forKey: name) else { continue }
            bytes -= size
            rows.removeValue(forKey: name)
        }
    }

    /// Checks that the sum and the order belong to the sizes.
    func checkInvariants() {
        assert(bytes == sizes.values.reduce(0, +), "The sum isn't that of the sizes.")
        assert(sizes.count == order.count, "The order has other names than the sizes.")
        assert(order.allSatisfy { sizes[$0] != nil }, "The order has other names than the sizes.")
    }
}

extension MergedObject {
    /// The estimated size of the object in memory, in bytes.
    ///
    /// - Complexity: O(size of the object)
    public var estimatedBytes: Int { Int(clamping: contents.estimatedBytes) }
}

extension [SyncString: MergedContent] {
    fileprivate var estimatedBytes: UInt64 {
        reduce(128) { $0 + 64 + UInt64($1.key.string.utf8.count) + $1.value.estimatedBytes }
    }
}

extension MergedContent {
    fileprivate var estimatedBytes: UInt64 {
        switch self {
        case .value(let value): 48 + value.estimatedLength
        case .embedded(let fields): fields.estimatedBytes
        case .list(let elements): elements.reduce(64) { $0 + 96 + $1.estimatedBytes }
        case .set(let values): values.values.reduce(64) { $0 + 96 + $1.estimatedLength }
        case .dictionary(let entries): entries.estimatedBytes
        }
    }
}
