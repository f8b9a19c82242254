/// The entries of compound indexes. An entry consists of the values of the columns in the form of `OrderedEncoding`, one after the other. Its
/// unsigned order is that of the values, beginning with the first column.
///
/// The bytes of a value are never a prefix of another value's bytes. The tag determines the length of types of fixed width. In strings and data, each
/// zero byte is written as 00 FF, and 00 00 marks the end. The entries whose first columns have certain values are therefore the entries that begin
/// with these values' bytes.
///
/// An entry of more than 112 bytes is shortened to its first 112 bytes, followed by the 8-byte hash of the whole, big-endian. Only shortened entries
/// have this length. If bytes after the first 112 matter, the row has to be checked. Mixed numbers are rounded, as in an index of one column.
///
/// The format is stored in files and never changes.
enum CompoundEncoding {
    static let cutLength = 112
    static let maximumLength = cutLength + 8

    /// Returns whether the entry was shortened.
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

    /// Appends escaped bytes without an end mark, as the prefix of several values.
    static func appendEscaped(_ bytes: UnsafeRawBufferPointer, to out: inout [UInt8]) {
        for byte in bytes {
            out.append(byte)
            if byte == 0 { out.append(0xFF) }
        }
    }

    /// Shortens the bytes of all columns to an entry.
    static func cut(_ bytes: inout [UInt8]) {
        guard bytes.count > cutLength else { return }
        let hash = bytes.withUnsafeBytes { OrderedEncoding.hash($0) }
        bytes.removeLast(bytes.count - cutLength)
        withUnsafeBytes(of: hash.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Returns the end of an entry's first `count` values, and whether one of them is null. Returns `nil` if the entry was shortened before that end.
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
    /// Writes the entry of an object in a compound index.
    func compoundEntry(_ compound: CompoundColumnIndex, _ key: ObjectKey, to out: inout [UInt8]) {
        out.removeAll(keepingCapacity: true)
        for column in compound.columns { CompoundEncoding.append(value(column, key), column.type, to: &out) }
        CompoundEncoding.cut(&out)
    }

    /// Returns the tree of a compound index, after merging all pending changes into it.
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

    /// Returns two objects that have the same values, without nulls, in the columns of a unique index, or `nil` if the values of all objects differ.
    func equalPair(_ compound: CompoundColumnIndex, among keys: [ObjectKey]) -> (ObjectKey, ObjectKey)? {
        var seen: [(ObjectKey, [Value])] = []
        for key in keys {
            let values = compound.columns.map { value($0, key) }
            if values.contains(where: \.isNull) { continue }
            if let twin = seen.first(where: {
                zip($0.1, values).allSatisfy { Comparison.equal.holds(between: $0, and: $1) }
            }) {
                return (twin.0, key)
            }
            seen.append((key, values))
        }
        return nil
    }

    /// Returns the error for two objects that violate a unique index.
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
    /// The value as text for messages.
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
