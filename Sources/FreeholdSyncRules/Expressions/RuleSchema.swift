public import FreeholdEngine
import FreeholdSyncCore

/// The classes for which rules are compiled, by their stored names.
public struct RuleSchema: Sendable {
    private let tables: [String: TableSpec]
    /// The classes in the form in which conditions of rules use them.
    let conditions: ConditionSchema

    /// - Complexity: O(size of the classes)
    public init(_ tables: [TableSpec]) {
        conditions = ConditionSchema(tables)
        self.tables = Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The names of the classes in rising order, without embedded classes.
    public var classNames: [String] { tables.values.filter { !$0.isEmbedded }.map(\.name).sorted() }

    public func table(_ name: String) -> TableSpec? { tables[name] }
}

/// The target of an expression's path in a class.
struct ResolvedField {
    enum Kind {
        case plain(ColumnType)
        case link(className: String, key: ColumnType)
        case embedded
        case dictionary
    }

    let path: NamedPath
    let kind: Kind
    let isOptional: Bool
    /// A Boolean value that indicates whether the field is a list or a set.
    let isMany: Bool
    /// A collection of embedded objects on the path to the field.
    let manyOnTheWay: NamedPath?

    init(_ names: [String], _ className: String, _ schema: RuleSchema, _ place: [String]) throws(RuleError) {
        guard var table = schema.table(className) else {
            throw RuleError(place, "The class '\(className)' isn't in the schema.")
        }
        var manyOnTheWay: NamedPath?
        for (index, name) in names.enumerated() {
            let isLast = index == names.count - 1
            guard let column = table.columns.first(where: { $0.name == name }) else {
                throw RuleError(place, "The class '\(table.name)' has no field '\(name)'.")
            }
            let target = column.type == .link ? column.target.flatMap { schema.table($0) } : nil
            if isLast {
                path = NamedPath(names.map { .name($0) })
                isMany = column.collection == .list || column.collection == .set
                isOptional = column.isOptional
                self.manyOnTheWay = manyOnTheWay
                kind = try Self.kind(column, target, place)
                return
            }
            guard let target, target.isEmbedded else {
                throw RuleError(
                    place,
                    column.type == .link
                        ? "'\(name)' is a link: a right depends on its object's own fields only."
                        : "'\(name)' holds no objects: nothing lies inside that a path could lead to."
                )
            }
            guard column.collection != .dictionary else {
                throw RuleError(place, "'\(name)' is a dictionary: conditions can't ask what is inside.")
            }
            if column.collection != .none {
                guard manyOnTheWay == nil else {
                    throw RuleError(
                        place,
                        "'\(name)' is a collection inside of another: conditions can't ask what is inside."
                    )
                }
                manyOnTheWay = NamedPath(names[...index].map { .name($0) })
            }
            table = target
        }
        throw RuleError(place, "A path has a name.")
    }

    private static func kind(_ column: ColumnSpec, _ target: TableSpec?, _ place: [String]) throws(RuleError) -> Kind {
        if column.collection == .dictionary { return .dictionary }
        guard column.type == .link else { return .plain(column.type) }
        guard let target else { throw RuleError(place, "'\(column.name)' links to a class that isn't in the schema.") }
        if target.isEmbedded { return .embedded }
        guard let key = target.columns.first(where: { $0.name == target.primaryKey }) else {
            throw RuleError(place, "'\(column.name)' links to '\(target.name)', which has no primary key.")
        }
        return .link(className: target.name, key: key.type)
    }
}
