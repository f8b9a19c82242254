internal import FreeholdEngine
internal import FreeholdSyncCore

/// The table of a class, or of embedded objects, with the hidden columns beside its properties.
final class ClassTable: Sendable {
    let table: Table
    /// Nil of embedded objects.
    let key: Column?
    /// By the property's name.
    let columns: [SyncString: Column]
    /// The names of all columns, including the key's.
    let names: Set<String>
    /// The names of tables that columns link to.
    let targets: [Int: String]
    let shape: Column
    let rest: Column
    /// Nil of embedded objects.
    let state: State?
    private let plans = Lock<[Int64: RowPlan]>([:])

    /// Of an object. Without meta data it is a `PlainObject`.
    struct State: Sendable {
        /// Of the last change. Null of an object that was only taken in.
        let version: Column
        let milliseconds: Column
        let counter: Column
        let ident: Column
        let meta: Column
    }

    /// Nil if the table isn't one of a store's.
    init?(_ table: Table, _ schema: DatabaseSchema) {
        guard let shape = table.hiddenColumn(named: "shape"), let rest = table.hiddenColumn(named: "rest") else {
            return nil
        }
        if table.isEmbedded {
            (key, state) = (nil, nil)
        } else {
            guard let key = table.primaryKey, key.name == "_id", let version = table.hiddenColumn(named: "version"),
                let milliseconds = table.hiddenColumn(named: "milliseconds"),
                let counter = table.hiddenColumn(named: "counter"), let ident = table.hiddenColumn(named: "ident"),
                let meta = table.hiddenColumn(named: "meta")
            else { return nil }
            self.key = key
            state = State(version: version, milliseconds: milliseconds, counter: counter, ident: ident, meta: meta)
        }
        (self.table, self.shape, self.rest) = (table, shape, rest)
        var columns: [SyncString: Column] = [:]
        for column in table.columns where !column.isPrimaryKey { columns[SyncString(column.name)] = column }
        self.columns = columns
        names = Set(table.columns.map(\.name))
        var targets: [Int: String] = [:]
        for column in table.columns {
            if let target = column.targetTableID { targets[target] = schema.table(id: target)?.name }
        }
        self.targets = targets
    }

    static func hiddenColumns(isEmbedded: Bool) -> [ColumnSpec] {
        let all = [ColumnSpec("shape", .int), ColumnSpec("rest", .data, optional: true)]
        if isEmbedded { return all }
        return all + [
            ColumnSpec("version", .int, optional: true), ColumnSpec("milliseconds", .int), ColumnSpec("counter", .int),
            ColumnSpec("ident", .int), ColumnSpec("meta", .data, optional: true),
        ]
    }

    /// The row of a key; nil if there is none, or the key can't be one of the table.
    func row(_ primaryKey: PrimaryKey, in view: DataView) -> ObjectKey? {
        guard let key, let value = Value(primaryKey, key) else { return nil }
        return view.find(primaryKey: value, in: table)
    }

    func plan(_ number: Int64, _ make: () throws -> RowShape) throws -> RowPlan {
        try plans.withLock { plans in
            if let plan = plans[number] { return plan }
            let plan = try RowPlan(make(), self)
            if plans.count > 10_000 { plans = [:] }
            plans[number] = plan
            return plan
        }
    }
}

/// A shape with the columns of a table.
final class RowPlan: Sendable {
    let fields: [(name: SyncString, source: RowShape.Source, column: Column?)]
    let isTrimmed: Bool

    init(_ shape: RowShape, _ table: ClassTable) throws {
        fields = try shape.fields.map { field in
            let column = table.columns[field.name]
            guard field.source != .column || column != nil else {
                throw StoreDamage("The table \(table.table.name) has no column \(field.name).")
            }
            return (field.name, field.source, column)
        }
        isTrimmed = shape.fields.contains(where: \.isTrimmed)
    }
}

/// The tables of one schema of a stream's file.
final class StoreTables: Sendable {
    let schema: DatabaseSchema
    let hidden: HiddenTables
    private let classes: [SyncString: ClassTable]
    private let byID: [Int: ClassTable]
    /// The number of columns of all classes and embedded objects.
    let columnCount: Int

    init(_ schema: DatabaseSchema) throws {
        guard let hidden = HiddenTables(schema) else { throw StoreDamage("The file isn't one of a stream.") }
        (self.schema, self.hidden) = (schema, hidden)
        var (classes, byID) = ([SyncString: ClassTable](), [Int: ClassTable]())
        for table in schema.tables {
            guard let own = ClassTable(table, schema) else { continue }
            classes[SyncString(table.name)] = own
            byID[table.id] = own
        }
        (self.classes, self.byID) = (classes, byID)
        columnCount = schema.tables.reduce(0) { $0 + $1.columns.count }
    }

    /// The table of that name, of a class or of embedded objects.
    subscript(name: SyncString) -> ClassTable? { classes[name] }
    subscript(id: Int) -> ClassTable? { byID[id] }

    var all: some Sequence<ClassTable> { classes.values }

    /// Nil if objects of the class have no table.
    func table(of className: SyncString) -> ClassTable? {
        classes[className].flatMap { $0.state == nil ? nil : $0 }
    }
}
