import FreeholdEngine

/// Writes conditions that find the objects with the value of a cell. The printer of the query language quotes all names and values, so that a value
/// with quotation marks can't change the condition.
struct CellCondition {
    let view: DataView

    /// The maximum number of bytes of a string or data in a condition.
    private static let mostBytes = 4_096

    /// Returns the condition for objects with the same value as a cell, or `nil` if the query language can't express it. For a collection, the
    /// condition compares the number of elements.
    func text(_ column: Column, of key: ObjectKey, isNegated: Bool = false) -> String? {
        guard column.collection == .none else {
            let count = view.listCount(column, key)
            return condition(NamedPath([.name(column.name)], suffix: .count), .value(.int(Int64(count))), isNegated)
        }
        return text(view.value(column, key), column, isNegated: isNegated)
    }

    func text(_ value: Value, _ column: Column, isNegated: Bool = false) -> String? {
        let path = NamedPath([.name(column.name)])
        switch value {
        case .list, .dictionary: return nil
        case .string(let text) where text.utf8.count > Self.mostBytes: return nil
        case .data(let data) where data.count > Self.mostBytes: return nil
        case .link(let key):
            guard let table = column.targetTableID.flatMap({ view.schema.table(id: $0) }) else { return nil }
            return condition(path, object(table, key), isNegated)
        case .objectLink(let link):
            guard let table = view.schema.table(id: link.tableID) else { return nil }
            return condition(path, object(table, link.key, inAnyTable: true), isNegated)
        default: return condition(path, .value(value), isNegated)
        }
    }

    private func object(_ table: Table, _ key: ObjectKey, inAnyTable: Bool = false) -> Constant {
        if let primaryKey = table.primaryKey {
            return .objectWithPrimaryKey(className: table.name, view.value(primaryKey, key))
        }
        return .object(tableID: inAnyTable ? table.id : nil, key)
    }

    private func condition(_ path: NamedPath, _ constant: Constant, _ isNegated: Bool) -> String {
        QueryPrinter.text(.compare(.path(path), isNegated ? .notEqual : .equal, .constant(constant), [])) { _ in nil }
    }
}
