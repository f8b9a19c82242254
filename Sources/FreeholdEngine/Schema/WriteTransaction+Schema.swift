extension WriteTransaction {
    /// Makes the database fit a schema: adds missing tables, and adds and drops search indexes.
    ///
    /// Tables of the file that aren't in `specs` remain unchanged. Any other difference is refused.
    /// - Parameter userVersion: the version that is stored with the schema, or `nil` to keep the present one.
    /// - Parameter specs: the specifications of the tables.
    /// - Returns: whether the schema has changed.
    /// - Throws: `.schemaMismatch` with every difference, `.uniqueConstraint` if two objects violate a new unique index. The transaction is unchanged
    ///   then.
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

    /// Adds the missing tables, columns and indexes to the file while it is in use. In a new column, existing objects have the default of its type.
    /// Nothing is changed or removed, and everything that isn't in `specs` remains. A specification may contain only the new columns and the table's
    /// primary key.
    ///
    /// Readers, writers and observers of this process and other processes continue. If they use the file with fewer columns, such as realms with
    /// older classes, they see only those columns.
    /// - Parameter specs: the specifications of the tables. Links can also lead to other tables of the file.
    /// - Returns: whether anything was added.
    /// - Throws: `.schemaMismatch` for differences that aren't additions, and `.invalidArgument` for contradictory specifications, without changes;
    ///   `.uniqueConstraint` if objects violate a new unique index, after which the transaction can only be cancelled.
    /// - Complexity: O(tables + columns), and O(objects) for each new index of an existing table.
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

    /// - Throws: `.uniqueConstraint` if two objects violate a new unique index.
    func checkUnique(_ plan: SchemaPlan) throws(EngineError) {
        for (table, spec) in plan.addedCompounds where spec.isUnique {
            try checkUnique(CompoundColumnIndex(spec, table.id, columns: table.columns, firstSegment: 0))
        }
    }

    /// - Parameter areKeyed: whether the tables have their primary keys already. Otherwise the keys are indexed by value.
    func addTables(_ added: [TableSpec], areKeyed: Bool, areHidden: Bool = false) {
        if added.isEmpty { return }
        var ids: [String: Int] = [:]
        for table in areHidden ? currentSchema.hiddenTables : currentSchema.tables { ids[table.name] = table.id }
        for spec in added {
            ids[spec.name] = Int(root.nextTableID)
            root.nextTableID += 1
        }
        var tables: [Table] = []
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
                        CompoundColumnIndex($0, id, columns: columns, firstSegment: allocateSegments())
                    },
                    firstSegment: segment,
                    nextColumnID: columns.count
                )
            )
        }
        growSchema(by: tables)
    }

    func allocateSegments() -> UInt32 {
        defer { root.nextSegment += ColumnSegment.count }
        return root.nextSegment
    }

    /// Changes indexes and rules of deletion of existing tables.
    func changeIndexes(_ plan: SchemaPlan) {
        guard plan.changesIndexes else { return }
        for column in plan.unindexed { dropIndex(column) }
        for compound in plan.droppedCompounds { dropCompound(compound) }
        // The filling of a new index adds the existing objects. From then on, the index follows their changes.
        for (column, _) in plan.indexed { settleIndexes(overlay(currentSchema.table(of: column))) }
        for (table, _) in plan.addedCompounds { settleIndexes(overlay(table)) }
        var added: [CompoundColumnIndex] = []
        let dropped = Set(plan.droppedCompounds.map(ObjectIdentifier.init))
        let addedTo = Dictionary(grouping: plan.addedCompounds) { ObjectIdentifier($0.table) }
        let unindexed = Set(plan.unindexed.map(ObjectIdentifier.init))
        let kinds = Dictionary(plan.indexed.map { (ObjectIdentifier($0.column), $0.kind) }) { first, _ in first }
        let rules = Dictionary(plan.ruleChanges.map { (ObjectIdentifier($0.column), $0.rules) }) { first, _ in first }
        let tables = currentSchema.storedTables.map { table in
            let kept = table.compounds.filter { !dropped.contains(ObjectIdentifier($0)) }
            let new = addedTo[ObjectIdentifier(table)]?.map(\.spec) ?? []
            let columns = table.columns.map { column in
                let id = ObjectIdentifier(column)
                return column.with(
                    indexKind: kinds[id] ?? (unindexed.contains(id) ? .none : column.indexKind),
                    rules: rules[id]
                )
            }
            return table.with(
                columns: columns,
                compounds: kept.map { ($0.spec, $0.firstSegment) } + new.map { ($0, allocateSegments()) }
            )
        }
        let byID = Dictionary(tables.map { ($0.id, $0) }) { first, _ in first }
        for (table, spec) in plan.addedCompounds {
            guard let table = byID[table.id] else { continue }
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
    /// - Precondition: the columns exist.
    convenience init(_ spec: CompoundIndexSpec, _ tableID: Int, columns: [Column], firstSegment: UInt32) {
        self.init(
            tableID: tableID,
            columns: spec.columns.map { name in columns.first { $0.name == name }! },
            isUnique: spec.isUnique,
            firstSegment: firstSegment
        )
    }
}
