#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

extension IndexTree {
    /// A bound of a range of encoded values.
    struct Bound {
        var bytes: UnsafeRawBufferPointer
        var inclusive: Bool

        init(_ bytes: UnsafeRawBufferPointer, inclusive: Bool) {
            self.bytes = bytes
            self.inclusive = inclusive
        }
    }

    /// Calls the body with (bytes, key) of each entry between the bounds, in order or in reverse order, until the body returns false. A bound of
    /// `nil` is open. The bytes are valid during the call. The store must not change meanwhile.
    func range(
        lower: Bound? = nil,
        upper: Bound? = nil,
        reversed: Bool = false,
        in store: any BlockStore,
        _ body: (UnsafeRawBufferPointer, Int64) -> Bool
    ) {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer in
            let out = buffer.baseAddress!
            scan(lower: lower, upper: upper, reversed: reversed, in: store) { node, positions in
                memcpy(out, node.prefix, node.prefixLength)
                func visit(_ i: Int) -> Bool {
                    let rest = node.suffix(i)
                    memcpy(out + node.prefixLength, rest.baseAddress!, rest.count)
                    return body(
                        UnsafeRawBufferPointer(start: out, count: node.prefixLength + rest.count),
                        node.key(i)
                    )
                }
                if reversed {
                    for i in positions.reversed() where !visit(i) { return false }
                } else {
                    for i in positions where !visit(i) { return false }
                }
                return true
            }
        }
    }

    /// Calls the body with the key of each entry between the bounds, until the body returns false.
    func keys(
        lower: Bound? = nil,
        upper: Bound? = nil,
        reversed: Bool = false,
        in store: any BlockStore,
        _ body: (Int64) -> Bool
    ) {
        scan(lower: lower, upper: upper, reversed: reversed, in: store) { node, positions in
            if reversed {
                for i in positions.reversed() where !body(node.key(i)) { return false }
            } else {
                for i in positions where !body(node.key(i)) { return false }
            }
            return true
        }
    }

    /// Calls the body with each key of this value in ascending order, until the body returns false.
    func forEach(_ bytes: UnsafeRawBufferPointer, in store: any BlockStore, _ body: (Int64) -> Bool) {
        let bound = Bound(bytes, inclusive: true)
        keys(lower: bound, upper: bound, in: store, body)
    }

    /// Calls the body with (bytes, key) of each entry whose bytes begin with this prefix, in order, until the body returns false.
    func forEach(
        prefix: UnsafeRawBufferPointer,
        in store: any BlockStore,
        _ body: (UnsafeRawBufferPointer, Int64) -> Bool
    ) {
        guard let successor = OrderedEncoding.successor(ofPrefix: prefix) else {
            return range(lower: prefix.isEmpty ? nil : Bound(prefix, inclusive: true), in: store, body)
        }
        successor.withUnsafeBytes {
            range(
                lower: Bound(prefix, inclusive: true),
                upper: Bound($0, inclusive: false),
                in: store,
                body
            )
        }
    }

    /// Returns the number of entries between the bounds.
    /// - Complexity: O(log count + leaves between the bounds).
    func count(lower: Bound? = nil, upper: Bound? = nil, in store: any BlockStore) -> Int {
        if lower == nil && upper == nil { return count }
        var total = 0
        scan(lower: lower, upper: upper, reversed: false, in: store) { _, positions in
            total += positions.count
            return true
        }
        return total
    }

    /// Calls the body with the bytes and key of the greatest entry.
    /// - Complexity: O(log count).
    func maximum<R>(in store: any BlockStore, _ body: (UnsafeRawBufferPointer, Int64) -> R) -> R? {
        guard root != 0, var node = node(root, in: store) else { return nil }
        while node.level > 0 {
            guard let child = self.node(node.child(node.count - 1), level: node.level - 1, in: store) else {
                return nil
            }
            node = child
        }
        return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer in
            let length = node.copyBytes(node.count - 1, to: buffer.baseAddress!)
            return body(UnsafeRawBufferPointer(rebasing: buffer[0..<length]), node.key(node.count - 1))
        }
    }

    /// Calls the body with each leaf and the range of its positions that are between the bounds.
    private func scan(
        lower: Bound?,
        upper: Bound?,
        reversed: Bool,
        in store: any BlockStore,
        body: (IndexNode, Range<Int>) -> Bool
    ) {
        guard root != 0 else { return }
        _ = scan(root, nil, lower: lower, upper: upper, reversed: reversed, in: store, body: body)
    }

    private func scan(
        _ number: UInt64,
        _ level: Int?,
        lower: Bound?,
        upper: Bound?,
        reversed: Bool,
        in store: any BlockStore,
        body: (IndexNode, Range<Int>) -> Bool
    ) -> Bool {
        guard let node = node(number, level: level, in: store) else { return true }
        var from = lower.map { $0.inclusive ? node.lowerBound($0.bytes) : node.upperBound($0.bytes) } ?? 0
        var to = upper.map { $0.inclusive ? node.upperBound($0.bytes) : node.lowerBound($0.bytes) } ?? node.count
        if node.level == 0 { return from < to ? body(node, from..<to) : true }
        // The last entries of the child before the first separator in the range may be in the range.
        from = max(0, from - 1)
        to = max(to, 1)
        guard from < to else { return true }
        for step in 0..<(to - from) {
            let i = reversed ? to - 1 - step : from + step
            // The bounds can exclude entries only in the first and the last child.
            let low = i == from ? lower : nil
            let high = i == to - 1 ? upper : nil
            if !scan(node.child(i), node.level - 1, lower: low, upper: high, reversed: reversed, in: store, body: body)
            {
                return false
            }
        }
        return true
    }
}
