public import FreeholdEngine

/// A check of whether classes can be synced.
public enum SchemaCheck {
    /// - Throws: `RuleError` with the class and the property: a class without the primary key `_id`, a key of an
    ///   unsupported type, a link to a missing class, a cycle of embedded classes, names that only differ in case,
    ///   names that documents don't support.
    /// - Complexity: O(number of properties)
    public static func check(_ tables: [TableSpec], limits: RuleLimits = RuleLimits()) throws(RuleError) {
        guard tables.count <= limits.count else { throw RuleError([], "More than \(limits.count) classes.") }
        try checkNames(tables.map(\.name), [], "class")
        let byName = Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for table in tables {
            guard table.columns.count <= limits.count else {
                throw RuleError([table.name], "More than \(limits.count) properties.")
            }
            try checkNames(table.columns.map(\.name), [table.name], "property")
            try checkKey(table)
            for column in table.columns { try check(column, table, byName) }
        }
        var walk = EmbeddedWalk(tables: byName, depth: limits.depth)
        for table in tables where table.isEmbedded { try walk.visit(table.name, []) }
    }

    private static func checkNames(_ names: [String], _ path: [String], _ what: String) throws(RuleError) {
        var folded: [String: String] = [:]
        for name in names {
            guard !name.isEmpty, !name.hasPrefix("$"), !name.contains("."), !name.utf8.contains(0) else {
                throw RuleError(
                    path + [name],
                    "A \(what) can't be called '\(name)': no '$' in front, no '.', no character 0, and not nothing."
                )
            }
            if let other = folded.updateValue(name, forKey: name.lowercased()) {
                throw RuleError(
                    path + [name],
                    other == name ? "There are two: '\(name)'." : "'\(other)' and '\(name)' differ by case only."
                )
            }
        }
    }

    private static func checkKey(_ table: TableSpec) throws(RuleError) {
        if table.isEmbedded {
            guard table.primaryKey == nil else {
                throw RuleError([table.name], "Embedded objects have no primary key.")
            }
            return
        }
        guard table.primaryKey == "_id", let key = table.key else {
            let key = table.primaryKey.map { "Its primary key is '\($0)'" } ?? "It has no primary key"
            throw RuleError(
                [table.name],
                "\(key): classes that sync have the primary key '_id'. A property of another name can be stored as '_id'."
            )
        }
        guard key.type.canBeKey, key.collection == .none else {
            throw RuleError([table.name, "_id"], "'_id' is an integer, a string, an ObjectId or a UUID.")
        }
    }

    private static func check(_ column: ColumnSpec, _ table: TableSpec, _ tables: [String: TableSpec]) throws(RuleError)
    {
        let path = [table.name, column.name]
        guard column.type == .link else { return }
        guard let target = column.target.flatMap({ tables[$0] }) else {
            throw RuleError(
                path,
                "It links to '\(column.target ?? "")', which isn't among the classes: sync that class too, or keep the property local."
            )
        }
        if target.isAsymmetric {
            throw RuleError(
                path,
                "It links to '\(target.name)', whose objects are only sent: nothing can link to objects that don't exist."
            )
        }
        if target.isEmbedded, column.collection == .set {
            throw RuleError(path, "A set can't hold embedded objects: use a list.")
        }
    }

    private struct EmbeddedWalk {
        let tables: [String: TableSpec]
        let depth: Int
        var done: Set<String> = []

        mutating func visit(_ name: String, _ path: [String]) throws(RuleError) {
            if path.contains(name) {
                let circle = path[path.firstIndex(of: name)!...] + [name]
                throw RuleError(
                    [name],
                    "Embedded classes lead back to themselves: \(circle.joined(separator: " → ")). A link to a class of its own can do that."
                )
            }
            if done.contains(name) { return }
            guard path.count < depth else {
                throw RuleError([name], "Embedded classes nest deeper than \(depth) levels.")
            }
            for column in tables[name]?.columns ?? [] {
                guard let target = column.target, tables[target]?.isEmbedded == true else { continue }
                try visit(target, path + [name])
            }
            done.insert(name)
        }
    }
}
