/// The position of the strings or data of a leaf, in any of the four layouts.
///
/// - short: cells of one width, whose last byte is the number of unused bytes of the cell
/// - medium: end offsets, one blob of all bytes, a bit for each null
/// - long: a blob for each value
/// - enumerated: positions in the column's list of different strings
enum ByteLeaf {
    case short(Node)
    case medium(ends: Node, blob: Node, nulls: Node?)
    case long(Node)
    case enumerated(Node, values: EnumeratedStrings)

    var count: Int {
        switch self {
        case .short(let node), .long(let node), .enumerated(let node, _): node.count
        case .medium(let ends, _, _): ends.count
        }
    }
}

extension FileNodes {
    /// - Parameter values: Returns the column's list of different strings. It is called if the leaf needs it.
    func byteLeaf(
        _ ref: UInt64,
        isText: Bool,
        values: () throws(RealmFileError) -> EnumeratedStrings?
    ) throws(RealmFileError) -> ByteLeaf {
        let node = try node(ref)
        guard node.hasRefs else {
            if node.kind == .bytes, isText { return .short(node) }
            guard node.kind == .bits, isText, let values = try values() else {
                throw .damaged("an array of strings or data has an unknown layout", at: node.offset)
            }
            return .enumerated(node, values: values)
        }
        guard node.kind == .bits else { throw .damaged("an array of blobs is none", at: node.offset) }
        if node.isMarked { return .long(node) }
        guard node.count >= 2, let ends = node.ref(0), let blob = node.ref(1) else {
            throw .damaged("an array of blobs isn't complete", at: node.offset)
        }
        let nulls: Node? = if let ref = node.ref(2) { try ints(ref) } else { nil }
        let medium = (ends: try ints(ends), blob: try self.node(blob), nulls: nulls)
        guard nulls.map({ $0.count >= medium.ends.count }) ?? true else {
            throw .damaged("an array of blobs has too few null marks", at: node.offset)
        }
        return .medium(ends: medium.ends, blob: medium.blob, nulls: nulls)
    }

    /// Returns the bytes of the i-th value without the closing NUL, or nil for null.
    ///
    /// - Precondition: `0 <= i < leaf.count`; the leaf isn't enumerated.
    @inline(__always)
    func bytes(_ leaf: ByteLeaf, _ i: Int, isText: Bool) throws(RealmFileError) -> UnsafeRawBufferPointer? {
        switch leaf {
        case .short(let node):
            let width = node.width
            if width == 0 { return nil }
            let cell = node.data + i * width
            let unused = Int(cell.load(fromByteOffset: width - 1, as: UInt8.self))
            if unused == width { return nil }
            guard unused < width else { throw .damaged("a short string is longer than its place", at: node.offset) }
            return UnsafeRawBufferPointer(start: cell, count: width - 1 - unused)
        case .medium(let ends, let blob, let nulls):
            if let nulls, nulls.int(i) != 0 { return nil }
            let start = i == 0 ? 0 : ends.int(i - 1)
            let end = ends.int(i) &- (isText ? 1 : 0)
            // An empty value of a list without null marks has no closing NUL.
            if isText, end &+ 1 == start { return UnsafeRawBufferPointer(start: blob.data, count: 0) }
            guard start >= 0, end >= start, end <= Int64(blob.byteCount) else {
                throw .damaged("a blob's part goes beyond it", at: ends.offset)
            }
            return UnsafeRawBufferPointer(start: blob.data + Int(start), count: Int(end - start))
        case .long(let node):
            guard let ref = node.ref(i) else { return nil }
            let blob = try self.node(ref)
            guard !blob.hasRefs else { throw .damaged("a long value is in parts", at: blob.offset) }
            let count = blob.byteCount - (isText ? 1 : 0)
            guard count >= 0 else { throw .damaged("a string has no end", at: blob.offset) }
            return UnsafeRawBufferPointer(start: blob.data, count: count)
        case .enumerated(let node, _):
            throw .damaged("enumerated data", at: node.offset)
        }
    }

    /// Returns a Boolean value that indicates whether the i-th value is null or empty, without reading it.
    ///
    /// - Precondition: The preconditions of `bytes`. The values are data, not text.
    func isEmpty(_ leaf: ByteLeaf, _ i: Int) throws(RealmFileError) -> Bool {
        if case .long(let node) = leaf, let ref = node.ref(i) {
            let blob = try self.node(ref)
            return blob.hasRefs ? blob.count == 0 : blob.byteCount == 0
        }
        return try bytes(leaf, i, isText: false)?.isEmpty ?? true
    }

    /// Returns data of more than 16 MB, which is stored in several blobs, or nil if it is in one.
    func parts(_ leaf: ByteLeaf, _ i: Int) throws(RealmFileError) -> [UInt8]? {
        guard case .long(let node) = leaf, let ref = node.ref(i) else { return nil }
        // The list is counted when it is read as a whole.
        let list = try uncounted { () throws(RealmFileError) in try self.node(ref) }
        guard list.hasRefs, list.kind == .bits else { return nil }
        var bytes: [UInt8] = []
        for part in 0..<list.count {
            guard let ref = list.ref(part) else { throw .damaged("a part of long data is missing", at: list.offset) }
            let blob = try self.node(ref)
            guard !blob.hasRefs else { throw .damaged("a part of long data is in parts", at: blob.offset) }
            bytes.append(contentsOf: blob.bytes)
        }
        return bytes
    }
}
