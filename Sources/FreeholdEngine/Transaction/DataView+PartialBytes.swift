extension DataView {
    /// Calls `body` with a part of the bytes of a string or data column, and with the length of the whole value. For null, the bytes are `nil`.
    ///
    /// - Parameter range: the wanted bytes. The part beyond the end of the value is left out.
    /// - Complexity: O(length of the range), for long values, too.
    package func withBytes<R>(
        _ column: Column,
        _ key: ObjectKey,
        in range: Range<Int>,
        body: (UnsafeRawBufferPointer?, _ length: Int) -> R
    ) -> R {
        var (cluster, slot) = locate(key)
        let reference: (block: UInt64, length: UInt64)
        if let buffer = buffer(column, cluster: cluster) {
            if buffer.isNull(slot) { return body(nil, 0) }
            if !buffer.isReference(slot) { return body(Self.part(buffer.bytes(slot), range), buffer.bytes(slot).count) }
            reference = buffer.reference(slot)
        } else {
            guard let leaf = locatedLeaf(column, cluster: cluster, slot: &slot) else {
                return body(column.isOptional ? nil : UnsafeRawBufferPointer(start: nil, count: 0), 0)
            }
            if leaf.isNull(slot) { return body(nil, 0) }
            if !leaf.isReference(slot) { return body(Self.part(leaf.bytes(slot), range), leaf.bytes(slot).count) }
            reference = leaf.reference(slot)
        }
        let part = longBytes(column.segment(.blobs), reference, in: range)
        return part.withUnsafeBytes { body($0, Int(clamping: reference.length)) }
    }

    private static func part(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range.clamped(to: 0..<bytes.count)])
    }

    /// Returns a part of a long value. It reads only the blocks that contain the part.
    private func longBytes(
        _ segment: UInt32,
        _ reference: (block: UInt64, length: UInt64),
        in range: Range<Int>
    ) -> [UInt8] {
        let size = BlockLimits.twoPages
        let wanted = range.clamped(to: 0..<Int(clamping: reference.length))
        var out: [UInt8] = []
        guard !wanted.isEmpty else { return out }
        for index in wanted.lowerBound / size...(wanted.upperBound - 1) / size {
            let left = reference.length - UInt64(index * size)
            let number = reference.block &+ UInt64(index)
            guard let chunk = block(segment, number), chunk.count == min(left, UInt64(size)) else {
                damaged("block \(number) of segment \(segment) isn't a part of its long value")
                return out
            }
            let start = index * size
            let part = wanted.clamped(to: start..<start + chunk.count)
            out.append(contentsOf: chunk[part.lowerBound - start..<part.upperBound - start])
        }
        return out
    }
}
