#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Functions for the keys of objects and the values of their single-valued columns.
///
/// Except `contains`, they don't check that the object exists. The values of a deleted object are undefined.
extension DataView {
    @inline(__always)
    func locate(_ key: ObjectKey) -> (cluster: Int, slot: Int) {
        let raw = UInt64(bitPattern: key.raw)
        let cluster = reciprocal == 0 ? raw : raw.multipliedFullWidth(by: reciprocal).high
        return (Int(truncatingIfNeeded: cluster), Int(truncatingIfNeeded: raw &- cluster &* UInt64(clusterSpan)))
    }

    /// Returns the key of the i-th object in key order. Traps if `i` is out of bounds.
    /// - Complexity: O(log clusters).
    public func key(at i: Int, in table: Table) -> ObjectKey {
        let (cluster, rest) = withPositions(table) { cache in
            precondition(i >= 0 && i < cache.count, "index \(i) of \(cache.count) objects")
            let cluster = cache.cluster(ofIndex: i)
            return (cluster, i - cache.start(cluster))
        }
        let slot = presence(table, cluster: cluster).map { PresenceBits.select($0, rest) } ?? rest
        return ObjectKey(Int64(cluster * clusterSpan + slot))
    }

    /// Returns the position of an object in key order, or `nil` if the object doesn't exist.
    /// - Complexity: O(1).
    public func index(of key: ObjectKey, in table: Table) -> Int? {
        guard contains(table, key) else { return nil }
        let (cluster, slot) = locate(key)
        let before = presence(table, cluster: cluster).map { PresenceBits.rank($0, slot) } ?? slot
        return withPositions(table) { $0.start(cluster) } + before
    }

    /// Returns all keys in ascending order.
    /// - Complexity: O(n).
    public func keys(_ table: Table) -> [ObjectKey] {
        var out: [ObjectKey] = []
        out.reserveCapacity(count(table))
        forEachKey(table) { out.append($0) }
        return out
    }

    func forEachKey(_ table: Table, _ body: (ObjectKey) -> Void) {
        for cluster in 0..<clusterCount(table) { forEachKey(table, cluster: cluster, body) }
    }

    func forEachKey(_ table: Table, cluster: Int, _ body: (ObjectKey) -> Void) {
        let live = liveCount(table, cluster: cluster)
        guard live > 0 else { return }
        let first = Int64(cluster * clusterSpan)
        guard let bits = presence(table, cluster: cluster) else {
            for slot in 0..<live { body(ObjectKey(first + Int64(slot))) }
            return
        }
        for w in 0..<((clusterSpan + 63) >> 6) {
            var word = bits[w]
            while word != 0 {
                body(ObjectKey(first + Int64((w << 6) + word.trailingZeroBitCount)))
                word &= word - 1
            }
        }
    }

    // MARK: Values

    /// Returns the leaf that contains the slot, with the slot's number in it, or `nil` if the leaf isn't stored.
    @inline(__always)
    func locatedLeaf(_ column: Column, cluster: Int, slot: inout Int) -> Leaf? {
        guard let address = leaf(column, cluster: cluster) else { return nil }
        let found = Leaf(address)
        guard found.isSplit else { return slot < found.count ? found : nil }
        let span = Leaf.partSpan(clusterSpan: clusterSpan, partsLog2: found.partsLog2)
        guard let part = leafPart(column, cluster: cluster, part: slot / span) else { return nil }
        slot %= span
        let leaf = Leaf(part)
        return slot < leaf.count ? leaf : nil
    }

    /// Returns the value of a single-valued column.
    /// - Complexity: O(1), plus the length of strings and data.
    public func value(_ column: Column, _ key: ObjectKey) -> Value {
        var (cluster, slot) = locate(key)
        if let buffer = unretainedBuffer(column, cluster: cluster) {
            return buffer._withUnsafeGuaranteedRef { value(column.type, $0, slot: slot, blobs: column.segment(.blobs)) }
        }
        guard let leaf = locatedLeaf(column, cluster: cluster, slot: &slot) else {
            return FieldCoding.defaultValue(column.type, isOptional: column.isOptional)
        }
        return value(column.type, leaf, slot: slot, isOptional: column.isOptional, blobs: column.segment(.blobs))
    }

    /// Returns the value of an integer column, or `nil` for null. The type of the column must be integer.
    public func readInt(_ column: Column, _ key: ObjectKey) -> Int64? {
        var (cluster, slot) = locate(key)
        if let buffer = unretainedBuffer(column, cluster: cluster) {
            return buffer._withUnsafeGuaranteedRef { $0.isNull(slot) ? nil : $0.int(slot) }
        }
        guard let leaf = locatedLeaf(column, cluster: cluster, slot: &slot) else { return column.isOptional ? nil : 0 }
        return leaf.isNull(slot) ? nil : leaf.int(slot)
    }

    /// Returns the target of a link column, or `nil` for null.
    public func readLink(_ column: Column, _ key: ObjectKey) -> ObjectKey? {
        var (cluster, slot) = locate(key)
        if let buffer = unretainedBuffer(column, cluster: cluster) {
            let raw = buffer._withUnsafeGuaranteedRef { $0.int(slot) }
            return raw == 0 ? nil : ObjectKey(raw - 1)
        }
        return locatedLeaf(column, cluster: cluster, slot: &slot)?.link(slot)
    }

    public func readBool(_ column: Column, _ key: ObjectKey) -> Bool? {
        var (cluster, slot) = locate(key)
        if let buffer = unretainedBuffer(column, cluster: cluster) {
            return buffer._withUnsafeGuaranteedRef { $0.isNull(slot) ? nil : $0.bool(slot) }
        }
        guard let leaf = locatedLeaf(column, cluster: cluster, slot: &slot) else {
            return column.isOptional ? nil : false
        }
        return leaf.isNull(slot) ? nil : leaf.bool(slot)
    }

    public func readFloat(_ column: Column, _ key: ObjectKey) -> Float? {
        var (cluster, slot) = locate(key)
        if let buffer = unretainedBuffer(column, cluster: cluster) {
            return buffer._withUnsafeGuaranteedRef { $0.isNull(slot) ? nil : $0.float(slot) }
        }
        guard let leaf = locatedLeaf(column, cluster: cluster, slot: &slot) else { return column.isOptional ? nil : 0 }
        return leaf.isNull(slot) ? nil : leaf.float(slot)
    }

    public func readDouble(_ column: Column, _ key: ObjectKey) -> Double? {
        var (cluster, slot) = locate(key)
        if let buffer = unretainedBuffer(column, cluster: cluster) {
            return buffer._withUnsafeGuaranteedRef { $0.isNull(slot) ? nil : $0.double(slot) }
        }
        guard let leaf = locatedLeaf(column, cluster: cluster, slot: &slot) else { return column.isOptional ? nil : 0 }
        return leaf.isNull(slot) ? nil : leaf.double(slot)
    }

    public func readTimestamp(_ column: Column, _ key: ObjectKey) -> Timestamp? {
        if case .timestamp(let t) = value(column, key) { t } else { nil }
    }

    public func readDecimal128(_ column: Column, _ key: ObjectKey) -> Decimal128? {
        if case .decimal128(let d) = value(column, key) { d } else { nil }
    }

    public func readObjectId(_ column: Column, _ key: ObjectKey) -> ObjectId? {
        if case .objectId(let id) = value(column, key) { id } else { nil }
    }

    public func readUUID(_ column: Column, _ key: ObjectKey) -> UUID? {
        if case .uuid(let id) = value(column, key) { id } else { nil }
    }

    public func readString(_ column: Column, _ key: ObjectKey) -> String? {
        withBytes(column, key) { bytes in bytes.map { String(decoding: $0, as: UTF8.self) } }
    }

    public func readData(_ column: Column, _ key: ObjectKey) -> Data? {
        withBytes(column, key) { bytes in bytes.map { Data($0) } }
    }

    /// Calls `body` with the bytes of a string or data column in place, or with `nil` for null.
    func withBytes<R>(_ column: Column, _ key: ObjectKey, body: (UnsafeRawBufferPointer?) -> R) -> R {
        var (cluster, slot) = locate(key)
        let reference: (block: UInt64, length: UInt64)
        if let buffer = buffer(column, cluster: cluster) {
            if buffer.isNull(slot) { return body(nil) }
            if !buffer.isReference(slot) { return body(buffer.bytes(slot)) }
            reference = buffer.reference(slot)
        } else {
            guard let leaf = locatedLeaf(column, cluster: cluster, slot: &slot) else {
                return body(column.isOptional ? nil : UnsafeRawBufferPointer(start: nil, count: 0))
            }
            if leaf.isNull(slot) { return body(nil) }
            if !leaf.isReference(slot) { return body(leaf.bytes(slot)) }
            reference = leaf.reference(slot)
        }
        return longBytes(column.segment(.blobs), reference).withUnsafeBytes { body($0) }
    }
}
