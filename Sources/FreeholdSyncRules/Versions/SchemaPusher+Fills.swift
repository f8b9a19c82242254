import FreeholdEngine
import FreeholdSyncCore

/// The fills: values that apps of a version are shown in the place of null or of a missing value.
extension SchemaPusher {
    /// Sets the fills of a class in the new version. They are those of the push, and otherwise those of the previous
    /// version.
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

    /// Returns the value as a fill of the property. If it isn't possible as a fill, records a problem and returns
    /// `nil`.
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

    /// Records a problem for fills of missing classes, and for fills of earlier versions that don't fit these versions.
    ///
    /// Only the addition of a version has fills for earlier versions. Valid ones are stored by
    /// `SchemaVersions.setFills`.
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
