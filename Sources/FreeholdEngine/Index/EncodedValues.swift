#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// A set of encoded values in ascending order of bytes, for a common look-up in an index.
struct EncodedValues {
    private var bytes: [UInt8] = []
    /// The end of each value.
    private var ends: [Int] = []

    var count: Int { ends.count }
    var isEmpty: Bool { ends.isEmpty }

    mutating func reserve(_ count: Int, length: Int) {
        ends.reserveCapacity(count)
        bytes.reserveCapacity(count * length)
    }

    /// Appends a value.
    /// - Precondition: values are appended in ascending order, or `sort` is called afterwards.
    mutating func append(_ value: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: value)
        ends.append(bytes.count)
    }

    @inline(__always)
    func with<R>(_ i: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        bytes.withUnsafeBytes { all in
            body(UnsafeRawBufferPointer(rebasing: all[(i == 0 ? 0 : ends[i - 1])..<ends[i]]))
        }
    }

    /// Sorts the values and removes duplicates.
    mutating func sort() {
        guard count > 1 else { return }
        let order: [Int] = bytes.withUnsafeBytes { all in
            func value(_ i: Int) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: all[(i == 0 ? 0 : ends[i - 1])..<ends[i]])
            }
            let sorted = (0..<count).sorted { Value.compareBytes(value($0), with: value($1)) < 0 }
            var kept: [Int] = []
            kept.reserveCapacity(sorted.count)
            for i in sorted {
                if let last = kept.last, Value.compareBytes(value(last), with: value(i)) == 0 { continue }
                kept.append(i)
            }
            return kept
        }
        var out = EncodedValues()
        out.reserve(order.count, length: bytes.count / count)
        for i in order { with(i) { out.append($0) } }
        self = out
    }
}

/// A range of an index's entries by their encoded values. A bound of `nil` is open.
struct EncodedRange {
    var lower: [UInt8]?
    var includesLower = true
    var upper: [UInt8]?
    var includesUpper = true

    /// Returns the range of all entries that begin with these bytes.
    static func prefix(_ bytes: [UInt8]) -> EncodedRange {
        let upper = bytes.withUnsafeBytes { OrderedEncoding.successor(ofPrefix: $0) }
        return EncodedRange(lower: bytes, upper: upper, includesUpper: false)
    }

    func withBounds<R>(_ body: (IndexTree.Bound?, IndexTree.Bound?) -> R) -> R {
        (lower ?? []).withUnsafeBytes { low in
            (upper ?? []).withUnsafeBytes { high in
                body(
                    lower == nil ? nil : IndexTree.Bound(low, inclusive: includesLower),
                    upper == nil ? nil : IndexTree.Bound(high, inclusive: includesUpper)
                )
            }
        }
    }
}

extension IndexTree {
    /// Calls the body with the keys of each value, in ascending order of values and keys.
    /// - Complexity: O(values × log(count of a block) + visited blocks + matches).
    func forEach(_ values: EncodedValues, in store: any BlockStore, _ body: (Int64) -> Void) {
        guard root != 0, !values.isEmpty else { return }
        forEach(values, 0..<values.count, number: root, level: nil, in: store, body: body)
    }

    private func forEach(
        _ values: EncodedValues,
        _ range: Range<Int>,
        number: UInt64,
        level: Int?,
        in store: any BlockStore,
        body: (Int64) -> Void
    ) {
        guard let node = node(number, level: level, in: store) else { return }
        if node.level == 0 {
            for i in range {
                values.with(i) { value in
                    var at = node.lowerBound(value)
                    while at < node.count, node.isEqual(at, value) {
                        body(node.key(at))
                        at &+= 1
                    }
                }
            }
            return
        }
        var i = range.lowerBound
        while i < range.upperBound {
            let (from, to) = values.with(i) { node.children($0) }
            if to - from > 1 {
                for child in from..<to {
                    forEach(
                        values,
                        i..<(i + 1),
                        number: node.child(child),
                        level: node.level - 1,
                        in: store,
                        body: body
                    )
                }
                i += 1
                continue
            }
            // The values that belong to one child.
            var end = i + 1
            while end < range.upperBound, values.with(end, { node.children($0) == (from, to) }) { end += 1 }
            forEach(values, i..<end, number: node.child(from), level: node.level - 1, in: store, body: body)
            i = end
        }
    }

    /// Returns the approximate number of entries between the bounds. The number is exact if it is small.
    /// - Complexity: O(log count).
    func estimate(lower: Bound? = nil, upper: Bound? = nil, in store: any BlockStore) -> Int {
        if root == 0 { return 0 }
        if lower == nil, upper == nil { return count }
        return Int(estimate(root, nil, lower: lower, upper: upper, entries: Double(count), in: store))
    }

    /// - Parameter entries: the approximate number of entries in the subtree.
    private func estimate(
        _ number: UInt64,
        _ level: Int?,
        lower: Bound?,
        upper: Bound?,
        entries: Double,
        in store: any BlockStore
    ) -> Double {
        if lower == nil, upper == nil { return entries }
        guard let node = node(number, level: level, in: store) else { return 0 }
        let below = node.level - 1
        var from = lower.map { $0.inclusive ? node.lowerBound($0.bytes) : node.upperBound($0.bytes) } ?? 0
        var to = upper.map { $0.inclusive ? node.upperBound($0.bytes) : node.lowerBound($0.bytes) } ?? node.count
        if node.level == 0 { return Double(max(0, to - from)) }
        from = max(0, from - 1)
        to = max(to, 1)
        guard from < to else { return 0 }
        let share = entries / Double(node.count)
        if to - from == 1 {
            return estimate(node.child(from), below, lower: lower, upper: upper, entries: share, in: store)
        }
        return estimate(node.child(from), below, lower: lower, upper: nil, entries: share, in: store)
            + Double(to - from - 2) * share
            + estimate(node.child(to - 1), below, lower: nil, upper: upper, entries: share, in: store)
    }
}

extension IndexNode {
    /// Returns the children that can contain entries of a value.
    @inline(__always)
    func children(_ value: UnsafeRawBufferPointer) -> (from: Int, to: Int) {
        let low = lowerBound(value)
        let from = max(0, low &- 1)
        // In most cases, the value isn't a separator.
        if low == count || !isEqual(low, value) { return (from, max(low, 1)) }
        return (from, max(upperBound(value), 1))
    }
}
