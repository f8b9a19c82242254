import Freehold
import FreeholdEngine
import ModelWriter

extension Schema {
    /// The classes in the form for source code.
    var modelClasses: [ModelClass] { objectSchema.map { modelClass($0) } }

    private func modelClass(_ object: ObjectSchema) -> ModelClass {
        let columns = object.properties.compactMap { property -> ColumnSpec? in
            guard let type = property.type.storedType else { return nil }
            var column = ColumnSpec(
                property.columnName,
                type,
                optional: property.isOptional,
                collection: property.collection.stored,
                target: type == .link ? property.objectClassName : nil,
                index: property.isPrimaryKey ? .none : property.index.stored
            )
            column.rules = DeleteRules(targets: property.deleteRule, origins: originRule(of: property, in: object))
            return column
        }
        let key = object.primaryKeyProperty?.columnName
        let table = TableSpec(
            object.className,
            columns: columns,
            primaryKey: key,
            isEmbedded: object.isEmbedded,
            isAsymmetric: object.isAsymmetric,
            compounds: object.compoundIndexes.map { compound in
                CompoundIndexSpec(compound.properties.map { object[$0]?.columnName ?? $0 }, unique: compound.isUnique)
            }
        )
        let renamed = object.properties.filter { $0.name != $0.columnName }
        let inverses = object.computedProperties.compactMap { property -> ModelInverse? in
            guard let origin = property.objectClassName, let link = property.originProperty else { return nil }
            return ModelInverse(property.name, of: origin, self[origin]?[link]?.columnName ?? link)
        }
        return ModelClass(
            table,
            propertyNames: Dictionary(
                renamed.map { ($0.columnName, $0.name) },
                uniquingKeysWith: { first, _ in first }
            ),
            inverses: inverses
        )
    }

    /// Returns the rule for the objects that link to a class. In a schema it belongs to the linking objects, and in a
    /// file to the link.
    private func originRule(of property: Property, in object: ObjectSchema) -> DeleteRule {
        guard property.inverseDeleteRule == .nullify, let target = property.objectClassName.flatMap({ self[$0] }) else {
            return property.inverseDeleteRule
        }
        let linking = target.computedProperties.first {
            $0.objectClassName == object.className && $0.originProperty == property.name && $0.deleteRule != .nullify
        }
        return linking?.deleteRule ?? .nullify
    }

    /// Creates a schema from the classes of documents.
    init(tables: [TableSpec]) {
        self.init(
            tables.map { table in
                ObjectSchema(
                    table.name,
                    isEmbedded: table.isEmbedded,
                    isAsymmetric: table.isAsymmetric,
                    properties: table.columns.map { Property($0, isPrimaryKey: $0.name == table.primaryKey) }
                )
            }
        )
    }
}

extension Property {
    fileprivate init(_ column: ColumnSpec, isPrimaryKey: Bool) {
        self.init(
            column.name,
            PropertyType.allStored.first { $0.storedType == column.type } ?? .any,
            optional: column.isOptional && column.type != .mixed,
            collection: [.none, .list, .set, .map].first { $0.stored == column.collection } ?? .none,
            objectClassName: column.target,
            primaryKey: isPrimaryKey
        )
    }
}

extension PropertyType {
    fileprivate static let allStored: [PropertyType] = [
        .int, .bool, .string, .data, .date, .float, .double, .object, .any, .objectId, .decimal128, .UUID,
    ]

    /// The stored type, or nil for linking objects, which aren't stored.
    fileprivate var storedType: ColumnType? {
        switch self {
        case .int: .int
        case .bool: .bool
        case .string: .string
        case .data: .data
        case .date: .timestamp
        case .float: .float
        case .double: .double
        case .object: .link
        case .objectId: .objectId
        case .decimal128: .decimal128
        case .UUID: .uuid
        case .any: .mixed
        case .linkingObjects: nil
        }
    }
}

extension Property.Collection {
    fileprivate var stored: CollectionKind {
        switch self {
        case .none: .none
        case .list: .list
        case .set: .set
        case .map: .dictionary
        }
    }
}

extension Property.Index {
    fileprivate var stored: IndexKind {
        switch self {
        case .none: .none
        case .values: .values
        case .fullText: .fullText
        case .places: .places
        }
    }
}
