extension WriteTransaction {
    /// Makes the database fit a schema: adds tables that it lacks, adds and drops search indexes.
    ///
    /// Tables of the file that `specs` doesn't name stay as they are. Any other difference is refused.
    /// - Parameter userVersion: stored beside the schema; nil leaves it.
    /// - Parameter specs: the tables as they are to be.
    /// - Returns: whether anything changed.
    /// - Throws: `.schemaMismatch` with every difference, `.uniqueConstraint` where two objects don't allow a new unique
    ///   index; nothing has changed then.
    @discardableResult
    public func applySchema(_ specs: [TableSpec], userVersion: UInt64? = nil) throws(EngineError) -> Bool {
        let plan = try SchemaPlan(specs, against: currentSchema)
        try plan.checkCompatible(path: core.path)
        try checkUnique(plan)
        if let userVersion { set(userVersion: userVersion) }
        if plan.changesSchema {
            addTables(plan.added, areKeyed: true)
            changeIndexes(plan)
            schemaChanged = true
        }
        return schemaChanged
    }

    /// Gives the file the tables, columns and indexes that it lacks, while it is in use: objects that are there hold the default
    /// of its type in a new column. Nothing is changed or taken away, and what `specs` doesn't name stays as it is; a spec can
    /// name only the columns that are new, with the table's primary key.
    ///
    /// Readers, writers and observers of this process and others go on: those that know the file with fewer columns, such as
    /// realms of older classes, see what they know.
    /// - Parameter specs: links can lead to tables of the file, too.
    /// - Returns: whether anything was added.
    /// - Throws: `.schemaMismatch` with what is different and not just more, `.invalidArgument` for specs that contradict
    ///   themselves, with nothing changed; `.uniqueConstraint` where objects don't allow a new unique index: the transaction can
    ///   then only be cancelled.
    /// - Complexity: O(tables + columns); O(objects) for each new index of a table that is there.
    @discardableResult
    public func extendSchema(_ specs: [TableSpec]) throws(EngineError) -> Bool {
        let plan = try SchemaPlan(specs, against: currentSchema)
        try plan.checkAdditive(path: core.path)
        if plan.addsNothing { return false }
        try addToSchema(specs) { _ throws(EngineError) in }
        return true
    }

    func set(userVersion: UInt64) {
        if root.hasUserVersion, root.userVersion == userVersion { return }
        root.userVersion = userVersion
        root.hasUserVersion = true
        schemaChanged = true
    }

    /// - Throws: `.uniqueConstraint` where two objects don't allow a new unique index.
    func checkUnique(_ plan: SchemaPlan) throws(EngineError) {
        for (table, spec) in plan.addedCompounds where spec.isUnique {
            try checkUnique(CompoundColumnIndex(spec, table.id, table.columns, firstSegment: 0))
        }
    }

    /// - Parameter areKeyed: whether they have their primary keys already; else these are indexed by value.
    func addTables(_ added: [TableSpec], areKeyed: Bool, areHidden: Bool = false) {
        if added.isEmpty { return }
        var ids: [String: Int] = [:]
        for table in areHidden ? currentSchema.hiddenTables : currentSchema.tables { ids[table.name] = table.id }
        for spec in added {
            ids[spec.name] = Int(root.nextTableID)
            root.nextTableID += 1
        }
        var tables = currentSchema.storedTables
        for spec in added {
            let id = ids[spec.name]!
            let segment = allocateSegments()
            let columns = spec.columns.enumerated().map { index, column -> Column in
                let isKey = column.name == spec.primaryKey
                return Column(
                    id: index,
                    index: index,
                    tableID: id,
                    name: column.name,
                    type: column.type,
                    isOptional: column.isOptional,
                    collection: column.collection,
                    targetTableID: column.target.flatMap { ids[$0] },
                    indexKind: isKey ? (areKeyed ? .none : .values) : column.indexKind,
                    isPrimaryKey: isKey && areKeyed,
                    isInCompound: spec.compounds.contains { $0.columns.contains(column.name) },
                    rules: column.rules,
                    isHidden: areHidden,
                    firstSegment: allocateSegments()
                )
            }
            tables.append(
                Table(
                    id: id,
                    name: spec.name,
                    columns: columns,
                    isEmbedded: spec.isEmbedded,
                    isAsymmetric: spec.isAsymmetric,
                    isHidden: areHidden,
                    compounds: spec.compounds.map {
                        CompoundColumnIndex($0, id, columns, firstSegment: allocateSegments())
                    },
                    firstSegment: segment,
                    nextColumnID: columns.count
                )
            )
        }
        replaceSchema(DatabaseSchema(tables: tables))
    }

    func allocateSegments() -> UInt32 {
        defer { root.nextSegment += ColumnSegment.count }
        return root.nextSegment
    }

    /// Indexes and rules of deletion of tables that are there.
    func changeIndexes(_ plan: SchemaPlan) {
        guard plan.changesIndexes else { return }
        for column in plan.unindexed { dropIndex(column) }
        for compound in plan.droppedCompounds { dropCompound(compound) }
        // Objects made before are known to the new index by its filling: from then on it follows their changes.
        for (column, _) in plan.indexed { settleIndexes(overlay(currentSchema.table(of: column))) }
        for (table, _) in plan.addedCompounds { settleIndexes(overlay(table)) }
        var added: [CompoundColumnIndex] = []
        let tables = currentSchema.storedTables.map { table in
            let kept = table.compounds.filter { compound in !plan.droppedCompounds.contains { $0 === compound } }
            let new = plan.addedCompounds.filter { $0.table === table }.map(\.spec)
            let columns = table.columns.map { column in
                let change = plan.indexed.first { $0.column === column }?.kind
                let isDropped = plan.unindexed.contains { $0 === column }
                return column.with(
                    indexKind: change ?? (isDropped ? .none : column.indexKind),
                    rules: plan.ruleChanges.first { $0.column === column }?.rules
                )
            }
            return table.with(
                columns: columns,
                compounds: kept.map { ($0.spec, $0.firstSegment) } + new.map { ($0, allocateSegments()) }
            )
        }
        for (table, spec) in plan.addedCompounds {
            guard let table = tables.first(where: { $0.id == table.id }) else { continue }
            added += table.compounds.filter { $0.spec == spec }
        }
        replaceSchema(DatabaseSchema(tables: tables))
        for compound in added {
            fillCompound(compound, overlay(currentSchema.table(of: compound.entries)), from: 0)
        }
        for (old, _) in plan.indexed {
            let table = currentSchema.table(id: old.tableID)!
            fillIndex(table.columns[old.index])
        }
    }

    private func dropCompound(_ compound: CompoundColumnIndex) {
        let overlay = overlay(currentSchema.table(of: compound.entries))
        settleIndexes(overlay)
        var tree = searchTree(compound)
        tree.removeAll(in: self)
        overlay.state.columns[compound.entries.id] = nil
        overlay.compounds[compound.firstSegment] = nil
    }

    func dropIndex(_ column: Column) {
        let overlay = overlay(currentSchema.table(of: column))
        settleIndexes(overlay)
        var state = overlay.state.columns[column.id] ?? .init()
        var tree = IndexTree(
            segment: column.segment(.index),
            root: state.indexRoot,
            height: state.indexHeight,
            count: state.indexCount
        )
        tree.removeAll(in: self)
        state.indexRoot = 0
        state.indexHeight = 0
        state.indexCount = 0
        overlay.state.columns[column.id] = state
        overlay.indexes[column.index] = nil
    }
}

extension CompoundColumnIndex {
    /// - Precondition: the columns are there.
    convenience init(_ spec: CompoundIndexSpec, _ tableID: Int, _ columns: [Column], firstSegment: UInt32) {
        self.init(
            tableID: tableID,
            columns: spec.columns.map { name in columns.first { $0.name == name }! },
            isUnique: spec.isUnique,
            firstSegment: firstSegment
        )
    }
}
