/// A sort key as a sequence of 64-bit numbers for each object. Each number matters only if all previous ones are equal.
///
/// Chunk 0 distinguishes null, a value, and a null link on the path. The chunks from 1 on belong to the value.
final class SortColumn {
    /// The numbers of chunk 0.
    enum Kind {
        static let null: UInt64 = 0
        static let value: UInt64 = 1
        static let noLink: UInt64 = 2
    }

    /// The type of the values. It is mixed for paths that aren't plain, whose values are ordered like mixed values.
    let type: ColumnType
    let ascending: Bool
    private let path: PathCursor
    private let isOptional: Bool
    /// The number in chunk 0 for rows with a null link on the path.
    private let noLink: UInt64
    /// The bytes that are stored outside of leaves, by object key.
    private var long: [Int64: [UInt8]] = [:]

    /// - Parameter countsNoLink: whether values behind a null link count as null.
    init(_ key: SortKey, in view: DataView, countsNoLink: Bool = false) {
        // Objects without a place are last in both directions.
        noLink = countsNoLink || (key.distance != nil && !key.ascending) ? Kind.null : Kind.noLink
        path = PathCursor(key, in: view)
        type = path.isPlain ? path.values.column.type : .mixed
        isOptional = path.isPlain ? path.values.column.isOptional || type == .link || path.hasSteps : true
        ascending = key.ascending
    }

    var firstChunk: Int { isOptional ? 0 : 1 }

    /// Returns the next chunk to compare for rows with the same `number` (from `number(_:chunk:)`), or `nil` if all of the value is equal.
    func chunk(after chunk: Int, _ number: UInt64) -> Int? {
        let number = ascending ? number : ~number
        if chunk == 0 { return number == Kind.value ? 1 : nil }
        switch type {
        case .string, .data: return number & 0xff > 7 ? chunk + 1 : nil
        case .timestamp, .objectId, .uuid: return chunk == 1 ? 2 : nil
        default: return nil
        }
    }

    /// Returns whether the numbers of the chunk can't be computed for single objects, so that values must be ranked by comparison.
    func isRanked(_ chunk: Int) -> Bool { (type == .decimal128 || type == .mixed) && chunk > 0 }

    /// Returns the kind and the value in one number, whose order is that of the objects if the numbers differ.
    @inline(__always)
    func prefix(_ key: Int64) -> UInt64 {
        guard let target = path.resolve(key) else { return flip(noLink << 62) }
        let found = path.values.locate(target)
        if isNull(found) { return flip(0) }
        return flip(Kind.value << 62 | raw(target, found, chunk: 1) >> 2)
    }

    @inline(__always)
    func number(_ key: Int64, chunk: Int) -> UInt64 {
        guard path.isPlain else {
            // For chunk 0, values are ranked.
            return flip(path.value(key).map { $0.isNull ? Kind.null : Kind.value } ?? noLink)
        }
        guard let target = path.resolve(key) else { return flip(chunk == 0 ? noLink : 0) }
        let found = path.values.locate(target)
        if chunk == 0 { return flip(isNull(found) ? Kind.null : Kind.value) }
        return flip(raw(target, found, chunk: chunk))
    }

    /// Returns the value to rank, for ranked chunks.
    func value(_ key: Int64) -> Value { path.value(key) ?? .null }

    @inline(__always) private func flip(_ number: UInt64) -> UInt64 { ascending ? number : ~number }

    @inline(__always)
    private func isNull(_ found: (leaf: Leaf, slot: Int)?) -> Bool {
        guard let (leaf, slot) = found else { return path.values.column.isOptional || type == .link }
        return type == .link ? leaf.int(slot) == 0 : leaf.isNull(slot)
    }

    @inline(__always)
    private func raw(_ key: Int64, _ found: (leaf: Leaf, slot: Int)?, chunk: Int) -> UInt64 {
        switch type {
        case .string, .data:
            guard let (leaf, slot) = found else { return 0 }
            if leaf.isReference(slot) { return raw(long: key, leaf, slot, chunk: chunk) }
            return Self.chunk(leaf.bytes(slot), (chunk &- 1) &* 7)
        case .int, .link: return Self.signed(found.map { $0.leaf.int($0.slot) } ?? 0)
        case .bool: return found.map { $0.leaf.bool($0.slot) ? 1 : 0 } ?? 0
        case .double: return Self.floating(found.map { $0.leaf.double($0.slot) } ?? 0)
        case .float: return Self.floating(Double(found.map { $0.leaf.float($0.slot) } ?? 0))
        case .timestamp:
            let value = found.map { $0.leaf.timestamp($0.slot) } ?? (seconds: 0, nanoseconds: 0)
            return chunk == 1 ? Self.signed(value.seconds) : UInt64(value.nanoseconds)
        case .objectId:
            guard let p = found.map({ $0.leaf.fixed12($0.slot) }) else { return 0 }
            return chunk == 1
                ? UInt64(bigEndian: p.loadUnaligned(as: UInt64.self))
                : UInt64(UInt32(bigEndian: p.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
        case .uuid:
            guard let p = found.map({ $0.leaf.fixed16($0.slot) }) else { return 0 }
            return UInt64(bigEndian: p.loadUnaligned(fromByteOffset: (chunk &- 1) &* 8, as: UInt64.self))
        case .decimal128, .mixed: return 0
        }
    }

    @inline(never)
    private func raw(long key: Int64, _ leaf: Leaf, _ slot: Int, chunk: Int) -> UInt64 {
        if long[key] == nil {
            long[key] = path.view.longBytes(path.values.column.segment(.blobs), leaf.reference(slot))
        }
        return long[key]!.withUnsafeBytes { Self.chunk($0, (chunk &- 1) &* 7) }
    }

    /// Returns a number of up to seven bytes followed by their count. The count is 8 if more bytes follow.
    @inline(__always)
    private static func chunk(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> UInt64 {
        let rest = bytes.count &- start
        if rest <= 0 { return 0 }
        let p = bytes.baseAddress! + start
        if rest >= 8 {
            return UInt64(bigEndian: p.loadUnaligned(as: UInt64.self)) & ~0xff | 8
        }
        var word: UInt64 = 0
        for i in 0..<rest { word = word << 8 | UInt64(p.load(fromByteOffset: i, as: UInt8.self)) }
        return word << UInt64((8 &- rest) &* 8) | UInt64(rest)
    }

    @inline(__always)
    private static func signed(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ 1 << 63 }

    /// Returns a number with the order of the doubles. NaN is the lowest, and both zeros are equal.
    @inline(__always)
    private static func floating(_ value: Double) -> UInt64 {
        if value.isNaN { return 0 }
        let bits = (value == 0 ? 0 : value).bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }
}
