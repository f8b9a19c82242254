extension WriteTransaction {
    /// Makes the database fit a schema: adds tables that it lacks, adds and drops search indexes.
    ///
    /// Tables of the file that `specs` doesn't name stay as they are. Any other difference is refused.
    /// - Parameter userVersion: stored beside the schema; nil leaves it.
    /// - Returns: whether anything changed.
    /// - Throws: `.schemaMismatch` with every difference, `.uniqueConstraint` where two objects don't allow a new unique
    ///   index; nothing has changed then.
    @discardableResult
    public func applySchema(_ specs: [TableSpec], userVersion: UInt64? = nil) throws(EngineError) -> Bool {
        let plan = try SchemaPlan(specs, against: currentSchema, path: core.path)
        for (table, spec) in plan.addedCompounds where spec.isUnique {
            try checkUnique(CompoundIndex(spec, table.id, table.columns, firstSegment: 0))
        }
        var changed = false
        if let userVersion, !root.hasUserVersion || root.userVersion != userVersion {
            root.userVersion = userVersion
            root.hasUserVersion = true
            changed = true
        }
        if plan.changesSchema {
            addTables(plan)
            changeIndexes(plan)
            changed = true
        }
        if changed { schemaChanged = true }
        return changed
    }

    private func addTables(_ plan: SchemaPlan) {
        var ids: [String: Int] = [:]
        for table in currentSchema.tables { ids[table.name] = table.id }
        for spec in plan.added {
            ids[spec.name] = Int(root.nextTableID)
            root.nextTableID += 1
        }
        var tables = currentSchema.tables
        for spec in plan.added {
            let id = ids[spec.name]!
            let segment = allocateSegments()
            let columns = spec.columns.enumerated().map { index, column in
                Column(
                    id: index,
                    index: index,
                    tableID: id,
                    name: column.name,
                    type: column.type,
                    isOptional: column.isOptional,
                    collection: column.collection,
                    targetTableID: column.target.flatMap { ids[$0] },
                    indexKind: column.name == spec.primaryKey ? .none : column.indexKind,
                    isPrimaryKey: column.name == spec.primaryKey,
                    isInCompound: spec.compounds.contains { $0.columns.contains(column.name) },
                    firstSegment: allocateSegments()
                )
            }
            tables.append(
                Table(
                    id: id,
                    name: spec.name,
                    columns: columns,
                    isEmbedded: spec.isEmbedded,
                    compounds: spec.compounds.map {
                        CompoundIndex($0, id, columns, firstSegment: allocateSegments())
                    },
                    firstSegment: segment,
                    nextColumnID: columns.count
                )
            )
        }
        replaceSchema(DatabaseSchema(tables: tables))
    }

    private func allocateSegments() -> UInt32 {
        defer { root.nextSegment += ColumnSegment.count }
        return root.nextSegment
    }

    private func changeIndexes(_ plan: SchemaPlan) {
        guard plan.changesIndexes else { return }
        for column in plan.unindexed { dropIndex(column) }
        for compound in plan.droppedCompounds { dropCompound(compound) }
        // Objects made before are known to the new index by its filling: from then on it follows their changes.
        for (column, _) in plan.indexed { settleIndexes(overlay(currentSchema.table(of: column))) }
        for (table, _) in plan.addedCompounds { settleIndexes(overlay(table)) }
        var added: [CompoundIndex] = []
        let tables = currentSchema.tables.map { table in
            let kept = table.compounds.filter { compound in !plan.droppedCompounds.contains { $0 === compound } }
            let new = plan.addedCompounds.filter { $0.table === table }.map(\.spec)
            let names = Set(kept.flatMap { $0.columns.map(\.name) } + new.flatMap(\.columns))
            let columns = table.columns.map { column in
                let change = plan.indexed.first { $0.column === column }?.kind
                let isDropped = plan.unindexed.contains { $0 === column }
                return column.with(
                    change ?? (isDropped ? .none : column.indexKind),
                    isInCompound: names.contains(column.name)
                )
            }
            let compounds =
                kept.map { CompoundIndex($0.spec, table.id, columns, firstSegment: $0.firstSegment) }
                + new.map { CompoundIndex($0, table.id, columns, firstSegment: allocateSegments()) }
            added += compounds.dropFirst(kept.count)
            return Table(
                id: table.id,
                name: table.name,
                columns: columns,
                isEmbedded: table.isEmbedded,
                compounds: compounds,
                firstSegment: table.firstSegment,
                nextColumnID: table.nextColumnID
            )
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

    private func dropCompound(_ compound: CompoundIndex) {
        let overlay = overlay(currentSchema.table(of: compound.entries))
        settleIndexes(overlay)
        var tree = searchTree(compound)
        tree.removeAll(in: self)
        overlay.state.columns[compound.entries.id] = nil
        overlay.compounds[compound.firstSegment] = nil
    }

    private func dropIndex(_ column: Column) {
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

    /// The overlays speak of the old schema's tables: what they hold is carried over to the new ones.
    private func replaceSchema(_ schema: DatabaseSchema) {
        currentSchema = schema
        growColumnOverlays()
        while tables.count < Int(root.nextTableID) { tables.append(nil) }
        for i in tables.indices {
            guard let overlay = tables[i], let table = schema.table(id: i) else { continue }
            overlay.table = table
        }
    }
}

extension CompoundIndex {
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

extension Column {
    func with(_ indexKind: IndexKind, isInCompound: Bool) -> Column {
        if indexKind == self.indexKind, isInCompound == self.isInCompound { return self }
        return Column(
            id: id,
            index: index,
            tableID: tableID,
            name: name,
            type: type,
            isOptional: isOptional,
            collection: collection,
            targetTableID: targetTableID,
            indexKind: indexKind,
            isPrimaryKey: isPrimaryKey,
            isInCompound: isInCompound,
            firstSegment: firstSegment
        )
    }
}

/// What has to be done so that a file's schema fits the one asked for.
struct SchemaPlan {
    var added: [TableSpec] = []
    /// The columns that get an index, and of which kind.
    var indexed: [(column: Column, kind: IndexKind)] = []
    /// The columns whose index is taken away, also those that get another.
    var unindexed: [Column] = []

    var addedCompounds: [(table: Table, spec: CompoundIndexSpec)] = []
    var droppedCompounds: [CompoundIndex] = []

    var changesIndexes: Bool {
        !indexed.isEmpty || !unindexed.isEmpty || !addedCompounds.isEmpty || !droppedCompounds.isEmpty
    }
    var changesSchema: Bool { !added.isEmpty || changesIndexes }

    /// - Throws: `.invalidArgument` for specs that contradict themselves, `.schemaMismatch` with every difference that
    ///   needs a migration.
    init(_ specs: [TableSpec], against schema: DatabaseSchema, path: String) throws(EngineError) {
        try SchemaPlan.check(specs)
        var differences: [String] = []
        for spec in specs {
            guard let table = schema.table(named: spec.name) else {
                added.append(spec)
                continue
            }
            compare(spec, table, schema, &differences)
        }
        guard differences.isEmpty else {
            throw EngineError(
                .schemaMismatch,
                "The file's schema differs and needs a migration:\n- " + differences.joined(separator: "\n- "),
                path: path
            )
        }
    }

    private mutating func compare(
        _ spec: TableSpec,
        _ table: Table,
        _ schema: DatabaseSchema,
        _ differences: inout [String]
    ) {
        if spec.isEmbedded != table.isEmbedded {
            differences.append(
                "Class '\(spec.name)' has been changed to \(spec.isEmbedded ? "embedded" : "top-level")."
            )
        }
        for column in spec.columns {
            guard let stored = table.column(named: column.name) else {
                differences.append("Property '\(spec.name).\(column.name)' has been added.")
                continue
            }
            let oldType = SchemaPlan.describe(
                stored.type,
                stored.collection,
                stored.targetTableID.flatMap { schema.table(id: $0)?.name }
            )
            let newType = SchemaPlan.describe(column.type, column.collection, column.target)
            if oldType != newType {
                differences.append(
                    "Property '\(spec.name).\(column.name)' has been changed from '\(oldType)' to '\(newType)'."
                )
            }
            if stored.isOptional != column.isOptional, stored.type != .link {
                differences.append(
                    "Property '\(spec.name).\(column.name)' has been made \(column.isOptional ? "optional" : "required")."
                )
            }
            let isPrimaryKey = column.name == spec.primaryKey
            if stored.indexKind != column.indexKind, !isPrimaryKey, !stored.isPrimaryKey {
                if stored.indexKind != .none { unindexed.append(stored) }
                if column.indexKind != .none { indexed.append((stored, column.indexKind)) }
            }
        }
        for compound in table.compounds where !spec.compounds.contains(compound.spec) {
            droppedCompounds.append(compound)
        }
        for compound in spec.compounds where !table.compounds.contains(where: { $0.spec == compound }) {
            addedCompounds.append((table, compound))
        }
        for stored in table.columns where !spec.columns.contains(where: { $0.name == stored.name }) {
            differences.append("Property '\(spec.name).\(stored.name)' has been removed.")
        }
        if table.primaryKey?.name != spec.primaryKey {
            let old = table.primaryKey.map { "'\($0.name)'" } ?? "none"
            let new = spec.primaryKey.map { "'\($0)'" } ?? "none"
            differences.append("The primary key of '\(spec.name)' has been changed from \(old) to \(new).")
        }
    }

    static func describe(_ type: ColumnType, _ collection: CollectionKind, _ target: String?) -> String {
        let element = target ?? "\(type)"
        return switch collection {
        case .none: element
        case .list: "list<\(element)>"
        case .set: "set<\(element)>"
        case .dictionary: "dictionary<\(element)>"
        }
    }

    private static let indexable: Set<ColumnType> = [.bool, .int, .string, .timestamp, .objectId, .uuid, .mixed]
    private static let keyable: Set<ColumnType> = [.int, .string, .objectId, .uuid]

    private static func check(_ specs: [TableSpec]) throws(EngineError) {
        var names: Set<String> = []
        for spec in specs {
            func refuse(_ text: String) -> EngineError {
                EngineError(.invalidArgument, "Table '\(spec.name)': \(text)")
            }
            guard names.insert(spec.name).inserted else { throw refuse("there are two of that name.") }
            guard !spec.columns.isEmpty else { throw refuse("it has no columns.") }
            var columns: Set<String> = []
            for column in spec.columns {
                guard columns.insert(column.name).inserted else { throw refuse("two columns '\(column.name)'.") }
                if column.type == .link {
                    guard let target = column.target, specs.contains(where: { $0.name == target }) else {
                        throw refuse("the link '\(column.name)' has no target among the tables.")
                    }
                    if column.collection == .set, specs.contains(where: { $0.name == target && $0.isEmbedded }) {
                        throw refuse("the set '\(column.name)' can't hold embedded objects.")
                    }
                }
                switch column.indexKind {
                case .none: break
                case .values:
                    if column.collection != .none || !indexable.contains(column.type) {
                        throw refuse("'\(column.name)' can't be indexed.")
                    }
                case .fullText, .latinText:
                    if column.collection != .none || column.type != .string {
                        throw refuse("'\(column.name)' can't have a full-text index: it is no string.")
                    }
                case .places:
                    if column.collection != .list || column.type != .double {
                        throw refuse("'\(column.name)' can't have an index of places: it is no list of doubles.")
                    }
                }
            }
            for (i, compound) in spec.compounds.enumerated() {
                let name = "the compound index (\(compound.columns.joined(separator: ", ")))"
                guard compound.columns.count > 1 else { throw refuse("\(name) has fewer than two columns.") }
                guard Set(compound.columns).count == compound.columns.count else {
                    throw refuse("\(name) has a column twice.")
                }
                guard !spec.compounds[..<i].contains(where: { $0.columns == compound.columns }) else {
                    throw refuse("it has \(name) twice.")
                }
                for member in compound.columns {
                    guard let column = spec.columns.first(where: { $0.name == member }) else {
                        throw refuse("\(name) names '\(member)', which isn't there.")
                    }
                    guard column.collection == .none, indexable.contains(column.type) else {
                        throw refuse("'\(member)' can't be in \(name).")
                    }
                }
            }
            if let key = spec.primaryKey {
                if spec.isEmbedded { throw refuse("it is embedded and can't have a primary key ('\(key)').") }
                guard let column = spec.columns.first(where: { $0.name == key }), column.collection == .none,
                    keyable.contains(column.type)
                else { throw refuse("'\(key)' can't be its primary key.") }
            }
        }
    }
}
