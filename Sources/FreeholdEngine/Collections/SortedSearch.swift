/// A value to search for among sorted stored values, in a form that can be compared quickly.
enum SortedProbe {
    case null
    /// An integer, or a link by its key.
    case int(Int64)
    /// A string or data.
    case bytes(UnsafeRawBufferPointer)
    case value(Value)

    /// Calls `body` with the probe of a value for a collection of that type.
    static func with<R>(_ value: Value, _ type: ColumnType, body: (SortedProbe) -> R) -> R {
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
    /// Compares the i-th element with a probe and returns −1, 0 or 1.
    /// - Precondition: the elements are neither strings nor data.
    private func compare(_ i: Int, with probe: SortedProbe) -> Int {
        if isNull(i) { if case .null = probe { return 0 } else { return -1 } }
        switch probe {
        case .null: return 1
        case .int(let number):
            let own = int(i)
            return own < number ? -1 : own == number ? 0 : 1
        case .bytes: return -1
        case .value(let value): return Value.compare(self.value(i), with: value)
        }
    }

    /// Returns the place of a value in a sorted list, or the place where it would be inserted.
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

    /// Returns the place of a byte string. The list begins with the lengths of its elements, so the search adds them up.
    private func place(ofBytes wanted: UnsafeRawBufferPointer) -> (index: Int, isFound: Bool) {
        let count = count
        guard count > 0 else { return (0, false) }
        let lengths = UnsafeRawBufferPointer(rebasing: bytes[valuesStart...])
        var start = count * 2
        for i in 0..<count {
            let length = Int(lengths.loadUnaligned(fromByteOffset: i * 2, as: UInt16.self))
            if !isNull(i) {
                let own = UnsafeRawBufferPointer(rebasing: lengths[start..<start + length])
                let order = Value.compareBytes(own, with: wanted)
                if order >= 0 { return (i, order == 0) }
            }
            start += length
        }
        return (count, false)
    }
}

extension CountedTree {
    /// Returns the index of the first element that isn't before the searched value, or `count` if all elements are. The elements are sorted
    /// accordingly.
    ///
    /// - Parameter isBefore: returns whether an element is before the searched value. The element is given by its chunk, the number of the chunk's
    ///   elements, and its slot.
    /// - Complexity: O(log n) calls and blocks, and one sum over a node for each level.
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
            // The last child that begins before the value, or the first child.
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
    /// Returns the place of a value in a sorted collection, or the place where it would be inserted.
    /// - Complexity: O(log n).
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
                    let leaf = self.chunk(chunk, count, slot: slot, of: tree, type: type, isOptional: isOptional)
                    if leaf.isBlank { return false }
                    let order = compare(
                        leaf,
                        slot,
                        with: probe,
                        type: type,
                        isOptional: isOptional,
                        blobs: tree.segment
                    )
                    if order == 0 { isFound = true }
                    return order < 0
                }
                return (index, isFound)
            }
        }
    }

    /// Compares an element of a chunk with a probe and returns −1, 0 or 1.
    private func compare(
        _ leaf: Leaf,
        _ slot: Int,
        with probe: SortedProbe,
        type: ColumnType,
        isOptional: Bool,
        blobs: UInt32
    ) -> Int {
        if leaf.isNull(slot) { if case .null = probe { return 0 } else { return -1 } }
        switch probe {
        case .null: return 1
        case .int(let number):
            let own = leaf.int(slot) - (type == .link ? 1 : 0)
            return own < number ? -1 : own == number ? 0 : 1
        case .bytes(let bytes):
            if leaf.isReference(slot) {
                return longBytes(blobs, leaf.reference(slot)).withUnsafeBytes { Value.compareBytes($0, with: bytes) }
            }
            return Value.compareBytes(leaf.bytes(slot), with: bytes)
        case .value(let wanted):
            return Value.compare(value(type, leaf, slot: slot, isOptional: isOptional, blobs: blobs), with: wanted)
        }
    }

    // MARK: Sets

    /// Returns the position of a value in a set, or `nil` if the set doesn't contain it. In a set of mixed values, a number is found whatever its
    /// type.
    /// - Complexity: O(log n).
    public func setIndex(_ column: Column, _ key: ObjectKey, of value: Value) -> Int? {
        let place = setPlace(column, key, of: value)
        return place.isFound ? place.index : nil
    }

    func setPlace(_ column: Column, _ key: ObjectKey, of value: Value) -> (index: Int, isFound: Bool) {
        guard value.isNull || value.type == column.type || column.type == .mixed else { return (0, false) }
        return withList(column, key) {
            sortedPlace(of: value, in: $0, type: column.type, isOptional: column.isOptional)
        }
    }
}
