#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
internal import FreeholdSyncCore

/// Which fields the document of a row has, by rising names, and where each is. Rows of one shape share it.
///
/// It tells a field that isn't there from one that is null, and what the columns show from what they can't.
struct RowShape: Hashable, Sendable {
    /// Raw values are stored.
    enum Source: UInt8, Sendable {
        /// A column of the field's name holds exactly the value.
        case column = 0
        /// The row's `rest` holds it; the column, if there is one, its default.
        case rest = 1
        // Nothing holds these: it is all that is known of a property of which nothing else was seen yet.
        case null = 2
        case emptyArray = 3
        case emptyDocument = 4
    }

    struct Field: Hashable, Sendable {
        let name: SyncString
        let source: Source
        /// It was a collection, or an embedded object: there is something that a horizon can trim.
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

/// The shapes that a stream's file has. They are never taken away, so what was read once stays true.
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
            try transaction.set(tables.shape.columns[0], key, .data(Data(shape.bytes)))
            known.add(shape, key.raw)
            return key.raw
        }
    }

    /// A transaction wasn't committed: its shapes aren't there.
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
