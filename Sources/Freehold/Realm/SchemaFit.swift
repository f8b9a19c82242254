import FreeholdEngine

/// The parts of a schema that a read-only file lacks. Additional parts of the file and missing indexes don't prevent
/// reading.
struct SchemaFit {
    private var differences: [String] = []

    init(_ specs: [TableSpec], stored: DatabaseSchema) {
        for spec in specs {
            guard let table = stored.table(named: spec.name) else {
                differences.append("class '\(spec.name)' isn't in the file")
                continue
            }
            compare(spec, table, stored: stored)
        }
    }

    private mutating func compare(_ spec: TableSpec, _ table: Table, stored: DatabaseSchema) {
        for column in spec.columns {
            let place = "'\(spec.name).\(column.name)'"
            guard let found = table.column(named: column.name) else {
                differences.append("property \(place) isn't in the file")
                continue
            }
            let target = found.targetTableID.flatMap { stored.table(id: $0)?.name }
            if found.type != column.type || found.collection != column.collection || target != column.target {
                differences.append("property \(place) has another type in the file")
            } else if found.isOptional != column.isOptional && column.type != .link {
                differences.append("property \(place) is \(found.isOptional ? "optional" : "required") in the file")
            }
        }
        if table.isEmbedded != spec.isEmbedded {
            differences.append("class '\(spec.name)' is \(table.isEmbedded ? "embedded" : "not embedded") in the file")
        }
        if table.isAsymmetric != spec.isAsymmetric {
            differences.append(
                "class '\(spec.name)' is \(table.isAsymmetric ? "asymmetric" : "not asymmetric") in the file"
            )
        }
        if table.primaryKey?.name != spec.primaryKey {
            let name = table.primaryKey.map { "'\($0.name)'" } ?? "none"
            differences.append("the primary key of class '\(spec.name)' is \(name) in the file")
        }
    }

    /// Checks that a read-only file has all required parts, because it can't be changed.
    func checkReadOnly(_ configuration: Realm.Configuration) throws(Realm.Error) {
        if differences.isEmpty { return }
        throw Realm.Error(
            .schemaMismatch,
            "The classes don't fit the read-only file: \(differences.joined(separator: "; ")). "
                + "Open it for writing once, or with the classes it was written with.",
            fileURL: configuration.fileURL
        )
    }
}
