/// A value to be found among stored ones in their order, in a form that is quick to compare with them.
enum SortedProbe {
    case null
    /// Of integers, and of links by their key.
    case int(Int64)
    /// Of strings and data.
    case bytes(UnsafeRawBufferPointer)
    case value(Value)

    /// Calls `body` with the probe of a value for a collection of that type.
    static func with<R>(_ value: Value, _ type: ColumnType, _ body: (SortedProbe) -> R) -> R {
        switch (value, type) {
        case (.null, _): body(.null)
        case (.int(let number), .int): body(.int(number))
        case (.link(let key), .link): body(.int(key.raw))
        case (.string, .string), (.data, .data): FieldCoding.withBytes(value, type) { body(.bytes($0)) }
        default: body(.value(value))
        }
    }
}

extension InlineList {
    /// −1, 0 or 1: the i-th element against a probe. - Precondition: the elements are not strings or data.
    private func compare(_ i: Int, with probe: SortedProbe) -> Int {
        if isNull(i) { if case .null = probe { return 0 } else { return -1 } }
        switch probe {
        case .null: return 1
        case .int(let number):
            let own = int(i)
            return own < number ? -1 : own == number ? 0 : 1
        case .bytes: return -1
        case .value(let value): return Value.compare(self.value(i), value)
        }
    }

    /// Where a value stands in a sorted list, or would.
    func place(of probe: SortedProbe) -> (index: Int, isFound: Bool) {
        if case .bytes(let bytes) = probe { return place(ofBytes: bytes) }
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) >> 1
            let order = compare(middle, with: probe)
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    /// The lengths come first, so the bytes are found by walking.
    private func place(ofBytes wanted: UnsafeRawBufferPointer) -> (index: Int, isFound: Bool) {
        let count = count
        guard count > 0 else { return (0, false) }
        let lengths = UnsafeRawBufferPointer(rebasing: bytes[valuesStart...])
        var start = count * 2
        for i in 0..<count {
            let length = Int(lengths.loadUnaligned(fromByteOffset: i * 2, as: UInt16.self))
            if !isNull(i) {
                let own = UnsafeRawBufferPointer(rebasing: lengths[start..<start + length])
                let order = Value.compareBytes(own, wanted)
                if order >= 0 { return (i, order == 0) }
            }
            start += length
        }
        return (count, false)
    }
}

extension CountedTree {
    /// Returns the index of the first element that isn't before what is sought, `count` if all are. The elements are in that order.
    ///
    /// - Parameter isBefore: of an element, given by its chunk, the number of elements in that, and its place in it.
    /// - Complexity: O(log n) calls and blocks, and a sum over one node a level.
    func lowerBound(
        in store: any BlockStore,
        _ isBefore: (_ chunk: UInt64, _ count: Int, _ slot: Int) -> Bool
    ) -> Int {
        guard count > 0 else { return 0 }
        var number = root
        var start = 0
        var level: Int?
        while true {
            guard let node = CountedTreeNode.View(number, level: level, segment: segment, in: store) else { return 0 }
            // The last child that begins before it, else the first.
            let next = Self.partition(node.count) { place in
                firstChunk(node, place, in: store).map { isBefore($0.number, $0.count, 0) } ?? false
            }
            let slot = max(next - 1, 0)
            for i in 0..<slot { start += node.count(i) }
            number = node.child(slot)
            if node.level == 0 {
                return min(count, start + Self.partition(node.count(slot)) { isBefore(number, node.count(slot), $0) })
            }
            level = node.level - 1
        }
    }

    private func firstChunk(
        _ node: CountedTreeNode.View,
        _ slot: Int,
        in store: any BlockStore
    ) -> (number: UInt64, count: Int)? {
        var number = node.child(slot)
        var count = node.count(slot)
        var level = node.level
        while level > 0 {
            level -= 1
            guard let node = CountedTreeNode.View(number, level: level, segment: segment, in: store) else { return nil }
            number = node.child(0)
            count = node.count(0)
        }
        return (number, count)
    }

    @inline(__always)
    private static func partition(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) >> 1
            if isBefore(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension DataView {
    /// Where a value stands in a sorted collection, or would. - Complexity: O(log n).
    func sortedPlace(
        of value: Value,
        in list: StoredList,
        type: ColumnType,
        isOptional: Bool
    ) -> (index: Int, isFound: Bool) {
        SortedProbe.with(value, type) { probe in
            switch list {
            case .inline(let inline): return inline.place(of: probe)
            case .large(let tree):
                var isFound = false
                let index = tree.lowerBound(in: self) { chunk, count, slot in
                    let leaf = self.chunk(chunk, count, slot: slot, of: tree, type, isOptional: isOptional)
                    if leaf.isBlank { return false }
                    let order = compare(leaf, slot, with: probe, type, isOptional, tree.segment)
                    if order == 0 { isFound = true }
                    return order < 0
                }
                return (index, isFound)
            }
        }
    }

    /// −1, 0 or 1: an element of a chunk against a probe.
    private func compare(
        _ leaf: Leaf,
        _ slot: Int,
        with probe: SortedProbe,
        _ type: ColumnType,
        _ isOptional: Bool,
        _ blobs: UInt32
    ) -> Int {
        if leaf.isNull(slot) { if case .null = probe { return 0 } else { return -1 } }
        switch probe {
        case .null: return 1
        case .int(let number):
            let own = leaf.int(slot) - (type == .link ? 1 : 0)
            return own < number ? -1 : own == number ? 0 : 1
        case .bytes(let bytes):
            if leaf.isReference(slot) {
                return longBytes(blobs, leaf.reference(slot)).withUnsafeBytes { Value.compareBytes($0, bytes) }
            }
            return Value.compareBytes(leaf.bytes(slot), bytes)
        case .value(let wanted):
            return Value.compare(value(type, leaf, slot, isOptional: isOptional, blobs: blobs), wanted)
        }
    }

    // MARK: Sets

    /// Where a value stands in a set, or `nil` if it isn't in it. In a set of mixed values a number is found in any of its types. - Complexity: O(log
    /// n).
    public func setIndex(_ column: Column, _ key: ObjectKey, of value: Value) -> Int? {
        let place = setPlace(column, key, value)
        return place.isFound ? place.index : nil
    }

    func setPlace(_ column: Column, _ key: ObjectKey, _ value: Value) -> (index: Int, isFound: Bool) {
        guard value.isNull || value.type == column.type || column.type == .mixed else { return (0, false) }
        return withList(column, key) {
            sortedPlace(of: value, in: $0, type: column.type, isOptional: column.isOptional)
        }
    }
}
