import FreeholdEngine
import FreeholdSyncCore

/// Fills: the values that apps of a version are shown in place of null or of a property that isn't stored.
extension SchemaPusher {
    /// Sets the new version's fills of a class: those that the push gives, else those of the version before.
    mutating func fill(_ table: TableSpec) {
        let given = transition.fills[table.name] ?? [:]
        var fills: [String: SyncValue] = [:]
        for (property, value) in given.sorted(by: { $0.key < $1.key }) {
            if let fitting = fitting(value, property, table, table.name) { fills[property] = fitting }
        }
        if let oldTable = oldTable(of: table.name) {
            for column in table.columns where fills[column.name] == nil && column.canHaveFill {
                guard let stored = version.stored(table.name, column.name),
                    let source = old.properties[oldTable.name]?.first(where: { $0.value == stored })?.key,
                    let value = old.fills[oldTable.name]?[source]?.carried(to: column.type)
                else { continue }
                fills[column.name] = value
            }
        }
        if !fills.isEmpty { version.fills[table.name] = fills }
    }

    /// The value as a fill of the property. Nil if it can't be one; that is a problem of the push then.
    private mutating func fitting(
        _ value: SyncValue,
        _ property: String,
        _ table: TableSpec,
        _ className: String
    ) -> SyncValue? {
        guard let column = table.columns.first(where: { $0.name == property }) else {
            problems.append(
                .init(className, property, reason: "A value is given to show, and there is no such property.")
            )
            return nil
        }
        guard column.canHaveFill, column.name != table.primaryKey else {
            problems.append(
                .init(
                    className,
                    property,
                    new: column.declaration,
                    reason:
                        "A value is given to show where nothing is stored, and only single values that are required need one."
                )
            )
            return nil
        }
        guard let fitting = value.fitting(column.type) else {
            problems.append(
                .init(
                    className,
                    property,
                    new: column.declaration,
                    reason: "The value to show isn't of the property's type."
                )
            )
            return nil
        }
        return fitting
    }

    /// Notes fills of classes that don't exist, and fills for earlier versions that don't fit these.
    ///
    /// Only an added version has earlier ones. What is right is stored by `SchemaVersions.setFills`.
    mutating func checkOldFills() {
        for name in transition.fills.keys.sorted() where version.table(name) == nil {
            problems.append(.init(name, reason: "Values are given to show, and there is no such class."))
        }
        for (name, values) in transition.oldFills.sorted(by: { $0.key < $1.key }) {
            guard mode == .add, let table = old.table(name) else {
                problems.append(
                    .init(
                        name,
                        reason: "Values are given to show to apps of earlier versions, which have no such class."
                    )
                )
                continue
            }
            for (property, value) in values.sorted(by: { $0.key < $1.key }) {
                _ = fitting(value, property, table, name)
            }
        }
    }
}
