internal import FreeholdEngine
internal import FreeholdSyncCore

/// The table of a class or an embedded class, with its hidden columns.
final class ClassTable: Sendable {
    let table: Table
    /// The column of the primary key. `nil` for embedded objects.
    let key: Column?
    /// The columns by the names of their properties.
    let columns: [SyncString: Column]
    /// The names of all columns, including that of the key.
    let names: Set<String>
    /// The names of the tables to which columns link, by the numbers of the tables.
    let targets: [Int: String]
    let shape: Column
    let rest: Column
    /// The columns with the state of an object. `nil` for embedded objects.
    let state: State?
    private let plans = Lock<[Int64: RowPlan]>([:])

    /// The columns with the state of an object. An object without meta data is a `PlainObject`.
    struct State: Sendable {
        /// The version of the last change. Null for an object of an asymmetric class.
        let version: Column
        let milliseconds: Column
        let counter: Column
        let ident: Column
        let meta: Column
    }

    /// Returns `nil` if the table doesn't belong to a store.
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

    /// Returns the row of a key. Returns `nil` if the table doesn't contain the key, or if the key has another type.
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

/// A shape, with the matching columns of a table.
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
    /// The number of columns of all classes and embedded classes.
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

    /// The table with a name, for a class or an embedded class.
    subscript(name: SyncString) -> ClassTable? { classes[name] }
    subscript(id: Int) -> ClassTable? { byID[id] }

    var all: some Sequence<ClassTable> { classes.values }

    /// Returns the table of a class, or `nil` if objects of the class have no table.
    func table(of className: SyncString) -> ClassTable? {
        classes[className].flatMap { $0.state == nil ? nil : $0 }
    }
}
