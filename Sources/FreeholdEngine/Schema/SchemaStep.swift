/// A step of a migration.
public struct SchemaStep: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case addClass
        case addProperty
        /// The new property begins with default values.
        case changeType(from: String, to: String)
        case makeOptional
        /// Null becomes zero or empty.
        case makeRequired
        case removeProperty
        case changePrimaryKey(from: String?, to: String?)
        /// Each object must have exactly one incoming link.
        case makeEmbedded
        case makeTopLevel
        case addIndex
        case removeIndex
        case addCompoundIndex(isUnique: Bool)
        case removeCompoundIndex
        /// The rules for deletions along a link.
        case changeDeleteRule
        /// A class that isn't part of the new schema keeps its objects.
        case keepClass
        case removeClass
        /// The application's own function.
        case runBlock
    }

    public let kind: Kind
    /// The name of the class in the file, or an empty string if the step has no class.
    public let className: String
    /// The name of the property in the file, or the names of a compound index's properties.
    public let property: String?
    /// The number of objects that the step reads or writes.
    public let objects: Int

    public init(_ kind: Kind, _ className: String, property: String? = nil, objects: Int = 0) {
        self.kind = kind
        self.className = className
        self.property = property
        self.objects = objects
    }
}

extension SchemaStep: CustomStringConvertible {
    public var description: String {
        let place = property.map { "'\(className).\($0)'" } ?? "'\(className)'"
        let cost =
            switch objects {
            case 0: ""
            case 1: " (1 object)"
            default: " (\(objects) objects)"
            }
        let text =
            switch kind {
            case .addClass: "add class \(place)"
            case .addProperty: "add property \(place)"
            case .changeType(let from, let to):
                "change the type of \(place) from '\(from)' to '\(to)', dropping its values"
            case .makeOptional: "make \(place) optional"
            case .makeRequired: "make \(place) required, null becoming zero or empty"
            case .removeProperty: "remove property \(place)"
            case .changePrimaryKey(let from, let to):
                "change the primary key of \(place) from \(from ?? "none") to \(to ?? "none")"
            case .makeEmbedded: "make class \(place) embedded"
            case .makeTopLevel: "make class \(place) top-level"
            case .addIndex: "index \(place)"
            case .removeIndex: "remove the index of \(place)"
            case .addCompoundIndex(let isUnique): "add the \(isUnique ? "unique" : "compound") index \(place)"
            case .removeCompoundIndex: "remove the compound index \(place)"
            case .changeDeleteRule: "change the delete rule of \(place)"
            case .keepClass: "keep class \(place), which the schema lacks"
            case .removeClass: "remove class \(place)"
            case .runBlock: "run the migration block"
            }
        return text + cost
    }
}

extension SchemaPlan {
    /// Returns the properties that begin with default values, and the kind of step that creates them.
    ///
    /// - Parameter schema: the schema of the file before the migration.
    package func newColumns(
        in schema: DatabaseSchema
    ) -> [(table: Table, spec: ColumnSpec, kind: SchemaStep.Kind)] {
        addedColumns.map { ($0.table, $0.spec, .addProperty) }
            + retyped.map {
                let kind = SchemaStep.Kind.changeType(
                    from: Self.describe($0.column, in: schema),
                    to: Self.describe($0.spec.type, $0.spec.collection, target: $0.spec.target)
                )
                return (schema.table(of: $0.column), $0.spec, kind)
            }
    }

    /// Returns the steps in the order in which they are made.
    package func steps(in view: DataView) -> [SchemaStep] {
        let schema = view.schema
        func count(_ table: Table) -> Int { view.count(table) }
        func count(_ column: Column) -> Int { count(schema.table(of: column)) }
        func name(_ column: Column) -> String { schema.table(of: column).name }
        // Links to embedded objects and links in mixed values are removed one by one.
        func removalCost(_ column: Column) -> Int {
            schema.ownsTargets(column) || column.type == .mixed ? count(column) : 0
        }
        var out = added.map { SchemaStep(.addClass, $0.name) }
        out += newColumns(in: schema).map {
            let old = $0.table.column(named: $0.spec.name)
            return SchemaStep($0.kind, $0.table.name, property: $0.spec.name, objects: old.map(removalCost) ?? 0)
        }
        out += nullabilityChanges.map {
            SchemaStep(
                $0.spec.isOptional ? .makeOptional : .makeRequired,
                name($0.column),
                property: $0.column.name,
                objects: count($0.column)
            )
        }
        out += embeddingChanges.filter(\.isEmbedded).map { SchemaStep(.makeTopLevel, $0.name) }
        out += removed.map { SchemaStep(.removeProperty, name($0), property: $0.name, objects: removalCost($0)) }
        out += embeddingChanges.filter { !$0.isEmbedded }.map { SchemaStep(.makeEmbedded, $0.name, objects: count($0)) }
        out += primaryKeyChanges.map {
            SchemaStep(
                .changePrimaryKey(from: $0.table.primaryKey?.name, to: $0.key),
                $0.table.name,
                objects: $0.key == nil ? 0 : count($0.table)
            )
        }
        let reindexed = indexed.map { ObjectIdentifier($0.column) }
        out += unindexed.filter { !reindexed.contains(ObjectIdentifier($0)) }.map {
            SchemaStep(.removeIndex, name($0), property: $0.name)
        }
        out += indexed.map {
            SchemaStep(.addIndex, name($0.column), property: $0.column.name, objects: count($0.column))
        }
        out += droppedCompounds.map {
            SchemaStep(.removeCompoundIndex, schema.table(id: $0.tableID)?.name ?? "", property: $0.description)
        }
        out += addedCompounds.map {
            SchemaStep(
                .addCompoundIndex(isUnique: $0.spec.isUnique),
                $0.table.name,
                property: $0.spec.columns.joined(separator: ", "),
                objects: count($0.table)
            )
        }
        out += ruleChanges.map { SchemaStep(.changeDeleteRule, name($0.column), property: $0.column.name) }
        return out
    }
}
