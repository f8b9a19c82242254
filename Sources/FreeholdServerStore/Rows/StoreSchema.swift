internal import FreeholdEngine
internal import FreeholdSyncCore

/// The tables of classes, with the hidden columns of a store.
enum StoreSchema {
    /// Returns the specification for a store. Its links delete nothing, because merges decide about deletions.
    static func stored(_ spec: TableSpec) -> TableSpec {
        var spec = spec
        for index in spec.columns.indices { spec.columns[index].rules = DeleteRules() }
        for index in spec.compounds.indices { spec.compounds[index].isUnique = false }
        return spec
    }

    static func isWhole(_ table: Table) -> Bool {
        ClassTable.hiddenColumns(isEmbedded: table.isEmbedded).allSatisfy { table.hiddenColumn(named: $0.name) != nil }
    }

    static func extend(_ specs: [TableSpec], in transaction: WriteTransaction) throws(EngineError) {
        try transaction.extendSchema(specs)
        let lacking = transaction.schema.tables.filter { !isWhole($0) }
        for isEmbedded in [false, true] {
            let tables = lacking.filter { $0.isEmbedded == isEmbedded }
            try transaction.addHiddenColumns(ClassTable.hiddenColumns(isEmbedded: isEmbedded), to: tables)
        }
    }
}
