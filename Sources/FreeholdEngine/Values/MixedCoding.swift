#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The encoding of a mixed value as bytes: a tag followed by the payload. The encoding determines its own length, so collections can be nested.
///
/// | Tag | Payload |
/// |---|---|
/// | 0 null, 16 false, 17 true | – |
/// | 2 int | zigzag varint |
/// | 3 float, 4 double, 8 decimal, 9 object id, 10 UUID | their bytes |
/// | 5 string, 6 data | varint length, bytes |
/// | 7 timestamp | zigzag varint of seconds, varint of nanoseconds |
/// | 13 object link | varint of the table, varint of the key |
/// | 14 list | varint of the id (see `NestedID`), varint of the count, the elements |
/// | 15 dictionary | varint of the id, varint of the count, and for each entry its key as a string without tag, and its value |
enum MixedCoding {
    enum Tag {
        static let null: UInt8 = 0
        static let objectLink: UInt8 = 13
        static let list: UInt8 = 14
        static let dictionary: UInt8 = 15
        static let no: UInt8 = 16
        static let yes: UInt8 = 17
    }

    /// The maximum depth of nested collections, including the outermost one.
    static let maximumDepth = 100

    static func encode(_ value: Value) -> [UInt8] {
        var writer = ByteWriter()
        write(value, to: &writer)
        return writer.bytes
    }

    static func write(_ value: Value, to out: inout ByteWriter) {
        switch value {
        case .null: out.u8(Tag.null)
        case .bool(let v): out.u8(v ? Tag.yes : Tag.no)
        case .int(let v):
            out.u8(ColumnType.int.rawValue)
            out.signed(v)
        case .float(let v):
            out.u8(ColumnType.float.rawValue)
            out.fixed(v.bitPattern)
        case .double(let v):
            out.u8(ColumnType.double.rawValue)
            out.fixed(v.bitPattern)
        case .string(let v):
            out.u8(ColumnType.string.rawValue)
            out.string(v)
        case .data(let v):
            out.u8(ColumnType.data.rawValue)
            out.varint(UInt64(v.count))
            out.raw([UInt8](v))
        case .timestamp(let v):
            out.u8(ColumnType.timestamp.rawValue)
            out.signed(v.seconds)
            out.varint(UInt64(v.nanoseconds))
        case .decimal128, .objectId, .uuid:
            let type = value.type!
            out.u8(type.rawValue)
            withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { room in
                FieldCoding.copyFixed(value, to: room.baseAddress!)
                out.raw([UInt8](room[0..<(type == .objectId ? 12 : 16)]))
            }
        case .link(let key):
            // Mixed values contain only links with a table.
            preconditionFailure("A link \(key) without its table can't be part of a mixed value")
        case .objectLink(let link):
            out.u8(Tag.objectLink)
            out.varint(UInt64(link.tableID))
            out.varint(UInt64(link.key.raw))
        case .list(let list):
            out.u8(Tag.list)
            out.varint(list.id == 0 ? NestedID.next() : list.id)
            out.varint(UInt64(list.values.count))
            for element in list.values { write(element, to: &out) }
        case .dictionary(let dictionary):
            out.u8(Tag.dictionary)
            out.varint(dictionary.id == 0 ? NestedID.next() : dictionary.id)
            out.varint(UInt64(dictionary.entries.count))
            for entry in dictionary.entries {
                out.string(entry.key)
                write(entry.value, to: &out)
            }
        }
    }

    /// Returns the value if `encode` can have created the bytes, or `nil` for other bytes, even if they can be decoded.
    static func decodeStrictly(_ bytes: UnsafeRawBufferPointer) -> Value? {
        guard let value = decode(bytes), !value.isNull, encode(value).elementsEqual(bytes) else { return nil }
        return value
    }

    /// Returns the bytes of an encoded string, or `nil` for other values.
    static func stringBytes(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard bytes.first == ColumnType.string.rawValue else { return nil }
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
        return reader.number().flatMap { reader.raw($0) }
    }

    /// Returns `nil` if the bytes aren't a mixed value.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> Value? {
        var reader = ByteReader(bytes)
        guard let value = read(&reader, depth: 0), reader.isAtEnd else { return nil }
        return value
    }

    static func read(_ r: inout ByteReader, depth: Int) -> Value? {
        guard depth <= maximumDepth, let tag = r.u8() else { return nil }
        switch tag {
        case Tag.null: return .null
        case Tag.no: return .bool(false)
        case Tag.yes: return .bool(true)
        case ColumnType.int.rawValue: return r.signed().map { .int($0) }
        case ColumnType.float.rawValue: return r.fixed(UInt32.self).map { .float(Float(bitPattern: $0)) }
        case ColumnType.double.rawValue: return r.fixed(UInt64.self).map { .double(Double(bitPattern: $0)) }
        case ColumnType.string.rawValue: return r.string().map { .string($0) }
        case ColumnType.data.rawValue:
            guard let count = r.number(), let bytes = r.raw(count) else { return nil }
            return .data(Data(bytes))
        case ColumnType.timestamp.rawValue:
            guard let seconds = r.signed(), let nanoseconds = r.varint(), nanoseconds < 1_000_000_000 else {
                return nil
            }
            return .timestamp(Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds)))
        case ColumnType.decimal128.rawValue, ColumnType.objectId.rawValue, ColumnType.uuid.rawValue:
            let type = ColumnType(rawValue: tag)!
            guard let bytes = r.raw(type == .objectId ? 12 : 16) else { return nil }
            return FieldCoding.fixedValue(type, bytes.baseAddress!)
        case Tag.objectLink:
            guard let table = r.number(), let key = r.varint(), key <= UInt64(Int64.max) else { return nil }
            return .objectLink(ObjectLink(tableID: table, key: ObjectKey(Int64(key))))
        case Tag.list:
            guard let id = r.varint(), let count = r.number() else { return nil }
            var values: [Value] = []
            for _ in 0..<count {
                guard let value = read(&r, depth: depth + 1) else { return nil }
                values.append(value)
            }
            return .list(NestedList(id: id, values))
        case Tag.dictionary:
            guard let id = r.varint(), let count = r.number() else { return nil }
            var entries: [NestedDictionary.Entry] = []
            for _ in 0..<count {
                guard let key = r.string(), let value = read(&r, depth: depth + 1) else { return nil }
                entries.append(NestedDictionary.Entry(key, value))
            }
            return .dictionary(NestedDictionary(id: id, entries))
        default: return nil
        }
    }
}
