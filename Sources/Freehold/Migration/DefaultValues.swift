import FreeholdEngine

/// The default values of a property for new objects of a class.
final class DefaultValues {
    private let catalogue: DynamicCatalogue
    private let info: ClassInfo
    private let index: Int

    /// The value, if all objects have the same. Otherwise each object has its own, such as an identifier.
    private let constant: Value?

    /// Returns nil if a new column contains the default already. This applies to links, collections, and defaults of
    /// zero or null.
    init?(_ schema: Schema, className: String, _ spec: ColumnSpec) {
        catalogue = DynamicCatalogue(schema, stored: Schema([]))
        guard let info = catalogue.info(named: className),
            let index = info.properties.firstIndex(where: { $0.columnName == spec.name && !$0.isComputed }),
            info.properties[index].shape.type != .object, info.properties[index].shape.collection == .none
        else {
            catalogue.clear()
            return nil
        }
        self.info = info
        self.index = index
        let first = info.value(of: info.makeUnmanaged(), at: index)
        constant = first == info.value(of: info.makeUnmanaged(), at: index) ? first : nil
        if constant == spec.zero {
            catalogue.clear()
            return nil
        }
    }

    deinit { catalogue.clear() }

    func next() -> Value { constant ?? info.value(of: info.makeUnmanaged(), at: index) }

    /// Sets the default values in the new properties of existing objects.
    static func fill(
        _ plan: SchemaPlan,
        _ schema: Schema,
        in transaction: WriteTransaction,
        progress: MigrationProgress.Meter
    ) throws(EngineError) {
        for (table, spec, kind) in plan.newColumns(in: transaction.base.schema) {
            guard let table = transaction.schema.table(id: table.id), transaction.count(table) > 0,
                let column = table.column(named: spec.name),
                let defaults = DefaultValues(schema, className: table.name, spec)
            else { continue }
            let step = SchemaStep(kind, table.name, property: column.name, objects: transaction.count(table))
            for (i, key) in transaction.keys(table).enumerated() {
                if i % MigrationProgress.interval == 0 { progress.report(step, i) }
                try transaction.set(column, key, to: defaults.next())
            }
        }
    }
}
