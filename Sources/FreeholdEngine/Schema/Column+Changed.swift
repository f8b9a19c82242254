extension DatabaseSchema {
    /// Returns a copy of the schema with separate tables and columns.
    /// - Complexity: O(columns).
    package func copy() -> DatabaseSchema { DatabaseSchema(tables: storedTables.map { $0.with() }, copyOf: origin) }
}

extension Column {
    /// Returns whether both objects describe the same column of one version of a file. Each copy of a schema has its own object.
    func isSame(as other: Column?) -> Bool {
        other.map { $0 === self || $0.id == id && $0.tableID == tableID } ?? false
    }

    /// Returns the column with some changes.
    func with(
        index: Int? = nil,
        name: String? = nil,
        isOptional: Bool? = nil,
        indexKind: IndexKind? = nil,
        isPrimaryKey: Bool? = nil,
        isInCompound: Bool? = nil,
        rules: DeleteRules? = nil,
        firstSegment: UInt32? = nil
    ) -> Column {
        Column(
            id: id,
            index: index ?? self.index,
            tableID: tableID,
            name: name ?? self.name,
            type: type,
            isOptional: isOptional ?? self.isOptional,
            collection: collection,
            targetTableID: targetTableID,
            indexKind: indexKind ?? self.indexKind,
            isPrimaryKey: isPrimaryKey ?? self.isPrimaryKey,
            isInCompound: isInCompound ?? self.isInCompound,
            rules: rules ?? self.rules,
            isHidden: isHidden,
            firstSegment: firstSegment ?? self.firstSegment
        )
    }
}

extension Table {
    /// Returns the table without some columns, and without the compound indexes that include them.
    func without(_ ids: Set<Int>) -> Table {
        with(
            columns: columns.filter { !ids.contains($0.id) },
            hidden: hiddenColumns.filter { !ids.contains($0.id) },
            without: ids
        )
    }

    /// Returns the table with some changes.
    ///
    /// - Parameters:
    ///   - columns: the columns in their new order. The function sets their positions.
    ///   - hidden: the hidden columns in their new order, which follow the others.
    ///   - replaced: the ids of columns whose compound indexes are removed.
    ///   - compounds: the compound indexes with their first segments, by the columns' new names. If it is `nil`, the present ones remain.
    func with(
        name: String? = nil,
        columns: [Column]? = nil,
        hidden: [Column]? = nil,
        isEmbedded: Bool? = nil,
        isAsymmetric: Bool? = nil,
        without replaced: Set<Int> = [],
        compounds: [(spec: CompoundIndexSpec, firstSegment: UInt32)]? = nil,
        nextColumnID: Int? = nil
    ) -> Table {
        let given = (columns ?? self.columns) + (hidden ?? hiddenColumns)
        let specs =
            compounds
            ?? self.compounds.compactMap { compound -> (CompoundIndexSpec, UInt32)? in
                if compound.columns.contains(where: { replaced.contains($0.id) }) { return nil }
                let names = compound.columns.map { old in given.first { $0.id == old.id }!.name }
                return (CompoundIndexSpec(names, unique: compound.isUnique), compound.firstSegment)
            }
        let members = Set(specs.flatMap(\.spec.columns))
        let placed = given.enumerated().map {
            $1.with(index: $0, isInCompound: members.contains($1.name) && (isHidden || !$1.isHidden))
        }
        return Table(
            id: id,
            name: name ?? self.name,
            columns: placed,
            isEmbedded: isEmbedded ?? self.isEmbedded,
            isAsymmetric: isAsymmetric ?? self.isAsymmetric,
            isHidden: isHidden,
            compounds: specs.map { CompoundColumnIndex($0.spec, id, columns: placed, firstSegment: $0.firstSegment) },
            firstSegment: firstSegment,
            nextColumnID: nextColumnID ?? self.nextColumnID
        )
    }
}
