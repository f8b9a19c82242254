/// A set of object keys of one table, as a bitmap. A set is used by one thread.
///
/// A link is stored as the key + 1, and 0 stands for no link. The bits are numbered in the same way.
final class KeySet {
    /// The first stored link without a bit. The set doesn't contain this link and greater ones.
    let limit: Int
    let words: UnsafeMutablePointer<UInt64>

    /// - Parameter keys: one more than the greatest key that can be in the set.
    init(keys: Int) {
        limit = keys + 1
        let n = (limit + 63) >> 6 + 1
        words = .allocate(capacity: n)
        words.initialize(repeating: 0, count: n)
    }

    convenience init(_ table: Table, in view: DataView) {
        self.init(keys: view.clusterCount(table) * view.clusterSpan)
    }

    deinit { words.deallocate() }

    @inline(__always)
    func insert(stored: Int) { words[stored >> 6] |= 1 << UInt64(stored & 63) }

    func insert(_ key: ObjectKey) {
        let stored = Int(key.raw) + 1
        if stored > 0, stored < limit { insert(stored: stored) }
    }

    @inline(__always)
    func contains(stored: Int) -> Bool {
        UInt(bitPattern: stored) < UInt(bitPattern: limit) && words[stored >> 6] >> UInt64(stored & 63) & 1 != 0
    }

    func contains(_ key: ObjectKey) -> Bool { contains(stored: Int(key.raw) &+ 1) }

    /// Sets `mask[i]` to bit `first + i`. The function writes eight bytes at a time, so it writes up to seven bytes after the `n`th.
    func fill(_ mask: Mask, first: Int, _ n: Int) {
        var i = 0
        while i < n {
            let at = first &+ i
            guard at < limit else {
                MaskKernels.set(mask + i, count: n - i, to: false)
                return
            }
            let shift = UInt64(at & 63)
            var byte = words[at >> 6] >> shift
            if shift > 56 { byte |= words[at >> 6 &+ 1] << (64 - shift) }
            MaskKernels.setWord(mask, at: i, to: MaskKernels.expand(byte & 0xff))
            i &+= 8
        }
    }

    /// Sets `mask[i]` to whether the link in slot `i` of a link column's leaf leads to an object in the set.
    ///
    /// - Parameter matchesNoLink: the value in the mask for slots without a link.
    func fill(_ mask: Mask, leaf: Leaf, matchesNoLink: Bool, _ n: Int) {
        // Bit 0 doesn't stand for an object, so it holds the result for null.
        words[0] = words[0] & ~1 | (matchesNoLink ? 1 : 0)
        let values = leaf.valuesPointer
        switch leaf.width {
        case 0: MaskKernels.set(mask, count: n, to: contains(stored: Int(leaf.base)))
        case 1: fill(mask, values.assumingMemoryBound(to: UInt8.self), base: leaf.base, count: n)
        case 2: fill(mask, values.assumingMemoryBound(to: UInt16.self), base: leaf.base, count: n)
        case 4: fill(mask, values.assumingMemoryBound(to: UInt32.self), base: leaf.base, count: n)
        default: fill(mask, values.assumingMemoryBound(to: Int64.self), base: leaf.base, count: n)
        }
    }

    @inline(__always)
    private func fill<T: FixedWidthInteger>(_ mask: Mask, _ p: UnsafePointer<T>, base: Int64, count n: Int) {
        var i = 0
        while i < n {
            let stored = Int(truncatingIfNeeded: base &+ Int64(truncatingIfNeeded: p[i]))
            mask[i] = contains(stored: stored) ? 1 : 0
            i &+= 1
        }
    }
}
