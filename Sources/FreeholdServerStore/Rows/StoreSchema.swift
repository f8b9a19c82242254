internal import FreeholdEngine
internal import FreeholdSyncCore

/// Tables of classes, and the hidden columns that a store gives them.
enum StoreSchema {
    /// As a store has it: links delete nothing, since merges say what goes.
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
        for table in transaction.schema.tables where !isWhole(table) {
            for spec in ClassTable.hiddenColumns(isEmbedded: table.isEmbedded) {
                _ = try transaction.addHiddenColumn(spec, to: table)
            }
        }
    }
}
