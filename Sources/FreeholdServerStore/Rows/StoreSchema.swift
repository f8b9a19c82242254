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
        let lacking = transaction.schema.tables.filter { !isWhole($0) }
        for isEmbedded in [false, true] {
            let tables = lacking.filter { $0.isEmbedded == isEmbedded }
            try transaction.addHiddenColumns(ClassTable.hiddenColumns(isEmbedded: isEmbedded), to: tables)
        }
    }
}
