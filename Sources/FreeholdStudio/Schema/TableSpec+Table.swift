import FreeholdEngine

extension Table {
    /// The specification of the table, from which it could be created again.
    func spec(in schema: DatabaseSchema) -> TableSpec {
        TableSpec(
            name,
            columns: columns.map { $0.spec(in: schema) },
            primaryKey: primaryKey?.name,
            isEmbedded: isEmbedded,
            isAsymmetric: isAsymmetric,
            compounds: compounds.map { CompoundIndexSpec($0.columns.map(\.name), unique: $0.isUnique) }
        )
    }
}

extension Column {
    func spec(in schema: DatabaseSchema) -> ColumnSpec {
        var spec = ColumnSpec(
            name,
            type,
            optional: isOptional,
            collection: collection,
            target: type == .link ? targetTableID.flatMap { schema.table(id: $0)?.name } : nil,
            index: indexKind
        )
        spec.rules = rules
        return spec
    }
}
