extension DatabaseSchema {
    /// The same with tables and columns of its own. - Complexity: O(columns).
    package func copy() -> DatabaseSchema { DatabaseSchema(tables: storedTables.map { $0.with() }, copyOf: origin) }
}

extension Column {
    /// Returns whether both describe the same column of one version of a file, which schemas' copies have each for themselves.
    func isSame(as other: Column?) -> Bool {
        other.map { $0 === self || $0.id == id && $0.tableID == tableID } ?? false
    }

    /// The same column with some things changed.
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
    /// The same table without some columns, and without the compound indexes that they are in.
    func without(_ ids: Set<Int>) -> Table {
        with(
            columns: columns.filter { !ids.contains($0.id) },
            hidden: hiddenColumns.filter { !ids.contains($0.id) },
            without: ids
        )
    }

    /// The same table with some things changed.
    ///
    /// - Parameters:
    ///   - columns: in the order in which the table then has them; their positions are set here.
    ///   - hidden: the same of hidden columns, which come behind them.
    ///   - replaced: ids of columns whose compound indexes don't stay.
    ///   - compounds: with their first segments; by the columns' new names. Nil for those that stay.
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
            compounds: specs.map { CompoundColumnIndex($0.spec, id, placed, firstSegment: $0.firstSegment) },
            firstSegment: firstSegment,
            nextColumnID: nextColumnID ?? self.nextColumnID
        )
    }
}
