/// The changes that are needed so that a file's schema fits the requested one.
package struct SchemaPlan {
    var added: [TableSpec] = []
    /// The columns that receive an index, and its kind.
    var indexed: [(column: Column, kind: IndexKind)] = []
    /// The columns whose index is removed, including those that receive another one.
    var unindexed: [Column] = []

    /// The columns whose links receive different rules of deletion.
    private(set) var ruleChanges: [(column: Column, rules: DeleteRules)] = []

    var addedCompounds: [(table: Table, spec: CompoundIndexSpec)] = []
    var droppedCompounds: [CompoundColumnIndex] = []

    // The following changes need a migration.

    private(set) var addedColumns: [(table: Table, spec: ColumnSpec)] = []
    /// The columns whose type, collection or target differs from the requested one.
    private(set) var retyped: [(column: Column, spec: ColumnSpec)] = []
    /// The columns that are required although an optional column is requested, or the reverse.
    private(set) var nullabilityChanges: [(column: Column, spec: ColumnSpec)] = []
    /// The columns that aren't requested.
    private(set) var removed: [Column] = []
    /// The tables whose primary key changes or is removed.
    private(set) var primaryKeyChanges: [(table: Table, key: String?)] = []
    /// The tables that become embedded or top-level.
    private(set) var embeddingChanges: [Table] = []

    /// Descriptions of the differences that need a migration.
    package private(set) var differences: [String] = []
    /// The descriptions of differences that aren't just additional properties in the file or in the request.
    private(set) var incompatible: [String] = []

    /// A Boolean value that indicates whether indexes or rules of deletion of existing tables change.
    var changesIndexes: Bool {
        !indexed.isEmpty || !unindexed.isEmpty || !addedCompounds.isEmpty || !droppedCompounds.isEmpty
            || !ruleChanges.isEmpty
    }
    var changesSchema: Bool { !added.isEmpty || changesIndexes }

    /// - Throws: `.invalidArgument` for contradictory specifications.
    package init(_ specs: [TableSpec], against schema: DatabaseSchema) throws(EngineError) {
        try SchemaPlan.check(specs, others: schema.tables)
        for spec in specs {
            guard let table = schema.table(named: spec.name) else {
                added.append(spec)
                continue
            }
            compare(spec, with: table, in: schema)
        }
    }

    /// A Boolean value that indicates whether the file has exactly the requested schema.
    package var isExact: Bool { differences.isEmpty && !changesSchema }

    /// A Boolean value that indicates whether the file has everything that is requested.
    /// - Complexity: O(differences).
    package var addsNothing: Bool {
        incompatible.isEmpty && added.isEmpty && addedColumns.isEmpty && addedCompounds.isEmpty && newIndexes.isEmpty
            && newRules.isEmpty
    }

    /// The new indexes of columns without an index.
    var newIndexes: [(column: Column, kind: IndexKind)] { indexed.filter { $0.column.indexKind == .none } }

    /// The new rules of deletion of columns without rules.
    private var newRules: [(column: Column, rules: DeleteRules)] {
        ruleChanges.filter { $0.column.rules == DeleteRules() }
    }

    /// Keeps indexes and rules that aren't requested.
    mutating func keepOnlyNewIndexes() {
        ruleChanges = newRules
        indexed = newIndexes
        unindexed = []
        droppedCompounds = []
    }

    /// - Throws: `.schemaMismatch` with every difference that needs a migration.
    package func checkCompatible(path: String) throws(EngineError) {
        if differences.isEmpty { return }
        throw mismatch("The file's schema differs and needs a migration", differences, path: path)
    }

    /// - Throws: `.schemaMismatch` with every difference that isn't just an addition in the file or in the request.
    package func checkAdditive(path: String) throws(EngineError) {
        if incompatible.isEmpty { return }
        throw mismatch("The file's schema differs, which the additive mode can't change", incompatible, path: path)
    }

    private func mismatch(_ text: String, _ differences: [String], path: String) -> EngineError {
        EngineError(.schemaMismatch, "\(text):\n- " + differences.joined(separator: "\n- "), path: path)
    }

    private mutating func compare(_ spec: TableSpec, with table: Table, in schema: DatabaseSchema) {
        if spec.isEmbedded != table.isEmbedded {
            embeddingChanges.append(table)
            refuse(
                "Class '\(spec.name)' has been changed to \(spec.isEmbedded ? "embedded" : "top-level")."
            )
        }
        if spec.isAsymmetric != table.isAsymmetric {
            refuse(
                "Class '\(spec.name)' has been changed to \(spec.isAsymmetric ? "asymmetric" : "one whose objects stay")."
            )
        }
        let known = Dictionary(table.columns.map { ($0.name, $0) }) { first, _ in first }
        for column in spec.columns {
            guard let stored = known[column.name] else {
                addedColumns.append((table, column))
                differences.append("Property '\(spec.name).\(column.name)' has been added.")
                continue
            }
            compare(column, with: stored, in: spec, schema: schema)
        }
        for compound in table.compounds where !spec.compounds.contains(compound.spec) {
            droppedCompounds.append(compound)
        }
        for compound in spec.compounds where !table.compounds.contains(where: { $0.spec == compound }) {
            addedCompounds.append((table, compound))
        }
        let asked = Set(spec.columns.map(\.name))
        for stored in table.columns where !asked.contains(stored.name) {
            removed.append(stored)
            differences.append("Property '\(spec.name).\(stored.name)' has been removed.")
        }
        if table.primaryKey?.name != spec.primaryKey {
            primaryKeyChanges.append((table, spec.primaryKey))
            let old = table.primaryKey.map { "'\($0.name)'" } ?? "none"
            let new = spec.primaryKey.map { "'\($0)'" } ?? "none"
            refuse("The primary key of '\(spec.name)' has been changed from \(old) to \(new).")
        }
    }

    private mutating func compare(
        _ column: ColumnSpec,
        with stored: Column,
        in spec: TableSpec,
        schema: DatabaseSchema
    ) {
        let place = "Property '\(spec.name).\(column.name)'"
        let oldType = SchemaPlan.describe(stored, in: schema)
        let newType = SchemaPlan.describe(column.type, column.collection, target: column.target)
        if oldType != newType {
            retyped.append((stored, column))
            refuse("\(place) has been changed from '\(oldType)' to '\(newType)'.")
        }
        if stored.isOptional != column.isOptional, stored.type != .link {
            if oldType == newType { nullabilityChanges.append((stored, column)) }
            refuse("\(place) has been made \(column.isOptional ? "optional" : "required").")
        }
        let isPrimaryKey = column.name == spec.primaryKey
        if stored.indexKind != column.indexKind, !isPrimaryKey, !stored.isPrimaryKey {
            if stored.indexKind != .none { unindexed.append(stored) }
            if column.indexKind != .none { indexed.append((stored, column.indexKind)) }
        }
        if stored.rules != column.rules { ruleChanges.append((stored, column.rules)) }
    }

    private mutating func refuse(_ difference: String) {
        differences.append(difference)
        incompatible.append(difference)
    }

    static func describe(_ column: Column, in schema: DatabaseSchema) -> String {
        describe(column.type, column.collection, target: column.targetTableID.flatMap { schema.table(id: $0)?.name })
    }

    static func describe(_ type: ColumnType, _ collection: CollectionKind, target: String?) -> String {
        let element = target ?? "\(type)"
        return switch collection {
        case .none: element
        case .list: "list<\(element)>"
        case .set: "set<\(element)>"
        case .dictionary: "dictionary<\(element)>"
        }
    }

    private static let indexable: Set<ColumnType> = [.bool, .int, .string, .timestamp, .objectId, .uuid, .mixed]
    private static let keyable: Set<ColumnType> = [.int, .string, .objectId, .uuid]

    /// - Parameter others: further tables that can be targets of links.
    static func check(_ specs: [TableSpec], others: [Table] = []) throws(EngineError) {
        var names: Set<String> = []
        let byName = Dictionary(specs.map { ($0.name, $0) }) { first, _ in first }
        let othersByName = Dictionary(others.map { ($0.name, $0) }) { first, _ in first }
        for spec in specs {
            func refuse(_ text: String) -> EngineError {
                EngineError(.invalidArgument, "Table '\(spec.name)': \(text)")
            }
            guard names.insert(spec.name).inserted else { throw refuse("there are two of that name.") }
            var columns: Set<String> = []
            for column in spec.columns {
                guard columns.insert(column.name).inserted else { throw refuse("two columns '\(column.name)'.") }
                if let mistake = mistake(inTarget: column, byName, othersByName)
                    ?? mistake(inRules: column, of: spec, byName)
                    ?? mistake(inIndex: column)
                {
                    throw refuse(mistake)
                }
            }
            for i in spec.compounds.indices {
                if let mistake = mistake(inCompound: i, of: spec) { throw refuse(mistake) }
            }
            if spec.isAsymmetric, spec.isEmbedded || spec.primaryKey == nil {
                throw refuse("asymmetric classes have a primary key and aren't embedded.")
            }
            if let key = spec.primaryKey {
                if spec.isEmbedded { throw refuse("it is embedded and can't have a primary key ('\(key)').") }
                guard let column = spec.columns.first(where: { $0.name == key }), column.collection == .none,
                    keyable.contains(column.type)
                else { throw refuse("'\(key)' can't be its primary key.") }
            }
        }
    }

    private static func mistake(
        inTarget column: ColumnSpec,
        _ specs: [String: TableSpec],
        _ others: [String: Table]
    ) -> String? {
        guard column.type == .link else { return nil }
        let made = column.target.flatMap { specs[$0] }
        let other = column.target.flatMap { others[$0] }
        guard let target = column.target, made != nil || other != nil else {
            return "the link '\(column.name)' has no target among the tables."
        }
        if made?.isAsymmetric ?? false || other?.isAsymmetric ?? false {
            return "the link '\(column.name)' leads to '\(target)', which is asymmetric."
        }
        if column.collection == .set, made?.isEmbedded ?? false {
            return "the set '\(column.name)' can't hold embedded objects."
        }
        return nil
    }

    private static func mistake(
        inRules column: ColumnSpec,
        of spec: TableSpec,
        _ specs: [String: TableSpec]
    ) -> String? {
        guard column.rules != DeleteRules() else { return nil }
        guard column.type == .link || (column.type == .mixed && column.rules.origins == .nullify) else {
            return "'\(column.name)' has a rule of deletion, but doesn't link to objects of one class."
        }
        let isEmbedded = column.target.flatMap { specs[$0] }?.isEmbedded == true
        guard isEmbedded || (spec.isEmbedded && column.rules.targets == .deny) else { return nil }
        return "'\(column.name)' has a rule of deletion: embedded objects go with their owner."
    }

    private static func mistake(inIndex column: ColumnSpec) -> String? {
        switch column.indexKind {
        case .none: return nil
        case .values:
            if column.collection == .none, indexable.contains(column.type) { return nil }
            return "'\(column.name)' can't be indexed."
        case .fullText, .fullTextLatin1:
            if column.collection == .none, column.type == .string { return nil }
            return "'\(column.name)' can't have a full-text index: it isn't a string."
        case .places:
            if column.collection == .list, column.type == .double { return nil }
            return "'\(column.name)' can't have an index of places: it isn't a list of doubles."
        }
    }

    private static func mistake(inCompound i: Int, of spec: TableSpec) -> String? {
        let members = spec.compounds[i].columns
        let name = "the compound index (\(members.joined(separator: ", ")))"
        if members.count < 2 { return "\(name) has fewer than two columns." }
        if Set(members).count < members.count { return "\(name) has a column twice." }
        if spec.compounds[..<i].contains(where: { $0.columns == members }) { return "it has \(name) twice." }
        for member in members {
            guard let column = spec.columns.first(where: { $0.name == member }) else {
                return "\(name) names '\(member)', which doesn't exist."
            }
            if column.collection != .none || !indexable.contains(column.type) {
                return "'\(member)' can't be in \(name)."
            }
        }
        return nil
    }
}
