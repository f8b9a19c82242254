#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdBSON
internal import FreeholdEngine
internal import FreeholdSyncCore

/// Reads objects from rows.
struct RowReader {
    let view: DataView
    let tables: StoreTables
    let shapes: RowShapes
    let horizon: StreamVersion
    private var values: ValueReader { ValueReader(view: view, tables: tables) }

    init(_ view: DataView, _ tables: StoreTables, _ shapes: RowShapes, horizon: StreamVersion) {
        (self.view, self.tables, self.shapes, self.horizon) = (view, tables, shapes, horizon)
    }

    static let limits = BSONLimits(depth: BSONLimits.maximumDepth, size: .max)

    /// Returns the object of a row, or `nil` if the row belongs to an asymmetric class.
    func object(_ table: ClassTable, _ row: ObjectKey, _ key: PrimaryKey) throws -> MergedObject? {
        guard let state = table.state, let version = view.readInt(state.version, row) else { return nil }
        return try object(table, row, key: key, state: state, version: version)
    }

    /// Returns the object of a row that belongs to an asymmetric class.
    func ingested(_ table: ClassTable, row: ObjectKey, key: PrimaryKey) throws -> MergedObject {
        guard let state = table.state else { throw StoreDamage("An embedded row has a state.") }
        return try object(table, row, key: key, state: state, version: 0)
    }

    private func object(
        _ table: ClassTable,
        _ row: ObjectKey,
        key: PrimaryKey,
        state: ClassTable.State,
        version: Int64
    ) throws -> MergedObject {
        let plan = try plan(table, row)
        guard let meta = view.readData(state.meta, row) else {
            return MergedObject(try plain(table, row, plan, StreamVersion(bitPattern: version)))
        }
        let elements = try document(table, row, plan, for: .meta)
        let document = BSONDocument([(key: "_id", value: BSONValue(key))] + elements)
        var object = try MergedObject(StoredObject(doc: document, meta: Array(meta)))
        // Data before the horizon is ignored immediately, even if the row hasn't been rewritten yet.
        if plan.isTrimmed, horizon > 0 { _ = object.trim(horizon: horizon) }
        return object
    }

    func plan(_ table: ClassTable, _ row: ObjectKey) throws -> RowPlan {
        let number = view.readInt(table.shape, row) ?? -1
        return try table.plan(number) { try shapes.shape(number, in: view, tables.hidden) }
    }

    private func plain(
        _ table: ClassTable,
        _ row: ObjectKey,
        _ plan: RowPlan,
        _ version: StreamVersion
    ) throws -> PlainObject {
        guard let state = table.state else { throw StoreDamage("An embedded row has a state.") }
        let values = values
        var fields: [SyncString: SyncValue] = [:]
        fields.reserveCapacity(plan.fields.count)
        for field in plan.fields {
            switch (field.source, field.column) {
            case (.column, let column?): fields[field.name] = try values.single(column, row)
            case (.null, _): fields[field.name] = .null
            default: throw StoreDamage("A row without meta data has more than values.")
            }
        }
        let clock = Clock(
            milliseconds: view.readInt(state.milliseconds, row) ?? 0,
            counter: UInt16(truncatingIfNeeded: view.readInt(state.counter, row) ?? 0)
        )
        let ident = FileIdent(rawValue: UInt32(truncatingIfNeeded: view.readInt(state.ident, row) ?? 0))
        return PlainObject(version: version, stamp: Stamp(clock: clock, ident: ident), fields: fields)
    }

    // MARK: Documents

    /// The use of a row's document.
    enum Purpose {
        /// The document is for people and programs.
        case readers
        /// The document is for meta data that refers to its values. See `BSONValue.init(meta:)`.
        case meta
    }

    /// Returns the document of a row, without the key.
    func document(
        _ table: ClassTable,
        _ row: ObjectKey,
        _ plan: RowPlan,
        for purpose: Purpose = .readers,
        depth: Int = 0
    ) throws -> [BSONDocument.Element] {
        guard depth <= MessageCodec.greatestDepth else { throw StoreDamage("Embedded objects are nested too deep.") }
        var elements: [BSONDocument.Element] = []
        elements.reserveCapacity(plan.fields.count)
        var rest: [BSONDocument.Element] = []
        if plan.fields.contains(where: { $0.source == .rest }) { rest = try self.rest(table, row) }
        var next = 0
        for field in plan.fields {
            let value: BSONValue
            switch (field.source, field.column) {
            case (.column, let column?): value = try shown(column, row, for: purpose, depth: depth)
            case (.rest, _):
                guard next < rest.count, SyncString(rest[next].key) == field.name else {
                    throw StoreDamage("A row's rest hasn't the field \(field.name).")
                }
                value = rest[next].value
                next += 1
            case (.null, _): value = .null
            case (.emptyArray, _): value = .array([])
            case (.emptyDocument, _): value = .document([:])
            case (.column, nil): throw StoreDamage("There is no column \(field.name).")
            }
            elements.append((key: field.name.string, value: value))
        }
        return elements
    }

    private func rest(_ table: ClassTable, _ row: ObjectKey) throws -> [BSONDocument.Element] {
        guard let data = view.readData(table.rest, row) else { throw StoreDamage("A row's rest is missing.") }
        let document = try data.withUnsafeBytes { try BSONDocument($0, limits: Self.limits) }
        return Array(document)
    }

    /// Returns the value that the document shows for a column.
    func shown(
        _ column: Column,
        _ row: ObjectKey,
        for purpose: Purpose = .readers,
        depth: Int = 0
    ) throws -> BSONValue {
        let owned = column.type == .link ? tables[column.targetTableID ?? -1].flatMap { $0.key == nil ? $0 : nil } : nil
        func shown(_ value: SyncValue) -> BSONValue { purpose == .meta ? BSONValue(meta: value) : BSONValue(value) }
        func element(_ value: Value) throws -> BSONValue {
            guard let owned else { return shown(try values.value(value, column)) }
            guard case .link(let target) = value else { return .null }
            let elements = try document(owned, target, plan(owned, target), for: purpose, depth: depth + 1)
            return .document(BSONDocument(elements))
        }
        switch column.collection {
        case .none:
            if owned != nil { return try element(view.value(column, row)) }
            return shown(try values.single(column, row))
        case .list: return .array(try view.storedListValues(column, row).map(element))
        case .set:
            let found = try view.storedSetValues(column, row).map { value -> ([UInt8], SyncValue) in
                let value = try values.value(value, column)
                var bytes: [UInt8] = []
                bytes.appendExact(value)
                return (bytes, value)
            }
            return .array(found.sorted { $0.0.lexicographicallyPrecedes($1.0) }.map { shown($0.1) })
        case .dictionary:
            let entries = try view.storedDictionaryEntries(column, row).map {
                (key: $0.key, value: try element($0.value))
            }
            return .document(BSONDocument(entries))
        }
    }
}
