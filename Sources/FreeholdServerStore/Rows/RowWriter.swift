#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdBSON
internal import FreeholdEngine
internal import FreeholdSyncCore

/// Writes objects to rows. Values that the columns can't represent exactly are stored in the row's `rest`.
struct RowWriter {
    let transaction: WriteTransaction
    let tables: StoreTables
    let shapes: RowShapes

    /// The fields of a document, with their contents.
    typealias Fields = [(name: SyncString, content: MergedContent, shown: BSONValue?)]

    /// The earlier content of a row.
    struct Old {
        /// The earlier contents, or `nil` if they are unknown.
        let contents: [SyncString: MergedContent]?
        let plan: RowPlan
    }

    /// - Parameter old: The earlier content of the row, if it is known.
    func write(_ table: ClassTable, _ row: ObjectKey, _ key: PrimaryKey, _ object: MergedObject, old: Old?) throws {
        guard let state = table.state else { return }
        let contents = object.contents
        transaction.setInt(state.version, row, to: Int64(bitPattern: object.changed))
        transaction.setInt(state.milliseconds, row, to: object.stamp.clock.milliseconds)
        transaction.setInt(state.counter, row, to: Int64(object.stamp.clock.counter))
        transaction.setInt(state.ident, row, to: Int64(object.stamp.ident.rawValue))
        if object.isPlain, let fields = contents.plainFields {
            let (shape, rest) = try write(table, row, fields, old: old)
            if rest.isEmpty, shape.fields.allSatisfy({ $0.source == .column || $0.source == .null }) {
                try finish(table, row, shape, rest)
                return try set(state.meta, row, nil)
            }
        }
        let stored = object.stored(key)
        let fields: Fields = stored.doc.dropFirst().compactMap { element in
            let name = SyncString(element.key)
            return contents[name].map { (name, $0, element.value) }
        }
        let (shape, rest) = try write(table, row, fields, old: old)
        try finish(table, row, shape, rest)
        try set(state.meta, row, Data(stored.meta))
    }

    /// Writes an object of an asymmetric class.
    func take(_ table: ClassTable, _ row: ObjectKey, _ key: PrimaryKey, _ object: MergedObject) throws {
        guard let state = table.state else { return }
        try write(table, row, key, object, old: nil)
        try transaction.set(state.version, row, to: .null)
    }

    private func set(_ column: Column, _ row: ObjectKey, _ data: Data?) throws {
        if data == nil, transaction.readData(column, row) == nil { return }
        try transaction.set(column, row, to: data.map { .data($0) } ?? .null)
    }

    private func finish(
        _ table: ClassTable,
        _ row: ObjectKey,
        _ shape: RowShape,
        _ rest: [BSONDocument.Element]
    ) throws {
        transaction.setInt(table.shape, row, to: try shapes.number(shape, in: transaction, tables.hidden))
        try set(table.rest, row, rest.isEmpty ? nil : Data(BSONDocument(rest).storedBytes()))
    }

    // MARK: Fields

    private func write(
        _ table: ClassTable,
        _ row: ObjectKey,
        _ fields: Fields,
        old: Old?
    ) throws -> (RowShape, rest: [BSONDocument.Element]) {
        var shape = RowShape()
        shape.fields.reserveCapacity(fields.count)
        var rest: [BSONDocument.Element] = []
        var sources: [SyncString: RowShape.Source] = [:]
        for field in old?.plan.fields ?? [] { sources[field.name] = field.source }
        for (name, content, shown) in fields {
            let known = sources.removeValue(forKey: name)
            let source: RowShape.Source
            if let known, old?.contents?[name] == content {
                source = known
            } else {
                let before = known == .column ? old?.contents?[name] : nil
                source = try place(content, shown, table.columns[name], row, old: before)
            }
            if source == .rest { rest.append((key: name.string, value: shown ?? content.shown)) }
            shape.fields.append(RowShape.Field(name: name, source: source, isTrimmed: content.isTrimmed))
        }
        for (name, source) in sources where source == .column {
            if let column = table.columns[name] { try clear(column, row) }
        }
        return (shape, rest)
    }

    private func place(
        _ content: MergedContent,
        _ shown: BSONValue?,
        _ column: Column?,
        _ row: ObjectKey,
        old: MergedContent?
    ) throws -> RowShape.Source {
        if let column {
            if try put(content, shown, column, row, old: old) { return .column }
            try clear(column, row)
        }
        switch content {
        case .value(.null): return .null
        case .list(let elements) where elements.isEmpty: return .emptyArray
        case .set(let values) where values.isEmpty: return .emptyArray
        case .dictionary(let entries) where entries.isEmpty: return .emptyDocument
        default: return .rest
        }
    }

    /// Sets a column to its default.
    private func clear(_ column: Column, _ row: ObjectKey) throws {
        switch column.collection {
        case .none:
            let value: Value = column.isOptional || column.type == .link ? .null : ColumnSpec("", column.type).zero
            try transaction.setStored(column, row, to: value)
        case .list: try transaction.storedListAssign(column, row, values: [])
        case .set: try transaction.storedSetAssign(column, row, values: [])
        case .dictionary: try transaction.storedDictionaryAssign(column, row, entries: [])
        }
    }

    /// - Parameter old: The earlier content of the column, if it is known.
    /// - Returns: A Boolean value that indicates whether the column represents the document's value exactly.
    private func put(
        _ content: MergedContent,
        _ shown: BSONValue?,
        _ column: Column,
        _ row: ObjectKey,
        old: MergedContent?
    ) throws -> Bool {
        let owned = column.type == .link ? tables[column.targetTableID ?? -1].flatMap { $0.key == nil ? $0 : nil } : nil
        switch (column.collection, content) {
        case (.none, .value(let value)):
            if owned != nil, value != .null { return false }
            guard let value = try fitting(value, column) else { return false }
            if column.type == .link || column.type == .mixed {
                try transaction.setStored(column, row, to: value)
            } else {
                transaction.write(column, row, value: value)
            }
            return true
        case (.none, .embedded(let fields)):
            guard let owned else { return false }
            return try embed(fields, shown, owned, column, row, old: old)
        case (.list, .list(let elements)):
            return try putList(elements, shown, column, owned, row, old: old)
        case (.set, .set(let set)):
            var values: [Value] = []
            for value in set.values {
                guard let value = try fitting(value, column) else { return false }
                values.append(value)
            }
            guard (try? transaction.storedSetAssign(column, row, values: values)) != nil else { return false }
            let reader = RowReader(transaction, tables, shapes, horizon: 0)
            return try reader.shown(column, row) == shown ?? content.shown
        case (.dictionary, .dictionary(let entries)):
            return try putDictionary(entries, shown, column, owned, row)
        default: return false
        }
    }

    // MARK: Embedded objects

    private func embed(
        _ fields: [SyncString: MergedContent],
        _ shown: BSONValue?,
        _ owned: ClassTable,
        _ column: Column,
        _ row: ObjectKey,
        old: MergedContent?
    ) throws -> Bool {
        if let there = transaction.readLink(column, row) {
            var contents: [SyncString: MergedContent]?
            if case .embedded(let fields)? = old { contents = fields }
            let plan = try plan(owned, there)
            try fill(owned, there, fields, shown, old: Old(contents: contents, plan: plan))
            return true
        }
        transaction.setLink(column, row, to: try make(owned, fields, shown))
        return true
    }

    /// Creates an embedded object. The caller must link it immediately.
    func make(_ owned: ClassTable, _ fields: [SyncString: MergedContent], _ shown: BSONValue?) throws -> ObjectKey {
        let made = try transaction.create(owned.table)
        try fill(owned, made, fields, shown, old: nil)
        return made
    }

    private func fill(
        _ owned: ClassTable,
        _ row: ObjectKey,
        _ contents: [SyncString: MergedContent],
        _ shown: BSONValue?,
        old: Old?
    ) throws {
        guard case .document(let document)? = shown else { throw StoreDamage("An embedded object isn't a document.") }
        let fields: Fields = document.compactMap { element in
            let name = SyncString(element.key)
            return contents[name].map { (name, $0, element.value) }
        }
        let (shape, rest) = try write(owned, row, fields, old: old)
        try finish(owned, row, shape, rest)
    }

    func plan(_ table: ClassTable, _ row: ObjectKey) throws -> RowPlan {
        try RowReader(transaction, tables, shapes, horizon: 0).plan(table, row)
    }

    // MARK: Values

    /// Returns the value for a column, or `nil` if the column can't store it.
    func fitting(_ value: SyncValue, _ column: Column) throws -> Value? {
        let fitting: Value
        switch (value, column.type) {
        case (.link(let name), .link):
            guard let table = tables.table(of: name.className), table.table.id == column.targetTableID,
                let key = try reference(table, name.key)
            else { return nil }
            return .link(key)
        case (_, .mixed):
            guard let value = try mixed(value, depth: 0) else { return nil }
            return value
        default:
            guard let scalar = Value(scalar: value) else { return nil }
            fitting = scalar
        }
        // The value exceeds a limit, has another type, or is null although the column isn't optional.
        return (try? transaction.checkElement(fitting, column)) == nil ? nil : fitting
    }

    private func reference(_ table: ClassTable, _ key: PrimaryKey) throws -> ObjectKey? {
        guard let column = table.key, let value = Value(key, column) else { return nil }
        return try transaction.reference(to: table.table, primaryKey: value)
    }

    private func mixed(_ value: SyncValue, depth: Int) throws -> Value? {
        switch value {
        case .link(let name):
            guard let table = tables.table(of: name.className), let key = try reference(table, name.key) else {
                return nil
            }
            return .objectLink(ObjectLink(tableID: table.table.id, key: key))
        case .list(let values):
            guard depth < 90 else { return nil }
            var list: [Value] = []
            for value in values {
                guard let value = try mixed(value, depth: depth + 1) else { return nil }
                list.append(value)
            }
            return .list(NestedList(list))
        case .dictionary(let dictionary):
            guard depth < 90 else { return nil }
            var entries: [NestedDictionary.Entry] = []
            for entry in dictionary.entries {
                guard let value = try mixed(entry.value, depth: depth + 1) else { return nil }
                entries.append(NestedDictionary.Entry(entry.key.string, value))
            }
            return .dictionary(NestedDictionary(entries))
        case .embedded: return nil
        case .string(let text) where text.string.utf8.count > 16_000_000: return nil
        case .data(let data) where data.count > 16_000_000: return nil
        default: return Value(scalar: value)
        }
    }
}

extension [SyncString: MergedContent] {
    /// The fields by rising names. `nil` if a document can't contain one of the names.
    fileprivate var plainFields: RowWriter.Fields? {
        var fields: RowWriter.Fields = []
        fields.reserveCapacity(count)
        for (name, content) in self {
            guard name != "_id", !name.string.utf8.contains(0) else { return nil }
            fields.append((name, content, nil))
        }
        fields.sort { $0.name < $1.name }
        return fields
    }
}

extension MergedContent {
    /// The value that a document shows for a single value.
    fileprivate var shown: BSONValue { if case .value(let value) = self { BSONValue(value) } else { .null } }

    /// A Boolean value that indicates whether a horizon can remove a part of the content.
    fileprivate var isTrimmed: Bool {
        if case .value = self { false } else { true }
    }
}
