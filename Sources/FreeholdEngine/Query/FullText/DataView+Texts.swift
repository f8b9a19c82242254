internal import CFreeholdShims

extension DataView {
    /// Calls the body with the bytes of a string column of many objects, one after the other; nil for null. Those of the
    /// next ones are asked of memory meanwhile.
    @inline(__always)
    func forEachText(
        _ column: Column,
        _ count: Int,
        key: (Int) -> ObjectKey,
        _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) {
        let distance = 12
        for i in 0..<min(distance, count) { prefetch(column, key(i)) }
        for i in 0..<count {
            if i &+ distance < count { prefetch(column, key(i &+ distance)) }
            withBytes(column, key(i)) { body(i, $0) }
        }
    }

    /// The first bytes of a string that stands in a stored leaf.
    @inline(__always)
    private func prefetch(_ column: Column, _ key: ObjectKey) {
        var (cluster, slot) = locate(key)
        guard buffer(column, cluster: cluster) == nil, let leaf = locatedLeaf(column, cluster, &slot),
            !leaf.isNull(slot), !leaf.isReference(slot)
        else { return }
        let bytes = leaf.bytes(slot)
        fh_prefetch(bytes.baseAddress)
        if bytes.count > 64 { fh_prefetch(bytes.baseAddress! + 64) }
    }
}
