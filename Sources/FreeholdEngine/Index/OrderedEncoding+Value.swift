#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension OrderedEncoding {
    /// Returns whether columns of this type can have an index. Only floats, doubles and decimals can't.
    static func isIndexable(_ type: ColumnType) -> Bool {
        switch type {
        case .float, .double, .decimal128: false
        case .mixed, .bool, .int, .string, .data, .timestamp, .objectId, .uuid, .link: true
        }
    }

    /// Writes the value of a column that isn't mixed and returns its length, or `nil` for numbers that can't be in an index.
    static func encode(_ value: Value, _ out: UnsafeMutableRawPointer) -> Int? {
        switch value {
        case .null: return null(out)
        case .bool(let value): return bool(value, out)
        case .int(let value): return int(value, out)
        case .float, .double, .decimal128, .objectLink, .list, .dictionary: return nil
        case .string(var value): return value.withUTF8 { string(UnsafeRawBufferPointer($0), out) }
        case .data(let value): return value.withUnsafeBytes { data($0, out) }
        case .timestamp(let value): return timestamp(seconds: value.seconds, nanoseconds: value.nanoseconds, out)
        case .objectId(let value): return value.withUnsafeBytes { objectId($0.baseAddress!, out) }
        case .uuid(let value): return withUnsafeBytes(of: value.uuid) { uuid($0.baseAddress!, out) }
        case .link(let value): return link(value.raw, out)
        }
    }

    /// Writes the value of a mixed column and returns its length. Every value has an encoding.
    static func encodeMixed(_ value: Value, _ out: UnsafeMutableRawPointer) -> Int? {
        switch value {
        case .int(let value): return number(Double(value), out)
        case .float(let value): return number(Double(value), out)
        case .double(let value): return number(value, out)
        case .decimal128(let value): return number(value.doubleValue, out)
        case .objectLink(let link):
            out.storeBytes(of: Tag.objectLink, as: UInt8.self)
            out.storeBytes(of: UInt32(link.tableID).bigEndian, toByteOffset: 1, as: UInt32.self)
            out.storeBytes(of: orderedBits(link.key.raw).bigEndian, toByteOffset: 5, as: UInt64.self)
            return 13
        case .list: return tag(Tag.list, out)
        case .dictionary: return tag(Tag.dictionary, out)
        default: return encode(value, out)
        }
    }

    private static func tag(_ tag: UInt8, _ out: UnsafeMutableRawPointer) -> Int {
        out.storeBytes(of: tag, as: UInt8.self)
        return 1
    }

    /// Writes a number of a mixed column. NaN is below all other numbers, and both zeros are equal.
    private static func number(_ value: Double, _ out: UnsafeMutableRawPointer) -> Int {
        let bits = value == 0 ? 0 : value.bitPattern
        let ordered = value.isNaN ? 0 : bits >> 63 == 0 ? bits | 1 << 63 : ~bits
        out.storeBytes(of: Tag.number, as: UInt8.self)
        out.storeBytes(of: ordered.bigEndian, toByteOffset: 1, as: UInt64.self)
        return 9
    }

    /// Calls the body with the encoded value of a column of that type. Returns `nil` for numbers that can't be in an index.
    static func with<R>(
        _ value: Value,
        _ type: ColumnType? = nil,
        body: (UnsafeRawBufferPointer) throws -> R
    ) rethrows -> R? {
        try withUnsafeTemporaryAllocation(byteCount: maximumLength, alignment: 8) { buffer in
            let count = type == .mixed ? encodeMixed(value, buffer.baseAddress!) : encode(value, buffer.baseAddress!)
            guard let count else { return nil }
            return try body(UnsafeRawBufferPointer(rebasing: buffer[0..<count]))
        }
    }
}

extension IndexChanges {
    /// Adds an entry.
    /// - Precondition: the type of the value is indexable.
    func insert(_ value: Value, _ key: ObjectKey, type: ColumnType? = nil) {
        let done: Void? = OrderedEncoding.with(value, type) { insert($0, key.raw) }
        precondition(done != nil, "No index holds \(value)")
    }

    /// Removes an entry.
    /// - Precondition: the type of the value is indexable.
    func remove(_ value: Value, _ key: ObjectKey, type: ColumnType? = nil) {
        let done: Void? = OrderedEncoding.with(value, type) { remove($0, key.raw) }
        precondition(done != nil, "No index holds \(value)")
    }
}
