internal import CFreeholdShims

extension DataView {
    /// Calls the body with the bytes of a string column of many objects, one after the other, or with `nil` for null. Meanwhile, the bytes of the
    /// next objects are prefetched.
    @inline(__always)
    func forEachText(
        _ column: Column,
        _ count: Int,
        key: (Int) -> ObjectKey,
        body: (Int, UnsafeRawBufferPointer?) -> Void
    ) {
        let distance = 12
        var ahead = TextCursor(self, column)
        var cursor = TextCursor(self, column)
        for i in 0..<min(distance, count) { ahead.prefetch(key(i)) }
        for i in 0..<count {
            if i &+ distance < count { ahead.prefetch(key(i &+ distance)) }
            let key = key(i)
            if let bytes = cursor.bytes(key) { body(i, bytes) } else { withBytes(column, key) { body(i, $0) } }
        }
    }
}

/// A reader of strings in stored leaves. It keeps the last leaf, because the next key is often in the same leaf.
private struct TextCursor {
    private let view: DataView
    private let column: Column
    private var leaf: Leaf?
    /// The range of the leaf's keys.
    private var first: Int64 = 0
    private var span: UInt64 = 0

    init(_ view: DataView, _ column: Column) {
        self.view = view
        self.column = column
    }

    /// Returns `nil` if the string is null, long, changed by the transaction or not stored.
    @inline(__always)
    mutating func bytes(_ key: ObjectKey) -> UnsafeRawBufferPointer? {
        if UInt64(bitPattern: key.raw &- first) >= span { move(to: key) }
        guard let leaf else { return nil }
        let slot = Int(key.raw &- first)
        guard slot < leaf.count, !leaf.isNull(slot), !leaf.isReference(slot) else { return nil }
        return leaf.bytes(slot)
    }

    @inline(__always)
    mutating func prefetch(_ key: ObjectKey) {
        guard let bytes = bytes(key) else { return }
        fh_prefetch(bytes.baseAddress)
        if bytes.count > 64 { fh_prefetch(bytes.baseAddress! + 64) }
    }

    @inline(never)
    private mutating func move(to key: ObjectKey) {
        let (cluster, slot) = view.locate(key)
        first = key.raw &- Int64(slot)
        span = UInt64(view.clusterSpan)
        leaf = nil
        if view.buffer(column, cluster: cluster) != nil { return }
        guard let head = view.leaf(column, cluster: cluster).map({ Leaf($0) }) else { return }
        guard head.isSplit else {
            leaf = head
            return
        }
        let partSpan = Leaf.partSpan(clusterSpan: view.clusterSpan, partsLog2: head.partsLog2)
        let part = slot / partSpan
        first += Int64(part * partSpan)
        span = UInt64(min(partSpan, view.clusterSpan - part * partSpan))
        leaf = view.leafPart(column, cluster: cluster, part: part).map { Leaf($0) }
    }
}
