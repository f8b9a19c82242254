import FreeholdEngine
public import FreeholdSyncCore
import FreeholdSyncRules

extension SchemaClaim {
    /// Creates the claim of a file about its classes that sync, and about their embedded classes. Properties that stay
    /// local are left out.
    ///
    /// - Throws: `RuleError` if a class can't be synced.
    init(of view: DataView) throws(RuleError) {
        let schema = view.schema
        var specs: [String: TableSpec] = [:]
        var open = schema.tables.filter { $0.imageColumn != nil && !$0.isEmbedded }
        while let table = open.popLast() {
            guard specs[table.name] == nil else { continue }
            var columns: [ColumnSpec] = []
            for column in table.columns where schema.syncs(column) {
                let target = column.targetTableID.flatMap { schema.table(id: $0) }
                if let target, target.isEmbedded { open.append(target) }
                columns.append(
                    ColumnSpec(
                        column.name,
                        column.type,
                        optional: column.isOptional,
                        collection: column.collection,
                        target: target?.name
                    )
                )
            }
            specs[table.name] = TableSpec(
                table.name,
                columns: columns,
                primaryKey: table.primaryKey?.name,
                isEmbedded: table.isEmbedded,
                isAsymmetric: table.isAsymmetric
            )
        }
        try self.init(specs.values.sorted { $0.name < $1.name }, version: view.userVersion)
    }
}

extension FileClientTransaction {
    /// A file with a class that can't be synced claims no schema. A server with a schema refuses it then.
    public func schemaClaim() throws -> SchemaClaim? { try? SchemaClaim(of: write) }
}
