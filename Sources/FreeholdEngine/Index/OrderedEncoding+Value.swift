#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension OrderedEncoding {
    /// Whether columns of this type can be indexed: all but floats, doubles and decimals.
    static func isIndexable(_ type: ColumnType) -> Bool {
        switch type {
        case .float, .double, .decimal128, .mixed: false
        case .bool, .int, .string, .data, .timestamp, .objectId, .uuid, .link: true
        }
    }

    /// Writes the value and returns its length; nil for numbers that no index holds.
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

    /// Calls the body with the encoded value; nil for numbers that no index holds.
    static func with<R>(
        _ value: Value,
        _ body: (UnsafeRawBufferPointer) throws -> R
    ) rethrows -> R? {
        try withUnsafeTemporaryAllocation(byteCount: maximumLength, alignment: 8) { buffer in
            guard let count = encode(value, buffer.baseAddress!) else { return nil }
            return try body(UnsafeRawBufferPointer(rebasing: buffer[0..<count]))
        }
    }
}

extension IndexChanges {
    /// - Precondition: the value's type is indexable.
    func insert(_ value: Value, _ key: ObjectKey) {
        let done: Void? = OrderedEncoding.with(value) { insert($0, key.raw) }
        precondition(done != nil, "No index holds \(value)")
    }

    /// - Precondition: the value's type is indexable.
    func remove(_ value: Value, _ key: ObjectKey) {
        let done: Void? = OrderedEncoding.with(value) { remove($0, key.raw) }
        precondition(done != nil, "No index holds \(value)")
    }
}
