/// The entries of compound indexes: each column's value as `OrderedEncoding` has it, one behind the other, so that
/// their unsigned order is that of the values, the first column's first.
///
/// No value's bytes begin another's: those of fixed width tell it by their tag, and strings and data are written with
/// each zero byte as 00 FF and end with 00 00. So the entries whose first columns have certain values are those that
/// begin with these values' bytes.
///
/// An entry of more than 112 bytes is cut: its first 112 bytes, then the 8-byte hash of the whole, big-endian. Only cut
/// ones are that long; where bytes beyond the cut matter, the row decides. Mixed numbers are as inexact as in an index
/// of one column.
///
/// The format is stored in files: it never changes.
enum CompoundEncoding {
    static let cutLength = 112
    static let maximumLength = cutLength + 8

    /// Returns whether the entry's end is missing.
    static func isCut(_ entry: UnsafeRawBufferPointer) -> Bool { entry.count == maximumLength }

    static func append(_ value: Value, _ type: ColumnType, to out: inout [UInt8]) {
        switch value {
        case .string, .data:
            out.append(value.type == .string ? OrderedEncoding.Tag.string : OrderedEncoding.Tag.data)
            value.withStoredBytes { appendEscaped($0, to: &out) }
            out.append(0)
            out.append(0)
        default: _ = OrderedEncoding.with(value, type) { out.append(contentsOf: $0) }
        }
    }

    /// Without the end, as the beginning of many.
    static func appendEscaped(_ bytes: UnsafeRawBufferPointer, to out: inout [UInt8]) {
        for byte in bytes {
            out.append(byte)
            if byte == 0 { out.append(0xFF) }
        }
    }

    /// Makes an entry of all columns' bytes.
    static func cut(_ bytes: inout [UInt8]) {
        guard bytes.count > cutLength else { return }
        let hash = bytes.withUnsafeBytes { OrderedEncoding.hash($0) }
        bytes.removeLast(bytes.count - cutLength)
        withUnsafeBytes(of: hash.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Where the first `count` values of an entry end, and whether a null is among them, or `nil` if it is cut before.
    static func parse(_ entry: UnsafeRawBufferPointer, values count: Int) -> (end: Int, hasNull: Bool)? {
        let limit = isCut(entry) ? cutLength : entry.count
        var at = 0
        var hasNull = false
        for _ in 0..<count {
            guard at < limit else { return nil }
            switch entry[at] {
            case OrderedEncoding.Tag.null:
                hasNull = true
                at += 1
            case OrderedEncoding.Tag.list, OrderedEncoding.Tag.dictionary: at += 1
            case OrderedEncoding.Tag.bool: at += 2
            case OrderedEncoding.Tag.number, OrderedEncoding.Tag.int, OrderedEncoding.Tag.link: at += 9
            case OrderedEncoding.Tag.timestamp, OrderedEncoding.Tag.objectId, OrderedEncoding.Tag.objectLink: at += 13
            case OrderedEncoding.Tag.uuid: at += 17
            default:
                at += 1
                while at + 1 < limit, entry[at] != 0 || entry[at + 1] != 0 { at += entry[at] == 0 ? 2 : 1 }
                at += 2
            }
            if at > limit { return nil }
        }
        return (at, hasNull)
    }
}

extension DataView {
    /// Writes what a compound index has of an object.
    func compoundEntry(_ compound: CompoundColumnIndex, _ key: ObjectKey, to out: inout [UInt8]) {
        out.removeAll(keepingCapacity: true)
        for column in compound.columns { CompoundEncoding.append(value(column, key), column.type, to: &out) }
        CompoundEncoding.cut(&out)
    }

    /// Returns the tree of a compound index, with all that is pending merged in.
    func searchTree(_ compound: CompoundColumnIndex) -> IndexTree {
        settleIndex(compound.entries)
        let state = columnState(compound.entries)
        return IndexTree(
            segment: compound.entries.segment(.index),
            root: state.indexRoot,
            height: state.indexHeight,
            count: state.indexCount
        )
    }

    /// Two of the objects that have the same values in a unique index's columns, none of them null, or `nil` if all differ.
    func equalPair(_ compound: CompoundColumnIndex, among keys: [ObjectKey]) -> (ObjectKey, ObjectKey)? {
        var seen: [(ObjectKey, [Value])] = []
        for key in keys {
            let values = compound.columns.map { value($0, key) }
            if values.contains(where: \.isNull) { continue }
            if let twin = seen.first(where: { zip($0.1, values).allSatisfy { Comparison.equal.holds($0, $1) } }) {
                return (twin.0, key)
            }
            seen.append((key, values))
        }
        return nil
    }

    /// What is said of two objects that a unique index doesn't allow.
    func uniqueViolation(_ compound: CompoundColumnIndex, _ pair: (ObjectKey, ObjectKey)) -> EngineError {
        let table = schema.table(of: compound.entries)
        let values = compound.columns.map { "\($0.name) = \(value($0, pair.1).written)" }.joined(separator: ", ")
        func name(_ key: ObjectKey) -> String {
            table.primaryKey.map { "\($0.name) \(value($0, key).written)" } ?? "object \(key.raw)"
        }
        return EngineError(
            .uniqueConstraint,
            "Two objects of '\(table.name)' have the same values of (\(compound.description)), which are unique: "
                + "\(values) in \(name(pair.0)) and in \(name(pair.1)).",
            table: table.name,
            columns: compound.columns.map(\.name)
        )
    }
}

extension Value {
    /// For messages.
    var written: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .string(let value): value.count > 60 ? "'\(value.prefix(60))…'" : "'\(value)'"
        case .timestamp(let value): "\(value.date)"
        case .objectId(let value): "\(value)"
        case .uuid(let value): "\(value)"
        case .data(let value): "\(value.count) bytes"
        default: "\(self)"
        }
    }
}
