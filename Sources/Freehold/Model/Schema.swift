import FreeholdEngine

/// The classes that a realm stores.
public struct Schema {
    public let objectSchema: [ObjectSchema]
    private let byName: [String: Int]

    init(_ infos: [ClassInfo]) {
        objectSchema = infos.map { ObjectSchema($0) }
        byName = Self.byName(infos)
    }

    /// By the name of the class in the file, else in Swift.
    public subscript(className: String) -> ObjectSchema? { byName[className].map { objectSchema[$0] } }

    /// The name in the file beats that in Swift, which two classes may share: then only the former tells.
    static func byName(_ infos: [ClassInfo]) -> [String: Int] {
        var byName: [String: Int] = [:]
        for (name, same) in Dictionary(grouping: infos.indices, by: { infos[$0].className }) where same.count == 1 {
            byName[name] = same[0]
        }
        for (i, info) in infos.enumerated() { byName[info.tableName] = i }
        return byName
    }

    var classes: [ClassInfo] { objectSchema.map(\.info) }

    /// What the file must have, or is given.
    var tableSpecs: [TableSpec] { objectSchema.map(\.info.tableSpec) }
}

/// What is stored of one class.
public struct ObjectSchema {
    let info: ClassInfo

    init(_ info: ClassInfo) { self.info = info }

    /// In the order of declaration, superclasses' first.
    public var properties: [Property] { info.properties.map { Property($0, in: info) } }
    /// The name in the file.
    public var className: String { info.tableName }
    public var objectClass: AnyClass { info.cls }
    public var isEmbedded: Bool { info.isEmbedded }
    public var isAsymmetric: Bool { false }
    public var primaryKeyProperty: Property? { info.primaryKeyIndex.map { Property(info.properties[$0], in: info) } }

    /// By the name in Swift, else in the file.
    public subscript(propertyName: String) -> Property? {
        info.index(named: propertyName).map { Property(info.properties[$0], in: info) }
    }
}

/// One property of a class.
public struct Property {
    /// The name in Swift.
    public let name: String
    /// The name in the file.
    public let columnName: String
    /// Of the value, or of a collection's elements.
    public let type: PropertyType
    public let isArray: Bool
    public let isSet: Bool
    public let isMap: Bool
    public let isIndexed: Bool
    public let isOptional: Bool
    /// The class that links point to, by its name in the file.
    public let objectClassName: String?
    let isPrimaryKey: Bool
    let origin: String?

    init(_ property: PropertyInfo, in info: ClassInfo) {
        name = property.name
        columnName = property.columnName
        type = property.shape.type
        isArray = property.shape.collection == .list
        isSet = property.shape.collection == .set
        isMap = property.shape.collection == .map
        isIndexed = property.isIndexed || property.isPrimaryKey
        isOptional = property.shape.isOptional
        objectClassName = property.target.map { info.sibling($0).tableName }
        isPrimaryKey = property.isPrimaryKey
        origin = property.origin
    }
}

extension Property: Equatable {
    public static func == (a: Property, b: Property) -> Bool {
        a.name == b.name && a.columnName == b.columnName && a.type == b.type && a.isArray == b.isArray
            && a.isSet == b.isSet && a.isMap == b.isMap && a.isIndexed == b.isIndexed && a.isOptional == b.isOptional
            && a.objectClassName == b.objectClassName && a.isPrimaryKey == b.isPrimaryKey && a.origin == b.origin
    }
}

extension ObjectSchema: Equatable {
    public static func == (a: ObjectSchema, b: ObjectSchema) -> Bool {
        a.info === b.info || (a.className == b.className && a.properties == b.properties)
    }
}

extension Schema: Equatable {
    /// Equal if both have the same classes, in whatever order.
    public static func == (a: Schema, b: Schema) -> Bool {
        a.objectSchema.count == b.objectSchema.count && a.objectSchema.allSatisfy { b[$0.className] == $0 }
    }
}

extension Property: CustomStringConvertible {
    public var description: String { described(indent: "") }

    func described(indent: String) -> String {
        func yes(_ flag: Bool) -> String { flag ? "YES" : "NO" }
        var lines = ["type = \(type)"]
        if let objectClassName {
            lines.append("objectClassName = \(objectClassName)")
            lines.append("linkOriginPropertyName = \(origin ?? "(null)")")
        }
        lines.append("columnName = \(columnName)")
        lines.append("indexed = \(yes(isIndexed))")
        lines.append("isPrimary = \(yes(isPrimaryKey))")
        lines.append("array = \(yes(isArray))")
        lines.append("set = \(yes(isSet))")
        lines.append("dictionary = \(yes(isMap))")
        lines.append("optional = \(yes(isOptional))")
        return "\(indent)\(name) {\n" + lines.map { "\(indent)\t\($0);\n" }.joined() + "\(indent)}"
    }
}

extension ObjectSchema: CustomStringConvertible {
    public var description: String { described(indent: "") }

    func described(indent: String) -> String {
        "\(indent)\(className) {\n" + properties.map { $0.described(indent: indent + "\t") + "\n" }.joined()
            + "\(indent)}"
    }
}

extension Schema: CustomStringConvertible {
    public var description: String {
        "Schema {\n" + objectSchema.map { $0.described(indent: "\t") + "\n" }.joined() + "}"
    }
}

extension ClassInfo {
    var tableSpec: TableSpec {
        TableSpec(
            tableName,
            columns: properties.compactMap { $0.columnSpec(in: self) },
            primaryKey: primaryKeyIndex.map { properties[$0].columnName },
            isEmbedded: isEmbedded
        )
    }
}

extension PropertyInfo {
    /// Nil for linking objects, which have no column.
    func columnSpec(in info: ClassInfo) -> ColumnSpec? {
        guard let type = columnType else { return nil }
        return ColumnSpec(
            columnName,
            type,
            // Whether a link is there is no question of optionality to the engine.
            optional: type == .link ? shape.collection == .map : shape.isOptional,
            collection: collectionKind,
            target: type == .link ? target.map { info.sibling($0).tableName } : nil,
            indexed: isIndexed && !isPrimaryKey
        )
    }

    var columnType: ColumnType? {
        switch shape.type {
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

    var collectionKind: CollectionKind {
        switch shape.collection {
        case .none: .none
        case .list: .list
        case .set: .set
        case .map: .dictionary
        }
    }
}
