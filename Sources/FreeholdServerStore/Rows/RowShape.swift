#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
internal import FreeholdSyncCore

/// The fields of a row's document in rising order of their names, with the places of their values. Rows with equal
/// shapes share one.
///
/// A shape distinguishes a missing field from a null, and values in columns from values that no column can store.
struct RowShape: Hashable, Sendable {
    /// The place of a field's value. The raw values are stored.
    enum Source: UInt8, Sendable {
        /// The column with the field's name contains exactly the value.
        case column = 0
        /// The row's `rest` contains the value. If there is a column, it contains its default.
        case rest = 1
        // The value is null or an empty collection, and no column contains it: usually, the property never had another
        // value.
        case null = 2
        case emptyArray = 3
        case emptyDocument = 4
    }

    struct Field: Hashable, Sendable {
        let name: SyncString
        let source: Source
        /// A Boolean value that indicates whether the value was a collection or an embedded object, so that a horizon
        /// can trim it.
        let isTrimmed: Bool
    }

    var fields: [Field] = []

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for field in fields {
            bytes.append(field.source.rawValue | (field.isTrimmed ? 0x80 : 0))
            bytes.appendText(field.name)
        }
        return bytes
    }

    init() {}

    /// - Throws: `CodecError`
    init(_ bytes: UnsafeRawBufferPointer) throws {
        var cursor = ByteCursor(bytes)
        while cursor.remaining > 0 {
            let head = try cursor.byte()
            guard let source = Source(rawValue: head & 0x7F) else {
                throw cursor.error(.unknownKind, "A field is nowhere")
            }
            fields.append(Field(name: try cursor.text(), source: source, isTrimmed: head & 0x80 != 0))
        }
    }
}

/// The shapes in a stream's file. They are never removed, so that cached ones stay valid.
final class RowShapes: Sendable {
    private let known = Lock(Known())

    fileprivate struct Known {
        var shapes: [RowShape] = []
        var numbers: [RowShape: Int64] = [:]
    }

    func shape(_ number: Int64, in view: DataView, _ tables: HiddenTables) throws -> RowShape {
        let found = try known.withLock { known -> RowShape? in
            if number >= known.shapes.count { try known.read(view, tables) }
            return known.shapes.indices.contains(Int(number)) ? known.shapes[Int(number)] : nil
        }
        guard let found else { throw StoreDamage("There is no shape \(number).") }
        return found
    }

    func number(_ shape: RowShape, in transaction: WriteTransaction, _ tables: HiddenTables) throws -> Int64 {
        try known.withLock { known in
            if let number = known.numbers[shape] { return number }
            try known.read(transaction, tables)
            if let number = known.numbers[shape] { return number }
            let key = try transaction.create(tables.shape)
            try transaction.set(tables.shape.columns[0], key, to: .data(Data(shape.bytes)))
            known.add(shape, key.raw)
            return key.raw
        }
    }

    /// Removes the cached shapes after a transaction that wasn't committed.
    func forget() { known.withLock { $0 = Known() } }

    func all(in view: DataView, _ tables: HiddenTables) throws -> [RowShape] {
        try known.withLock { known in
            try known.read(view, tables)
            return known.shapes
        }
    }
}

extension RowShapes.Known {
    mutating func add(_ shape: RowShape, _ number: Int64) {
        shapes.append(shape)
        if numbers[shape] == nil { numbers[shape] = number }
    }

    mutating func read(_ view: DataView, _ tables: HiddenTables) throws {
        while shapes.count < view.count(tables.shape) {
            let key = ObjectKey(Int64(shapes.count))
            let data = view.readData(tables.shape.columns[0], key) ?? Data()
            add(try data.withUnsafeBytes { try RowShape($0) }, key.raw)
        }
    }
}
