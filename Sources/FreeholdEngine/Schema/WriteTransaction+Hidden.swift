/// Hidden storage: tables and columns for components that record data about the objects (versions, cursors, states). They don't belong to the
/// application.
///
/// They aren't part of `DatabaseSchema.tables` and `Table.columns`. Schemas, migrations, exports and queries over stored names therefore don't
/// include them, and their names are separate from those of other tables and columns. They are included in `verify`, copies, compaction and
/// encryption. Their changes aren't reported to observers or the change feed, and aren't written to the journal. The same functions as for other
/// tables and columns read and write them.
extension WriteTransaction {
    /// Returns the hidden table with this name. Creates the table if it is missing, and adds missing columns.
    ///
    /// Its links can lead only to hidden tables.
    /// - Throws: `.invalidArgument` for a contradictory specification or an embedded table; `.schemaMismatch` if a column in the file has another
    ///   type, index or key; `.unsupportedFormat` in a file before format 5. The transaction is unchanged then.
    /// - Complexity: O(tables + columns), and O(objects) if a column with an index is added.
    public func addHiddenTable(_ spec: TableSpec) throws(EngineError) -> Table {
        try checkHidden(spec.name)
        guard !spec.name.hasPrefix("@") else {
            throw EngineError(.invalidArgument, "The engine's own hidden tables have names like '\(spec.name)'.")
        }
        guard !spec.isEmbedded else {
            throw EngineError(.invalidArgument, "The hidden table '\(spec.name)' can't be embedded.")
        }
        try SchemaPlan.check([spec], others: currentSchema.hiddenTables)
        guard let table = currentSchema.hiddenTable(named: spec.name) else {
            schemaChanged = true
            addTables([spec], areKeyed: true, areHidden: true)
            return currentSchema.hiddenTable(named: spec.name)!
        }
        guard table.primaryKey?.name == spec.primaryKey, table.compounds.map(\.spec) == spec.compounds else {
            throw mismatch(table, "has another primary key, or other compound indexes")
        }
        for column in spec.columns {
            guard let stored = table.column(named: column.name) else { continue }
            try checkSame(stored, as: column, in: table, isPrimaryKey: column.name == spec.primaryKey)
        }
        for column in spec.columns where table.column(named: column.name) == nil {
            addColumn(column, to: currentSchema.table(id: table.id)!)
        }
        return currentSchema.table(id: table.id)!
    }

    /// Returns the hidden column of a table with this name. Creates the column if it is missing. Existing objects have the default of its type.
    ///
    /// An integer, such as a version, takes about one byte for each object if the values in a cluster of 1,000 objects differ by less than 256, and
    /// about four bytes if they differ by less than 65,536.
    /// - Parameter spec: the specification of a column that doesn't contain links.
    /// - Parameter table: the table that receives the column.
    /// - Throws: like `addHiddenTable`. The transaction is unchanged then.
    /// - Complexity: O(columns), and O(objects) if the column has an index.
    public func addHiddenColumn(_ spec: ColumnSpec, to table: Table) throws(EngineError) -> Column {
        try addHiddenColumns([spec], to: [table])
        return currentSchema.table(id: table.id)!.hiddenColumn(named: spec.name)!
    }

    /// Adds hidden columns to several tables in one step. Like `addHiddenColumn(_:to:)` for each table and each column, except that the schema
    /// is replaced once.
    ///
    /// - Parameters:
    ///   - specs: the specifications of columns that don't contain links.
    ///   - tables: the tables that receive the columns, each once.
    /// - Throws: like `addHiddenTable`. The transaction is unchanged then.
    /// - Complexity: O(tables + columns), and O(objects) if a column has an index.
    package func addHiddenColumns(_ specs: [ColumnSpec], to tables: [Table]) throws(EngineError) {
        for spec in specs {
            try checkHidden(spec.name)
            guard spec.type != .link else {
                throw EngineError(.invalidArgument, "The hidden column '\(spec.name)' can't hold links.")
            }
        }
        var missing: [(table: Table, specs: [ColumnSpec])] = []
        for given in tables {
            guard let table = currentSchema.table(id: given.id), !table.isHidden else {
                throw EngineError(.invalidArgument, "The table '\(given.name)' doesn't exist for hidden columns.")
            }
            try SchemaPlan.check([TableSpec(table.name, columns: specs)])
            var new: [ColumnSpec] = []
            for spec in specs {
                if let stored = table.hiddenColumn(named: spec.name) {
                    try checkSame(stored, as: spec, in: table, isPrimaryKey: false)
                } else {
                    new.append(spec)
                }
            }
            if !new.isEmpty { missing.append((table, new)) }
        }
        guard !missing.isEmpty else { return }
        var changed: [Int: Table] = [:]
        var indexed: [(table: Int, column: Int)] = []
        for (table, specs) in missing {
            if specs.contains(where: { $0.indexKind != .none }) { settleIndexes(overlay(table)) }
            let columns = newColumns(specs, of: table)
            indexed += columns.filter(\.hasIndex).map { (table.id, $0.id) }
            changed[table.id] = table.with(
                hidden: table.hiddenColumns + columns,
                nextColumnID: table.nextColumnID + columns.count
            )
        }
        schemaChanged = true
        replaceSchema(DatabaseSchema(tables: currentSchema.storedTables.map { changed[$0.id] ?? $0 }))
        for (table, column) in indexed {
            fillIndex(currentSchema.table(id: table)!.storedColumns.first { $0.id == column }!)
        }
    }

    /// Removes a hidden table with its content from the file. Hidden columns that link to it are removed, too.
    /// - Precondition: the table is hidden.
    /// - Complexity: O(objects)
    public func dropHiddenTable(_ table: Table) {
        precondition(table.isHidden, "'\(table.name)' isn't a hidden table.")
        guard let table = currentSchema.table(id: table.id) else { return }
        dropTable(table)
    }

    /// Removes a hidden column with its values from the file.
    /// - Precondition: the column is hidden.
    /// - Complexity: O(1). For mixed values, O(objects).
    public func dropHiddenColumn(_ column: Column) {
        precondition(column.isHidden, "'\(column.name)' isn't a hidden column.")
        guard let table = currentSchema.table(id: column.tableID),
            let column = table.storedColumns.first(where: { $0.id == column.id })
        else { return }
        drop([column])
    }

    // MARK: Steps

    /// Adds a column to a hidden table.
    private func addColumn(_ spec: ColumnSpec, to table: Table) {
        if spec.indexKind != .none { settleIndexes(overlay(table)) }
        let columns = newColumns([spec], of: table)
        replace(table.with(columns: table.columns + columns, nextColumnID: table.nextColumnID + 1))
        guard columns[0].hasIndex else { return }
        fillIndex(currentSchema.table(id: table.id)!.storedColumns.first { $0.id == columns[0].id }!)
    }

    /// Returns columns that are added after all that a table has.
    private func newColumns(_ specs: [ColumnSpec], of table: Table) -> [Column] {
        specs.enumerated().map { offset, spec in
            Column(
                id: table.nextColumnID + offset,
                index: table.storedColumns.count + offset,
                tableID: table.id,
                name: spec.name,
                type: spec.type,
                isOptional: spec.isOptional,
                collection: spec.collection,
                targetTableID: spec.target.flatMap { currentSchema.hiddenTable(named: $0)?.id },
                indexKind: spec.indexKind,
                isPrimaryKey: false,
                rules: spec.rules,
                isHidden: true,
                firstSegment: allocateSegments()
            )
        }
    }

    func checkHidden(_ name: String) throws(EngineError) {
        guard core.header.formatVersion > 4 else {
            throw EngineError(
                .unsupportedFormat,
                "A file of format \(core.header.formatVersion) has no room for the hidden '\(name)'.",
                path: core.path
            )
        }
        if name.isEmpty { throw EngineError(.invalidArgument, "Hidden tables and columns need a name.") }
    }

    private func checkSame(
        _ stored: Column,
        as spec: ColumnSpec,
        in table: Table,
        isPrimaryKey: Bool
    ) throws(EngineError) {
        let isSame =
            SchemaPlan.describe(stored, in: currentSchema)
            == SchemaPlan.describe(spec.type, spec.collection, target: spec.target)
            && (stored.isOptional == spec.isOptional || spec.type == .link)
            && (isPrimaryKey || stored.indexKind == spec.indexKind) && stored.rules == spec.rules
        if !isSame { throw mismatch(table, "has a column '\(spec.name)' of another kind") }
    }

    private func mismatch(_ table: Table, _ what: String) -> EngineError {
        EngineError(
            .schemaMismatch,
            "The hidden storage of '\(table.name)' differs: the file's \(what).",
            path: core.path,
            table: table.name
        )
    }
}
