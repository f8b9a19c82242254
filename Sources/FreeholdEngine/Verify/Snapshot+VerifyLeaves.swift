extension SnapshotCheck {
    /// The leaves of a cluster: one leaf, or the parts of a split leaf.
    struct Leaves {
        let leaves: [Leaf?]
        let partSpan: Int

        func locate(_ slot: Int) -> (leaf: Leaf, slot: Int)? {
            guard slot / partSpan < leaves.count, let leaf = leaves[slot / partSpan], slot % partSpan < leaf.count
            else { return nil }
            return (leaf, slot % partSpan)
        }
    }

    /// Returns a cluster's leaf after checking that all its accessors are safe, or `nil` if the leaf is damaged or isn't stored.
    func leaves(
        _ leafSegment: UInt32,
        parts partsSegment: UInt32,
        cluster: Int,
        type: ColumnType,
        isList: Bool,
        isOptional: Bool,
        subject: String
    ) -> Leaves? {
        guard let bytes = claimIfStored(leafSegment, UInt64(cluster), subject: subject) else { return nil }
        let codec = isList ? type.rawValue | Leaf.listCodec : type.rawValue
        guard bytes.count >= Leaf.headerSize else {
            report("\(subject): a leaf of \(bytes.count) bytes.")
            return nil
        }
        let head = Leaf(bytes.baseAddress!)
        guard head.isSplit else {
            guard let leaf = wellFormed(bytes, codec, limit: span, isOptional: isOptional, subject: subject) else {
                return nil
            }
            return Leaves(leaves: [leaf], partSpan: span)
        }
        guard head.codec == codec, bytes.count == Leaf.headerSize, (1...6).contains(head.partsLog2), head.count <= span,
            LeafBuffer.kind(of: type) == .bytes || isList
        else {
            report("\(subject): the head of its split leaf is damaged.")
            return nil
        }
        let partSpan = Leaf.partSpan(clusterSpan: span, partsLog2: head.partsLog2)
        var parts: [Leaf?] = []
        for p in 0..<(1 << head.partsLog2) where p * partSpan < head.count {
            let number = UInt64(cluster) << 6 | UInt64(p)
            let part = claim(partsSegment, number, subject: "\(subject), part \(p)").flatMap {
                wellFormed($0, codec, limit: partSpan, isOptional: isOptional, subject: "\(subject), part \(p)")
            }
            let wanted = min(partSpan, head.count - p * partSpan)
            if let part, part.count != wanted {
                report("\(subject): part \(p) has \(part.count) slots, not \(wanted).")
            }
            parts.append(part)
        }
        return Leaves(leaves: parts, partSpan: partSpan)
    }

    func wellFormed(
        _ bytes: UnsafeRawBufferPointer,
        _ codec: UInt8,
        limit: Int,
        isOptional: Bool,
        subject: String
    ) -> Leaf? {
        if let flaw = Leaf.flaw(in: bytes, codec, limit: limit, isOptional: isOptional) {
            report("\(subject): \(flaw).")
            return nil
        }
        return Leaf(bytes.baseAddress!)
    }

    /// Returns the value of a live slot and reports errors. The result is `nil` if the value can't be read.
    func value(_ type: ColumnType, _ leaf: Leaf, slot: Int, at cell: CheckedCell) -> Value? {
        if leaf.isNull(slot) { return .null }
        func damaged(_ what: String) -> Value? {
            report("\(cell.subject): \(what).")
            return nil
        }
        switch type {
        case .int: return .int(leaf.int(slot))
        case .bool: return .bool(leaf.bool(slot))
        case .float: return .float(leaf.float(slot))
        case .double: return .double(leaf.double(slot))
        case .objectId: return FieldCoding.fixedValue(type, leaf.fixed12(slot))
        case .decimal128, .uuid: return FieldCoding.fixedValue(type, leaf.fixed16(slot))
        case .link:
            let raw = leaf.int(slot)
            if raw < 0 { return damaged("a link \(raw)") }
            return raw == 0 ? .null : .link(ObjectKey(raw - 1))
        case .timestamp:
            let t = leaf.timestamp(slot)
            guard (0..<1_000_000_000).contains(t.nanoseconds) else { return damaged("\(t.nanoseconds) nanoseconds") }
            return .timestamp(Timestamp(seconds: t.seconds, nanoseconds: t.nanoseconds))
        case .string, .data, .mixed:
            if leaf.isReference(slot) {
                guard leaf.bytes(slot).count == 16 else {
                    return damaged("a reference of \(leaf.bytes(slot).count) bytes")
                }
                return longValue(type, leaf.reference(slot), at: cell)
            }
            let bytes = leaf.bytes(slot)
            if bytes.count > FieldCoding.longBytes { return damaged("\(bytes.count) bytes inside its leaf") }
            return checked(type, bytes, at: cell)
        }
    }

    func checked(_ type: ColumnType, _ bytes: UnsafeRawBufferPointer, at cell: CheckedCell) -> Value? {
        if type == .string, String(validating: bytes, as: UTF8.self) == nil {
            report("\(cell.subject): a string that isn't UTF-8.")
            return nil
        }
        if type == .mixed {
            guard let value = MixedCoding.decodeStrictly(bytes) else {
                report("\(cell.subject): a mixed value that is damaged.")
                return nil
            }
            return value
        }
        return FieldCoding.bytesValue(type, bytes)
    }

    private func longValue(
        _ type: ColumnType,
        _ reference: (block: UInt64, length: UInt64),
        at cell: CheckedCell
    ) -> Value? {
        let limit = UInt64(type == .string ? FieldCoding.maximumString : FieldCoding.maximumData)
        let isTooLong = type == .mixed ? reference.length > Int64.max : reference.length > limit
        guard reference.length > FieldCoding.longBytes, !isTooLong else {
            report("\(cell.subject): \(reference.length) bytes outside its leaf.")
            return nil
        }
        let size = BlockLimits.twoPages
        var left = Int(reference.length)
        var bytes: [UInt8] = []
        var number = reference.block
        while left > 0 {
            guard let chunk = bounded(cell.blobs, number, what: "a chunk of O\(cell.key)") else { return nil }
            guard chunk.count == min(left, size) else {
                report("\(cell.subject): chunk \(number) has \(chunk.count) bytes, not \(min(left, size)).")
                return nil
            }
            bytes += chunk
            left -= chunk.count
            number += 1
        }
        return bytes.withUnsafeBytes { checked(type, $0, at: cell) }
    }

    /// Claims a block whose number must be in use according to the table's state.
    func bounded(_ bounds: BlockBounds, _ number: UInt64, what: @autoclosure () -> String) -> UnsafeRawBufferPointer? {
        guard number >= 1, number < bounds.next else {
            report("\(bounds.subject): \(what()) is block \(number), which isn't in use yet.")
            return nil
        }
        return claim(bounds.segment, number, subject: "\(bounds.subject), \(what())")
    }
}
