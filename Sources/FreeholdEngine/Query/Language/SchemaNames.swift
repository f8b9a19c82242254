/// The names of classes of which only the specifications are known, for conditions that are checked without a file.
package struct SchemaNames: QueryNames, Sendable {
    private let tables: [String: Table]
    private let ordered: [Table]

    /// - Complexity: O(size of the classes).
    package init(_ specs: [TableSpec]) {
        var (ids, known): ([String: Int], [TableSpec]) = ([:], [])
        for spec in specs where ids[spec.name] == nil {
            ids[spec.name] = known.count
            known.append(spec)
        }
        ordered = known.enumerated().map { id, spec in
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
                    indexKind: column.indexKind,
                    isPrimaryKey: column.name == spec.primaryKey,
                    firstSegment: ColumnSegment.count
                )
            }
            return Table(
                id: id,
                name: spec.name,
                columns: columns,
                isEmbedded: spec.isEmbedded,
                isAsymmetric: spec.isAsymmetric,
                firstSegment: ColumnSegment.count,
                nextColumnID: columns.count
            )
        }
        tables = Dictionary(ordered.map { ($0.name, $0) }) { first, _ in first }
    }

    package func table(of cls: Table) -> Table { cls }
    package func cls(named name: String) -> Table? { tables[name] }
    package func className(of cls: Table) -> String { cls.name }
    package var classNames: [String] { ordered.map(\.name) }
    package func propertyNames(of cls: Table) -> [String] { cls.columns.map(\.name) }

    /// Returns `nil`, since a specification has no objects.
    package func object(withPrimaryKey primaryKey: Value, in table: Table) -> ObjectKey? { nil }

    package func property(named name: String, of cls: Table) -> NamedProperty<Table>? {
        guard let column = cls.column(named: name) else { return nil }
        let target = column.type == .link ? column.targetTableID.map { ordered[$0] } : nil
        return NamedProperty(.column(column), target: target)
    }

    package func constant(_ argument: Any, for column: Column?, of target: Table?) throws(QueryError) -> Constant? {
        throw QueryError(.argument, "A value of type \(type(of: argument)) can't be used here.")
    }
}
