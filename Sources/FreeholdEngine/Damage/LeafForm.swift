/// The form that a stored leaf must have, so that no accessor reads outside of its bytes.
struct LeafForm {
    let type: ColumnType
    let collection: CollectionKind
    let isOptional: Bool
    /// The maximum number of slots.
    let limit: Int
    /// The exclusive upper bound of the keys in links, and of the origins in an inverse.
    var keyLimit: Int64
    /// A Boolean value that indicates whether it is a leaf of the inverse of links, which contains lists of origins.
    var isInverse = false
    /// The exclusive upper bound of the numbers of blocks outside of leaves.
    var blobLimit: UInt64

    var codec: UInt8 { collection == .none ? type.rawValue : type.rawValue | Leaf.listCodec }

    /// Returns whether a leaf that isn't split has the form.
    /// - Complexity: O(slots) for strings, data, links and collections, otherwise O(1).
    func isMet(by bytes: UnsafeRawBufferPointer) -> Bool {
        guard Leaf.flaw(in: bytes, codec, limit: limit, isOptional: isOptional) == nil else { return false }
        let leaf = Leaf(bytes.baseAddress!)
        if leaf.hasReferences || collection != .none { return areEntriesSound(leaf) }
        if isInverse { return keyLimit == .max || areKeysSound(leaf, 0..<keyLimit) }
        return type != .link || areKeysSound(leaf, 0..<(keyLimit == .max ? .max : keyLimit + 1))
    }

    /// Returns whether the head of a split leaf has the form.
    func isMet(byHead bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == Leaf.headerSize else { return false }
        let head = Leaf(bytes.baseAddress!)
        return head.codec == codec && (1...6).contains(head.partsLog2) && head.count <= limit
            && head.flags == Leaf.Flag.split && (collection != .none || LeafBuffer.kind(of: type) == .bytes)
    }

    private func areKeysSound(_ leaf: Leaf, _ range: Range<Int64>) -> Bool {
        var least = Int64.max
        var greatest = Int64.min
        for slot in 0..<leaf.count {
            let raw = leaf.int(slot)
            least = min(least, raw)
            greatest = max(greatest, raw)
        }
        return leaf.count == 0 || (least >= range.lowerBound && greatest < range.upperBound)
    }

    private func areEntriesSound(_ leaf: Leaf) -> Bool {
        for slot in 0..<leaf.count where !leaf.isNull(slot) {
            let bytes = leaf.bytes(slot)
            let isSound = leaf.isReference(slot) ? isReferenceSound(bytes) : isEntrySound(bytes)
            guard isSound else { return false }
        }
        return true
    }

    /// Returns whether a reference is plausible. A chunk of a list has at most 1,000 elements and is a separate block.
    private func isReferenceSound(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == (collection == .dictionary ? StoredDictionary.referenceSize : 16) else { return false }
        let block = bytes.loadUnaligned(as: UInt64.self)
        let length = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        guard block >= 1, block < blobLimit, length >= 1 else { return false }
        if collection == .none {
            let size = UInt64(BlockLimits.twoPages)
            return length > FieldCoding.longBytes && (length - 1) / size < blobLimit - block
        }
        if collection == .dictionary {
            let values = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
            guard values >= 1, values < blobLimit else { return false }
        }
        return (length - 1) / UInt64(ChunkBuilder.maximumCount) < blobLimit
    }

    private func isEntrySound(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.isEmpty || collection == .none { return true }
        guard collection == .dictionary else { return isListSound(bytes, type, isOptional: isOptional) }
        guard bytes.count >= 2 else { return false }
        let split = 2 + Int(bytes.loadUnaligned(as: UInt16.self))
        guard split < bytes.count else { return false }
        let keys = UnsafeRawBufferPointer(rebasing: bytes[2..<split])
        let values = UnsafeRawBufferPointer(rebasing: bytes[split...])
        return isListSound(keys, .string, isOptional: false)
            && isListSound(values, type, isOptional: isOptional || type == .link)
            && InlineList(keys, type: .string).count == InlineList(values, type: type).count
    }

    private func isListSound(_ bytes: UnsafeRawBufferPointer, _ type: ColumnType, isOptional: Bool) -> Bool {
        guard InlineList.isWellFormed(bytes, type: type, isOptional: isOptional) else { return false }
        guard type == .link || isInverse else { return true }
        let list = InlineList(bytes, type: type)
        for i in 0..<list.count where !list.isNull(i) {
            let key = list.int(i)
            if key < 0 || key >= keyLimit { return false }
        }
        return true
    }
}

extension Leaf {
    /// Returns a description of the error in the bytes of a leaf that isn't split, or `nil` if all its accessors are safe.
    static func flaw(
        in bytes: UnsafeRawBufferPointer,
        _ codec: UInt8,
        limit: Int,
        isOptional: Bool
    ) -> String? {
        guard bytes.count >= headerSize else { return "a leaf of \(bytes.count) bytes" }
        let leaf = Leaf(bytes.baseAddress!)
        guard leaf.codec == codec, let type = ColumnType(rawValue: codec & ~listCodec) else {
            return "its codec is \(leaf.codec), not \(codec)"
        }
        let isBytes = LeafBuffer.kind(of: type) == .bytes || codec & listCodec != 0
        guard leaf.count <= limit else { return "\(leaf.count) slots of \(limit)" }
        var allowed: UInt8 = 0
        if isOptional, type != .link, codec & listCodec == 0 { allowed |= Flag.nulls }
        if isBytes { allowed |= Flag.references }
        if type == .timestamp, !isBytes { allowed |= Flag.nanoseconds }
        guard leaf.flags & ~allowed == 0, leaf.partsLog2 == 0 else { return "its flags are \(leaf.flags)" }
        let bitmaps = (leaf.hasNulls ? 1 : 0) + (leaf.hasReferences ? 1 : 0)
        let start = headerSize + bitmaps * leaf.bitmapSize
        guard let values = leaf.valuesSize(type, isBytes: isBytes, room: bytes.count - start) else {
            return "its width is \(leaf.width), or its offsets lead out of it"
        }
        return bytes.count == start + values ? nil : "\(bytes.count) bytes, not \(start + values)"
    }

    private func valuesSize(_ type: ColumnType, isBytes: Bool, room: Int) -> Int? {
        if isBytes {
            let offsets = ((count + 1) * width + 7) & ~7
            guard width == 2 || width == 4, offsets <= room, offset(0) == 0 else { return nil }
            var last = 0
            var isRising = true
            for i in 1..<(count + 1) {
                let next = offset(i)
                if next < last { isRising = false }
                last = next
            }
            return isRising ? offsets + last : nil
        }
        let isPacked = width == 0 || width == 1 || width == 2 || width == 4 || width == 8
        switch type {
        case .int, .link: return isPacked ? count * width : nil
        case .timestamp: return isPacked ? (count * width + 7) & ~7 + (hasNanoseconds ? 4 * count : 0) : nil
        case .bool: return width == 0 ? bitmapSize : nil
        case .float: return width == 4 ? 4 * count : nil
        case .double: return width == 8 ? 8 * count : nil
        case .objectId: return width == 12 ? 12 * count : nil
        case .decimal128, .uuid: return width == 16 ? 16 * count : nil
        case .string, .data, .mixed: return nil
        }
    }
}
