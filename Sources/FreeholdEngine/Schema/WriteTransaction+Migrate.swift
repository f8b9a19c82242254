/// A migration in two parts, between which the application makes its own changes.
///
/// The first part (`extendSchema`) adds everything that the new schema has. Old properties remain. If a new property needs the name of an old one,
/// the old one is renamed. Primary keys become plain indexed properties, so that they can be written. The second part (`finishSchema`) removes what
/// the new schema doesn't have, and adds keys, embedded classes and indexes with their checks. The whole migration is one transaction. Nothing is
/// written to the file before the commit.
extension WriteTransaction {
    /// The prefix of the name of an old property whose name is needed for a new property of another type.
    static let setAside = "\u{1}"

    /// Adds everything that a schema has and the file doesn't. It can be called again after renames.
    ///
    /// - Parameter suspendsPrimaryKeys: whether unchanged primary keys can be written until `finishSchema`, too.
    /// - Returns: the plan that was carried out.
    /// - Throws: `.invalidArgument` for contradictory specifications. The transaction is unchanged then.
    @discardableResult
    package func extendSchema(to specs: [TableSpec], suspendsPrimaryKeys: Bool) throws(EngineError) -> SchemaPlan {
        let plan = try SchemaPlan(specs, against: currentSchema)
        for spec in specs where spec.isAsymmetric {
            guard let table = currentSchema.table(named: spec.name), !table.isAsymmetric, count(table) > 0 else {
                continue
            }
            throw EngineError(
                .schemaMismatch,
                "Class '\(spec.name)' has objects, which an asymmetric class can't have. Delete them first.",
                path: core.path,
                table: spec.name
            )
        }
        addTables(plan.added, areKeyed: false)
        var converted: [(old: Column, id: Int)] = []
        let parts = SchemaPlanParts(plan, specs)
        let tables = currentSchema.storedTables.map { table -> Table in
            guard !table.isHidden, let spec = parts.specs[table.name] else { return table }
            return extended(table, spec, parts: parts, suspendsPrimaryKeys: suspendsPrimaryKeys, converted: &converted)
        }
        guard zip(tables, currentSchema.storedTables).contains(where: { $0 !== $1 }) else { return plan }
        schemaChanged = true
        replaceSchema(DatabaseSchema(tables: tables))
        for (old, id) in converted { try convert(old, to: column(id, inTable: old.tableID)) }
        return plan
    }

    /// Adds everything that the file lacks, and removes nothing. Properties, indexes and classes that aren't requested remain.
    ///
    /// - Parameter fill: writes the values of new properties for existing objects. Indexes are created after it.
    /// - Throws: `.schemaMismatch` for differences that aren't additions, `.uniqueConstraint`, and the errors of `fill`. The transaction can only be
    ///   cancelled then.
    package func addToSchema(
        _ specs: [TableSpec],
        userVersion: UInt64? = nil,
        fill: (SchemaPlan) throws(EngineError) -> Void
    ) throws(EngineError) {
        let plan = try SchemaPlan(specs, against: currentSchema)
        try plan.checkAdditive(path: core.path)
        addTables(plan.added, areKeyed: true)
        var converted: [(old: Column, id: Int)] = []
        let parts = SchemaPlanParts(plan, specs)
        let tables = currentSchema.storedTables.map { table -> Table in
            guard !table.isHidden, let spec = parts.specs[table.name] else { return table }
            return extended(table, spec, parts: parts, suspendsPrimaryKeys: false, converted: &converted)
        }
        if !plan.addedColumns.isEmpty { replaceSchema(DatabaseSchema(tables: tables)) }
        if !plan.addsNothing { schemaChanged = true }
        try fill(plan)
        var rest = try SchemaPlan(specs, against: currentSchema)
        rest.keepOnlyNewIndexes()
        try checkUnique(rest)
        if rest.changesIndexes { changeIndexes(rest) }
        if let userVersion, !root.hasUserVersion || root.userVersion < userVersion { set(userVersion: userVersion) }
    }

    private func column(_ id: Int, inTable tableID: Int) -> Column {
        currentSchema.table(id: tableID)!.columns.first { $0.id == id }!
    }

    private func extended(
        _ table: Table,
        _ spec: TableSpec,
        parts: SchemaPlanParts,
        suspendsPrimaryKeys: Bool,
        converted: inout [(old: Column, id: Int)]
    ) -> Table {
        let retyped = parts.retyped[table.id] ?? []
        let nullabilityChanges = parts.nullabilityChanges[table.id] ?? []
        let added = (parts.addedColumns[table.id] ?? []).map(\.spec) + retyped.map(\.spec)
        let isRekeyed = table.primaryKey != nil && (suspendsPrimaryKeys || table.primaryKey?.name != spec.primaryKey)
        let isFreed = table.isEmbedded && !spec.isEmbedded
        let changesKind = table.isAsymmetric != spec.isAsymmetric
        if added.isEmpty, nullabilityChanges.isEmpty, !isRekeyed, !isFreed, !changesKind { return table }
        let replaced = Set((retyped.map(\.column) + nullabilityChanges.map(\.column)).map(\.id))
        var columns = table.columns.map { column -> Column in
            var column = column
            let isReplaced = replaced.contains(column.id)
            if column.isPrimaryKey, isRekeyed || isReplaced {
                column = column.with(indexKind: .values, isPrimaryKey: false)
            }
            if retyped.contains(where: { $0.column.id == column.id }) {
                return column.with(name: Self.setAside + column.name)
            }
            guard let change = nullabilityChanges.first(where: { $0.column.id == column.id }) else { return column }
            converted.append((change.column, column.id))
            return column.with(
                isOptional: change.spec.isOptional,
                indexKind: IndexKind.none,
                firstSegment: allocateSegments()
            )
        }
        for (i, new) in added.enumerated() {
            columns.append(
                Column(
                    id: table.nextColumnID + i,
                    index: columns.count,
                    tableID: table.id,
                    name: new.name,
                    type: new.type,
                    isOptional: new.isOptional,
                    collection: new.collection,
                    targetTableID: new.target.flatMap { currentSchema.table(named: $0)?.id },
                    indexKind: .none,
                    isPrimaryKey: false,
                    rules: new.rules,
                    firstSegment: allocateSegments()
                )
            )
        }
        return table.with(
            columns: columns,
            isEmbedded: isFreed ? false : table.isEmbedded,
            isAsymmetric: spec.isAsymmetric,
            without: replaced,
            nextColumnID: table.nextColumnID + added.count
        )
    }

    /// Copies a property's values, as they were before the transaction, into the property that replaces it. The two differ only in being required or
    /// optional.
    private func convert(_ old: Column, to new: Column) throws(EngineError) {
        guard let table = base.schema.table(id: old.tableID),
            let old = table.columns.first(where: { $0.id == old.id })
        else { return }
        let current = currentSchema.table(of: new)
        let step = SchemaStep(
            new.isOptional ? .makeOptional : .makeRequired,
            current.name,
            property: new.name,
            objects: count(current)
        )
        let zero = FieldCoding.defaultValue(new.type, isOptional: false)
        func fit(_ value: Value) -> Value { value.isNull && !new.isOptional ? zero : value }
        for (i, key) in keys(current).enumerated() {
            if i % 1000 == 0 { schemaProgress?(step, i) }
            guard base.contains(table, key) else { continue }
            switch new.collection {
            case .none:
                let value = base.value(old, key)
                if value.isNull { continue }
                write(new, key, value: value)
            case .list:
                let values = base.listValues(old, key)
                if !values.isEmpty { try listAssign(new, key, values: values.map(fit)) }
            case .set:
                let values = base.listValues(old, key)
                if !values.isEmpty { try setAssign(new, key, values: values.map(fit)) }
            case .dictionary:
                let entries = base.dictionaryEntries(old, key)
                if !entries.isEmpty { try dictionaryAssign(new, key, entries: entries.map { ($0.key, fit($0.value)) }) }
            }
        }
    }

    // MARK: Names

    /// Replaces a property that `extendSchema` created by an existing property, which receives its name and keeps its id and its values.
    ///
    /// - Throws: `.schemaMismatch` if the property doesn't exist, if the types differ, or if null isn't allowed any more. The transaction is
    ///   unchanged then.
    package func renameColumn(_ table: Table, from: String, to spec: ColumnSpec) throws(EngineError) {
        func refuse(_ text: String) -> EngineError {
            EngineError(
                .schemaMismatch,
                "Property '\(table.name).\(from)' can't become '\(spec.name)': \(text).",
                path: core.path,
                table: table.name
            )
        }
        guard let old = table.column(named: Self.setAside + from) ?? table.column(named: from) else {
            throw refuse("the file has no such property")
        }
        let oldType = SchemaPlan.describe(old, in: currentSchema)
        let newType = SchemaPlan.describe(spec.type, spec.collection, target: spec.target)
        guard oldType == newType else { throw refuse("its type is '\(oldType)', not '\(newType)'") }
        if old.isOptional, !spec.isOptional, old.type != .link {
            throw refuse("it is optional, and '\(spec.name)' is required. Copy the values instead")
        }
        let isConverted = old.isOptional != spec.isOptional && old.type != .link
        let columns = table.columns.compactMap { column -> Column? in
            if column.id == old.id {
                let renamed = column.with(name: spec.name)
                guard isConverted else { return renamed }
                return renamed.with(
                    isOptional: spec.isOptional,
                    indexKind: IndexKind.none,
                    firstSegment: allocateSegments()
                )
            }
            return column.name == spec.name ? nil : column
        }
        var replaced: Set<Int> = isConverted ? [old.id] : []
        if let made = table.column(named: spec.name), made.id != old.id {
            takeBackLinks(made)
            replaced.insert(made.id)
        }
        replace(table.with(columns: columns, without: replaced))
        if isConverted { try convert(old, to: column(old.id, inTable: table.id)) }
    }

    /// Replaces an empty table that `extendSchema` created by an existing table, which receives its name and keeps its id and its objects. Links to
    /// it that temporarily had to look like links to another class are restored.
    ///
    /// - Throws: `.schemaMismatch` if the table doesn't exist, or if the other table contains objects. The transaction is unchanged then.
    package func renameTable(from: String, to name: String, specs: [TableSpec]) throws(EngineError) {
        func refuse(_ text: String) -> EngineError {
            EngineError(
                .schemaMismatch,
                "Class '\(from)' can't become '\(name)': \(text).",
                path: core.path,
                table: from
            )
        }
        guard let old = currentSchema.table(named: from) else { throw refuse("the file has no such class") }
        if let made = currentSchema.table(named: name) {
            guard base.schema.table(id: made.id) == nil else { throw refuse("the file has both") }
            guard count(made) == 0 else {
                throw refuse("'\(name)' has objects already. Rename it before anything is written to it")
            }
            drop(made)
        }
        replace(currentSchema.table(id: old.id)!.with(name: name))
        for table in currentSchema.tables { try restoreSetAside(table, specs.first { $0.name == table.name }) }
    }

    /// Restores properties that were renamed because their target had another name.
    private func restoreSetAside(_ table: Table, _ spec: TableSpec?) throws(EngineError) {
        for column in table.columns where column.name.hasPrefix(Self.setAside) {
            guard let wanted = spec?.columns.first(where: { Self.setAside + $0.name == column.name }) else { continue }
            let newType = SchemaPlan.describe(wanted.type, wanted.collection, target: wanted.target)
            guard SchemaPlan.describe(column, in: currentSchema) == newType else { continue }
            try renameColumn(currentSchema.table(id: table.id)!, from: wanted.name, to: wanted)
        }
    }

    // MARK: Removal

    /// Removes a table, its objects, and all links to them from the file.
    package func dropTable(_ table: Table) {
        deleteAll(table)
        drop(table)
    }

    /// Removes a table from the schema. Properties that link to it are removed, too.
    /// - Precondition: the table is empty.
    private func drop(_ gone: Table) {
        let tables = currentSchema.storedTables.compactMap { table -> Table? in
            if table.id == gone.id { return nil }
            let links = Set(table.storedColumns.filter { $0.targetTableID == gone.id }.map(\.id))
            return links.isEmpty ? table : table.without(links)
        }
        schemaChanged = true
        replaceSchema(DatabaseSchema(tables: tables))
    }

    /// Removes everything from the file.
    package func dropAllTables() {
        schemaChanged = true
        replaceSchema(DatabaseSchema(tables: []))
    }

    func replace(_ table: Table) {
        schemaChanged = true
        replaceSchema(DatabaseSchema(tables: currentSchema.storedTables.map { $0.id == table.id ? table : $0 }))
    }

    func drop(_ columns: [Column]) {
        guard !columns.isEmpty else { return }
        for column in columns { takeBackLinks(column) }
        let gone = Dictionary(grouping: columns, by: \.tableID).mapValues { Set($0.map(\.id)) }
        let tables = currentSchema.storedTables.map { table -> Table in
            guard let ids = gone[table.id] else { return table }
            return table.without(ids)
        }
        schemaChanged = true
        replaceSchema(DatabaseSchema(tables: tables))
    }

    /// Removes the data that a removed property stores elsewhere: the embedded objects that it owns, and the inverse of links in mixed values. The
    /// inverse of a link property is stored in the property's own blocks and is removed with them.
    private func takeBackLinks(_ column: Column) {
        guard currentSchema.ownsTargets(column) || column.type == .mixed else { return }
        let table = currentSchema.table(of: column)
        let step = SchemaStep(.removeProperty, table.name, property: column.name, objects: count(table))
        for (i, key) in keys(table).enumerated() where contains(table, key) {
            if i % 1000 == 0 { schemaProgress?(step, i) }
            switch column.collection {
            case .none:
                if !value(column, key).isNull { write(column, key, value: .null) }
                deleteOrphans()
            case .list, .set: listClear(column, key)
            case .dictionary: dictionaryClear(column, key)
            }
        }
    }
}

/// The steps of a plan, grouped by the id of the table that they change.
private struct SchemaPlanParts {
    /// The specifications of the tables, by name.
    let specs: [String: TableSpec]
    let addedColumns: [Int: [(table: Table, spec: ColumnSpec)]]
    let retyped: [Int: [(column: Column, spec: ColumnSpec)]]
    let nullabilityChanges: [Int: [(column: Column, spec: ColumnSpec)]]

    /// - Complexity: O(tables + columns)
    init(_ plan: SchemaPlan, _ specs: [TableSpec]) {
        self.specs = Dictionary(specs.map { ($0.name, $0) }) { first, _ in first }
        addedColumns = Dictionary(grouping: plan.addedColumns) { $0.table.id }
        retyped = Dictionary(grouping: plan.retyped) { $0.column.tableID }
        nullabilityChanges = Dictionary(grouping: plan.nullabilityChanges) { $0.column.tableID }
    }
}
