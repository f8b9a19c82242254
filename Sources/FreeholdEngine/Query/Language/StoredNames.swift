#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The names in a file: tables are classes, and columns are properties. Arguments are `Value`s, arrays of `Value`s, or plain Swift values.
package struct StoredNames: QueryNames {
    package let view: DataView

    package init(_ view: DataView) { self.view = view }

    package func table(of cls: Table) -> Table { cls }
    package func cls(named name: String) -> Table? { view.schema.table(named: name) }
    package func className(of cls: Table) -> String { cls.name }
    package var classNames: [String] { view.schema.tables.map(\.name) }
    package func propertyNames(of cls: Table) -> [String] { cls.columns.map(\.name) }

    package func object(withPrimaryKey primaryKey: Value, in table: Table) -> ObjectKey? {
        view.find(primaryKey: primaryKey, in: table)
    }

    package func property(named name: String, of cls: Table) -> NamedProperty<Table>? {
        guard let column = cls.column(named: name) else { return nil }
        let target = column.type == .link ? column.targetTableID.flatMap { view.schema.table(id: $0) } : nil
        return NamedProperty(.column(column), target: target)
    }

    package func constant(_ argument: Any, for column: Column?, of target: Table?) throws(QueryError) -> Constant? {
        switch argument {
        case let value as Value: return .value(value)
        case let shape as any _GeoShape: return .shape(shape._shape)
        case let value as Bool: return .value(.bool(value))
        case let value as any BinaryInteger:
            if let whole = Int64(exactly: value) { return .value(.int(whole)) }
        case let value as Float: return .value(.float(value))
        case let value as Double: return .value(.double(value))
        case let value as String: return .value(.string(value))
        case let value as Data: return .value(.data(value))
        case let value as Date: return .value(.timestamp(Timestamp(value)))
        case let value as Timestamp: return .value(.timestamp(value))
        case let value as Decimal128: return .value(.decimal128(value))
        case let value as ObjectId: return .value(.objectId(value))
        case let value as UUID: return .value(.uuid(value))
        case let key as ObjectKey: return .object(tableID: nil, key)
        case let link as ObjectLink: return .object(tableID: link.tableID, link.key)
        default: break
        }
        guard let elements = ArgumentValue.elements(argument) else {
            throw QueryError(.argument, "A value of type \(type(of: argument)) can't be used in a query.")
        }
        var constants: [Constant] = []
        for element in elements {
            if let constant = try constant(element, for: column, of: target) { constants.append(constant) }
        }
        return .list(constants)
    }
}
